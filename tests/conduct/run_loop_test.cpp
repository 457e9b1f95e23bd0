// The loop of `run` on a campaign in memory: every end it can have, and what counts as a failure.
#include "conduct/run_loop.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "acuity/base/errors.hpp"
#include "conduct/record_outcome.hpp"
#include "support/memory_campaigns.hpp"

namespace acuity::run_loop_test {
namespace {

using testing::MemoryCampaign;
using Kind = RunEnd::Kind;

// Eight points at one level of cost 1.
std::string study(const std::string& campaign = "budget = 100\n") {
  return "[campaign]\n" + campaign +
         "[pool]\nfile = \"pool.csv\"\n[[level]]\nname = \"only\"\nnoise_sd = 0.3\ncost = 1\n"
         "[annotator]\ncommand = \"true\"\n";
}

Outcome answered(const Suggestion& asked, double value = 0.5, std::optional<double> cost = std::nullopt) {
  Outcome outcome{.kind = Outcome::Kind::answered, .id = asked.id, .answer = {}, .reason = {}};
  outcome.answer.id = asked.id;
  outcome.answer.values = {value};
  outcome.answer.cost = cost;
  return outcome;
}
Outcome failed(const Suggestion& asked) {
  return {.kind = Outcome::Kind::failed, .id = asked.id, .answer = {}, .reason = "diverged"};
}

// Annotators that answer by a function, one suggestion per wait.
class ScriptedPool : public AnnotatorPool {
 public:
  using Script = std::function<Outcome(const Suggestion&)>;
  explicit ScriptedPool(Script script) : script_(std::move(script)) {}

  void start(const Suggestion& suggestion) override {
    ++started;
    work_.push_back(suggestion);
  }
  void resume(const Suggestion& suggestion) override { start(suggestion); }
  int busy() const override { return static_cast<int>(work_.size()); }
  std::vector<Outcome> wait(double) override {
    if (work_.empty() || is_stuck) return {};
    const Suggestion next = work_.front();
    work_.pop_front();
    return {script_(next)};
  }
  void stop_starting() override {}
  void end() override {
    ++ends;
    work_.clear();
  }
  std::vector<std::string> take_notes() override { return std::exchange(notes, {}); }
  bool answers_at_once() const override { return at_once; }

  int started = 0, ends = 0;
  bool is_stuck = false, at_once = false;
  std::vector<std::string> notes;

