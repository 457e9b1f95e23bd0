#include "acuity/acquisition/classification_information.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "acuity/numerics/errors.hpp"
#include "numerics/entropy.hpp"
#include "numerics/normal.hpp"

namespace acuity {

namespace {

using numerics::scaled_psi;
using std::numbers::ln2;

constexpr const char* place = "classification information";

void check(double accuracy) {
  require(accuracy >= 0.0 && accuracy <= 1.0, place, "accuracy", accuracy, "between 0 and 1");
}

double gain_of(double accuracy) {
  return 2.0 * accuracy - 1.0;
}

ClassProbabilities through(double accuracy, const ClassProbabilities& clean) {
  const double flip = 1.0 - accuracy;
  return {.positive = accuracy * clean.positive + flip * clean.negative,
          .negative = accuracy * clean.negative + flip * clean.positive};
}

// math.md eq. (4.7), right form: what the answer of a symmetric channel tells about its input.
double channel_information(double gain, const ClassProbabilities& input, const ClassProbabilities& answer) {
  const double up = gain * input.negative, down = gain * input.positive;
  return (input.positive * (scaled_psi(answer.positive, up) + scaled_psi(answer.negative, -up)) +
          input.negative * (scaled_psi(answer.positive, -down) + scaled_psi(answer.negative, down))) /
         ln2;
}

// A belief with its mean turned to 0 or below, which changes no information. The small tail is then that of
// +1, and the differences of Phi below are formed from small tails (math.md 4.2).
struct Turned {
  double mean, variance, eta;
  ClassProbabilities clean;

  // Every information is at most about the entropy of the class, which is then nothing. What is not settled
  // has |eta| < 38, however large the mean: this bounds the nodes below.
  bool settled() const { return variance == 0.0 || clean.positive < std::numeric_limits<double>::min(); }
};

Turned turned(const LatentMarginal& latent) {
  require(std::isfinite(latent.mean), place, "mean", latent.mean, "finite");
  require(latent.variance >= 0.0 && std::isfinite(latent.variance), place, "variance", latent.variance,
          "zero or more and finite");
  const double mean = -std::abs(latent.mean), eta = mean / std::sqrt(1.0 + latent.variance);
  return {.mean = mean,
          .variance = latent.variance,
          .eta = eta,
          .clean = {.positive = numerics::normal_cdf(eta), .negative = numerics::normal_cdf(-eta)}};
}

// The trapezoid rule of math.md 4.3 in f, and all that its users share at a point.
class Quadrature {
 public:
  explicit Quadrature(const Turned& belief) : clean_(belief.clean) {
    if (belief.settled()) return;
    belief.variance <= widest ? add_changes(belief) : add_window(belief);
  }

  // math.md eq. (4.6); for wide beliefs eq. (4.9)
  double model_information(double accuracy) const {
    const double gain = gain_of(accuracy);
    const ClassProbabilities answer = through(accuracy, clean_);
    double sum = 0.0;
    for (const auto& [weight, change] : changes_)
      sum +=
          weight * (scaled_psi(answer.positive, gain * change) + scaled_psi(answer.negative, -gain * change));
    if (window_.empty()) return sum / ln2;
    for (const auto& [weight, clean] : window_)
      sum += weight * channel_information(gain, clean, through(accuracy, clean));
    return std::max(channel_information(gain, clean_, answer) - sum, 0.0);
  }

  // math.md eq. (4.8)
  double clean_variance() const {
    double sum = 0.0;
    for (const auto& [weight, change] : changes_) sum += weight * change * change;
    if (window_.empty()) return sum;
    for (const auto& [weight, clean] : window_) sum += weight * clean.positive * clean.negative;
    return std::max(clean_.positive * clean_.negative - sum, 0.0);
  }

 private:
  // Up to this variance the nodes span the belief, above it the window in which Phi is neither 0 nor 1.
  static constexpr double widest = 25.0;
  static constexpr double step = 0.2, reach = 9.0;

  // Nodes f = mean + z sd. The upper end follows the weight of those f that would explain a +1, which in the
  // tails lies beyond the belief's own: its squared share Phi^2 N(f) peaks at mean / (1 + 2 variance).
  // With a variance of at most 25 and |eta| < 38 there are less than 1500.
  void add_changes(const Turned& belief) {
    const double deviation = std::sqrt(belief.variance), dz = step / std::max(deviation, 1.0);
    const double top = reach - 2.0 * belief.mean * deviation / (1.0 + 2.0 * belief.variance);
    // mean - eta, which is small where the variance is
    const double shift = -belief.mean * std::expm1(-0.5 * std::log1p(belief.variance));
    const int first = static_cast<int>(-reach / dz), last = static_cast<int>(top / dz);
    changes_.reserve(static_cast<std::size_t>(last - first) + 1);
    for (int k = first; k <= last; ++k) {
      const double z = k * dz;
      changes_.push_back(
          {dz * numerics::normal_pdf(z), numerics::normal_cdf_difference(belief.eta, z * deviation + shift)});
    }
  }

