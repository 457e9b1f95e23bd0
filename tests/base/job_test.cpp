#include "acuity/base/job.hpp"

#include <gtest/gtest.h>

#include "acuity/base/errors.hpp"
#include "acuity/base/interruption.hpp"
#include "support/counting_ranks.hpp"
#include "support/thread_ranks.hpp"

namespace acuity::job_test {
namespace {

TEST(Job, OfOneProcessCallsTheWorkAndSendsNothing) {
  for (const Job& job : {Job(), Job(nullptr)}) {
    EXPECT_TRUE(job.is_alone());
    EXPECT_TRUE(job.leads());
    EXPECT_EQ(job.from_leader([] { return std::string("said"); }), "said");
    EXPECT_TRUE(job.as_leader_says(true));
    EXPECT_FALSE(job.any(false));
    EXPECT_EQ(job.gather([] { return std::string("mine"); }), std::vector<std::string>{"mine"});
    EXPECT_THROW(job.together([] { throw InputError("no"); }), InputError);
    EXPECT_THROW(job.on_leader([] { throw Interrupted(); }), Interrupted);
  }
  ThreadRanks::run(1, [](Ranks& ranks) {
    CountingRanks counting(ranks);
    const Job job = job_of(counting);
    job.together([] {});
    job.on_leader([] {});
    EXPECT_TRUE(job.as_leader_says(true));
    EXPECT_TRUE(job.any(true));
    EXPECT_EQ(counting.calls(), 0);
  });
}

TEST(Job, TheLeaderWorksForAll) {
  ThreadRanks::run(3, [](Ranks& ranks) {
    const Job job = job_of(ranks);
    EXPECT_EQ(job.count(), 3);
    EXPECT_EQ(job.leads(), ranks.rank() == 0);
    EXPECT_EQ(job.from_leader([&] {
      EXPECT_EQ(ranks.rank(), 0);
      return std::string("said");
    }),
              "said");
    EXPECT_TRUE(job.as_leader_says(ranks.rank() == 0));
    EXPECT_FALSE(job.as_leader_says(ranks.rank() != 0));
    EXPECT_TRUE(job.any(ranks.rank() == 2));
    EXPECT_FALSE(job.any(false));
  });
}

TEST(Job, AnErrorOrAnInterruptionOfTheLeaderReachesAll) {
  ThreadRanks::run(3, [](Ranks& ranks) {
    const Job job = job_of(ranks);
    EXPECT_THROW(job.on_leader([] { throw Interrupted(); }), Interrupted);
    EXPECT_THROW(job.on_leader([] { throw InputError("a.csv:1: no"); }), InputError);
    EXPECT_THROW(job.together([&] {
      if (ranks.rank() == 1) throw StoreError("no");
    }),
                 StoreError);
    job.together([] {});  // all are still there
  });
}

}  // namespace
}  // namespace acuity::job_test