 private:
  Script script_;
  std::deque<Suggestion> work_;
};

struct Desk {
  explicit Desk(const std::string& text = study()) : campaign(text, testing::pool_on_a_line(8, 7.0)) {}
  RunEnd run(ScriptedPool& annotators, const RunOptions& options = {}) {
    const RunEnd end = acuity::run(*campaign, annotators, options);
    EXPECT_EQ(annotators.busy(), 0) << "no annotator is at work after a run";
    EXPECT_GE(annotators.ends, 1);
    return end;
  }
  MemoryCampaign campaign;
};

TEST(RunLoop, FinishesWhenNothingAffordableIsLeft) {
  Desk desk(study("budget = 3\n"));
  ScriptedPool annotators([](const Suggestion& asked) { return answered(asked); });
  EXPECT_EQ(desk.run(annotators).kind, Kind::finished);
  EXPECT_EQ(annotators.started, 3);
  EXPECT_EQ(desk.run(annotators).kind, Kind::finished_already);
  EXPECT_EQ(annotators.started, 3);
}

TEST(RunLoop, KeepsAllWorkersBusy) {
  Desk desk(study("budget = 6\n"));
  int most = 0;
  ScriptedPool annotators([&](const Suggestion& asked) {
    most = std::max(most, annotators.busy() + 1);
    return answered(asked);
  });
  EXPECT_EQ(desk.run(annotators, {.workers = 3}).kind, Kind::finished);
  EXPECT_EQ(most, 3);
}

TEST(RunLoop, HasNothingToDoNowIfAllIsPendingElsewhere) {
  Desk desk(study("budget = 1\n"));
  ASSERT_EQ(desk.campaign->ask({.count = 1, .worker = "ann", .lease = {}}).suggestions.size(), 1U);
  ScriptedPool annotators([](const Suggestion& asked) { return answered(asked); });
  EXPECT_EQ(desk.run(annotators).kind, Kind::nothing_now);
  EXPECT_EQ(annotators.started, 0);
}

TEST(RunLoop, LooksOnceAtWorkElsewhere) {
  Desk desk;
  ScriptedPool annotators([](const Suggestion& asked) { return answered(asked); });
  annotators.is_stuck = true;
  const RunEnd end = desk.run(annotators, {.workers = 2, .grace = 0.0, .once = true});
  EXPECT_EQ(end.kind, Kind::nothing_now);
  EXPECT_EQ(end.reason, "2 suggestions under way elsewhere");
  EXPECT_EQ(desk.campaign->state().pending().size(), 2U);
}

TEST(RunLoop, WorksOnlyOnWhatIsPendingIfItMayNotAsk) {
  Desk desk;
  ScriptedPool annotators([](const Suggestion& asked) { return answered(asked); });
  const RunEnd end = desk.run(annotators, {.asks = false});
  EXPECT_EQ(end.kind, Kind::nothing_now);
  EXPECT_EQ(end.reason, "nothing is under way");
  EXPECT_EQ(annotators.started, 0);
}

// What is under way is answered and recorded before the run ends; with a yes the same run goes on.
TEST(RunLoop, EndsBeforeAnAnswerThatCostsMoreThanOneMay) {
  const std::string text =
      "[campaign]\nbudget = 56\ninitial = { coarse = 3, fine = 1 }\n[pool]\nfile = \"pool.csv\"\n"
      "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = { guess = 2 }\n"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = { guess = 50 }\n[annotator]\ncommand = \"true\"\n";
  for (const bool at_once : {false, true}) {
    Desk desk(text);
    ScriptedPool annotators([](const Suggestion& asked) { return answered(asked); });
    annotators.at_once = at_once;
    try {
      desk.run(annotators, {.workers = 2});
      FAIL() << "the fine run was started";
    } catch (const TooCostlyError& error) {
      EXPECT_NE(std::string(error.what()).find("expected to cost 50"), std::string::npos) << error.what();
    }
    EXPECT_EQ(annotators.started, 3);
    EXPECT_EQ(desk.campaign->state().annotations(), 3);
    EXPECT_TRUE(desk.campaign->state().pending().empty());
    EXPECT_TRUE(desk.campaign->state().owner().host.empty()) << "others may run it";
    EXPECT_EQ(desk.run(annotators, {.max_cost = 50.0}).kind, Kind::finished);
    EXPECT_GE(annotators.started, 4);
  }
}

TEST(RunLoop, IsInterruptedBetweenSteps) {
  Desk desk;
  int answers = 0;
  ScriptedPool annotators([&](const Suggestion& asked) {
    ++answers;
    return answered(asked);
  });
  const RunEnd end = desk.run(annotators, {.should_stop = [&] { return answers >= 2; }});
  EXPECT_EQ(end.kind, Kind::interrupted);
  EXPECT_EQ(desk.campaign->state().annotations(), 2);
}

TEST(RunLoop, IsInterruptedByAnExceptionOfTheCampaign) {
  Desk desk;
  ScriptedPool annotators([](const Suggestion&) -> Outcome { throw Interrupted(); });
  EXPECT_EQ(desk.run(annotators).kind, Kind::interrupted);
  EXPECT_EQ(desk.campaign->state().pending().size(), 1U);
}

TEST(RunLoop, PassesNotesOn) {
  Desk desk(study("budget = 2\n"));
  std::vector<std::string> notes;
  int idle = 0;
  ScriptedPool annotators([&](const Suggestion& asked) {
    annotators.notes = {"note " + std::to_string(asked.id)};
    return answered(asked);
  });
  desk.run(annotators,
           {.on_idle = [&] { ++idle; }, .on_note = [&](const std::string& note) { notes.push_back(note); }});
  EXPECT_EQ(notes, (std::vector<std::string>{"note 1", "note 2"}));
  EXPECT_EQ(idle, 2);
}

TEST(RunLoop, TheGuardCountsDifferentPoints) {
  Desk desk;
  ScriptedPool annotators(failed);
  const RunEnd end = desk.run(annotators, {.max_failures = 3});
  EXPECT_EQ(end.kind, Kind::failure_guard);
  EXPECT_EQ(end.reason.substr(0, end.reason.find('\n')),
            "3 different points failed in a row; the last: suggestion 3, diverged");
  EXPECT_EQ(desk.campaign->state().failed(), 3);
}

TEST(RunLoop, PointsThatFailAreTriedTwiceAndLeft) {
  Desk desk;
  ScriptedPool annotators(
      [](const Suggestion& asked) { return asked.row == 3 ? failed(asked) : answered(asked); });
  const RunEnd end = desk.run(annotators, {.max_failures = 3});
  EXPECT_EQ(end.kind, Kind::finished);
  EXPECT_EQ(annotators.started, 9);
  EXPECT_NE(end.reason.find("; 1 point that failed twice is left, the last is 3: "), std::string::npos)
      << end.reason;
}

TEST(RunLoop, NothingButFailuresIsNoFinishedCampaign) {
  Desk desk;
  ScriptedPool annotators(failed);
  EXPECT_EQ(desk.run(annotators, {.max_failures = 100}).kind, Kind::failure_guard);
  EXPECT_EQ(annotators.started, 16);
}

// An annotator whose answers cannot be recorded was asked without end, whatever max_failures said.
class RefusedAnswers : public ::testing::TestWithParam<std::pair<double, double>> {};

TEST_P(RefusedAnswers, CountAsFailures) {
  const auto [value, cost] = GetParam();
  for (const bool at_once : {false, true}) {
    Desk desk;
    ScriptedPool annotators(
        [value = value, cost = cost](const Suggestion& asked) { return answered(asked, value, cost); });
    annotators.at_once = at_once;
    const RunEnd end = desk.run(annotators, {.max_failures = 3});
    EXPECT_EQ(end.kind, Kind::failure_guard) << end.reason;
    EXPECT_EQ(annotators.started, 3);
    EXPECT_EQ(desk.campaign->state().failed(), 3);
    EXPECT_EQ(desk.campaign->state().spent(), 0.0);
    EXPECT_TRUE(end.reason.starts_with("3 different points failed in a row; the last: suggestion 3, "))
        << end.reason;
  }
}

INSTANTIATE_TEST_SUITE_P(RunLoop, RefusedAnswers,
                         ::testing::Values(std::pair{0.1, 1e308}, std::pair{0.1, -1.0},
                                           std::pair{std::numeric_limits<double>::quiet_NaN(), 1.0},
                                           std::pair{std::numeric_limits<double>::infinity(), 1.0},
                                           std::pair{1e200, 1.0}));

TEST(RunLoop, OneRefusedAnswerIsTriedOnceMore) {
  Desk desk;
  ScriptedPool annotators(
      [](const Suggestion& asked) { return asked.row == 3 ? answered(asked, 0.1, 1e308) : answered(asked); });
  EXPECT_EQ(desk.run(annotators, {.max_failures = 3}).kind, Kind::finished);
  EXPECT_EQ(desk.campaign->state().annotations(), 7);
  EXPECT_EQ(desk.campaign->state().failed(), 2);
}

TEST(RunLoop, ARefusedAnswerExcludesItsPointIfFailuresDo) {
  Desk desk;
  ScriptedPool annotators(
      [](const Suggestion& asked) { return asked.row == 3 ? answered(asked, 0.1, 1e308) : answered(asked); });
  EXPECT_EQ(desk.run(annotators, {.exclude_on_fail = true}).kind, Kind::finished);
  EXPECT_EQ(desk.campaign->state().excluded().size(), 1U);
}

// Another process was faster: its answer takes precedence, and the annotator has not failed.
TEST(RecordOutcome, AnAnswerThatComesTooLateCountsForNothing) {
  Desk desk;
  FailurePolicy failures(3);
  const Suggestion asked = desk.campaign->ask().suggestions.at(0);
  desk.campaign->tell({answered(asked, 0.25).answer});
  record_outcome(*desk.campaign, answered(asked, 0.5), false, failures);
  EXPECT_EQ(failures.failures_in_a_row(), 0);
  EXPECT_EQ(desk.campaign->state().failed(), 0);
  EXPECT_EQ(desk.campaign->state().annotations(), 1);
}

TEST(RecordOutcome, FailedAttemptsBeforeARefusedAnswerAreCharged) {
  Desk desk;
  FailurePolicy failures(3);
  Outcome outcome = answered(desk.campaign->ask().suggestions.at(0), 0.5, 1e308);
  outcome.cost = 0.25;
  record_outcome(*desk.campaign, outcome, false, failures);
  EXPECT_EQ(failures.failures_in_a_row(), 1);
  EXPECT_EQ(desk.campaign->state().spent(), 0.25);
}

TEST(RecordOutcome, WhatCanNeverBeAnsweredIsNoFailureOfTheAnnotator) {
  Desk desk;
  FailurePolicy failures(3);
  Outcome outcome = failed(desk.campaign->ask().suggestions.at(0));
  outcome.kind = Outcome::Kind::never;
  record_outcome(*desk.campaign, outcome, false, failures);
  EXPECT_EQ(failures.failures_in_a_row(), 0);
  EXPECT_EQ(desk.campaign->state().excluded().size(), 1U);
}

}  // namespace
}  // namespace acuity::run_loop_test
