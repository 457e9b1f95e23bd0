#include "acuity/numerics/errors.hpp"
#include "campaign/explanation.hpp"
#include "commands.hpp"
#include "numerics/text.hpp"
#include "shared_options.hpp"
#include "views/explanation_json.hpp"

namespace acuity {

namespace {

struct ExplainArguments {
  CampaignAddress campaign;
  std::optional<std::int64_t> id;
  bool next = false;
  int threads = 0;
  Format format = Format::table;
};

ExitCode explain_choice(const ExplainArguments& arguments, std::ostream& out, std::ostream& log) {
  if (arguments.next == arguments.id.has_value())
    throw InputError("explain needs either a suggestion's id or --next");
  if (arguments.format == Format::csv)
    throw InputError("--format is \"csv\", must be table or json for explain");
  const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
  const auto write = [&](const Explanation& explanation) {
    out << (arguments.format == Format::json
                ? explanation_json(explanation, campaign.study().pool().columns()) + "\n"
                : to_text(explanation, campaign.study()));
  };
  if (arguments.id) {
    write(explain(campaign, *arguments.id, arguments.threads));
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
  add_threads(command, arguments.threads);
  add_format(command, arguments.format);
}

}  // namespace acuity
