// Disks that are full or may not be written.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>

#include "support/campaigns.hpp"

namespace acuity::testing::disk_test {
namespace {

namespace fs = std::filesystem;

// A file system of its own, so that it can be full or read-only; needs the right to mount one.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& size) {
    mounted_ = ::mount("acuity-test", folder_.path().c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool is_there() const { return mounted_; }
  const fs::path& path() const { return folder_.path(); }
  void make_read_only(bool yes) const {
    ASSERT_EQ(::mount("acuity-test", path().c_str(), "tmpfs", MS_REMOUNT | (yes ? MS_RDONLY : 0), nullptr),
              0);
  }
  // All of it but `left` bytes.
  void fill(std::uintmax_t left) const {
    std::error_code none;
    const std::uintmax_t free = fs::space(path(), none).available;
    if (free > left) std::ofstream(path() / "ballast") << std::string(free - left, 'x');
  }
  void make_room() const { fs::remove(path() / "ballast"); }

 private:
  Folder folder_;
  bool mounted_ = false;
};

class Disk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!disk.is_there()) GTEST_SKIP() << "needs the right to mount a file system";
    std::ofstream(disk.path() / "study.toml") << campaign_study("budget = 20");
    std::ofstream(disk.path() / "pool.csv") << line_pool(25);
  }
  ProgramResult run(const std::vector<std::string>& words) const { return run_acuity(words, disk.path()); }
  std::string annotations() const {
    const ProgramResult result = run({"export", "C", "--annotations", "-"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }
  void begin() const {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"init", "C", "--study", "study.toml"}, {"ask", "C", "-n", "2"}, {"tell", "C", "1", "0.25"}}) {
      const ProgramResult result = run(words);
      ASSERT_EQ(result.exit_code, 0) << result.err;
    }
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(disk.path())) all.push_back(entry.path().filename());
    return all;
  }

  SmallDisk disk{"1m"};
};

// Every amount of room from none to enough: refused with a sentence, or done.
TEST_F(Disk, ThatIsFullStopsInitAndLeavesNothing) {
  int refused = 0;
  for (std::uintmax_t left = 0; left < 160 * 1024; left += 8 * 1024) {
    disk.fill(left);
    const ProgramResult result = run({"init", "C", "--study", "study.toml"});
    disk.make_room();
    if (result.exit_code == 0) {
      EXPECT_EQ(run({"status", "C"}).exit_code, 0);
      fs::remove_all(disk.path() / "C");
      continue;
    }
    ++refused;
    expect_sentence(result, 2);
    EXPECT_EQ(names().size(), 2U) << "study and pool only, with room for " << left;
  }
  EXPECT_GE(refused, 3);
  EXPECT_EQ(run({"init", "C", "--study", "study.toml"}).exit_code, 0);
}

TEST_F(Disk, ThatIsFullStopsAskAndTellAndTheyGoOnWhenThereIsRoom) {
  begin();
  const std::string before = annotations();
  int refused = 0;
  for (std::uintmax_t left = 0; left < 64 * 1024; left += 4 * 1024)
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"ask", "C"}, {"tell", "C", "2", "0.5"}}) {
      const ProgramResult before_it = run({"export", "C", "--events", "-"});
      disk.fill(left);
      const ProgramResult result = run(words), look = run({"status", "C", "--format", "json"});
      disk.make_room();
      EXPECT_TRUE(look.exit_code == 0 || look.exit_code == 2) << look.err;
      if (look.exit_code == 2) expect_sentence(look, 2);
      if (result.exit_code == 0) continue;
      ++refused;
      expect_sentence(result, 2);
      EXPECT_EQ(run({"export", "C", "--events", "-"}).out, before_it.out) << "nothing was changed";
    }
  EXPECT_GE(refused, 2);
  EXPECT_TRUE(annotations().starts_with(before));
  EXPECT_EQ(run({"tell", "C", "2", "0.5"}).exit_code, 0);
  EXPECT_EQ(run({"ask", "C"}).exit_code, 0);
}

TEST_F(Disk, ThatMayNotBeWrittenStopsWritersButNotReaders) {
  begin();
  const std::string before = annotations(), status = run({"status", "C", "--format", "json"}).out;
  disk.make_read_only(true);
  expect_sentence(run({"ask", "C"}), 2);
  expect_sentence(run({"tell", "C", "2", "0.5"}), 2);
  expect_sentence(run({"fail", "C", "2"}), 2);
  expect_sentence(run({"init", "D", "--study", "study.toml"}), 2);
  EXPECT_EQ(annotations(), before);
  EXPECT_EQ(run({"status", "C", "--format", "json"}).out, status);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"score", "C"}, {"predict", "C", "--at", "pool.csv"}, {"fit", "C"}, {"ask", "C", "--pending"}})
    EXPECT_EQ(run(words).exit_code, 0) << words[0] << ": " << run(words).err;
  disk.make_read_only(false);
  EXPECT_EQ(run({"tell", "C", "2", "0.5"}).exit_code, 0);
}

// What a crash leaves beside the log is read as well where nothing may be written.
TEST_F(Disk, ThatMayNotBeWrittenAfterACrashStillShowsWhatWasAcknowledged) {
  begin();
  ASSERT_EQ(run_shell("ACUITY_CRASH_AT=4 acuity tell C 2 0.5", disk.path()).exit_code, 128 + SIGKILL);
  ASSERT_GT(fs::file_size(disk.path() / "C/events.sqlite-wal"), 0U);
  const std::string before = annotations();
  EXPECT_EQ(csv_rows(before).size(), 2U) << "the fourth site is after the commit";
  disk.make_read_only(true);
  EXPECT_EQ(annotations(), before);
  disk.make_read_only(false);
}

// Somebody who may look at a campaign but not write to it.
TEST(SomebodyElse, MayReadACampaignAndIsToldWhyNotToWriteIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs the right to be somebody else";
  const Desk desk(campaign_study("budget = 20"));
  fs::permissions(desk.folder.path(), fs::perms::others_read | fs::perms::others_exec, fs::perm_options::add);
  ASSERT_EQ(desk.run({"init", "C", "--study", "study.toml"}).exit_code, 0);
  ASSERT_EQ(desk.run({"ask", "C"}).exit_code, 0);
  const auto as_nobody = [&](const std::string& words) {
    return desk.shell("setpriv --reuid=65534 --regid=65534 --clear-groups acuity " + words);
  };
  if (as_nobody("--version").exit_code != 0) GTEST_SKIP() << "the program is not there for everybody";
  for (const char* words : {"status C", "export C --annotations -", "score C", "ask C --pending"})
    EXPECT_EQ(as_nobody(words).exit_code, 0) << as_nobody(words).err;
  for (const char* words : {"ask C", "tell C 1 0.5", "release C 1", "init D --study study.toml"})
    expect_sentence(as_nobody(words), 2);
  fs::permissions(desk.campaign(), fs::perms::owner_all);
  expect_sentence(as_nobody("status C"), 2);
}

}  // namespace
}  // namespace acuity::testing::disk_test
