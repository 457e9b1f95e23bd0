// `acuity serve` and `acuity run --join` as processes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "service/http_client.hpp"
#include "support/background.hpp"
#include "support/campaign_desk.hpp"
#include "support/raw_connection.hpp"

namespace acuity::testing::serve_program_test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const std::string secret = "robrobrobrobrobrobrobrob";

std::string study_with(const std::string& command, const std::string& more) {
  return "[campaign]\nname = \"wing\"\nbudget = 12\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
         "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
         "[[level]]\nname = \"fine\"\nnoise_sd = 0.05\ncost = 3\n[annotator]\ncommand = \"" +
         command + "\"\n" + more;
}

struct ServedDesk : CampaignDesk {
  explicit ServedDesk(const std::string& command = "sleep 0.1; echo 0.5", const std::string& more = "")
      : CampaignDesk(study_with(command, more)) {
    const fs::path file = folder.write("tokens", "rob run " + secret + "\n");
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    folder.write("rob.token", secret + "\n");
  }
  /// Starts it, on the port that it had before if there was one, and waits until it listens.
  void serve() {
    server.emplace(std::vector<std::string>{"serve", campaign, "--tokens", "tokens", "--listen",
                                            "127.0.0.1:" + std::to_string(port)},
                   folder.path());
    std::smatch found;
    std::string out;
    ASSERT_TRUE(comes_true([&] {
      out = server->out();
      return std::regex_search(out, found, std::regex("http://127[.]0[.]0[.]1:([0-9]+)/")) ||
             !server->err().empty();
    }));
    ASSERT_FALSE(found.empty()) << server->err();
    port = std::stoi(found[1]);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port); }
  std::vector<std::string> join(const std::string& name, int workers = 2) const {
    return {"run",          name,        "--join",    url(),
            "--token-file", "rob.token", "--workers", std::to_string(workers),
            "--worker",     name,        "--lease",   "60s"};
  }
  int port = 0;
  std::optional<Background> server;
};

void expect_exact_books(const CampaignDesk& desk) {
  std::set<std::int64_t> told;
  double cost = 0.0;
  for (const Json& event : desk.events())
    if (event.at("event") == "told") {
      EXPECT_TRUE(told.insert(event.at("id").get<std::int64_t>()).second);
      cost += event.at("cost").get<double>();
    }
  const Json status = desk.status();
  EXPECT_EQ(status.at("annotations"), told.size());
  EXPECT_DOUBLE_EQ(status.at("spent"), cost);
  EXPECT_LE(status.at("spent"), 12.0);
}

TEST(Serve, RemoteWorkersFinishACampaign) {
  ServedDesk desk;
  desk.serve();
  Background one(desk.join("w1"), desk.folder.path()), two(desk.join("w2", 1), desk.folder.path());
  const ProgramResult first = one.wait(), second = two.wait();
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(second.exit_code, 0) << second.err;
  expect_exact_books(desk);
  EXPECT_EQ(desk.status().at("pending"), 0);
  EXPECT_GE(desk.status().at("annotations"), 4);
  EXPECT_TRUE(fs::exists(desk.folder.path() / "w1/runs")) << "attempts are the worker's";
  std::set<std::string> workers;
  for (const Json& event : desk.events())
    if (event.at("event") == "asked") workers.insert(event.value("worker", ""));
  EXPECT_TRUE(workers.contains("w1-1") && workers.contains("w1-2")) << Json(workers);
  desk.server->signal(SIGTERM);
  EXPECT_EQ(desk.server->wait().exit_code, 0);
  EXPECT_EQ(desk.run("ask").exit_code, 3) << "nobody owns it any more, and it is finished";
}

