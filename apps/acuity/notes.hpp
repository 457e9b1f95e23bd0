#pragma once

#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "acuity/campaign/campaign.hpp"
#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/numerics/errors.hpp"
#include "acuity/study/study.hpp"
#include "numerics/text.hpp"
#include "views/calibration_verdict.hpp"

namespace acuity {

/// Nothing that is not a number is ever printed as a result.
inline void require_finite(const Study& study, bool is_finite) {
  if (!is_finite)
    throw NumericalError(study.file().path.string() +
                         ": the belief is not finite, inputs and values must be of a size to compute with");
}
inline void require_finite(const Study& study, const Marginals& marginals) {
  require_finite(study, marginals.mean.allFinite() && marginals.variance.allFinite());
}
/// The whole pool, which need not be brought up to date for it.
inline void require_finite(const Study& study, PoolBelief& belief) {
  require_finite(study, belief.is_finite());
}

/// One line.
inline void write_note(std::string_view text, std::ostream& log) {
  log << "note: " << one_line(text) << '\n';
}

/// Options that have no effect are not passed over in silence.
inline void write_storage_note(const Study& study, const PoolStorage& storage, std::ostream& log) {
  if (!study.file().binary) return;
  if (storage.single_precision)
    log << "note: --pool-precision float has no effect on binary targets, which are computed in double\n";
  if (storage.memory > 0) log << "note: --memory has no effect on binary targets\n";
}

/// What a person should know although nothing is wrong: one line each.
inline void write_notes(const Study& study, const StudyModel& model, Index jittered, bool converged,
                        std::ostream& log) {
  for (const std::string& remark : study.remarks()) write_note(remark, log);
  if (model.learned && !model.learned->converged)
    write_note("learning hyperparameters: " + model.learned->reason, log);
  if (!study.file().binary && !study.file().amplitude && !model.learned)
    write_note(
        fmt::format(
            "the size of the answers is to be learned from three values or more, and {} known: until then "
            "a standard deviation of {:.6g} is assumed, and a campaign begins with a design that fills the "
            "pool",
            model.observations.size() == 1 ? "1 is" : fmt::format("{} are", model.observations.size()),
            std::sqrt(model.prior.kernel->diagonal(study.pool().points().topRows(1))(0))),
        log);
  if (jittered > 0)
    log << fmt::format(
        "note: {} exact annotation{} got a noise variance of 1e-12 of the prior's, repeating what was "
        "known\n",
        jittered, jittered == 1 ? "" : "s");
  if (!converged) log << "note: expectation propagation has not converged; read the results with care\n";
}

/// The first answers of a campaign, many standard deviations off: something is wrong with the model, and it
/// is cheap to hear of it now. Nothing later: `status` and the report go on to say it.
inline bool write_early_verdict(const Campaign& campaign, std::ostream& log) {
  const std::int64_t answers = campaign.state().annotations();
  if (answers < 3 || answers > 15 || campaign.study().file().binary) return false;
  const CalibrationVerdict verdict = verdict_on(campaign);
  if (verdict.calibration != CalibrationVerdict::Calibration::too_narrow || verdict.low < 3.0) return false;
  write_note("the first answers are far from what was expected of them; " + verdict.text(), log);
  return true;
}

inline void write_notes(const Study& study, const StudyModel& model, const PoolBelief& belief,
                        std::ostream& log) {
  const auto* regression = dynamic_cast<const GpPoolBelief*>(&belief);
  const auto* classification = dynamic_cast<const EpPoolBelief*>(&belief);
  write_notes(study, model, regression != nullptr ? regression->jittered() : 0,
              classification == nullptr || classification->posterior().converged(), log);
}

}  // namespace acuity
