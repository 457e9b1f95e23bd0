#include "experiments/sine_data.hpp"

#include <cmath>

#include "acuity/data/observation.hpp"

namespace acuity {

namespace {

constexpr double gamma_ = 0.09, cost_factor = 9.0;

double base_noise(double x) {
  return 0.01 * (1.0 + (x / 5.0) * (x / 5.0));
}

double draw_point(bool skewed, numerics::Draws& draws) {
  if (!skewed) return draws.uniform(0.0, 5.0);
  return draws.uniform() < 0.9 ? draws.uniform(0.0, 2.5) : draws.uniform(2.5, 5.0);
}

}  // namespace

Problem sine_problem(const SineOptions& options, Precisions precisions, const ProblemSize& size,
                     const Repeat& repeat) {
  const auto truth = [frequency = options.frequency](double x) { return 0.2 * x * std::sin(frequency * x); };
  numerics::Draws draws(repeat.seed, numerics::Purpose::data, static_cast<std::uint32_t>(repeat.number));
  Points x(size.pool + size.test, 1);
  for (Index i = 0; i < x.rows(); ++i) x(i, 0) = draw_point(options.skewed && i < size.pool, draws);
  Vector values(size.test);
  for (Index i = 0; i < size.test; ++i) {
    const double at = x(size.pool + i, 0);
    values(i) = noisy_answer(truth(at), GaussianChannel{base_noise(at)}, draws);
  }
  PrecisionOffer offer = regression_offer(gamma_, cost_factor, options.q, precisions);
  Vector noise = x.col(0).unaryExpr(&base_noise);
  return {.points = Pool(std::move(x), {"x"}),
          .pool = size.pool,
          .test_values = std::move(values),
          .offer = {.levels = std::move(offer.levels), .base_noise = std::move(noise)},
          .continuous = std::move(offer.continuous),
          .answer = [truth](const Suggestion& asked, numerics::Draws& answer_draws) {
            return noisy_answer(truth(asked.inputs[0]), asked.channel, answer_draws);
          }};
}

}  // namespace acuity
