#include "commands.hpp"
#include "views/campaign_status.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

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

}  // namespace acuity
