// Every command with the address of a campaign in a database where a folder could be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "support/campaign_desk.hpp"
#include "support/postgres_server.hpp"
#include "support/run_bench.hpp"

namespace acuity::testing::database_test {
namespace {

using Json = nlohmann::json;

class Database : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = PostgresServer::why_not(); !reason.empty()) GTEST_SKIP() << reason;
    cache.emplace();
    ::setenv("XDG_CACHE_HOME", cache->path().c_str(), 1);
    server.emplace();
  }
  void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }

  std::string address(const std::string& campaign) const { return server->address() + "/" + campaign; }
  /// The same without the password, as it may be shown.
  std::string shown(const std::string& campaign) const { return CampaignAddress(address(campaign)).text(); }

  std::optional<Folder> cache;
  std::optional<PostgresServer> server;
};

// All that anybody can see of a session: no part of it may have the password.
class Witness {
 public:
  ProgramResult operator()(const std::vector<std::string>& words, const std::filesystem::path& folder,
                           int code = 0) {
    const ProgramResult result = run_acuity(words, folder);
    EXPECT_EQ(result.exit_code, code) << words[0] << ": " << result.err;
    see(words[0], result.out + result.err);
    return result;
  }
  static void see(const std::string& what, const std::string& text) {
    EXPECT_FALSE(contains(text, PostgresServer::password)) << what << " shows the password:\n" << text;
  }
};

TEST_F(Database, TakesEveryCommandAndShowsNoPassword) {
  const Folder folder;
  folder.write("pool.csv", CampaignDesk::eight_points);
  folder.write("study.toml", with_given_model(price_list_campaign("budget = 30\nname = \"wing\"\n")));
  folder.write("truth.csv", "case,x,y\na,0,0\nb,1,1\nc,2,1\nd,3,0\ne,4,-1\nf,5,-1\ng,6,0\nh,7,1\n");
  const std::string wing = address("wing"), shown_wing = shown("wing");
  Witness acuity;
  const auto does = [&](const std::string& verb, std::vector<std::string> words = {}, int code = 0) {
    words.insert(words.begin(), {verb, wing});
    return acuity(words, folder.path(), code);
  };
  EXPECT_TRUE(contains(does("status", {}, 2).err, shown_wing + ": nothing was ever created"));
  const ProgramResult made = does("init", {"--study", "study.toml"});
  EXPECT_TRUE(
      made.out.starts_with(shown_wing + ": campaign \"wing\", 8 pool points, 2 levels, budget 30 hours\n"))
      << made.out;
  EXPECT_TRUE(contains(made.out, "Next: acuity ask " + shown_wing + "\n")) << made.out;
  EXPECT_TRUE(contains(does("init", {"--study", "study.toml"}, 2).err, shown_wing + ": it already exists"));
  does("check");
  does("ask", {"-n", "3", "--worker", "anna", "--lease", "2h"});
  does("tell", {"1", "0.5"});
  does("tell", {"1", "0.5"});
  EXPECT_TRUE(contains(does("tell", {"1", "0.75"}, 2).err, "amend"));
  does("fail", {"2", "--reason", "broken"});
  does("release", {"3"});
  does("amend", {"1", "--y", "0.25", "--reason", "typo"});
  does("ask", {"--pending"}, 0);
  const Json status = Json::parse(does("status", {"--format", "json"}).out);
  EXPECT_EQ(status["annotations"], 1);
  does("status");
  does("explain", {"1"});
  does("explain", {"--next"});
  does("export", {"--events", "events.jsonl", "--annotations", "annotations.csv", "--model", "model.json"});
  does("report", {"--out", "report.html"});
  does("score", {"--top", "3"});
  does("predict", {"--at", "pool.csv"});
  does("fit");
  does("backtest", {"--truth", "truth.csv", "--repeats", "1"});
  EXPECT_TRUE(contains(does("verify").out, "yes"));
  folder.write("study2.toml", with_given_model(price_list_campaign("budget = 40\nname = \"wing\"\n")));
  does("change", {"--study", "study2.toml"}, 6);
  does("change", {"--study", "study2.toml", "--yes"});
  EXPECT_EQ(Json::parse(does("status", {"--format", "json"}).out)["budget"], 40.0);
  does("verify");
  EXPECT_TRUE(contains(does("run", {}, 2).err, "annotator"));
  does("run", {"--study", "study.toml"}, 6);
  acuity({"copy", wing, address("wing-2")}, folder.path());
  acuity({"copy", wing, "wing.acuity"}, folder.path());
  EXPECT_TRUE(contains(acuity({"copy", wing, "wing.acuity"}, folder.path(), 2).err,
                       "wing.acuity: it already exists"));
  const ProgramResult listed = acuity({"list", server->address(), "--format", "csv"}, folder.path());
  ASSERT_EQ(csv_rows(listed.out).size(), 2U);
  EXPECT_EQ(csv_rows(listed.out)[0].at("campaign"), shown_wing);
  EXPECT_EQ(csv_rows(listed.out)[1].at("campaign"), shown("wing-2"));
  // Mistakes of users.
  acuity({"status", wing, wing}, folder.path(), 2);
  acuity({wing, "status"}, folder.path(), 2);
  acuity({"ask", wing, "-n", wing}, folder.path(), 2);
  acuity({"status", server->address()}, folder.path(), 2);
  acuity({"list", wing}, folder.path(), 2);
  acuity({"status", address("wing") + "?campaign=x"}, folder.path(), 2);
  // Files, and what the database itself has.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
    if (entry.is_regular_file())
      Witness::see(entry.path(), folder.read(std::filesystem::relative(entry, folder.path())));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache->path()))
    if (entry.is_regular_file())
      Witness::see(entry.path(), cache->read(std::filesystem::relative(entry, cache->path())));
  Witness::see("the log", server->execute("SELECT body FROM acuity.event"));
  EXPECT_TRUE(contains(folder.read("report.html"), "acuity report " + shown_wing))
      << "the command is on the page";
}

