#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "acuity/base/errors.hpp"
#include "campaign/answer_noise.hpp"
#include "campaign/answer_reader.hpp"
#include "campaign/state_queries.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "shared_options.hpp"
#include "study/target_view.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

struct TellArguments {
  CampaignAddress campaign;
  std::optional<std::int64_t> id;
  std::vector<std::string> values;
  std::optional<double> cost, noise_sd, accuracy;
  std::string csv;
  CsvDialect dialect = CsvDialect::automatic;
  bool unasked = false;
  std::string worker;
  std::optional<double> seconds;
  std::string point, inputs, level;
  std::optional<double> alpha;
  std::vector<std::string> unasked_values;
  bool dry_run = false;
  Format format = Format::table;
};

void take_channel(const TellArguments& arguments, const Study& study, const std::string& whose,
                  Answer& answer) {
  try {
    answer.channel = channel_of({.noise_sd = arguments.noise_sd,
                                 .accuracy = arguments.accuracy,
                                 .noise_sd_name = "--noise-sd",
                                 .accuracy_name = "--accuracy",
                                 .whose = " of " + whose,
                                 .noise_sd_text = {}},
                                *study.file().target, answer.values);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", arguments.campaign.text(), error.what()));
  }
}

// The answer to a suggestion, or the unasked one (0), as far as both are the same.
Answer answer_to(std::int64_t id, const std::vector<std::string>& values, const TellArguments& arguments,
                 const Study& study) {
  Answer answer{.id = id,
                .values = {},
                .cost = arguments.cost,
                .channel = {},
                .row = {},
                .inputs = {},
                .level = {},
                .where = arguments.campaign.text(),
                .worker = arguments.worker,
                .seconds = arguments.seconds};
  const std::string place = arguments.campaign.text() + (id == 0 ? std::string(": the unasked answer")
                                                                 : fmt::format(": the answer to {}", id));
  WrittenValues written = read_values(study, values, place);
  answer.values = std::move(written.values);
  answer.trials = std::move(written.trials);
  return answer;
}

Answer answer_of(const TellArguments& arguments, const Study& study) {
  Answer answer = answer_to(*arguments.id, arguments.values, arguments, study);
  take_channel(arguments, study, std::to_string(*arguments.id), answer);
  return answer;
}

// "angle=3,mach=0.8", in the order of the study's inputs.
std::vector<double> read_inputs(const std::string& text, const Study& study) {
  const std::vector<std::string>& names = study.pool().inputs();
  const std::vector<Input>& columns = study.pool().columns();
  const auto complain = [&](const std::string& found) {
    throw InputError(
        fmt::format("--inputs {}, must be {}=..., with all inputs", found, fmt::join(names, "=...,")));
  };
  std::map<std::string, double> given;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    at = end + 1;
    const std::size_t sign = part.rfind('=');
    const std::string name = part.substr(0, sign == std::string::npos ? part.size() : sign);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) complain(fmt::format("has \"{}\", which is no input", printable(name, 40)));
    const Input& input = columns[static_cast<std::size_t>(found - names.begin())];
    const std::optional<double> value =
        sign == std::string::npos ? std::nullopt : input.value(part.substr(sign + 1));
    if (!value && (input.is_named() || input.log))
      complain(fmt::format("has \"{}\", where {} must be {}", printable(part, 60), printable(name, 40),
                           input.requirement()));
    if (!value) complain(fmt::format("has no number for \"{}\"", printable(name, 40)));
    if (!given.emplace(name, *value).second) complain(fmt::format("has \"{}\" twice", printable(name, 40)));
  }
  std::vector<double> inputs;
  for (const std::string& name : names) {
    if (!given.contains(name)) complain(fmt::format("has no \"{}\"", printable(name, 40)));
    inputs.push_back(given.at(name));
  }
  return inputs;
}

