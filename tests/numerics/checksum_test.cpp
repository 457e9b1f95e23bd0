#include "numerics/checksum.hpp"

#include <gtest/gtest.h>

namespace acuity::numerics::checksum_test {
namespace {

// The published vectors of FNV-1a.
TEST(Checksum, IsFnv1a) {
  EXPECT_EQ(checksum(""), "cbf29ce484222325");
  EXPECT_EQ(checksum("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(checksum("foobar"), "85944171f73967e8");
}

TEST(Checksum, IsTheSameInOneGoAndInParts) {
  Checksum parts;
  parts.take("foo");
  Checksum rest(parts.value());
  rest.take("bar");
  EXPECT_EQ(rest.text(), checksum("foobar"));
}

}  // namespace
}  // namespace acuity::numerics::checksum_test
