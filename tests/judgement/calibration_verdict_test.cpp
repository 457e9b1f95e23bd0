#include "judgement/calibration_verdict.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <random>

#include "acuity/model/gp_posterior.hpp"
#include "support/program.hpp"
#include "support/thorough.hpp"
#include "views/campaign_status.hpp"

namespace acuity::testing::calibration_verdict_test {
namespace {

using Calibration = CalibrationVerdict::Calibration;

std::vector<double> normal_scores(int count, double factor, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0.0, factor);
  std::vector<double> scores;
  for (int k = 0; k < count; ++k) scores.push_back(normal(random));
  return scores;
}

TEST(CalibrationVerdict, OfScoresHasThreeWordsAndAnInterval) {
  EXPECT_EQ(verdict_on({0.1, -0.3}).words(), "cannot tell yet");
  EXPECT_EQ(verdict_on(normal_scores(60, 1.0, 1)).words(), "good");
  const CalibrationVerdict narrow = verdict_on(normal_scores(60, 2.0, 2));
  EXPECT_EQ(narrow.calibration, Calibration::too_narrow);
  EXPECT_NEAR(narrow.factor, 2.0, 0.5);
  EXPECT_LT(narrow.low, narrow.factor);
  EXPECT_GT(narrow.high, narrow.factor);
  EXPECT_EQ(verdict_on(normal_scores(60, 0.4, 3)).calibration, Calibration::too_wide);
  EXPECT_TRUE(verdict_on({40.0, -35.0, 60.0}).words().starts_with("too narrow by a factor of about "))
      << "three answers this far off are enough";
}

TEST(CalibrationVerdict, IsRightAboutScoresAsOftenAsItSays) {
  int alarms = 0, missed = 0;
  const int trials = 400;
  for (int k = 0; k < trials; ++k) {
    alarms += verdict_on(normal_scores(40, 1.0, 1000 + static_cast<std::uint32_t>(k))).is_bad() ? 1 : 0;
    missed += verdict_on(normal_scores(40, 1.5, 5000 + static_cast<std::uint32_t>(k))).calibration !=
                      Calibration::too_narrow
                  ? 1
                  : 0;
  }
  EXPECT_LE(alarms, trials / 20);
  EXPECT_LE(missed, trials / 8);
}

// A function of two inputs drawn from a Gaussian process, and people who answer about it.
class World {
 public:
  explicit World(std::uint32_t seed, double lengthscale = 0.8) : random_(seed) {
    const Index n = 80;
    std::uniform_real_distribution<double> uniform(-1.5, 1.5);
    points_.resize(n, 2);
    for (Index i = 0; i < n; ++i) points_.row(i) << uniform(random_), uniform(random_);
    const StationaryKernel kernel(
        {.family = KernelFamily::matern52, .lengthscale = Vector::Constant(1, lengthscale)});
    Matrix covariance = kernel.cross(points_, points_);
    covariance.diagonal().array() += 1e-9;
    Vector independent(n);
    for (double& one : independent) one = normal();
    f_ = covariance.llt().matrixL() * independent;
  }

  std::string pool() const {
    std::string text = "a,b\n";
    for (Index i = 0; i < points_.rows(); ++i)
      text += fmt::format("{:.9g},{:.9g}\n", points_(i, 0), points_(i, 1));
    return text;
  }
  double answer(Index row, double noise_sd) { return f_(row) + noise_sd * normal(); }
  const Vector& truth() const { return f_; }

 private:
  double normal() { return std::normal_distribution<double>()(random_); }

