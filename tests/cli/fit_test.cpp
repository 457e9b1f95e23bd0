#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::testing::fit_test {
namespace {

// A wave of amplitude 3 in x, with scatter; z does not matter.
struct Desk {
  Folder folder;

  explicit Desk(const std::string& model, const std::string& noise = "0.01") {
    std::string pool = "x,z\n", annotations = "x,z,y,alpha\n";
    for (int i = 0; i < 40; ++i) {
      const double x = 0.25 * ((7 * i) % 40), z = 0.1 * ((11 * i) % 40);
      const std::string place = std::to_string(x) + "," + std::to_string(z);
      pool += place + "\n";
      annotations +=
          place + "," + std::to_string(3.0 * std::sin(x) + ((i * i * 37 + i) % 17 - 8) / 60.0) + ",inf\n";
    }
    folder.write("pool.csv", pool);
    folder.write("A.csv", annotations);
    folder.write("study.toml",
                 testing::with_given_model(with(ladder_study(), "variance", noise) + "[model]\n" + model));
  }
  ProgramResult run(std::vector<std::string> words) const {
    words.insert(words.begin() + 1, {"study.toml", "--annotations", "A.csv"});
    return run_acuity(words, folder.path());
  }
};

TEST(Fit, PrintsABlankAfterLongNames) {
  const Folder folder;
  folder.write("pool.csv", "Konzentration,z\n0,1\n1,2\n2,1\n3,2\n");
  folder.write("A.csv", "Konzentration,z,y,alpha\n0,1,0.5,inf\n1,2,1.5,inf\n2,1,0.25,inf\n3,2,1,inf\n");
  folder.write("study.toml", testing::with_given_model(with(ladder_study(), "variance", "0.01") +
                                                       "[model]\nlengthscale = [1, 1]\n"));
  const ProgramResult result = run_acuity({"fit", "study.toml", "--annotations", "A.csv"}, folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("\nlengthscale_Konzentration "), std::string::npos) << result.out;
}

TEST(Fit, PrintsWhatTheContractNames) {
  const Desk desk("lengthscale = [1, 1]\nmean = \"annotations\"\n");
  const ProgramResult json = desk.run({"fit", "--format", "json"});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const auto fit = nlohmann::json::parse(json.out);
  for (const char* key : {"amplitude", "lengthscale", "mean", "log_marginal_likelihood", "iterations",
                          "evaluations", "converged", "reason"})
    EXPECT_TRUE(fit.contains(key)) << key;
  EXPECT_EQ(fit.size(), 8U);
  EXPECT_TRUE(fit.at("converged").get<bool>());
  ASSERT_EQ(fit.at("lengthscale").size(), 2U);
  EXPECT_GT(fit.at("lengthscale")[1].get<double>(), 10 * fit.at("lengthscale")[0].get<double>());
  const ProgramResult csv = desk.run({"fit", "--format", "csv"});
  EXPECT_TRUE(
      csv.out.starts_with("amplitude,lengthscale_x,lengthscale_z,mean,log_marginal_likelihood,iterations,"
                          "evaluations,converged,reason\n"));
  EXPECT_EQ(value(csv_rows(csv.out).at(0), "amplitude"), fit.at("amplitude").get<double>());
  EXPECT_NE(desk.run({"fit"}).out.find("log_marginal_likelihood "), std::string::npos);
}

TEST(Fit, ASharedLengthScaleIsANumber) {
  const auto fit = nlohmann::json::parse(Desk("fit = \"every\"\n").run({"fit", "--format", "json"}).out);
  EXPECT_TRUE(fit.at("lengthscale").is_number());
}

TEST(Fit, NamesWithCommasAreQuotedInCsv) {
  const Desk desk("lengthscale = [1, 1]\n");
  desk.folder.write("pool.csv", "\"a,b\",x\n1,2\n3,4\n");
  desk.folder.write("A.csv", "\"a,b\",x,y,alpha\n1,2,3,1\n3,4,5,1\n4,5,1,1\n");
  EXPECT_TRUE(
      desk.run({"fit", "--format", "csv"}).out.starts_with("amplitude,\"lengthscale_a,b\",lengthscale_x,"));
}

TEST(Fit, NoiseIsLearnedWhereAskedFor) {
  const auto fit = nlohmann::json::parse(
      Desk("lengthscale = [1, 1]\nfit_noise = true\n", "0.001").run({"fit", "--format", "json"}).out);
  EXPECT_GT(fit.at("noise_scale").get<double>(), 2.0) << "the scatter has a variance of about 0.007";
  EXPECT_TRUE(fit.contains("gamma"));
}

TEST(Fit, ScoreAndPredictUseWhatFitLearns) {
  const Desk learning("fit = \"every\"\n");
  const auto fit = nlohmann::json::parse(learning.run({"fit", "--format", "json"}).out);
  const Desk given("amplitude = " + fit.at("amplitude").dump() +
                   "\nlengthscale = " + fit.at("lengthscale").dump() + "\n");
  learning.folder.write("P.csv", "x,z\n1.1,2\n7,1\n");
  given.folder.write("P.csv", "x,z\n1.1,2\n7,1\n");
  const auto a = csv_rows(learning.run({"predict", "--at", "P.csv", "--format", "csv"}).out);
  const auto b = csv_rows(given.run({"predict", "--at", "P.csv", "--format", "csv"}).out);
  ASSERT_EQ(a.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(value(a[i], "mean"), value(b[i], "mean"), 1e-9);
    EXPECT_NEAR(value(a[i], "variance"), value(b[i], "variance"), 1e-9);
  }
}

TEST(Fit, WithNothingToLearnFromSaysSo) {
  const Desk desk("");
  const ProgramResult none = run_acuity({"fit", "study.toml"}, desk.folder.path());
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(none.err, "study.toml: there are no annotations to learn from, must be at least one\n");
  desk.folder.write("A.csv", "x,z,y,alpha\n0,0,5,1\n");
  const auto one =
      nlohmann::json::parse(Desk("mean = \"annotations\"\n").run({"fit", "--format", "json"}).out);
  EXPECT_TRUE(one.contains("reason"));
}

TEST(Fit, ACollapseKeepsTheStudysValuesAndSaysWhy) {
  const Desk desk("mean = \"annotations\"\namplitude = 0.7\n");
  desk.folder.write("A.csv", "x,z,y,alpha\n0,0,5,1\n1,1,5,1\n2,0.3,5,1\n");
  const auto fit = nlohmann::json::parse(desk.run({"fit", "--format", "json"}).out);
  EXPECT_EQ(fit.at("amplitude"), 0.7);
  EXPECT_FALSE(fit.at("converged").get<bool>());
  EXPECT_NE(fit.at("reason").get<std::string>().find("the earlier values are kept"), std::string::npos);
}

TEST(Score, ABatchSharesInformation) {
  const Desk desk("lengthscale = 2.0\n");
  desk.folder.write("A.csv", "x,z,y,alpha\n0,0,1,inf\n");
  const auto singles = csv_rows(desk.run({"score", "--top", "4", "--format", "csv"}).out);
  const auto batch = csv_rows(desk.run({"score", "--top", "4", "--batch", "--format", "csv"}).out);
  ASSERT_EQ(batch.size(), 4U);
  EXPECT_EQ(batch[0].at("id"), singles[0].at("id")) << "the first is the best either way";
  EXPECT_LT(value(batch[3], "information_per_cost"), value(singles[3], "information_per_cost"));
  EXPECT_EQ(desk.run({"score", "--batch"}).exit_code, 2);
}

TEST(Score, ContinuousPrecisionIsShownAndFits) {
  const Desk desk("amplitude = 0.15\n");
  desk.folder.write("study.toml",
                    testing::with_given_model(with(desk.folder.read("study.toml"), "alpha",
                                                   "{ from = 1, to = inf, continuous = true }")));
  const auto any = csv_rows(desk.run({"score", "--top", "1", "--format", "csv"}).out);
  EXPECT_TRUE(any.empty()) << "every pool point is annotated";
  desk.folder.write("A.csv", "x,z,y,alpha\n0,0,1,inf\n1,1,1,17.5\n");
  const auto rows = csv_rows(desk.run({"score", "--top", "3", "--format", "csv"}).out);
  ASSERT_EQ(rows.size(), 3U);
  const double alpha = value(rows[0], "alpha");
  EXPECT_NEAR(value(rows[0], "cost"), std::pow(1 + 9 / alpha, -0.8), 1e-12);
  EXPECT_GT(alpha, 1.0);
  EXPECT_TRUE(std::isfinite(alpha));
}

// The coarse level reads 0.5 too high.
class BiasedDesk {
 public:
  explicit BiasedDesk(bool with_fine = true) {
    std::string pool = "x\n", annotations = "x,y,level\n";
    for (int i = 0; i < 20; ++i) {
      const double x = 0.4 * i;
      pool += std::to_string(x) + "\n";
      annotations += std::to_string(x) + "," + std::to_string(std::sin(x) + 0.5) + ",coarse\n";
      if (with_fine && i % 4 == 0)
        annotations += std::to_string(x) + "," + std::to_string(std::sin(x)) + ",fine\n";
    }
    folder_.write("pool.csv", pool);
    folder_.write("A.csv", annotations);
    folder_.write(
        "study.toml",
        "[pool]\nfile = \"pool.csv\"\n[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\nbias = "
        "\"learn\"\n[[level]]\nname = \"fine\"\nnoise_sd = 0.01\ncost = 10\n");
  }
  ProgramResult run(std::vector<std::string> words) const {
    words.insert(words.begin() + 1, {"study.toml", "--annotations", "A.csv"});
    return run_acuity(words, folder_.path());
  }

