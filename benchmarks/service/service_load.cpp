// Workers and watchers on one served campaign, over loopback, for some seconds: how long asks take, and
// whether the books are exact afterwards.
//   service_load [WORKERS] [WATCHERS] [SECONDS] [POINTS] [ANNOTATION]   e.g. service_load 50 20 60 10000 500
// ANNOTATION: milliseconds that a worker takes between ask and tell. The exit code is 1 if the books differ,
// a request was refused or the target was missed; other programs on the machine count, too.

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "service/campaign_server.hpp"
#include "service/http_client.hpp"
#include "service_timing.hpp"
#include "support/program.hpp"
#include "support/raw_connection.hpp"

namespace {

using namespace acuity;
using namespace acuity::benchmarks;
using Json = nlohmann::json;

constexpr double target = 200.0;  // milliseconds, for 50 workers on 10,000 points

struct Totals {
  std::mutex mutex;
  std::vector<double> asks, tells;
  std::map<int, std::vector<double>> asks_by_time;  // by the tenth of the run in which they began
  std::atomic<std::int64_t> told{0}, refused{0}, views{0}, events{0};
  std::atomic<double> spent{0.0};
};

void work(int port, const std::string& token, int number, int annotation, Clock::time_point begin,
          Clock::time_point until, Totals& totals) {
  HttpClient client(ServerUrl::of(fmt::format("http://127.0.0.1:{}", port)), token);
  std::vector<double> asks, tells;
  std::vector<int> tenths;
  while (Clock::now() < until) {
    auto start = Clock::now();
    tenths.push_back(static_cast<int>(10 * (start - begin) / (until - begin)));
    const HttpReply reply = client.post("/v1/ask", Json{{"worker", fmt::format("w{}", number)}}.dump());
    asks.push_back(milliseconds_since(start));
    if (reply.status != 200) {
      ++totals.refused;
      continue;
    }
    const Json asked = Json::parse(reply.body);
    if (asked.at("suggestions").empty()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(annotation));
    start = Clock::now();
    const Json body{{"id", asked["suggestions"][0]["id"]}, {"y", 0.01 * (number % 50)}};
    const HttpReply told = client.post("/v1/tell", body.dump());
    tells.push_back(milliseconds_since(start));
    if (told.status == 200) {
      ++totals.told;
      totals.spent += Json::parse(told.body).at("charge").get<double>();
    } else {
      ++totals.refused;
    }
  }
  const std::lock_guard lock(totals.mutex);
  totals.asks.insert(totals.asks.end(), asks.begin(), asks.end());
  for (std::size_t k = 0; k < asks.size(); ++k) totals.asks_by_time[tenths[k]].push_back(asks[k]);
  totals.tells.insert(totals.tells.end(), tells.begin(), tells.end());
}

void watch(int port, Clock::time_point until, Totals& totals) {
  testing::RawConnection stream(port);
  stream.send(fmt::format(
      "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAccept: text/event-stream\r\n\r\n", port));
  HttpClient client(ServerUrl::of(fmt::format("http://127.0.0.1:{}", port)), "");
  std::size_t seen = 0;
  while (Clock::now() < until) {
    const std::string news = stream.receive("never", 2.0);
    for (std::size_t at = seen; (at = news.find("event: log", at)) != std::string::npos; ++at)
      ++totals.events;
    seen = news.size();
    totals.views += client.get("/v1/view").status == 200 ? 1 : 0;
  }
}

}  // namespace

int main(int count, char** words) {
  const int workers = argument(count, words, 1, 50), watchers = argument(count, words, 2, 20),
            seconds = argument(count, words, 3, 60), points = argument(count, words, 4, 10000),
            annotation = argument(count, words, 5, 500);
  testing::Folder folder;
  std::string pool = "x1,x2\n";
  for (int k = 0; k < points; ++k) pool += place_of(k) + "\n";
  folder.write("pool.csv", pool);
  folder.write("study.toml",
               "[campaign]\nname = \"load\"\nbudget = 1e9\n[pool]\nfile = \"pool.csv\"\n" + model_and_levels);
  if (testing::run_acuity({"init", "c.acuity", "--study", "study.toml"}, folder.path()).exit_code != 0)
    return 1;
  const Tokens tokens = Tokens::with_new_owner();
  CampaignServerOptions options;
  options.listen = ListenAddress::of("127.0.0.1:0");
  options.requests_per_second = 1e6;
  Totals totals;
  {
    CampaignServer server(CampaignAddress(folder.path() / "c.acuity"), tokens, options);
    const auto begin = Clock::now(), until = begin + std::chrono::seconds(seconds);
    std::vector<std::jthread> all;
    for (int k = 0; k < workers; ++k)
      all.emplace_back(
          [&, k] { work(server.port(), tokens.owner_token(), k, annotation, begin, until, totals); });
    for (int k = 0; k < watchers; ++k) all.emplace_back([&] { watch(server.port(), until, totals); });
  }
  const Json status =
      Json::parse(testing::run_acuity({"status", "c.acuity", "--format", "json"}, folder.path()).out);
  const double asked = static_cast<double>(totals.asks.size());
  fmt::print("{} workers of {} ms, {} watchers, {} s, {} points: {:.0f} asks/s\n", workers, annotation,
             watchers, seconds, points, asked / seconds);
  const double p99 = quantile(totals.asks, 0.99);
  fmt::print("ask:  median {:.1f} ms, p99 {:.1f} ms, longest {:.1f} ms\n", quantile(totals.asks, 0.5), p99,
             quantile(totals.asks, 1.0));
  fmt::print("      p99 in every tenth of the time, ms:");
  for (auto& [tenth, asks] : totals.asks_by_time) fmt::print(" {:.0f}", quantile(asks, 0.99));
  fmt::print("\n");
  fmt::print("target: p99 of ask below {:.0f} ms; this is {:.0f} % of it: {}\n", target, 100.0 * p99 / target,
             p99 < target ? "reached" : "MISSED");
  fmt::print("tell: median {:.1f} ms, p99 {:.1f} ms, longest {:.1f} ms\n", quantile(totals.tells, 0.5),
             quantile(totals.tells, 0.99), quantile(totals.tells, 1.0));
  fmt::print("watchers: {} views, {} events; refused: {}\n", totals.views.load(), totals.events.load(),
             totals.refused.load());
  const bool exact =
      status.at("annotations") == totals.told.load() && status.at("spent") == totals.spent.load();
  fmt::print("acknowledged {} answers for {}, in the log {} for {}: {}\n", totals.told.load(),
             totals.spent.load(), status.at("annotations").dump(), status.at("spent").dump(),
             exact ? "exact" : "DIFFERENT");
  return exact && totals.refused == 0 && p99 < target ? 0 : 1;
}