  std::mt19937 random_;
  Points points_;
  Vector f_;
};

struct Finished {
  CalibrationVerdict verdict;
  double factor;  // by which answers anywhere are off, in standard deviations claimed at the end
};

// The rule is tested on campaigns of one structure, chosen for f; benchmarks/truth/verdicts has the others.
const std::string one_structure = "[model]\nstructure = \"plain\"\n[acquisition]\ninformation = \"model\"\n";

// A campaign of two levels whose true noise is `noise` times what is declared.
Finished finish(World& world, const std::string& model, double noise, int answers) {
  Folder folder;
  folder.write("pool.csv", world.pool());
  const std::string study = "[campaign]\nseed = 3\n[pool]\nfile = \"pool.csv\"\n" + model +
                            "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
                            "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 5\n";
  Campaign campaign(Study::open(folder.write("study.toml", study)), make_memory_event_store(),
                    {.threads = 1});
  for (int k = 0; k < answers; ++k)
    for (const Suggestion& asked : campaign.ask().suggestions) {
      Answer answer;
      answer.id = asked.id;
      answer.values = {world.answer(asked.row, noise * (asked.level.name == "coarse" ? 0.3 : 0.1))};
      campaign.tell({answer});
    }
  const StudyModel now = campaign.model();
  const PointsRef pool = campaign.study().pool().points();
  const Marginals belief = GpPosterior(now.prior, Observations(now.observations, pool)).predict(pool);
  // New answers everywhere, at the levels that were bought as often as they were.
  double squares = 0.0, weights = 0.0;
  for (const double declared : {0.3, 0.1}) {
    double bought = 0.0;
    for (const Annotation& one : campaign.annotations())
      bought += one.added_noise == declared * declared ? 1.0 : 0.0;
    for (Index i = 0; i < pool.rows(); ++i) {
      const double claimed = belief.variance(i) + now.nugget + declared * declared;
      squares += bought * std::pow(world.answer(i, noise * declared) - belief.mean(i), 2) / claimed;
      weights += bought;
    }
  }
  return {verdict_on(campaign), std::sqrt(squares / weights)};
}

const std::string given_model =
    "standardise = \"none\"\n[model]\nkernel = \"matern52\"\namplitude = 1\nlengthscale = {}\nmean = 0\nfit "
    "= \"never\"\n";

// Right where the truth is clear: alarmed where intervals are 1.5 times too narrow or worse, not alarmed
// where they are right.
TEST(CalibrationVerdict, IsRightAboutCampaignsThatAreMisspecifiedAndThoseThatAreNot) {
  struct Case {
    std::string name, model;
    double noise;
  };
  const std::vector<Case> cases{
      {"learned, nothing wrong", one_structure, 1.0},
      {"learned, twice the noise", one_structure, 2.0},
      {"given, nothing wrong", fmt::format(fmt::runtime(given_model), 0.8), 1.0},
      {"given, three times the noise", fmt::format(fmt::runtime(given_model), 0.8), 3.0},
      {"given, far too smooth", fmt::format(fmt::runtime(given_model), 6.0), 1.0}};
  int off = 0, noticed = 0, fine = 0, alarmed = 0;
  for (const Case& one : cases)
    for (int k = 0; k < tries(8, 40); ++k) {
      World world(static_cast<std::uint32_t>(7000 + k));
      const Finished end = finish(world, one.model, one.noise, 45);
      if (end.factor >= 1.5) {
        ++off;
        noticed += end.verdict.calibration == Calibration::too_narrow ? 1 : 0;
      } else if (end.factor > 0.8 && end.factor < 1.2) {
        ++fine;
        alarmed += end.verdict.is_bad() ? 1 : 0;
      }
      if (end.factor >= 1.5 ? end.verdict.calibration != Calibration::too_narrow : end.verdict.is_bad())
        std::cout << one.name << " " << k << ": factor " << end.factor << ", " << end.verdict.text() << "\n";
    }
  std::cout << noticed << " of " << off << " noticed, " << alarmed << " of " << fine << " false alarms\n";
  EXPECT_GE(noticed, 0.9 * off);
  EXPECT_LE(alarmed, 0.1 * fine + 1.0);
  EXPECT_GE(off, tries(12, 60));
  EXPECT_GE(fine, tries(12, 60));
}

// Inputs of any unit and answers around 50, as a table of a user has them, without a word about the model.
Campaign raw_campaign(const Folder& folder, const std::string& model, int answers, double bias = 0.0,
                      bool pairs = false) {
  std::string pool = "speed,angle\n";
  for (int s = 0; s < 10; ++s)
    for (int a = 0; a < 10; ++a) pool += fmt::format("{},{}\n", 10 + 32 * s, 10 * a);
  folder.write("pool.csv", pool);
  const std::string study = "[campaign]\nseed = 1\n[pool]\nfile = \"pool.csv\"\n" + model +
                            "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n"
                            "[[level]]\nname = \"fine\"\nnoise_sd = 0.05\ncost = 20\n";
  Campaign campaign(Study::open(folder.write("study.toml", study)), make_memory_event_store(),
                    {.threads = 1});
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int k = 0; k < answers; ++k)
    for (const Suggestion& asked : campaign.ask().suggestions) {
      Answer answer;
      answer.id = asked.id;
      const Index row = pairs ? k / 2 * 7 % 100 : asked.row;
      if (pairs)
        answer.row = row, answer.level = campaign.study().level_named(k % 2 == 0 ? "coarse" : "fine");
      const bool coarse = pairs ? k % 2 == 0 : asked.level.name == "coarse";
      const double* x = campaign.study().pool().point(row);
      answer.values = {50.0 + 8.0 * std::sin(x[0] / 80.0) + 3.0 * std::cos(x[1] / 30.0) +
                       (coarse ? bias + 0.5 * normal(random) : 0.05 * normal(random))};
      campaign.tell({answer});
    }
  return campaign;
}

