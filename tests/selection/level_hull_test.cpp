#include "selection/level_hull.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "acquisition/information_shortcuts.hpp"
#include "acuity/acquisition/classification_information.hpp"
#include "acuity/selection/full_scan.hpp"
#include "numerics/random.hpp"

namespace acuity::level_hull_test {
namespace {

using numerics::Draws;
using numerics::Purpose;

Level level(double accuracy, double cost) {
  return {.name = {}, .channel = FlipChannel{accuracy}, .cost = cost};
}

std::vector<Index> all_of(const Offer& offer) {
  std::vector<Index> levels(offer.levels.size());
  std::iota(levels.begin(), levels.end(), Index{0});
  return levels;
}

std::vector<Level> linear_ladder(int count, double kappa, double b, double c) {
  std::vector<Level> levels;
  for (int k = 0; k < count; ++k) {
    const double alpha = k / (count - 1.0);
    levels.push_back(level(std::min(1.0, kappa + (1.0 - kappa) * alpha), b + c * alpha));
  }
  return levels;
}

TEST(LevelHull, UnderALinearCostTheCornersAreTheEnds) {
  Draws draws(1, Purpose::data);
  for (const double kappa : {0.5, 0.8, 0.93})
    for (const auto& [b, c] :
         {std::pair(0.1, 0.9), std::pair(1.0 / 3.0, 0.7), std::pair(1e-6, 1.0), std::pair(2.0, -1.9)}) {
      Offer offer{.levels = linear_ladder(100, kappa, b, c), .base_noise = {}};
      EXPECT_EQ(level_hull(offer, all_of(offer)).corners, (std::vector<Index>{0, 99}));
      const LevelHull affordable = level_hull(offer, std::vector<Index>{3, 7, 20, 60});
      EXPECT_EQ(affordable.corners, (std::vector<Index>{3, 60}));
      EXPECT_EQ(affordable.inside.size(), 2U);
      std::swap(offer.levels[0], offer.levels[50]);
      EXPECT_EQ(level_hull(offer, all_of(offer)).corners, (std::vector<Index>{50, 99})) << "in any order";
    }
}

TEST(LevelHull, LeavesOutWhatIsOnOrAboveALineAndNothingElse) {
  const Offer offer{.levels = {level(0.9, 5.0), level(0.6, 1.0), level(0.7, 1.2), level(0.8, 4.0),
                               level(0.7, 1.2), level(0.7, 3.0), level(1.0, 20.0)},
                    .base_noise = {}};
  const LevelHull hull = level_hull(offer, all_of(offer));
  EXPECT_EQ(hull.corners, (std::vector<Index>{0, 1, 2, 6}));
  EXPECT_EQ(hull.inside.size(), 3U);
  const Offer one{.levels = {level(0.7, 1.0)}, .base_noise = {}};
  EXPECT_EQ(level_hull(one, all_of(one)).corners, (std::vector<Index>{0}));
  const Offer same{.levels = {level(0.7, 2.0), level(0.7, 1.0), level(0.7, 1.0)}, .base_noise = {}};
  EXPECT_EQ(level_hull(same, all_of(same)).corners, (std::vector<Index>{1}));
}

// The slow twin of the hull: every line between two levels.
TEST(LevelHull, AgreesWithTryingEveryLine) {
  Draws draws(2, Purpose::data);
  for (int repeat = 0; repeat < 300; ++repeat) {
    Offer offer{.levels = {}, .base_noise = {}};
    const auto count = 1 + draws.below(9);
    for (Index k = 0; k < count; ++k)
      offer.levels.push_back(level(draws.uniform(0.5, 1.0), draws.uniform(0.1, 1.0)));
    const LevelHull hull = level_hull(offer, all_of(offer));
    const auto at = [&](Index k) {
      const Level& found = offer.levels[static_cast<std::size_t>(k)];
      return std::pair(std::get<FlipChannel>(found.channel).accuracy(), found.cost);
    };
    for (const Index k : all_of(offer)) {
      bool above = false;
      for (const Index i : all_of(offer))
        for (const Index j : all_of(offer)) {
          const auto [w, cost] = at(k);
          if (!(at(i).first < w && w < at(j).first)) continue;
          const double share = (at(j).first - w) / (at(j).first - at(i).first);
          above = above || cost >= share * at(i).second + (1.0 - share) * at(j).second;
        }
      EXPECT_EQ(above, std::count(hull.corners.begin(), hull.corners.end(), k) == 0);
    }
  }
}

// Counts what is looked at.
class Counting : public Information {
 public:
  explicit Counting(std::shared_ptr<const Information> inner) : inner_(std::move(inner)) {}
  std::string_view unit() const override { return inner_->unit(); }
  void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
             std::span<const Index> levels, double* out) const override {
    looks += (end - begin) * static_cast<Index>(levels.size());
    inner_->worth(belief, offer, begin, end, levels, out);
  }
  mutable std::atomic<Index> looks = 0;

