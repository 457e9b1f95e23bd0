#include "base/text.hpp"

#include <gtest/gtest.h>

#include "acuity/base/errors.hpp"

namespace acuity::text_test {
namespace {

TEST(Text, ShowsControlCharactersAsEscapesOnOneLine) {
  EXPECT_EQ(one_line("plain α ≤ 1 \\ 'x'"), "plain α ≤ 1 \\ 'x'");
  EXPECT_EQ(one_line(std::string("a\0b\x1b[31m\n\r\t\x7f", 12)), "a\\x00b\\x1b[31m\\n\\r\\t\\x7f");
  EXPECT_EQ(one_line("\xc2\x9b"
                     "31m"),
            "\\u009b31m")
      << "an escape sequence begins with this one as well";
  EXPECT_EQ(one_line("\xe2\x80\xae"
                     "fdp.exe\xe2\x81\xa6\xe2\x80\xa8"),
            "\\u202efdp.exe\\u2066\\u2028");
}

TEST(Text, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(one_line("\x9b"
                     "31m"),
            "\\x9b31m");
  EXPECT_EQ(one_line("\xff\xc0\x80"), "\\xff\\xc0\\x80") << "an overlong form";
  EXPECT_EQ(one_line("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a surrogate pair";
  EXPECT_EQ(one_line("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last character";
  EXPECT_EQ(one_line("\xe2\x82"), "\\xe2\\x82") << "the beginning of one";
  EXPECT_EQ(one_line("\xe2\x82\xac"), "€");
}

TEST(Text, EscapedOnceAndTwiceIsTheSame) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string once = one_line(all);
  EXPECT_EQ(one_line(once), once);
  EXPECT_TRUE(base::is_utf8(once));
  EXPECT_FALSE(base::is_utf8(all));
}

TEST(Text, InMessagesIsCutBetweenCharacters) {
  EXPECT_EQ(printable("αβγ", 4), "αβ...");
  EXPECT_EQ(printable("αβγ", 3), "α...");
  EXPECT_EQ(printable("αβγ", 6), "αβγ");
  EXPECT_EQ(printable("\x1b[0m", 10), "\\x1b[0m");
  EXPECT_EQ(printable(std::string(10, '\x80'), 8), "\\x80\\x80\\x80\\x80\\x80...");
}

TEST(Text, IsCutToTheColumnsOfATerminal) {
  EXPECT_EQ(base::cut_to_columns("12 of 60 € spent", 16), "12 of 60 € spent") << "columns, not bytes";
  EXPECT_EQ(base::cut_to_columns("12 of 60 € spent", 15), "12 of 60 € s...");
  EXPECT_EQ(base::cut_to_columns("12 of 60 € spent", 2), "..");
  EXPECT_EQ(base::cut_to_columns("12 of 60 € spent", 0), "");
  EXPECT_EQ(base::terminal_columns("日本"), 4U);
  EXPECT_EQ(base::cut_to_columns("日本日本", 6), "日...") << "half of a character does not fit";
  EXPECT_EQ(base::terminal_columns("e\xcc\x81"), 1U) << "an accent of its own";
  EXPECT_EQ(base::cut_to_columns("", 5), "");
}

TEST(Text, CountsInTheSingularAndThePlural) {
  EXPECT_EQ(counted(1, "level"), "1 level");
  EXPECT_EQ(counted(0, "level"), "0 levels");
  EXPECT_EQ(counted(2, "level"), "2 levels");
}

}  // namespace
}  // namespace acuity::text_test
