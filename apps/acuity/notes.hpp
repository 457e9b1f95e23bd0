#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>
#include <set>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/study/study_learner.hpp"
#include "base/text.hpp"
#include "colour.hpp"
#include "judgement/early_verdict.hpp"
#include "model/belief_part.hpp"
#include "progress.hpp"
#include "text/input_text.hpp"
#include "text/result_table.hpp"

namespace acuity {

/// Results are finite, or there are none.
inline void require_finite(const Study& study, bool is_finite) {
  if (!is_finite)
    throw NumericalError(study.file().path.string() +
                         ": the belief is not finite, inputs and values must be of a size to compute with");
}
inline void require_finite(const Study& study, const Marginals& marginals) {
  require_finite(study, marginals.mean.allFinite() && marginals.variance.allFinite());
}
/// For the whole pool, without bringing the belief about every point up to date.
inline void require_finite(const Study& study, PoolBelief& belief) {
  require_finite(study, belief.is_finite());
}

/// Writes one line; on a terminal it is broken at blanks.
inline void write_note(std::string_view text, std::ostream& log) {
  constexpr std::string_view begin = "note: ";
  log << coloured("note:", Colour::yellow, log) << ' ' << wrapped_for(log, one_line(text), begin.size())
      << '\n';
}

/// How a command reads tables: what was recognised is said in a note, once per table.
inline CsvReading tables_read_by(CsvDialect dialect, std::ostream& log) {
  return {.dialect = dialect,
          .note = [&log, said = std::make_shared<std::set<std::string>>()](const std::string& sentence) {
            if (said->insert(sentence).second) write_note(sentence, log);
          }};
}

/// A study from a file whose tables are read that way, by all processes of a job together.
inline Study open_study(const std::string& path, const CsvReading& tables, const Job& job = {}) {
  StudyFile file;
  job.together([&] { file = read_study_file(path); });
  file.tables = tables;
  return Study::open(std::move(file), SharedPool(job));
}

/// Says which of the options given have no effect.
inline void write_storage_note(const Study& study, const PoolStorage& storage, std::ostream& log) {
  if (!study.file().binary()) return;
  if (storage.single_precision)
    write_note("--pool-precision float has no effect on binary targets, which are computed in double", log);
  if (storage.memory > 0) write_note("--memory has no effect on binary targets", log);
}

/// Remarks on the study and the model, one line each.
inline void write_notes(const Study& study, const StudyModel& model, Index jittered,
                        const std::string& convergence_problem, std::ostream& log) {
  for (const std::string& remark : study.remarks()) write_note(remark, log);
  if (model.learned && !model.learned->converged)
    write_note("learning hyperparameters: " + model.learned->reason, log);
  constexpr std::size_t enough_to_learn = 3;
  if (!study.file().knows_scale() && !model.learned && model.observations.size() >= enough_to_learn)
    write_note(
        fmt::format("{} are known, and nothing has been learned from them since the study was changed: "
                    "the next ask or run does",
                    counted(static_cast<std::int64_t>(model.observations.size()), "answer")),
        log);
  else if (!study.file().knows_scale() && !model.learned)
    write_note(fmt::format(
                   "the amplitude is learned from three values or more, and {} known: until then a standard "
                   "deviation of {:.6g} is assumed, and a campaign begins with points spread over the pool",
                   model.observations.size() == 1 ? "1 is" : fmt::format("{} are", model.observations.size()),
                   std::sqrt(model.prior.kernel->diagonal(study.pool().points().topRows(1))(0))),
               log);
  if (jittered > 0)
    write_note(
        fmt::format("{} got a noise variance of 1e-12 of the prior's, because the value there was known "
                    "already",
                    counted(jittered, "exact annotation")),
        log);
  if (!convergence_problem.empty()) write_note(convergence_problem, log);
}

inline void write_notes(const Study& study, const StudyModel& model, const PoolBelief& belief,
                        std::ostream& log) {
  const auto* regression = dynamic_cast<const GpPoolBelief*>(&own_belief_of(belief));
  write_notes(study, model, regression != nullptr ? regression->jittered() : 0, belief.convergence_problem(),
              log);
}

}  // namespace acuity