TEST(CalibrationVerdict, OfOneStructureThatIsLearnedIsGoodOnRawTables) {
  const Folder folder;
  const Campaign campaign = raw_campaign(folder, one_structure, 60);
  const CalibrationVerdict verdict = verdict_on(campaign);
  EXPECT_FALSE(verdict.is_bad()) << verdict.text();
  const StudyModel model = campaign.model();
  const PointsRef pool = campaign.study().pool().points();
  const Vector mean = GpPosterior(model.prior, Observations(model.observations, pool)).mean(pool);
  double squares = 0.0;
  for (Index i = 0; i < pool.rows(); ++i)
    squares +=
        std::pow(50.0 + 8.0 * std::sin(pool(i, 0) / 80.0) + 3.0 * std::cos(pool(i, 1) / 30.0) - mean(i), 2);
  EXPECT_LT(std::sqrt(squares / 100.0), 1.0) << "answers spread by 6";
}

TEST(CalibrationVerdict, OfAGivenModelInOtherUnitsSaysSoAfterAFewAnswersAndNamesTheCure) {
  const Folder folder;
  const Campaign campaign = raw_campaign(folder,
                                         "standardise = \"none\"\n[model]\nkernel = \"rbf\"\namplitude = "
                                         "1\nlengthscale = 1\nmean = 0\nfit = \"never\"\n",
                                         5);
  const CalibrationVerdict verdict = verdict_on(campaign);
  EXPECT_EQ(verdict.calibration, Calibration::too_narrow);
  EXPECT_GT(verdict.low, 10.0);
  EXPECT_NE(verdict.advice.find("let the model learn"), std::string::npos) << verdict.advice;
  EXPECT_NE(status_json(campaign).find("\"calibration\":\"too narrow by a factor of about "),
            std::string::npos);
  EXPECT_NE(status_text(campaign).find("intervals: too narrow"), std::string::npos);
}

// The earlier warning, by all the other answers, said "too wide" of campaigns like this one.
TEST(CalibrationVerdict, OfABiasedLevelThatWasToldBesideAGoodOnePointsAtTheBias) {
  const Folder folder;
  const Campaign campaign = raw_campaign(folder, "repeat = true\n", 40, 2.0, true);
  const CalibrationVerdict verdict = verdict_on(campaign);
  EXPECT_EQ(verdict.calibration, Calibration::too_narrow) << verdict.text();
  EXPECT_NE((verdict.reason + verdict.advice).find("coarse"), std::string::npos) << verdict.text();
}

}  // namespace
}  // namespace acuity::testing::calibration_verdict_test
