#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>

#include "acuity/base/errors.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/campaign_model.hpp"
#include "judgement/calibration_verdict.hpp"
#include "judgement/held_out_scores.hpp"
#include "pages/campaign_page.hpp"
#include "support/program.hpp"
#include "support/thorough.hpp"
#include "text/sentence.hpp"
#include "views/campaign_data.hpp"
#include "views/campaign_status.hpp"

// Studies as people bring them, small: of each the truth is known, so that it can be said whether the verdict
// points in the right direction.

namespace acuity::testing::verdict_situations_test {
namespace {

using Calibration = CalibrationVerdict::Calibration;

// A table of inputs, what is true of each row, and what a level answers there.
struct Situation {
  std::vector<std::string> inputs;
  Points points;
  Vector truth;
  std::string study;  // all but the pool's file
  std::function<Answer(const Suggestion&)> answer;
  bool plan = false;  // the budget is planned
};

std::string csv_of(const std::vector<std::string>& names, const Points& points) {
  std::string text = fmt::format("{}\n", fmt::join(names, ","));
  for (Index i = 0; i < points.rows(); ++i)
    text += fmt::format("{:.9g}\n", fmt::join(points.row(i).begin(), points.row(i).end(), ","));
  return text;
}

// Plans of the budget, choices for the pool and averaged structures are matters of their own: what these
// campaigns buy, and how their intervals come out, was found without them. benchmarks/truth/verdicts has the
// defaults.
std::string pinned(const Situation& situation) {
  std::string study = situation.study;
  const std::string model = "[model]\n";
  if (study.find(model) == std::string::npos) study += model;
  study.insert(study.find(model) + model.size(), "structure = \"plain\"\n");
  const bool is_for_f = study.find("bias = \"learn\"") == std::string::npos &&
                        study.find("repeat = \"same\"") == std::string::npos;
  return study + "[acquisition]\n" + (is_for_f ? "information = \"model\"\n" : "") +
         (situation.plan ? "" : "plan = \"none\"\n");
}

// No sentence has more than 30 words.
void expect_readable(const CalibrationVerdict& verdict) {
  std::istringstream words(verdict.reason);
  EXPECT_LE(std::distance(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()),
            30)
      << verdict.reason;
}

class Played {
 public:
  // `pairs`: that many points are answered at the first and the last level before anything is chosen.
  Played(const Situation& situation, int answers, int pairs = 0) : truth_(situation.truth) {
    folder_.write("pool.csv", csv_of(situation.inputs, situation.points));
    campaign_.emplace(Study::open(folder_.write("study.toml", pinned(situation))), make_memory_event_store(),
                      CampaignOptions{.threads = 1});
    const std::vector<Level>& levels = campaign_->study().offer().levels;
    for (int k = 0; k < answers + 2 * pairs; ++k)
      for (Suggestion asked : campaign_->ask().suggestions) {
        const bool is_pair = k < 2 * pairs;
        if (is_pair) asked.row = k / 2 * 7, asked.level = k % 2 == 0 ? levels.front() : levels.back();
        Answer answer = situation.answer(asked);
        if (is_pair) answer.row = asked.row, answer.level = asked.level;
        answer.id = asked.id;
        campaign_->tell({answer});
      }
    campaign_->ask();  // learns from the last answers, too
  }
  // As `acuity ask C --level fine -n 5` does, with answers to all of it.
  void ask_for(const std::string& level, int count, const Situation& situation) {
    const std::vector<std::int64_t> pending = campaign_->state().pending();
    if (!pending.empty()) campaign_->release(pending, "another level");
    AskOptions options;
    options.count = count;
    options.level = level;
    for (const Suggestion& asked : campaign_->ask(options).suggestions) {
      Answer answer = situation.answer(asked);
      answer.id = asked.id;
      campaign_->tell({answer});
    }
  }
  const Campaign& campaign() const { return *campaign_; }
  CalibrationVerdict verdict() const {
    const CalibrationVerdict found = verdict_on(*campaign_);
    expect_readable(found);
    return found;
  }

  // Errors of f over the whole pool in standard deviations claimed: with and without the nugget.
  double factor(bool with_nugget = false) const {
    const CampaignModel model(campaign_->study(), campaign_->state());
    const Marginals belief = model.posterior().predict(campaign_->study().pool().points());
    const double nugget = with_nugget ? model.study_model().nugget : 0.0;
    return std::sqrt(((truth_ - belief.mean).array().square() / (belief.variance.array() + nugget)).mean());
  }
  // The share of f over the whole pool that is in the 95 % intervals of `predict`.
  double covered() const {
    const AveragedMarginals belief = StudyLearner(campaign_->study())
                                         .averaged(campaign_->model(), campaign_->annotations())
                                         .predict(campaign_->study().pool().points())
                                         .marginals;
    return ((belief.low.array() <= truth_.array()) && (truth_.array() <= belief.high.array()))
        .cast<double>()
        .mean();
  }
  HeldOut held_out(const std::string& table) const {
    return read_held_out(folder_.write("test.csv", table), campaign_->study());
  }
  double error() const {
    const CampaignModel model(campaign_->study(), campaign_->state());
    return std::sqrt((truth_ - model.posterior().predict(campaign_->study().pool().points()).mean)
                         .array()
                         .square()
                         .mean());
  }

