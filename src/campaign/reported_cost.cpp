#include "campaign/reported_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "campaign/state_queries.hpp"
#include "store/worker_name.hpp"
#include "study/log_cost.hpp"

namespace acuity {

namespace {

constexpr double normal_quantile_90 = 1.2815515655446004;

// Amounts that went through a table or a sum may differ in their last digits.
bool is_same_amount(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

// Whether the charge says what an answer of the level costs: it was reported, or is the declared price. That
// of a run which was continued is only a difference.
bool tells_cost(const SuggestionRecord& record, double price) {
  if (record.told->unasked || is_known_before(record.asked) || record.asked.replaces) return false;
  const bool another_level = !record.told->level.empty();  // it is charged that level's price
  const double asked = another_level ? price : record.asked.cost;
  const auto values = static_cast<double>(record.told->values.size());
  return is_same_amount(asked, price) || !is_same_amount(record.told->cost, asked * values);
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
    if (!tells_cost(record, levels[at].cost)) continue;
    const std::size_t values = record.told->values.size();
    costs[at].costs.insert(costs[at].costs.end(), values, record.told->cost / static_cast<double>(values));
    costs[at].suggestions.insert(costs[at].suggestions.end(), values, id);
  }
  return costs;
}

// What answers cost by their inputs. Amounts of 0 have no logarithm.
LevelCost cost_by_inputs(const Study& study, const State& state, double guess, const CostsOfLevel& known) {
  constexpr double least = 1e-6;  // of the guess
  const auto count = static_cast<Index>(known.costs.size());
  Points inputs(count, study.cost_inputs(Place(0)).size());
  Vector log_ratios(count);
  for (Index i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const SuggestionRecord& record = *state.find(known.suggestions[at]);
    inputs.row(i) = study.cost_inputs(told_annotation(study, record).place).transpose();
    log_ratios(i) = std::log(std::max(known.costs[at] / guess, least));
  }
  LevelCost cost{.expected = guess, .reserved = guess};
  cost.by_inputs = fit_log_cost(inputs, log_ratios);
  return cost;
}

std::string sentence_on(const ReportedCost& one, const Study& study) {
  if (one.used.by_inputs)
    return fmt::format(
        "level {}: answers cost {:.4g} on average, guessed {:.4g}; choices use costs by the inputs",
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
  for (std::size_t k = 0; k < by_level.size(); ++k) {
    const Level& level = study.offer().levels[k];
    const std::vector<double>& costs = by_level[k].costs;
    const bool reported = std::any_of(costs.begin(), costs.end(),
                                      [&](double cost) { return !is_same_amount(cost, level.cost); });
    if (!reported) continue;
    ReportedCost one{.level = level.name,
                     .declared = level.cost,
                     .count = static_cast<std::int64_t>(costs.size()),
                     .used = {level.cost, level.cost}};
    for (const double cost : costs) one.reported += cost / static_cast<double>(costs.size());
    if (study.file().learn_costs)
      one.used = level.cost_depends_on_inputs ? cost_by_inputs(study, state, level.cost, by_level[k])
                                              : learned_cost(level.cost, costs);
    found.push_back(std::move(one));
  }
  return found;
}

std::vector<LevelCost> level_costs(const Study& study, const State& state) {
  std::vector<LevelCost> costs;
  if (!study.file().learn_costs) return costs;
  const std::vector<ReportedCost> found = reported_costs(study, state);
  if (found.empty()) return costs;
  for (const Level& level : study.offer().levels) {
    const auto one = std::find_if(found.begin(), found.end(),
                                  [&](const ReportedCost& cost) { return cost.level == level.name; });
    costs.push_back(one == found.end() ? LevelCost{level.cost, level.cost} : one->used);
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
