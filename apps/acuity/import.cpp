#include <fmt/format.h>

#include <optional>
#include <string>

#include "acuity/campaign/campaign.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "shared_options.hpp"

namespace acuity {

namespace {

struct ImportArguments {
  CampaignAddress campaign, earlier;
  ImportOptions chosen;
  Format format = Format::table;
};

std::string sentence(const ImportArguments& arguments, const ImportResult& result) {
  std::string text = fmt::format(
      "{}: {} of {} became {} of level {}, which is never bought; its error is taken to be about {:.3g}",
      arguments.campaign.text(), counted(result.answers, "answer"), arguments.earlier.text(),
      result.answers == 1 ? "one" : "those", arguments.chosen.as_level, result.error_sd);
  if (result.outside > 0) text += fmt::format("; {} at places outside the pool", result.outside);
  if (result.other_levels > 0)
    text += fmt::format("; left out: {} at other levels (--level)", counted(result.other_levels, "answer"));
  if (result.unknown > 0)
    text += fmt::format("; left out: {} at categories that the pool does not have",
                        counted(result.unknown, "answer"));
  return text;
}

ExitCode import_campaign(const ImportArguments& arguments, std::ostream& out, std::ostream&) {
  Campaign campaign = Campaign::open(arguments.campaign);
  const ImportResult result = campaign.import_campaign(arguments.earlier, arguments.chosen);
  if (arguments.format == Format::table)
    out << one_line(sentence(arguments, result)) << '\n';
  else
    out << record_text(arguments.format, {{"campaign", arguments.campaign.text()},
                                          {"earlier", arguments.earlier.text()},
                                          {"level", arguments.chosen.as_level},
                                          {"answers", result.answers},
                                          {"outside", result.outside},
                                          {"other_levels", result.other_levels},
                                          {"unknown", result.unknown},
                                          {"error_sd", result.error_sd}});
  return ExitCode::done;
}

}  // namespace

void add_import(Program& program) {
  auto [command, arguments] = program.add<ImportArguments>(
      {.name = "import",
       .help = "Learn from an earlier campaign: its answers become answers of a level that is never bought, "
               "and differ from the others by a bias that is learned",
       .example = "acuity import wing.acuity wing-2025.acuity --as-level 2025"},
      import_campaign);
  add_campaign(command, arguments.campaign);
  add_address(command, "OLD", arguments.earlier,
              "Earlier campaign: a folder, or postgresql://host/database/name");
  command.text("--as-level", "NAME", arguments.chosen.as_level, "The name of the new level").required();
  command.text("--level", "L", arguments.chosen.level,
               "The level of OLD whose answers are imported (default its reference level)");
  command.number("--error-sd", "E", arguments.chosen.error_sd,
                 "A guess of the size of their error (default by the spread of the answers)");
  add_format(command, arguments.format);
}

}  // namespace acuity
