#include <fmt/format.h>

#include "acuity/acquisition/classification_information.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/study/study.hpp"
#include "commands.hpp"
#include "loaded_study.hpp"
#include "notes.hpp"
#include "report/result_table.hpp"

namespace acuity {

ExitCode predict(const PredictArguments& arguments, std::ostream& out, std::ostream& log) {
  const LoadedStudy loaded(arguments.study, arguments.annotations);
  const Study& study = loaded.study();
  const Points at = study.read_inputs(Table::read(arguments.at));
  const StudyModel model = loaded.model();
  const Observations observations(model.observations, study.pool().points());
  const bool binary = study.file().binary;
  Marginals marginals;
  if (binary) {
    const EpPosterior posterior(model.prior, observations);
    marginals = posterior.predict(at);
    write_notes(study, model, 0, posterior.converged(), log);
  } else {
    const GpPosterior posterior(model.prior, observations);
    marginals = posterior.predict(at);
    write_notes(study, model, posterior.jittered(), true, log);
  }
  require_finite(study, marginals);

  for (const std::string& input : study.pool().inputs())
    if (input == "id" || input == "mean" || input == "variance" || (binary && input == "probability"))
      throw InputError(fmt::format("{}: input \"{}\" is called like a column of the result, must be renamed",
                                   arguments.study, input));
  std::vector<std::string> columns{"id"};
  columns.insert(columns.end(), study.pool().inputs().begin(), study.pool().inputs().end());
  columns.insert(columns.end(), {"mean", "variance"});
  if (binary) columns.emplace_back("probability");
  ResultTable table(arguments.format, columns);
  for (Index row = 0; row < at.rows(); ++row) {
    std::vector<ResultTable::Cell> cells{std::to_string(row)};
    for (const double input : at.row(row)) cells.emplace_back(input);
    cells.insert(cells.end(), {marginals.mean(row), marginals.variance(row)});
    if (binary)
      cells.emplace_back(clean_probabilities({marginals.mean(row), marginals.variance(row)}).positive);
    table.add(cells);
  }
  out << table.document("rows");
  return ExitCode::done;
}

}  // namespace acuity