  // Nodes around f = 0 and the peak of Phi N(f) at mean / (1 + variance), which is no lower than -38 / 5.
  void add_window(const Turned& belief) {
    const double deviation = std::sqrt(belief.variance);
    const int first = static_cast<int>((belief.mean / (1.0 + belief.variance) - reach) / step);
    const int last = static_cast<int>(reach / step);
    window_.reserve(static_cast<std::size_t>(last - first) + 1);
    for (int k = first; k <= last; ++k) {
      const double f = k * step;
      window_.push_back({step / deviation * numerics::normal_pdf((f - belief.mean) / deviation),
                         {.positive = numerics::normal_cdf(f), .negative = numerics::normal_cdf(-f)}});
    }
  }

  struct Change {
    double weight, change;  // Phi(f) - E Phi(f)
  };
  struct Inside {
    double weight;
    ClassProbabilities clean;
  };

  ClassProbabilities clean_;
  std::vector<Change> changes_;
  std::vector<Inside> window_;
};

// math.md eq. (4.8)
double target_information_c(const ClassProbabilities& clean, double clean_variance, double accuracy,
                            double top_accuracy) {
  const ClassProbabilities answer = through(accuracy, clean), target = through(top_accuracy, clean);
  const double covariance = gain_of(accuracy) * gain_of(top_accuracy) * clean_variance;
  return (scaled_psi(answer.positive * target.positive, covariance) +
          scaled_psi(answer.negative * target.negative, covariance) +
          scaled_psi(answer.positive * target.negative, -covariance) +
          scaled_psi(answer.negative * target.positive, -covariance)) /
         ln2;
}

}  // namespace

ClassProbabilities clean_probabilities(const LatentMarginal& latent) {
  const ClassProbabilities clean = turned(latent).clean;
  if (latent.mean > 0.0) return {.positive = clean.negative, .negative = clean.positive};
  return clean;
}

ClassProbabilities answer_probabilities(const LatentMarginal& latent, double accuracy) {
  check(accuracy);
  return through(accuracy, clean_probabilities(latent));
}

double clean_probability_variance(const LatentMarginal& latent) {
  return Quadrature(turned(latent)).clean_variance();
}

double class_model_information(const LatentMarginal& latent, double accuracy) {
  double bits = 0.0;
  class_model_information(latent, {&accuracy, 1}, {&bits, 1});
  return bits;
}

void class_model_information(const LatentMarginal& latent, std::span<const double> accuracies,
                             std::span<double> bits) {
  std::ranges::for_each(accuracies, check);
  const Turned belief = turned(latent);
  const Quadrature quadrature(belief);
  std::ranges::transform(accuracies, bits.begin(), [&](double accuracy) {
    return belief.settled() ? 0.0 : quadrature.model_information(accuracy);
  });
}

// math.md eq. (4.5)
double class_model_information_taylor(const LatentMarginal& latent, double accuracy) {
  check(accuracy);
  const Turned belief = turned(latent);
  const double gain = gain_of(accuracy), a = numerics::taylor_curvature(gain);
  const double spread = 2.0 * a * belief.variance;
  const double exponent = -a * belief.mean * (belief.mean / (1.0 + spread)) - 0.5 * std::log1p(spread);
  return -numerics::capacity_bits(gain) * std::expm1(exponent) -
         numerics::capacity_bits(gain * std::erf(belief.eta / std::numbers::sqrt2));
}

// math.md eq. (4.7)
double class_target_information_b(const LatentMarginal& latent, double accuracy, double top_accuracy) {
  check(accuracy);
  check(top_accuracy);
  const double gain = gain_of(accuracy), top_gain = gain_of(top_accuracy);
  require(std::abs(gain) <= std::abs(top_gain), place, "accuracy", accuracy,
          "no further from 1/2 than that of Y");
  const ClassProbabilities clean = turned(latent).clean;
  if (gain == 0.0) return 0.0;  // also where Y is a coin, and the quotient of the gains none
  return channel_information(gain / top_gain, through(top_accuracy, clean), through(accuracy, clean));
}

double class_target_information_c(const LatentMarginal& latent, double accuracy, double top_accuracy) {
  double bits = 0.0;
  class_target_information_c(latent, {&accuracy, 1}, top_accuracy, {&bits, 1});
  return bits;
}

void class_target_information_c(const LatentMarginal& latent, std::span<const double> accuracies,
                                double top_accuracy, std::span<double> bits) {
  std::ranges::for_each(accuracies, check);
  check(top_accuracy);
  const Turned belief = turned(latent);
  const double clean_variance = Quadrature(belief).clean_variance();
  std::ranges::transform(accuracies, bits.begin(), [&](double accuracy) {
    return target_information_c(belief.clean, clean_variance, accuracy, top_accuracy);
  });
}

}  // namespace acuity
