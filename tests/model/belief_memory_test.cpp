// A belief that begins with the memory of an earlier one, against one that begins with nothing: the same
// bits.
#include "model/belief_memory.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "acuity/selection/selector.hpp"
#include "model/pool_belief_internals.hpp"
#include "model/tiled_posterior.hpp"
#include "numerics/random.hpp"
#include "support/problems.hpp"

namespace acuity::belief_memory_test {
namespace {

// Too rough for a pool of low rank, and with enough rows to be worth remembering.
struct World {
  Points pool = Points(9000, 3);
  Prior prior{
      .kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
          .family = KernelFamily::matern32, .amplitude = 1.3, .lengthscale = Vector::Constant(1, 0.4)}),
      .mean = 0.2};
  std::vector<Observation> observations;
  Offer offer;
  Acquisition acquisition;

  World() {
    numerics::Draws draws(5, numerics::Purpose::data, 2);
    for (double& x : pool.reshaped()) x = draws.uniform(0.0, 5.0);
    for (Index i = 0; i < 600; ++i)
      observations.push_back({.place = Place(i * 14 % pool.rows()),
                              .value = draws.normal(),
                              .channel = GaussianChannel{i % 3 == 0 ? 0.01 : 0.1}});
    observations[7].place = Place(Vector::Constant(3, 1.5));
    offer.levels = {Level{.name = "a", .channel = GaussianChannel{0.01}, .cost = 3.0},
                    Level{.name = "b", .channel = GaussianChannel{0.2}, .cost = 1.0}};
    offer.base_noise = PointValues::constant(pool.rows(), 0.0);
  }

  GpPoolBelief belief(std::size_t count, const std::shared_ptr<const BeliefMemory>& memory = nullptr) const {
    const RememberedBelief remembered(memory);
    return {
        prior, pool, {observations.begin(), observations.begin() + static_cast<std::ptrdiff_t>(count)}, 1};
  }
  Score choice(GpPoolBelief& belief, double price_weight) const {
    Acquisition how = acquisition;
    how.price_weight = price_weight;
    return *Selector(offer, how, 1).choose(belief, Candidates(offer));
  }
};

// As a later process finds it.
struct Stored {
  std::vector<std::string> texts;
  std::vector<std::string_view> parts;

  explicit Stored(const BeliefMemory& memory) {
    for (const std::string_view part : parts_of(memory)) texts.emplace_back(part);
    for (const std::string& text : texts) parts.emplace_back(text);
  }
  std::shared_ptr<const BeliefMemory> memory() const { return memory_in(parts, nullptr); }
};

Stored stored(GpPoolBelief& belief) {
  const std::optional<BeliefMemory> memory = PoolBeliefInternals::memory(belief);
  EXPECT_TRUE(memory);
  return Stored(*memory);
}

bool same_bits(const GpPoolBelief& a, const GpPoolBelief& b) {
  return a.marginals().mean == b.marginals().mean && a.marginals().variance == b.marginals().variance;
}

TEST(BeliefMemory, GivesTheSameChoicesAndTheSameBits) {
  const World world;
  for (const double price_weight : {1.0, 0.3}) {
    GpPoolBelief before = world.belief(550);
    world.choice(before, price_weight);  // after it there are bounds of all tiles
    const Stored kept = stored(before);
    ASSERT_NE(kept.memory()->bounds, nullptr);
    for (const std::size_t count : {550U, 551U, 600U}) {
      GpPoolBelief cold = world.belief(count), warm = world.belief(count, kept.memory());
      EXPECT_EQ(PoolBeliefInternals::posterior(warm).recalled(), 550);
      for (int step = 0; step < 3; ++step) {
        const Score a = world.choice(cold, price_weight), b = world.choice(warm, price_weight);
        EXPECT_EQ(a.point, b.point);
        EXPECT_EQ(a.level, b.level);
        EXPECT_EQ(a.value, b.value);
        for (GpPoolBelief* belief : {&cold, &warm})
          belief->condition(Place(a.point), world.offer.levels[0].channel, std::nullopt);
      }
      EXPECT_TRUE(same_bits(cold, warm)) << count;
    }
  }
}

