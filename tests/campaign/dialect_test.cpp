// Tables that campaigns of earlier versions were created with are read as they were then.
#include <gtest/gtest.h>

#include "acuity/campaign/campaign.hpp"
#include "campaign/campaign_folder.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::dialect_test {
namespace {

using testing::Folder;

// As an earlier version created it: no bytes are refused, and commas are the only separators.
void create_as_before(const Folder& folder, const std::string& pool) {
  folder.write("pool.csv", pool);
  StudyFile file =
      read_study_file(folder.write("study.toml", testing::with_given_model(testing::price_list_study())));
  file.tables.dialect = CsvDialect::frozen;
  Campaign::create(folder.path() / "C", Study::open(std::move(file)));
}

TEST(EarlierCampaigns, GoOnWithPoolsThatWouldBeRefusedNow) {
  const Folder folder;
  const std::string pool =
      "x,Gr\xF6\xDF"
      "e;n\n0,a;b\n1,c\n";
  create_as_before(folder, pool);
  EXPECT_EQ(folder.read("C/pool.csv"), pool);
  Campaign campaign = Campaign::open(folder.path() / "C");
  EXPECT_EQ(campaign.study().pool().inputs(), std::vector<std::string>{"x"});
  EXPECT_EQ(campaign.ask({.count = 2}).suggestions.size(), 2U);
  EXPECT_NO_THROW(require_same(campaign, folder.path() / "study.toml"));
}

}  // namespace
}  // namespace acuity::dialect_test
