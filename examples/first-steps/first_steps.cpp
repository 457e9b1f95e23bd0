#include <acuity/acquisition/cost_function.hpp>
#include <acuity/model/gp_pool_belief.hpp>
#include <acuity/selection/selector.hpp>
#include <cmath>
#include <cstdio>

int main() {
  // 200 inputs we could ask about, and three precisions: answers carry noise 0.01 + 0.09 / alpha and cost
  // less when they are vague.
  const acuity::Points pool = acuity::Vector::LinSpaced(200, 0.0, 5.0);
  const acuity::PowerCost cost({.c = 9.0, .q = 0.6});
  acuity::Offer offer{.levels = {}, .base_noise = acuity::Vector::Constant(200, 0.01)};
  for (const double alpha : {1.0, 4.0, 100.0})
    offer.levels.push_back(
        {.alpha = alpha, .channel = acuity::GaussianChannel{0.09 / alpha}, .cost = cost(alpha)});

  acuity::GpPoolBelief belief(acuity::Prior{}, pool);  // an RBF kernel of amplitude and length scale 1
  acuity::Candidates candidates{.remaining = 3.0};     // the budget
  const acuity::Acquisition acquisition;               // information about f, per cost
  acuity::Selector selector(offer, acquisition);
  while (const auto best = selector.choose(belief, candidates)) {
    const double x = pool(best->point, 0), alpha = *offer.levels[best->level].alpha;
    const double answer = 0.2 * x * std::sin(3.0 * x);  // your experiment goes here
    belief.condition(best->point, offer.channel(best->point, best->level), answer);
    candidates.remaining -= best->cost;
    std::printf("x = %.2f, alpha = %3.0f: %.2f nats for %.2f\n", x, alpha, best->information, best->cost);
  }
  std::printf("largest remaining standard deviation: %.2f\n",
              std::sqrt(belief.marginals().variance.maxCoeff()));
}
