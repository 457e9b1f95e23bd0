#include "campaign/plausibility.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "campaign/state_queries.hpp"

namespace acuity {

namespace {

constexpr std::size_t fewest_others = 3;

// As the model will see the answer. Empty if it is not one to compare: of a class, elsewhere, or repeated.
std::optional<Annotation> first_annotation(const Study& study, const State& state,
                                           const CheckedAnswer& answer) {
  const Told& event = answer.event;
  const SuggestionRecord* record = state.find(event.id);
  if (!answer.result.changes || record == nullptr || event.row || event.inputs || record->asked.row < 0)
    return std::nullopt;
  SuggestionRecord after = *record;
  after.told = event;
  after.values = event.values;
  return told_annotation(study, after);
}

}  // namespace

// math.md eq. (22.5).
std::optional<double> deviation_from(const std::vector<double>& others, double value, double noise) {
  if (others.size() < fewest_others) return std::nullopt;
  const auto count = static_cast<double>(others.size());
  double mean = 0.0, squares = 0.0;
  for (const double other : others) mean += other / count;
  for (const double other : others) squares += (other - mean) * (other - mean);
  const double variance = std::max(squares / (count - 1.0), noise);
  if (!(variance > 0.0) || !std::isfinite(variance)) return std::nullopt;
  const double t = (value - mean) / std::sqrt(variance * (1.0 + 1.0 / count));
  const double tail = boost::math::cdf(
      boost::math::complement(boost::math::students_t_distribution<double>(count - 1.0), std::abs(t)));
  const double least = std::numeric_limits<double>::min();
  const double z =
      boost::math::quantile(boost::math::complement(boost::math::normal(), std::max(tail, least)));
  return t < 0.0 ? -z : z;
}

void compare_with_others(const Study& study, const State& state, std::vector<CheckedAnswer>& checked) {
  const auto lacks = [](const CheckedAnswer& one) { return one.result.changes && !one.result.surprise; };
  if (!study.file().target->is_real() || std::none_of(checked.begin(), checked.end(), lacks)) return;
  if (study.file().knows_scale() || state.fitted()) return;
  std::vector<double> values;
  for (const Annotation& annotation : annotations_of(study, state)) values.push_back(annotation.value);
  const std::size_t recorded = values.size();
  std::vector<std::optional<Annotation>> fresh;
  std::vector<std::size_t> place;
  for (const CheckedAnswer& one : checked) {
    fresh.push_back(first_annotation(study, state, one));
    place.push_back(values.size());
    if (fresh.back()) values.push_back(fresh.back()->value);
  }
  if (values.size() <= recorded) return;
  for (std::size_t k = 0; k < checked.size(); ++k) {
    if (!fresh[k] || !lacks(checked[k])) continue;
    std::vector<double> others = values;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(place[k]));
    checked[k].result.surprise = deviation_from(others, fresh[k]->value, noise_variance(fresh[k]->channel));
    checked[k].result.beside_others = checked[k].result.surprise.has_value();
  }
}

}  // namespace acuity
