// Somebody else's program: knows acuity's headers and nothing else of the project.
#include <acuity/acquisition/acquisition.hpp>
#include <acuity/model/gp_pool_belief.hpp>
#include <acuity/selection/full_scan.hpp>
#include <cmath>
#include <cstdio>

int main() {
  const acuity::Points pool = acuity::Points::Random(1000, 3);
  acuity::Offer offer{.levels = {{.name = "coarse", .channel = acuity::GaussianChannel{0.5}, .cost = 1.0},
                                 {.name = "fine", .channel = acuity::GaussianChannel{0.01}, .cost = 5.0}},
                      .base_noise = acuity::Vector::Zero(1000)};
  acuity::GpPoolBelief belief(acuity::Prior{}, pool);
  acuity::Candidates candidates(offer, {.budget = 30.0, .repeat_points = true});
  int bought = 0;
  while (const auto best = acuity::select_by_full_scan(belief.marginals(), offer, {}, candidates)) {
    belief.condition(best->point, offer.channel(best->point, best->level), std::sin(pool(best->point, 0)));
    candidates.buy(*best);
    ++bought;
  }
  std::printf("bought %d annotations, largest variance %.3f\n", bought,
              belief.marginals().variance.maxCoeff());
  return bought >= 6 ? 0 : 1;
}