// Both ways, and the checksums of the log are the same everywhere.
TEST_F(Database, HasCopiesThatAreEqual) {
  const CampaignDesk desk(price_list_campaign("budget = 30\n"));
  desk.done("ask", {"-n", "3"});
  desk.done("tell", {"1", "0.5"});
  desk.done("amend", {"1", "--y", "0.25", "--reason", "typo"});
  desk.done("fail", {"2", "--reason", "broken"});
  const auto acuity = [&](const std::vector<std::string>& words) {
    const ProgramResult result = run_acuity(words, desk.folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  acuity({"copy", "c.acuity", address("one")});
  acuity({"copy", address("one"), address("two")});
  acuity({"copy", address("two"), "back.acuity"});
  acuity({"copy", "back.acuity", "again.acuity"});
  const auto log = [&](const std::string& campaign) { return acuity({"export", campaign, "--events", "-"}); };
  const std::string events = log("c.acuity");
  for (const std::string& copy :
       {address("one"), address("two"), std::string("back.acuity"), std::string("again.acuity")}) {
    EXPECT_EQ(log(copy), events) << copy;
    acuity({"verify", copy});
    EXPECT_EQ(acuity({"score", copy, "--format", "csv"}), acuity({"score", "c.acuity", "--format", "csv"}));
  }
  const auto chains = [&](const std::string& folder) {
    return run_shell(
               "sqlite3 " + folder + "/events.sqlite 'SELECT sequence, chain FROM event' 2>/dev/null || true",
               desk.folder.path())
        .out;
  };
  EXPECT_EQ(chains("again.acuity"), chains("c.acuity"));
  EXPECT_EQ(server->execute("SELECT count(DISTINCT chain), count(*) FROM acuity.event"),
            server->execute("SELECT count(*) / 2, count(*) FROM acuity.event"))
      << "the chain of both is the same";
  for (const char* file : {"study.toml", "pool.csv"})
    EXPECT_EQ(desk.folder.read(std::string("again.acuity/") + file),
              desk.folder.read(std::string("c.acuity/") + file));
  // Either goes on from there.
  const auto next = [&](const std::string& campaign) {
    return Json::parse(acuity({"ask", campaign, "--format", "json"}))["suggestions"][0]["point"];
  };
  const Json here = next("c.acuity");
  EXPECT_EQ(next(address("two")), here);
  EXPECT_EQ(next("again.acuity"), here);
}

TEST_F(Database, CopiesNothingThatIsBeingRun) {
  RunBench bench;
  bench.study("budget = 6\n");
  bench.answer("touch \"$ACUITY_STUDY_DIR/begun\"; sleep 60; echo 1");
  const std::string campaign = address("running");
  Background running({"run", campaign, "--study", "S.toml"}, bench.folder.path());
  bench.wait_for("begun");
  const ProgramResult refused = bench.acuity({"copy", campaign, "copy"});
  EXPECT_EQ(refused.exit_code, 7) << refused.err;
  EXPECT_TRUE(contains(refused.err, shown("running") + ": already being run by process")) << refused.err;
  EXPECT_FALSE(bench.has("copy"));
  EXPECT_TRUE(bench.has("running.runs/000001-1")) << "attempts are beside whoever runs them";
  running.signal(SIGINT);
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 130);
  EXPECT_EQ(bench.acuity({"copy", campaign, "copy"}).exit_code, 0);
}

TEST_F(Database, IsSharedByProcesses) {
  std::string pool = "case,x\n";
  for (int k = 0; k < 60; ++k) pool += fmt::format("p{},{}\n", k, 0.1 * k);
  const CampaignDesk desk(price_list_campaign("budget = 40\n"), pool, address("shared"));
  const auto worker = [&](const std::string& name) {
    return "for k in $(seq 6); do " ACUITY_PROGRAM " ask '" + desk.campaign + "' --worker " + name +
           " --format csv > " + name + ".csv || exit 1; id=$(tail -n 1 " + name +
           ".csv | cut -d, -f1); " ACUITY_PROGRAM " tell '" + desk.campaign + "' $id 0.$k || exit 1; done";
  };
  Background one({"-c", worker("one")}, desk.folder.path(), "/bin/sh");
  Background two({"-c", worker("two")}, desk.folder.path(), "/bin/sh");
  for (Background* process : {&one, &two}) {
    const ProgramResult ended = process->wait();
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
  }
  EXPECT_EQ(desk.status()["annotations"], 12);
  std::set<std::string> points;
  for (const Json& event : desk.events())
    if (event["event"] == "asked") {
      EXPECT_TRUE(points.insert(event["point"]).second) << event;
    }
  EXPECT_EQ(points.size(), 12U);
  EXPECT_EQ(desk.run("verify").exit_code, 0);
}

// The database knows that the first owner is gone, wherever it was.
TEST_F(Database, LetsAnotherHostTakeOverFromAnOwnerThatWasKilled) {
  if (run_shell("unshare --uts true", ".").exit_code != 0)
    GTEST_SKIP() << "unshare --uts is not permitted here";
  RunBench bench;
  bench.study("budget = 6\n", "workers = 2\n");
  bench.answer(
      "[ -e \"$ACUITY_STUDY_DIR/go\" ] || { touch \"$ACUITY_STUDY_DIR/begun\"; sleep 60; }; echo 0.5");
  const std::string campaign = address("owned");
  const auto on = [&](const std::string& host, const std::string& words) {
    return fmt::format("exec unshare --uts /bin/sh -c 'hostname {} && exec {} {}'", host, ACUITY_PROGRAM,
                       words);
  };
  const std::string run = "run \"" + campaign + "\" --study S.toml --lease 24h";
  Background first({"-c", on("node1", run)}, bench.folder.path(), "/bin/sh");
  bench.wait_for("begun");
  const ProgramResult refused = run_shell(on("node2", run + " --take-over --yes"), bench.folder.path());
  EXPECT_EQ(refused.exit_code, 7) << refused.err;
  EXPECT_TRUE(contains(refused.err, "on node1 (started ")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "it is connected to the database")) << refused.err;
  first.signal(SIGKILL);
  first.wait();
  bench.folder.write("go", "");
  ProgramResult second;
  EXPECT_TRUE(comes_true([&] {
    second = run_shell(on("node2", run), bench.folder.path());
    return second.exit_code != 7;
  }));
  EXPECT_EQ(second.exit_code, 0) << second.err;
  const std::vector<Json> owners =
      RunBench::parsed_lines(bench.acuity({"export", campaign, "--events", "-"}).out, "owner");
  ASSERT_GE(owners.size(), 2U);
  EXPECT_EQ(owners.front()["host"], "node1");
  EXPECT_EQ(owners.back().value("host", ""), "");
  EXPECT_EQ(Json::parse(bench.acuity({"status", campaign, "--format", "json"}).out)["spent"], 6.0);
  for (const std::string& process : bench.processes()) ::kill(std::stoi(process), SIGKILL);  // of node1
}