TEST(Serve, AWorkerStartsNothingThatCostsMoreThanOneMayWithoutAYes) {
  ServedDesk desk("echo 0.5");
  std::string text = desk.folder.read("study.toml");
  text.insert(text.find("budget"), "max_cost = 0.5\n");
  desk.folder.write("limited.toml", text);
  ASSERT_EQ(desk.run("change", {"--study", "limited.toml", "--yes"}).exit_code, 0);
  desk.serve();
  const ProgramResult refused = run_acuity(desk.join("w"), desk.folder.path());
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_NE(refused.err.find("is expected to cost"), std::string::npos) << refused.err;
  EXPECT_EQ(desk.status().at("annotations"), 0);
  std::vector<std::string> with_yes = desk.join("w");
  with_yes.emplace_back("--yes");
  EXPECT_EQ(run_acuity(with_yes, desk.folder.path()).exit_code, 0);
  EXPECT_GE(desk.status().at("annotations"), 4);
}

TEST(Serve, IsKilledAndComesBackAndWorkersGoOn) {
  ServedDesk desk("sleep 0.4; echo 0.5");
  desk.serve();
  Background worker(desk.join("w"), desk.folder.path());
  ASSERT_TRUE(comes_true([&] { return desk.status().at("annotations") >= 1; }));
  desk.server->signal(SIGKILL);
  desk.server->wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(700));  // an answer comes meanwhile
  desk.serve();
  const ProgramResult end = worker.wait();
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_NE(end.err.find("trying again"), std::string::npos) << end.err;
  EXPECT_NE(end.err.find("answers again"), std::string::npos) << end.err;
  expect_exact_books(desk);
  EXPECT_EQ(desk.status().at("failed"), 0);
  EXPECT_EQ(desk.status().at("pending"), 0);
}

TEST(Serve, AWorkerThatIsKilledGetsBackWhatItHad) {
  ServedDesk desk("sleep 1; echo 0.5");
  desk.serve();
  std::optional<Background> worker;
  worker.emplace(desk.join("w", 1), desk.folder.path());
  ASSERT_TRUE(comes_true([&] { return desk.status().at("pending") == 1; }));
  worker->signal(SIGKILL);
  worker->wait();
  worker.emplace(desk.join("w", 1), desk.folder.path());
  const ProgramResult end = worker->wait();
  EXPECT_EQ(end.exit_code, 0) << end.err;
  expect_exact_books(desk);
  std::set<std::int64_t> asked, told;
  for (const Json& event : desk.events()) {
    if (event.at("event") == "asked") asked.insert(event.at("id").get<std::int64_t>());
    if (event.at("event") == "told") told.insert(event.at("id").get<std::int64_t>());
  }
  EXPECT_EQ(asked, told) << "nothing was left";
}

TEST(Serve, FailingAnnotatorsStopTheWorkerAndAreOnRecord) {
  ServedDesk desk("echo no licence >&2; exit 1", "retries = 0\nmax_failures = 4\n");
  desk.serve();
  Background worker(desk.join("w", 1), desk.folder.path());
  const ProgramResult end = worker.wait();
  EXPECT_EQ(end.exit_code, 5) << end.err;
  EXPECT_NE(end.err.find("no licence"), std::string::npos) << end.err;
  EXPECT_EQ(desk.status().at("failed"), 4);
}

// As with `run`: such an answer is a failed attempt.
TEST(Serve, RefusedAnswersStopTheWorker) {
  ServedDesk desk("echo '{\\\"y\\\": 0.1, \\\"cost\\\": 1e308}'", "retries = 0\nmax_failures = 3\n");
  desk.serve();
  Background worker(desk.join("w", 1), desk.folder.path());
  const ProgramResult end = worker.wait();
  EXPECT_EQ(end.exit_code, 5) << end.err;
  EXPECT_NE(end.err.find("3 different points failed in a row"), std::string::npos) << end.err;
  EXPECT_NE(end.err.find("cost is 1e+308, must be at most 1e15"), std::string::npos) << end.err;
  EXPECT_EQ(desk.status().at("failed"), 3);
  EXPECT_EQ(desk.status().at("spent"), 0.0);
}

