#include "acuity/data/pool.hpp"

#include <gtest/gtest.h>

#include "acuity/base/errors.hpp"

namespace acuity::pool_test {
namespace {

TEST(Pool, RowNumbersAreIdsWhereThereAreNone) {
  const Pool pool(Points::Zero(3, 1), {"x"});
  EXPECT_EQ(pool.id(2), "2");
  EXPECT_EQ(pool.find("2"), 2);
  for (const char* id : {"3", "-1", "1.0", "", "one", "1 ", "01", "+1"})
    EXPECT_EQ(pool.find(id), std::nullopt) << id;
  EXPECT_EQ(pool.where(1), "pool row 1");
}

TEST(Pool, FindsNamedPoints) {
  const Pool pool(Points::Zero(2, 1), {"x"}, {"b", "a"}, "pool.csv", {2, 3});
  EXPECT_EQ(pool.find("a"), 1);
  EXPECT_EQ(pool.find("0"), std::nullopt);
  EXPECT_EQ(pool.where(1), "pool.csv:3");
}

TEST(Pool, RefusesADuplicateIdAndSaysWhereBothStand) {
  try {
    Pool(Points::Zero(3, 1), {"x"}, {"a", "b", "a"}, "pool.csv", {2, 3, 5});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "pool.csv:5: id \"a\" is already used at pool.csv:2, must be unique");
  }
}

TEST(Pool, RefusesNamesThatDoNotFitTheColumns) {
  EXPECT_THROW(Pool(Points::Zero(2, 2), {"x"}), std::invalid_argument);
  EXPECT_THROW(Pool(Points::Zero(2, 1), {"x"}, {"only one"}), std::invalid_argument);
}

}  // namespace
}  // namespace acuity::pool_test