 private:
  std::shared_ptr<const Information> inner_;
};
struct ConvexCounting : Counting, ConvexInAccuracy {
  using Counting::Counting;
};

std::vector<std::shared_ptr<const Information>> exact_informations() {
  return {std::make_shared<ClassModelInformation>(), std::make_shared<ClassTargetInformation>(TargetGraph::b),
          std::make_shared<ClassTargetInformation>(TargetGraph::c)};
}

Marginals random_marginals(Draws& draws, Index count) {
  Marginals belief{Vector::Zero(count), Vector::Zero(count)};
  for (Index i = 0; i < count; ++i) {
    belief.mean(i) = draws.below(10) == 0 ? 0.0 : draws.uniform(-4.0, 4.0);
    belief.variance(i) = draws.below(10) == 0 ? 0.0 : std::exp(draws.uniform(std::log(1e-4), std::log(50.0)));
  }
  return belief;
}

void expect_equal(const Score& fast, const Score& slow) {
  EXPECT_EQ(fast.point, slow.point);
  EXPECT_EQ(fast.level, slow.level);
  EXPECT_EQ(fast.information, slow.information);
  EXPECT_EQ(fast.cost, slow.cost);
  EXPECT_EQ(fast.value, slow.value);
}

void expect_same_choice(const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
                        const Candidates& candidates) {
  const FullScanOptions corners{.threads = 1}, every{.threads = 1, .every_level = true};
  const auto fast = select_by_full_scan(belief, offer, acquisition, candidates, corners),
             slow = select_by_full_scan(belief, offer, acquisition, candidates, every);
  ASSERT_EQ(fast.has_value(), slow.has_value());
  if (fast) expect_equal(*fast, *slow);
  const auto few = score_pool(belief, offer, acquisition, candidates, corners),
             many = score_pool(belief, offer, acquisition, candidates, every);
  ASSERT_EQ(few.size(), many.size());
  for (std::size_t i = 0; i < few.size(); ++i) expect_equal(few[i], many[i]);
}

TEST(LevelHull, TheChoiceIsThatOfAHundredLevels) {
  Draws draws(3, Purpose::data);
  for (int repeat = 0; repeat < 12; ++repeat) {
    const Marginals belief = random_marginals(draws, 40);
    const double kappa = repeat % 3 == 0 ? 0.5 : draws.uniform(0.5, 0.95);
    const Offer offer{.levels = linear_ladder(100, kappa, draws.uniform(0.01, 1.0), draws.uniform(0.0, 1.0)),
                      .base_noise = Vector::Zero(40)};
    for (const auto& information : exact_informations())
      for (const double remaining : {100.0, 0.6, 0.2, 0.001})
        expect_same_choice(belief, offer, {.information = information},
                           Candidates(offer, {.budget = remaining}));
  }
}

TEST(LevelHull, TheChoiceIsThatOfTheWholePriceList) {
  Draws draws(4, Purpose::data);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Marginals belief = random_marginals(draws, 30);
    Offer offer{.levels = {}, .base_noise = Vector::Zero(30)};
    const auto count = 2 + draws.below(9);
    const int kind = repeat % 4;
    for (Index k = 0; k < count; ++k) {
      const double accuracy =
          0.5 + 0.5 * (kind == 0 ? draws.uniform() : static_cast<double>(draws.below(6)) / 5.0);
      double cost = draws.uniform(0.1, 1.0);
      if (kind == 1) cost = 0.5;  // all tied where nothing is to be learned: the first wins
      if (kind == 2) cost = 0.1 + std::pow(accuracy - 0.4, 2.0);
      if (kind == 3) cost = 0.2 * (1.0 + static_cast<double>(draws.below(4)));
      offer.levels.push_back(level(accuracy, cost));
    }
    for (const auto& information : exact_informations())
      for (const double remaining : {100.0, 0.5})
        expect_same_choice(belief, offer, {.information = information},
                           Candidates(offer, {.budget = remaining}));
  }
}

