// Classification as a user meets it: score and predict with two classes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "acuity/model/ep_posterior.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/study/study_learner.hpp"
#include "support/classes.hpp"
#include "support/golden.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing::binary_test {
namespace {

std::string binary_study() {
  return "[pool]\nfile = \"pool.csv\"\ninputs = [\"x\"]\n[target]\nkind = \"binary\"\n"
         "[precision]\nalpha = { from = 0, to = 1, count = 3 }\ngamma = 0.2\nkappa = 0.8\n"
         "cost = { form = \"linear\", b = 0.1, c = 0.9 }\n";
}

struct Desk {
  Folder folder;

  explicit Desk(const std::string& study = binary_study()) {
    folder.write("study.toml", testing::with_given_model(study));
    folder.write("pool.csv", "x\n-2\n-1\n0\n1\n2\n");
  }
  ProgramResult run(const std::string& command, const std::string& annotations) const {
    folder.write("A.csv", annotations);
    std::vector<std::string> words{command, "study.toml", "--annotations", "A.csv", "--format", "csv"};
    if (command == "predict") words.insert(words.end(), {"--at", "pool.csv"});
    return run_acuity(words, folder.path());
  }
};

TEST(Binary, LabelsComeInThreeSpellings) {
  const Desk plain, named(with(binary_study(), "kind", "\"binary\"\nclasses = [\"no\", \"yes\"]"));
  const std::string signs = plain.run("predict", "x,y,alpha\n-2,-1,1\n2,1,0.5\n").out;
  EXPECT_TRUE(signs.starts_with("id,x,mean,variance,sd,low,high,probability\n"))
      << plain.run("predict", "x,y,alpha\n-2,-1,1\n").err;
  EXPECT_EQ(plain.run("predict", "x,y,alpha\n-2,0,1\n2,1,0.5\n").out, signs);
  EXPECT_EQ(named.run("predict", "x,y,alpha\n-2,no,1\n2,yes,0.5\n").out, signs);
  EXPECT_EQ(plain.run("predict", "x,y,accuracy\n-2,-1,1\n2,1,0.9\n").out, signs);
  const auto rows = csv_rows(signs);
  EXPECT_LT(value(rows[0], "probability"), 0.5);
  EXPECT_GT(value(rows[4], "probability"), 0.5);
  for (const auto& row : rows)
    EXPECT_NEAR(value(row, "probability"),
                0.5 * std::erfc(-value(row, "mean") / std::sqrt(2 * (1 + value(row, "variance")))), 1e-12);
}

TEST(Binary, OneClassSoFarIsFine) {
  const ProgramResult result = Desk().run("score", "x,y,alpha\n2,1,1\n1,1,1\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(csv_rows(result.out).size(), 3U);
}

TEST(Binary, ScoreIsInBitsAndPicksAnEndOfTheLadder) {
  const Desk desk;
  desk.folder.write("A.csv", "x,y,alpha\n2,1,1\n");
  const auto json = nlohmann::json::parse(
      run_acuity({"score", "study.toml", "--annotations", "A.csv", "--format", "json"}, desk.folder.path())
          .out);
  EXPECT_EQ(json.at("unit"), "bits");
  for (const auto& row : json.at("rows")) EXPECT_TRUE(row.at("alpha") == 0.0 || row.at("alpha") == 1.0);
}

TEST(Binary, BadLabelsGetOneSentence) {
  const Desk desk;
  const auto complaint = [&](const std::string& annotations) {
    const ProgramResult result = desk.run("score", annotations);
    EXPECT_EQ(result.exit_code, 2) << annotations;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
    return result.err;
  };
  EXPECT_EQ(complaint("x,y,alpha\n2,2,1\n"), "A.csv:2: column \"y\" is \"2\", must be -1 or 1 (or 0 or 1)\n");
  EXPECT_EQ(complaint("x,y,alpha\n2,0,1\n1,-1,1\n"),
            "A.csv:3: column \"y\" is \"-1\", must be -1 or 1 (or 0 or 1)\n");
  EXPECT_EQ(complaint("x,y,alpha\n2,no,1\n1,yes,1\n"),
            "A.csv:2: column \"y\" is \"no\", must be -1 or 1 (or 0 or 1), or say in [target]: classes = "
            "[\"yes\", \"no\"]\n");
  EXPECT_EQ(complaint("x,y,alpha\n2,no,1\n1,yes,1\n0,maybe,1\n"),
            "A.csv:2: column \"y\" is \"no\", must be one of two classes (there are \"no\", \"yes\" and "
            "\"maybe\")\n");
  EXPECT_EQ(complaint("x,y,alpha\n2,-1,1\n1,1,1\n0,2,1\n"),
            "A.csv:4: column \"y\" is \"2\", must be -1 or 1 (or 0 or 1)\n");
  EXPECT_EQ(complaint("x,y,alpha\n2,1,-0.1\n"),
            "A.csv:2: column \"alpha\" is \"-0.1\", must be a number from 0 to 1\n");
  EXPECT_EQ(complaint("x,y,alpha\n2,1,1.5\n"),
            "A.csv:2: column \"alpha\" is \"1.5\", must be a number from 0 to 1\n");
  EXPECT_EQ(complaint("x,y,accuracy\n2,1,0.4\n"),
            "A.csv:2: column \"accuracy\" is \"0.4\", must be a number from 0.5 to 1\n");
  EXPECT_EQ(
      complaint("x,y,noise_variance\n2,1,1\n"),
      "A.csv:1: column \"noise_variance\" is for real targets, target.kind is \"binary\"; must be another\n");
}

TEST(Binary, BadStudiesGetOneSentence) {
  const auto expect = [](const std::string& study, const std::string& sentence) {
    const Desk desk(study);
    for (const std::string command : {"score", "predict", "fit"}) {
      const ProgramResult result = desk.run(command, "x,y,alpha\n2,1,1\n");
      EXPECT_EQ(result.exit_code, 2) << sentence;
      EXPECT_EQ(result.out, "");
      EXPECT_EQ(result.err, "study.toml: " + sentence + "\n");
    }
  };
  const std::string study = binary_study();
  expect(with(study, "kappa", "0.9"), "precision.kappa + precision.gamma is 1.1, must be 1 at most");
  expect(with(study, "kappa", "0.4"), "precision.kappa is 0.4, must be a number from 0.5 to 1");
  expect(study + "[noise]\nvariance = 0.1\n", "noise is for real targets, target.kind is \"binary\"");
  expect(study + "[model]\nmean = 0.5\n", "model.mean is 0.5, must be 0 for binary targets");
  const auto alpha = [&](const std::string& value) { return with(study, "alpha", value); };
  expect(alpha("[0, 0.5, 1.5]"),
         "precision.alpha is [ 0, 0.5, 1.5 ], must be a list, each entry a number from 0 to 1");
  expect(alpha("{ from = 0, to = 1, count = 3, spacing = \"inverse\" }"),
         "precision.alpha.spacing is \"inverse\", must be \"linear\" for binary targets");
  expect(alpha("{ from = 0, to = 1, count = 3, continuous = true }"),
         "precision.alpha.count is given with continuous = true, must be left out");
  expect(alpha("{ from = 0.7, to = 0.7, continuous = true }"),
         "precision.alpha.to is 0.7, must be above precision.alpha.from");
  expect(alpha("{ from = 0, to = 2, continuous = true }"),
         "precision.alpha.to is 2, must be a number from 0 to 1");
  const auto cost = [&](const std::string& value) {
    return with(alpha("{ from = 0, to = 1, continuous = true }"), "cost", value);
  };
  expect(cost("{ form = \"linear\", b = 0, c = 1 }"),
         "precision.cost is 0 at alpha = 0, must be a finite number above 0");
  expect(cost("{ form = \"power\", c = 9, q = 1 }"),
         "precision.cost is 0 at alpha = 0, must be a finite number above 0");
  expect(cost("\"log(alpha - 0.2)\""),
         "precision.cost is not a number at alpha = 0, must be a finite number above 0");
  expect(cost("\"1 - 4 * alpha * (1 - alpha)\""), "precision.cost is 0 at alpha = 0.5, must be above 0");
  expect(cost("\"(alpha - 0.4)^2\""), "precision.cost is 0 at alpha = 0.4, must be above 0");
  expect(cost("\"alpha < 0.6 ? 1 : sqrt(0.7 - alpha) + 1 + (alpha > 0.7)\""),
         "precision.cost is not a number at alpha = 1, must be a finite number above 0");
  expect(
      "[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n[[level]]\nname = \"crowd\"\n"
      "accuracy = 0.4\ncost = 1\n",
      "level 1.accuracy is 0.4, must be a number from 0.5 to 1");
}

TEST(Binary, FitLearnsFromClassesAndScoreUsesIt) {
  std::string annotations = "x,y,alpha\n";
  for (int i = 0; i < 24; ++i)
    annotations += fmt::format("{},{},1\n", -2 + i / 6.0, (i / 6) % 2 == 0 ? 1 : -1);
  const Desk given(binary_study() + "[model]\nlengthscale = 3.0\n"),
      learning(binary_study() + "[model]\nlengthscale = 3.0\nfit = \"every\"\n");
  const ProgramResult fit = given.run("fit", annotations);
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const auto row = csv_rows(fit.out).at(0);
  EXPECT_LT(value(row, "lengthscale"), 2.0) << "classes change every unit";
  EXPECT_LT(value(row, "log_marginal_likelihood"), 0.0);
  const Desk told(binary_study() + "[model]\nlengthscale = " + row.at("lengthscale") +
                  "\namplitude = " + row.at("amplitude") + "\n");
  const auto a = csv_rows(learning.run("predict", annotations).out),
             b = csv_rows(told.run("predict", annotations).out);
  ASSERT_EQ(a.size(), 5U);
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(value(a[i], "probability"), value(b[i], "probability"), 1e-8);
}

// Vague labels of which every third is wrong, and sharp ones.
std::string flipped_labels(const char* column, double vague, double sharp) {
  std::string annotations = fmt::format("x,y,{}\n", column);
  for (int i = 0; i < 36; ++i) {
    const int clean = (i / 9) % 2 == 0 ? 1 : -1;
    annotations +=
        fmt::format("{},{},{}\n", -2 + i / 9.0, i % 6 == 1 ? -clean : clean, i % 2 == 0 ? sharp : vague);
  }
  return annotations;
}

TEST(Binary, FitLearnsHowOftenLabelsAreFlippedAndScoreUsesIt) {
  const std::string annotations = flipped_labels("alpha", 0, 1);
  const ProgramResult fit = Desk(binary_study() + "[model]\nfit_noise = true\n").run("fit", annotations);
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_TRUE(fit.out.starts_with("amplitude,lengthscale,mean,kappa,gamma,log_marginal_likelihood,"))
      << fit.out;
  const auto row = csv_rows(fit.out).at(0);
  EXPECT_NEAR(value(row, "kappa"), 2.0 / 3.0, 0.1);
  EXPECT_GT(value(row, "kappa") + value(row, "gamma"), 0.95);

  const auto told = [&](const std::string& study) {
    return Desk(with(with(study, "kappa", row.at("kappa")), "gamma", row.at("gamma")) +
                "[model]\namplitude = " + row.at("amplitude") + "\nlengthscale = " + row.at("lengthscale") +
                "\n");
  };
  for (const std::string acquisition : {"", "[acquisition]\ninformation = \"target\"\n"}) {
    const std::string study = with(binary_study(), "inputs", "[\"x\"]\nrepeat = true") + acquisition;
    const Desk learning(study + "[model]\nfit = \"every\"\nfit_noise = true\n"),
        given = told(study), without(study + "[model]\nfit = \"every\"\n");
    const auto a = csv_rows(learning.run("score", annotations).out),
               b = csv_rows(given.run("score", annotations).out),
               c = csv_rows(without.run("score", annotations).out);
    ASSERT_EQ(a.size(), 5U);
    ASSERT_EQ(b.size(), 5U);
    double difference = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].at("alpha"), b[i].at("alpha"));
      EXPECT_NEAR(value(a[i], "information"), value(b[i], "information"), 1e-7);
      EXPECT_NEAR(value(a[i], "mean"), value(b[i], "mean"), 1e-6);
      difference = std::max(difference, std::abs(value(a[i], "information") - value(c[i], "information")));
    }
    EXPECT_GT(difference, 1e-3) << "the law matters here";
  }
}

