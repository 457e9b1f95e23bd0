#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "campaign/answer_check.hpp"
#include "campaign/answer_noise.hpp"
#include "campaign/answer_rules.hpp"
#include "campaign/event_rules.hpp"
#include "campaign/state_queries.hpp"

namespace acuity {

namespace {

void require_cost(std::int64_t id, const char* what, double amount) {
  if (!(std::isfinite(amount) && amount >= 0.0))
    throw InputError(fmt::format("the {} of {} is {}, must be a finite number, 0 or more", what, id,
                                 std::isnan(amount) ? "not a number" : shortest(amount)));
  if (amount > largest_amount)
    throw InputError(fmt::format("the {} of {} is {}, must be at most {}", what, id, shortest(amount),
                                 largest_amount_text));
}

// The charge must stay 0 or more, and the sum of all charges what a campaign can hold.
void require_money(const State& state, const SuggestionRecord& record, const Amendment& amendment) {
  const std::int64_t id = amendment.id;
  if (amendment.cost) require_cost(id, "cost", *amendment.cost);
  const double paid = record.told ? record.failure_charge + amendment.cost.value_or(record.told->cost)
                                  : amendment.cost.value_or(record.failure_charge);
  if (amendment.refund) {
    require_cost(id, "refund", *amendment.refund);
    if (!(*amendment.refund > 0.0))
      throw InputError(fmt::format("the refund of {} is 0, must be above 0", id));
  }
  const double refunded = record.refunded + amendment.refund.value_or(0.0);
  if (refunded > paid * (1.0 + 1e-12))
    throw InputError(fmt::format("{} of {} {} refunded, must be at most {}, what it was charged",
                                 shortest(refunded), id, amendment.refund ? "would be" : "are",
                                 shortest(paid)));
  const double spent = state.spent() - record.charged + paid - refunded;
  if (spent > largest_amount) throw InputError(too_much_spent(id, spent));
}

// Counts that are corrected with their trials bring their noise along; shares keep the trials they had.
void add_up_counts(const Study& study, const SuggestionRecord& record, const Amendment& amendment,
                   Amended& event) {
  if (!study.file().target->is_counted() || (amendment.trials.empty() && amendment.values.size() < 2)) return;
  if (event.channel || event.declared_channel)
    throw InputError(fmt::format("the amendment of {} has a noise, must be left out with k/n", event.id));
  SuggestionRecord after = record;
  if (after.told) after.told->channel.reset();
  Channel level = expected_annotation(study, after).channel;
  if (amendment.level) level = amendment.level->channel;
  const AddedCounts added = added_counts(event.values, amendment.trials, level);
  event.values = {added.value};
  event.channel = added.channel;
  event.declared_channel = !added.channel && record.told && record.told->channel;
}

}  // namespace

std::optional<Amended> check_amendment(const Study& study, const State& state, const Amendment& amendment) {
  const std::int64_t id = amendment.id;
  const SuggestionRecord* found = state.find(id);
  if (found == nullptr) throw InputError(no_such_suggestion(state, id));
  const SuggestionRecord& record = *found;
  Amended event{.id = id,
                .values = amendment.values,
                .reason = amendment.reason,
                .cost = amendment.cost,
                .refund = amendment.refund,
                .channel = amendment.channel,
                .declared_channel = amendment.declared_channel,
                .row = amendment.row,
                .inputs = amendment.inputs,
                .base_noise = {},
                .level = amendment.level ? amendment.level->name : std::string(),
                .alpha = amendment.level ? amendment.level->alpha : std::nullopt};
  const bool only_money = event.values.empty() && !event.moves_answer();
  if (only_money && !event.cost && !event.refund)
    throw InputError(fmt::format(
        "the amendment of {} corrects nothing, must have a value, cost, noise, level or point", id));
  if (record.status != SuggestionStatus::told && !(only_money && record.status == SuggestionStatus::failed))
    throw InputError(
        fmt::format("suggestion {} is {}, must have an answer to be amended", id, status_name(record)));
  if (!only_money && record.replaced_by)
    throw InputError(
        fmt::format("the answer to {} was replaced by that to {}, which continued its run, and cannot be "
                    "amended; retract {} to make it valid again",
                    id, *record.replaced_by, *record.replaced_by));
  if (!event.values.empty()) require_values(study, event.values, fmt::format("the answer to {}", id));
  if (!event.values.empty()) add_up_counts(study, record, amendment, event);
  if (event.channel && event.declared_channel)
    throw InputError(
        fmt::format("the amendment of {} has a noise and says that there is none of its own", id));
  Answer same;  // checked as if it were told now
  same.id = id;
  same.channel = event.channel;
  same.row = amendment.row;
  same.inputs = amendment.inputs;
  require_channel(study, same);
  require_place(study, same);
  require_no_other_gold(study, &record, event.row, event.row || event.inputs,
                        fmt::format("the answer to {}", id));
  if (event.inputs) event.base_noise = study.base_noise_at(*event.inputs);
  // A script may repeat an amendment if it does not know whether the first one was recorded.
  StoredEvent next{state.sequence() + 1, 0.0, event};
  const auto is_recorded = [&] {
    if (record.reason != event.reason || (event.refund && !is_same(*event.refund, record.refunded)))
      return false;
    if (!event.values.empty() && event.values != record.values) return false;
    if (!record.told) return !event.cost || *event.cost == record.failure_charge;
    const Told& told = *record.told;
    return (!event.cost || *event.cost == told.cost) &&
           (!event.channel || is_same(event.channel, told.channel)) &&
           (!event.declared_channel || !told.channel) &&
           (!event.row || (!told.inputs && record.row() == *event.row)) &&
           (!event.inputs || told.inputs == event.inputs) &&
           (event.level.empty() || record.level() == event.level) &&
           (!event.alpha || record.alpha() == event.alpha);
  };
  if (is_recorded()) return std::nullopt;
  require_money(state, record, amendment);
  if (!record.told) return event;
  State after = state;
  try {
    after.apply(next);
  } catch (const DamagedError& error) {
    throw InputError(error.what());
  }
  const SuggestionRecord& corrected = *after.find(id);
  const std::size_t values = std::max<std::size_t>(corrected.values.size(), 1);
  if (const std::string why = why_not_several(study, corrected, values); !why.empty()) throw InputError(why);
  if (const std::string why = why_no_noise(study, corrected, std::to_string(id)); !why.empty())
    throw InputError(why);
  return event;
}

}  // namespace acuity