// Ends that tie, nearly tie or hardly do not, and a cheaper level on the line between them, at any distance.
TEST(LevelHull, TheChoiceIsTheSameWhereEndsTie) {
  Draws draws(5, Purpose::data);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const LatentMarginal latent{.mean = draws.uniform(-2.0, 2.0), .variance = draws.uniform(0.1, 3.0)};
    const Marginals belief{Vector::Constant(1, latent.mean), Vector::Constant(1, latent.variance)};
    const double low = draws.uniform(0.55, 0.7), high = draws.uniform(0.8, 1.0), cost = 0.3;
    const double tie = cost * class_model_information(latent, high) / class_model_information(latent, low);
    const double top =
        tie * (1.0 + (draws.below(2) == 0 ? 1.0 : -1.0) * std::pow(10.0, -draws.uniform(6.0, 14.0)));
    Offer offer{.levels = {level(low, cost), level(high, top)}, .base_noise = Vector::Zero(1)};
    for (int k = 0; k < 5; ++k) {
      const double share = std::pow(10.0, -draws.uniform(0.1, 12.0));
      const double from = draws.below(2) == 0 ? share : 1.0 - share;
      offer.levels.push_back(level(from * low + (1.0 - from) * high, from * cost + (1.0 - from) * top));
    }
    for (const auto& information : exact_informations())
      expect_same_choice(belief, offer, {.information = information}, Candidates(offer));
  }
}

TEST(LevelHull, OnlyTheEndsAreLookedAt) {
  Draws draws(6, Purpose::data);
  const Offer offer{.levels = linear_ladder(100, 0.8, 0.1, 0.9), .base_noise = Vector::Zero(300)};
  Marginals belief = random_marginals(draws, 300);
  belief.variance.array() += 0.01;
  const auto looks = [&](std::shared_ptr<const Information> inner, const Candidates& candidates) {
    const bool convex = is_convex_in_accuracy(*inner);
    std::shared_ptr<Counting> information;
    if (convex)
      information = std::make_shared<ConvexCounting>(std::move(inner));
    else
      information = std::make_shared<Counting>(std::move(inner));
    score_pool(belief, offer, {.information = information}, candidates);
    return static_cast<Index>(information->looks);
  };
  for (const auto& information : exact_informations()) {
    EXPECT_EQ(looks(information, Candidates(offer)), 2 * 300);
    Candidates without_corner(offer);
    without_corner.exclude(0, 0);
    EXPECT_EQ(looks(information, without_corner), 100 * 300) << "a corner may be missing";
  }
  EXPECT_EQ(looks(std::make_shared<ClassModelInformation>(Approximation::taylor), Candidates(offer)),
            100 * 300)
      << "not convex";
}

}  // namespace
}  // namespace acuity::level_hull_test
