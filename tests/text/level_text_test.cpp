#include "text/level_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace acuity::level_text_test {
namespace {

TEST(LevelText, IsTheNameOrAlpha) {
  const Level fine{.name = "fine", .channel = {}, .value = {}},
      rung{.alpha = 4.0, .channel = {}, .value = {}};
  EXPECT_EQ(describe(fine), "fine");
  EXPECT_EQ(describe(rung), "alpha = 4");
  EXPECT_EQ(describe_in_sentence(fine), "level \"fine\"");
  EXPECT_EQ(describe_in_sentence(rung), "alpha = 4");
  EXPECT_EQ(describe("", std::numeric_limits<double>::infinity()), "alpha = inf");
  EXPECT_EQ(describe("", std::nullopt), "");
}

}  // namespace
}  // namespace acuity::level_text_test
