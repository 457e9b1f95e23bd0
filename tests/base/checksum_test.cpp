#include "base/checksum.hpp"

#include <gtest/gtest.h>

namespace acuity::base::checksum_test {
namespace {

TEST(Checksum, IsXxh3) {
  EXPECT_EQ(checksum(""), "xxh3:2d06800538d394c2");  // published
  EXPECT_NE(checksum("a"), checksum("b"));
}

TEST(Checksum, IsTheSameInOneGoAndInParts) {
  const std::string text(5000, 'x');
  Checksum parts;
  for (std::size_t at = 0; at < text.size(); at += 7) parts.take(std::string_view(text).substr(at, 7));
  EXPECT_EQ(parts.text(), checksum(text));
}

TEST(Checksum, FitsWhatEitherFunctionRecorded) {
  EXPECT_NE(checksum("foobaz"), checksum("foobar"));
}

// The published vectors.
TEST(Fnv1a, HasThePublishedValues) {
  const auto sum = [](std::string_view text) {
    Fnv1a one;
    one.take(text);
    return one.text();
  };
  EXPECT_EQ(sum(""), "cbf29ce484222325");
  EXPECT_EQ(sum("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(sum("foobar"), "85944171f73967e8");
}

TEST(Fnv1a, GoesOnFromAValue) {
  Fnv1a parts;
  parts.take("foo");
  Fnv1a rest(parts.value());
  rest.take("bar");
  EXPECT_EQ(rest.text(), "85944171f73967e8");
}

}  // namespace
}  // namespace acuity::base::checksum_test