TEST(Binary, ReportedAccuraciesAreNotLearned) {
  const Desk desk(binary_study() + "[model]\nfit_noise = true\n");
  const ProgramResult fit = desk.run("fit", flipped_labels("accuracy", 0.8, 1));
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_EQ(value(csv_rows(fit.out).at(0), "kappa"), 0.8);
  EXPECT_EQ(value(csv_rows(fit.out).at(0), "gamma"), 0.2);
}

TEST(Binary, ScoreFollowsTheGoldenTraces) {
  const auto& g = golden("greedy_classification");
  const auto row = [](const nlohmann::json& x) {
    return fmt::format("{:.17g},{:.17g}", x[0].get<double>(), x[1].get<double>());
  };
  std::string pool = "x1,x2\n", initial = "id,x1,x2,y,alpha,cost\n";
  for (const auto& x : g.at("X_pool")) pool += row(x) + "\n";
  for (std::size_t i = 0; i < g.at("X_init").size(); ++i)
    initial += fmt::format(",{},{},1,0\n", row(g.at("X_init")[i]), g.at("y_init")[i].get<int>());
  for (const auto& trace : g.at("traces")) {
    const std::string name = trace.at("acquisition");
    SCOPED_TRACE(name + trace.at("cost").dump());
    const auto& cost = trace.at("cost");
    const Folder folder;
    folder.write("pool.csv", pool);
    folder.write("study.toml",
                 testing::with_given_model(fmt::format(
                     "[campaign]\nbudget = {}\n[pool]\nfile = \"pool.csv\"\n[target]\nkind = "
                     "\"binary\"\n[model]\namplitude = {}\n"
                     "lengthscale = {}\n[precision]\nalpha = {}\ngamma = 0.2\nkappa = 0.8\ncost = "
                     "\"{} + {} * alpha^{}\"\n"
                     "[acquisition]\ninformation = \"{}\"\ngraph = \"{}\"\napproximation = \"{}\"\n",
                     trace.at("budget").get<double>(), trace.at("a").get<double>(),
                     trace.at("l").get<double>(), g.at("alphas").dump(), cost.at("b").get<double>(),
                     cost.at("c").get<double>(), cost.at("q").get<double>(),
                     name.starts_with("bald")   ? "bald"
                     : name.starts_with("mi_f") ? "model"
                                                : "target",
                     name == "mi_y_c" ? "c" : "b", name.ends_with("taylor") ? "taylor" : "exact")));
    std::string annotations = initial;
    for (const auto& step : trace.at("steps")) {
      folder.write("A.csv", annotations);
      const ProgramResult result = run_acuity(
          {"score", "study.toml", "--annotations", "A.csv", "--top", "1", "--format", "csv"}, folder.path());
      ASSERT_EQ(result.exit_code, 0) << result.err;
      const auto best = csv_rows(result.out).at(0);
      ASSERT_EQ(best.at("id"), std::to_string(step.at("index").get<int>()));
      EXPECT_TRUE(close(value(best, "alpha"), step.at("alpha"), 1e-12));
      EXPECT_TRUE(close(value(best, "information"), step.at("mi"), 1e-10));
      EXPECT_TRUE(close(value(best, "mean"), step.at("latent_mean"), 1e-10));
      annotations += fmt::format("{},,,{},{:.17g},\n", step.at("index").get<int>(),
                                 step.at("label").get<int>(), step.at("alpha").get<double>());
    }
  }
}

