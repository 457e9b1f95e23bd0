// Reports as people see them: four small campaigns, on a wide screen, in the dark and on a phone. Screenshots
// stay in the build folder, under tests/screens.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>

#include "numerics/random.hpp"
#include "pages/html_page.hpp"
#include "pictures/svg_canvas.hpp"
#include "support/browser.hpp"
#include "support/markup.hpp"
#include "support/studies.hpp"

namespace acuity::testing::report_screens_test {
namespace {

namespace fs = std::filesystem;

struct Rehearsed {
  std::string name, study, pool, truth;

  /// Runs the campaign to its end and reports.
  std::string page() const {
    const Folder folder;
    folder.write("study.toml", testing::with_given_model(study));
    folder.write("pool.csv", pool);
    folder.write("truth.csv", truth);
    const ProgramResult run = run_acuity({"run", "C", "--study", "study.toml"}, folder.path());
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const ProgramResult report = run_acuity({"report", "C", "--out", "R.html"}, folder.path());
    EXPECT_EQ(report.exit_code, 0) << report.err;
    return folder.read("R.html");
  }
};

// A price list with a long name in it; two levels are bought at the same points.
Rehearsed one_input() {
  std::string pool = "case,x\n";
  for (int k = 0; k < 30; ++k) pool += fmt::format("p{},{}\n", k, -3.0 + 6.0 * k / 29);
  return {"one-input",
          "[campaign]\nname = \"One input, <three> levels & a price list\"\nbudget = 120\n"
          "unit = \"hours of the large machine\"\ninitial = 4\n"
          "[pool]\nfile = \"pool.csv\"\nid = \"case\"\nrepeat = true\n[model]\nlengthscale = 0.7\nfit = 10\n"
          "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
          "[[level]]\nname = \"medium\"\nnoise_sd = 0.1\ncost = 3\n"
          "[[level]]\nname = \"fine, with every correction that is known\"\nnoise_sd = 0.03\ncost = 8\n"
          "[annotator]\nsimulated = \"sine\"\n",
          pool, ""};
}

Rehearsed two_inputs() {
  std::string pool = "x,pressure_in_the_vessel\n", truth = "id,y\n";
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j) {
      pool += fmt::format("{},{}\n", -3.0 + 6.0 * i / 9, 100000 + 25000 * j);
      truth += fmt::format("{},{}\n", 10 * i + j, std::sin(-3.0 + 6.0 * i / 9) * std::cos(0.5 * j));
    }
  return {"two-inputs",
          "[campaign]\nname = \"Two inputs\"\nbudget = 15\nunit = \"runs\"\ninitial = 4\n"
          "[pool]\nfile = \"pool.csv\"\nstandardise = \"pool\"\n[model]\nfit = 8\n[noise]\nvariance = 0.01\n"
          "[precision]\nalpha = { from = 1, to = inf, count = 8 }\ngamma = 0.09\n"
          "cost = { form = \"power\", c = 9.0, q = 0.8 }\n[annotator]\nsimulated = \"truth\"\n",
          pool, truth};
}

// Inputs of all sizes, a length scale for each.
Rehearsed eight_inputs() {
  const std::vector<std::string> inputs{
      "cement", "slag",        "fly_ash",
      "water",  "plasticiser", "aggregate_that_is_coarse_and_was_washed_before_its_use",
      "sand",   "age"};
  const std::vector<double> sizes{1e7, 1.0, 1e-6, 30.0, 0.02, 1e12, 4000.0, 365.0};
  numerics::Draws draws(1, numerics::Purpose::answer, 0, 1);
  std::string pool = fmt::format("{}\n", fmt::join(inputs, ",")), truth = "id,y\n";
  for (int k = 0; k < 90; ++k) {
    std::vector<double> row;
    for (const double size : sizes) row.push_back(size * draws.uniform());
    pool += fmt::format("{}\n", fmt::join(row, ","));
    truth += fmt::format("{},{}\n", k, 40.0 + 9.0 * std::sin(3e-7 * row[0]) + 5.0 * row[1]);
  }
  return {"eight-inputs",
          "[campaign]\nname = \"Eight inputs\"\nbudget = 20\ninitial = 5\n"
          "[pool]\nfile = \"pool.csv\"\nstandardise = \"pool\"\n"
          "[model]\nkernel = \"matern52\"\namplitude = 6\nmean = 42\nlengthscale = [2, 2, 2, 2, 2, 2, 2, 2]\n"
          "fit = 12\nrestarts = 0\n[noise]\nvariance = 0.04\n"
          "[precision]\nalpha = [1, 4, inf]\ngamma = 4\ncost = { form = \"power\", c = 9.0, q = 0.8 }\n"
          "[annotator]\nsimulated = \"truth\"\n",
          pool, truth};
}

Rehearsed two_classes() {
  std::string pool = "left,up\n";
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) pool += fmt::format("{},{}\n", -2.0 + 4.0 * i / 11, -2.0 + 4.0 * j / 11);
  return {"two-classes",
          "[campaign]\nname = \"Two classes\"\nbudget = 90\nunit = \"euros\"\ninitial = 8\n"
          "[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\nclasses = [\"sound\", \"cracked right "
          "through\"]\n"
          "[model]\namplitude = 2\nlengthscale = 0.8\n"
          "[[level]]\nname = \"crowd\"\naccuracy = 0.85\ncost = 1\n"
          "[[level]]\nname = \"expert\"\naccuracy = 0.99\ncost = 3\n[annotator]\nsimulated = \"sine\"\n",
          pool, ""};
}