 private:
  Folder folder_;
  std::optional<Campaign> campaign_;
  Vector truth_;
};

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  double normal() { return normal_(engine_); }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
};

Answer value(double y) {
  Answer answer;
  answer.values = {y};
  return answer;
}

Situation raw_table(std::uint32_t seed) {
  Situation s{.inputs = {"speed", "angle"}, .points = Points(120, 2), .truth = Vector(120)};
  auto random = std::make_shared<Random>(seed);
  for (Index i = 0; i < 120; ++i) {
    s.points.row(i) << random->uniform(10, 300), random->uniform(0, 90);
    s.truth(i) = 50.0 + 8.0 * std::sin(s.points(i, 0) / 80.0) + 3.0 * std::cos(s.points(i, 1) / 30.0);
  }
  s.study =
      "[campaign]\nseed = 1\nbudget = 1000\n[pool]\nfile = \"pool.csv\"\n[[level]]\nname = "
      "\"coarse\"\nnoise_sd = 0.5\ncost = 1\n"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.05\ncost = 20\n";
  s.answer = [truth = s.truth, random](const Suggestion& asked) {
    return value(truth(asked.row) + (asked.level.name == "fine" ? 0.05 : 0.5) * random->normal());
  };
  return s;
}

// Drag over four inputs on three meshes: the error of a mesh is a smooth field, and jitter of half of what
// was declared.
// `bias_line` is a line of every level.
Situation meshes(std::uint32_t seed, bool same, bool repeat, double declared = 1.0,
                 const std::string& bias_line = "bias = \"none\"\n") {
  const Index n = 250;
  Situation s{.inputs = {"mach", "aoa", "log_re", "flap"}, .points = Points(n, 4), .truth = Vector(n)};
  auto random = std::make_shared<Random>(seed);
  std::vector<Vector> bias(3, Vector::Zero(n));
  const double phase = random->uniform(0, 3);
  for (Index i = 0; i < n; ++i) {
    const double mach = random->uniform(0.2, 0.85), aoa = random->uniform(-4, 14), re = random->uniform(6, 8),
                 flap = random->uniform(0, 30);
    s.points.row(i) << mach, aoa, re, flap;
    s.truth(i) = 0.02 + 0.0004 * aoa * aoa + 0.03 * std::pow(mach, 4) - 0.0015 * (re - 7) + 0.0002 * flap;
    bias[0](i) = 0.0031 * (0.7 + 0.9 * std::sin(3 * mach + phase) + 0.4 * std::cos(aoa / 5));
    bias[1](i) = 0.00094 * (0.7 + 0.9 * std::sin(2 * mach + phase) + 0.4 * std::cos(aoa / 6));
  }
  const std::string kind = same ? "repeat = \"same\"\n" + bias_line : bias_line;
  s.study = fmt::format(
      "[campaign]\nseed = 1\nbudget = 600\n[pool]\nfile = \"pool.csv\"\n{1}"
      "[[level]]\nname = \"coarse\"\nnoise_sd = {2}\ncost = 1\n{0}"
      "[[level]]\nname = \"medium\"\nnoise_sd = {3}\ncost = 8\n{0}"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.000096\ncost = 64\n{0}",
      kind, repeat ? "repeat = true\n" : "", 0.0012 * declared, 0.00036 * declared);
  s.answer = [truth = s.truth, bias, random](const Suggestion& asked) {
    const int level = asked.level.name == "coarse" ? 0 : asked.level.name == "medium" ? 1 : 2;
    const double jitter = level == 0 ? 0.0006 : level == 1 ? 0.00018 : 0.00005;
    return value(truth(asked.row) + bias[static_cast<std::size_t>(level)](asked.row) +
                 jitter * random->normal());
  };
  return s;
}

Situation dose(std::uint32_t seed, bool reported, bool fit_noise) {
  const Index n = 250;
  Situation s{.inputs = {"e", "t1", "t2", "r"}, .points = Points(n, 4), .truth = Vector(n)};
  auto random = std::make_shared<Random>(seed);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < 4; ++k) s.points(i, k) = random->uniform(0, k == 1 ? 20 : 5);
    s.truth(i) = -0.06 * s.points(i, 1) - 0.3 * s.points(i, 2) - 2 * std::log10(1 + s.points(i, 3)) +
                 0.5 * std::sin(s.points(i, 0));
  }
  s.study = fmt::format(
      "[campaign]\nseed = 1\nbudget = 400\n[pool]\nfile = \"pool.csv\"\n[model]\nfit_noise = {}\n"
      "[[level]]\nname = \"1e4\"\nnoise_sd = 0.2\ncost = 1\n"
      "[[level]]\nname = \"1e5\"\nnoise_sd = 0.063\ncost = 4\n"
      "[[level]]\nname = \"1e6\"\nnoise_sd = 0.02\ncost = 30\n",
      fit_noise);
  s.answer = [truth = s.truth, random, reported](const Suggestion& asked) {
    const double declared = asked.level.name == "1e4" ? 0.2 : asked.level.name == "1e5" ? 0.063 : 0.02;
    const double sd = 2 * declared * (reported ? random->uniform(0.7, 1.4) : 1.0);
    Answer answer = value(truth(asked.row) + sd * random->normal());
    if (reported) answer.channel = GaussianChannel{sd * sd};
    return answer;
  };
  return s;
}