// The slow twin of the levels that are left out (math.md 5.4): the table as it would be if all were looked
// at.
TEST(Binary, TheTableIsThatOfEveryLevel) {
  for (const std::string how : {"information = \"model\"", "information = \"target\"\ngraph = \"b\"",
                                "information = \"target\"\ngraph = \"c\""}) {
    const Desk desk(with(binary_study(), "alpha", "{ from = 0, to = 1, count = 100 }") + "[acquisition]\n" +
                    how + "\n");
    std::string pool = "x\n";
    for (int i = 0; i < 60; ++i) pool += fmt::format("{}\n", -3.0 + 0.1 * i);
    desk.folder.write("pool.csv", pool);
    const auto rows = csv_rows(desk.run("score", "x,y,alpha\n-2,-1,1\n0.7,1,1\n2,1,0.5\n").out);
    const Study study = Study::open(desk.folder.path() / "study.toml");
    const auto annotations = study.read_annotations(desk.folder.path() / "A.csv");
    const StudyModel model = StudyLearner(study).model_given(annotations);
    const std::vector<Score> every =
        score_pool(StudyLearner(study).belief(model)->marginals(), model.offer, model.acquisition,
                   study.candidates_after(annotations), {.every_level = true});
    ASSERT_EQ(rows.size(), every.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(value(rows[i], "alpha"), *model.offer.levels[static_cast<std::size_t>(every[i].level)].alpha);
      EXPECT_EQ(value(rows[i], "information"), every[i].information);
      EXPECT_EQ(value(rows[i], "information_per_cost"), every[i].information_per_cost());
    }
  }
}