 private:
  Folder folder_;
};

TEST(Fit, PrintsTheBiasOfEveryLevel) {
  const BiasedDesk desk;
  const ProgramResult json = desk.run({"fit", "--format", "json"});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const auto biases = nlohmann::json::parse(json.out).at("level_bias");
  ASSERT_EQ(biases.size(), 1U);
  const auto& coarse = biases.at(0);
  EXPECT_EQ(coarse.at("level"), "coarse");
  EXPECT_NEAR(coarse.at("offset").get<double>(), 0.5, 3.0 * coarse.at("offset_sd").get<double>());
  EXPECT_NEAR(coarse.at("difference").get<double>(), 0.5, 0.05);
  EXPECT_LT(coarse.at("white_sd").get<double>(), 0.3);
  EXPECT_GT(coarse.at("smooth_sd").get<double>(), 0.0);
  const ProgramResult csv = desk.run({"fit", "--format", "csv"});
  EXPECT_NE(
      csv.out.find("prior,offset_coarse,offset_sd_coarse,smooth_sd_coarse,white_sd_coarse,weight_plain,"),
      std::string::npos)
      << csv.out;
  EXPECT_NE(desk.run({"fit"}).out.find("\noffset_coarse "), std::string::npos);
}

TEST(Predict, SaysThatABiasIsAnAssumptionWithoutTheReferenceLevel) {
  const std::string note =
      "note: there is no answer at fine, so the bias of the other levels is an assumption";
  const BiasedDesk vague(false), told;
  EXPECT_NE(vague.run({"predict", "--at", "pool.csv"}).err.find(note), std::string::npos);
  EXPECT_EQ(told.run({"predict", "--at", "pool.csv"}).err.find(note), std::string::npos);
}

}  // namespace
}  // namespace acuity::testing::fit_test
