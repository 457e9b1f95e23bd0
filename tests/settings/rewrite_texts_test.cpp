#include "settings/rewrite_texts.hpp"

#include <gtest/gtest.h>

namespace acuity::rewrite_texts_test {
namespace {

TEST(RewriteTexts, ChangesTheValueAndNothingElse) {
  const std::string study =
      "# a study\r\n[pool]\nfile = \"../big pool.csv\"   # of June\ninputs = [\"x\"]\n"
      "[campaign]\nname = \"Größe\"; \n";
  const std::string valid = study.substr(0, study.find(';')) + "\ninitial = { file = 'known.csv' }\n";
  EXPECT_EQ(rewrite_texts(valid, {{"pool.file", "pool.csv"}, {"campaign.initial.file", "initial.csv"}}),
            "# a study\r\n[pool]\nfile = \"pool.csv\"   # of June\ninputs = [\"x\"]\n"
            "[campaign]\nname = \"Größe\"\ninitial = { file = \"initial.csv\" }\n");
}

TEST(RewriteTexts, FindsItsPlaceAfterLettersOfSeveralBytes) {
  EXPECT_EQ(
      rewrite_texts("\xEF\xBB\xBFpool = { id = \"Straße\", file = \"\"\"ä.csv\"\"\" }", {{"pool.file", "p"}}),
      "\xEF\xBB\xBFpool = { id = \"Straße\", file = \"p\" }");
}

TEST(RewriteTexts, PassesOverWhatIsNotThere) {
  EXPECT_EQ(rewrite_texts("[campaign]\ninitial = 3\n", {{"campaign.initial.file", "x"}, {"pool.file", "y"}}),
            "[campaign]\ninitial = 3\n");
}

}  // namespace
}  // namespace acuity::rewrite_texts_test