// As with `run`: the point is tried once more at the end, and is then left. Its worker asked for it for ever.
TEST(Serve, AWorkerGivesUpAPointThatFailedTwice) {
  ServedDesk desk("[ $ACUITY_X_X != 0 ] && echo 0.5", "retries = 0\nmax_failures = 3\n");
  ASSERT_EQ(desk.run("change", {"--budget", "1000"}).exit_code, 0);
  desk.serve();
  Background worker(desk.join("w", 1), desk.folder.path());
  const ProgramResult end = worker.wait();
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_NE(end.err.find("; 1 point that failed twice is left, the last is "), std::string::npos) << end.err;
  EXPECT_EQ(desk.status().at("failed"), 2);
  EXPECT_GT(desk.status().at("annotations"), 2);
}

TEST(Serve, ShowsNoTokenAnywhere) {
  ServedDesk desk;
  desk.serve();
  Background worker(desk.join("w"), desk.folder.path());
  std::ifstream arguments("/proc/" + std::to_string(worker.process()) + "/cmdline");
  const std::string line{std::istreambuf_iterator<char>(arguments), {}};
  EXPECT_EQ(line.find(secret), std::string::npos);
  const ProgramResult end = worker.wait();
  HttpClient client(ServerUrl::of(desk.url()), "wrong" + secret);
  EXPECT_EQ(client.get("/v1/status").body.find(secret), std::string::npos);
  std::string log;
  for (const Json& event : desk.events()) log += event.dump();
  desk.server->signal(SIGINT);
  const ProgramResult served = desk.server->wait();
  for (const std::string& text : {end.out, end.err, served.out, served.err, log})
    EXPECT_EQ(text.find(secret), std::string::npos) << text;
}