Situation lab(std::uint32_t seed) {
  Situation s{.inputs = {"t", "conc", "time", "DMF", "THF", "MeCN", "DMSO", "DBU", "TEA", "K2CO3"}};
  auto random = std::make_shared<Random>(seed);
  std::vector<std::array<double, 10>> rows;
  for (int solvent = 0; solvent < 4; ++solvent)
    for (int base = 0; base < 3; ++base)
      for (int t = 0; t < 4; ++t)
        for (int c = 0; c < 3; ++c)
          for (int h = 0; h < 3; ++h) {
            std::array<double, 10> row{20.0 + 20 * t, -2.3 + 0.7 * c, 2.0 + 5.0 * h};
            row[static_cast<std::size_t>(3 + solvent)] = 1;
            row[static_cast<std::size_t>(7 + base)] = 1;
            rows.push_back(row);
          }
  const auto n = static_cast<Index>(rows.size());
  s.points.resize(n, 10);
  s.truth.resize(n);
  const double of_solvent[] = {0, 14, 9, -6}, of_base[] = {12, -8, 0}, best_t[] = {60, 50, 65, 45};
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < 10; ++k)
      s.points(i, k) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
    int solvent = 0, base = 0;
    for (int k = 0; k < 4; ++k)
      if (s.points(i, 3 + k) > 0) solvent = k;
    for (int k = 0; k < 3; ++k)
      if (s.points(i, 7 + k) > 0) base = k;
    const double t = s.points(i, 0);
    s.truth(i) = 55 + of_solvent[solvent] + of_base[base] - 0.02 * std::pow(t - best_t[solvent], 2) +
                 4 * s.points(i, 1) + 0.8 * s.points(i, 2) + (solvent == 1 && base == 1 ? 12 : 0);
  }
  s.study =
      "[campaign]\nseed = 1\nbudget = 2500\n[pool]\nfile = \"pool.csv\"\n"
      "[[level]]\nname = \"x1\"\nnoise_sd = 4\ncost = 52\n[[level]]\nname = \"x2\"\nnoise_sd = 2.83\ncost = "
      "64\n"
      "[[level]]\nname = \"x4\"\nnoise_sd = 2\ncost = 88\n[[level]]\nname = \"x8\"\nnoise_sd = 1.41\ncost = "
      "136\n";
  s.answer = [truth = s.truth, random](const Suggestion& asked) {
    return value(truth(asked.row) + std::sqrt(noise_variance(asked.level.channel)) * random->normal());
  };
  return s;
}

Situation people(std::uint32_t seed) {
  const Index n = 200;
  Situation s{.inputs = {"a", "b", "c", "d"}, .points = Points(n, 4), .truth = Vector(n)};
  auto random = std::make_shared<Random>(seed);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < 4; ++k) s.points(i, k) = random->normal();
    s.truth(i) = s.points(i, 0) + s.points(i, 1) * s.points(i, 2) > 0 ? 1 : -1;
  }
  s.study =
      "[campaign]\nseed = 1\nbudget = 60\n[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n"
      "[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost = 0.1\n[[level]]\nname = \"trained\"\naccuracy = "
      "0.92\ncost = 0.4\n"
      "[[level]]\nname = \"expert\"\naccuracy = 0.99\ncost = 2\n";
  s.answer = [truth = s.truth, random](const Suggestion& asked) {
    const double accuracy = std::get<FlipChannel>(asked.level.channel).accuracy();
    return value(random->uniform(0, 1) < accuracy ? truth(asked.row) : -truth(asked.row));
  };
  return s;
}