std::string continuous_study(const std::string& cost) {
  return with(with(binary_study(), "alpha", "{ from = 0, to = 1, continuous = true }"), "cost", cost);
}

// Where nothing is known the belief is the prior, so the golden case at mean 0 can be told to the program.
TEST(Binary, ContinuousPrecisionHitsTheGoldenValues) {
  int shown = 0;
  for (const auto& g : golden("alpha_opt").at("classification")) {
    if (g.at("mu") != 0.0) continue;
    const auto number = [&g](const char* key) { return fmt::format("{:.17g}", g.at(key).get<double>()); };
    std::string study =
        continuous_study("\"" + number("b") + " + " + number("c") + " * alpha^" + number("q") + "\"");
    study = with(with(study, "kappa", number("kappa")), "gamma", number("gamma"));
    const Desk desk(study +
                    fmt::format("[model]\namplitude = {:.17g}\n", std::sqrt(g.at("s2").get<double>())));
    const ProgramResult result =
        run_acuity({"score", "study.toml", "--top", "1", "--format", "csv"}, desk.folder.path());
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto best = csv_rows(result.out).at(0);
    EXPECT_NEAR(value(best, "alpha"), g.at("alpha"), 1e-10);
    EXPECT_NEAR(value(best, "information"), g.at("mi"), 1e-10);
    EXPECT_NEAR(value(best, "information_per_cost"), g.at("objective"), 1e-12);
    ++shown;
  }
  EXPECT_GE(shown, 1);
}

