// What stays known about tiles when points are closed and opened.
#include "selection/tile_bounds.hpp"

#include <gtest/gtest.h>

#include "numerics/infinite.hpp"

namespace acuity::tile_bounds_test {
namespace {

// Nothing but a size and an epoch.
struct EmptyPool : LaggingPool {
  Marginals marginals;
  Index changes = 0;

  explicit EmptyPool(Index size) : marginals{Vector::Zero(size), Vector::Ones(size)} {}
  Index tile_width() const override { return 32; }
  const Marginals& so_far() const override { return marginals; }
  void refresh(Index) override {}
  Index epoch() const override { return changes; }
  bool surely_finite() const override { return true; }
  VarianceError error() const override { return {}; }
  Marginals exact_at(std::span<const Index>) const override { return {}; }
};

std::vector<Index> order_of(TileBounds& bounds) {
  std::vector<Index> tiles;
  for (const TileBounds::Entry& entry : bounds.entries()) tiles.push_back(entry.tile);
  return tiles;
}

TEST(TileBounds, OnlyTilesWithPointsThatWereOpenedLoseTheirBounds) {
  const EmptyPool pool(10'000);
  std::vector<char> open(10'000, 1);
  open[5000] = open[9999] = 0;
  TileBounds bounds;
  EXPECT_FALSE(bounds.fit(pool));
  bounds.start(pool, open);
  EXPECT_TRUE(bounds.fit(pool));
  ASSERT_EQ(bounds.entries().size(), 313U);
  for (TileBounds::Entry& entry : bounds.entries()) entry.bound = double(entry.tile);
  bounds.restore_order(313);
  EXPECT_EQ(bounds.entries().front().tile, 312);

  open[7] = 0;  // closing leaves every bound valid
  bounds.set_open(open);
  EXPECT_FALSE(bounds.is_open(7));
  EXPECT_EQ(bounds.entries().front().bound, 312.0);

  open[5000] = 1;
  bounds.set_open(open);
  EXPECT_TRUE(bounds.is_open(5000));
  EXPECT_EQ(bounds.entries().front().tile, 5000 / 32);
  EXPECT_EQ(bounds.entries().front().bound, infinite);
  EXPECT_EQ(bounds.entries()[1].bound, 312.0);

  bounds.set_open({});  // all are open
  EXPECT_TRUE(bounds.is_open(7) && bounds.is_open(9999));
  EXPECT_EQ(order_of(bounds)[0], 0);
  EXPECT_EQ(order_of(bounds)[1], 5000 / 32);
  EXPECT_EQ(order_of(bounds)[2], 312);
}

TEST(TileBounds, FitNoPoolWhoseVariancesMayHaveRisen) {
  EmptyPool pool(100);
  TileBounds bounds;
  bounds.start(pool, {});
  EXPECT_TRUE(bounds.fit(pool));
  EXPECT_FALSE(bounds.fit(EmptyPool(101)));
  ++pool.changes;
  EXPECT_FALSE(bounds.fit(pool));
}

TEST(TileBounds, RestoreTheOrderAfterTheFirstOnesChanged) {
  const EmptyPool pool(320);
  TileBounds bounds;
  bounds.start(pool, {});
  for (TileBounds::Entry& entry : bounds.entries()) entry.bound = double(10 - entry.tile);
  for (std::size_t k = 0; k < 3; ++k) bounds.entries()[k].bound = 4.5 - double(k);
  bounds.restore_order(3);
  EXPECT_EQ(order_of(bounds), (std::vector<Index>{3, 4, 5, 0, 6, 1, 7, 2, 8, 9}));
  bounds.forget();
  for (const TileBounds::Entry& entry : bounds.entries()) EXPECT_EQ(entry.bound, infinite);
}

}  // namespace
}  // namespace acuity::tile_bounds_test
