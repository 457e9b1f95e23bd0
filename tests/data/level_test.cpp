#include "acuity/data/level.hpp"

#include <gtest/gtest.h>

#include "acuity/data/observation.hpp"

namespace acuity::level_test {
namespace {

Level real_level(double added, double cost) {
  return {.channel = GaussianChannel{added}, .cost = cost};
}

TEST(Offer, NoiseOfALevelComesOnTopOfThePointsOwn) {
  const Offer offer{.levels = {real_level(0.5, 1.0), real_level(0.0, 2.0)},
                    .base_noise = Vector::Constant(2, 0.25)};
  EXPECT_EQ(noise_variance(offer.channel(1, 0)), 0.75);
  EXPECT_EQ(noise_variance(offer.channel(1, 1)), 0.25);
}

TEST(Offer, FinestIsTheLeastNoisyThenTheCheapestThenTheFirst) {
  EXPECT_EQ((Offer{.levels = {real_level(0.5, 1), real_level(0.1, 9), real_level(0.1, 8), real_level(0.1, 8)}}
                 .finest()),
            2);
}

TEST(Offer, FlipChannelsKeepTheirAccuracy) {
  const Offer offer{.levels = {{.channel = FlipChannel{0.7}}, {.channel = FlipChannel{0.9}}},
                    .base_noise = Vector::Zero(1)};
  EXPECT_EQ(std::get<FlipChannel>(offer.channel(0, 1)).accuracy(), 0.9);
  EXPECT_EQ(offer.finest(), 1);
  EXPECT_THROW(noise_variance(offer.channel(0, 0)), std::invalid_argument);
}

TEST(Observations, LookUpPoolRowsAndKeepOtherPlaces) {
  Points pool(2, 1);
  pool << 3.0, 4.0;
  const Observations observations(
      {{.place = 1, .value = 5.0, .channel = GaussianChannel{0.1}},
       {.place = Place(Vector::Constant(1, 9.0)), .value = 6.0, .channel = GaussianChannel{0.2}}},
      pool);
  EXPECT_EQ(observations.points()(0, 0), 4.0);
  EXPECT_EQ(observations.points()(1, 0), 9.0);
  EXPECT_EQ(observations.noise()(1), 0.2);
  EXPECT_THROW(Observations(pool, Vector::Zero(3), Vector::Ones(3)), std::invalid_argument);
}

}  // namespace
}  // namespace acuity::level_test
