#include "service/notifier.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "service/http_server.hpp"
#include "service/live_view.hpp"
#include "support/background.hpp"
#include "support/campaign_desk.hpp"

namespace acuity::testing::notifier_test {
namespace {

using Json = nlohmann::json;

// An address that remembers what it is told, and answers with the next of some statuses, then with 200.
struct Webhook {
  explicit Webhook(std::vector<int> given = {})
      : statuses(std::move(given)),
        http(ListenAddress::of("127.0.0.1:0"), nullptr, {}, [this](const HttpRequest& request) {
          const std::lock_guard lock(mutex);
          received.push_back(request.method + " " + request.path + " " + request.body);
          const int status = received.size() <= statuses.size() ? statuses[received.size() - 1] : 200;
          return HttpReply{.status = status, .content_type = "text/plain", .body = "ok"};
        }) {}
  ServerUrl url(const std::string& path = "") const {
    return ServerUrl::of("http://127.0.0.1:" + std::to_string(http.port()) + path);
  }
  std::vector<std::string> seen() {
    const std::lock_guard lock(mutex);
    return received;
  }

  std::mutex mutex;
  std::vector<int> statuses;
  std::vector<std::string> received;
  HttpServer http;
};

struct Complaints {
  std::function<void(const std::string&)> take() {
    return [this](const std::string& sentence) {
      const std::lock_guard lock(mutex);
      said.push_back(sentence);
    };
  }
  std::vector<std::string> seen() {
    const std::lock_guard lock(mutex);
    return said;
  }
  std::mutex mutex;
  std::vector<std::string> said;
};

TEST(Notifier, PostsAMessageThatChatsUnderstand) {
  Webhook webhook;
  Complaints complaints;
  Notifier notifier(webhook.url("/hooks/7"), "wing", complaints.take());
  notifier.send("finished", "Finished: \"the\" budget is spent.");
  ASSERT_TRUE(comes_true([&] { return webhook.seen().size() == 1; }));
  const std::string line = webhook.seen().front();
  const std::string begin = "POST /hooks/7 ";
  ASSERT_TRUE(line.starts_with(begin)) << line;
  EXPECT_EQ(Json::parse(line.substr(begin.size())),
            Json({{"campaign", "wing"},
                  {"event", "finished"},
                  {"text", "wing: Finished: \"the\" budget is spent."}}));
  EXPECT_TRUE(complaints.seen().empty());
}

TEST(Notifier, TriesAgainUntilItIsTaken) {
  Webhook webhook({503, 429});
  Complaints complaints;
  Notifier notifier(webhook.url(), "wing", complaints.take(), 0.01);
  notifier.send("untrusted", "a");
  notifier.send("finished", "b");
  ASSERT_TRUE(comes_true([&] { return webhook.seen().size() == 4; }));
  EXPECT_EQ(webhook.seen()[0], webhook.seen()[2]) << "the same message again";
  EXPECT_NE(webhook.seen()[3].find("finished"), std::string::npos) << "in order";
  EXPECT_TRUE(complaints.seen().empty());
}

TEST(Notifier, SaysWhatCouldNotBeSent) {
  Webhook webhook({404});
  Complaints complaints;
  Notifier refused(webhook.url(), "wing", complaints.take(), 0.01);
  refused.send("finished", "a");
  ASSERT_TRUE(comes_true([&] { return complaints.seen().size() == 1; }));
  EXPECT_NE(complaints.seen()[0].find("it answered with status 404"), std::string::npos);
  EXPECT_EQ(webhook.seen().size(), 1U) << "what is refused is not sent again";
  Notifier nobody(ServerUrl::of("http://127.0.0.1:1"), "wing", complaints.take(), 0.01);
  nobody.send("finished", "a");
  EXPECT_TRUE(comes_true([&] { return complaints.seen().size() == 2; }));
}

TEST(LiveView, TellsOnceThatTheCampaignIsFinished) {
  const CampaignDesk desk(
      "[campaign]\nname = \"wing\"\nbudget = 8\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\nrepeat = true\n"
      "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n");
  Complaints news;
  const auto told = [&](const std::string& event, const std::string& sentence) {
    news.take()(event + ": " + sentence);
  };
  const auto is_whole = [](const LiveView& live) {
    const Json view = Json::parse(live.snapshot()->view);
    return view.at("parts").at("model") == view.at("sequence");
  };
  const LiveView live(desk.address(), {.campaign = {.threads = 1}, .news = told},
                      [](const std::string&, std::int64_t) {});
  ASSERT_TRUE(comes_true([&] { return is_whole(live); }));
  EXPECT_TRUE(news.seen().empty());
  Campaign campaign = Campaign::open(desk.address());
  for (int k = 0; k < 8; ++k)
    for (const Suggestion& suggestion : campaign.ask().suggestions) {
      Answer answer;
      answer.id = suggestion.id;
      answer.values = {0.1 * k};
      campaign.tell({answer});
    }
  ASSERT_TRUE(comes_true([&] { return !news.seen().empty(); }));
  EXPECT_TRUE(news.seen()[0].starts_with("finished: Finished: ")) << news.seen()[0];
  // Whoever begins to watch a finished campaign is not told.
  Complaints later;
  const LiveView second(desk.address(),
                        {.campaign = {.threads = 1},
                         .news = [&](const std::string& event, const std::string&) { later.take()(event); }},
                        [](const std::string&, std::int64_t) {});
  ASSERT_TRUE(comes_true([&] { return is_whole(second); }));
  EXPECT_TRUE(later.seen().empty());
  EXPECT_EQ(news.seen().size(), 1U);
}

}  // namespace
}  // namespace acuity::testing::notifier_test
