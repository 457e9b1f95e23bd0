#include "acuity/numerics/errors.hpp"
#include "campaign/explanation.hpp"
#include "commands.hpp"
#include "numerics/text.hpp"
#include "views/explanation_json.hpp"

namespace acuity {

ExitCode explain_choice(const ExplainArguments& arguments, std::ostream& out, std::ostream& log) {
  if (arguments.next == arguments.id.has_value())
    throw InputError("explain needs either a suggestion's id or --next");
  if (arguments.format == Format::csv)
    throw InputError("--format is \"csv\", must be table or json for explain");
  const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
  const auto write = [&](const Explanation& explanation) {
    out << (arguments.format == Format::json ? explanation_json(explanation) + "\n"
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
  log << one_line(arguments.campaign + ": " + next.asking.reason) << '\n';
  return next.asking.standing == Standing::finished ? ExitCode::finished : ExitCode::nothing_now;
}

}  // namespace acuity
