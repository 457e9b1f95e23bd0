#include <fmt/format.h>

#include "acuity/numerics/errors.hpp"
#include "campaign_text.hpp"
#include "commands.hpp"

namespace acuity {

namespace {

std::string outcome_text(const Campaign& campaign, const std::vector<std::int64_t>& ids,
                         const std::string& outcome, Format format) {
  ResultTable table(format, {"id", "point", "change"});
  for (const std::int64_t id : ids) table.add({id, campaign.state().find(id)->asked.point, outcome});
  return format == Format::json ? "{\"suggestions\": " + table.text() + "}\n" : table.text();
}

}  // namespace

ExitCode fail(const FailArguments& arguments, std::ostream& out, std::ostream& log) {
  Campaign campaign = Campaign::open(arguments.campaign);
  const bool changed = campaign.fail({.id = *arguments.id,
                                      .reason = arguments.reason,
                                      .charge = arguments.cost,
                                      .exclude = arguments.exclude});
  if (!changed) log << fmt::format("note: {} had failed already, nothing was changed\n", *arguments.id);
  out << outcome_text(campaign, {*arguments.id},
                      !changed            ? "none"
                      : arguments.exclude ? "failed and excluded"
                                          : "failed",
                      arguments.format);
  return ExitCode::done;
}

ExitCode release(const ReleaseArguments& arguments, std::ostream& out, std::ostream& log) {
  Campaign campaign = Campaign::open(arguments.campaign);
  const std::int64_t released = campaign.release(arguments.ids, arguments.reason);
  if (released == 0) log << "note: released already, nothing was changed\n";
  out << outcome_text(campaign, arguments.ids, released == 0 ? "none" : "released", arguments.format);
  return ExitCode::done;
}

}  // namespace acuity
