// Disks that give back other bytes than they were given.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>

#include "numerics/random.hpp"
#include "support/campaigns.hpp"
#include "support/thorough.hpp"

namespace acuity::testing::damage_test {
namespace {

namespace fs = std::filesystem;

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
  return wanted == nullptr ? tries(24, 60) : std::atoi(wanted);
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
}  // namespace acuity::testing::damage_test