Answer unasked_answer(const TellArguments& arguments, const Study& study) {
  Answer answer = answer_to(0, arguments.unasked_values, arguments, study);
  if (!arguments.point.empty()) {
    answer.row = study.pool().find(arguments.point);
    if (!answer.row)
      throw InputError(fmt::format("{}: --point is \"{}\", must be one of the pool's",
                                   arguments.campaign.text(), printable(arguments.point, 40)));
  }
  if (!arguments.inputs.empty()) answer.inputs = read_inputs(arguments.inputs, study);
  if (!arguments.level.empty() && study.is_ladder())
    throw InputError(arguments.campaign.text() +
                     ": --level is given and the study has a ladder, must be --alpha");
  if (arguments.alpha && !study.is_ladder())
    throw InputError(arguments.campaign.text() +
                     ": --alpha is given and the study has levels, must be --level");
  if (!arguments.level.empty()) answer.level = study.level_named(arguments.level);
  if (arguments.alpha) answer.level = study.level_of(*arguments.alpha);
  take_channel(arguments, study, "the unasked answer", answer);
  const bool only_one = !study.is_ladder() && study.offer().levels.size() == 1;
  if (!answer.level && !answer.channel && only_one) answer.level = study.offer().levels.front();
  return answer;
}

// The answers of a table as `--annotations` and `campaign.initial` take it.
std::vector<Answer> unasked_answers(const std::string& csv, const Study& study) {
  std::vector<Answer> answers;
  for (const Annotation& annotation : study.read_annotations(csv)) {
    Answer answer{.id = 0,
                  .values = {annotation.answer.value_or(annotation.value)},
                  .cost = annotation.cost,
                  .channel = {},
                  .row = annotation.place.pool_row(),
                  .inputs = {},
                  .level = {},
                  .where = csv};
    if (!answer.row)
      answer.inputs.emplace(annotation.place.coordinates().begin(), annotation.place.coordinates().end());
    if (annotation.reported) answer.channel = annotation.channel;
    if (annotation.alpha)
      answer.level = study.level_of(*annotation.alpha);
    else if (annotation.level)
      answer.level = study.offer().levels[static_cast<std::size_t>(*annotation.level)];
    answers.push_back(std::move(answer));
  }
  return answers;
}

void require_one_source(const TellArguments& arguments) {
  const bool describes = !arguments.point.empty() || !arguments.inputs.empty() || !arguments.level.empty() ||
                         arguments.alpha || !arguments.unasked_values.empty();
  if (!arguments.csv.empty() && (!arguments.worker.empty() || arguments.seconds))
    throw InputError("--worker and --seconds are for one answer, must not come with --csv");
  if (!arguments.unasked && describes)
    throw InputError("--point, --inputs, --level, --alpha and --y are for --unasked, must come with it");
  if (arguments.unasked && arguments.id)
    throw InputError("--unasked has no suggestion's id, the answer must be given by --y");
  if (arguments.unasked && arguments.csv.empty() == arguments.unasked_values.empty())
    throw InputError("tell --unasked needs either an answer, --y, or --csv with a file");
  if (arguments.unasked && !arguments.csv.empty() && describes)
    throw InputError(
        "--point, --inputs, --level and --alpha are for one answer, must be columns of the file");
  if (arguments.unasked && arguments.csv.empty()) return;
  if (arguments.unasked && !arguments.cost && !arguments.noise_sd && !arguments.accuracy) return;
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
    notes.push_back(TargetView::of(*study.file().target)
                        ->surprise_text(result.id, *result.surprise, result.beside_others) +
                    "; a mistake can be corrected by amend");
  return notes;
}

bool is_dearer(const SuggestionRecord& record, const TellResult& result) {
  return result.changes && result.charge > record.asked.reserved() * (1.0 + 1e-9);
}

// One note for a whole table: of many answers the one that exceeded its reservation most.
std::string note_on_costs(const State& state, const std::vector<TellResult>& results) {
  const TellResult* worst = nullptr;
  std::int64_t count = 0;
  const auto excess = [&](const TellResult& one) {
    return one.charge - state.find(one.id)->asked.reserved();
  };
  for (const TellResult& one : results) {
    if (!is_dearer(*state.find(one.id), one)) continue;
    ++count;
    if (worst == nullptr || excess(one) > excess(*worst)) worst = &one;
  }
  if (count == 0) return "";
  const std::string text =
      fmt::format("{} cost {}, more than the {} reserved for it", worst->id, amount(worst->charge),
                  amount(state.find(worst->id)->asked.reserved()));
  return count == 1 ? text
                    : fmt::format("{} answers cost more than was reserved for them; most: {}", count, text);
}

