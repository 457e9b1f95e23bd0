#include "views/plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "campaign/state_queries.hpp"
#include "text/level_text.hpp"
#include "text/number_text.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

std::string worth_text(double worth, std::string_view unit) {
  if (unit == "variance") return fmt::format("a fall of the mean variance by {}", brief(worth, 4));
  return fmt::format("{} {}", brief(worth, 4), unit);
}

constexpr const char* nothing_left = "nothing can be bought any more";

// A plan counts new points. If runs can be continued there may be something to buy when all have an answer.
std::string nothing_left_text(const Study& study) {
  return study.file().tops_up() ? "no new point can be bought, runs may be continued" : nothing_left;
}

bool is_too_little(double money, const Study& study) {
  const std::vector<Level>& levels = study.offer().levels;
  return !study.acquisition().continuous &&
         std::all_of(levels.begin(), levels.end(),
                     [&](const Level& level) { return level.cost > money * (1.0 + 1e-9); });
}

}  // namespace

std::string plan_text(const Study& study, const State& state) {
  if (!plans_now(study, state))
    return study.file().acquisition.plan
               ? "answers are noisy: what tells most about answers over the goal for its price is bought next"
               : "";
  if (!state.planned()) return "";
  const bool is_over = state.pending().empty() && (is_too_little(std::max(state.free(), 0.0), study) ||
                                                   !candidates_of(study, state).any_open());
  if (is_over) return nothing_left_text(study);
  AcquisitionSetting setting = study.file().acquisition;
  setting.criterion = criterion_now(study, state);
  return to_text(*state.planned(), study, study.file().target->information(setting)->unit());
}

std::string to_text(const Planned& plan, const Study& study, std::string_view unit_of_information) {
  if (plan.note == nothing_left || is_too_little(plan.remaining, study)) return nothing_left_text(study);
  if (plan.expected == 0.0 && plan.purchases.empty())
    return fmt::format("choices are by information per cost: {}",
                       plan.note.empty() ? "there is nothing to plan" : plan.note);
  const std::string& unit = study.file().unit;
  // The aim may be a variance that is to be small.
  const bool by_variance = plan.expected < 0.0;
  const auto expects = [&](double expected) {
    return by_variance ? fmt::format("leave a mean variance of {}", brief(-expected, 4))
                       : fmt::format("buy {}", worth_text(expected, unit_of_information));
  };
  const std::string bought = purchases_text(plan.purchases, study.offer().levels);
  if (plan.lambda == 1.0)
    return fmt::format(
        "{} that were left at the last plan {}{} by information per cost; no other weight of prices "
        "is better",
        money(plan.remaining, unit), expects(plan.expected), bought);
  return fmt::format("{} that were left at the last plan {}{}; by information per cost alone they would {}{}",
                     money(plan.remaining, unit), expects(plan.expected), bought,
                     expects(plan.expected_ratio),
                     purchases_text(plan.purchases_ratio, study.offer().levels));
}

std::string purchases_line(const Planned& plan, const Study& study) {
  const std::string left = amount(plan.remaining) + " left: ";
  if (plan.note == nothing_left || is_too_little(plan.remaining, study))
    return left + nothing_left_text(study);
  const std::string bought = purchases_list(plan.purchases, study.offer().levels);
  return left + (bought.empty() ? "the best answers are chosen one at a time" : "expected to buy " + bought);
}

}  // namespace acuity
