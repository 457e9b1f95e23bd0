// What answers can be, and how the model sees them (docs/math.md 22).
#include "acuity/study/answer_scale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "acuity/acquisition/regression_information.hpp"
#include "acuity/base/errors.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/study/study_learner.hpp"
#include "annotation/simulated_annotator.hpp"
#include "support/program.hpp"

namespace acuity::answer_scale_test {
namespace {

const AnswerScale fraction(TargetScale::fraction), rate(TargetScale::rate);

// log P(count | t) with n trials, or the exposure n, at the value t of the model.
double log_probability(const AnswerScale& scale, double n, double count, double t) {
  const double least = 1e-9;  // beyond the ends f is moved to them
  if (scale.kind() == TargetScale::rate) {
    const double expected = std::pow(std::max(t, least), 2.0) * n;
    return count * std::log(expected) - expected - std::lgamma(count + 1.0);
  }
  const double p = std::pow(std::sin(std::clamp(t, least, std::numbers::pi / 2.0 - least)), 2.0);
  return std::lgamma(n + 1.0) - std::lgamma(count + 1.0) - std::lgamma(n - count + 1.0) +
         count * std::log(p) + (n - count) * std::log1p(-p);
}

// I(count; t) of t ~ N(mean, sd^2), summed over all counts and over t: the slow twin of eq. (22.1).
double exact_information(const AnswerScale& scale, double n, double mean, double sd) {
  constexpr int nodes = 241;
  const double most = scale.kind() == TargetScale::rate ? 1.5 * std::pow(mean + 7.0 * sd, 2.0) * n + 60.0 : n;
  double of_counts = 0.0, given_t = 0.0, all = 0.0;
  for (int i = 0; i < nodes; ++i) all += std::exp(-0.5 * std::pow(-7.0 + 14.0 * i / (nodes - 1), 2.0));
  for (double count = 0.0; count <= most; ++count) {
    double marginal = 0.0;
    for (int i = 0; i < nodes; ++i) {
      const double z = -7.0 + 14.0 * i / (nodes - 1), weight = std::exp(-0.5 * z * z) / all;
      const double log_p = log_probability(scale, n, count, mean + sd * z), p = std::exp(log_p);
      marginal += weight * p;
      if (p > 0.0) given_t -= weight * p * log_p;
    }
    if (marginal > 0.0) of_counts -= marginal * std::log(marginal);
  }
  return of_counts - given_t;
}

TEST(AnswerScale, InformationOfCountsIsThatOfTheirRoot) {
  for (const double n : {50.0, 200.0})
    for (const double sd : {0.05, 0.1}) {
      const double fast = model_information(sd * sd, 0.0, AnswerScale::variance_of(n));
      const double near_half = exact_information(fraction, n, std::numbers::pi / 4.0, sd);
      EXPECT_NEAR(fast / near_half, 1.0, 0.005) << n << " trials, sd " << sd;
      const double at_a_third = exact_information(fraction, n, std::asin(std::sqrt(0.3)), sd);
      EXPECT_NEAR(fast / at_a_third, 1.0, 0.005) << n << " trials, sd " << sd;
    }
  const double fast = model_information(0.01, 0.0, AnswerScale::variance_of(100.0));
  EXPECT_NEAR(fast / exact_information(rate, 100.0, std::sqrt(0.4), 0.1), 1.0, 0.005);
}

// Of rare events the root promises too much, by as much as docs/math.md says.
TEST(AnswerScale, InformationOfRareEventsIsTooLarge) {
  const double fast = model_information(0.01, 0.0, AnswerScale::variance_of(100.0));
  const double ratio = fast / exact_information(fraction, 100.0, std::asin(std::sqrt(0.03)), 0.1);
  EXPECT_GT(ratio, 1.05);
  EXPECT_LT(ratio, 1.09);
}

struct Moments {
  double bias = 0.0, variance = 0.0;  // in units of the noise that is assumed
};

Moments moments(double n, double p) {
  const GaussianChannel channel{AnswerScale::variance_of(n)};
  const double t = fraction.to_model(p);
  double first = 0.0, second = 0.0;
  for (double k = 0.0; k <= n; ++k) {
    const double weight = std::exp(log_probability(fraction, n, k, t));
    const double off = fraction.to_model(k / n, channel) - t;
    first += weight * off;
    second += weight * off * off;
  }
  return {first / std::sqrt(channel.noise_variance), (second - first * first) / channel.noise_variance};
}

TEST(AnswerScale, NoiseOfCountsIsKnownWhateverTheyAre) {
  for (const double p : {0.05, 0.2, 0.5, 0.9}) {
    const Moments found = moments(200.0, p);
    EXPECT_NEAR(found.variance, 1.0, 0.05) << p;
    EXPECT_LT(std::abs(found.bias), 0.1) << p;
  }
  // Of few counts the plain root would be off by 0.45 of its noise.
  EXPECT_LT(std::abs(moments(200.0, 0.005).bias), 0.2);
}

TEST(AnswerScale, RootOfFewCountsIsCorrected) {
  const Channel trials = GaussianChannel{AnswerScale::variance_of(200.0)};
  EXPECT_DOUBLE_EQ(fraction.to_model(0.3, trials), std::asin(std::sqrt(0.3)));
  EXPECT_DOUBLE_EQ(fraction.to_model(0.015, trials), std::asin(std::sqrt(0.015))) << "three are enough";
  EXPECT_DOUBLE_EQ(fraction.to_model(0.01, trials), std::asin(std::sqrt(2.375 / 200.75)));
  EXPECT_DOUBLE_EQ(fraction.to_model(0.0, trials), std::asin(std::sqrt(0.375 / 200.75)));
  EXPECT_DOUBLE_EQ(fraction.to_model(1.0, trials), std::asin(std::sqrt(200.375 / 200.75)));
  EXPECT_DOUBLE_EQ(rate.to_model(0.0, GaussianChannel{AnswerScale::variance_of(10.0)}),
                   std::sqrt(0.375 / 10.0));
  double before = -1.0;
  for (double k = 0.0; k <= 200.0; ++k) {
    const double t = fraction.to_model(k / 200.0, trials);
    EXPECT_GT(t, before) << "more is always more: " << k;
    before = t;
  }
}

TEST(AnswerScale, AnswersOfAnyValueOfTheModelAreInRange) {
  const AnswerScale percent(TargetScale::linear, std::pair(0.0, 100.0));
  for (const double t : {-1e9, -0.2, 0.0, 0.4, 1.5, 1.7, 3.0, 1e9}) {
    EXPECT_TRUE(fraction.accepts(fraction.to_answer(t))) << t;
    EXPECT_TRUE(rate.accepts(rate.to_answer(t))) << t;
    EXPECT_TRUE(percent.accepts(percent.to_answer(t))) << t;
  }
  for (const double p : {0.0, 0.003, 0.5, 1.0})
    EXPECT_NEAR(fraction.to_answer(fraction.to_model(p)), p, 1e-15);
  EXPECT_NEAR(rate.to_answer(rate.to_model(7.5)), 7.5, 1e-14);
  EXPECT_EQ(percent.to_answer(100.0), 100.0) << "the ends are answers";
  EXPECT_EQ(percent.to_answer(37.5), 37.5);
  for (const AnswerScale& scale : {fraction, rate})
    for (const double t : {0.1, 0.7, 1.2})
      EXPECT_NEAR(scale.slope(t), (scale.to_answer(t + 1e-6) - scale.to_answer(t - 1e-6)) / 2e-6, 1e-8);
}

TEST(AnswerScale, CountsAreReadWithTheirTrials) {
  const auto read = [](const AnswerScale& scale, const std::string& text) { return scale.read(text); };
  EXPECT_DOUBLE_EQ(read(fraction, "3/200")->value, 0.015);
  EXPECT_EQ(read(fraction, "3/200")->trials, 200.0);
  EXPECT_EQ(read(fraction, "0.25")->value, 0.25);
  EXPECT_FALSE(read(fraction, "0.25")->trials);
  EXPECT_DOUBLE_EQ(read(rate, "12/2.5")->value, 4.8);
  for (const char* wrong :
       {"201/200", "3/0", "-1/200", "1.5/200", "3/20.5", "3/", "/3", "1.2", "-0.1", "nan"})
    EXPECT_FALSE(read(fraction, wrong)) << wrong;
  for (const char* wrong : {"-1", "1.5/3", "2/-1", "inf"}) EXPECT_FALSE(read(rate, wrong)) << wrong;
  EXPECT_FALSE(read(AnswerScale(), "3/200")) << "only where answers are counts";
}

// Means and variances of simulated answers are those of the binomial and the Poisson distribution.
TEST(AnswerScale, SimulatedCountsAreDrawnFromTheirDistribution) {
  numerics::Draws draws(3, numerics::Purpose::answer);
  const auto check = [&](const AnswerScale& scale, double truth, double trials, double variance) {
    constexpr int count = 4000;
    double first = 0.0, second = 0.0;
    for (int i = 0; i < count; ++i) {
      const double y = counted_answer(scale, truth, GaussianChannel{AnswerScale::variance_of(trials)}, draws);
      EXPECT_NEAR(y * trials, std::round(y * trials), 1e-9);
      first += y / count;
      second += (y - truth) * (y - truth) / count;
    }
    EXPECT_NEAR(first, truth, 4.0 * std::sqrt(variance / count));
    EXPECT_NEAR(second / variance, 1.0, 0.15);
  };
  check(fraction, 0.02, 50.0, 0.02 * 0.98 / 50.0);
  check(fraction, 0.6, 20.0, 0.6 * 0.4 / 20.0);
  check(rate, 0.7, 8.0, 0.7 / 8.0);
}

std::string complaint(const std::string& target, const std::string& level, const std::string& more = "") {
  const testing::Folder folder;
  folder.write("pool.csv", "x\n1\n2\n");
  try {
    Study::open(folder.write("study.toml", "[pool]\nfile = \"pool.csv\"\n[target]\n" + target + more +
                                               "[[level]]\nname = \"a\"\ncost = 1\n" + level));
  } catch (const InputError& error) {
    const std::string message = error.what();
    return message.substr(message.find("study.toml"));
  }
  return "";
}

TEST(AnswerScale, LevelsOfCountsStateTheirTrials) {
  EXPECT_EQ(complaint("scale = \"fraction\"\n", "trials = 200\n"), "");
  EXPECT_EQ(complaint("scale = \"rate\"\n", "exposure = 2.5\n"), "");
  EXPECT_EQ(complaint("scale = \"fraction\"\n", "noise_sd = 0.1\n"),
            "study.toml: level 1.noise_sd is given, must be trials where target.scale is \"fraction\": the "
            "noise of counts follows from it");
  EXPECT_EQ(complaint("scale = \"fraction\"\n", "exposure = 3\n"),
            "study.toml: level 1.exposure is given, must be trials where target.scale is \"fraction\": the "
            "noise of counts follows from it");
  EXPECT_EQ(complaint("name = \"y\"\n", "trials = 200\n"),
            "study.toml: level 1.trials is given, must be noise_sd where target.scale is \"linear\"");
  EXPECT_EQ(complaint("scale = \"fraction\"\n", "trials = 2.5\n"),
            "study.toml: level 1.trials is 2.5, must be a whole number, 1 or more");
  EXPECT_EQ(complaint("scale = \"fraction\"\n", ""),
            "study.toml: level 1.trials is missing, must be a whole number, 1 or more");
  EXPECT_EQ(complaint("scale = \"rate\"\n", "exposure = 1\nexact = true\n"),
            "study.toml: level 1.exact is given, must be left out where target.scale is \"rate\"");
  EXPECT_EQ(complaint("scale = \"fraction\"\n", "trials = 9\n", "[noise]\nvariance = 0.1\n"),
            "study.toml: noise.variance is given, must be left out where target.scale is \"fraction\": the "
            "noise of counts is known");
}

TEST(AnswerScale, RangeIsTwoNumbers) {
  const std::string level = "noise_sd = 1\n";
  EXPECT_EQ(complaint("range = [0, 100]\n", level), "");
  EXPECT_EQ(complaint("range = [0, 100]\nscale = \"fraction\"\n", "trials = 3\n"),
            "study.toml: target.range is [ 0, 100 ], must be left out where target.scale is \"fraction\", "
            "whose answers are from 0 to 1");
  for (const char* wrong : {"[100, 0]", "[1]", "7", "[1, 2, 3]", "[2, 2]"}) {
    const std::string found = complaint(std::string("range = ") + wrong + "\n", level);
    EXPECT_NE(found.find("must be two numbers, the lower one first, such as [0, 100]"), std::string::npos)
        << wrong << ": " << found;
  }
  EXPECT_NE(complaint("range = [0, 1]\nscale = \"log\"\n", "noise_relative = 0.1\n").find("above 0"),
            std::string::npos);
  EXPECT_EQ(complaint("kind = \"binary\"\nrange = [0, 1]\n", "accuracy = 0.9\n"),
            "study.toml: target.range is for real targets, target.kind is \"binary\"");
}

TEST(AnswerScale, ReportedNoiseOfCountsIsRefused) {
  EXPECT_THROW(Target::real({}, TargetScale::fraction)->reported_channel(0.1, {0.5}), InputError);
  EXPECT_EQ(Target::real({"yield", ""}, TargetScale::fraction)->modelled(), "asin sqrt yield");
  EXPECT_EQ(Target::real({"", ""}, TargetScale::rate)->belief_text(2.0, 0.5, 3),
            "4 (median; 95 % interval 1.04 to 8.88)");
}

}  // namespace
}  // namespace acuity::answer_scale_test
