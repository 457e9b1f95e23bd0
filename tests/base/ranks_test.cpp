#include "acuity/base/ranks.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "acuity/base/errors.hpp"
#include "support/counting_ranks.hpp"
#include "support/thread_ranks.hpp"

namespace acuity::ranks_test {

// What one rank saw, as text.
std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += part + "|";
  return all;
}

TEST(Ranks, GatherReturnsTheBytesOfEveryRankInTheirOrder) {
  for (const int count : {1, 2, 3, 5}) {
    std::string expected;
    for (int k = 0; k < count; ++k) expected += std::string(static_cast<std::size_t>(k), 'x') + '\0' + "|";
    std::atomic<int> correct = 0;
    ThreadRanks::run(count, [&](Ranks& ranks) {
      for (int round = 0; round < 50; ++round) {
        const std::string mine = std::string(static_cast<std::size_t>(ranks.rank()), 'x') + '\0';
        if (joined(ranks.gather(mine)) == expected) ++correct;
      }
    });
    EXPECT_EQ(correct, 50 * count);
  }
}

TEST(Ranks, BroadcastReturnsTheBytesOfOneRankAndHighestTheHighestNumber) {
  ThreadRanks::run(3, [&](Ranks& ranks) {
    EXPECT_EQ(ranks.broadcast("from " + std::to_string(ranks.rank()), 0), "from 0");
    EXPECT_EQ(ranks.broadcast(ranks.rank() == 2 ? "from 2" : "ignored", 2), "from 2");
    EXPECT_EQ(ranks.highest(ranks.rank() == 1 ? 7.5 : -1.0), 7.5);
    EXPECT_EQ(ranks.highest(ranks.rank() == 2 ? -1e300 : -std::numeric_limits<double>::infinity()), -1e300);
  });
}

TEST(Ranks, OneRankReturnsWhatItIsGiven) {
  Ranks& only = one_rank();
  EXPECT_EQ(only.rank(), 0);
  EXPECT_EQ(only.count(), 1);
  EXPECT_EQ(only.gather("a"), std::vector<std::string>{"a"});
  EXPECT_EQ(only.broadcast("b", 0), "b");
  EXPECT_EQ(only.highest(-2.0), -2.0);
  EXPECT_THROW(on_all_ranks(only, [] { throw InputError("a.csv:1: no"); }), InputError);
}

// Throws `Kind` on ranks 1 and 2 of 4 and returns what every rank caught.
template <typename Kind>
std::vector<std::string> caught_on_ranks() {
  std::vector<std::string> caught(4);
  ThreadRanks::run(4, [&](Ranks& ranks) {
    const int rank = ranks.rank();
    std::string& mine = caught[static_cast<std::size_t>(rank)];
    try {
      on_all_ranks(ranks, [&] {
        if (rank == 1 || rank == 2) throw Kind("of rank " + std::to_string(rank));
      });
    } catch (const Kind& error) {
      mine = typeid(error) == typeid(Kind) ? error.what() : "another kind";
    }
    on_all_ranks(ranks, [] {});  // everybody is still there
  });
  return caught;
}

TEST(Ranks, AllThrowTheErrorOfTheLowestRankThatFailedAsTheSameKind) {
  const std::vector<std::string> expected(4, "of rank 1");
  EXPECT_EQ(caught_on_ranks<InputError>(), expected);
  EXPECT_EQ(caught_on_ranks<std::invalid_argument>(), expected);
  EXPECT_EQ(caught_on_ranks<NumericalError>(), expected);
  EXPECT_EQ(caught_on_ranks<StoreError>(), expected);
  EXPECT_EQ(caught_on_ranks<DamagedError>(), expected);
  EXPECT_EQ(caught_on_ranks<DifferentStudyError>(), expected);
  EXPECT_EQ(caught_on_ranks<OwnedError>(), expected);
  EXPECT_EQ(caught_on_ranks<std::runtime_error>(), expected);
}

TEST(Ranks, ResultsOfWorkAreGatheredIfNobodyFails) {
  ThreadRanks::run(3, [&](Ranks& ranks) {
    const auto results = gather_from_all(ranks, [&] { return "r" + std::to_string(ranks.rank()); });
    EXPECT_EQ(joined(results), "r0|r1|r2|");
  });
}

TEST(Ranks, ThreadsThatWaitForARankThatEndedAreToldSo) {
  EXPECT_THROW(ThreadRanks::run(3,
                                [](Ranks& ranks) {
                                  if (ranks.rank() != 1) ranks.gather("");
                                }),
               std::logic_error);
}

TEST(Ranks, CallsAndBytesAreCounted) {
  ThreadRanks::run(2, [&](Ranks& ranks) {
    CountingRanks counting(ranks);
    counting.gather("four");
    counting.broadcast("abc", 0);
    counting.highest(1.0);
    EXPECT_EQ(counting.calls(), 3);
    EXPECT_EQ(counting.bytes(), 12 + (ranks.rank() == 0 ? 3 : 0));
  });
}

}  // namespace acuity::ranks_test
