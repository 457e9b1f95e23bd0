#include "acuity/selection/screened_scan.hpp"

#include "selection/screen.hpp"
#include "selection/select_among.hpp"

namespace acuity {

std::optional<Score> select_by_screen(const Marginals& belief, const Offer& offer,
                                      const Acquisition& acquisition, const Candidates& candidates,
                                      int threads) {
  const Screen screen(offer, acquisition, candidates, threads);
  if (!screen.possible()) return select_by_full_scan(belief, offer, acquisition, candidates);
  const std::vector<Index> left = screen.left(belief, candidates);
  if (left.empty()) return std::nullopt;
  return select_among(left, {belief.mean(left), belief.variance(left)},
                      {offer.levels, offer.base_noise(left)}, acquisition, candidates);
}

}  // namespace acuity
