// Two mounts of one folder by sshfs are two hosts: each has its own caches, and neither sees the locks of the
// other.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "support/background.hpp"
#include "support/campaigns.hpp"

namespace acuity::testing::network_file_system {

namespace fs = std::filesystem;

// A mount of a folder. socat connects sshfs with the server program, so that no network is needed.
class Mount {
 public:
  Mount(const fs::path& server, const fs::path& at)
      : at_((fs::create_directory(at), at)),
        connection_(
            {"EXEC:/usr/lib/openssh/sftp-server",
             fmt::format("EXEC:'sshfs -f -o passive,dcache_timeout=1 :{} {}'", server.string(), at.string())},
            at.parent_path(), "/usr/bin/socat") {}
  ~Mount() { run_shell("fusermount3 -u -z " + at_.string(), at_.parent_path()); }
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

  const fs::path& path() const { return at_; }

 private:
  fs::path at_;
  Background connection_;
};

class NetworkFileSystem : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access("/dev/fuse", R_OK | W_OK) != 0)
      GTEST_SKIP() << "/dev/fuse cannot be used, which sshfs needs";
    for (const char* program :
         {"/usr/bin/socat", "/usr/bin/sshfs", "/usr/bin/fusermount3", "/usr/lib/openssh/sftp-server"})
      if (!fs::exists(program))
        GTEST_SKIP() << program << " is missing (Debian: sshfs openssh-sftp-server socat)";
    fs::create_directory(folder_.path() / "server");
    folder_.write("server/study.toml", campaign_study("budget = 20"));
    folder_.write("server/pool.csv", line_pool(60));
    ASSERT_EQ(run_acuity({"init", "C", "--study", "study.toml"}, server()).exit_code, 0);
    for (const char* name : {"m1", "m2"})
      mounts_.push_back(std::make_unique<Mount>(server(), folder_.path() / name));
    for (const auto& mount : mounts_)
      if (!comes_true([&] { return fs::exists(mount->path() / "C"); }))
        GTEST_SKIP() << "sshfs cannot mount a folder here";
  }

  fs::path server() const { return folder_.path() / "server"; }
  ProgramResult on(int mount, std::vector<std::string> words) const {
    return run_acuity(words, mounts_[static_cast<std::size_t>(mount - 1)]->path());
  }
  std::size_t asked() const {
    return nlohmann::json::parse(run_acuity({"status", "C", "--format", "json"}, server()).out)["pending"];
  }

  Folder folder_;
  std::vector<std::unique_ptr<Mount>> mounts_;
};

TEST_F(NetworkFileSystem, OneHostAtATimeWrites) {
  ASSERT_EQ(on(1, {"ask", "C"}).exit_code, 0);
  ASSERT_EQ(on(1, {"ask", "C"}).exit_code, 0) << "the same host goes on";
  const ProgramResult refused = on(2, {"ask", "C"});
  EXPECT_EQ(refused.exit_code, 7);
  EXPECT_EQ(refused.out, "");
  for (const std::string part :
       {"C: it is on a network file system (FUSE)", "postgresql://", "mode = \"submit\""})
    EXPECT_NE(refused.err.find(part), std::string::npos) << refused.err;
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  EXPECT_EQ(asked(), 2u);
}

TEST_F(NetworkFileSystem, OtherHostsReadACopy) {
  ASSERT_EQ(on(1, {"ask", "C", "-n", "3"}).exit_code, 0);
  const ProgramResult status = on(2, {"status", "C", "--format", "json"});
  ASSERT_EQ(status.exit_code, 0) << status.err;
  EXPECT_EQ(nlohmann::json::parse(status.out)["pending"], 3);
}

TEST_F(NetworkFileSystem, AnotherHostTakesALeaseThatHasEnded) {
  ASSERT_EQ(on(1, {"ask", "C"}).exit_code, 0);
  const fs::path lease = server() / "C" / "writer.lease";
  ASSERT_TRUE(fs::exists(lease));
  fs::last_write_time(lease, fs::last_write_time(lease) - std::chrono::minutes(10));
  EXPECT_TRUE(comes_true([&] { return on(2, {"ask", "C"}).exit_code == 0; })) << "a mount may see it later";
  EXPECT_EQ(on(1, {"ask", "C"}).exit_code, 7);
  EXPECT_EQ(asked(), 2u);
  EXPECT_EQ(run_acuity({"verify", "C"}, server()).exit_code, 0);
}

