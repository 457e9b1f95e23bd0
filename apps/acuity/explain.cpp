#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "explain/explanation.hpp"
#include "shared_options.hpp"
#include "views/explanation_json.hpp"

namespace acuity {

namespace {

struct ExplainArguments {
  CampaignAddress campaign;
  std::optional<std::int64_t> id;
  bool next = false;
  std::string point;  ///< empty: none
  int threads = 0;
  Format format = Format::table;
};

ExitCode explain_choice(const ExplainArguments& arguments, std::ostream& out, std::ostream& log) {
  if ((arguments.next ? 1 : 0) + (arguments.id ? 1 : 0) + (arguments.point.empty() ? 0 : 1) != 1)
    throw InputError("explain needs either a suggestion's id, --next or --point");
  if (arguments.format == Format::csv)
    throw InputError("--format is \"csv\", must be table or json for explain");
  const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
  const auto write = [&](const Explanation& explanation) {
    out << (arguments.format == Format::json ? explanation_json(explanation, campaign.study()) + "\n"
                                             : to_text(explanation, campaign.study()));
  };
  if (arguments.id) {
    write(explain(campaign, *arguments.id, arguments.threads));
    return ExitCode::done;
  }
  if (!arguments.point.empty()) {
    try {
      write(explain_point(campaign, arguments.point, arguments.threads));
    } catch (const InputError& error) {
      throw InputError(arguments.campaign.text() + ": " + error.what());
    }
    return ExitCode::done;
  }
  const NextExplanation next = explain_next(campaign, arguments.threads);
  if (next.explanation) {
    write(*next.explanation);
    return ExitCode::done;
  }
  log << one_line(arguments.campaign.text() + ": " + next.result.reason) << '\n';
  return next.result.status == AskStatus::finished ? ExitCode::finished : ExitCode::nothing_now;
}

}  // namespace

void add_explain(Program& program) {
  auto [command, arguments] = program.add<ExplainArguments>(
      {.name = "explain",
       .help = "Explain a suggestion: why this point, why this level, what would change the choice",
       .example = "acuity explain wing.acuity --next"},
      explain_choice);
  add_campaign(command, arguments.campaign);
  command.number("ID", "", arguments.id, "Number of the suggestion");
  command.flag("--next", arguments.next, "Explain what ask would suggest now, without asking");
  command.text("--point", "P", arguments.point,
               "Explain why this point of the pool is, or is not, what ask would suggest now");
  add_threads(command, arguments.threads);
  add_format(command, arguments.format);
}

}  // namespace acuity
