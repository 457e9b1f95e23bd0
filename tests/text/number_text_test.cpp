#include "text/number_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "text/time_text.hpp"

namespace acuity::number_text_test {
namespace {

TEST(NumberText, BriefHasSixDigits) {
  EXPECT_EQ(brief(1.0 / 3.0), "0.333333");
  EXPECT_EQ(brief(1.0 / 3.0, 4), "0.3333");
  EXPECT_EQ(brief(1234567.0), "1.23457e+06");
}

TEST(NumberText, RoundedHasNoExponentForSizesThatPeopleCountWith) {
  EXPECT_EQ(rounded(290.863, 2), "290");
  EXPECT_EQ(rounded(6391.0, 2), "6400");
  EXPECT_EQ(rounded(140.2, 2), "140");
  EXPECT_EQ(rounded(0.012345, 3), "0.0123");
  EXPECT_EQ(rounded(-99.6, 2), "-100");
  EXPECT_EQ(rounded(0.0, 2), "0");
  EXPECT_EQ(rounded(std::numeric_limits<double>::infinity(), 2), "inf");
}

TEST(NumberText, MoneyHasItsUnit) {
  EXPECT_EQ(money(12.5, "runs"), "12.5 runs");
  EXPECT_EQ(money(12.5, ""), "12.5");
  EXPECT_EQ(money(1.0, "a\nb"), "1 a\\nb");
  EXPECT_EQ(money(999.236, "core hours"), "999 core hours");
  EXPECT_EQ(money(1234.5678, ""), "1235") << "whole units stay";
  EXPECT_EQ(money(33.2399, "core h"), "33.2 core h");
  EXPECT_EQ(money(0.0371234, ""), "0.0371");
  EXPECT_EQ(money(1e18, "EUR"), "1e+18 EUR");
  EXPECT_EQ(money(1.0, "core hours"), "1 core hour");
  EXPECT_EQ(money(1.5, "core hours"), "1.5 core hours");
  for (const char* unit : {"s", "ms", "EUR", "bus", "axis", "glass"})
    EXPECT_EQ(money(1.0, unit), std::string("1 ") + unit);
}

TEST(NumberText, ExactReadsBack) {
  for (const double value : {0.1, 1.0 / 3.0, 5e-324, 1.7976931348623157e308})
    EXPECT_EQ(std::strtod(exact(value).c_str(), nullptr), value);
  EXPECT_EQ(exact(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(TimeText, IsUtc) {
  EXPECT_EQ(time_text(0.0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(time_text(1793165927.25, true), "2026-10-28T05:38:47.250000Z");
}

}  // namespace
}  // namespace acuity::number_text_test
