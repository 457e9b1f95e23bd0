#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "shared_options.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

struct ChangeArguments {
  CampaignAddress campaign;
  std::string study;
  CsvDialect dialect = CsvDialect::automatic;
  BudgetOption budget;
  bool reinterpret = false, yes = false;
  Format format = Format::table;
};

bool is_confirmed(const ChangeArguments& arguments, const std::vector<std::string>& changes,
                  std::ostream& log) {
  if (arguments.yes) return true;
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) return false;
  for (const std::string& change : changes) log << one_line(change) << '\n';
  log << "Apply? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes" || answer == "Y";
}

std::string changes_text(const ChangeArguments& arguments, const std::vector<std::string>& changes,
                         bool applied) {
  if (arguments.format == Format::json) return json_text({{"changes", changes}, {"applied", applied}}) + "\n";
  ResultTable table(arguments.format, {"change"});
  for (const std::string& change : changes) table.add({change});
  if (arguments.format == Format::csv) return table.document("changes");
  std::string text;
  for (const std::string& change : changes) text += one_line(change) + "\n";
  return text;
}

ExitCode change_campaign(const ChangeArguments& arguments, std::ostream& out, std::ostream& log) {
  if (arguments.study.empty() && !arguments.budget.given())
    throw InputError("change needs --study with the changed study, or --budget");
  if (!arguments.study.empty() && arguments.budget.given())
    throw InputError("--study and --budget are both given, must be one of them: a study has its own budget");
  Campaign campaign =
      Campaign::open(arguments.campaign, Access::write,
                     {.storage = {}, .tables = tables_read_by(arguments.dialect, log), .learning = {}});
  std::vector<std::string> changes;
  bool applied = true;
  if (arguments.budget.given()) {
    const double before = campaign.state().budget();
    if (arguments.budget.by)
      campaign.change_budget(*arguments.budget.by);
    else
      campaign.set_budget(*arguments.budget.to);
    if (campaign.state().budget() != before)
      changes.push_back(fmt::format("campaign.budget: {} -> {}; the budget from now on", shortest(before),
                                    shortest(campaign.state().budget())));
  } else {
    changes = campaign.would_change(arguments.study, arguments.reinterpret);
    applied = changes.empty() || is_confirmed(arguments, changes, log);
    if (applied) changes = campaign.change(arguments.study, arguments.reinterpret);
  }
  out << changes_text(arguments, changes, applied && !changes.empty());
  if (changes.empty())
    log << one_line(arguments.campaign.text() + ": nothing differs, nothing was changed") << '\n';
  else if (!applied)
    log << one_line(arguments.campaign.text() + ": nothing was changed; to apply this, add --yes") << '\n';
  else
    log << one_line(fmt::format("{}: {} applied", arguments.campaign.text(),
                                counted(static_cast<std::int64_t>(changes.size()), "change")))
        << '\n';
  return applied ? ExitCode::done : ExitCode::different_study;
}

}  // namespace

void add_change(Program& program) {
  auto [command, arguments] =
      program.add<ChangeArguments>({.name = "change",
                                    .help = "Change the study of a campaign: shows every difference and what "
                                            "it means, and records it with --yes",
                                    .example = "acuity change wing.acuity --study wing-2.toml --yes"},
                                   change_campaign);
  add_campaign(command, arguments.campaign);
  command.file("--study", "S.toml", arguments.study, "The changed study file");
  add_csv_dialect(command, arguments.dialect);
  add_budget(command, arguments.budget);
  command.flag(
      "--reinterpret", arguments.reinterpret,
      "Read answers so far with the changed noise, too; otherwise they keep what they were bought with");
  command.flag("--yes", arguments.yes,
               "Apply the changes; without it they are only shown (exit 6), or asked about on a terminal");
  add_format(command, arguments.format);
}

}  // namespace acuity
