// Studies that look for a contour or for the best point, through the program (docs/math.md 19, 20).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "support/campaign_desk.hpp"
#include "support/golden.hpp"

namespace acuity::testing::find_test {
namespace {

using nlohmann::json;

std::string join(const json& row) {
  std::string text;
  for (const auto& v : row) text += fmt::format("{}{:.17g}", text.empty() ? "" : ",", v.get<double>());
  return text;
}

// A table of the rows of a trace, with x0, x1, ... and the other columns that `row` writes.
template <typename Row>
std::string table(const json& x, const std::string& others, const Row& row) {
  std::string text;
  for (std::size_t k = 0; k < x[0].size(); ++k) text += fmt::format("{}x{}", k > 0 ? "," : "", k);
  text += "," + others + "\n";
  for (std::size_t i = 0; i < x.size(); ++i) text += join(x[i]) + "," + row(i) + "\n";
  return text;
}

std::string levels_of(const json& trace) {
  std::string text;
  for (std::size_t k = 0; k < trace.at("levels").size(); ++k) {
    const json& level = trace.at("levels")[k];
    const double noise = level.at("noise");
    text +=
        fmt::format("[[level]]\nname = {}\ncost = {}\n", level.at("name").dump(), level.at("cost").dump());
    text += noise > 0.0 ? fmt::format("noise_sd = {:.17g}\n", std::sqrt(noise)) : "exact = true\n";
    const json& bias = level.at("bias");
    text += bias.is_null() ? "bias = \"none\"\n"
                           : fmt::format("bias = {{ offset_sd = {}, smooth_sd = {}, lengthscale = {} }}\n",
                                         bias.at("offset_sd").dump(), bias.at("smooth_sd").dump(),
                                         bias.at("lengthscale").dump());
    if (trace.at("reference") == k) text += "reference = true\n";
    if (trace.at("closes") == "pair") text += "repeat = \"same\"\n";  // closes the level, not the point
  }
  return text;
}

std::string goal_of(const json& trace) {
  const std::string criterion = trace.at("criterion");
  if (criterion == "contour") return fmt::format("contour = {:.17g}\n", trace.at("threshold").get<double>());
  return fmt::format("find = \"{}\"\n", criterion == "improvement_minimum" ? "minimum" : "maximum");
}

TEST(Find, AsksFollowTheGoldenTraces) {
  for (const json& trace : golden("find").at("traces")) {
    if (trace.at("criterion") == "entropy_maximum") continue;
    SCOPED_TRACE(trace.at("task").get<std::string>() + " " + trace.at("criterion").get<std::string>());
    const Folder folder;
    const auto number = [](const json& value) { return fmt::format("{:.17g}", value.get<double>()); };
    folder.write("pool.csv", table(trace.at("X_pool"), "n0",
                                   [&](std::size_t i) { return number(trace.at("sigma2_pool")[i]); }));
    folder.write("goal.csv", table(trace.at("goal"), "weight",
                                   [&](std::size_t i) { return number(trace.at("goal_weight")[i]); }));
    folder.write("known.csv", table(trace.at("X_init"), "n0,y,level,cost", [&](std::size_t i) {
                   const json& level = trace.at("levels")[trace.at("level_init")[i].get<std::size_t>()];
                   return fmt::format("{},{},{},0", number(trace.at("sigma2_init")[i]),
                                      number(trace.at("y_init")[i]), level.at("name").get<std::string>());
                 }));
    std::string names;
    for (std::size_t k = 0; k < trace.at("X_pool")[0].size(); ++k)
      names += fmt::format("{}\"x{}\"", k > 0 ? ", " : "", k);
    folder.write(
        "study.toml",
        fmt::format(
            "[campaign]\ninitial = {{ file = \"known.csv\" }}\n[pool]\nfile = \"pool.csv\"\ninputs = [{}]\n"
            "standardise = \"none\"\n{}[model]\nkernel = {}\namplitude = {}\n"
            "lengthscale = [{}]\nmean = {}\nfit = \"never\"\nprior = \"none\"\naverage = 1\n"
            "structure = \"plain\"\n[noise]\nvariance = {{ column = \"n0\" }}\nnugget = {}\n{}"
            "[goal]\nfile = \"goal.csv\"\n{}explore = 0\ncriterion = \"variance\"\n"
            "[acquisition]\ninformation = \"goal\"\nplan = \"none\"\n",
            names, trace.at("closes") == "point" ? "repeat = false\n" : "", trace.at("kernel").dump(),
            trace.at("a").dump(), join(trace.at("l")), number(trace.at("prior_mean")),
            trace.at("tau2").dump(), levels_of(trace), goal_of(trace)));
    const ProgramResult made = run_acuity({"init", "c.acuity", "--study", "study.toml"}, folder.path());
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const ProgramResult asked = run_acuity({"ask", "c.acuity", "-n", "8", "--format", "json"}, folder.path());
    ASSERT_EQ(asked.exit_code, 0) << asked.err;
    const json suggestions = json::parse(asked.out).at("suggestions");
    ASSERT_EQ(suggestions.size(), trace.at("steps").size());
    for (std::size_t i = 0; i < suggestions.size(); ++i) {
      SCOPED_TRACE(i);
      const json& step = trace.at("steps")[i];
      EXPECT_EQ(suggestions[i].at("point"), std::to_string(step.at("index").get<int>()));
      EXPECT_EQ(suggestions[i].at("level"),
                trace.at("levels")[step.at("level").get<std::size_t>()].at("name"));
      EXPECT_TRUE(close(suggestions[i].at("information").get<double>(), step.at("value"), 1e-10));
    }
  }
}

// f is x - 3.5 over eight points, answered well at both levels.
std::string study(const std::string& goal, const std::string& rest = "", const std::string& pool = "") {
  return price_list_campaign("budget = 200\ninitial = { count = 2, level = \"coarse\" }\n",
                             "[goal]\n" + goal + "\n[model]\namplitude = 3.0\nlengthscale = 3.0\n" + rest) +
         pool;
}

double truth(const json& suggestion) {
  return suggestion.at("point").get<std::string>().front() - 'a' - 3.5;
}

// Asks and tells until nothing is asked for; the suggestions.
std::vector<json> played(const CampaignDesk& desk, int most = 100) {
  std::vector<json> all;
  for (int i = 0; i < most; ++i) {
    const ProgramResult asked = desk.run("ask", {"--format", "json"});
    if (asked.exit_code != 0) break;
    const json suggestions = json::parse(asked.out).at("suggestions");
    for (const json& one : suggestions) {
      desk.done("tell", {std::to_string(one.at("id").get<int>()), fmt::format("{}", truth(one))});
      all.push_back(one);
    }
  }
  return all;
}

TEST(Find, AContourIsFoundAndStatusSaysHowWell) {
  const CampaignDesk desk(study("contour = 0.2"));
  played(desk, 8);
  const json goal = desk.status().at("goal");
  EXPECT_EQ(goal.at("kind"), "contour");
  EXPECT_EQ(goal.at("contour"), 0.2);
  const json rows = desk.json("predict", {"--at", "pool.csv"}).at("rows");
  double wrong = 0.0, uncertain = 0.0;
  for (const json& row : rows) {
    const double a = (row.at("mean").get<double>() - 0.2) / row.at("sd").get<double>(),
                 p = 0.5 * std::erfc(-a / std::sqrt(2.0));
    wrong += std::min(p, 1.0 - p) / 8.0;
    uncertain += p > 0.025 && p < 0.975 ? 1.0 / 8.0 : 0.0;
  }
  EXPECT_NEAR(goal.at("wrong_share").get<double>(), wrong, 1e-9);
  EXPECT_NEAR(goal.at("uncertain_share").get<double>(), uncertain, 1e-12);
  EXPECT_NE(desk.done("status").find("is expected to be on the wrong side of 0.2"), std::string::npos);
}

TEST(Find, TheBestPointIsFoundAndPredictListsIt) {
  const CampaignDesk desk(study("find = \"minimum\""));
  played(desk, 12);
  const json goal = desk.status().at("goal"), best = goal.at("best");
  EXPECT_EQ(goal.at("kind"), "minimum");
  EXPECT_EQ(best.at("point"), "a");
  EXPECT_EQ(best.at("inputs").at("x"), 0);
  EXPECT_LT(best.at("low").get<double>(), best.at("mean").get<double>());
  EXPECT_GT(best.at("probability").get<double>(), 0.5);
  EXPECT_GE(goal.at("expected_regret").get<double>(), 0.0);
  const json rows = desk.json("predict", {"--best", "3"}).at("rows");
  desk.expect_refusal("predict", {"--best", "501"}, "--best is 501, must be from 1 to 500");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].at("id"), "a");
  EXPECT_EQ(rows[1].at("id"), "b");
  EXPECT_NEAR(rows[0].at("mean").get<double>(), best.at("mean").get<double>(), 1e-9);
  EXPECT_EQ(rows[0].at("probability"), best.at("probability"));
  EXPECT_NE(desk.done("status").find("lowest so far at point a (x = 0)"), std::string::npos);
}

