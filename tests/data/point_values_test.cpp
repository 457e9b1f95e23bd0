#include "acuity/data/point_values.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/thread_ranks.hpp"

namespace acuity::point_values_test {
namespace {

double number(Index point) {
  return std::fmod(static_cast<double>(point) * 0.618034, 1.0);
}

Vector numbers(Index first, Index count) {
  Vector values(count);
  for (Index i = 0; i < count; ++i) values(i) = number(first + i);
  return values;
}

TEST(PointValues, AConstantStoresNothingPerPoint) {
  const PointValues same = PointValues::constant(1000, 0.25);
  EXPECT_EQ(same.size(), 1000);
  EXPECT_EQ(same.stored(), 0);
  EXPECT_EQ(same(999), 0.25);
  EXPECT_EQ(same.lowest(), 0.25);
  EXPECT_EQ(same.highest(), 0.25);
  EXPECT_EQ(same, PointValues(Vector::Constant(1000, 0.25)));
  const PointValues mapped = same.mapped([](double value) { return 2.0 * value + 1.0; });
  EXPECT_TRUE(mapped.is_constant());
  EXPECT_EQ(mapped(3), 1.5);
  double room[4] = {};
  EXPECT_EQ(same.run(10, 4, room)[3], 0.25);
}

TEST(PointValues, PartsShareTheNumbersAndHaveTheirOwnExtremes) {
  const PointValues all(numbers(0, 100));
  const PointValues part = all.part(30, 20);
  EXPECT_EQ(part.all(), numbers(30, 20));
  EXPECT_EQ(part.run(0, 20, nullptr), all.run(30, 20, nullptr));
  EXPECT_EQ(part.lowest(), numbers(30, 20).minCoeff());
  EXPECT_EQ(part.highest(), numbers(30, 20).maxCoeff());
  EXPECT_EQ(all({5, 99, 0}), (Vector{{number(5), number(99), number(0)}}));
}

// On any number of ranks, also more than there are blocks, everybody has the numbers of all points and stores
// its own.
TEST(PointValues, OfRanksAreThoseOfOneProcess) {
  constexpr Index whole = 3 * pool_block + 17;
  const PointValues expected(numbers(0, whole));
  for (const int count : {1, 2, 3, 6})
    ThreadRanks::run(count, [&](Ranks& ranks) {
      const PoolShard shard = shard_of(whole, ranks.rank(), ranks.count());
      const PointValues values = pool_of(ranks).values(shard, numbers(shard.first, shard.rows), number);
      EXPECT_EQ(values.stored(), shard.rows);
      EXPECT_FALSE(values.is_constant());
      for (const auto& f :
           {+[](double value) { return value; }, +[](double value) { return 3.0 * value + 0.5; }}) {
        const PointValues here = values.mapped(f), there = expected.mapped(f);
        EXPECT_EQ(here, there);
        EXPECT_EQ(here.lowest(), there.lowest());
        EXPECT_EQ(here.lowest_at(), there.lowest_at());
        EXPECT_EQ(here.highest(), there.highest());
        EXPECT_EQ(here.part(shard.first, shard.rows), there.part(shard.first, shard.rows));
        EXPECT_EQ(here.part(0, whole), there);  // also where most of them are not stored
        EXPECT_EQ(here.stored(), shard.rows);
      }
    });
}

TEST(PointValues, OfAShardAreOnePerPointOfIt) {
  EXPECT_THROW(SharedPool().values({.first = 0, .rows = 3, .whole = 9}, numbers(0, 2), number),
               std::invalid_argument);
  EXPECT_THROW(PointValues::of_part(8, 9, numbers(0, 2), number, {}), std::invalid_argument);
}

}  // namespace
}  // namespace acuity::point_values_test
