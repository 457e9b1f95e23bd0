// What a failure means, for all loops.
#include "conduct/failure_policy.hpp"

#include <gtest/gtest.h>

namespace acuity::failure_policy_test {
namespace {

using Rows = std::vector<Index>;

TEST(FailurePolicy, TriesAgainAsOftenAsRetriesAllow) {
  EXPECT_FALSE(FailurePolicy::tries_again(1, 0));
  EXPECT_TRUE(FailurePolicy::tries_again(1, 1));
  EXPECT_FALSE(FailurePolicy::tries_again(2, 1));
}

TEST(FailurePolicy, WaitsTwiceAsLongBeforeEveryAttemptUpToAMinute) {
  EXPECT_EQ(FailurePolicy::wait_before_attempt(0), 0.5);
  EXPECT_EQ(FailurePolicy::wait_before_attempt(1), 1.0);
  EXPECT_EQ(FailurePolicy::wait_before_attempt(6), 32.0);
  EXPECT_EQ(FailurePolicy::wait_before_attempt(7), 60.0);
  EXPECT_EQ(FailurePolicy::wait_before_attempt(100'000), 60.0);
}

TEST(FailurePolicy, StopsAfterDifferentPointsInARow) {
  FailurePolicy failures(3);
  failures.count_failure(4, 1, "one");
  failures.count_failure(5, 2, "two");
  failures.count_failure(4, 3, "one again");
  EXPECT_EQ(failures.failures_in_a_row(), 2) << "a point counts once";
  EXPECT_FALSE(failures.stops());
  failures.count_failure(6, 4, "three");
  EXPECT_TRUE(failures.stops());
  EXPECT_EQ(failures.why_it_stops(), "3 different points failed in a row; the last: three");
}

TEST(FailurePolicy, BeginsAgainAfterAnAnswer) {
  FailurePolicy failures(2);
  failures.count_failure(4, 1, "one");
  failures.count_answer();
  EXPECT_EQ(failures.failures_in_a_row(), 0);
  failures.count_failure(5, 2, "two");
  EXPECT_FALSE(failures.stops());
  failures.set_max_failures(1);
  EXPECT_TRUE(failures.stops()) << "the study was changed";
  EXPECT_EQ(failures.why_it_stops(), "1 point failed in a row; the last: two");
}

TEST(FailurePolicy, GivesUpAPointThatFailedTwice) {
  FailurePolicy failures(10);
  EXPECT_EQ(failures.what_is_left(""), "");
  failures.count_failure(4, 1, "");
  EXPECT_EQ(failures.given_up(), Rows());
  failures.count_answer();  // of another point
  failures.count_failure(4, 7, "");
  failures.count_failure(4, 8, "");  // under way when it was given up
  EXPECT_EQ(failures.given_up(), Rows({4}));
  EXPECT_EQ(failures.last_given_up(), 7);
  EXPECT_FALSE(failures.ends_without_answer());
  EXPECT_EQ(failures.what_is_left("p4"), "1 point that failed twice is left, the last is p4");
  failures.count_failure(2, 9, "");
  failures.count_failure(2, 10, "");
  EXPECT_EQ(failures.what_is_left("p2"), "2 points that failed twice are left, the last is p2");
}

TEST(FailurePolicy, EndsWithoutAnswerIfAPointWasGivenUpAndNothingWasAnswered) {
  FailurePolicy failures(10);
  failures.count_failure(4, 1, "");
  EXPECT_FALSE(failures.ends_without_answer());
  failures.count_failure(4, 2, "");
  EXPECT_TRUE(failures.ends_without_answer());
}

TEST(FailurePolicy, CountsEarlierFailuresInARowButGivesNoPointUpForThem) {
  FailurePolicy failures(2);
  failures.count_earlier_failure(4, "the newest");
  failures.count_earlier_failure(4, "before it");
  EXPECT_EQ(failures.failures_in_a_row(), 1);
  EXPECT_EQ(failures.given_up(), Rows());
  failures.count_earlier_failure(5, "the oldest");
  EXPECT_TRUE(failures.stops());
  EXPECT_EQ(failures.why_it_stops(), "2 different points failed in a row; the last: the newest");
}

}  // namespace
}  // namespace acuity::failure_policy_test
