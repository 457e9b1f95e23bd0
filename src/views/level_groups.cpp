#include "views/level_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "acuity/data/observation.hpp"
#include "study/target_view.hpp"
#include "text/level_text.hpp"

namespace acuity {

namespace {

constexpr std::size_t most_names = 8;
constexpr int ranges = 6;

// Smaller is more precise.
double vagueness(const Channel& channel) {
  if (const auto* flip = std::get_if<FlipChannel>(&channel)) return 1.0 - flip->accuracy();
  return noise_variance(channel);
}

// The part of the error that is no noise.
double vagueness(const LevelBias& bias) {
  return bias.offset_sd * bias.offset_sd + bias.smooth_sd * bias.smooth_sd;
}

// Of the level as the study declares it: what was expected of an answer also has the noise that had been
// learned by then, and what an answer reports depends on its place. On a ladder answers without a level are
// last; otherwise they, and those of levels that the study does not have any more, count by their own noise.
double vagueness_of(const SuggestionRecord& record, const Study& study, const TargetView& target) {
  if (study.is_ladder()) return record.alpha() ? target.rung_of(*record.alpha()) : HUGE_VAL;
  for (const Level& level : study.offer().levels)
    if (level.name == record.level()) return vagueness(level);
  return vagueness(record.told && record.told->channel ? *record.told->channel : record.asked.channel);
}

std::string purchase_name(const SuggestionRecord& record) {
  const std::string name = describe(record.level(), record.alpha());
  return name.empty() ? "reported" : name;
}

// Ladders of accuracies are divided by alpha, ladders of noise by 1/alpha.
std::string range_name(const SuggestionRecord& record, const TargetView& target) {
  if (!record.alpha()) return purchase_name(record);
  const int range =
      std::clamp(static_cast<int>(std::floor(ranges * target.rung_of(*record.alpha()))), 0, ranges - 1);
  return target.rungs_name(static_cast<double>(range) / ranges, (range + 1.0) / ranges);
}

}  // namespace

double vagueness(const Level& level) {
  return vagueness(level.channel) + vagueness(level.bias);
}

bool is_more_precise(const Level& a, const Level& b) {
  return vagueness(a) < vagueness(b);
}

LevelGroups level_groups(const Study& study, const State& state) {
  const std::shared_ptr<const TargetView> target = TargetView::of(*study.file().target);
  struct Sum {
    double vagueness = 0.0;
    double count = 0.0;
    double mean() const { return vagueness / count; }
  };
  const auto gather = [&](const auto& name) {
    std::map<std::string, Sum> found;
    for (const SuggestionRecord& record : state.suggestions()) {
      Sum& sum = found[name(record)];
      sum.vagueness += vagueness_of(record, study, *target);
      sum.count += 1.0;
    }
    return found;
  };
  const bool many = gather(purchase_name).size() > most_names;
  const auto name = [&](const SuggestionRecord& record) {
    return many ? range_name(record, *target) : purchase_name(record);
  };
  const std::map<std::string, Sum> found = gather(name);
  LevelGroups groups;
  for (const auto& [one, sum] : found) groups.names.push_back(one);
  std::stable_sort(groups.names.begin(), groups.names.end(), [&](const std::string& a, const std::string& b) {
    return found.at(a).mean() < found.at(b).mean();
  });
  for (const SuggestionRecord& record : state.suggestions())
    groups.of_suggestion.push_back(static_cast<std::size_t>(
        std::find(groups.names.begin(), groups.names.end(), name(record)) - groups.names.begin()));
  return groups;
}

}  // namespace acuity