// math.md 20.1: the pair is closed, not the point, unless the study says something about repeats.
TEST(Find, APurchaseClosesThePairOfPointAndLevel) {
  const auto pairs = [](const std::vector<json>& suggestions) {
    std::map<std::string, std::set<std::string>> levels;
    std::size_t count = 0;
    for (const json& one : suggestions) levels[one.at("point")].insert(one.at("level")), ++count;
    std::size_t different = 0;
    for (const auto& [point, some] : levels) different += some.size();
    EXPECT_EQ(different, count) << "no pair twice";
    return std::pair(levels.size(), count);
  };
  const auto [points, answers] = pairs(played(CampaignDesk(study("find = \"maximum\"\nexplore = 0"))));
  EXPECT_EQ(points, 8U);
  EXPECT_EQ(answers, 16U) << "every point at both levels, for 88 of 200 hours";
  CampaignDesk closing(with(study("find = \"maximum\""), "file", "\"pool.csv\"\nrepeat = false"));
  EXPECT_EQ(played(closing).size(), 8U) << "every point once";
}

TEST(Find, StopRulesEndTheCampaign) {
  for (const auto& [goal, rule, sentence] :
       {std::tuple("contour = 0.2", "uncertain_share = 0.3", "the share of the goal that is uncertain is "),
        std::tuple("contour = 0.2", "wrong_share = 0.1",
                   "the share of the goal that is expected to be wrong is "),
        std::tuple("find = \"maximum\"", "expected_regret = 0.3", "the expected regret is "),
        std::tuple("find = \"maximum\"", "typical_error = 0.8", "the typical error is ")}) {
    SCOPED_TRACE(rule);
    const CampaignDesk desk(study(goal, fmt::format("[stop]\n{}\n", rule)));
    played(desk);
    const ProgramResult ended = desk.run("ask");
    EXPECT_EQ(ended.exit_code, 3);
    EXPECT_NE((ended.out + ended.err).find(sentence), std::string::npos) << ended.out << ended.err;
    EXPECT_NE((ended.out + ended.err).find(fmt::format("below stop.{}", rule)), std::string::npos);
    EXPECT_LT(desk.status().at("spent").get<double>(), 80.0);
  }
}

