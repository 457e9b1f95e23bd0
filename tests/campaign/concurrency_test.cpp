// Many processes on one campaign.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "acuity/campaign/campaign.hpp"
#include "numerics/random.hpp"
#include "support/campaigns.hpp"
#include "support/thorough.hpp"

namespace acuity::testing::concurrency_test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int workers = 8;

double stress_seconds() {
  const char* wanted = std::getenv("ACUITY_STRESS_SECONDS");
  return wanted == nullptr ? (thorough() ? 5.0 : 1.5) : std::strtod(wanted, nullptr);
}

// Notes are for people, and said on purpose; anything else on standard error is a failure.
std::string unexpected(const std::string& err) {
  std::string rest;
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("note: ") && line != "C: nothing is pending" &&
        !line.starts_with("C: finished: the budget is spent") &&
        !line.starts_with("C: no more to ask: no level is affordable") &&
        !line.starts_with("C: nothing to ask now: no level is affordable"))
      rest += line + "\n";
  return rest;
}

// What the workers were told and what they have told, as they know it.
class Diary {
 public:
  void took(std::int64_t id) {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(taken_.insert(id).second) << id << " was given to two workers";
  }
  void told(std::int64_t id, double y) {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(told_.emplace(id, y).second);
  }
  void did(const std::string& what) {
    const std::lock_guard lock(mutex_);
    ++counts_[what];
  }
  const std::set<std::int64_t>& taken() const { return taken_; }
  const std::map<std::int64_t, double>& all_told() const { return told_; }
  int count(const std::string& what) { return counts_[what]; }

 private:
  std::mutex mutex_;
  std::set<std::int64_t> taken_;
  std::map<std::int64_t, double> told_;
  std::map<std::string, int> counts_;
};

class Office {
 public:
  explicit Office(const std::string& model) : desk_(campaign_study("budget = 1", model), 2000) {
    const ProgramResult made = desk_.run({"init", "C", "--study", "study.toml"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }

  ProgramResult run(const std::vector<std::string>& words) const {
    ProgramResult result = Process(words, desk_.folder.path()).wait();
    EXPECT_EQ(unexpected(result.err), "") << words[0];
    return result;
  }

  void work(int who, Clock::time_point end) {
    numerics::Draws draws(11, numerics::Purpose::data, static_cast<std::uint32_t>(who));
    while (Clock::now() < end) {
      const std::int64_t count = 1 + draws.below(2);
      const ProgramResult asked = run({"ask", "C", "-n", std::to_string(count), "--worker",
                                       std::to_string(who), "--threads", "1", "--format", "csv"});
      EXPECT_TRUE(asked.exit_code == 0 || asked.exit_code == 3 || asked.exit_code == 4) << asked.exit_code;
      diary.did(asked.exit_code == 0 ? "asked" : "waited");
      for (const auto& row : csv_rows(asked.out)) answer(row);
      if (asked.exit_code == 3) {
        const ProgramResult more = run({"ask", "C", "--budget", "+2", "--format", "csv", "--threads", "1"});
        EXPECT_EQ(more.exit_code, 0) << "who brings money is served first: " << more.err;
        for (const auto& row : csv_rows(more.out)) answer(row);
      }
    }
  }

  void watch(const std::atomic<bool>& over) {
    while (!over) {
      const ProgramResult status = run({"status", "C", "--format", "json"});
      ASSERT_EQ(status.exit_code, 0);
      const nlohmann::json now = nlohmann::json::parse(status.out);
      EXPECT_LE(now.at("spent").get<double>() + now.at("escrow").get<double>(),
                now.at("budget").get<double>() * (1.0 + 1e-9));
      const ProgramResult pending = run({"ask", "C", "--pending", "--format", "csv"});
      ASSERT_EQ(pending.exit_code, 0);
      std::set<std::string> ids, places;
      for (const auto& row : csv_rows(pending.out)) {
        EXPECT_TRUE(ids.insert(row.at("id")).second) << pending.out;
        EXPECT_TRUE(places.insert(row.at("point") + " " + row.at("alpha")).second) << pending.out;
      }
      diary.did("watched");
    }
  }

  // Nothing lost, nothing twice: the log is what the workers remember.
  void close_the_books() const {
    const Campaign campaign = Campaign::open(desk_.campaign(), Access::read);
    std::map<std::int64_t, double> told;
    for (const StoredEvent& stored : campaign.events()) {
      const auto* event = std::get_if<Told>(&stored.event);
      if (event == nullptr) continue;
      EXPECT_TRUE(told.emplace(event->id, event->values.at(0)).second) << event->id << " is told twice";
    }
    EXPECT_EQ(told, diary.all_told());
    EXPECT_EQ(campaign.state().suggestions().size(), diary.taken().size());
  }

  std::int64_t fits() const { return Campaign::open(desk_.campaign(), Access::read).state().fits(); }

  Diary diary;

 private:
  void answer(const std::map<std::string, std::string>& row) {
    const std::string id = row.at("id");
    diary.took(std::stoll(id));
    const double y = true_answer(value(row, "x"), value(row, "alpha"));
    std::vector<std::string> words{"tell", "C", id, fmt::format("{}", y)};
    if (id.ends_with('3')) words = {"fail", "C", id, "--reason", "an unlucky number"};
    if (id.ends_with('6')) words = {"release", "C", id};
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << words[0] << " " << id;
    if (result.exit_code == 0 && words[0] == "tell") diary.told(std::stoll(id), y);
    diary.did(words[0]);
  }

  Desk desk_;
};

void keep_busy(Office& office) {
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(stress_seconds()));
  std::atomic<bool> over = false;
  std::thread watcher([&] { office.watch(over); });
  std::vector<std::thread> team;
  for (int who = 0; who < workers; ++who) team.emplace_back([&, who] { office.work(who, end); });
  for (std::thread& one : team) one.join();
  over = true;
  watcher.join();
  office.close_the_books();
  for (const char* what : {"asked", "waited", "tell", "fail", "release", "watched"}) {
    EXPECT_GT(office.diary.count(what), 0) << what << ": it has not been tried";
  }
  std::cout << fmt::format("{} asks, {} answers, {} looks\n", office.diary.count("asked"),
                           office.diary.count("tell"), office.diary.count("watched"));
}

TEST(Concurrency, EightProcessesAskAndTellWithoutLosingDoublingOrOverspending) {
  Office office("fit = \"never\"");
  keep_busy(office);
}

TEST(Concurrency, EightProcessesThatLearnAsWellDoNotGetInEachOthersWay) {
  Office office("fit = 3\nrestarts = 0");
  keep_busy(office);
  EXPECT_GT(office.fits(), 0);
}

}  // namespace
}  // namespace acuity::testing::concurrency_test
