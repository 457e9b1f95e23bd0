// The dialect that a campaign's tables were read with when it was created stays theirs.
#include <gtest/gtest.h>

#include "acuity/campaign/campaign.hpp"
#include "campaign/campaign_folder.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::dialect_test {
namespace {

using testing::Folder;

// Semicolons would be recognised in this table; a campaign that was created with commas goes on with commas.
TEST(CampaignDialect, IsRememberedByTheCopies) {
  const Folder folder;
  const std::string pool = "x;n\n0\n1\n";
  folder.write("pool.csv", pool);
  StudyFile file =
      read_study_file(folder.write("study.toml", testing::with_given_model(testing::price_list_study())));
  file.tables.dialect = CsvDialect::comma;
  Campaign::create(folder.path() / "C", Study::open(std::move(file)));
  EXPECT_EQ(folder.read("C/pool.csv"), pool);
  Campaign campaign = Campaign::open(folder.path() / "C");
  EXPECT_EQ(campaign.study().pool().inputs(), std::vector<std::string>{"x;n"});
  EXPECT_EQ(campaign.ask({.count = 2}).suggestions.size(), 2U);
  EXPECT_NO_THROW(require_same(campaign, folder.path() / "study.toml"));
}

}  // namespace
}  // namespace acuity::dialect_test
