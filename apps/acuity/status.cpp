#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "acuity/base/errors.hpp"
#include "commands.hpp"
#include "interruptible.hpp"
#include "progress.hpp"
#include "shared_options.hpp"
#include "text/duration.hpp"
#include "views/campaign_status.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

struct StatusArguments {
  CampaignAddress campaign;
  bool watch = false, details = false;
  std::optional<double> interval;  ///< seconds
  Format format = Format::table;
};

std::string status_of(const Campaign& campaign, const StatusArguments& arguments) {
  if (arguments.format == Format::table)
    return status_text(campaign, arguments.details ? StatusExtent::details : StatusExtent::brief);
  if (arguments.format == Format::csv) return status_csv(campaign);
  return status_json(campaign) + "\n";
}

// Redraws on a terminal; elsewhere a status is written whenever something has happened. Ends with Ctrl-C,
// which is no interruption: nothing is left undone.
ExitCode watch(const StatusArguments& arguments, std::ostream& out) {
  const Interruptible interruptible;
  RedrawnText screen(out);
  const auto interval = std::chrono::duration<double>(arguments.interval.value_or(2.0));
  auto next = std::chrono::steady_clock::now();
  std::int64_t shown = -1;
  while (!Interruptible::interrupted() && out) {
    if (std::chrono::steady_clock::now() < next) {
      std::this_thread::sleep_for(
          std::min<std::chrono::duration<double>>(std::chrono::milliseconds(50), interval));
      continue;
    }
    next = std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(interval);
    const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
    if (screen.is_terminal() && arguments.format == Format::table) {
      screen.show(status_of(campaign, arguments));
      continue;
    }
    if (campaign.state().sequence() == shown) continue;
    if (shown >= 0 && arguments.format == Format::table) out << '\n';
    shown = campaign.state().sequence();
    out << status_of(campaign, arguments) << std::flush;
  }
  return ExitCode::done;
}

ExitCode status(const StatusArguments& arguments, std::ostream& out, std::ostream&) {
  if (arguments.interval && !arguments.watch) throw InputError("--interval is given, must come with --watch");
  const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
  if (arguments.watch) return watch(arguments, out);
  out << status_of(campaign, arguments) << std::flush;
  return ExitCode::done;
}

}  // namespace

void add_status(Program& program) {
  auto [command, arguments] = program.add<StatusArguments>(
      {.name = "status",
       .help = "Show how good the model of a campaign is, what was spent and what to do next",
       .example = "acuity status wing.acuity --watch",
       .output = Output::at_once},
      status);
  add_campaign(command, arguments.campaign);
  command.flag("--details", arguments.details,
               "Show everything: levels, biases, plan, changes, pending and last answers");
  command.flag(
      "--watch", arguments.watch,
      "Show it again as things happen: redrawn on a terminal, otherwise written once more after every "
      "change. Ctrl-C ends it, with exit code 0");
  add_duration(command,
               {.name = "--interval",
                .example = "2s",
                .help = "How often --watch looks (default 2s)",
                .least = 0.05,
                .requirement = std::string(duration_requirement) + ", at least 0.05s"},
               [&a = arguments](double seconds) { a.interval = seconds; });
  add_format(command, arguments.format);
}

}  // namespace acuity
