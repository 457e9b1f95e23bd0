#include <acuity/acquisition/cost_function.hpp>
#include <acuity/model/gp_pool_belief.hpp>
#include <acuity/selection/selection_session.hpp>
#include <cmath>
#include <cstdio>

int main() {
  // 200 inputs that can be asked about. An answer is the mean of 1, 4 or 100 samples, so its noise
  // variance is 0.01 + 0.09 / alpha; fewer samples cost less.
  const acuity::Pool pool(acuity::Vector::LinSpaced(200, 0.0, 5.0), {"x"});
  const acuity::PowerCost cost({.c = 9.0, .q = 0.6});
  acuity::Offer offer{.levels = {}, .base_noise = acuity::Vector::Constant(200, 0.01)};
  for (const double alpha : {1.0, 4.0, 100.0})
    offer.levels.push_back(
        {.alpha = alpha, .channel = acuity::GaussianChannel{0.09 / alpha}, .cost = cost(alpha)});

  // An RBF kernel of amplitude and length scale 1; information about f, per cost.
  auto belief = std::make_unique<acuity::GpPoolBelief>(acuity::Prior{}, pool.points());
  acuity::SelectionSession session(pool, std::move(belief), offer, {},
                                   {.budget = 3.0, .repeat_points = true});
  while (const auto best = session.next()) {
    const double x = best->inputs[0], alpha = *best->level.alpha;
    session.tell(*best, 0.2 * x * std::sin(3.0 * x));  // your experiment goes here
    std::printf("x = %.2f, alpha = %3.0f: %.2f nats for %.2f\n", x, alpha, best->information, best->cost);
  }
  std::printf("largest remaining standard deviation: %.2f\n",
              std::sqrt(session.marginals().variance.maxCoeff()));
}
