#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "shared_options.hpp"
#include "text/time_text.hpp"
#include "upkeep/campaign_list.hpp"

namespace acuity {

namespace {

struct ListArguments {
  std::string where;
  Format format = Format::table;
};

ExitCode list(const ListArguments& arguments, std::ostream& out, std::ostream& log) {
  const std::vector<ListedCampaign> campaigns = DatabaseAddress::recognises(arguments.where)
                                                    ? campaigns_in(DatabaseAddress(arguments.where))
                                                    : campaigns_in(std::filesystem::path(arguments.where));
  ResultTable table(arguments.format, {"campaign", "events", "last_event", "last_time", "bytes"});
  for (const ListedCampaign& one : campaigns)
    table.add(
        {one.address.text(), one.listing.events, one.listing.last_event,
         one.listing.last_time ? ResultTable::Cell(time_text(*one.listing.last_time)) : std::monostate(),
         one.listing.bytes});
  out << table.document("campaigns");
  for (const ListedCampaign& one : campaigns)
    if (!one.problem.empty()) log << one_line(one.problem) << '\n';
  if (campaigns.empty())
    log << one_line(DatabaseAddress::without_secrets(arguments.where)) << ": no campaigns\n";
  return ExitCode::done;
}

}  // namespace

void add_list(Program& program) {
  auto [command, arguments] =
      program.add<ListArguments>({.name = "list",
                                  .help = "List the campaigns in a folder or in a database",
                                  .example = "acuity list postgresql://db.example/lab"},
                                 list);
  command.file("ADDRESS", "", arguments.where, "Folder, or postgresql://host/database").required();
  add_format(command, arguments.format);
}

}  // namespace acuity