TEST(Serve, RefusesWhatIsNotSafeWithOneSentence) {
  const ServedDesk desk;
  const auto refused = [&](const std::vector<std::string>& words, int code, const std::string& part) {
    const ProgramResult result = desk.run("serve", words);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  refused({"--listen", "0.0.0.0:0"}, 2, "--tokens FILE");
  refused({"--listen", "0.0.0.0:0", "--tokens", "tokens"}, 2, "--tls CERT KEY");
  refused({"--listen", "nowhere"}, 2, "--listen is");
  refused({"--tls", "cert.pem"}, 2, "--tls has 1 file");
  refused({"--tokens", "missing"}, 2, "missing: cannot be read");
  refused({"--tls", "a.pem", "b.pem"}, 2, "a.pem: cannot be used as a certificate");
  refused({"--items", "missing.csv"}, 2, "missing.csv");
  fs::permissions(desk.folder.path() / "tokens", fs::perms::others_read, fs::perm_options::add);
  refused({"--tokens", "tokens"}, 2, "chmod 600");
  const ProgramResult none = run_acuity({"serve", "nothing.acuity"}, desk.folder.path());
  EXPECT_EQ(none.exit_code, 2) << none.err;
}

TEST(Serve, OwnsTheCampaignUnlessItOnlyWatches) {
  ServedDesk desk;
  desk.serve();
  const ProgramResult second = desk.run("serve", {"--listen", "127.0.0.1:0"});
  EXPECT_EQ(second.exit_code, 7) << second.err;
  EXPECT_EQ(desk.run("run").exit_code, 7);
  const Background watcher({"serve", desk.campaign, "--only-watch", "--listen", "127.0.0.1:0"},
                           desk.folder.path());
  EXPECT_TRUE(comes_true([&] { return watcher.out().find("only to watch") != std::string::npos; }))
      << watcher.err();
}

// Of every explanation all points are compared, which takes seconds.
struct LargeDesk : ServedDesk {
  LargeDesk() : ServedDesk("echo 0.5", "") {
    fs::remove_all(folder.path() / campaign);
    std::string pool = "case,x,z\n", known = "case,y,level\n";
    constexpr int size = 8000;
    for (int k = 0; k < size; ++k) pool += fmt::format("p{},{},{}\n", k, k % 64, k / 64 + 0.01 * (k % 7));
    for (int k = 0; k < 60; ++k)
      known += fmt::format("p{},{},coarse\n", 133 * k, std::sin((133 * k % 64) / 9.0) + 0.01 * (k % 17));
    folder.write("pool.csv", pool);
    folder.write("known.csv", known);
    folder.write("study.toml",
                 "[campaign]\nname = \"large\"\nbudget = 500\ninitial = { file = \"known.csv\" }\n"
                 "[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
                 "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
                 "[[level]]\nname = \"fine\"\nnoise_sd = 0.05\ncost = 3\n");
    const ProgramResult made = run_acuity({"init", campaign, "--study", "study.toml"}, folder.path());
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }
};

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(Serve, AnswersAreTakenDuringAFloodOfExplanationsAndCtrlCEndsIt) {
  LargeDesk desk;
  desk.serve();
  HttpClient rob(ServerUrl::of(desk.url()), secret);
  const auto ask = [&] {
    return Json::parse(rob.post("/v1/ask", "{}").body).at("suggestions").at(0).at("id");
  };
  Json id = ask();  // the model is there from now on
  std::vector<RawConnection> flood;
  constexpr int requests = 150;
  for (int k = 0; k < requests; ++k) {
    flood.emplace_back(desk.port);
    flood.back().send(
        fmt::format("GET /v1/explain/point/p{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", k, desk.port));
  }
  for (int round = 0; round < 3; ++round) {
    EXPECT_LT(
        seconds_of([&] { EXPECT_EQ(rob.post("/v1/tell", Json{{"id", id}, {"y", 0.5}}.dump()).status, 200); }),
        5.0);
    EXPECT_LT(seconds_of([&] { id = ask(); }), 20.0) << "it learns";
    EXPECT_LT(seconds_of([&] { EXPECT_EQ(rob.get("/v1/me").status, 200); }), 5.0);
  }
  int refused = 0;
  for (RawConnection& one : flood) {
    const std::string reply = one.receive("\r\n\r\n", 0.01);
    if (reply.starts_with("HTTP/1.1 503")) {
      ++refused;
      EXPECT_NE(reply.find("Retry-After"), std::string::npos) << reply;
    }
  }
  EXPECT_GT(refused, requests / 2);
  desk.server->signal(SIGINT);
  EXPECT_LT(seconds_of([&] { EXPECT_EQ(desk.server->wait().exit_code, 0); }), 10.0);
}

TEST(Serve, DropsTheWorkOfClientsThatAreGone) {
  LargeDesk desk;
  desk.serve();
  HttpClient rob(ServerUrl::of(desk.url()), secret);
  EXPECT_EQ(rob.get("/v1/explain/point/p1").status, 200);  // the model is there from now on
  const double alone = seconds_of([&] { EXPECT_EQ(rob.get("/v1/explain/point/p2").status, 200); });
  {
    std::vector<RawConnection> flood;
    for (int k = 10; k < 26; ++k) {
      flood.emplace_back(desk.port);
      flood.back().send(
          fmt::format("GET /v1/explain/point/p{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", k, desk.port));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  int status = 503;
  const double later = seconds_of([&] {
    for (int k = 0; k < 600 && status == 503; ++k) {
      status = rob.get("/v1/explain/point/p3").status;
      if (status == 503) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  EXPECT_EQ(status, 200);
  EXPECT_LT(later, 4.0 * alone + 2.0) << "sixteen others would have been first";
}

TEST(Join, RefusesWhatCannotWork) {
  ServedDesk desk;
  desk.serve();
  const auto refused = [&](std::vector<std::string> words, const std::string& part) {
    words.insert(words.begin(), {"run", "w"});
    const ProgramResult result = run_acuity(words, desk.folder.path());
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  };
  refused({"--join", desk.url()}, "token with the role run is required");
  refused({"--join", "wing"}, "no address of a server");
  refused({"--join", desk.url(), "--budget", "+5"}, "must be left out");
  refused({"--worker", "w"}, "are for --join");
  refused({"--join", desk.url(), "--token-file", "missing"}, "missing: has no token");
  fs::create_directories(desk.folder.path() / "w");
  refused({"--join", desk.url(), "--token-file", "rob.token"}, "no worker's folder");
}

}  // namespace
}  // namespace acuity::testing::serve_program_test
