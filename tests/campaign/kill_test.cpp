// kill -9 at any moment.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "acuity/campaign/campaign.hpp"
#include "numerics/random.hpp"
#include "support/campaigns.hpp"
#include "support/thorough.hpp"

namespace acuity::testing::kill_test {
namespace {

using Clock = std::chrono::steady_clock;

// Never exhausted, never at its end.
std::string endless() {
  return campaign_study("budget = 1e6", "fit = \"never\"", "repeat = true");
}

// What the driver knows to have happened, because a command has ended with 0.
struct Acknowledged {
  std::int64_t asked = 0;
  std::map<std::int64_t, double> told;
};

std::string text_of(double y) {
  return fmt::format("{}", y);
}

class Driver {
 public:
  Driver() : desk_(endless(), 40) {
    const ProgramResult made = desk_.run({"init", "C", "--study", "study.toml"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }

  // How long an undisturbed command takes here, so that kills come in the middle of them.
  Clock::duration usual() {
    const auto start = Clock::now();
    for (int k = 0; k < 6; ++k) EXPECT_EQ(step(std::nullopt).exit_code, 0);
    return (Clock::now() - start) / 6;
  }

  // The next command, ended after so long.
  ProgramResult step(std::optional<Clock::duration> life) {
    std::vector<std::string> words{"ask", "C"};
    std::int64_t id = 0;
    double y = 0.0;
    {
      const Campaign campaign = Campaign::open(desk_.campaign(), Access::read);
      const std::vector<Suggestion> pending = campaign.pending();
      EXPECT_LE(pending.size(), 1U);
      if (!pending.empty()) {
        id = pending.front().id;
        y = true_answer(campaign.study().pool().point(pending.front().row)[0], *pending.front().level.alpha);
        words = {"tell", "C", std::to_string(id), text_of(y)};
      }
    }
    Process process(words, desk_.folder.path());
    if (life) {
      std::this_thread::sleep_for(*life);
      ::kill(process.id(), SIGKILL);
    }
    const ProgramResult result = process.wait();
    if (result.exit_code == 0 && id > 0) acknowledged_.told[id] = y;
    if (result.exit_code == 0 && id == 0) ++acknowledged_.asked;
    return result;
  }

  // Everything acknowledged is there once, and the ledger is its sum.
  void check() const {
    const Campaign campaign = Campaign::open(desk_.campaign(), Access::read);
    const State& state = campaign.state();
    EXPECT_GE(static_cast<std::int64_t>(state.suggestions().size()), acknowledged_.asked);
    std::map<std::int64_t, int> tellings;
    double spent = 0.0;
    for (const StoredEvent& stored : campaign.events())
      if (const auto* told = std::get_if<Told>(&stored.event)) {
        ++tellings[told->id];
        spent += told->cost;
        EXPECT_EQ(told->cost, state.find(told->id)->asked.cost);
      }
    EXPECT_EQ(state.spent(), spent);
    for (const auto& [id, count] : tellings) EXPECT_EQ(count, 1) << id;
    for (const auto& [id, y] : acknowledged_.told) {
      ASSERT_EQ(tellings.count(id), 1U) << id << " was acknowledged";
      EXPECT_EQ(state.find(id)->values, std::vector{y});
    }
  }

  // The same choices as if nobody had been killed.
  std::size_t compare_with_uninterrupted() const {
    const Campaign killed = Campaign::open(desk_.campaign(), Access::read);
    Campaign calm(Study::open(desk_.folder.path() / "study.toml"), make_memory_event_store());
    for (const SuggestionRecord& record : killed.state().suggestions()) {
      const Suggestion chosen = calm.ask().suggestions.at(0);
      EXPECT_EQ(chosen.id, record.asked.id);
      EXPECT_EQ(chosen.row, record.asked.row) << chosen.id;
      EXPECT_EQ(chosen.level.alpha, record.asked.alpha) << chosen.id;
      if (!record.told) continue;
      const double y = true_answer(calm.study().pool().point(chosen.row)[0], *chosen.level.alpha);
      EXPECT_EQ(record.values, std::vector{y}) << chosen.id;
      calm.tell({{.id = chosen.id,
                  .values = {y},
                  .cost = {},
                  .channel = {},
                  .row = {},
                  .inputs = {},
                  .level = {},
                  .where = {}}});
    }
    EXPECT_EQ(calm.state().spent(), killed.state().spent());
    return killed.state().suggestions().size();
  }

 private:
  Desk desk_;
  Acknowledged acknowledged_;
};

TEST(Kill, AtRandomMomentsLosesNothingAcknowledged) {
  const int kills = tries(25, 300);
  Driver driver;
  const auto usual = driver.usual();
  numerics::Draws draws(5, numerics::Purpose::data);
  int killed = 0, survived = 0;
  while (killed < kills && survived < 7 * kills) {
    const ProgramResult result =
        driver.step(std::chrono::duration_cast<Clock::duration>(usual * draws.uniform(0.0, 1.3)));
    if (result.exit_code == 128 + SIGKILL)
      ++killed;
    else
      ++survived;
    EXPECT_TRUE(result.exit_code == 128 + SIGKILL || result.exit_code == 0) << result.err;
    driver.check();
    ASSERT_FALSE(::testing::Test::HasFailure()) << "after " << killed << " kills";
  }
  EXPECT_EQ(killed, kills);
  EXPECT_GE(driver.compare_with_uninterrupted(), thorough() ? 20U : 3U) << "it has come somewhere";
}

}  // namespace
}  // namespace acuity::testing::kill_test