void expect_nothing_overlaps_overflows_or_is_empty(const Rehearsed& campaign) {
  const std::string page = campaign.page();
  EXPECT_EQ(markup_fault(page), "");
  EXPECT_EQ(page.find("<script"), std::string::npos);
  for (const char* figure : {"learning-curve", "money", "belief", "calibration", "break-even"})
    EXPECT_EQ(count(page, fmt::format("<h2 id=\"{}\">", figure)), 1U) << figure;
  EXPECT_GE(count(page, "<figure>"), 5U);
  if (!has_browser()) GTEST_SKIP() << "there is no chromium; the page is well-formed and has no script";
  const fs::path screens = fs::path(ACUITY_BINARY_DIR) / "tests" / "screens";
  fs::create_directories(screens);
  const std::vector<Look> looks{
      {.name = "light"}, {.name = "dark", .dark = true}, {.name = "phone", .width = 390}};
  for (const Look& look : looks) {
    const fs::path screenshot = screens / (campaign.name + "-" + look.name + ".png");
    fs::remove(screenshot);
    const PageFaults faults = look_at(page, look, screenshot);
    EXPECT_EQ(faults.list, "") << screenshot;
    EXPECT_EQ(faults.width, look.width);
    EXPECT_EQ(faults.dark, look.dark);
    EXPECT_GE(faults.pictures, 5) << look.name;
    EXPECT_GE(faults.texts, 100) << look.name;
    EXPECT_TRUE(fs::exists(screenshot) && fs::file_size(screenshot) > 10000) << screenshot;
  }
}

TEST(ReportScreens, NothingOverlapsOverflowsOrIsEmptyWithOneInput) {
  expect_nothing_overlaps_overflows_or_is_empty(one_input());
}

TEST(ReportScreens, NothingOverlapsOverflowsOrIsEmptyWithTwoInputs) {
  expect_nothing_overlaps_overflows_or_is_empty(two_inputs());
}

TEST(ReportScreens, NothingOverlapsOverflowsOrIsEmptyWithEightInputs) {
  expect_nothing_overlaps_overflows_or_is_empty(eight_inputs());
}

TEST(ReportScreens, NothingOverlapsOverflowsOrIsEmptyWithTwoClasses) {
  expect_nothing_overlaps_overflows_or_is_empty(two_classes());
}

// A page with one of every fault.
std::string broken_page() {
  const std::string broken = svg_document(
      300, 100, "", "",
      svg_text("tick", 50, 50, "start", "one") + svg_text("tick", 55, 52, "start", "other") +
          svg_text("tick", 280, 90, "start", "beyond the edge") +
          "<text x=\"10\" y=\"20\" style=\"fill:#eee\">faint</text>\n" +
          "<circle cx=\"150\" cy=\"20\" r=\"9\"/>\n" + svg_text("tick", 140, 24, "start", "covered") +
          "<path d=\"M10 nanL20 20\"/>\n<circle cx=\"310\" cy=\"20\" r=\"5\"/>\n");
  const std::string nothing = svg_document(300, 100, "", "", svg_line("grid", 0, 50, 300, 50));
  return page_begin("broken") + "<main id=\"main\">\n<p>There is a list.</p>\n<p></p>\n" +
         "<div style=\"width:3000px\">Too wide.</div>\n<p style=\"white-space:nowrap\">" +
         std::string(300, 'W') +
         "</p>\n<p style=\"margin-bottom:-1.4rem\">Here is a "
         "line.</p>\n"
         "<p style=\"color:#ddd\">Another line.</p>\n<section><h2 id=\"figure\">Broken</h2>" +
         figure_html({broken, "A caption."}) + "</section><section><h2 id=\"void\">Nothing</h2>" +
         figure_html({nothing, "A caption."}) + "</section><section><h2 id=\"damaged\">Damaged</h2>" +
         figure_html({"<svg", "A caption."}) + "</section>\n</main>\n" + page_end;
}

TEST(ReportScreens, EveryFaultOfABrokenPageIsFound) {
  if (!has_browser()) GTEST_SKIP() << "there is no chromium";
  const Folder folder;
  const PageFaults faults = look_at(broken_page(), {}, folder.path() / "screen.png");
  for (const char* fault :
       {" wide in a window of 1000", "page: &lt;div&gt; \"Too wide.\" leaves the page",
        "page: &lt;p&gt; is empty", "WWWW\" leaves the page",
        "page: \"Here is a line.\" and \"Another line.\" overlap",
        "page: \"Another line.\" is rgb(221, 221, 221)", "figure: \"one\" and \"other\" overlap",
        "figure: \"beyond the edge\" leaves the picture", "figure: \"faint\" is rgb(238, 238, 238)",
        "figure: \"covered\" lies on a dot", "figure: d of a &lt;path&gt; is no number",
        "figure: a &lt;circle&gt; leaves the picture", "void: the picture is empty",
        "damaged: the picture cannot be shown"})
    EXPECT_NE(faults.list.find(fault), std::string::npos) << fault << " is not in\n" << faults.list;
}

}  // namespace
}  // namespace acuity::testing::report_screens_test
