#include <fmt/format.h>

#include <cmath>

#include "acuity/numerics/errors.hpp"
#include "campaign/answer_reader.hpp"
#include "campaign/state_queries.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "shared_options.hpp"
#include "views/campaign_text.hpp"
#include "views/target_view.hpp"

namespace acuity {

namespace {

struct TellArguments {
  std::string campaign;
  std::optional<std::int64_t> id;
  std::vector<std::string> values;
  std::optional<double> cost, noise_sd, accuracy;
  std::string csv;
  CsvDialect dialect = CsvDialect::automatic;
  bool dry_run = false;
  Format format = Format::table;
};

Answer answer_of(const TellArguments& arguments, const Study& study) {
  Answer answer{.id = *arguments.id,
                .values = {},
                .cost = arguments.cost,
                .channel = {},
                .row = {},
                .inputs = {},
                .level = {},
                .where = arguments.campaign};
  const auto complain = [&](const std::string& sentence) {
    throw InputError(arguments.campaign + ": " + sentence);
  };
  const std::string place = fmt::format("{}: the answer to {}", arguments.campaign, *arguments.id);
  for (const std::string& text : arguments.values) answer.values.push_back(read_answer(study, text, place));
  if (arguments.noise_sd) {
    if (!study.file().target->fits(GaussianChannel{}))
      complain("--noise-sd is for real targets, the study's are binary; must be --accuracy");
    const double sd = *arguments.noise_sd;
    if (!(sd > 0.0 && sd < 1e150 && sd * sd > 0.0))
      complain(fmt::format("--noise-sd of {} is {}, must be a finite number above 0", *arguments.id, sd));
    answer.channel = study.file().target->reported_channel(sd, answer.values);
  }
  if (arguments.accuracy) {
    if (!study.file().target->fits(FlipChannel{}))
      complain("--accuracy is for binary targets, the study's are real; must be --noise-sd");
    if (!(*arguments.accuracy >= 0.5 && *arguments.accuracy <= 1.0))
      complain(fmt::format("--accuracy of {} is {}, must be a number from 0.5 to 1", *arguments.id,
                           *arguments.accuracy));
    answer.channel = FlipChannel{*arguments.accuracy};
  }
  return answer;
}

void require_one_source(const TellArguments& arguments) {
  if (arguments.csv.empty() == !arguments.id)
    throw InputError("tell needs either a suggestion's id and an answer, or --csv with a file");
  if (!arguments.csv.empty() && (arguments.cost || arguments.noise_sd || arguments.accuracy))
    throw InputError("--cost, --noise-sd and --accuracy are for one answer, must be columns of the file");
}

// An answer may be a mistake, ignored, or more expensive than planned.
std::vector<std::string> notes_on(const Study& study, const SuggestionRecord& record,
                                  const TellResult& result) {
  std::vector<std::string> notes;
  if (!result.changes && record.retracted)
    notes.push_back(
        fmt::format("{} was retracted and stays retracted; to use it again: amend --y", result.id));
  if (!result.changes) return notes;
  if (result.surprise && study.file().target->is_surprising(*result.surprise))
    notes.push_back(TargetView::of(*study.file().target)->surprise_text(result.id, *result.surprise) +
                    "; a mistake can be corrected by amend");
  if (result.charge > record.asked.reserved() * (1.0 + 1e-9))
    notes.push_back(fmt::format("{} cost {}, more than the {} reserved for it", result.id,
                                brief(result.charge), brief(record.asked.reserved())));
  return notes;
}

void add_row(ResultTable& table, Format format, const Study& study, const SuggestionRecord& record,
             const Answer& answer, const TellResult& result) {
  const bool elsewhere = answer.inputs || (answer.row && *answer.row != record.asked.row);
  const std::string point = answer.inputs ? ""
                            : answer.row  ? study.pool().id(*answer.row)
                                          : record.asked.point;
  std::vector<ResultTable::Cell> row{
      result.id,
      point,
      answer.level ? level_cell(answer.level->name, answer.level->alpha)
                   : level_cell(record.asked.level, record.asked.alpha),
      format == Format::table ? answer_cell(study, answer.values) : ResultTable::Cell(answer.values),
      result.charge,
      result.surprise ? ResultTable::Cell(*result.surprise) : ResultTable::Cell(std::monostate()),
      std::string(!result.changes ? "none"
                  : elsewhere     ? "recorded at other inputs"
                                  : "recorded")};
  table.add(row);
}

std::string money_left(const Study& study, const State& state) {
  return fmt::format("{} spent, {} reserved, {}\n", money(state.spent(), study.file().unit),
                     brief(state.escrow()),
                     std::isfinite(state.budget()) ? brief(state.free()) + " free" : "no budget");
}

ExitCode tell(const TellArguments& arguments, std::ostream& out, std::ostream& log) {
  require_one_source(arguments);
  Campaign campaign =
      Campaign::open(arguments.campaign, arguments.dry_run ? Access::read : Access::write,
                     {.storage = {}, .tables = tables_read_by(arguments.dialect, log), .learning = {}});
  const Study& study = campaign.study();
  AnswerTable table;
  if (arguments.id)
    table.answers.push_back(answer_of(arguments, study));
  else
    table = read_answers(study, campaign.state(), arguments.csv);
  const std::vector<TellResult> tell_results =
      arguments.dry_run ? campaign.would_tell(table.answers) : campaign.tell(table.answers);

  const Target& target = *study.file().target;
  std::vector<std::string> columns{"id",
                                   "point",
                                   study.is_ladder() ? "alpha" : "level",
                                   arguments.format == Format::table ? target.title_or("y") : "y",
                                   "cost",
                                   std::string(target.surprise_column()),
                                   "change"};
  ResultTable result(arguments.format, columns);
  for (std::size_t k = 0; k < tell_results.size(); ++k) {
    const SuggestionRecord& record = *campaign.state().find(tell_results[k].id);
    add_row(result, arguments.format, study, record, table.answers[k], tell_results[k]);
    for (const std::string& note : notes_on(study, record, tell_results[k])) write_note(note, log);
  }
  for (const std::int64_t id : table.not_yet) {
    const Asked& asked = campaign.state().find(id)->asked;
    std::vector<ResultTable::Cell> row{id,
                                       asked.point,
                                       level_cell(asked.level, asked.alpha),
                                       std::monostate(),
                                       std::monostate(),
                                       std::monostate(),
                                       std::string("not yet")};
    result.add(row);
  }
  for (const std::string& note : table.notes) write_note(note, log);
  out << result.document("answers", {{"dry_run", arguments.dry_run}});
  if (arguments.format != Format::table) return ExitCode::done;
  if (arguments.dry_run) out << "Nothing was changed: --dry-run.\n";
  out << money_left(study, campaign.state());
  return ExitCode::done;
}

}  // namespace

void add_tell(Program& program) {
  auto [command, arguments] =
      program.add<TellArguments>({.name = "tell",
                                  .help = "Record the answer to a suggestion, or a table of answers",
                                  .example = "acuity tell wing.acuity 57 -0.3"},
                                 tell);
  add_campaign(command, arguments.campaign);
  command.number("ID", "", arguments.id, "Number of the suggestion");
  command.words("Y", "", arguments.values, "The answer; several are replicates");
  command.number("--cost", "X", arguments.cost, "What it cost (default: the cost of the level)");
  command.number("--noise-sd", "S", arguments.noise_sd,
                 "Total standard deviation of the noise in this answer. Real targets only");
  command.number("--accuracy", "P", arguments.accuracy,
                 "Probability that this answer is right. Binary targets only");
  command.file("--csv", "F", arguments.csv,
               "Table as printed by ask --format csv, with y filled in; rows without y stay pending");
  add_csv_dialect(command, arguments.dialect);
  command.flag("--dry-run", arguments.dry_run, "Show what would change, and change nothing");
  add_format(command, arguments.format);
}

}  // namespace acuity