Situation dft(std::uint32_t seed) {
  const Index n = 250;
  Situation s{.inputs = {}, .points = Points(n, 8), .truth = Vector(n)};
  auto random = std::make_shared<Random>(seed);
  for (int k = 0; k < 8; ++k) s.inputs.push_back(fmt::format("d{}", k));
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < 8; ++k) s.points(i, k) = random->normal();
    s.truth(i) = 40 * std::sin(s.points(i, 0)) + 20 * s.points(i, 1) + 15 * std::cos(s.points(i, 2)) +
                 8 * s.points(i, 3);
  }
  s.study =
      "[campaign]\nseed = 1\nbudget = 300\n[pool]\nfile = \"pool.csv\"\n"
      "[[level]]\nname = \"cheap\"\nnoise_sd = 10\ncost = 0.1\n[[level]]\nname = \"medium\"\nnoise_sd = "
      "4\ncost = 0.6\n"
      "[[level]]\nname = \"dear\"\nnoise_sd = 1\ncost = 4\n";
  s.answer = [truth = s.truth, random](const Suggestion& asked) {
    const double offset = asked.level.name == "cheap" ? 22 : asked.level.name == "medium" ? 4 : 0;
    return value(truth(asked.row) + offset +
                 0.5 * std::sqrt(noise_variance(asked.level.channel)) * random->normal());
  };
  return s;
}

bool is(const CalibrationVerdict& verdict, Calibration calibration) {
  return verdict.calibration == calibration;
}

std::string table_of(const Situation& s, const Vector& y, const std::string& column = "",
                     const std::string& cell = "") {
  std::string text = fmt::format("{},y{}{}\n", fmt::join(s.inputs, ","), column.empty() ? "" : ",", column);
  for (Index i = 0; i < y.size(); ++i)
    text += fmt::format("{:.9g},{:.9g}{}{}\n", fmt::join(s.points.row(i).begin(), s.points.row(i).end(), ","),
                        y(i), cell.empty() ? "" : ",", cell);
  return text;
}

TEST(VerdictSituations, ATableInAnyUnitIsNoFalseAlarm) {
  const Situation raw = raw_table(0);
  const Played played(raw, 60);
  EXPECT_LT(played.error(), 0.5) << "answers spread by 6";
  EXPECT_LT(played.factor(true), 1.3);
  EXPECT_NEAR(played.covered(), 0.93, 0.04);
  EXPECT_TRUE(is(played.verdict(), Calibration::good)) << played.verdict().text();
}