// Few rough answers look as if f were flat, and nothing seems to be left to find: half of the pairs come
// first.
TEST(Find, StopRulesWaitForAnswers) {
  for (const auto& [goal, rule] : {std::pair("contour = 0.2", "wrong_share = 1"),
                                   std::pair("find = \"maximum\"", "expected_regret = 1000000")}) {
    const CampaignDesk desk(study(goal, fmt::format("[stop]\n{}\n", rule)));
    EXPECT_EQ(played(desk).size(), 5U) << rule;
  }
}

// goal.explore: the share of the money, and explain says which answers they were.
TEST(Find, ATenthOfTheMoneyGoesToAccuracy) {
  const std::string text = study("contour = 0.2\nexplore = 0.25", "", "");
  const CampaignDesk desk(with(text, "file", "\"pool.csv\"\nrepeat = true"));
  const std::vector<json> all = played(desk, 24);
  double spent = 0.0, explored = 0.0, last = 0.0;
  for (std::size_t i = 2; i < all.size(); ++i) {  // after the initial design
    const json reason = desk.json("explain", {std::to_string(all[i].at("id").get<int>())});
    EXPECT_EQ(reason.at("sought"), "where f is above 0.2");
    const double cost = all[i].at("cost");
    spent += cost;
    const bool explores = reason.at("explores");
    if (explores) explored += last = cost;
    const std::string said = desk.done("explain", {std::to_string(all[i].at("id").get<int>())});
    EXPECT_NE(said.find(explores ? "(goal.explore)" : "It is to find where f is above 0.2"),
              std::string::npos)
        << said;
  }
  EXPECT_GT(explored, 0.0);
  EXPECT_NEAR(explored, 0.25 * spent, 0.25 * spent * 0.5 + last);
}

