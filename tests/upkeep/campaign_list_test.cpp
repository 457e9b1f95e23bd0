// A folder lists the campaigns in it; a copy is one more of them, with the same events.
#include "upkeep/campaign_list.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "acuity/base/errors.hpp"
#include "support/campaign_desk.hpp"
#include "upkeep/campaign_copy.hpp"

namespace acuity::campaign_list_test {
namespace {

using testing::CampaignDesk;

struct DeskWithAnAnswer : CampaignDesk {
  DeskWithAnAnswer()
      : CampaignDesk(R"(
[target]
kind = "real"
[pool]
file = "pool.csv"
inputs = ["x"]
[campaign]
budget = 10
initial = { count = 1, level = "fine" }
[[level]]
name = "fine"
noise_sd = 0.1
cost = 1
)") {
    done("ask");
    done("tell", {"1", "0.5"});
  }
};

TEST(CampaignList, ACopyIsListedBesideItsOriginalWithTheSameEvents) {
  const DeskWithAnAnswer desk;
  const CopiedCampaign copied = copy_campaign(desk.address(), desk.folder.path() / "b.acuity");
  const std::vector<ListedCampaign> found = campaigns_in(desk.folder.path());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].listing.name, "b.acuity");
  EXPECT_EQ(found[1].listing.name, "c.acuity");
  EXPECT_EQ(found[0].listing.events, copied.events);
  EXPECT_EQ(found[1].listing.events, copied.events);
  EXPECT_EQ(found[0].listing.last_event, "told");
  EXPECT_EQ(found[0].problem, "");
}

TEST(CampaignList, RefusesWhatIsNoFolderAndNeverCopiesOverSomething) {
  const DeskWithAnAnswer desk;
  EXPECT_THROW(campaigns_in(desk.folder.path() / "study.toml"), InputError);
  EXPECT_THROW(copy_campaign(desk.address(), desk.folder.path() / "study.toml"), InputError);
}

}  // namespace
}  // namespace acuity::campaign_list_test
