#include <fmt/format.h>

#include "base/text.hpp"
#include "commands.hpp"
#include "shared_options.hpp"
#include "upkeep/campaign_copy.hpp"

namespace acuity {

namespace {

struct CopyArguments {
  CampaignAddress from, to;
  Format format = Format::table;
};

ExitCode copy(const CopyArguments& arguments, std::ostream& out, std::ostream&) {
  const CopiedCampaign copied = copy_campaign(arguments.from, arguments.to);
  if (arguments.format == Format::table)
    out << one_line(fmt::format("{}: a copy of {}, {} and {}; compared, they are equal", arguments.to.text(),
                                arguments.from.text(), counted(copied.events, "event"),
                                counted(copied.files, "file")))
        << '\n';
  else
    out << record_text(arguments.format, {{"campaign", arguments.to.text()},
                                          {"copy_of", arguments.from.text()},
                                          {"events", copied.events},
                                          {"files", copied.files}});
  return ExitCode::done;
}

}  // namespace

void add_copy(Program& program) {
  auto [command, arguments] = program.add<CopyArguments>(
      {.name = "copy",
       .help =
           "Copy a campaign, from a folder or a database to a new folder or a database: log, study and pool",
       .example = "acuity copy wing.acuity postgresql://db.example/lab/wing"},
      copy);
  add_address(command, "C1", arguments.from,
              "Campaign to copy: a folder, or postgresql://host/database/name");
  add_address(command, "C2", arguments.to, "Where there is none yet");
  add_format(command, arguments.format);
}

}  // namespace acuity
