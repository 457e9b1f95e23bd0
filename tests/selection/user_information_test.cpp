// An information that a user derives from the public interface: the selector chooses what a full scan of
// every level chooses, on every kind of belief, and the library's own informations cannot be derived from.
#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/selection/selector.hpp"
#include "numerics/random.hpp"
#include "support/fixed_belief.hpp"

namespace acuity::user_information_test {
namespace {

static_assert(std::is_final_v<ModelInformation> && std::is_final_v<TargetInformation> &&
              std::is_final_v<ClassModelInformation> && std::is_final_v<ClassTargetInformation>);
static_assert(std::is_final_v<GpPoolBelief> && std::is_final_v<EpPoolBelief>);

// The information of another, weighted by a function of the mean: far from monotone in the variance.
class Weighted : public Information {
 public:
  explicit Weighted(std::shared_ptr<const Information> inner) : inner_(std::move(inner)) {}
  std::string_view unit() const override { return inner_->unit(); }
  void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
             std::span<const Index> levels, double* out) const override {
    inner_->worth(belief, offer, begin, end, levels, out);
    const auto count = static_cast<Index>(levels.size());
    for (Index i = begin; i < end; ++i)
      for (Index k = 0; k < count; ++k)
        out[(i - begin) * count + k] *= 1.0 + std::cos(20.0 * belief.mean(i)) * (k % 2 == 0 ? 0.9 : 0.3);
  }

 private:
  std::shared_ptr<const Information> inner_;
};

// Depends on the whole pool: less where a point's neighbour in the pool is as uncertain.
class Relative : public Information {
 public:
  std::string_view unit() const override { return "nats"; }
  void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
             std::span<const Index> levels, double* out) const override {
    ModelInformation().worth(belief, offer, begin, end, levels, out);
    const Index size = belief.variance.size(), count = static_cast<Index>(levels.size());
    for (Index i = begin; i < end; ++i)
      for (Index k = 0; k < count; ++k)
        out[(i - begin) * count + k] /= 0.1 + belief.variance((i + size / 2) % size);
  }
};

Points pool_of(Index size) {
  numerics::Draws draws(71, numerics::Purpose::data, 1);
  Points pool(size, 2);
  for (double& x : pool.reshaped()) x = 3.0 * draws.uniform();
  return pool;
}

Offer offer_of(Index size, bool classes) {
  Offer offer{.levels = {}, .base_noise = Vector::LinSpaced(size, 0.01, 0.05)};
  for (int k = 0; k < 9; ++k) {
    const Channel channel =
        classes ? Channel(FlipChannel{0.6 + 0.05 * k}) : Channel(GaussianChannel{0.4 / (1.0 + k)});
    offer.levels.push_back({.alpha = 1.0 + k, .channel = channel, .cost = 0.3 + 0.1 * k});
  }
  return offer;
}

// A run, choice by choice, beside the full scan of every level on a twin of the belief.
void expect_choices_of_the_full_scan(PoolBelief& belief, PoolBelief& twin, const Offer& offer,
                                     const Acquisition& acquisition, bool classes) {
  Selector selector(offer, acquisition, 2);
  Candidates candidates(offer);
  for (int step = 0; step < 25; ++step) {
    const std::optional<Score> fast = selector.choose(belief, candidates);
    const std::optional<Score> slow =
        select_by_full_scan(twin.marginals(), offer, acquisition, candidates, {.every_level = true});
    ASSERT_TRUE(fast && slow);
    ASSERT_EQ(fast->point, slow->point) << step;
    ASSERT_EQ(fast->level, slow->level) << step;
    ASSERT_EQ(fast->information, slow->information) << step;
    const double answer = classes ? (step % 3 == 0 ? -1.0 : 1.0) : std::sin(step);
    for (PoolBelief* each : {&belief, &twin})
      each->condition(fast->point, offer.channel(fast->point, fast->level), answer);
    candidates.buy(*fast);
  }
}

TEST(UserInformation, IsChosenByAsAFullScanWouldInRegression) {
  const Points pool = pool_of(900);
  const Offer offer = offer_of(900, false);
  const std::vector<std::shared_ptr<const Information>> all{
      std::make_shared<Weighted>(std::make_shared<ModelInformation>()),
      std::make_shared<Weighted>(std::make_shared<TargetInformation>()), std::make_shared<Relative>()};
  for (const auto& information : all)
    for (const Ranking ranking : {Ranking::information_per_cost, Ranking::information, Ranking::random}) {
      GpPoolBelief belief(Prior{}, pool), twin(Prior{}, pool);
      expect_choices_of_the_full_scan(belief, twin, offer,
                                      {.information = information, .ranking = ranking, .seed = 5}, false);
    }
}

TEST(UserInformation, IsChosenByAsAFullScanWouldInClassification) {
  const Points pool = pool_of(600);
  const Offer offer = offer_of(600, true);
  for (const std::shared_ptr<const Information>& inner :
       {std::shared_ptr<const Information>(std::make_shared<ClassModelInformation>()),
        std::shared_ptr<const Information>(std::make_shared<ClassTargetInformation>(TargetGraph::c))}) {
    EpPoolBelief belief(Prior{}, pool), twin(Prior{}, pool);
    expect_choices_of_the_full_scan(belief, twin, offer, {.information = std::make_shared<Weighted>(inner)},
                                    true);
  }
}

TEST(UserInformation, AndAUsersBeliefAreEnoughForTheSelector) {
  numerics::Draws draws(72, numerics::Purpose::data, 1);
  Marginals marginals{Vector(400), Vector(400)};
  for (Index i = 0; i < 400; ++i) {
    marginals.mean(i) = draws.normal();
    marginals.variance(i) = draws.uniform();
  }
  testing::FixedBelief belief(marginals);
  const Offer offer = offer_of(400, false);
  const Acquisition acquisition{.information =
                                    std::make_shared<Weighted>(std::make_shared<ModelInformation>())};
  const Candidates candidates(offer);
  const std::optional<Score> fast = Selector(offer, acquisition).choose(belief, candidates);
  const std::optional<Score> slow =
      select_by_full_scan(marginals, offer, acquisition, candidates, {.every_level = true});
  EXPECT_EQ(fast->point, slow->point);
  EXPECT_EQ(fast->level, slow->level);
  EXPECT_TRUE(belief.is_finite());
}

}  // namespace
}  // namespace acuity::user_information_test