TEST(BeliefMemory, LooksAtFewTiles) {
  const World world;
  GpPoolBelief before = world.belief(550);
  world.choice(before, 1.0);
  GpPoolBelief warm = world.belief(555, stored(before).memory());
  world.choice(warm, 1.0);
  const PoolTiles& tiles = PoolBeliefInternals::posterior(warm).tiles();
  Index seen = 0;
  for (Index tile = 0; tile < tiles.count(); ++tile) seen += tiles.seen(tile) > 0 ? 1 : 0;
  EXPECT_GT(seen, 0);
  EXPECT_LT(seen, tiles.count() / 4);
}

TEST(BeliefMemory, OfOtherAnswersHelpsAsFarAsTheyAreTheSame) {
  World world;
  GpPoolBelief before = world.belief(550);
  world.choice(before, 1.0);
  const Stored kept = stored(before);
  world.observations[400].channel = GaussianChannel{0.3};
  world.observations[10].value = 9.0;  // values are in no factor
  GpPoolBelief cold = world.belief(560), warm = world.belief(560, kept.memory());
  EXPECT_EQ(PoolBeliefInternals::posterior(warm).recalled(), 400);
  EXPECT_FALSE(PoolBeliefInternals::posterior(warm).began_with_bounds());
  EXPECT_TRUE(same_bits(cold, warm));
}

TEST(BeliefMemory, BoundsAreForgottenWhenAnswersAreTakenBack) {
  const World world;
  GpPoolBelief before = world.belief(550);
  world.choice(before, 1.0);
  GpPoolBelief cold = world.belief(550), warm = world.belief(550, stored(before).memory());
  for (GpPoolBelief* belief : {&cold, &warm}) belief->cancel({450});
  EXPECT_EQ(world.choice(cold, 1.0).point, world.choice(warm, 1.0).point);
  EXPECT_TRUE(same_bits(cold, warm));
}

TEST(BeliefMemory, OfAnotherPriorOrPoolIsNotUsed) {
  World world;
  GpPoolBelief before = world.belief(550);
  world.choice(before, 1.0);
  const Stored kept = stored(before);
  const auto recalled = [&] {
    GpPoolBelief belief = world.belief(550, kept.memory());
    return PoolBeliefInternals::posterior(belief).recalled();
  };
  EXPECT_EQ(recalled(), 550);
  const double before_it_moved = std::exchange(world.pool(8888, 1), 2.5);
  EXPECT_EQ(recalled(), 0);
  world.pool(8888, 1) = before_it_moved;
  world.prior.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
      .family = KernelFamily::matern32, .amplitude = 1.3, .lengthscale = Vector::Constant(1, 0.4000001)});
  EXPECT_EQ(recalled(), 0);
}

// Seldom, so that a process that lives on writes little.
TEST(BeliefMemory, IsGivenOutWhenThereIsMuchToRemember) {
  const World world;
  GpPoolBelief small = world.belief(500);
  EXPECT_FALSE(PoolBeliefInternals::memory(small)) << "soon computed again";
  GpPoolBelief belief = world.belief(550);
  EXPECT_TRUE(PoolBeliefInternals::memory(belief));
  EXPECT_FALSE(PoolBeliefInternals::memory(belief)) << "nothing is new";
  for (std::size_t k = 550; k < 600; ++k)
    belief.condition(world.observations[k].place, world.observations[k].channel, 0.0);
  const std::optional<BeliefMemory> memory = PoolBeliefInternals::memory(belief);
  ASSERT_TRUE(memory);
  GpPoolBelief warm = world.belief(600, Stored(*memory).memory());
  EXPECT_FALSE(PoolBeliefInternals::memory(warm)) << "it is there already";
}

TEST(BeliefMemory, InOtherPartsIsNone) {
  const World world;
  GpPoolBelief before = world.belief(550);
  const Stored kept = stored(before);
  for (std::size_t k = 0; k < kept.parts.size(); ++k) {
    std::vector<std::string_view> parts = kept.parts;
    if (parts[k].empty()) continue;
    parts[k].remove_suffix(1);
    EXPECT_EQ(memory_in(parts, nullptr), nullptr) << k;
  }
  EXPECT_EQ(memory_in({}, nullptr), nullptr);
}

}  // namespace
}  // namespace acuity::belief_memory_test
