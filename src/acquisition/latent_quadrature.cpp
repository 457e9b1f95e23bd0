#include "acquisition/latent_quadrature.hpp"

#include <algorithm>
#include <boost/math/special_functions/log1p.hpp>
#include <cmath>
#include <numbers>

#include "numerics/entropy.hpp"
#include "numerics/normal.hpp"

namespace acuity {

namespace {

using numerics::scaled_psi;
using std::numbers::ln2;

// Up to this variance the nodes span the belief, above it the window in which Phi is neither 0 nor 1.
constexpr double widest = 25.0;
constexpr double step = 0.2, reach = 9.0;

// log(1 + x) and log(1 + x) - x, where 1 + x is also known as the exponential of `log_of_sum`. The sum is
// formed only where it cancels.
struct LogOnePlus {
  double whole, curved;
};

template <typename LogOfSum>
LogOnePlus log_one_plus(double x, const LogOfSum& log_of_sum) {
  if (x > -0.5) return {std::log1p(x), boost::math::log1pmx(x)};
  const double whole = log_of_sum();
  return {whole, whole - x};
}

// log(accuracy Phi(f) + flip Phi(-f)), also if Phi(f) is no double any more.
double log_answer(double f, double accuracy, double flip) {
  if (flip == 0.0) return numerics::normal_log_cdf(f);
  return std::log(accuracy * numerics::normal_cdf(f) + flip * numerics::normal_cdf(-f));
}

// What a channel of this accuracy tells about its input, derived by the accuracy, in nats: math.md 5.4. Both
// logarithms are positive; there must be some flips.
double channel_slope(double accuracy, const ClassProbabilities& input) {
  const ClassProbabilities answer = through(accuracy, input);
  const double gain = gain_of(accuracy), flip = 1.0 - accuracy;
  return input.positive * std::log1p(gain * input.negative / (flip * answer.positive)) +
         input.negative * std::log1p(gain * input.positive / (flip * answer.negative));
}

// The logarithm of an answer's probability is singular where that is 0 in the complex plane, and the rarer
// flips are, the closer that comes to the real line: pi / F at F = sqrt(2 log(1 / flip)). (Where there are
// none it is far away again.) The information itself does not notice: there the logarithm is multiplied by
// the 0.
double slope_step(double flip) {
  return flip == 0.0 ? step : std::min(step, 0.6 / std::sqrt(-2.0 * std::log(flip)));
}

}  // namespace

LatentQuadrature::LatentQuadrature(const LatentMarginal& latent)
    : belief_(latent), is_turned_(latent.mean > 0.0) {
  if (belief_.is_certain()) return;
  if (belief_.variance <= widest)
    changes_ = changes(step);
  else
    window_ = window(step, reach);
}

// math.md eq. (4.6); for wide beliefs eq. (4.9)
double LatentQuadrature::model_information(const FlipChannel& channel) const {
  if (belief_.is_certain()) return 0.0;
  const FlipChannel turned = is_turned_ ? FlipChannel(channel.no, channel.yes) : channel;
  const double gain = turned.gain();
  const ClassProbabilities answer = through(turned, belief_.clean);
  double sum = 0.0;
  for (const auto& [weight, f, change] : changes_)
    sum +=
        weight * (scaled_psi(answer.positive, gain * change) + scaled_psi(answer.negative, -gain * change));
  if (window_.empty()) return sum / ln2;
  for (const auto& [weight, clean] : window_)
    sum += weight * channel_information(gain, clean, through(turned, clean));
  return std::max(channel_information(gain, belief_.clean, answer) - sum, 0.0);
}

// math.md eq. (5.2), where gamma is 1. Information is symmetric about accuracy 1/2.
double LatentQuadrature::model_information_slope(double accuracy) const {
  if (belief_.is_certain() || accuracy == 0.5) return 0.0;
  if (accuracy < 0.5) return -model_information_slope(1.0 - accuracy);
  if (window_.empty()) return slope_by_changes(accuracy) / ln2;
  return (accuracy == 1.0 ? slope_without_flips() : slope_by_window(accuracy)) / ln2;
}

// math.md eq. (5.2a): the part of the logarithms that is linear in the change has mean 0 and is left out,
// because it is all but the smallest part where the belief is narrow.
double LatentQuadrature::slope_by_changes(double accuracy) const {
  const double gain = gain_of(accuracy), flip = 1.0 - accuracy,
               edge = belief_.clean.positive - belief_.clean.negative;
  const ClassProbabilities answer = through(accuracy, belief_.clean);
  const double finer = slope_step(flip);
  double sum = 0.0;
  for (const auto& [weight, f, change] : finer < step ? changes(finer) : changes_) {
    const LogOnePlus up = log_one_plus(gain * change / answer.positive, [&, at = f] {
      return log_answer(at, accuracy, flip) - std::log(answer.positive);
    });
    const LogOnePlus down = log_one_plus(-gain * change / answer.negative, [&, at = f] {
      return log_answer(-at, accuracy, flip) - std::log(answer.negative);
    });
    sum += weight * (edge * (up.curved - down.curved) + 2.0 * change * (up.whole - down.whole));
  }
  return sum;
}

// The derivative of math.md eq. (4.9). Its brackets vanish only where Phi is small beside the probability of
// a flip, so the window is wider than that of the information.
double LatentQuadrature::slope_by_window(double accuracy) const {
  const double flip = 1.0 - accuracy, half_width = std::sqrt(reach * reach - 2.0 * std::log(flip));
  double sum = 0.0;
  for (const auto& [weight, clean] : window(slope_step(flip), half_width))
    sum += weight * channel_slope(accuracy, clean);
  return channel_slope(accuracy, belief_.clean) - sum;
}

// math.md eq. (5.2) for a wide belief and answers that are always right, where the integrand grows like f^2
// and there is no window: the trapezoid rule in t, f = sinh(t).
double LatentQuadrature::slope_without_flips() const {
  constexpr double dt = 0.02;
  const double deviation = std::sqrt(belief_.variance);
  const auto node = [](double f) { return std::asinh(f) / dt; };
  const int first = static_cast<int>(std::floor(node(belief_.mean - reach * deviation))),
            last = static_cast<int>(std::ceil(node(belief_.mean + reach * deviation)));
  double sum = 0.0;
  for (int k = first; k <= last; ++k) {
    const double f = std::sinh(k * dt);
    const double weight =
        dt * std::cosh(k * dt) / deviation * numerics::normal_pdf((f - belief_.mean) / deviation);
    if (weight > 0.0)
      sum += weight * std::erf(f / std::numbers::sqrt2) *
             (numerics::normal_log_cdf(f) - numerics::normal_log_cdf(-f));
  }
  return sum - (belief_.clean.positive - belief_.clean.negative) *
                   (std::log(belief_.clean.positive) - std::log(belief_.clean.negative));
}

// math.md eq. (4.8)
double LatentQuadrature::clean_variance() const {
  double sum = 0.0;
  for (const auto& [weight, f, change] : changes_) sum += weight * change * change;
  if (window_.empty()) return sum;
  for (const auto& [weight, clean] : window_) sum += weight * clean.positive * clean.negative;
  return std::max(belief_.clean.positive * belief_.clean.negative - sum, 0.0);
}

// math.md eq. (4.8)
double LatentQuadrature::target_information_c(double clean_variance, double accuracy,
                                              double top_accuracy) const {
  const ClassProbabilities answer = through(accuracy, belief_.clean),
                           target = through(top_accuracy, belief_.clean);
  const double covariance = gain_of(accuracy) * gain_of(top_accuracy) * clean_variance;
  return (scaled_psi(answer.positive * target.positive, covariance) +
          scaled_psi(answer.negative * target.negative, covariance) +
          scaled_psi(answer.positive * target.negative, -covariance) +
          scaled_psi(answer.negative * target.positive, -covariance)) /
         ln2;
}

// Nodes f = mean + z sd. The upper end follows the weight of those f that would explain a +1, which in the
// tails lies beyond the belief's own: its squared share Phi^2 N(f) peaks at mean / (1 + 2 variance).
std::vector<LatentQuadrature::Change> LatentQuadrature::changes(double width) const {
  const double deviation = std::sqrt(belief_.variance), dz = width / std::max(deviation, 1.0);
  const double top = reach - 2.0 * belief_.mean * deviation / (1.0 + 2.0 * belief_.variance);
  // mean - eta, which is small where the variance is
  const double shift = -belief_.mean * std::expm1(-0.5 * std::log1p(belief_.variance));
  const int first = static_cast<int>(-reach / dz), last = static_cast<int>(top / dz);
  std::vector<Change> nodes;
  nodes.reserve(static_cast<std::size_t>(last - first) + 1);
  for (int k = first; k <= last; ++k) {
    const double z = k * dz;
    nodes.push_back({dz * numerics::normal_pdf(z), belief_.mean + z * deviation,
                     numerics::normal_cdf_difference(belief_.eta, z * deviation + shift)});
  }
  return nodes;
}

// Nodes around f = 0 and the peak of Phi N(f) at mean / (1 + variance).
std::vector<LatentQuadrature::Inside> LatentQuadrature::window(double width, double half_width) const {
  const double deviation = std::sqrt(belief_.variance);
  const int first = static_cast<int>((belief_.mean / (1.0 + belief_.variance) - half_width) / width);
  const int last = static_cast<int>(half_width / width);
  std::vector<Inside> nodes;
  nodes.reserve(static_cast<std::size_t>(last - first) + 1);
  for (int k = first; k <= last; ++k) {
    const double f = k * width;
    nodes.push_back({width / deviation * numerics::normal_pdf((f - belief_.mean) / deviation),
                     {.positive = numerics::normal_cdf(f), .negative = numerics::normal_cdf(-f)}});
  }
  return nodes;
}

}  // namespace acuity