// It is noted when it becomes true, not with every answer.
std::string note_on_counts(const Campaign& campaign) {
  const Target& target = *campaign.study().file().target;
  return target.is_counted() ? small_counts_text(target, campaign.annotations()) : "";
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
                     amount(state.escrow()),
                     std::isfinite(state.budget()) ? amount(free_money(state)) + " free" : "no budget");
}

ExitCode add_answers(const TellArguments& arguments, Campaign& campaign, std::ostream& out,
                     std::ostream& log) {
  const Study& study = campaign.study();
  const std::vector<Answer> answers = arguments.csv.empty()
                                          ? std::vector<Answer>{unasked_answer(arguments, study)}
                                          : unasked_answers(arguments.csv, study);
  const std::vector<TellResult> results = campaign.add(answers, arguments.dry_run);
  ResultTable table(arguments.format,
                    {"id", "point", study.is_ladder() ? "alpha" : "level", "y", "cost", "change"});
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Answer& answer = answers[k];
    table.add({results[k].id, answer.row ? study.pool().id(*answer.row) : std::string(),
               answer.level ? level_cell(answer.level->name, answer.level->alpha) : std::monostate(),
               arguments.format == Format::table ? answer_cell(study, answer.values)
                                                 : ResultTable::Cell(answer.values),
               results[k].charge, std::string("recorded")});
  }
  out << table.document("answers", {{"dry_run", arguments.dry_run}});
  const State& state = campaign.state();
  const double over = state.spent() + state.escrow() - state.budget();
  if (!arguments.dry_run && over > budget_slack(state.budget()))
    write_note(fmt::format("the budget is overrun by {}", money(over, study.file().unit)), log);
  if (arguments.format != Format::table) return ExitCode::done;
  if (arguments.dry_run) out << "Nothing was changed: --dry-run.\n";
  out << money_left(study, state);
  return ExitCode::done;
}

ExitCode tell(const TellArguments& arguments, std::ostream& out, std::ostream& log) {
  require_one_source(arguments);
  Campaign campaign =
      Campaign::open(arguments.campaign, arguments.dry_run ? Access::read : Access::write,
                     {.storage = {}, .tables = tables_read_by(arguments.dialect, log), .learning = {}});
  const Study& study = campaign.study();
  if (arguments.unasked) return add_answers(arguments, campaign, out, log);
  AnswerTable table;
  if (arguments.id)
    table.answers.push_back(answer_of(arguments, study));
  else
    table = read_answers(study, campaign.state(), arguments.csv);
  const bool had_small_counts = !note_on_counts(campaign).empty();
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
  if (const std::string note = note_on_costs(campaign.state(), tell_results); !note.empty())
    write_note(note, log);
  if (const std::string note = note_on_counts(campaign); !note.empty() && !had_small_counts)
    write_note(note, log);
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
  command.flag(
      "--unasked", arguments.unasked,
      "Record an answer that was not asked for: --y, with --point or --inputs, and --level; or a table "
      "of them, --csv, as --annotations takes it");
  command.words("--y", "Y...", arguments.unasked_values, "--unasked: the answer; several are replicates");
  command.text("--point", "P", arguments.point, "--unasked: the point of the pool that was annotated");
  command.text("--inputs", "A=1,B=2", arguments.inputs, "--unasked: the inputs, instead of a point");
  command.text("--level", "L", arguments.level,
               "--unasked: its level; not needed if there is one only, or with --noise-sd or --accuracy");
  command.number("--alpha", "A", arguments.alpha, "--unasked: its precision, in a study with a ladder");
  command.flag("--dry-run", arguments.dry_run, "Show what would change, and change nothing");
  add_person(command, arguments.worker, arguments.seconds);
  add_format(command, arguments.format);
}

}  // namespace acuity
