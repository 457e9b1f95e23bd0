#include "judgement/level_offsets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "campaign/state_queries.hpp"
#include "study/noise_key.hpp"
#include "text/level_text.hpp"

namespace acuity {

namespace {

// The weighted mean of the answers of one level at one point.
struct WeightedMean {
  double weight = 0.0, weighted = 0.0;  // weights are inverse noise variances

  void take(double value, double noise) {
    weight += 1.0 / noise;
    weighted += value / noise;
  }
  double mean() const { return weighted / weight; }
  double variance() const { return 1.0 / weight; }
};

LevelOffset offset_between(const Pool& pool, const std::map<Index, WeightedMean>& one,
                           const std::map<Index, WeightedMean>& other) {
  LevelOffset found;
  double weight = 0.0, weighted = 0.0;
  for (const auto& [row, answers] : one) {
    const auto there = other.find(row);
    if (there == other.end()) continue;
    const double variance = answers.variance() + there->second.variance();
    weight += 1.0 / variance;
    weighted += (answers.mean() - there->second.mean()) / variance;
    ++found.points;
    const double* inputs = pool.point(row);
    found.pairs.push_back({.inputs = std::vector<double>(inputs, inputs + pool.inputs().size()),
                           .difference = answers.mean() - there->second.mean(),
                           .sd = std::sqrt(variance)});
  }
  if (found.points > 0) {
    found.offset = weighted / weight;
    found.standard_error = 1.0 / std::sqrt(weight);
  }
  return found;
}

bool has_bias(const Study& study, const std::string& name) {
  const std::optional<Index> level = study.find_level(name);
  return level && study.offer().levels[static_cast<std::size_t>(*level)].bias.any();
}

}  // namespace

bool LevelOffset::is_bias() const {
  return points > 0 && std::abs(offset) >= 3.0 * standard_error;
}

// Exact answers have no noise to weight by; a noise of 1e-12 of the squared answers is negligible compared
// with that of any other level.
std::vector<LevelOffset> level_offsets(const Study& study, const State& state) {
  if (!study.file().target->has_noise()) return {};
  const std::vector<Annotation> annotations = annotations_of(study, state);
  const StudyModel model = StudyLearner(study).model_given(annotations, learned_of(study, state));
  double largest = 0.0;
  for (const Annotation& annotation : annotations) largest = std::max(largest, std::abs(annotation.value));
  const double least = std::max(1e-12 * largest * largest, 1e-300);
  std::vector<std::string> names;
  std::map<std::string, std::map<Index, WeightedMean>> answers;
  std::size_t next = 0;
  for (const std::int64_t id : state.answered()) {
    const SuggestionRecord& record = *state.find(id);
    const std::string name = describe(record.level(), record.alpha());
    const bool counts = record.row() >= 0 && !name.empty();
    if (counts && !answers.contains(name)) names.push_back(name);
    for (std::size_t k = 0; k < record.values.size(); ++k, ++next)
      if (counts)
        answers[name][record.row()].take(
            annotations[next].value,
            std::max(noise_variance(StudyLearner(study).channel_of(annotations[next], model)), least));
  }
  std::vector<LevelOffset> offsets;
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      LevelOffset found = offset_between(study.pool(), answers.at(names[i]), answers.at(names[j]));
      if (found.points == 0) continue;
      found.level = names[i];
      found.other = names[j];
      found.is_factor = study.file().target->is_logarithmic();
      found.in_scale = scale_text(*study.file().target);
      found.in_model = has_bias(study, names[i]) || has_bias(study, names[j]);
      offsets.push_back(found);
    }
  return offsets;
}

std::string to_text(const LevelOffset& offset) {
  if (offset.is_factor)
    return fmt::format("{} reads {:.4g} times {} ({:.4g} to {:.4g}, from {} point{})", offset.level,
                       std::exp(offset.offset), offset.other, std::exp(offset.low()), std::exp(offset.high()),
                       offset.points, offset.points == 1 ? "" : "s");
  const bool above = offset.offset >= 0.0;
  const double low = above ? offset.low() : -offset.high(), high = above ? offset.high() : -offset.low();
  return fmt::format("{} reads {:.3g} {} {}{} ({:.3g} to {:.3g}, from {} point{})", offset.level,
                     std::abs(offset.offset), above ? "above" : "below", offset.other, offset.in_scale, low,
                     high, offset.points, offset.points == 1 ? "" : "s");
}

}  // namespace acuity
