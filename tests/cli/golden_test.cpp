// The golden problems as a user would put them: study file, pool and annotations on disk, results from the
// program.
#include "support/golden.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing::golden_test {
namespace {

std::string join(const nlohmann::json& row) {
  std::string text;
  for (const auto& v : row) text += fmt::format("{}{:.17g}", text.empty() ? "" : ",", v.get<double>());
  return text;
}

std::string inputs(std::size_t d) {
  std::string names;
  for (std::size_t k = 0; k < d; ++k) names += fmt::format("{}x{}", k > 0 ? "," : "", k);
  return names;
}

TEST(Golden, PredictHitsTheRegressionValues) {
  for (const auto& data : golden("gp_regression").at("cases"))
    for (const auto& model : data.at("models")) {
      SCOPED_TRACE(data.at("name").get<std::string>() + " " + model.at("kernel").get<std::string>());
      const Folder folder;
      std::string names;
      for (std::size_t k = 0; k < data.at("d"); ++k) names += fmt::format("{}\"x{}\"", k > 0 ? ", " : "", k);
      folder.write(
          "study.toml",
          with_given_model(fmt::format(
              "[pool]\nfile = \"pool.csv\"\nrepeat = true\ninputs = [{}]\n[model]\nkernel = {}\namplitude = "
              "{:.17g}\nlengthscale = [{}]\n"
              "mean = {:.17g}\n[noise]\nvariance = {{ column = \"n0\" }}\n[precision]\nalpha = [1, inf]\n"
              "gamma = {:.17g}\ncost = 1\n",
              names, model.at("kernel").dump(), model.at("a").get<double>(), join(model.at("l")),
              data.at("prior_mean").get<double>(), data.at("gamma").get<double>())));
      std::string pool = inputs(data.at("d")) + ",n0\n", annotations = inputs(data.at("d")) + ",n0,y,alpha\n";
      std::string at = inputs(data.at("d")) + "\n";
      for (const auto& x : data.at("X_test")) pool += join(x) + ",0.1\n", at += join(x) + "\n";
      for (std::size_t i = 0; i < data.at("X").size(); ++i)
        annotations +=
            fmt::format("{},{:.17g},{:.17g},{:.17g}\n", join(data.at("X")[i]), data.at("n0")[i].get<double>(),
                        data.at("y")[i].get<double>(), 1.0 / data.at("beta")[i].get<double>());
      folder.write("pool.csv", pool);
      folder.write("A.csv", annotations);
      folder.write("P.csv", at);
      const bool near_singular = data.at("near_singular");
      const double tolerance = near_singular ? 3e-11 : 1e-10, a = model.at("a");
      const ProgramResult predicted =
          run_acuity({"predict", "study.toml", "--annotations", "A.csv", "--at", "P.csv", "--format", "csv"},
                     folder.path());
      const ProgramResult scored =
          run_acuity({"score", "study.toml", "--annotations", "A.csv", "--format", "csv"}, folder.path());
      ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
      ASSERT_EQ(scored.exit_code, 0) << scored.err;
      for (const auto& rows : {csv_rows(predicted.out), csv_rows(scored.out)}) {
        ASSERT_EQ(rows.size(), data.at("X_test").size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
          EXPECT_TRUE(close(value(rows[i], "mean"), model.at("mean")[i], tolerance));
          EXPECT_NEAR(value(rows[i], "variance"), model.at("var")[i].get<double>(),
                      (near_singular ? 1e-11 : 1e-10) * a * a);
        }
      }
    }
}

TEST(Golden, ScoreFollowsTheGreedyTraces) {
  const auto& g = golden("greedy_regression");
  std::string pool = "x,n0\n", initial = "id,x,n0,y,alpha,cost\n";
  for (std::size_t i = 0; i < g.at("X_pool").size(); ++i)
    pool += fmt::format("{},{:.17g}\n", join(g.at("X_pool")[i]), g.at("n0_pool")[i].get<double>());
  for (std::size_t i = 0; i < g.at("X_init").size(); ++i)
    initial += fmt::format(",{},{:.17g},{:.17g},inf,0\n", join(g.at("X_init")[i]),
                           g.at("n0_init")[i].get<double>(), g.at("y_init")[i].get<double>());
  for (const auto& trace : g.at("traces")) {
    const std::string name = trace.at("acquisition"), kind = name == "bald"   ? "bald"
                                                             : name == "mi_f" ? "model"
                                                                              : "target";
    SCOPED_TRACE(name + trace.at("cost").dump());
    const auto& betas = g.at(trace.at("betas_key").get<std::string>());
    std::string alphas;
    for (const auto& beta : betas)
      alphas += fmt::format("{}{:.17g}", alphas.empty() ? "" : ", ", 1.0 / beta.get<double>());
    const Folder folder;
    folder.write("pool.csv", pool);
    folder.write("study.toml",
                 with_given_model(fmt::format(
                     "[campaign]\nbudget = {}\n[pool]\nfile = \"pool.csv\"\ninputs = "
                     "[\"x\"]\n[model]\namplitude = {}\nlengthscale = {}\n"
                     "[noise]\nvariance = {{ column = \"n0\" }}\n[precision]\nalpha = [{}]\ngamma = {}\n"
                     "cost = {{ form = \"power\", c = {}, q = {} }}\n[acquisition]\ninformation = "
                     "\"{}\"\ngraph = \"{}\"\n",
                     trace.at("budget").get<double>(), g.at("a").get<double>(), g.at("l").get<double>(),
                     alphas, g.at("gamma").get<double>(), trace.at("cost").at("c").get<double>(),
                     trace.at("cost").at("q").get<double>(), kind, name == "mi_y_b" ? "b" : "c")));
    std::string annotations = initial;
    for (const auto& step : trace.at("steps")) {
      folder.write("A.csv", annotations);
      const auto rows = csv_rows(
          run_acuity({"score", "study.toml", "--annotations", "A.csv", "--top", "1", "--format", "csv"},
                     folder.path())
              .out);
      ASSERT_EQ(rows.size(), 1U);
      ASSERT_EQ(rows[0].at("id"), std::to_string(step.at("index").get<int>()));
      const double alpha = 1.0 / betas[step.at("level").get<std::size_t>()].get<double>();
      EXPECT_TRUE(close_relative(value(rows[0], "alpha"), alpha, 1e-15));
      EXPECT_TRUE(close_relative(value(rows[0], "information"), step.at("mi"), 1e-10));
      EXPECT_TRUE(close_relative(value(rows[0], "cost"), step.at("cost"), 1e-12));
      annotations += fmt::format("{},,,{:.17g},{:.17g},\n", step.at("index").get<int>(),
                                 step.at("label").get<double>(), alpha);
    }
    if (trace.at("budget") < 15.0) {
      folder.write("A.csv", annotations);
      EXPECT_EQ(run_acuity({"score", "study.toml", "--annotations", "A.csv"}, folder.path()).exit_code, 3);
    }
  }
}

}  // namespace
}  // namespace acuity::testing::golden_test
