#include "judgement/failing_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "campaign/run_failures.hpp"

namespace acuity {

Vector run_success_at(const Study& study, const State& state, const StudyModel& model, const Points& points) {
  if (!study.file().learns_failures()) return {};
  const std::shared_ptr<RunBelief> belief = RunChances(study, 1).belief_at(state, model);
  if (!belief) return {};
  Points places(points.rows(), points.cols() + 1);
  places.leftCols(points.cols()) = model.prior.scaling.apply(points);
  places.rightCols(1).setConstant(static_cast<double>(study.reference_level()));
  return belief->probability(places);
}

FailingRuns failing_runs(const Study& study, const State& state, const StudyModel& model) {
  constexpr Index most = 2000;
  const RunFailures failures(study, state);
  FailingRuns found{.count = failures.failed(), .active = failures.is_active(), .share = std::nullopt};
  if (!found.active) return found;
  const Index size = study.pool().size(), count = std::min(size, most);
  Points some(count, study.pool().points().cols());
  for (Index i = 0; i < count; ++i) some.row(i) = study.pool().points().row(i * size / count);
  found.share = 1.0 - run_success_at(study, state, model, some).mean();
  return found;
}

std::string to_text(const FailingRuns& failing) {
  if (!failing.share) return "";
  return fmt::format("about {:.0f} % of the pool cannot be computed ({} failed)", 100.0 * *failing.share,
                     counted(failing.count, "run"));
}

}  // namespace acuity
