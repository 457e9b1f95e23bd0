#include "numerics/slab_arena.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>

namespace acuity::numerics::slab_arena_test {
namespace {

TEST(SlabArena, PiecesDoNotOverlapAndAreAligned) {
  SlabArena arena(192);
  std::set<std::uintptr_t> places;
  for (int i = 0; i < 5000; ++i) {
    void* slab = arena.take();
    std::memset(slab, i, 192);
    const auto place = reinterpret_cast<std::uintptr_t>(slab);
    EXPECT_EQ(place % 64, 0U);
    places.insert(place);
  }
  ASSERT_EQ(places.size(), 5000U);
  for (auto it = std::next(places.begin()); it != places.end(); ++it) EXPECT_GE(*it - *std::prev(it), 192U);
}

TEST(SlabArena, GivesOutAgainWhatCameBack) {
  SlabArena arena(64);
  void* first = arena.take();
  arena.give_back(first);
  EXPECT_EQ(arena.take(), first);
  EXPECT_NE(arena.take(), first);
}

}  // namespace
}  // namespace acuity::numerics::slab_arena_test
