#include "experiments/toy_data.hpp"

#include <cmath>

namespace acuity {

namespace {

struct Block {
  double low, high;  // of both inputs
  bool contains(double x1, double x2) const { return x1 >= low && x1 < high && x2 >= low && x2 < high; }
};

constexpr Block middle{-0.3, 0.3}, corner{-2.0, -1.5};

void draw_in(const Block& block, numerics::Draws& draws, double* x) {
  x[0] = draws.uniform(block.low, block.high);
  x[1] = draws.uniform(block.low, block.high);
}

void draw_outside(const Block& block, numerics::Draws& draws, double* x) {
  do draw_in({-2.0, 2.0}, draws, x);
  while (block.contains(x[0], x[1]));
}

void draw_checker(numerics::Draws& draws, double* x) {
  for (int k = 0; k < 2; ++k) x[k] = static_cast<double>(draws.below(4)) - 2.0 + draws.uniform(0.0, 0.5);
}

void draw_pool_point(ToySet set, numerics::Draws& draws, double* x) {
  if (set == ToySet::checkers) return draw_checker(draws, x);
  const Block& block = set == ToySet::noisy_block ? middle : corner;
  if (draws.uniform() < 0.8)
    draw_in(block, draws, x);
  else
    draw_outside(block, draws, x);
}

void draw_test_point(ToySet set, numerics::Draws& draws, double* x) {
  if (set == ToySet::checkers) return draw_checker(draws, x);
  draw_in({-2.0, 2.0}, draws, x);
}

}  // namespace

double clean_class(ToySet set, double x1, double x2) {
  if (set != ToySet::checkers) return x1 <= 0.0 ? 1.0 : -1.0;
  const double apart = std::abs(x1 - x2);
  return apart <= 0.5 || (apart >= 1.5 && apart <= 2.5) ? 1.0 : -1.0;
}

Problem toy_problem(const ToyOptions& options, Precisions precisions, const ProblemSize& size,
                    const Repeat& repeat) {
  const ToySet set = options.set;
  numerics::Draws draws(repeat.seed, numerics::Purpose::data, static_cast<std::uint32_t>(repeat.number));
  Points x(size.pool + size.test, 2);
  for (Index i = 0; i < size.pool; ++i) draw_pool_point(set, draws, &x(i, 0));
  for (Index i = size.pool; i < x.rows(); ++i) draw_test_point(set, draws, &x(i, 0));
  Vector values(size.test);
  for (Index i = 0; i < size.test; ++i)
    values(i) = clean_class(set, x(size.pool + i, 0), x(size.pool + i, 1));
  PrecisionOffer offer = class_offer(options.kappa, options.gamma, precisions);
  const auto answer = [set](const Suggestion& asked, numerics::Draws& answer_draws) {
    const double x1 = asked.inputs[0], x2 = asked.inputs[1];
    double label = clean_class(set, x1, x2);
    if (set == ToySet::noisy_block && middle.contains(x1, x2))
      label = answer_draws.uniform() < 0.6 ? 1.0 : -1.0;
    return noisy_answer(label, asked.channel, answer_draws);
  };
  return {.points = Pool(std::move(x), {"x1", "x2"}),
          .pool = size.pool,
          .test_values = std::move(values),
          .offer = {.levels = std::move(offer.levels), .base_noise = Vector::Zero(size.pool)},
          .continuous = std::move(offer.continuous),
          .answer = answer};
}

}  // namespace acuity
