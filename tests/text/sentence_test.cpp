#include "text/sentence.hpp"

#include <gtest/gtest.h>

namespace acuity::sentence_test {
namespace {

TEST(Sentence, HasACapitalAndAFullStop) {
  EXPECT_EQ(as_sentence("nothing is left"), "Nothing is left.");
  EXPECT_EQ(as_sentence("It ends."), "It ends.");
  EXPECT_EQ(as_sentence("24 ms are left"), "24 ms are left.");
  EXPECT_EQ(as_sentence("\u00fcber"), "\u00fcber.");  // letters of other alphabets stay as they are
  EXPECT_EQ(as_sentence(""), "");
  EXPECT_EQ(capitalised("\"fine\" costs"), "\"fine\" costs");
}

}  // namespace
}  // namespace acuity::sentence_test
