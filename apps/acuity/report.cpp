#include <fmt/format.h>

#include <filesystem>

#include "acuity/data/table.hpp"
#include "commands.hpp"
#include "report/campaign_page.hpp"

namespace acuity {

namespace {

std::string command_text(const ReportArguments& arguments) {
  std::string text = fmt::format("acuity report {} --out {}", arguments.campaign, arguments.out);
  if (!arguments.test.empty()) text += " --test " + arguments.test;
  return text;
}

}  // namespace

ExitCode report(const ReportArguments& arguments, std::ostream& out, std::ostream& log) {
  const Campaign campaign = Campaign::open(arguments.campaign, Access::read);
  std::optional<HeldOut> test;
  if (!arguments.test.empty()) test = read_held_out(arguments.test, campaign.study());
  const CampaignData data = campaign_data(campaign, test);
  const std::string page = campaign_page(data, {ACUITY_VERSION, command_text(arguments)});
  if (!arguments.figures.empty()) {
    std::filesystem::create_directories(arguments.figures);
    for (const CampaignFigure& figure : campaign_figures(data))
      if (!figure.svg.empty())
        write_file(std::filesystem::path(arguments.figures) / (figure.name + ".svg"), figure.svg);
  }
  write_file(arguments.out, page);
  for (const std::string& warning : data.warnings) log << warning << '\n';
  out << fmt::format("{}: {} answers, {} spent\n", arguments.out, data.answers.size(),
                     money_text(data.spent, data.unit));
  return ExitCode::done;
}

}  // namespace acuity
