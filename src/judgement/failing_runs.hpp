#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study_learner.hpp"

namespace acuity {

/// What is known about runs that fail (docs/math.md 21).
struct FailingRuns {
  std::int64_t count = 0;  ///< runs that failed; failures that tell nothing about their point do not count
  bool active = false;     ///< whether choices count with it
  std::optional<double> share;  ///< of the pool that is expected to fail at the reference level, if active
};

/// In this state, under its model. Of a large pool a sample is used.
FailingRuns failing_runs(const Study& study, const State& state, const StudyModel& model);

/// "about 12 % of the pool cannot be computed (9 runs failed)"; empty while choices do not count with it.
std::string to_text(const FailingRuns& failing);

/// The probability that a run at the reference level succeeds at each of these points; empty while choices do
/// not count with it.
Vector run_success_at(const Study& study, const State& state, const StudyModel& model, const Points& points);

}  // namespace acuity
