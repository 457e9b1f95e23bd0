#include "campaign/reported_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "campaign/state_queries.hpp"
#include "store/event_limits.hpp"
#include "store/worker_name.hpp"
#include "study/log_cost.hpp"

namespace acuity {

namespace {

constexpr double normal_quantile_90 = 1.2815515655446004;

// Amounts that went through a table or a sum may differ in their last digits.
bool is_same_amount(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

// What one answer to the suggestion is charged if it reports nothing.
double charge_without_report(const SuggestionRecord& record, double price) {
  return record.told->level.empty() ? record.asked.cost : price;  // another level has that level's price
}

// How many answers were paid for. Counts of several answers are recorded as one, with the trials of all and
// a charge for each: then the charge is a whole multiple.
std::size_t answers_paid(const Study& study, const SuggestionRecord& record, double price) {
  const Told& told = *record.told;
  if (!study.file().target->is_counted() || !told.channel || told.values.size() != 1)
    return told.values.size();
  const double asked = charge_without_report(record, price), count = std::round(told.cost / asked);
  const bool is_multiple = count >= 2.0 && count <= static_cast<double>(most_replicates) &&
                           is_same_amount(told.cost, count * asked);
  return is_multiple ? static_cast<std::size_t>(count) : 1;
}

// Whether the charge says what an answer of the level costs: it was reported, or is the declared price. That
// of a run which was continued is only a difference.
bool tells_cost(const SuggestionRecord& record, double price, std::size_t values) {
  if (record.told->unasked || is_known_before(record.asked) || record.asked.replaces) return false;
  const double asked = charge_without_report(record, price);
  return is_same_amount(asked, price) ||
         !is_same_amount(record.told->cost, asked * static_cast<double>(values));
}

struct CostsOfLevel {
  std::vector<double> costs;              // per value
  std::vector<std::int64_t> suggestions;  // of each
};

std::vector<CostsOfLevel> costs_by_level(const Study& study, const State& state) {
  const std::vector<Level>& levels = study.offer().levels;
  std::vector<CostsOfLevel> costs(levels.size());
  std::vector<std::int64_t> ids = state.answered();
  for (const SuggestionRecord& record : state.suggestions())  // those that were replaced had a cost, too
    if (record.replaced_by) ids.push_back(record.asked.id);
  for (const std::int64_t id : ids) {
    const SuggestionRecord& record = *state.find(id);
    const std::optional<Index> level = study.find_level(record.level());
    if (!level) continue;
    const auto at = static_cast<std::size_t>(*level);
    const std::size_t values = answers_paid(study, record, levels[at].cost);
    if (!tells_cost(record, levels[at].cost, values)) continue;
    costs[at].costs.insert(costs[at].costs.end(), values, record.told->cost / static_cast<double>(values));
    costs[at].suggestions.insert(costs[at].suggestions.end(), values, id);
  }
  return costs;
}

// Of one level; amounts of 0 have no logarithm.
CostReports reports_of(const Study& study, const State& state, double guess, const CostsOfLevel& known) {
  constexpr double least = 1e-6;  // of the guess
  const auto count = static_cast<Index>(known.costs.size());
  CostReports reports{Points(count, study.cost_inputs(Place(0)).size()), Vector(count)};
  for (Index i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const SuggestionRecord& record = *state.find(known.suggestions[at]);
    reports.inputs.row(i) = study.cost_inputs(told_annotation(study, record).place).transpose();
    reports.log_ratios(i) = std::log(std::max(known.costs[at] / guess, least));
  }
  return reports;
}

// Whether an answer cost something else than the declared price.
bool has_reports(const Level& level, const CostsOfLevel& known) {
  return std::any_of(known.costs.begin(), known.costs.end(),
                     [&](double cost) { return !is_same_amount(cost, level.cost); });
}

// Whether answers are too far apart, or from the declared price, for one price at all points.
bool differ_much(const Level& level, const CostsOfLevel& known) {
  constexpr double factor = 3.0;
  double least = level.cost, largest = level.cost;
  for (const double cost : known.costs) {
    if (!(cost > 0.0)) continue;  // a run that was there already
    least = std::min(least, cost);
    largest = std::max(largest, cost);
  }
  return largest > factor * least;
}

// What answers cost by their inputs, per level whose price is a guess, and at every level where answers have
// shown that one price is not enough. Costs of runs grow with the same inputs at every level, so the slopes
// that the other levels show are what a level begins with.
class CostsByInputs {
 public:
  CostsByInputs(const Study& study, const State& state, const std::vector<CostsOfLevel>& known)
      : study_(study), reports_(known.size()) {
    for (std::size_t k = 0; k < known.size(); ++k)
      prices_differ_ = prices_differ_ || differ_much(study.offer().levels[k], known[k]);
    for (std::size_t k = 0; k < known.size(); ++k)
      if (depends_on_inputs(k) && has_reports(study.offer().levels[k], known[k]))
        reports_[k] = reports_of(study, state, study.offer().levels[k].cost, known[k]);
  }

  // Nothing if no level says anything about it.
  std::optional<LevelCost> of(std::size_t level) const {
    const double guess = study_.offer().levels[level].cost;
    if (!depends_on_inputs(level)) return std::nullopt;
    std::vector<CostReports> others;
    for (std::size_t k = 0; k < reports_.size(); ++k)
      if (k != level && reports_[k]) others.push_back(*reports_[k]);
    if (others.empty() && !reports_[level]) return std::nullopt;
    const Index features = study_.cost_inputs(Place(0)).size();
    LevelCost cost{.expected = guess, .reserved = guess};
    cost.by_inputs = fit_log_cost(reports_[level].value_or(CostReports{Points(0, features), Vector(0)}),
                                  others.empty() ? Vector() : common_slopes(others, features));
    return cost;
  }

 private:
  bool depends_on_inputs(std::size_t level) const {
    return prices_differ_ || study_.offer().levels[level].cost_depends_on_inputs;
  }

  const Study& study_;
  bool prices_differ_ = false;
  std::vector<std::optional<CostReports>> reports_;  // of levels that have some
};

std::string sentence_on(const ReportedCost& one, const Study& study) {
  if (one.used.by_inputs)
    return fmt::format(
        "level {}: answers cost {:.4g} on average, declared {:.4g}; choices use costs by the inputs",
        one.level, one.reported, one.declared);
  return fmt::format("level {}: answers cost {:.4g} on average, declared {:.4g}; choices use {:.4g}{}",
                     one.level, one.reported, one.declared, one.used.expected,
                     study.file().learn_costs ? "" : ", because campaign.learn_costs is false");
}

}  // namespace

bool is_known_before(const Asked& asked) {
  return asked.worker == worker_name::initial && asked.information == 0.0 && asked.variance == 0.0;
}

// math.md eq. (5.4). The price counts in the variance, too: while it still pulls the mean away from the
// costs, the quantile covers the difference.
LevelCost learned_cost(double price, const std::vector<double>& costs) {
  const double weight = declared_cost_weight, count = weight + static_cast<double>(costs.size());
  double sum = weight * price;
  for (const double cost : costs) sum += cost;
  const double expected = sum / count;
  double squares = weight * (price - expected) * (price - expected);
  for (const double cost : costs) squares += (cost - expected) * (cost - expected);
  return {.expected = expected,
          .reserved = expected + normal_quantile_90 * std::sqrt(squares / (count - 1.0))};
}

bool ReportedCost::differs() const {
  return !(std::abs(reported - declared) <= 0.05 * declared);
}

std::vector<ReportedCost> reported_costs(const Study& study, const State& state) {
  std::vector<ReportedCost> found;
  if (study.is_ladder()) return found;
  const std::vector<CostsOfLevel> by_level = costs_by_level(study, state);
  const CostsByInputs by_inputs(study, state, by_level);
  for (std::size_t k = 0; k < by_level.size(); ++k) {
    const Level& level = study.offer().levels[k];
    const std::vector<double>& costs = by_level[k].costs;
    if (!has_reports(level, by_level[k])) continue;
    ReportedCost one{.level = level.name,
                     .declared = level.cost,
                     .count = static_cast<std::int64_t>(costs.size()),
                     .used = {level.cost, level.cost}};
    for (const double cost : costs) one.reported += cost / static_cast<double>(costs.size());
    if (study.file().learn_costs) one.used = by_inputs.of(k).value_or(learned_cost(level.cost, costs));
    found.push_back(std::move(one));
  }
  return found;
}

std::vector<LevelCost> level_costs(const Study& study, const State& state) {
  std::vector<LevelCost> costs;
  if (!study.file().learn_costs) return costs;
  const std::vector<ReportedCost> found = reported_costs(study, state);
  if (found.empty()) return costs;
  const CostsByInputs by_inputs(study, state, costs_by_level(study, state));
  for (std::size_t k = 0; k < study.offer().levels.size(); ++k) {
    const Level& level = study.offer().levels[k];
    const auto one = std::find_if(found.begin(), found.end(),
                                  [&](const ReportedCost& cost) { return cost.level == level.name; });
    costs.push_back(one == found.end() ? by_inputs.of(k).value_or(LevelCost{level.cost, level.cost})
                                       : one->used);
  }
  return costs;
}

std::vector<std::string> reported_cost_sentences(const Study& study, const std::vector<ReportedCost>& found) {
  std::vector<std::string> sentences;
  for (const ReportedCost& one : found) sentences.push_back(sentence_on(one, study));
  return sentences;
}

std::vector<std::string> reported_cost_warnings(const Study& study, const std::vector<ReportedCost>& found) {
  std::vector<ReportedCost> different;
  std::copy_if(found.begin(), found.end(), std::back_inserter(different),
               [](const ReportedCost& one) { return one.differs(); });
  return reported_cost_sentences(study, different);
}

}  // namespace acuity
