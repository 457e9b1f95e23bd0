#include "commands.hpp"
#include "shared_options.hpp"
#include "views/campaign_status.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

struct StatusArguments {
  std::string campaign;
  Format format = Format::table;
};

ExitCode status(const StatusArguments& arguments, std::ostream& out, std::ostream& log) {
  const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
  write_network_note(campaign, log);
  if (arguments.format == Format::table)
    out << status_text(campaign);
  else if (arguments.format == Format::csv)
    out << status_csv(campaign);
  else
    out << status_json(campaign) << '\n';
  return ExitCode::done;
}

}  // namespace

void add_status(Program& program) {
  auto [command, arguments] = program.add<StatusArguments>(
      {.name = "status",
       .help = "Show what a campaign has spent, what was answered and what is pending",
       .example = "acuity status wing.acuity"},
      status);
  add_campaign(command, arguments.campaign);
  add_format(command, arguments.format);
}

}  // namespace acuity
