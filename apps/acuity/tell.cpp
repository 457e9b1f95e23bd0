#include <fmt/format.h>

#include <cmath>

#include "acuity/numerics/errors.hpp"
#include "campaign/answer_reader.hpp"
#include "campaign/books.hpp"
#include "campaign_text.hpp"
#include "commands.hpp"

namespace acuity {

namespace {

Answer answer_in(const TellArguments& arguments, const Study& study) {
  Answer answer{.id = *arguments.id,
                .values = {},
                .cost = arguments.cost,
                .channel = {},
                .row = {},
                .inputs = {},
                .level = {},
                .where = arguments.campaign};
  const std::string whose = fmt::format("{}: the answer to {}", arguments.campaign, *arguments.id);
  for (const std::string& text : arguments.values) answer.values.push_back(read_answer(study, text, whose));
  if (arguments.noise_sd) {
    if (study.file().binary)
      throw InputError("--noise-sd is for real targets, the study's are binary; must be --accuracy");
    const double sd = *arguments.noise_sd;
    if (!(sd > 0.0 && sd < 1e150 && sd * sd > 0.0))
      throw InputError(
          fmt::format("--noise-sd of {} is {}, must be a finite number above 0", *arguments.id, sd));
    answer.channel = GaussianChannel{sd * sd};
  }
  if (arguments.accuracy) {
    if (!study.file().binary)
      throw InputError("--accuracy is for binary targets, the study's are real; must be --noise-sd");
    if (!(*arguments.accuracy >= 0.5 && *arguments.accuracy <= 1.0))
      throw InputError(fmt::format("--accuracy of {} is {}, must be a number from 0.5 to 1", *arguments.id,
                                   *arguments.accuracy));
    answer.channel = FlipChannel{*arguments.accuracy};
  }
  return answer;
}

std::string listed(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " ") + brief(value);
  return text;
}

bool is_surprising(const Study& study, double surprise) {
  return study.file().binary ? surprise < 0.01 : std::abs(surprise) > 4.0;
}

}  // namespace

ExitCode tell(const TellArguments& arguments, std::ostream& out, std::ostream& log) {
  if (arguments.csv.empty() == !arguments.id)
    throw InputError("tell needs either a suggestion's id and an answer, or --csv with a file");
  Campaign campaign = Campaign::open(arguments.campaign, arguments.dry_run ? Access::read : Access::write);
  const Study& study = campaign.study();
  AnswerTable table;
  if (arguments.id)
    table.answers.push_back(answer_in(arguments, study));
  else
    table = read_answers(study, campaign.state(), arguments.csv);
  const std::vector<Telling> tellings =
      arguments.dry_run ? campaign.would_tell(table.answers) : campaign.tell(table.answers);

  const std::string likeliness = study.file().binary ? "probability" : "z";
  ResultTable result(arguments.format, {"id", "point", study.is_ladder() ? "alpha" : "level", "y", "cost",
                                        likeliness, "change"});
  for (std::size_t k = 0; k < tellings.size(); ++k) {
    const SuggestionRecord& record = *campaign.state().find(tellings[k].id);
    const Answer& answer = table.answers[k];
    const bool as_asked = !answer.row && !answer.inputs;
    const std::string point = answer.inputs                           ? ""
                              : study.pool().size() > 0 && answer.row ? study.pool().id(*answer.row)
                                                                      : record.asked.point;
    const auto& surprise = tellings[k].surprise;
    result.add({tellings[k].id, point,
                answer.level ? level_cell(answer.level->name, answer.level->alpha)
                             : level_cell(record.asked.level, record.asked.alpha),
                answer.values.size() == 1 ? ResultTable::Cell(answer.values[0])
                                          : ResultTable::Cell(listed(answer.values)),
                tellings[k].charge,
                surprise ? ResultTable::Cell(*surprise) : ResultTable::Cell(std::monostate()),
                std::string(!tellings[k].changes ? "none"
                            : as_asked           ? "told"
                                                 : "told elsewhere")});
    if (tellings[k].changes && surprise && is_surprising(study, *surprise))
      log << (study.file().binary ? fmt::format("note: {} was expected with a probability of {:.2g} only; a "
                                                "mistake can be corrected by amend\n",
                                                tellings[k].id, *surprise)
                                  : fmt::format("note: {} is {:.1f} standard deviations from what was "
                                                "expected; a mistake can be corrected by amend\n",
                                                tellings[k].id, *surprise));
    if (tellings[k].changes && record.status != SuggestionStatus::pending && arguments.dry_run == false &&
        record.told && tellings[k].charge > record.asked.cost)
      log << fmt::format("note: {} cost {}, more than the {} in escrow for it\n", tellings[k].id,
                         brief(tellings[k].charge), brief(record.asked.cost));
  }
  for (const std::int64_t id : table.not_yet) {
    const Asked& asked = campaign.state().find(id)->asked;
    result.add({id, asked.point, level_cell(asked.level, asked.alpha), std::monostate(), std::monostate(),
                std::monostate(), std::string("not yet")});
  }
  for (const std::string& note : table.notes) log << "note: " << note << '\n';
  if (arguments.format == Format::json)
    out << fmt::format("{{\"dry_run\": {}, \"answers\": {}}}\n", arguments.dry_run, result.text());
  else
    out << result.text();
  if (arguments.format == Format::table) {
    const State& state = campaign.state();
    if (arguments.dry_run) out << "Nothing was changed: --dry-run.\n";
    out << fmt::format("{} spent, {} in escrow, {} free\n", money(state.spent(), study.file().unit),
                       brief(state.escrow()), brief(state.free()));
  }
  return ExitCode::done;
}

}  // namespace acuity
