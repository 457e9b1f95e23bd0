// Ended without warning at every place where a campaign is written, and taken up again.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <functional>

#include "acuity/campaign/campaign.hpp"
#include "support/campaigns.hpp"
#include "support/moments.hpp"
#include "support/thorough.hpp"

namespace acuity::testing::crash_test {
namespace {

namespace fs = std::filesystem;

// A command of a script, and what a sensible script does after it was cut off.
struct Step {
  std::string line;
  std::function<bool(const Desk&)> is_done;  // whether it need not be repeated; absent: repeating is harmless
};

std::string pending_ids(const Desk& desk) {
  const ProgramResult pending = desk.run({"ask", "C", "--pending", "--format", "csv"});
  EXPECT_EQ(pending.exit_code, 0) << pending.err;
  std::string ids;
  for (const auto& row : csv_rows(pending.out)) ids += row.at("id") + " ";
  return ids;
}

Step ask(const std::string& options, const std::string& ids) {
  return {.line = "acuity ask C " + options,
          .is_done = [ids](const Desk& desk) { return pending_ids(desk) == ids; }};
}

Step plain(const std::string& line) {
  return {.line = line, .is_done = {}};
}

std::vector<Step> script() {
  return {{.line = "acuity init C --study study.toml",
           .is_done = [](const Desk& desk) { return fs::exists(desk.campaign()); }},
          ask("", "3 "),
          plain("acuity tell C 3 0.25"),
          ask("-n 3", "4 5 6 "),
          plain("acuity fail C 4 --reason licence --cost 0.1"),
          plain("acuity fail C 5 --exclude --reason 'no such part'"),
          plain("acuity release C 6"),
          plain("acuity tell C --csv late.csv"),
          ask("", "7 "),
          plain("acuity tell C 7 -0.125 --cost 0.3"),
          plain("acuity amend C 3 --y 0.375 --reason typo"),
          plain("acuity amend C 7 --retract --reason 'wrong sample'"),
          ask("--budget +5", "8 "),
          plain("acuity tell C 8 0.5"),
          ask("", "9 ")};
}

// A study with the commands that are cut off.
struct Scenario {
  std::string study;
  std::vector<Step> script;
};

// Two known before; the late answers are to what had failed and what was released.
struct ScriptDesk : Desk {
  explicit ScriptDesk(const Scenario& scenario) : Desk(scenario.study) {
    folder.write("known.csv", "x,y,alpha\n-3,0.279,inf\n0,0.1,1\n");
    folder.write("late.csv", "id,y,cost\n4,0.7,0.2\n6,-0.3,\n");
  }
};

Scenario with_model(const std::string& model) {
  return {campaign_study("budget = 20\ninitial = { file = \"known.csv\" }", model), script()};
}

// A plan of the budget, now and then another one, and runs that are continued.
Scenario planned() {
  Scenario scenario{
      "[campaign]\nbudget = 40\nseed = 3\n[pool]\nfile = \"pool.csv\"\n"
      "[[level]]\nname = \"x1\"\nnoise_sd = 0.4\ncost = 1\n"
      "[[level]]\nname = \"x4\"\nnoise_sd = 0.2\ncost = 4\ntopup = true\n"
      "[[level]]\nname = \"x8\"\nnoise_sd = 0.12\ncost = 8\ntopup = true\n"
      "[model]\namplitude = 1\nlengthscale = 3\nfit = \"never\"\nmean = 0\n"
      "[acquisition]\nplan = \"budget\"\n",
      {script().front()}};
  for (int id = 1; id <= 8; ++id) {
    scenario.script.push_back(ask("", std::to_string(id) + " "));
    scenario.script.push_back(plain(fmt::format("acuity tell C {} {}", id, 0.125 * (id % 5))));
  }
  return scenario;
}

// Where it stands, every digit, and the log without its clock.
struct Books {
  std::string events;
  double spent = 0.0, escrow = 0.0, budget = 0.0;
  std::vector<std::pair<std::int64_t, std::vector<double>>> answers;
  bool operator==(const Books&) const = default;
};

Books books_of(const Desk& desk) {
  if (!fs::exists(desk.campaign())) return {};
  const Campaign campaign = Campaign::open(desk.campaign(), Access::read);
  const State& state = campaign.state();
  Books now{"", state.spent(), state.escrow(), state.budget(), {}};
  for (StoredEvent& stored : campaign.events()) {
    if (auto* created = std::get_if<Created>(&stored.event)) created->study_folder.clear();
    now.events += event_name(stored.event) + " " + to_json(stored.event) + "\n";
  }
  for (const std::int64_t id : state.answered()) now.answers.emplace_back(id, state.find(id)->values);
  return now;
}

// The same as people see it.
std::string shown(const Desk& desk) {
  nlohmann::json status = desk.status();
  status.erase("created");
  const ProgramResult annotations = desk.run({"export", "C", "--annotations", "-"});
  EXPECT_EQ(annotations.exit_code, 0) << annotations.err;
  return status.dump() + "\n" + testing::without_moments(annotations.out);
}

// The course of a campaign that nobody interrupts.
struct Course {
  std::vector<Books> books;
  std::string shown_at_last;
};

Course uninterrupted(const Scenario& scenario) {
  const ScriptDesk desk(scenario);
  Course course{{books_of(desk)}, ""};
  for (const Step& step : scenario.script) {
    const ProgramResult result = desk.shell(step.line);
    EXPECT_EQ(result.exit_code, 0) << step.line << ": " << result.err;
    course.books.push_back(books_of(desk));
  }
  course.shown_at_last = shown(desk);
  return course;
}

int remains(const Desk& desk) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(desk.folder.path()))
    count += entry.path().filename().string().find("making") != std::string::npos;
  return count;
}

