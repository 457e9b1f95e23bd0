#include <fmt/format.h>

#include "acuity/numerics/errors.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "numerics/text.hpp"
#include "progress.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

// What to type next; and what may have been forgotten.
std::string hint(const Campaign& campaign, const std::vector<Suggestion>& given) {
  const std::string folder = one_line(campaign.folder().string());
  const std::size_t earlier = campaign.state().pending().size() - given.size();
  std::string text =
      given.size() == 1
          ? fmt::format("When it is done: acuity tell {} {} Y   (or fail, release)\n", folder, given[0].id)
          : fmt::format(
                "When they are done: acuity tell {0} ID Y   (or fail, release)\n"
                "As a table: acuity ask {0} --pending --format csv, fill in y, acuity tell {0} --csv FILE\n",
                folder);
  if (earlier > 0)
    text +=
        fmt::format("Not answered yet: {} from before; acuity ask {} --pending shows all\n", earlier, folder);
  return text;
}

ExitCode exit_code(const AskArguments& arguments, const Asking& asking) {
  if (!asking.suggestions.empty() || arguments.pending) return ExitCode::done;
  return asking.standing == Standing::finished ? ExitCode::finished : ExitCode::nothing_now;
}

std::string why_no_more(const Asking& asking) {
  return fmt::format("{}: {}",
                     !asking.suggestions.empty()             ? "no more to ask"
                     : asking.standing == Standing::finished ? "finished"
                                                             : "nothing to ask now",
                     asking.reason);
}

}  // namespace

// Exit code 3 when nothing is left, so that `while acuity ask` ends by itself; 4 when waiting may help.
ExitCode ask(const AskArguments& arguments, std::ostream& out, std::ostream& log) {
  if (arguments.count < 1) throw InputError(fmt::format("-n is {}, must be at least 1", arguments.count));
  if (arguments.pending && (arguments.budget || arguments.lease || !arguments.worker.empty()))
    throw InputError("--pending asks for nothing, --budget, --lease and --worker must be left out");
  CampaignOptions options{
      .threads = arguments.work.threads, .storage = arguments.work.storage, .learning = {}};
  // Who makes one choice and goes has no use for what a next one could build on.
  if (arguments.count == 1 && options.storage.memory == 0) options.storage.memory = 2 << 20;
  StatusLine status(log);
  options.learning = [&](int evaluations, double best) {
    status.show(fmt::format("learning: {} evaluations, log evidence {:.3f}", evaluations, best));
  };
  Campaign campaign = Campaign::open(arguments.campaign, arguments.pending ? Access::read : Access::write,
                                     std::move(options));
  write_network_note(campaign, log);
  write_storage_note(campaign.study(), arguments.work.storage, log);
  Asking asking;
  if (arguments.pending)
    asking.suggestions = campaign.pending();
  else
    asking = campaign.ask({.count = arguments.count,
                           .worker = arguments.worker,
                           .lease = arguments.lease,
                           .budget = arguments.budget});
  if (!asking.suggestions.empty() || arguments.format != Format::table)
    out << suggestions_text(campaign, asking.suggestions, arguments.format);
  write_early_verdict(campaign, log);
  if (asking.standing != Standing::open)
    log << one_line(arguments.campaign + ": " + why_no_more(asking)) << '\n';
  if (!asking.suggestions.empty() && arguments.format == Format::table)
    out << hint(campaign, asking.suggestions);
  return exit_code(arguments, asking);
}

}  // namespace acuity