// Jobs of a batch system run on other hosts, which see the folder through mounts of their own: here the
// second one, in a mount namespace where it is at the place of the first. What they publish is opened by its
// name; a listing may show it much later.
TEST_F(NetworkFileSystem, JobsOnAnotherHostAnswerWithoutWritingToTheLog) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can show a job another mount in the same place";
  if (run_shell("unshare --mount true", folder_.path()).exit_code != 0)
    GTEST_SKIP() << "no right to make mount namespaces, or no root file system of its own";
  const fs::path first = mounts_[0]->path(), second = mounts_[1]->path(), batch = folder_.path() / "batch";
  fs::create_directories(batch / "queue");
  fs::permissions(folder_.write("batch/submit", fmt::format(R"sh(#!/bin/sh
cd "$(dirname "$0")" && : >queue/$1 && echo "$1" >>accepted
setsid unshare --mount sh -c 'mount --bind "$3" "$2" && sh "$4"; rm -f "queue/$1"' job "$1" "{}" "{}" "$2" \
  >/dev/null 2>&1 </dev/null &
)sh",
                                                            first.string(), second.string())),
                  fs::perms::owner_all);
  folder_.write("server/jobs.toml",
                campaign_study("budget = 2") +
                    fmt::format("[annotator]\ncommand = \"echo {{x}}\"\nworkers = 3\nmode = \"submit\"\n"
                                "submit = \"{0}/submit {{name}} {{script}}\"\nalive = \"ls {0}/queue\"\n"
                                "cancel = \"rm {0}/queue/{{name}}\"\npoll = \"1s\"\ngrace = \"30s\"\n",
                                batch.string()));
  const ProgramResult result = on(1, {"run", "jobs.acuity", "--study", "jobs.toml"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const ProgramResult exported = run_acuity({"export", "jobs.acuity", "--annotations", "-"}, server());
  const auto rows = csv_rows(exported.out);
  ASSERT_GE(rows.size(), 4U) << exported.out;
  for (const auto& row : rows) EXPECT_EQ(std::stod(row.at("y")), std::stod(row.at("x")));
  const std::string accepted = folder_.read("batch/accepted");
  EXPECT_EQ(std::count(accepted.begin(), accepted.end(), '\n'), static_cast<std::ptrdiff_t>(rows.size()))
      << "a job that was not seen is submitted again: " << accepted;
  EXPECT_EQ(run_acuity({"verify", "jobs.acuity"}, server()).exit_code, 0);
}

// Without the lease the log was damaged after 18 asks, and ids were given out twice.
TEST_F(NetworkFileSystem, TwoHostsAtOnceDoNotDamageTheLog) {
  std::vector<std::string> ids[2];
  std::vector<std::thread> hosts;
  for (int host = 0; host < 2; ++host)
    hosts.emplace_back([&, host] {
      for (int k = 0; k < 12; ++k) {
        const ProgramResult result = on(host + 1, {"ask", "C", "--format", "csv"});
        if (result.exit_code == 0)
          ids[host].push_back(csv_rows(result.out).at(0).at("id"));
        else
          EXPECT_EQ(result.exit_code, 7) << result.err;
      }
    });
  for (std::thread& host : hosts) host.join();
  EXPECT_TRUE(ids[0].empty() || ids[1].empty()) << "one host had the lease all the time";
  std::set<std::string> all(ids[0].begin(), ids[0].end());
  all.insert(ids[1].begin(), ids[1].end());
  EXPECT_EQ(all.size(), 12u);
  EXPECT_EQ(asked(), 12u);
  EXPECT_EQ(run_acuity({"verify", "C"}, server()).exit_code, 0);
}

}  // namespace acuity::testing::network_file_system