// 0.1 said "too wide" of such campaigns.
TEST(VerdictSituations, BiasedMeshesAreNeverTooWideOrGood) {
  for (const std::uint32_t seed : {0U, 2U})
    for (const auto& [same, plan] : {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
      Situation situation = meshes(seed, same, false);
      situation.plan = plan;
      const Played played(situation, 70);
      ASSERT_GT(played.factor(), plan ? 1.5 : 2.0) << seed;
      const CalibrationVerdict verdict = played.verdict();
      EXPECT_FALSE(is(verdict, Calibration::too_wide) || is(verdict, Calibration::good)) << verdict.text();
      if (is(verdict, Calibration::cannot_tell)) {
        EXPECT_NE(verdict.reason.find("an error that all answers at "), std::string::npos) << verdict.text();
        const bool can_pay = played.campaign().state().free() >= 5 * 64;
        EXPECT_EQ(verdict.advice, same ? "let the model learn the bias of coarse, or declare its whole "
                                         "error as noise (bias = \"learn\" in level coarse, or noise_sd "
                                         "of coarse)"
                                  : can_pay
                                      ? "5 more answers of fine would tell, for about 320 (acuity ask C "
                                        "--level fine -n 5)"
                                      : "")
            << verdict.text();
      } else {
        EXPECT_EQ(verdict.evidence_name(), "levels");
        EXPECT_NE(verdict.advice.find("noise_sd of "), std::string::npos) << verdict.text();
      }
    }
}

// What the advice buys settles what it is about.
TEST(VerdictSituations, FiveAnswersOfTheFinestLevelShowTheErrorOfTheOthers) {
  const Situation situation = meshes(0, false, false);
  Played played(situation, 70);
  ASSERT_NE(played.verdict().advice.find("--level fine -n 5"), std::string::npos) << played.verdict().text();
  played.ask_for("fine", 5, situation);
  EXPECT_GT(played.factor(), 1.5);
  EXPECT_TRUE(is(played.verdict(), Calibration::too_narrow)) << played.verdict().text();
}

// Levels that repeat themselves have a bias unless the study says none. With a few answers at the finest mesh
// the model knows it, and levels that differ at the same points are no disagreement.
TEST(VerdictSituations, BiasedMeshesWhoseBiasIsLearnedHaveCalibratedIntervals) {
  for (const std::uint32_t seed : {0U, 2U}) {
    const Played played(meshes(seed, true, false, 1.0, ""), 70, 6);
    EXPECT_GT(played.factor(true), 0.5) << seed;
    EXPECT_LT(played.factor(true), 1.6) << seed;
    const CalibrationVerdict verdict = played.verdict();
    EXPECT_FALSE(verdict.is_bad()) << verdict.text();
    EXPECT_EQ(status_text(played.campaign()).find("MORE THAN NOISE"), std::string::npos);
  }
}

// Answers of cheap meshes are predicted well, but the error that they share is in none of them.
TEST(VerdictSituations, BiasedMeshesAreNotCalledGoodWithoutAnswersOfTheReferenceLevel) {
  for (const std::uint32_t seed : {0U, 1U, 2U, 3U}) {
    const Played played(meshes(seed, true, false, 1.0, ""), 60, 2);
    const CalibrationVerdict verdict = played.verdict();
    EXPECT_FALSE(is(verdict, Calibration::good) || is(verdict, Calibration::too_wide)) << verdict.text();
    EXPECT_EQ(verdict.about_name(), "reference");
    if (!is(verdict, Calibration::cannot_tell)) continue;
    EXPECT_NE(verdict.reason.find("predicted before they came, 8 are needed"), std::string::npos)
        << verdict.text();
    EXPECT_TRUE(verdict.advice.empty() ||
                verdict.advice.find("acuity ask C --level fine -n ") != std::string::npos)
        << verdict.text();
  }
}

// With the root mean square error of a pilot as noise_sd, as the guide teaches it.
TEST(VerdictSituations, BiasedMeshesWithThePilotsErrorAreNotCalledTooWide) {
  for (const std::uint32_t seed : {0U, 2U}) {
    const Played played(meshes(seed, true, false, 2.8), 70);
    ASSERT_GT(played.factor(), 1.5) << seed;
    const CalibrationVerdict verdict = played.verdict();
    EXPECT_FALSE(is(verdict, Calibration::too_wide) || is(verdict, Calibration::good)) << verdict.text();
  }
}

TEST(VerdictSituations, BiasedMeshesAtTheSamePointsAreTooNarrowByANumber) {
  const Played played(meshes(2, false, true), 40, 6);
  ASSERT_GT(played.factor(), 2.0);
  const CalibrationVerdict verdict = played.verdict();
  EXPECT_TRUE(is(verdict, Calibration::too_narrow)) << verdict.text();
  EXPECT_EQ(verdict.evidence_name(), "levels");
  EXPECT_NE(verdict.reason.find("judged by two levels at the same points: coarse reads"), std::string::npos)
      << verdict.text();
  EXPECT_GT(verdict.factor, 1.5);
  EXPECT_LT(verdict.low, verdict.factor);
  EXPECT_GT(verdict.high, verdict.factor);
}

TEST(VerdictSituations, MonteCarloWithReportedErrorsIsGood) {
  const Played played(dose(0, true, false), 80);
  EXPECT_LT(played.factor(), 1.3);
  EXPECT_NEAR(played.covered(), 0.96, 0.03);
  EXPECT_TRUE(is(played.verdict(), Calibration::good)) << played.verdict().text();
}

TEST(VerdictSituations, TwiceTheDeclaredNoiseIsNoticedOrLearned) {
  const Played declared(dose(1, false, false), 80);
  EXPECT_LT(declared.covered(), 0.92);
  EXPECT_TRUE(is(declared.verdict(), Calibration::too_narrow)) << declared.verdict().text();
  EXPECT_NE(declared.verdict().advice.find("fit_noise"), std::string::npos) << declared.verdict().text();
  const Played learned(dose(1, false, true), 80);
  EXPECT_LT(learned.factor(), 1.3);
  EXPECT_FALSE(learned.verdict().is_bad()) << learned.verdict().text();
  // Factors are of noise variances; what they do not take the nugget does.
  const StudyModel model = learned.campaign().model();
  ASSERT_TRUE(model.learned);
  const double coarse = noise_variance(model.offer.levels[0].channel) + model.nugget;
  EXPECT_GT(std::sqrt(coarse), 1.4 * 0.2) << "twice 0.2 is true";
}

// One length scale for inputs of which some hardly matter: a worse model, not an overconfident one.
TEST(VerdictSituations, MonteCarloWithOneLengthScaleIsNotCalledGoodWhereItIsNot) {
  Situation shared = dose(0, true, false);
  shared.study.replace(shared.study.find("[model]\n"), 8, "[model]\nlengthscale = 2.0\n");
  const Played played(shared, 80);
  const CalibrationVerdict verdict = played.verdict();
  EXPECT_FALSE(is(verdict, Calibration::too_wide)) << verdict.text();
  if (is(verdict, Calibration::good)) {
    EXPECT_LT(played.factor(true), 1.4) << verdict.text();
  }
}

// Guessed scales that are far too large: cautious intervals, and the advice is to learn.
TEST(VerdictSituations, AModelOfALabThatIsGuessedIsNeverTooNarrow) {
  Situation guessed = lab(2);
  guessed.study.replace(guessed.study.find("[[level]]"), 0,
                        "[model]\namplitude = 60\nlengthscale = 3\nfit = \"never\"\n");
  const Played played(guessed, 45);
  ASSERT_LT(played.factor(), 1.0);
  const CalibrationVerdict verdict = played.verdict();
  EXPECT_FALSE(is(verdict, Calibration::too_narrow)) << verdict.text();
  if (is(verdict, Calibration::too_wide)) {
    EXPECT_NE(verdict.advice.find("let the model learn"), std::string::npos) << verdict.text();
  }
}

TEST(VerdictSituations, AFewAnswersOfALabAreNotCalledGoodWhereTheyAreNot) {
  const Situation conditions = lab(2);
  const Played played(conditions, 42);
  ASSERT_GT(played.factor(), 1.5);
  EXPECT_FALSE(is(played.verdict(), Calibration::good) || is(played.verdict(), Calibration::too_wide))
      << played.verdict().text();
  const CampaignData data = campaign_data(played.campaign());
  for (const std::string& warning : data.warnings)
    EXPECT_EQ(warning.find("not seem to matter"), std::string::npos) << warning;
  ASSERT_EQ(data.importance.size(), 10U);
  for (const Importance& one : data.importance)
    if (one.input == "t") {
      EXPECT_GT(one.total, 0.05) << "it moves the yield by 30 %";
    }
}

TEST(VerdictSituations, PeopleAreLearnedWithoutABoundAndJudgedByTheirSurprise) {
  const Situation crowd = people(0);
  const Played played(crowd, 100);
  ASSERT_TRUE(played.campaign().state().fitted());
  EXPECT_TRUE(played.campaign().state().fitted()->converged);
  EXPECT_LT(std::exp(played.campaign().state().fitted()->log_parameters[0]), 50.0) << "the bound is 100";
  const StudyModel model = played.campaign().model();
  const EpPosterior posterior(model.prior, Observations(model.observations, crowd.points));
  EXPECT_TRUE(posterior.converged());
  const Vector probability = CampaignModel(played.campaign().study(), played.campaign().state())
                                 .posterior()
                                 .expectation(crowd.points);
  // Labels are as surprising as expected, and yet 94 % of the predicted classes are right where 85 % are
  // claimed: it was called good.
  const double right = ((probability.array() - 0.5) * crowd.truth.array() > 0.0).cast<double>().mean();
  const double claimed = probability.cwiseMax((1.0 - probability.array()).matrix()).mean();
  EXPECT_GT(right, claimed + 0.05);
  EXPECT_EQ(played.verdict().words(), "too unsure") << played.verdict().text();
  EXPECT_TRUE(played.verdict().reason.starts_with("probabilities fit the last 60 labels"))
      << played.verdict().text();

  EXPECT_GT((probability.array() - 0.5).matrix().cwiseProduct(crowd.truth).cwiseSign().mean(), 0.3);
  const CalibrationVerdict by_truth =
      verdict_on(played.campaign(), played.held_out(table_of(crowd, crowd.truth)));
  EXPECT_EQ(by_truth.evidence_name(), "held-out");
  EXPECT_NE(by_truth.words(), "too sure") << by_truth.text();
  // What is said of the labels and the word do not contradict each other.
  for (const Vector& labels :
       {crowd.truth, Vector(probability.array().unaryExpr([](double p) { return p > 0.5 ? 1.0 : -1.0; }))}) {
    const CalibrationVerdict one = verdict_on(played.campaign(), played.held_out(table_of(crowd, labels)));
    EXPECT_EQ(one.reason.find("fit them") != std::string::npos, !one.is_bad()) << one.text();
    EXPECT_EQ(one.reason.find("surprising") != std::string::npos, one.is_bad()) << one.text();
  }
  // The opposite class wherever the model is sure: nothing could be more surprising.
  const Vector opposite = (0.5 - probability.array()).sign();
  const CalibrationVerdict wrong = verdict_on(played.campaign(), played.held_out(table_of(crowd, opposite)));
  expect_readable(wrong);
  EXPECT_EQ(wrong.words(), "too sure") << wrong.text();
  EXPECT_NE(wrong.reason.find("they are more surprising"), std::string::npos) << wrong.reason;
  EXPECT_NE(wrong.reason.find("judged by 200 held-out labels of test.csv"), std::string::npos)
      << wrong.reason;
}

TEST(VerdictSituations, OffsetsOfMethodsAreSeenWithoutCommonPoints) {
  const Played played(dft(0), 100);
  ASSERT_GT(played.factor(), 2.0);
  EXPECT_TRUE(level_offsets(played.campaign().study(), played.campaign().state()).empty());
  const CalibrationVerdict verdict = played.verdict();
  EXPECT_TRUE(is(verdict, Calibration::too_narrow)) << verdict.text();
  EXPECT_NE(verdict.advice.find("noise_sd of cheap"), std::string::npos) << verdict.text();
}

// What status prints and what the page warns of is the verdict, of whichever kind.
TEST(VerdictSituations, EveryUserIsToldTheVerdict) {
  for (const Situation& situation :
       {raw_table(0), meshes(0, false, false), dose(1, false, false), lab(2), people(0), dft(0)}) {
    const Played played(situation, 40);
    const CalibrationVerdict verdict = played.verdict();
    EXPECT_NE(status_text(played.campaign(), StatusExtent::details).find(verdict.text()), std::string::npos)
        << verdict.text();
    const CampaignData data = campaign_data(played.campaign());
    const bool is_warned =
        std::any_of(data.warnings.begin(), data.warnings.end(), [&](const std::string& one) {
          return one.find(verdict.words()) != std::string::npos &&
                 one.find(without_last_parentheses(verdict.advice)) != std::string::npos;
        });
    EXPECT_EQ(is_warned, verdict.is_bad()) << verdict.text();
  }
}

// The page and the warning contradicted each other: the head measured on the table, the warning did not.
TEST(HeldOutVerdict, GoesFirstAndAgreesWithTheHeadOfThePage) {
  const Situation s = meshes(0, false, false);
  const Played played(s, 70);
  const CampaignData data = campaign_data(played.campaign(), played.held_out(table_of(s, s.truth)));
  EXPECT_TRUE(is(data.verdict, Calibration::too_narrow)) << data.verdict.text();
  EXPECT_EQ(data.verdict.evidence_name(), "held-out");
  EXPECT_NE(data.verdict.reason.find("judged by 250 held-out points of test.csv"), std::string::npos);
  EXPECT_GT(data.course.errors.back().error, 1.5 * data.course.errors.back().expected);
  const std::string page = campaign_page(data, campaign_figures(data), {"0", "acuity report"});
  EXPECT_NE(page.find("too narrow by a factor of about"), std::string::npos);
  EXPECT_EQ(page.find("too wide"), std::string::npos);
}

// Of tables with any noise: where the page's error is above what is expected the verdict is not "too wide",
// where it is below not "too narrow", and where it is far off not "good".
// A right model may miss a table, whose points are wrong together: about the table the verdict says so.
TEST(HeldOutVerdict, SaysNoWhereMuchOfTheTableIsOutside) {
  const Situation situation = meshes(0, true, false, 1.0, "");
  const Played played(situation, 40, 2);
  const CampaignModel model(played.campaign().study(), played.campaign().state());
  const Marginals belief = model.posterior().predict(situation.points);
  std::string table = fmt::format("{},y,noise_sd\n", fmt::join(situation.inputs, ","));
  for (Index i = 0; i < situation.points.rows(); ++i) {
    const double error = i % 4 == 0 ? 2.2 : 0.4;  // 75 % are inside
    const auto row = situation.points.row(i);
    table += fmt::format("{:.9g},{:.9g},0\n", fmt::join(row.begin(), row.end(), ","),
                         belief.mean(i) + error * std::sqrt(belief.variance(i)));
  }
  const CalibrationVerdict verdict = verdict_on(played.campaign(), played.held_out(table));
  expect_readable(verdict);
  EXPECT_TRUE(is(verdict, Calibration::too_narrow)) << verdict.text();
  EXPECT_EQ(verdict.about_name(), "test");
}

TEST(HeldOutVerdict, NeverContradictsTheErrorBesideIt) {
  const Situation s = raw_table(3);
  const Played played(s, 40);
  Random random(4);
  for (const double noise : {0.0, 0.05, 0.2, 0.5, 1.5, 6.0})
    for (const double scale : {1.0, 0.05, 8.0}) {
      const Marginals belief =
          CampaignModel(played.campaign().study(), played.campaign().state()).posterior().predict(s.points);
      Vector y = belief.mean + scale * (s.truth - belief.mean);
      for (double& one : y) one += noise * random.normal();
      const CampaignData data = campaign_data(played.campaign(), played.held_out(table_of(s, y)));
      const double ratio = data.course.errors.back().error / data.course.errors.back().expected;
      EXPECT_FALSE(is(data.verdict, Calibration::too_wide) && ratio > 1.0) << data.verdict.text();
      EXPECT_FALSE(is(data.verdict, Calibration::too_narrow) && ratio < 1.0) << data.verdict.text();
      EXPECT_FALSE(is(data.verdict, Calibration::good) && ratio > 1.9) << data.verdict.text();
    }
}

TEST(HeldOutVerdict, NoiseOfTheTableIsNotTakenForErrorsOfTheModel) {
  const Situation s = raw_table(0);
  const Played played(s, 60);
  const auto verdict = [&](double noise, const std::string& column = "", const std::string& cell = "") {
    Random random(7);
    Vector y = s.truth;
    for (double& one : y) one += noise * random.normal();
    return verdict_on(played.campaign(), played.held_out(table_of(s, y, column, cell)));
  };
  EXPECT_FALSE(verdict(0.0).is_bad()) << verdict(0.0).text();
  EXPECT_FALSE(verdict(0.0, "noise_sd", "0").is_bad()) << verdict(0.0, "noise_sd", "0").text();
  EXPECT_FALSE(verdict(0.05).is_bad()) << verdict(0.05).text();
  // As noisy as the coarsest level, and nobody says it.
  EXPECT_TRUE(is(verdict(0.5), Calibration::cannot_tell)) << verdict(0.5).text();
  EXPECT_NE(verdict(0.5).advice.find("add a column noise_sd, 0 if they are exact, or level"),
            std::string::npos);
  EXPECT_TRUE(is(verdict(0.5, "noise_sd", "0.5"), Calibration::good))
      << verdict(0.5, "noise_sd", "0.5").text();
  EXPECT_TRUE(is(verdict(0.5, "noise_variance", "0.25"), Calibration::good));
  EXPECT_TRUE(is(verdict(0.5, "level", "coarse"), Calibration::good))
      << verdict(0.5, "level", "coarse").text();
  EXPECT_TRUE(is(verdict(0.5, "noise_sd", "0"), Calibration::too_narrow)) << "it was said to be exact";
  EXPECT_THROW(verdict(0.5, "noise_sd", "-1"), InputError);
  EXPECT_THROW(verdict(0.5, "level", "finer"), InputError);
}

// A function drawn from the model that the campaign uses, and a table of it as long as you like.
TEST(HeldOutVerdict, IsRarelyAlarmedAboutARightModelAndNoticesAWrongOne) {
  int alarms = 0, noticed = 0;
  const int worlds = tries(12, 60);
  for (int k = 0; k < worlds; ++k) {
    Random random(static_cast<std::uint32_t>(100 + k));
    const Index n = 120;
    Situation s{.inputs = {"a", "b"}, .points = Points(n, 2), .truth = Vector(n)};
    for (Index i = 0; i < n; ++i) s.points.row(i) << random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5);
    const StationaryKernel kernel(
        {.family = KernelFamily::matern52, .lengthscale = Vector::Constant(1, 0.8)});
    Matrix covariance = kernel.cross(s.points, s.points);
    covariance.diagonal().array() += 1e-9;
    Vector independent(n);
    for (double& one : independent) one = random.normal();
    s.truth = Eigen::LLT<Matrix>(covariance).matrixL() * independent;
    const auto verdict = [&](double lengthscale) {
      s.study = fmt::format(
          "[campaign]\nseed = 3\n[pool]\nfile = \"pool.csv\"\nstandardise = \"none\"\n[model]\nkernel = "
          "\"matern52\"\namplitude = 1\nlengthscale = {}\nmean = 0\nfit = \"never\"\n[noise]\nnugget = 0\n"
          "[[level]]\nname = \"only\"\nnoise_sd = 0.1\ncost = 1\n",
          lengthscale);
      s.answer = [&](const Suggestion& asked) { return value(s.truth(asked.row) + 0.1 * random.normal()); };
      const Played played(s, 25);
      return verdict_on(played.campaign(), played.held_out(table_of(s, s.truth, "noise_sd", "0")));
    };
    alarms += verdict(0.8).is_bad() ? 1 : 0;
    noticed += is(verdict(5.0), Calibration::too_narrow) ? 1 : 0;
  }
  EXPECT_LE(alarms, 0.1 * worlds + 1.0);
  EXPECT_GE(noticed, 0.9 * worlds);
}