TEST_F(Database, KeepsAttemptsOfCampaignsApart) {
  RunBench bench;
  bench.study("budget = 2\n");
  const std::string one = address("wing");
  EXPECT_EQ(bench.acuity({"run", one, "--study", "S.toml"}).exit_code, 0);
  EXPECT_TRUE(bench.has("wing.runs/000001-1"));
  server->execute("CREATE DATABASE other OWNER acuity");
  const std::string other = server->address("other") + "/wing";
  const ProgramResult refused = bench.acuity({"run", other, "--study", "S.toml"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "wing.runs: it has the attempts of another campaign")) << refused.err;
  EXPECT_EQ(bench.acuity({"run", other, "--study", "S.toml", "--runs", "elsewhere/attempts"}).exit_code, 0);
  EXPECT_TRUE(bench.has("elsewhere/attempts/000001-1"));
  EXPECT_EQ(bench.run({"--runs", "x"}).exit_code, 2) << "a folder has its own";
}

TEST_F(Database, ThatCannotBeUsedIsSaidInASentence) {
  const Folder folder;
  folder.write("pool.csv", CampaignDesk::eight_points);
  folder.write("study.toml", with_given_model(price_list_campaign()));
  const auto refused = [&](const std::vector<std::string>& words, int exit_code = 2) {
    const ProgramResult result = run_acuity(words, folder.path());
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    Witness::see(words[0], result.err);
    return result.err;
  };
  refused({"status", server->address("nosuch") + "/wing"});
  setenv("ACUITY_DATABASE_PATIENCE", "0.5", 1);
  refused({"init", server->address("postgres", 1) + "/wing", "--study", "study.toml"}, 1);
  unsetenv("ACUITY_DATABASE_PATIENCE");
  refused({"status", fmt::format("postgresql://acuity:wrong-{}@127.0.0.1:{}/postgres/wing",
                                 PostgresServer::password, server->port())});
  EXPECT_TRUE(contains(refused({"status", server->address()}), "it names no campaign"));
}

// Campaigns in a folder of campaigns.
TEST(List, ShowsTheCampaignsOfAFolder) {
  const CampaignDesk desk(price_list_campaign());
  run_acuity({"copy", "c.acuity", "a copy"}, desk.folder.path());
  desk.done("ask");
  const ProgramResult listed = run_acuity({"list", ".", "--format", "csv"}, desk.folder.path());
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  const auto rows = csv_rows(listed.out);
  ASSERT_EQ(rows.size(), 2U) << listed.out;
  EXPECT_EQ(rows[0].at("campaign"), "./a copy");
  EXPECT_EQ(rows[0].at("last_event"), "created");
  EXPECT_EQ(rows[1].at("campaign"), "./c.acuity");
  EXPECT_EQ(rows[1].at("events"), "2");
  EXPECT_EQ(rows[1].at("last_event"), "asked");
  EXPECT_EQ(run_acuity({"list", "nowhere"}, desk.folder.path()).exit_code, 2);
  EXPECT_EQ(
      Json::parse(run_acuity({"list", ".", "--format", "json"}, desk.folder.path()).out)["campaigns"].size(),
      2U);
}

}  // namespace
}  // namespace acuity::testing::database_test
