#include "conduct/record_outcome.hpp"

#include <fmt/format.h>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "campaign/event_rules.hpp"
#include "store/crash_point.hpp"

namespace acuity {

namespace {

bool is_pending(Campaign& campaign, std::int64_t id) {
  return campaign.refresh().find(id)->status == SuggestionStatus::pending;
}

// False if the suggestion is not pending any more.
bool record_failure(Campaign& campaign, const Outcome& outcome, bool exclude) {
  try {
    if (!is_pending(campaign, outcome.id)) return false;
    campaign.fail({.id = outcome.id,
                   .reason = as_event_text(outcome.reason),
                   .charge = outcome.cost,
                   .exclude = exclude,
                   .inconclusive = outcome.inconclusive});
    return true;
  } catch (const InputError&) {
    if (is_pending(campaign, outcome.id)) throw;
    return false;
  }
}

void count_failure(const Campaign& campaign, const Outcome& outcome, FailurePolicy& failures) {
  const Index row = campaign.state().find(outcome.id)->asked.row;
  failures.count_failure(row, outcome.id, failure_report(outcome));
}

// Empty: the answer is recorded.
std::string refusal_of(Campaign& campaign, const Answer& answer) {
  try {
    campaign.tell({answer});
    return "";
  } catch (const InputError& error) {  // it is invalid, or another process has recorded a different one
    return error.what();
  }
}

void record_answer(Campaign& campaign, const Outcome& outcome, bool exclude_on_fail,
                   FailurePolicy& failures) {
  Outcome refused = outcome;
  refused.reason = refusal_of(campaign, outcome.answer);
  refused.inconclusive = true;
  if (refused.reason.empty())
    failures.count_answer();
  else if (record_failure(campaign, refused, exclude_on_fail))
    count_failure(campaign, refused, failures);
}

}  // namespace

std::string failure_report(const Outcome& outcome) {
  return outcome.report.empty() ? one_line(fmt::format("suggestion {}, {}", outcome.id, outcome.reason))
                                : outcome.report;
}

void record_outcome(Campaign& campaign, const Outcome& outcome, bool exclude_on_fail,
                    FailurePolicy& failures) {
  crash_point();
  switch (outcome.kind) {
    case Outcome::Kind::answered:
      return record_answer(campaign, outcome, exclude_on_fail, failures);
    case Outcome::Kind::failed:
      record_failure(campaign, outcome, exclude_on_fail);
      return count_failure(campaign, outcome, failures);
    case Outcome::Kind::never:
      record_failure(campaign, outcome, true);
      return;
  }
}

void record_outcomes(Campaign& campaign, std::vector<Outcome> outcomes, bool exclude_on_fail,
                     FailurePolicy& failures) {
  try {
    for (; !outcomes.empty(); outcomes.erase(outcomes.begin()))
      record_outcome(campaign, outcomes.front(), exclude_on_fail, failures);
  } catch (const OwnedError&) {
    campaign.give_up_ownership();
    record_last_answers(campaign, outcomes);
    throw;
  }
}

void record_last_answers(Campaign& campaign, const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (outcome.kind != Outcome::Kind::answered) continue;
    try {
      campaign.tell({outcome.answer});
    } catch (const InputError&) {  // the new owner has recorded another one
    }
  }
}

}  // namespace acuity
