#include <fmt/format.h>

#include <filesystem>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "pages/campaign_page.hpp"
#include "shared_options.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  CampaignAddress campaign;
  std::string out;      ///< the page
  std::string figures;  ///< folder for the pictures; empty: not wanted
  std::string test;     ///< table to measure the error on; empty: none
  CsvDialect dialect = CsvDialect::automatic;
};

std::string command_text(const ReportArguments& arguments) {
  std::string text = fmt::format("acuity report {} --out {}", arguments.campaign.argument(), arguments.out);
  if (!arguments.test.empty()) text += " --test " + arguments.test;
  return text;
}

// A folder, with its parents, that is removed again unless keep() is called.
class NewFolder {
 public:
  explicit NewFolder(const std::string& folder) {
    if (folder.empty()) return;
    std::error_code error;
    last_ = fs::absolute(folder);
    for (fs::path at = last_; !at.empty() && !fs::exists(at, error); at = at.parent_path()) first_ = at;
    fs::create_directories(folder, error);
    if (error) throw InputError(fmt::format("{}: cannot be made ({})", folder, error.message()));
  }
  ~NewFolder() {
    std::error_code ignored;
    if (!first_.empty())
      for (fs::path at = last_; at != first_.parent_path(); at = at.parent_path()) fs::remove(at, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void keep() { first_.clear(); }

 private:
  fs::path first_, last_;  // outermost and innermost folder made; first_ is empty if there was none to make
};

void write_report(const ReportArguments& arguments, const std::string& page,
                  const std::vector<CampaignFigure>& figures) {
  std::vector<NewFile> files{{arguments.out, page}};
  for (const CampaignFigure& figure : figures)
    if (!arguments.figures.empty() && !figure.svg.empty())
      files.push_back({fs::path(arguments.figures) / (figure.name + ".svg"), figure.svg});
  NewFolder folder(arguments.figures);
  write_files(files);
  folder.keep();
}

ExitCode report(const ReportArguments& arguments, std::ostream& out, std::ostream& log) {
  const Campaign campaign =
      Campaign::open(arguments.campaign, Access::read,
                     {.storage = {}, .tables = tables_read_by(arguments.dialect, log), .learning = {}});
  std::optional<HeldOut> test;
  if (!arguments.test.empty()) test = read_held_out(arguments.test, campaign.study());
  const CampaignData data = campaign_data(campaign, test);
  const std::vector<CampaignFigure> figures = campaign_figures(data);
  const NextExplanation next = explain_next(campaign);
  const CampaignPageFacts facts{ACUITY_VERSION, command_text(arguments),
                                three_verdicts(campaign, data, &next)};
  write_report(arguments, campaign_page(data, figures, facts), figures);
  for (const std::string& warning : data.warnings) log << one_line(warning) << '\n';
  out << one_line(fmt::format("{}: {}, {} spent", arguments.out,
                              counted(static_cast<std::int64_t>(data.answers.all.size()), "answer"),
                              money(data.books.spent, data.books.unit)))
      << '\n';
  return ExitCode::done;
}

}  // namespace

void add_report(Program& program) {
  auto [command, arguments] =
      program.add<ReportArguments>({.name = "report",
                                    .help = "Write one HTML page about a campaign, with pictures",
                                    .example = "acuity report wing.acuity --out wing.html"},
                                   report);
  add_campaign(command, arguments.campaign);
  command
      .file("--out", "R.html", arguments.out,
            "HTML file to write; it needs no other file, no network and no script")
      .required();
  command.file("--figures", "DIR", arguments.figures,
               "Also write the pictures as SVG files into this folder");
  command.file(
      "--test", "T.csv", arguments.test,
      "Table with the inputs and y, and noise_sd or level if y has noise, to judge error and intervals "
      "by (default: the study's table of true values; without one every answer is predicted from the "
      "others)");
  add_csv_dialect(command, arguments.dialect);
}

}  // namespace acuity