TEST(Find, RefusesWhatDoesNotFit) {
  const Folder folder;
  folder.write("pool.csv", CampaignDesk::eight_points);
  const auto expect = [&](const std::string& text, const std::string& sentence) {
    folder.write("study.toml", text);
    const ProgramResult result = run_acuity({"check", "study.toml"}, folder.path());
    EXPECT_EQ(result.exit_code, 2) << sentence;
    EXPECT_NE(result.err.find(sentence), std::string::npos) << result.err;
  };
  const auto with_goal = [](const std::string& goal, const std::string& rest = "") {
    return price_list_campaign("budget = 9\n", "[goal]\n" + goal + "\n" + rest);
  };
  expect(with_goal("contour = 1\nfind = \"maximum\""),
         "goal.contour and goal.find are both there, must be one of them");
  expect(with_goal("find = \"best\""), "goal.find is \"best\", must be");
  expect(with_goal("explore = 0.1"),
         "goal.explore is 0.1, must be left out without goal.contour or goal.find");
  expect(with_goal("contour = 1\nexplore = 2"), "goal.explore is 2, must be");
  expect(
      "[pool]\nfile = \"pool.csv\"\nid = \"case\"\n[target]\nscale = \"log\"\n[[level]]\nname = "
      "\"a\"\nnoise_relative = "
      "0.1\ncost = 1\n[goal]\ncontour = 0\n",
      "goal.contour is 0, must be above 0 with target.scale = \"log\"");
  expect(with_goal("contour = 1", "[acquisition]\nplan = \"budget\"\n"),
         "acquisition.plan is \"budget\", must be \"none\" with goal.contour and goal.find");
  expect(with_goal("contour = 1", "[stop]\nexpected_regret = 1\n"),
         "stop.expected_regret is 1, must be left out without goal.find");
  expect(with_goal("find = \"maximum\"", "[stop]\nwrong_share = 0.1\n"),
         "stop.wrong_share is 0.1, must be left out without goal.contour");
  expect(with_goal("find = \"maximum\"\nbox = { x = [10, 20] }"),
         "goal.box has no point of the pool, must have at least one");
  expect(binary_campaign("[goal]\ncontour = 1\n"),
         "goal.contour is for real targets, target.kind is \"binary\"");
  expect(
      "[pool]\nfile = \"pool.csv\"\nid = \"case\"\n[noise]\nvariance = 0.01\n[precision]\nalpha = { from = "
      "1, to = 9, continuous = true }\ngamma = 0.1\ncost = \"alpha\"\n[goal]\nfind = \"maximum\"\n",
      "goal.find is \"maximum\", must be left out with precision.continuous = true");
  const CampaignDesk desk(study("contour = 0.2"));
  desk.expect_refusal("predict", {"--best", "2"},
                      "c.acuity/study.toml: --best is for studies with goal.find");
}

// A goal in a box is the pool's points in it; one from a file has points of its own.
TEST(Find, LooksWhereTheGoalSays) {
  const CampaignDesk box(study("find = \"maximum\"\nbox = { x = [1, 4] }"));
  played(box, 16);
  EXPECT_EQ(box.status().at("goal").at("best").at("point"), "e");
  const Folder folder;
  folder.write("wanted.csv", "x\n0.5\n2.25\n");
  const CampaignDesk file(
      study(fmt::format("find = \"maximum\"\nfile = \"{}\"", (folder.path() / "wanted.csv").string())));
  played(file, 16);
  const json best = file.status().at("goal").at("best");
  EXPECT_TRUE(best.at("point").is_null());
  EXPECT_EQ(best.at("inputs").at("x"), 2.25);
}

