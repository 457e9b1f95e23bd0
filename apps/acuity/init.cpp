#include <fmt/format.h>

#include "acuity/campaign/campaign.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "shared_options.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

struct InitArguments {
  CampaignAddress campaign;
  std::string study;
  CsvDialect dialect = CsvDialect::automatic;
  Format format = Format::table;
};

ExitCode init(const InitArguments& arguments, std::ostream& out, std::ostream& log) {
  const Study original = open_study(arguments.study, tables_read_by(arguments.dialect, log));
  Campaign::create(arguments.campaign, original);
  const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
  const Study& study = campaign.study();
  const State& state = campaign.state();
  for (const std::string& remark : original.remarks()) write_note(remark, log);
  const std::string unit = study.file().unit;
  const Format format = arguments.format;
  if (format == Format::table) {
    out << fmt::format("{}: campaign \"{}\", {}, {}, {}\n", one_line(arguments.campaign.text()),
                       one_line(state.created().name), counted(study.pool().size(), "pool point"),
                       counted(static_cast<std::int64_t>(study.offer().levels.size()), "level"),
                       study.file().budget ? "budget " + money(*study.file().budget, unit) : "no budget");
    if (state.annotations() > 0)
      out << fmt::format("{} recorded, {} spent\n", counted(state.annotations(), "known annotation"),
                         money(state.spent(), unit));
    const bool has_annotator = study.file().annotator.kind != AnnotatorSetting::Kind::none;
    out << fmt::format("Next: acuity {} {}\n", has_annotator ? "run" : "ask",
                       one_line(arguments.campaign.argument()));
    return ExitCode::done;
  }
  out << record_text(format, {{"campaign", arguments.campaign.text()},
                              {"name", state.created().name},
                              {"points", std::int64_t{study.pool().size()}},
                              {"levels", static_cast<std::int64_t>(study.offer().levels.size())},
                              {"budget", state.budget()},
                              {"annotations", state.annotations()}});
  return ExitCode::done;
}

}  // namespace

void add_init(Program& program) {
  auto [command, arguments] = program.add<InitArguments>(
      {.name = "init",
       .help = "Create a campaign, a new folder or in a database, with copies of study and pool",
       .example = "acuity init wing.acuity --study wing.toml"},
      init);
  add_campaign(command, arguments.campaign);
  command.file("--study", "S.toml", arguments.study, "Study file").required();
  add_csv_dialect(command, arguments.dialect);
  add_format(command, arguments.format);
}

}  // namespace acuity