TEST(HeldOutVerdict, NeighboursDoNotCountTwice) {
  const Situation s = raw_table(1);
  const Played played(s, 30);
  // The slow twin: n^2 / sum of squared correlations, by the definition.
  const HeldOut table = played.held_out(table_of(s, s.truth, "noise_sd", "0.1"));
  const CampaignModel model(played.campaign().study(), played.campaign().state());
  const HeldOutScores scores = held_out_scores(
      played.campaign().study(), model, model.posterior().predict(table.points), table, TableNoise::finest);
  const StudyModel now = played.campaign().model();
  Matrix covariance =
      GpPosterior(now.prior, Observations(now.observations, s.points)).covariance(s.points, s.points);
  covariance.diagonal() = scores.variance;
  const Vector scale = covariance.diagonal().cwiseSqrt().cwiseInverse();
  const double squares = (scale.asDiagonal() * covariance * scale.asDiagonal()).squaredNorm();
  EXPECT_NEAR(independent_points(model, table, scores), 120.0 * 120.0 / squares, 1e-6);

  // One point, two hundred times, is not two hundred points.
  std::string same = "speed,angle,y,noise_sd\n";
  for (int k = 0; k < 200; ++k)
    same += fmt::format("100,40,{},0\n", model.posterior().predict(Points{{100.0, 40.0}}).mean(0) + 0.3);
  const HeldOut one = played.held_out(same);
  const HeldOutScores of_one = held_out_scores(
      played.campaign().study(), model, model.posterior().predict(one.points), one, TableNoise::finest);
  EXPECT_LT(independent_points(model, one, of_one), 20.0) << "more than one by the nugget";
  const CalibrationVerdict verdict = verdict_on(played.campaign(), one);
  expect_readable(verdict);
  EXPECT_FALSE(is(verdict, Calibration::good));
}

}  // namespace
}  // namespace acuity::testing::verdict_situations_test