TEST(Binary, ContinuousPrecisionBeatsAFineLadderAndWorksInBatches) {
  for (const std::string cost : {"\"0.25 + 0.75 * alpha^2\"", "{ form = \"linear\", b = 0.1, c = 0.9 }", "1"})
    for (const std::string how :
         {"information = \"model\"", "information = \"model\"\napproximation = \"taylor\"",
          "information = \"target\"\ngraph = \"b\"", "information = \"target\"\ngraph = \"c\""}) {
      SCOPED_TRACE(cost + how);
      const std::string any = continuous_study(cost) + "[acquisition]\n" + how + "\n";
      const std::string annotations = "x,y,alpha\n2,1,1\n-1,-1,0.123\n";
      const Desk exact(any), ladder(with(any, "alpha", "{ from = 0, to = 1, count = 2001 }"));
      const auto best = csv_rows(exact.run("score", annotations).out),
                 fine = csv_rows(ladder.run("score", annotations).out);
      ASSERT_EQ(best.size(), 3U);
      ASSERT_EQ(fine.size(), 3U);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_GE(value(best[i], "information_per_cost"), value(fine[i], "information_per_cost") - 1e-12);
        EXPECT_NEAR(value(best[i], "information_per_cost"), value(fine[i], "information_per_cost"), 1e-6);
        EXPECT_NEAR(value(best[i], "alpha"), value(fine[i], "alpha"), 5e-3);
      }
      const ProgramResult batch = run_acuity(
          {"score", "study.toml", "--annotations", "A.csv", "--top", "3", "--batch", "--format", "csv"},
          exact.folder.path());
      EXPECT_EQ(csv_rows(batch.out).size(), 3U) << batch.err;
    }
}

