// Labellers on one served campaign while others without a token ask for explanations without pause: how long
// an answer takes, from the click to the next item.
//   service_flood [LABELLERS] [FLOOD] [SECONDS] [POINTS] [KNOWN]   e.g. service_flood 8 100 30 20000 400
// FLOOD: connections that ask for explanations and predictions. KNOWN: answers that the campaign begins with.
// The exit code is 1 if the target was missed, an answer was refused or the books differ.

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "service/campaign_server.hpp"
#include "service/http_client.hpp"
#include "service_timing.hpp"
#include "support/program.hpp"

namespace {

using namespace acuity;
using namespace acuity::benchmarks;
using Json = nlohmann::json;

constexpr double target = 1000.0;  // milliseconds, p99 of an answer

struct Totals {
  std::mutex mutex;
  std::vector<double> answers, items;
  std::atomic<std::int64_t> acknowledged{0}, refused{0}, explained{0}, turned_away{0};
};

std::string token_of(const std::string& name) {
  return name + std::string(30 - name.size(), 'x');
}

void label(int port, const std::string& name, Clock::time_point until, Totals& totals) {
  HttpClient client(ServerUrl::of(fmt::format("http://127.0.0.1:{}", port)), token_of(name));
  while (Clock::now() < until) {
    auto start = Clock::now();
    const HttpReply next = client.post("/v1/label/next", "{}");
    const double item_time = milliseconds_since(start);
    const Json found = next.status == 200 ? Json::parse(next.body) : Json();
    if (!found.is_object() || !found.contains("item") || !found["item"].is_object()) {
      ++totals.refused;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      continue;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // somebody looks at it
    start = Clock::now();
    const HttpReply answered =
        client.post("/v1/label/answer", Json{{"id", found["item"]["id"]}, {"y", 0.25}}.dump());
    const double answer_time = milliseconds_since(start);
    ++(answered.status == 200 ? totals.acknowledged : totals.refused);
    const std::lock_guard lock(totals.mutex);
    totals.items.push_back(item_time);
    totals.answers.push_back(answer_time);
  }
}

void flood(int port, int number, int points, Clock::time_point until, Totals& totals) {
  HttpClient client(ServerUrl::of(fmt::format("http://127.0.0.1:{}", port)), "", 600.0);
  Json many = Json::array();
  for (int k = 0; k < 1000; ++k) many.push_back({{"x1", k % 100}, {"x2", 0.1 * k}});
  const std::string body = Json{{"points", many}}.dump();
  for (int k = 0; Clock::now() < until; ++k) {
    try {
      const HttpReply reply =
          (number + k) % 4 == 0
              ? client.post("/v1/predict", body)
              : client.get(fmt::format("/v1/explain/point/p{}", (number * 131 + k * 7) % points));
      ++(reply.status == 200 ? totals.explained : totals.turned_away);
    } catch (const ConnectionError&) {
      return;  // the server has ended
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

int main(int count, char** words) {
  const int labellers = argument(count, words, 1, 8), flooders = argument(count, words, 2, 100),
            seconds = argument(count, words, 3, 30), points = argument(count, words, 4, 20000),
            known = argument(count, words, 5, 400);
  testing::Folder folder;
  std::string pool = "case,x1,x2\n", answers = "case,y,level\n", tokens;
  for (int k = 0; k < points; ++k) pool += fmt::format("p{},{}\n", k, place_of(k));
  for (int k = 0; k < known; ++k)
    answers += fmt::format("p{},{},coarse\n", (points / (known + 1)) * k, 0.01 * (k % 37));
  for (int k = 0; k < labellers; ++k)
    tokens += fmt::format("l{} label {}\n", k, token_of(fmt::format("l{}", k)));
  folder.write("pool.csv", pool);
  folder.write("known.csv", answers);
  const std::filesystem::path token_file = folder.write("tokens", tokens);
  std::filesystem::permissions(token_file,
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  folder.write("study.toml",
               "[campaign]\nname = \"flood\"\nbudget = 1e9\ninitial = { file = \"known.csv\" }\n"
               "[pool]\nfile = \"pool.csv\"\nid = \"case\"\n" +
                   model_and_levels);
  const testing::ProgramResult made =
      testing::run_acuity({"init", "c.acuity", "--study", "study.toml"}, folder.path());
  if (made.exit_code != 0) {
    fmt::print("{}\n", made.err);
    return 1;
  }
  CampaignServerOptions options;
  options.listen = ListenAddress::of("127.0.0.1:0");
  options.requests_per_second = 1e6;  // the flood is not to be stopped by the limit of one address
  Totals totals;
  double end_seconds = 0.0;
  {
    CampaignServer server(CampaignAddress(folder.path() / "c.acuity"), Tokens::read(token_file.string()),
                          options);
    {
      const auto until = Clock::now() + std::chrono::seconds(seconds);
      std::vector<std::jthread> all;
      for (int k = 0; k < flooders; ++k)
        all.emplace_back([&, k] { flood(server.port(), k, points, until, totals); });
      std::vector<std::jthread> people;
      for (int k = 0; k < labellers; ++k)
        people.emplace_back([&, k] { label(server.port(), fmt::format("l{}", k), until, totals); });
      people.clear();
      const auto start = Clock::now();
      server.stop();  // with the flood under way
      end_seconds = milliseconds_since(start) / 1000.0;
    }
  }
  const Json status =
      Json::parse(testing::run_acuity({"status", "c.acuity", "--format", "json"}, folder.path()).out);
  const double p99 = quantile(totals.answers, 0.99);
  fmt::print("{} labellers, a flood of {} connections, {} s, {} points, {} known answers\n", labellers,
             flooders, seconds, points, known);
  fmt::print("answer: {} of them, median {:.1f} ms, p99 {:.1f} ms, longest {:.1f} ms\n",
             totals.answers.size(), quantile(totals.answers, 0.5), p99, quantile(totals.answers, 1.0));
  fmt::print("next:   median {:.1f} ms, p99 {:.1f} ms, longest {:.1f} ms\n", quantile(totals.items, 0.5),
             quantile(totals.items, 0.99), quantile(totals.items, 1.0));
  fmt::print("flood:  {} answered, {} turned away; the server ended in {:.1f} s\n", totals.explained.load(),
             totals.turned_away.load(), end_seconds);
  fmt::print("target: p99 of an answer below {:.0f} ms: {}\n", target, p99 < target ? "reached" : "MISSED");
  const bool exact = status.at("annotations") == totals.acknowledged.load() + known;
  fmt::print("acknowledged {} answers and {} known, in the log {}: {}; refused {}\n",
             totals.acknowledged.load(), known, status.at("annotations").dump(),
             exact ? "exact" : "DIFFERENT", totals.refused.load());
  return exact && totals.refused == 0 && p99 < target ? 0 : 1;
}
