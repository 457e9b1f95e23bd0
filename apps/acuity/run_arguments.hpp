#pragma once

#include <optional>
#include <string>

#include "acuity/study/study.hpp"
#include "shared_options.hpp"

namespace acuity {

struct RunArguments {
  CampaignAddress campaign;
  std::string study;  ///< makes a new campaign; must be the same as that of an existing one
  CsvDialect dialect = CsvDialect::automatic;
  std::optional<int> workers;  ///< instead of the study's
  std::string runs;            ///< folder for attempts; empty: the default
  BudgetOption budget;
  CostLimitOption cost_limit;  ///< its --yes is also one to take over
  bool take_over = false;
  bool once = false, cancel = false, detach = false;
  std::string join;        ///< address of a server; empty: none
  std::string token_file;  ///< with the token for it
  std::string worker;      ///< the name there
  double lease = 300.0;    ///< seconds
  double grace = 5.0;      ///< seconds
  PoolWork work;
  Format format = Format::table;
};

/// Annotators at the same time.
inline int workers_of(const RunArguments& arguments, const Study& study) {
  return arguments.workers.value_or(study.file().annotator.workers);
}

inline bool submits_jobs(const Study& study) {
  return study.file().annotator.kind == AnnotatorSetting::Kind::command &&
         study.file().annotator.mode == AnnotatorSetting::Mode::submit;
}

}  // namespace acuity