TEST(Binary, ContinuousPrecisionKeepsToTheBudget) {
  const Desk desk(continuous_study("{ form = \"linear\", b = 0.1, c = 0.9 }") + "[model]\namplitude = 0.5\n");
  const auto with_money = [&](const std::string& money) {
    return run_acuity({"score", "study.toml", "--remaining", money, "--format", "csv"}, desk.folder.path());
  };
  desk.folder.write("study.toml",
                    testing::with_given_model(with(desk.folder.read("study.toml"), "kappa", "0.5")));
  for (const auto& row : csv_rows(with_money("0.55").out)) {
    EXPECT_NEAR(value(row, "alpha"), 0.5, 1e-8);
    EXPECT_LE(value(row, "cost"), 0.55 * (1 + 1e-9));
  }
  EXPECT_EQ(with_money("0.05").exit_code, 3);
}

// The same sentence from everything that computes with such a posterior.
TEST(Binary, SaysWhatToDoWhereExpectationPropagationDoesNotConverge) {
  const ClassProblem problem = contradicting_problem();
  std::string annotations = "x0,x1,y,accuracy\n";
  for (Index i = 0; i < problem.observations.size(); ++i)
    annotations += fmt::format("{},{},{},0.99\n", problem.observations.points()(i, 0),
                               problem.observations.points()(i, 1), problem.observations.values()(i));
  const Folder folder;
  folder.write("A.csv", annotations);
  folder.write("pool.csv", "x0,x1\n-1,0\n0,0.5\n1,1\n1.5,-1\n");
  folder.write("study.toml",
               "[campaign]\nname = \"c\"\nbudget = 100\ninitial = { file = \"A.csv\" }\n"
               "[pool]\nfile = \"pool.csv\"\nstandardise = \"none\"\n[target]\nkind = \"binary\"\n"
               "[model]\nkernel = \"rbf\"\namplitude = 10000.0\nlengthscale = 3.0\nfit = \"never\"\n"
               "[[level]]\nname = \"sure\"\naccuracy = 0.99\ncost = 1\n");
  const std::string sentence = EpPosterior(problem.prior, problem.observations).convergence_problem();
  ASSERT_NE(sentence, "");
  const auto says = [&](const std::vector<std::string>& words) {
    const ProgramResult result = run_acuity(words, folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  const std::string note = "note: " + sentence + "\n";
  EXPECT_NE(says({"score", "study.toml", "--annotations", "A.csv"}).find(note), std::string::npos);
  EXPECT_NE(says({"predict", "study.toml", "--annotations", "A.csv", "--at", "pool.csv"}).find(note),
            std::string::npos);
  says({"init", "C", "--study", "study.toml"});
  EXPECT_NE(says({"ask", "C"}).find(note), std::string::npos);
  says({"report", "C", "--out", "report.html"});
  EXPECT_NE(folder.read("report.html").find("E" + sentence.substr(1) + "."), std::string::npos);
}

TEST(Binary, TellAndAmendShowClassesByTheirNames) {
  const Folder folder;
  folder.write("pool.csv", "x\n0\n1\n2\n");
  folder.write("study.toml",
               "[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\nclasses = [\"bad\", \"good\"]\n"
               "[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost = 1\n");
  ASSERT_EQ(run_acuity({"init", "C", "--study", "study.toml"}, folder.path()).exit_code, 0);
  ASSERT_EQ(run_acuity({"ask", "C"}, folder.path()).exit_code, 0);
  const auto told = run_acuity({"tell", "C", "1", "0"}, folder.path());
  EXPECT_NE(told.out.find("  bad  "), std::string::npos) << told.out << told.err;
  const auto amended = run_acuity({"amend", "C", "1", "--y", "good", "--reason", "typo"}, folder.path());
  EXPECT_NE(amended.out.find("  bad  good  typo"), std::string::npos) << amended.out << amended.err;
  const auto again = run_acuity({"tell", "C", "1", "good", "--format", "csv"}, folder.path());
  EXPECT_NE(again.out.find(",crowd,1,"), std::string::npos) << "numbers for programs: " << again.out;
}

// Spreadsheets capitalise; who answers is not refused for it. Tables show names, files have -1 and 1.
TEST(ClassNames, CapitalsDoNotMatterUnlessTheyTellTheNamesApart) {
  const Folder folder;
  const auto study = [](const std::string& classes) {
    return with_given_model("[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\nclasses = " + classes +
                            "\n[[level]]\nname = \"crowd\"\naccuracy = 0.9\ncost = 1\n");
  };
  folder.write("pool.csv", "x\n0\n1\n2\n");
  folder.write("study.toml", study("[\"no\", \"yes\"]"));
  folder.write("A.csv", "id,y,level\n0,YES,crowd\n1,No,crowd\n");
  EXPECT_EQ(run_acuity({"score", "study.toml", "--annotations", "A.csv"}, folder.path()).exit_code, 0);
  ASSERT_EQ(run_acuity({"init", "C", "--study", "study.toml"}, folder.path()).exit_code, 0);
  ASSERT_EQ(run_acuity({"ask", "C", "-n", "2"}, folder.path()).exit_code, 0);
  folder.write("sheet.csv", "id,y\n1,Yes\n2,NO\n");
  const auto told =
      csv_rows(run_acuity({"tell", "C", "--csv", "sheet.csv", "--format", "csv"}, folder.path()).out);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].at("y") + told[1].at("y"), "1-1");
  const auto exported = csv_rows(run_acuity({"export", "C", "--annotations", "-"}, folder.path()).out);
  EXPECT_EQ(exported[0].at("y"), "1");
  EXPECT_NE(run_acuity({"status", "C", "--details"}, folder.path()).out.find("yes"), std::string::npos);
  const ProgramResult other = run_acuity({"tell", "C", "1", "maybe"}, folder.path());
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_EQ(other.err,
            "C: the answer to 1 is \"maybe\", must be \"no\" or \"yes\" (or -1 or 1, or 0 or 1)\n");
  // Names that differ by their capitals only must be written as they are.
  folder.write("study.toml", study("[\"a\", \"A\"]"));
  folder.write("A.csv", "id,y,level\n0,A,crowd\n1,a,crowd\n");
  EXPECT_EQ(run_acuity({"score", "study.toml", "--annotations", "A.csv"}, folder.path()).exit_code, 0);
}

}  // namespace
}  // namespace acuity::testing::binary_test
