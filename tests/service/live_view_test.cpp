#include "service/live_view.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "acuity/base/interruption.hpp"
#include "base/background.hpp"
#include "base/parallel.hpp"
#include "service/http_message.hpp"
#include "support/campaign_desk.hpp"

namespace acuity::testing::live_view_test {
namespace {

using Json = nlohmann::json;

const std::string study_text =
    "[campaign]\nname = \"wing\"\nbudget = 40\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\nrepeat = true\n"
    "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
    "[[level]]\nname = \"fine\"\nnoise_sd = 0.05\ncost = 3\n";

void answer(const CampaignDesk& desk, int count) {
  Campaign campaign = Campaign::open(desk.address());
  for (int k = 0; k < count; ++k)
    for (const Suggestion& suggestion : campaign.ask().suggestions) {
      Answer told;
      told.id = suggestion.id;
      told.values = {0.1 * k};
      campaign.tell({told});
    }
}

// Waits until the view fits, or for a minute.
template <typename Fits>
Json view_when(const LiveView& live, const Fits& fits) {
  Json view;
  for (int tries = 0; tries < 1200; ++tries) {
    view = Json::parse(live.snapshot()->view);
    if (fits(view)) return view;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  ADD_FAILURE() << view;
  return view;
}

TEST(LiveView, ShowsEveryPartWhenItIsThere) {
  const CampaignDesk desk(study_text);
  answer(desk, 6);
  std::atomic<int> views = 0;
  const LiveView live(desk.address(), {.campaign = {.threads = 1}},
                      [&](const std::string& event, std::int64_t) { views += event == "view" ? 1 : 0; });
  const Json first = Json::parse(live.snapshot()->view);
  EXPECT_EQ(first.at("answers_total"), 6);
  const std::int64_t sequence = first.at("sequence");
  const Json whole =
      view_when(live, [](const Json& view) { return !view.at("parts").at("model").is_null(); });
  EXPECT_EQ(whole.at("parts"), Json({{"slices", sequence}, {"pool", sequence}, {"model", sequence}}));
  EXPECT_FALSE(whole.at("course").empty());
  EXPECT_FALSE(whole.at("figures").empty());
  EXPECT_FALSE(live.snapshot()->figures->empty());
  for (const Json& verdict : whole.at("verdicts"))
    EXPECT_EQ(verdict.at("answer").get<std::string>().find("being computed"), std::string::npos) << verdict;
  EXPECT_GE(views, 2);

  // A log that has grown: the books are those of now; what was computed stays until it is computed again.
  answer(desk, 2);
  const Json grown = view_when(live, [](const Json& view) { return view.at("answers_total") == 8; });
  EXPECT_FALSE(grown.at("course").empty());
  EXPECT_GE(grown.at("parts").at("model"), sequence);
  const Json last =
      view_when(live, [](const Json& view) { return view.at("parts").at("model") == view.at("sequence"); });
  EXPECT_GT(last.at("sequence"), sequence);
  EXPECT_EQ(Json::parse(live.snapshot_with_pool(30.0)->pool->json("x")).at("sequence"), last.at("sequence"));
}

// What others add meanwhile must not be replayed beside a state that does not have it.
TEST(Campaign, HasTheEventsOfItsState) {
  const CampaignDesk desk(study_text);
  answer(desk, 4);
  Campaign reader = Campaign::open(desk.address(), Access::read);
  answer(desk, 3);
  EXPECT_EQ(static_cast<std::int64_t>(reader.events().size()), reader.state().sequence());
  EXPECT_EQ(campaign_data(reader).answers.all.size(), 4U);
  EXPECT_EQ(quick_campaign_data(reader).answers.all.size(), 4U);
  reader.refresh();
  EXPECT_EQ(static_cast<std::int64_t>(reader.events().size()), reader.state().sequence());
  EXPECT_EQ(campaign_data(reader).answers.all.size(), 7U);
}

TEST(LiveView, LetsFewWaitForTheModel) {
  const CampaignDesk desk(study_text);
  const LiveView live(desk.address(), {.campaign = {.threads = 1}, .most_waiting = 0},
                      [](const std::string&, std::int64_t) {});
  try {
    live.snapshot_with_pool(60.0);  // nothing can be there so soon
    ADD_FAILURE() << "it waited";
  } catch (const HttpProblem& problem) {
    EXPECT_EQ(problem.status(), 503);
  }
  view_when(live, [](const Json& view) { return !view.at("parts").at("pool").is_null(); });
  EXPECT_NE(live.snapshot_with_pool(0.0)->pool, nullptr);
  EXPECT_NE(live.snapshot_with_slices(0.0)->slices, nullptr);
}

TEST(InBackground, KeepsWorkInItsThreadAndEndsIt) {
  std::atomic<bool> ends = false;
  std::jthread([&] {
    const base::InBackground in_background(ends);
    const std::thread::id here = std::this_thread::get_id();
    std::atomic<int> elsewhere = 0;
    base::parallel_for(64, 4, [&](std::ptrdiff_t) {
      if (std::this_thread::get_id() != here) ++elsewhere;
    });
    EXPECT_EQ(elsewhere, 0);
    ends = true;
    EXPECT_THROW(check_interruption(), base::BackgroundEnded);
    EXPECT_THROW(base::parallel_for(2, 1, [](std::ptrdiff_t) {}), base::BackgroundEnded);
  }).join();
  EXPECT_NO_THROW(check_interruption());  // other threads do not notice
}

}  // namespace
}  // namespace acuity::testing::live_view_test
