#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "acuity/numerics/errors.hpp"
#include "commands.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

ExitCode fail(const FailArguments& arguments, std::ostream& out, std::ostream& log) {
  Campaign campaign = Campaign::open(arguments.campaign);
  const std::int64_t id = *arguments.id;
  const bool changed = campaign.fail(
      {.id = id, .reason = arguments.reason, .charge = arguments.cost, .exclude = arguments.exclude});
  if (!changed) log << fmt::format("note: {} had failed already, nothing was changed\n", id);
  ResultTable table(arguments.format, {"id", "point", "change"});
  table.add({id, campaign.state().find(id)->asked.point,
             std::string(!changed            ? "none"
                         : arguments.exclude ? "failed and excluded"
                                             : "failed")});
  out << table.document("suggestions");
  return ExitCode::done;
}

ExitCode release(const ReleaseArguments& arguments, std::ostream& out, std::ostream& log) {
  Campaign campaign = Campaign::open(arguments.campaign);
  const std::vector<std::int64_t> released = campaign.release(arguments.ids, arguments.reason);
  ResultTable table(arguments.format, {"id", "point", "change"});
  for (const std::int64_t id : std::set<std::int64_t>(arguments.ids.begin(), arguments.ids.end())) {
    const bool changed = std::find(released.begin(), released.end(), id) != released.end();
    if (!changed) log << fmt::format("note: {} was released already\n", id);
    table.add({id, campaign.state().find(id)->asked.point, std::string(changed ? "released" : "none")});
  }
  out << table.document("suggestions");
  return ExitCode::done;
}

}  // namespace acuity
