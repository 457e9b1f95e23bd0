#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "acuity/study/study_learner.hpp"
#include "commands.hpp"
#include "judgement/level_biases.hpp"
#include "loaded_study.hpp"
#include "notes.hpp"
#include "shared_options.hpp"
#include "study/answer_prediction.hpp"
#include "study/sought.hpp"
#include "text/result_table.hpp"

namespace acuity {

namespace {

struct PredictArguments {
  CampaignAddress study;  ///< or a study file
  std::string annotations;
  std::string at;                    ///< table of the points
  std::optional<std::int64_t> best;  ///< the best so many points of the goal instead
  CsvDialect dialect = CsvDialect::automatic;
  Format format = Format::table;
};

// Median, low and high are on the scale of answers, variance and sd on that of the model.
std::vector<std::string> result_columns(const Target& target) {
  std::vector<std::string> columns{target.is_mapped() ? "median" : "mean", "variance", "sd", "low", "high"};
  columns.emplace_back(target.has_noise() ? "answer_sd" : "probability");
  return columns;
}

// One note with the number of rows and the first: the model only guesses beyond its pool.
void note_rows_outside(const Study& study, const Table& table, const Points& at, std::ostream& log) {
  const PointsRef pool = study.pool().points();
  if (pool.rows() == 0) return;
  Eigen::RowVectorXd low = pool.colwise().minCoeff(), high = pool.colwise().maxCoeff();
  for (Index k = 0; k < at.cols(); ++k)  // points that were drawn come close to the ends of a range
    if (const auto& range = study.pool().columns()[static_cast<std::size_t>(k)].range)
      std::tie(low(k), high(k)) = *range;
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

void check_arguments(const PredictArguments& arguments) {
  constexpr std::int64_t most = 500;  // the probabilities are those among so many points
  if (arguments.best && (*arguments.best < 1 || *arguments.best > most))
    throw InputError(fmt::format("--best is {}, must be from 1 to {}", *arguments.best, most));
  if (arguments.best.has_value() == !arguments.at.empty())
    throw InputError(arguments.best ? "--at and --best are both given, must be one of them"
                                    : "--at and --best are both missing, must be one of them");
}

// The best points of the goal, by the most probable hyperparameters, with their averaged predictions.
ExitCode predict_best(LoadedStudy& loaded, std::int64_t most, Format format, std::ostream& out,
                      std::ostream& log) {
  const Study& study = loaded.study();
  if (!study.file().goal || !study.file().goal->finding || study.file().goal->finding->is_contour())
    throw InputError(study.file().located("--best is for studies with goal.find"));
  const StudyModel& model = loaded.model_for_predictions();
  const Observations observations(model.observations, study.pool().points());
  const auto posterior = study.file().target->posterior(model.prior, observations);
  const SoughtKnowledge found = *sought_knowledge(study, model, *posterior, most);
  const auto count = static_cast<Index>(found.best.size());
  Points at(count, study.pool().points().cols());
  Vector noise(count);
  for (Index i = 0; i < count; ++i) {
    const SoughtPoint& point = found.best[static_cast<std::size_t>(i)];
    at.row(i) = Eigen::Map<const Eigen::RowVectorXd>(point.inputs.data(), at.cols());
    noise(i) = point.row ? study.offer().base_noise(*point.row) : std::numeric_limits<double>::quiet_NaN();
  }
  const AveragedModel averaged = StudyLearner(study).averaged(model, loaded.annotations());
  const AveragedModel::Predicted predicted = averaged.predict(at);
  write_notes(study, model, predicted.jittered, predicted.convergence_problem, log);
  if (const std::string assumed = assumption_text(study, model); !assumed.empty()) write_note(assumed, log);
  const AnswerPredictions answers = answer_predictions(study, model, predicted.marginals, noise);
  std::vector<std::string> columns{"id"};
  const std::vector<std::string> results = result_columns(*study.file().target);
  columns.insert(columns.end(), study.pool().inputs().begin(), study.pool().inputs().end());
  columns.insert(columns.end(), results.begin(), results.end());
  columns.emplace_back("probability");
  ResultTable table(format, columns);
  for (Index i = 0; i < count; ++i) {
    const SoughtPoint& point = found.best[static_cast<std::size_t>(i)];
    std::vector<ResultTable::Cell> cells;
    cells.push_back(point.row ? ResultTable::Cell(study.pool().id(*point.row))
                              : ResultTable::Cell(std::monostate()));
    for (Index k = 0; k < at.cols(); ++k)
      cells.push_back(input_cell(study.pool().columns()[static_cast<std::size_t>(k)], at(i, k)));
    cells.insert(cells.end(),
                 {answers.middle(i), answers.variance(i), answers.sd(i), answers.low(i), answers.high(i)});
    cells.push_back(std::isnan(answers.answer_sd(i)) ? ResultTable::Cell(std::monostate())
                                                     : ResultTable::Cell(answers.answer_sd(i)));
    cells.emplace_back(point.probability);
    table.add(cells);
  }
  out << table.document("rows");
  return ExitCode::done;
}

ExitCode predict(const PredictArguments& arguments, std::ostream& out, std::ostream& log) {
  check_arguments(arguments);
  LoadedStudy loaded(arguments.study, arguments.annotations,
                     {.storage = {}, .tables = tables_read_by(arguments.dialect, log), .learning = {}});
  if (arguments.best) return predict_best(loaded, *arguments.best, arguments.format, out, log);
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
  command.file("--at", "P.csv", arguments.at, "Table with the study's inputs");
  command.number("--best", "K", arguments.best,
                 "The best K points of goal.find instead, with the probability of each to be the best");
  add_csv_dialect(command, arguments.dialect);
  add_format(command, arguments.format);
}

}  // namespace acuity