void take_up(const Desk& desk, const Step& step) {
  if (step.is_done && fs::exists(desk.campaign()) && step.is_done(desk)) return;
  const ProgramResult again = desk.shell(step.line);
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

class CutOff {
 public:
  explicit CutOff(Scenario scenario)
      : scenario_(std::move(scenario)),
        calm_(uninterrupted(scenario_)),
        writes_(scenario_.script.size(), -1) {}

  const std::string& events() const { return calm_.books.back().events; }

  // The whole script with every command cut off at its k-th write; how many were.
  int at(int k) {
    const ScriptDesk desk(scenario_);
    const std::vector<Step>& steps = scenario_.script;
    int cut_off = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (nothing_left_from(i)) return cut_off;
      SCOPED_TRACE(steps[i].line + " at write " + std::to_string(k));
      const ProgramResult first = desk.shell(fmt::format("ACUITY_CRASH_AT={} {}", k, steps[i].line));
      if (first.exit_code == 128 + SIGKILL) {
        ++cut_off;
        check_half_way(books_of(desk), calm_.books[i], calm_.books[i + 1]);
        take_up(desk, steps[i]);
      } else {
        EXPECT_EQ(first.exit_code, 0) << first.err;
        if (writes_[i] < 0) writes_[i] = k - 1;
      }
      EXPECT_EQ(books_of(desk).events, calm_.books[i + 1].events);
      EXPECT_TRUE(books_of(desk) == calm_.books[i + 1]);
      EXPECT_EQ(remains(desk), 0);
      if (::testing::Test::HasFailure()) return cut_off;
    }
    EXPECT_EQ(shown(desk), calm_.shown_at_last);
    return cut_off;
  }

  // At the first write, then at every `step`-th, until every command has completed; how often one was cut
  // off.
  int everywhere(int step) {
    int all = 0;
    for (int k = 1; k < 100 && !nothing_left_from(0) && !::testing::Test::HasFailure(); k += step)
      all += at(k);
    EXPECT_TRUE(nothing_left_from(0));
    return all;
  }

 private:
  // All of it or nothing; a fit or a plan may have come before the rest.
  static void check_half_way(const Books& now, const Books& before, const Books& after) {
    EXPECT_TRUE((now.answers == before.answers && now.spent == before.spent) ||
                (now.answers == after.answers && now.spent == after.spent))
        << now.events;
    EXPECT_TRUE(now.events.starts_with(before.events)) << now.events;
    EXPECT_TRUE(after.events.starts_with(now.events)) << now.events;
  }
  // Whether all commands from the i-th on have been cut off everywhere before.
  bool nothing_left_from(std::size_t i) const {
    return std::all_of(writes_.begin() + static_cast<std::ptrdiff_t>(i), writes_.end(),
                       [](int writes) { return writes >= 0; });
  }

  Scenario scenario_;
  Course calm_;
  std::vector<int> writes_;  // of each command; -1: not known yet
};

// 21 writes of init, 4 of every event alone and 2 more of each event that comes with it.
TEST(Crash, AtAnyWriteLosesNothingAndTheCampaignGoesOnAsIfThereHadBeenNone) {
  EXPECT_GE(CutOff(with_model("fit = \"never\"\nmean = 0.2")).everywhere(thorough() ? 1 : 5),
            thorough() ? 87 : 18);
}

TEST(Crash, WhileHyperparametersAreLearnedLosesNothingEither) {
  EXPECT_GE(CutOff(with_model("fit = 2\nrestarts = 0")).everywhere(thorough() ? 1 : 7),
            thorough() ? 87 + 3 * 4 : 15)
      << "at least three fits";
}

// The plan is an event of its own before the question: what is chosen after the crash is what would have
// been.
TEST(Crash, AroundAPlanAndAContinuedRunLosesNothingEither) {
  CutOff cut_off(planned());
  const auto times = [&](const std::string& word) {
    int count = 0;
    for (std::size_t at = 0; (at = cut_off.events().find(word, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_GT(times("planned {"), 2) << cut_off.events();
  EXPECT_GT(times("\"replaces\":"), 1) << cut_off.events();
  EXPECT_GE(cut_off.everywhere(thorough() ? 1 : 6), thorough() ? 60 : 12);
}

}  // namespace
}  // namespace acuity::testing::crash_test
