// Disks that are full, may not be written, or give back other bytes than they were given.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "numerics/random.hpp"
#include "support/campaigns.hpp"

namespace acuity::testing {
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

void expect_sentence(const ProgramResult& result, int code) {
  EXPECT_EQ(result.exit_code, code) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const char* name : {"std::", "exception", "filesystem error", "internal", "SQL"})
    EXPECT_EQ(result.err.find(name), std::string::npos) << result.err;
}

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

// The bytes of every file of a campaign. SQLite's shared memory is scratch, and so is a log of pages that has
// none.
std::map<std::string, std::string> bytes_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().string().ends_with("-shm")) continue;
    if (entry.path().string().ends_with("-wal") && entry.file_size() == 0) continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    files[fs::relative(entry.path(), folder)] = {std::istreambuf_iterator<char>(stream), {}};
  }
  return files;
}

void put(const fs::path& folder, const std::map<std::string, std::string>& files) {
  fs::remove_all(folder);
  for (const auto& [name, bytes] : files) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << bytes;
  }
  fs::create_directories(folder / "runs");
}

std::string damaged(const std::string& bytes, std::uint32_t variant) {
  numerics::Draws draws(7, numerics::Purpose::data, variant);
  const auto anywhere = [&](std::size_t size) {
    return static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(size)));
  };
  std::string result = bytes;
  if (variant % 4 == 0)
    result.resize(anywhere(bytes.size()));
  else if (variant % 4 == 1)  // a page that was never written
    std::fill_n(result.begin() + static_cast<std::ptrdiff_t>(anywhere(bytes.size() / 512) * 512), 512, '\0');
  else
    for (int k = 0; k < 1 + static_cast<int>(variant % 9) * 4; ++k)
      // The header is small and matters most.
      result[anywhere(variant % 4 == 2 ? 120 : bytes.size())] = static_cast<char>(draws.below(256));
  return result;
}

class Damage : public ::testing::Test {
 protected:
  Damage() : desk(campaign_study("budget = 20")) {
    for (const char* line :
         {"acuity init C --study study.toml", "acuity ask C -n 12", "acuity tell C 1 0.25",
          "acuity tell C 2 0.5", "acuity fail C 3 --reason 'a longer reason for the log'"}) {
      const ProgramResult result = desk.shell(line);
      EXPECT_EQ(result.exit_code, 0) << result.err;
    }
    events = desk.run({"export", "C", "--events", "-"}).out;
    whole = bytes_of(desk.campaign());
  }

  // Opened as it was, or refused with a sentence and left alone.
  void look(bool prefix_is_fine = false) {
    const auto before = bytes_of(desk.campaign());
    bool refused = false;
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"status", "C"},
                                               {"export", "C", "--annotations", "-"},
                                               {"tell", "C", "1", "0.25"},
                                               {"ask", "C"}}) {
      const ProgramResult result = desk.run(words);
      if (result.exit_code == 0 && !refused) {
        if (words[0] == "status") check_log(desk.run({"export", "C", "--events", "-"}).out, prefix_is_fine);
        continue;
      }
      refused = true;
      expect_sentence(result, 7);
      EXPECT_TRUE(result.err.find("intact") != std::string::npos ||
                  result.err.find("none of its events can be read") != std::string::npos)
          << result.err;
    }
    if (!refused) {
      ++opened;
      return;
    }
    ++all_refused;
    const ProgramResult saved = desk.run({"export", "C", "--events", "saved.jsonl"});
    EXPECT_EQ(saved.exit_code, 7) << saved.err;
    const std::string text = desk.folder.read("saved.jsonl");
    EXPECT_TRUE(events.starts_with(text)) << text;
    const auto lines = std::count(text.begin(), text.end(), '\n');
    if (lines > 0) {
      ++with_something_saved;
      EXPECT_NE(saved.err.find(fmt::format("its first {} event", lines)), std::string::npos) << saved.err;
    }
    EXPECT_TRUE(bytes_of(desk.campaign()) == before) << "nothing is made worse";
  }

  void check_log(const std::string& log, bool prefix_is_fine) const {
    if (prefix_is_fine)
      EXPECT_TRUE(events.starts_with(log) && !log.empty());
    else
      EXPECT_EQ(log, events);
  }

  Desk desk;
  std::string events;
  std::map<std::string, std::string> whole;
  int opened = 0, all_refused = 0, with_something_saved = 0;
};

int variants() {
  const char* wanted = std::getenv("ACUITY_STRESS_VARIANTS");
  return wanted == nullptr ? 60 : std::atoi(wanted);
}

TEST_F(Damage, OfTheLogIsRefusedAndWhatIsIntactIsSaved) {
  for (int variant = 0; variant < variants(); ++variant) {
    SCOPED_TRACE(variant);
    auto files = whole;
    files["events.sqlite"] = damaged(whole.at("events.sqlite"), static_cast<std::uint32_t>(variant));
    put(desk.campaign(), files);
    look();
    if (HasFailure()) return;
  }
  EXPECT_GT(all_refused, variants() / 3);
  EXPECT_GT(with_something_saved, variants() / 10);
}

// After a crash the last commits stand in a file of their own. A commit that cannot be read there is as if it
// had not been, but what is before it counts.
TEST_F(Damage, OfThePagesBesideTheLogLeavesAnEarlierMomentOrIsRefused) {
  for (const char* line : {"ACUITY_CRASH_AT=4 acuity tell C 4 0.125", "ACUITY_CRASH_AT=4 acuity tell C 5 1"})
    ASSERT_EQ(desk.shell(line).exit_code, 128 + SIGKILL);
  events = desk.run({"export", "C", "--events", "-"}).out;
  whole = bytes_of(desk.campaign());
  ASSERT_TRUE(whole.contains("events.sqlite-wal"));
  for (int variant = 0; variant < variants() / 2; ++variant) {
    SCOPED_TRACE(variant);
    auto files = whole;
    if (variant == 0)
      files.erase("events.sqlite-wal");
    else
      files["events.sqlite-wal"] =
          damaged(whole.at("events.sqlite-wal"), static_cast<std::uint32_t>(variant));
    put(desk.campaign(), files);
    look(true);
    if (HasFailure()) return;
  }
  EXPECT_GT(opened, 0);
}

TEST_F(Damage, IsSaidWhereTheLogIsGone) {
  fs::remove(desk.campaign() / "events.sqlite");
  for (const char* command : {"status", "ask"}) expect_sentence(desk.run({command, "C"}), 7);
}

}  // namespace
}  // namespace acuity::testing
