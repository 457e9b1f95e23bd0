#pragma once

#include <string>
#include <vector>

#include "conduct/annotator_pool.hpp"
#include "conduct/failure_policy.hpp"

namespace acuity {

/// Records the outcome of a suggestion and counts it. An answer that the campaign refuses is recorded and
/// counted as a failure. Another process may have answered or released the suggestion, even between the check
/// and the write: its event takes precedence, and a refused answer then counts for nothing.
void record_outcome(Campaign& campaign, const Outcome& outcome, bool exclude_on_fail,
                    FailurePolicy& failures);

/// The same for several. If another process has taken over, the answers among them are recorded before the
/// OwnedError leaves.
void record_outcomes(Campaign& campaign, std::vector<Outcome> outcomes, bool exclude_on_fail,
                     FailurePolicy& failures);

/// A failed outcome in words for the user.
std::string failure_report(const Outcome& outcome);

/// Answers that were received before another process took over: every process may record an answer. Failures
/// are left to the new owner, which tries again.
void record_last_answers(Campaign& campaign, const std::vector<Outcome>& outcomes);

}  // namespace acuity