// Answers and thresholds on the scale of answers: the same choices as with logarithms of both.
TEST(Find, LogarithmsAreTheSameProblem) {
  const auto choices = [](bool logarithmic) {
    std::string text = with(study(fmt::format("contour = {:.17g}", logarithmic ? std::exp(0.2) : 0.2)),
                            "noise_sd", logarithmic ? "0.5" : "0.5");
    if (logarithmic) {
      text = "[target]\nscale = \"log\"\n" + text;
      for (std::size_t at = 0; (at = text.find("noise_sd")) != std::string::npos;)
        text.replace(at, 8, "noise_relative");
    }
    const CampaignDesk desk(text);
    std::vector<std::string> points;
    for (int i = 0; i < 8; ++i) {
      const json one = desk.ask().front();
      const double f = 0.2 * truth(one);
      desk.done("tell", {std::to_string(one.at("id").get<int>()),
                         fmt::format("{:.17g}", logarithmic ? std::exp(f) : f)});
      points.push_back(one.at("point").get<std::string>() + one.at("level").get<std::string>());
    }
    return std::pair(points, desk.status().at("goal").at("wrong_share").get<double>());
  };
  const auto plain = choices(false), logarithm = choices(true);
  EXPECT_EQ(plain.first, logarithm.first);
  EXPECT_NEAR(plain.second, logarithm.second, 1e-9);
}

std::string decoded(const std::string& base64) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  unsigned bits = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    bits = bits << 6U | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    text += static_cast<char>(bits >> static_cast<unsigned>(count) & 255U);
  }
  return text;
}

// The line and the two edges of the band where it is not certain, in the map of two inputs.
TEST(Find, TheReportDrawsTheContour) {
  std::string pool = "case,x,z\n";
  for (int i = 0; i < 36; ++i) pool += fmt::format("p{},{},{}\n", i, i % 6, i / 6);
  const CampaignDesk desk(study("contour = 0.2"), pool);
  for (int i = 0; i < 12; ++i) {
    const json one = desk.ask().front();
    const int row = std::stoi(one.at("point").get<std::string>().substr(1));
    desk.done("tell", {std::to_string(one.at("id").get<int>()), fmt::format("{}", row % 6 - row / 6)});
  }
  desk.done("report", {"--out", "page.html"});
  const std::string page = desk.folder.read("page.html");
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = page.find("svg+xml;base64,", at)) != std::string::npos; ++at) {
    const std::string picture = decoded(page.substr(at + 15, page.find('"', at) - at - 15));
    for (std::size_t in = 0; (in = picture.find("class=\"contour\"", in)) != std::string::npos; ++in) ++lines;
  }
  EXPECT_EQ(lines, 6U) << "in the maps of the mean and of the standard deviation";
  EXPECT_NE(page.find("is expected to be on the wrong side of 0.2"), std::string::npos);
}

TEST(Find, BacktestMeasuresWhatIsSought) {
  for (const auto& [goal, measure] :
       {std::pair("contour = 0.2", "share on the wrong side"), std::pair("find = \"maximum\"", "regret")}) {
    const CampaignDesk desk(study(goal));
    std::string known = "case,y\n";
    for (int i = 0; i < 8; ++i) known += fmt::format("{},{}\n", static_cast<char>('a' + i), i - 3.5);
    desk.folder.write("known.csv", known);
    const ProgramResult result = run_acuity({"backtest", "study.toml", "--truth", "known.csv", "--repeats",
                                             "2", "--policies", "goal,random", "--format", "json"},
                                            desk.folder.path());
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json found = json::parse(result.out);
    EXPECT_EQ(found.at("measure"), measure);
    for (const json& policy : found.at("policies"))
      EXPECT_EQ(policy.at("final_error_median"), 0.0)
          << policy.dump();  // with answers everywhere nothing is left
  }
}

}  // namespace
}  // namespace acuity::testing::find_test
