#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/study/study_learner.hpp"
#include "commands.hpp"
#include "judgement/level_biases.hpp"
#include "loaded_study.hpp"
#include "notes.hpp"
#include "shared_options.hpp"
#include "study/answer_prediction.hpp"
#include "text/result_table.hpp"

namespace acuity {

namespace {

struct PredictArguments {
  CampaignAddress study;  ///< or a study file
  std::string annotations;
  std::string at;  ///< table of the points
  CsvDialect dialect = CsvDialect::automatic;
  Format format = Format::table;
};

// Median, low and high are on the scale of answers, variance and sd on that of the model.
std::vector<std::string> result_columns(const Target& target) {
  std::vector<std::string> columns{target.is_mapped() ? "median" : "mean", "variance", "sd", "low", "high"};
  columns.emplace_back(target.is_real() ? "answer_sd" : "probability");
  return columns;
}

// One note with the number of rows and the first: the model only guesses beyond its pool.
void note_rows_outside(const Study& study, const Table& table, const Points& at, std::ostream& log) {
  const PointsRef pool = study.pool().points();
  if (pool.rows() == 0) return;
  const Eigen::RowVectorXd low = pool.colwise().minCoeff(), high = pool.colwise().maxCoeff();
  Index count = 0, first = -1, input = -1;
  for (Index row = 0; row < at.rows(); ++row) {
    Index outside = -1;
    for (Index k = 0; k < at.cols() && outside < 0; ++k)
      if (!study.pool().columns()[static_cast<std::size_t>(k)].is_named() &&
          (at(row, k) < low(k) || at(row, k) > high(k)))
        outside = k;
    if (outside < 0) continue;
    ++count;
    if (first < 0) first = row, input = outside;
  }
  if (count == 0) return;
  write_note(
      fmt::format("{} of {} rows {} outside the range of the pool, the first at {}: {} = {}, while the "
                  "pool has {} to {}",
                  count, at.rows(), count == 1 ? "is" : "are", table.where(first),
                  study.pool().inputs()[static_cast<std::size_t>(input)], brief(at(first, input)),
                  brief(low(input)), brief(high(input))),
      log);
}

// Columns of the table that are neither inputs nor named like a column of the result.
std::vector<Index> other_columns(const Study& study, const Table& table,
                                 const std::vector<std::string>& results) {
  std::vector<Index> others;
  const std::vector<std::string>& inputs = study.pool().inputs();
  for (std::size_t k = 0; k < table.columns().size(); ++k) {
    const auto is_named = [&](const std::string& name) { return name == table.columns()[k]; };
    const bool is_printed = is_named("id") || std::any_of(inputs.begin(), inputs.end(), is_named) ||
                            std::any_of(results.begin(), results.end(), is_named);
    if (!is_printed) others.push_back(static_cast<Index>(k));
  }
  return others;
}

void refuse_names_of_results(const Study& study, const std::string& file,
                             const std::vector<std::string>& results) {
  for (const std::string& input : study.pool().inputs())
    if (input == "id" || std::find(results.begin(), results.end(), input) != results.end())
      throw InputError(fmt::format("{}: input \"{}\" is called like a column of the result, must be renamed",
                                   file, input));
}

ExitCode predict(const PredictArguments& arguments, std::ostream& out, std::ostream& log) {
  LoadedStudy loaded(arguments.study, arguments.annotations,
                     {.storage = {}, .tables = tables_read_by(arguments.dialect, log), .learning = {}});
  const Study& study = loaded.study();
  const Table table = Table::read(arguments.at, study.file().tables);
  std::vector<std::vector<std::string>> unseen;
  const Points at = study.read_inputs(table, &unseen);
  const std::vector<std::string> results = result_columns(*study.file().target);
  refuse_names_of_results(study, arguments.study.text(), results);

  const StudyModel& model = loaded.model_for_predictions();
  const AveragedModel averaged = StudyLearner(study).averaged(model, loaded.annotations());
  const AveragedModel::Predicted predicted = averaged.predict(at);
  const AveragedMarginals& f = predicted.marginals;
  write_notes(study, model, predicted.jittered, predicted.convergence_problem, log);
  if (!averaged.note().empty()) write_note(averaged.note(), log);
  if (const std::string assumed = assumption_text(study, model); !assumed.empty()) write_note(assumed, log);
  if (const std::string beyond = extrapolation_text(study, model, at); !beyond.empty())
    write_note(beyond, log);
  require_finite(study, f.mean.allFinite() && f.variance.allFinite());
  note_rows_outside(study, table, at, log);
  const Target& target = *study.file().target;
  const AnswerPredictions answers = answer_predictions(study, model, f, study.base_noise_of(table));

  std::vector<Input> inputs = study.pool().columns();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    for (const std::string& name : unseen[k])
      write_note(
          fmt::format(
              "input \"{}\" is \"{}\", which no pool point has: predictions there are those of a value "
              "that was never asked about",
              inputs[k].name, name),
          log);
    inputs[k].values.insert(inputs[k].values.end(), unseen[k].begin(), unseen[k].end());
  }

  const std::optional<Index> own_id = table.find("id");
  for (const std::string& name : results)
    if (table.find(name))
      write_note(fmt::format("column \"{}\" of {} is left out: the result has a column of that name", name,
                             arguments.at),
                 log);
  std::vector<std::string> columns{"id"};
  columns.insert(columns.end(), study.pool().inputs().begin(), study.pool().inputs().end());
  const std::vector<Index> others = other_columns(study, table, results);
  for (const Index column : others) columns.push_back(table.columns()[static_cast<std::size_t>(column)]);
  columns.insert(columns.end(), results.begin(), results.end());
  if (arguments.format == Format::table && !target.label().name.empty())
    for (std::string& column : columns)  // for people: what it is the mean or median of
      if (column == results.front()) column = fmt::format("{} of {}", column, target.title_or(""));
  ResultTable result(arguments.format, columns);
  for (Index row = 0; row < at.rows(); ++row) {
    std::vector<ResultTable::Cell> cells{own_id ? table.text(row, *own_id) : std::to_string(row)};
    for (std::size_t k = 0; k < inputs.size(); ++k)
      cells.push_back(input_cell(inputs[k], at(row, static_cast<Index>(k))));
    for (const Index column : others) cells.emplace_back(table.text(row, column));
    cells.insert(cells.end(), {answers.middle(row), answers.variance(row), answers.sd(row), answers.low(row),
                               answers.high(row)});
    if (!target.has_noise())
      cells.emplace_back(answers.probability(row));
    else if (std::isnan(answers.answer_sd(row)))
      cells.emplace_back(std::monostate());  // sigma^2 is not known there
    else
      cells.emplace_back(answers.answer_sd(row));
    result.add(cells);
  }
  out << result.document("rows");
  return ExitCode::done;
}

}  // namespace

void add_predict(Program& program) {
  auto [command, arguments] = program.add<PredictArguments>(
      {.name = "predict",
       .help = "Print mean, standard deviation and 95 % interval of f at the points of a table",
       .example = "acuity predict wing.toml --annotations known.csv --at new.csv --format csv"},
      predict);
  add_study(command, arguments.study);
  add_annotations(command, arguments.annotations);
  command.file("--at", "P.csv", arguments.at, "Table with the study's inputs").required();
  add_csv_dialect(command, arguments.dialect);
  add_format(command, arguments.format);
}

}  // namespace acuity
