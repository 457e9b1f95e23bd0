#include "acuity/acquisition/classification_information.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/owens_t.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "numerics/entropy.hpp"
#include "support/golden.hpp"

namespace acuity::classification_information_test {
namespace {

using testing::close;
using testing::close_relative;

const std::vector<double> means = {0.0, 0.01, 0.4, 1.0, 1.96, 3.0, 5.0, 9.0, 30.0};
const std::vector<double> variances = {1e-12, 1e-4, 0.04, 0.5, 1.0, 3.0, 9.0, 24.9, 25.1, 400.0, 1e8};

std::vector<double> accuracies(int count) {
  std::vector<double> all;
  for (int k = 0; k < count; ++k) all.push_back(0.5 + 0.5 * k / (count - 1));
  return all;
}

double cdf(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

double binary_entropy(double p) {
  return p <= 0.0 || p >= 1.0 ? 0.0 : -p * std::log2(p) - (1.0 - p) * std::log2(1.0 - p);
}

// The slow twin: entropy of the answer minus the expected entropy given f, by another rule.
double information_by_entropies(const LatentMarginal& latent, double accuracy) {
  const double deviation = std::sqrt(latent.variance);
  const auto answer = [&](double clean) { return accuracy * clean + (1.0 - accuracy) * (1.0 - clean); };
  const auto integrand = [&](double f) {
    const double z = (f - latent.mean) / deviation;
    return binary_entropy(answer(cdf(f))) * std::exp(-0.5 * z * z);
  };
  const int pieces = 40;
  double sum = 0.0;
  for (int k = 0; k < pieces; ++k) {
    const double from = latent.mean + deviation * (-10.0 + 20.0 * k / pieces);
    sum += boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
        integrand, from, from + deviation * 20.0 / pieces, 8, 1e-12);
  }
  const double clean = cdf(latent.mean / std::sqrt(1.0 + latent.variance));
  return binary_entropy(answer(clean)) - sum / (deviation * std::sqrt(2.0 * std::numbers::pi));
}

TEST(ClassificationInformation, HitsTheGoldenValues) {
  int checked = 0;
  for (const auto& g : testing::golden("classification_mi").at("cases")) {
    const LatentMarginal latent{.mean = g.at("mu"), .variance = g.at("s2")};
    const double w = g.at("w");
    SCOPED_TRACE(::testing::Message() << latent.mean << ' ' << latent.variance << ' ' << w);
    EXPECT_TRUE(close_relative(clean_probabilities(latent).positive, g.at("p_clean"), 1e-12));
    EXPECT_TRUE(close_relative(answer_probabilities(latent, w).positive, g.at("p_noisy"), 1e-12));
    EXPECT_TRUE(close_relative(class_model_information(latent, w), g.at("mi_f_exact"), 1e-11));
    EXPECT_NEAR(class_model_information_taylor(latent, w), g.at("mi_f_taylor"), 1e-14);
    EXPECT_TRUE(close_relative(class_target_information_b(latent, w, 1.0), g.at("mi_y_b"), 1e-12));
    EXPECT_TRUE(close_relative(class_target_information_c(latent, w, 1.0), g.at("mi_y_c"), 1e-11));
    ++checked;
  }
  EXPECT_EQ(checked, 210);
}

TEST(ClassificationInformation, HitsTheGoldenValuesWhereYIsNotCertainEither) {
  for (const auto& g : testing::golden("classification_mi").at("general")) {
    const LatentMarginal latent{.mean = g.at("mu"), .variance = g.at("s2")};
    const double w = g.at("w"), top = g.at("w_top");
    EXPECT_TRUE(close_relative(class_model_information(latent, w), g.at("mi_f_exact"), 1e-12));
    EXPECT_TRUE(close_relative(class_model_information(latent, top), g.at("bald_exact"), 1e-12));
    EXPECT_NEAR(class_model_information_taylor(latent, top), g.at("bald_taylor"), 1e-14);
    EXPECT_TRUE(close_relative(class_target_information_b(latent, w, top), g.at("mi_y_b"), 1e-12));
    EXPECT_TRUE(close_relative(class_target_information_c(latent, w, top), g.at("mi_y_c"), 1e-12));
  }
}

TEST(ClassificationInformation, KnowsTheMomentsOfPhi) {
  for (const auto& g : testing::golden("special_functions").at("gauss_Phi")) {
    const LatentMarginal latent{.mean = g.at("mu"), .variance = g.at("s2")};
    const double p = clean_probabilities(latent).positive, variance = clean_probability_variance(latent);
    EXPECT_TRUE(close_relative(p, g.at("E_Phi"), 1e-12));
    EXPECT_TRUE(close_relative(variance, g.at("var_Phi"), 1e-11));
    EXPECT_TRUE(close_relative(p * p + variance, g.at("E_Phi2"), 1e-11));
  }
}

TEST(ClassificationInformation, VarianceOfPhiAgreesWithOwensFunction) {
  for (const double s : {0.5, 3.0, 24.9, 25.1, 400.0, 1e8, 1e300})
    for (const double mean : means) {
      const LatentMarginal latent{.mean = mean, .variance = s};
      const auto [p, q] = clean_probabilities(latent);
      const double owen =
          p * q - 2.0 * boost::math::owens_t(mean / std::sqrt(1.0 + s), 1.0 / std::sqrt(1.0 + 2.0 * s));
      EXPECT_NEAR(clean_probability_variance(latent), owen, 1e-15) << mean << ' ' << s;
    }
}

TEST(ClassificationInformation, AgreesWithTheDifferenceOfEntropies) {
  for (const double s : {0.01, 0.3, 1.0, 7.0, 24.9, 25.1, 150.0})
    for (const double mean : {-4.0, -1.1, 0.0, 0.6, 2.5})
      for (const double w : {0.03, 0.4, 0.55, 0.8, 0.97, 0.9999, 1.0}) {
        const LatentMarginal latent{.mean = mean, .variance = s};
        EXPECT_NEAR(class_model_information(latent, w), information_by_entropies(latent, w), 1e-11)
            << mean << ' ' << s << ' ' << w;
      }
}

TEST(ClassificationInformation, TellsTheSameOfManyAccuraciesAtOnceAsOfEach) {
  const std::vector<double> ladder = accuracies(7);
  std::vector<double> model(7), target(7);
  for (const double s : {0.0, 0.2, 30.0}) {
    const LatentMarginal latent{.mean = -0.8, .variance = s};
    class_model_information(latent, ladder, model);
    class_target_information_c(latent, ladder, 0.9, target);
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_EQ(model[k], class_model_information(latent, ladder[k]));
      EXPECT_EQ(target[k], class_target_information_c(latent, ladder[k], 0.9));
    }
  }
}

TEST(ClassificationInformation, IsNeverNegativeAndNeverMoreThanTheChannelCarries) {
  for (const double mean : means)
    for (const double s : variances)
      for (const double w : {0.0, 0.2, 0.5, 0.5 + 1e-12, 0.6, 0.9, 1.0 - 1e-12, 1.0}) {
        const LatentMarginal latent{.mean = mean, .variance = s};
        const double capacity = numerics::capacity_bits(2.0 * w - 1.0);
        const double model = class_model_information(latent, w);
        const double b = class_target_information_b(latent, w, 1.0);
        const double c = class_target_information_c(latent, w, 1.0);
        SCOPED_TRACE(::testing::Message() << mean << ' ' << s << ' ' << w);
        EXPECT_GE(c, 0.0);
        EXPECT_LE(c, model * (1.0 + 1e-11));  // Y knows less than f
        EXPECT_LE(model, b * (1.0 + 1e-11));  // f tells less of the answer than the clean class does
        EXPECT_LE(b, capacity * (1.0 + 1e-12));
      }
}

TEST(ClassificationInformation, GrowsWithAccuracyAndEverFaster) {
  const std::vector<double> ladder = accuracies(21);
  std::vector<double> model(ladder.size()), target(ladder.size());
  for (const double mean : means)
    for (const double s : variances) {
      const LatentMarginal latent{.mean = mean, .variance = s};
      class_model_information(latent, ladder, model);
      class_target_information_c(latent, ladder, 1.0, target);
      for (const std::vector<double>& bits : {model, target})
        for (std::size_t k = 1; k < bits.size(); ++k) {
          const double slack = 1e-11 * bits[k];
          EXPECT_GE(bits[k], bits[k - 1] - slack) << mean << ' ' << s << ' ' << ladder[k];
          const double slope_before = k > 1 ? bits[k - 1] - bits[k - 2] : 0.0;
          EXPECT_GE(bits[k] - bits[k - 1], slope_before - slack) << mean << ' ' << s << ' ' << ladder[k];
        }
    }
}

TEST(ClassificationInformation, DoesNotCareWhichClassIsWhich) {
  for (const double mean : means)
    for (const double s : variances) {
      const LatentMarginal left{.mean = -mean, .variance = s}, right{.mean = mean, .variance = s};
      EXPECT_EQ(class_model_information(left, 0.8), class_model_information(right, 0.8));
      EXPECT_EQ(class_model_information_taylor(left, 0.8), class_model_information_taylor(right, 0.8));
      EXPECT_EQ(class_target_information_b(left, 0.8, 0.9), class_target_information_b(right, 0.8, 0.9));
      EXPECT_EQ(class_target_information_c(left, 0.8, 0.9), class_target_information_c(right, 0.8, 0.9));
      EXPECT_EQ(clean_probabilities(left).positive, clean_probabilities(right).negative);
      EXPECT_EQ(answer_probabilities(left, 0.8).negative, answer_probabilities(right, 0.8).positive);
      // An answer that is wrong three times in four tells as much as one that is right.
      EXPECT_TRUE(
          close_relative(class_model_information(left, 0.25), class_model_information(left, 0.75), 1e-12));
    }
}

TEST(ClassificationInformation, OfAKnownFunctionOrACoinIsNothing) {
  for (const double mean : {-1e300, -40.0, -2.0, 0.0, 3.0, 1e8}) {
    for (const double w : accuracies(5)) {
      EXPECT_EQ(class_model_information({mean, 0.0}, w), 0.0);
      EXPECT_EQ(class_target_information_c({mean, 0.0}, w, 1.0), 0.0);
      EXPECT_NEAR(class_target_information_b({mean, 0.0}, 1.0, 1.0), binary_entropy(cdf(mean)), 1e-15);
    }
    for (const double s : {1e-300, 1.0, 30.0, 1e300}) {
      EXPECT_EQ(class_model_information({mean, s}, 0.5), 0.0);
      EXPECT_EQ(class_model_information_taylor({mean, s}, 0.5), 0.0);
      EXPECT_EQ(class_target_information_b({mean, s}, 0.5, 0.5), 0.0);
      EXPECT_EQ(class_target_information_b({mean, s}, 0.5, 0.9), 0.0);
      EXPECT_EQ(class_target_information_c({mean, s}, 0.5, 0.9), 0.0);
    }
  }
}

TEST(ClassificationInformation, IsANumberAtTheEndsOfTheDoubles) {
  for (const double mean : {0.0, 1e-300, 1.0, 20.0, 38.0, 60.0, 1e4, 1e154, 1e308})
    for (const double s : {0.0, 5e-324, 1e-300, 1e-20, 1.0, 25.0, 26.0, 1e3, 1e154, 1.7e308})
      for (const double w : {0.0, 0.5, 0.7, 1.0 - 1e-16, 1.0}) {
        const LatentMarginal latent{.mean = mean, .variance = s};
        SCOPED_TRACE(::testing::Message() << mean << ' ' << s << ' ' << w);
        for (const double bits :
             {class_model_information(latent, w), class_target_information_b(latent, w, 1.0),
              class_target_information_c(latent, w, 1.0)})
          EXPECT_TRUE(bits >= 0.0 && bits <= 1.0 + 1e-14) << bits;
        EXPECT_LE(std::abs(class_model_information_taylor(latent, w)), 1.0);
      }
}

// The number of nodes follows from what is not settled, never from the mean itself.
TEST(ClassificationInformation, OfAFarAwayMeanIsNothingAtOnce) {
  for (const double mean : {1e9, 1e10, 1e12, 1e100, 1e300})
    for (const double s : {5e-324, 1e-300, 1e-12, 1.0, 25.0, 26.0, 1e6, 1e12}) {
      if (mean < 100.0 * std::sqrt(1.0 + s)) continue;
      for (const double sign : {-1.0, 1.0}) {
        const LatentMarginal latent{.mean = sign * mean, .variance = s};
        EXPECT_EQ(class_model_information(latent, 0.9), 0.0) << mean << ' ' << s;
        EXPECT_EQ(class_target_information_b(latent, 0.9, 1.0), 0.0) << mean << ' ' << s;
        EXPECT_EQ(class_target_information_c(latent, 0.9, 1.0), 0.0) << mean << ' ' << s;
        EXPECT_EQ(clean_probability_variance(latent), 0.0) << mean << ' ' << s;
      }
    }
}

// A mean of 1e12 or 1e150 in units of a variance that is as wide: as much as the same shares of a wide
// belief.
TEST(ClassificationInformation, OfAFarAwayMeanAndAsWideABeliefIsThatOfItsShares) {
  for (const double eta : {0.3, 2.0, 6.0})
    for (const double deviation : {1e9, 1e12, 1e150}) {
      const LatentMarginal far{.mean = eta * deviation, .variance = deviation * deviation},
          near{.mean = eta * 1e7, .variance = 1e14};
      EXPECT_TRUE(close_relative(class_model_information(far, 0.9), class_model_information(near, 0.9), 1e-6))
          << eta << ' ' << deviation;
      EXPECT_TRUE(close_relative(clean_probability_variance(far), clean_probability_variance(near), 1e-6));
    }
}

// Where a belief is only just not settled the rule needs its most nodes.
TEST(ClassificationInformation, IsANumberOnTheEdgeOfWhatIsSettled) {
  for (const double s : {5e-324, 1e-12, 0.1, 1.0, 24.9, 25.0, 25.1, 1e6, 1e12, 1e300})
    for (const double eta : {36.0, 37.0, 37.4, 37.5, 37.6, 38.0, 39.0}) {
      const double bits = class_model_information({eta * std::sqrt(1.0 + s), s}, 0.9);
      EXPECT_TRUE(bits >= 0.0 && bits < 1e-280) << s << ' ' << eta << ' ' << bits;
    }
}

TEST(ClassificationInformation, OfABoundlessBeliefIsAllThatTheChannelCarries) {
  for (const double w : accuracies(5)) {
    const double capacity = numerics::capacity_bits(2.0 * w - 1.0);
    EXPECT_NEAR(class_model_information({0.0, 1e300}, w), capacity, 1e-15);
    EXPECT_NEAR(class_model_information_taylor({0.0, 1e300}, w), capacity, 1e-15);
    EXPECT_NEAR(class_target_information_c({0.0, 1e300}, w, 1.0), capacity, 1e-15);
  }
}

// For small s the information is c^2 pdf(mean)^2 s / (2 ln 2 p q).
TEST(ClassificationInformation, OfATinyVarianceIsProportionalToIt) {
  for (const double s : {1e-12, 1e-40, 1e-200})
    for (const double mean : {0.0, -0.7, 2.0, -5.0}) {
      const LatentMarginal latent{.mean = mean, .variance = s};
      const auto [p, q] = answer_probabilities(latent, 0.9);
      const double slope = 0.8 * std::exp(-0.5 * mean * mean) / std::sqrt(2.0 * std::numbers::pi);
      const double expected = slope * slope / (2.0 * std::numbers::ln2 * p * q) * s;
      EXPECT_TRUE(close_relative(class_model_information(latent, 0.9), expected, 1e-10)) << mean << ' ' << s;
    }
}

// Wanted values by the trapezoid rule in 70 digits and more, on both sides of the change of method at 25.
TEST(ClassificationInformation, KeepsItsDigitsWhereHardlyAnythingIsToBeLearned) {
  struct Case {
    LatentMarginal latent;
    double accuracy, wanted;
  };
  for (const auto& [latent, accuracy, wanted] :
       {Case{{10.0, 1e-30}, 1.0, 5.6049260899851236e-52},
        Case{{11.401754250991381, 0.3}, 0.6, 1.4988553669147692e-39},
        Case{{11.401754250991381, 0.3}, 1.0, 1.2951454013764136e-22},
        Case{{50.892042599997886, 24.9}, 0.6, 1.4109352637379294e-25},
        Case{{51.088159097779204, 25.1}, 0.6, 1.425525670574106e-25},
        Case{{1000.0499987500625, 10000.0}, 0.6, 8.409633550325467e-25},
        Case{{76.33806389999683, 24.9}, 1.0, 5.837779268185862e-49},
        Case{{76.63223864666881, 25.1}, 1.0, 5.839755049244597e-49}})
    EXPECT_TRUE(close_relative(class_model_information(latent, accuracy), wanted, 1e-12))
        << latent.mean << ' ' << latent.variance << ' ' << accuracy;
}

// The slow twin of the derivative: math.md eq. (5.2) as it stands, by another rule and with more digits.
double slope_by_definition(const LatentMarginal& latent, double accuracy) {
  using Real = long double;
  const Real w = accuracy, deviation = std::sqrt(static_cast<Real>(latent.variance));
  const auto phi = [](Real x) { return 0.5L * std::erfc(-x / std::numbers::sqrt2_v<Real>); };
  const auto logit = [w](Real up, Real down) {
    return std::log(w * up + (1.0L - w) * down) - std::log(w * down + (1.0L - w) * up);
  };
  const Real eta = latent.mean / std::sqrt(1.0L + latent.variance), middle = logit(phi(eta), phi(-eta));
  const auto integrand = [&](Real f) {
    const Real z = (f - latent.mean) / deviation;
    return std::exp(-0.5L * z * z) * (phi(f) - phi(-f)) * (logit(phi(f), phi(-f)) - middle);
  };
  const int pieces = 100;
  Real sum = 0.0L;
  for (int k = 0; k < pieces; ++k) {
    const Real from = latent.mean + deviation * (-11.0L + 22.0L * k / pieces);
    sum += boost::math::quadrature::gauss_kronrod<Real, 31>::integrate(
        integrand, from, from + deviation * 22.0L / pieces, 3, 1e-15L);
  }
  return static_cast<double>(sum / (deviation * std::sqrt(2.0L * std::numbers::pi_v<Real>)) /
                             std::numbers::ln2_v<Real>);
}

TEST(ClassificationInformation, TheSlopeIsTheDefinition) {
  for (const double s : {0.01, 0.3, 1.0, 7.0, 24.9, 25.1, 150.0})
    for (const double mean : {-4.0, -1.1, 0.0, 0.6, 2.5})
      for (const double w : {0.03, 0.4, 0.5, 0.55, 0.8, 0.97, 0.9999, 1.0 - 1e-8, 1.0 - 1e-13, 1.0})
        EXPECT_TRUE(
            close(class_model_information_slope({mean, s}, w), slope_by_definition({mean, s}, w), 1e-12))
            << mean << ' ' << s << ' ' << w;
}

TEST(ClassificationInformation, TheSlopeIsThatOfTheInformation) {
  for (const double mean : means)
    for (const double s : variances)
      for (const double w : {0.52, 0.7, 0.9, 0.99}) {
        const LatentMarginal latent{.mean = mean, .variance = s};
        const auto rise = [&](double h) {
          return (class_model_information(latent, w + h) - class_model_information(latent, w - h)) / (2 * h);
        };
        const double h = 0.05 * (1.0 - w), wanted = (64 * rise(h / 4) - 20 * rise(h / 2) + rise(h)) / 45;
        const double slope = class_model_information_slope(latent, w);
        EXPECT_NEAR(slope, wanted, 1e-7 * slope + 1e-300) << mean << ' ' << s << ' ' << w;
      }
}

TEST(ClassificationInformation, TheSlopeKeepsItsDigitsAndItsSign) {
  // For small s the information is proportional to c^2 / (p q): the slope is that of the formula.
  for (const double s : {1e-12, 1e-40, 1e-200})
    for (const double mean : {0.0, -0.7, 2.0, -5.0}) {
      const LatentMarginal latent{.mean = mean, .variance = s};
      const double w = 0.9, gain = 2.0 * w - 1.0;
      const auto [p, q] = answer_probabilities(latent, w);
      const auto [clean_p, clean_q] = clean_probabilities(latent);
      const double relative = 4.0 / gain - (clean_p - clean_q) * (q - p) / (p * q);
      EXPECT_TRUE(close_relative(class_model_information_slope(latent, w),
                                 class_model_information(latent, w) * relative, 1e-9))
          << mean << ' ' << s;
    }
  for (const double mean : {0.0, 1.0, 20.0, 38.0, 1e4})
    for (const double s : {0.0, 1e-300, 1e-20, 1.0, 25.0, 26.0, 1e3, 1e150})
      for (const double w : {0.5, 0.7, 1.0 - 1e-16, 1.0}) {
        const double slope = class_model_information_slope({mean, s}, w);
        EXPECT_TRUE(std::isfinite(slope) && slope >= 0.0) << mean << ' ' << s << ' ' << w << ' ' << slope;
        EXPECT_EQ(class_model_information_slope({-mean, s}, w), slope);
      }
  EXPECT_EQ(class_model_information_slope({0.3, 1.0}, 0.5), 0.0);
  EXPECT_THROW(class_model_information_slope({0.3, 1.0}, 1.1), std::invalid_argument);
}

TEST(ClassificationInformation, TheTaylorFormMayBeNegative) {
  EXPECT_LT(class_model_information_taylor({2.0, 0.05}, 0.95), 0.0);
  EXPECT_NEAR(class_model_information_taylor({1.96, 1e-9}, 0.982), -0.0104, 5e-5);
}

// The examples of math.md 4.4.
TEST(ClassificationInformation, TheTaylorFormMayMislead) {
  const LatentMarginal point{.mean = 2.0, .variance = 0.1};  // costs 0.1 and 1
  EXPECT_NEAR(class_model_information_taylor(point, 0.8) / 0.1, 0.01263, 5e-6);
  EXPECT_NEAR(class_model_information_taylor(point, 1.0), 0.00768, 5e-6);
  EXPECT_NEAR(class_model_information(point, 0.8) / 0.1, 0.00669, 5e-6);
  EXPECT_NEAR(class_model_information(point, 1.0), 0.01014, 5e-6);

  const LatentMarginal near{.mean = 0.2, .variance = 0.05}, far{.mean = 1.6, .variance = 0.22};
  EXPECT_GT(class_model_information_taylor(near, 0.95), class_model_information_taylor(far, 0.95));
  EXPECT_LT(class_model_information(near, 0.95), class_model_information(far, 0.95));
}

TEST(ClassificationInformation, RefusesWhatIsNoBeliefOrNoAccuracy) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const LatentMarginal bad :
       {LatentMarginal{none, 1.0}, LatentMarginal{infinite, 1.0}, LatentMarginal{0.0, -1.0},
        LatentMarginal{0.0, none}, LatentMarginal{0.0, infinite}}) {
    EXPECT_THROW(class_model_information(bad, 0.9), std::invalid_argument);
    EXPECT_THROW(class_target_information_b(bad, 0.9, 1.0), std::invalid_argument);
    EXPECT_THROW(clean_probabilities(bad), std::invalid_argument);
  }
  for (const double bad : {-0.1, 1.1, none}) {
    EXPECT_THROW(class_model_information({0.0, 1.0}, bad), std::invalid_argument);
    EXPECT_THROW(class_model_information_taylor({0.0, 1.0}, bad), std::invalid_argument);
    EXPECT_THROW(class_target_information_c({0.0, 1.0}, 0.9, bad), std::invalid_argument);
    EXPECT_THROW(answer_probabilities({0.0, 1.0}, bad), std::invalid_argument);
  }
  EXPECT_THROW(class_target_information_b({0.0, 1.0}, 0.9, 0.8), std::invalid_argument);
}

}  // namespace
}  // namespace acuity::classification_information_test
