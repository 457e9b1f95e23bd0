// The choice of an ask, where two of its features meet: people, levels, capacities, gold items, initial
// designs, budgets, stop rules, points that failed, points to avoid and runs to continue.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "campaign/choose_next.hpp"
#include "campaign/initial_design.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::choose_next_test {
namespace {

struct Setting {
  std::string campaign = "initial = 0\n";  // lines of [campaign]
  std::string pool = {};                   // lines of [pool]
  std::string people = {};                 // lines of [people]
  std::string rest = {};                   // further tables
  int points = 20;
  int gold_every = 0;  // 0: no gold items
};

std::string pool_text(int points) {
  std::string text = "item,x\n";
  for (int k = 0; k < points; ++k) text += fmt::format("i{},{}\n", k, 0.25 * k);
  return text;
}

std::string gold_text(int points, int every) {
  std::string text = "id,class\n";
  for (int k = 0; k < points; k += every) text += fmt::format("i{},{}\n", k, k % 3 == 0 ? "yes" : "no");
  return text;
}

// A campaign in memory on a line of points.
class Desk {
 public:
  Desk(const std::string& target_and_levels, const Setting& setting) {
    folder_.write("pool.csv", pool_text(setting.points));
    std::string people = setting.people;
    if (setting.gold_every > 0) {
      folder_.write("gold.csv", gold_text(setting.points, setting.gold_every));
      people = "gold = \"gold.csv\"\n" + people;
    }
    const std::string study =
        "[campaign]\nseed = 7\n" + setting.campaign + "[pool]\nfile = \"pool.csv\"\nid = \"item\"\n" +
        setting.pool + (people.empty() ? "" : "[people]\n" + people) + target_and_levels + setting.rest;
    campaign_.emplace(Study::open(folder_.write("study.toml", testing::with_given_model(study))),
                      make_memory_event_store(), CampaignOptions{.threads = 1});
  }
  Campaign& operator*() { return *campaign_; }
  Campaign* operator->() { return &*campaign_; }

  void tell(const Suggestion& suggestion, double value = 1.0) {
    Answer answer;
    answer.id = suggestion.id;
    answer.values = {value};
    campaign_->tell({answer});
  }
  bool is_gold(const Suggestion& one) const { return campaign_->study().gold_class(one.row).has_value(); }

 private:
  testing::Folder folder_;
  std::optional<Campaign> campaign_;
};

// Two classes: the crowd takes 1 unit, trained people 2, experts 4.
Desk classes(const Setting& setting) {
  return {
      "[target]\nkind = \"binary\"\nclasses = [\"no\", \"yes\"]\n"
      "[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost = 1\n"
      "[[level]]\nname = \"trained\"\naccuracy = 0.9\ncost = 2\nunits = 2\n"
      "[[level]]\nname = \"expert\"\naccuracy = 0.99\ncost = 5\nunits = 4\n",
      setting};
}

// Numbers, from 1, 2 or 4 vessels.
Desk vessels(const Setting& setting) {
  return {
      "[[level]]\nname = \"x1\"\nnoise_sd = 0.4\ncost = 52\n"
      "[[level]]\nname = \"x2\"\nnoise_sd = 0.283\ncost = 64\nunits = 2\n"
      "[[level]]\nname = \"x4\"\nnoise_sd = 0.2\ncost = 88\nunits = 4\n",
      setting};
}

// Numbers from two meshes that repeat themselves: both may be run at a point.
Desk meshes(const Setting& setting) {
  return {
      "[[level]]\nname = \"coarse\"\nnoise_sd = 0.4\nrepeat = \"same\"\ncost = 1\n"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.01\nrepeat = \"same\"\ncost = 10\n",
      setting};
}

// Numbers from a run of 1, 4 or 16 batches, which can be continued.
Desk batches(const Setting& setting) {
  return {
      "[[level]]\nname = \"b1\"\nnoise_sd = 0.4\ncost = 1\n"
      "[[level]]\nname = \"b4\"\nnoise_sd = 0.2\ncost = 4\ntopup = true\n"
      "[[level]]\nname = \"b16\"\nnoise_sd = 0.1\ncost = 16\ntopup = true\n",
      setting};
}

using Pair = std::pair<Index, std::string>;

std::vector<Pair> pairs_of(const std::vector<Suggestion>& suggestions) {
  std::vector<Pair> pairs;
  for (const Suggestion& one : suggestions) pairs.emplace_back(one.row, one.level.name);
  return pairs;
}

std::vector<Index> rows_of(const std::vector<Suggestion>& suggestions) {
  std::vector<Index> rows;
  for (const Suggestion& one : suggestions) rows.push_back(one.row);
  return rows;
}

std::vector<std::string> levels_of(const std::vector<Suggestion>& suggestions) {
  std::vector<std::string> levels;
  for (const Suggestion& one : suggestions) levels.push_back(one.level.name);
  return levels;
}

std::int64_t units_of(const std::vector<Suggestion>& suggestions) {
  std::int64_t sum = 0;
  for (const Suggestion& one : suggestions) sum += one.level.units;
  return sum;
}

double reserved_for(const std::vector<Suggestion>& suggestions) {
  double sum = 0.0;
  for (const Suggestion& one : suggestions) sum += one.reserved();
  return sum;
}

std::vector<Index> ordinary_rows(const Desk& desk, const std::vector<Suggestion>& suggestions) {
  std::vector<Index> rows;
  for (const Suggestion& one : suggestions)
    if (!desk.is_gold(one)) rows.push_back(one.row);
  return rows;
}

template <typename T>
bool all_differ(const std::vector<T>& values) {
  return std::set<T>(values.begin(), values.end()).size() == values.size();
}

template <typename T>
std::vector<T> first_of(std::vector<T> values, std::size_t count) {
  values.resize(std::min(count, values.size()));
  return values;
}

// The sentence with which an ask is refused.
std::string refusal(Desk& desk, const AskOptions& options) {
  const std::size_t before = desk->events().size();
  try {
    desk->ask(options);
  } catch (const InputError& error) {
    EXPECT_EQ(desk->events().size(), before);
    return error.what();
  }
  return "accepted";
}

void expect_end(const AskResult& result, AskStatus status, const std::string& reason) {
  EXPECT_EQ(result.status, status);
  EXPECT_EQ(result.reason, reason);
}

TEST(ChooseNextPerson, WithCapacityGetsNoPointTwice) {
  Desk desk = classes({.pool = "repeat = true\n", .points = 4});
  const AskResult anna = desk->ask({.count = 100, .worker = "anna", .capacity = 40});
  EXPECT_EQ(anna.suggestions.size(), 4U);
  EXPECT_TRUE(all_differ(rows_of(anna.suggestions)));
  expect_end(anna, AskStatus::nothing_now, "nothing that is open fits");
  expect_end(desk->ask({.worker = "anna", .capacity = 40}), AskStatus::nothing_now,
             "anna has had every point that is open");
  const AskResult run = desk->ask({.count = 100, .worker = "run", .capacity = 7});
  EXPECT_EQ(units_of(run.suggestions), 7);
  EXPECT_GT(run.suggestions.size(), 4U) << "a program may get a point several times";
  expect_end(run, AskStatus::open, "");
}

TEST(ChooseNextPerson, WithCapacityIsNotGivenRowsOfEarlierAsks) {
  Desk desk = classes({.pool = "repeat = true\n"});
  std::vector<Index> rows;
  for (int k = 0; k < 4; ++k) {
    const AskResult anna = desk->ask({.count = 100, .worker = "anna", .capacity = 3});
    EXPECT_EQ(units_of(anna.suggestions), 3);
    for (const Suggestion& one : anna.suggestions) rows.push_back(one.row), desk.tell(one);
  }
  EXPECT_TRUE(all_differ(rows));
}

TEST(ChooseNextPerson, WithSeveralLevelsAndACapacityIsAskedAtHerLevels) {
  Desk desk = classes({});
  desk->add_person({"anna", {"trained", "expert"}, true});
  const AskResult some = desk->ask({.count = 100, .worker = "anna", .capacity = 7});
  EXPECT_EQ(units_of(some.suggestions), 6) << "one unit is too little for her levels";
  for (const std::string& level : levels_of(some.suggestions)) EXPECT_NE(level, "crowd");
  expect_end(some, AskStatus::nothing_now, "nothing is open at the levels of anna");
  expect_end(desk->ask({.worker = "anna", .capacity = 1}), AskStatus::nothing_now,
             "anna has had every point that is open at the levels of anna");
}

TEST(ChooseNextPerson, IsAskedAtTheLevelOfTheAsk) {
  Desk desk = classes({.pool = "repeat = true\n", .points = 3});
  desk->add_person({"anna", {"trained", "expert"}, true});
  desk->add_person({"bert", {"expert"}, true});
  const AskResult anna = desk->ask({.count = 9, .worker = "anna", .level = "expert"});
  EXPECT_EQ(levels_of(anna.suggestions), std::vector<std::string>(3, "expert"));
  EXPECT_TRUE(all_differ(rows_of(anna.suggestions)));
  expect_end(anna, AskStatus::nothing_now, "nothing is open at level \"expert\"");
  expect_end(desk->ask({.worker = "anna", .level = "expert"}), AskStatus::nothing_now,
             "anna has had every point that is open at level \"expert\"");
  EXPECT_EQ(levels_of(desk->ask({.count = 2, .worker = "bert"}).suggestions),
            std::vector<std::string>(2, "expert"));
  EXPECT_EQ(refusal(desk, {.worker = "anna", .level = "crowd"}),
            "level is \"crowd\", must be \"trained\", \"expert\", one of anna");
  EXPECT_EQ(refusal(desk, {.worker = "bert", .level = "trained"}),
            "level is \"trained\", must be \"expert\", that of bert");
  desk->add_person({"bert", {"expert"}, false});
  EXPECT_EQ(refusal(desk, {.worker = "bert", .level = "trained"}),
            "bert does not take part any more, must be added again to be asked");
}

TEST(ChooseNextPerson, WhoseLevelsCannotBePaidForLeavesTheMoneyToOthers) {
  Desk desk = classes({.campaign = "initial = 0\nbudget = 3\n"});
  desk->add_person({"anna", {"trained", "expert"}, true});
  const AskResult anna = desk->ask({.count = 9, .worker = "anna"});
  EXPECT_EQ(levels_of(anna.suggestions), std::vector<std::string>{"trained"});
  expect_end(anna, AskStatus::nothing_now, "no level of anna can be paid for with 1, which remains");
  const AskResult bert = desk->ask({.count = 9, .worker = "bert"});
  EXPECT_EQ(levels_of(bert.suggestions), std::vector<std::string>{"crowd"});
  expect_end(bert, AskStatus::nothing_now, "no level is affordable, 0 remains");
}

TEST(ChooseNextPerson, WhoCouldNotTellIsNotAskedAgainAndOthersAre) {
  Desk desk = classes({.pool = "repeat = true\n", .points = 2});
  const Suggestion first = desk->ask({.worker = "anna"}).suggestions.at(0);
  desk->fail({.id = first.id, .reason = "unclear", .cannot_tell = true, .worker = "anna"});
  EXPECT_EQ(rows_of(desk->ask({.count = 5, .worker = "anna"}).suggestions),
            std::vector<Index>{1 - first.row});
  const std::vector<Suggestion> bert = desk->ask({.count = 5, .worker = "bert"}).suggestions;
  EXPECT_EQ(bert.size(), 2U);
  EXPECT_EQ(bert.at(0).row, first.row) << "it does not wait behind the others as a failure would";
}

TEST(ChooseNextInitialDesign, IsAskedAtTheLevelsOfAPersonThatItHas) {
  const Setting setting{.campaign = "initial = { crowd = 2, expert = 2 }\n", .pool = "repeat = true\n"};
  Desk desk = classes(setting), whole = classes(setting);
  desk->add_person({"anna", {"trained", "expert"}, true});
  const std::vector<Pair> design = pairs_of(whole->ask({.count = 4}).suggestions);
  ASSERT_EQ(design.at(0).second, "crowd") << "from the cheapest level on";
  ASSERT_EQ(design.at(2).second, "expert");
  const std::vector<Pair> anna = pairs_of(desk->ask({.count = 2, .worker = "anna"}).suggestions);
  EXPECT_EQ(anna, (std::vector<Pair>{design.at(2), design.at(3)}));
  EXPECT_EQ(pairs_of(desk->ask({.count = 2}).suggestions), first_of(design, 2)) << "the rest is for others";
}

TEST(ChooseNextInitialDesign, HasMorePointsAtTheLevelsOfAPersonIfOnlyOthersAreLeftOfIt) {
  Desk desk = classes({.campaign = "initial = { crowd = 3, expert = 1 }\n"});
  desk->add_person({"anna", {"trained", "expert"}, true});
  const std::vector<Suggestion> anna = desk->ask({.count = 4, .worker = "anna"}).suggestions;
  EXPECT_EQ(levels_of(anna), std::vector<std::string>(4, "expert"));
  EXPECT_TRUE(all_differ(rows_of(anna)));
  EXPECT_NE(levels_of(desk->ask({.worker = "anna"}).suggestions).at(0), "expert") << "by information";
}

TEST(ChooseNextInitialDesign, IsAskedAtTheOnlyLevelOfAPersonIfItHasAnother) {
  const Setting setting{.campaign = "initial = { count = 3, level = \"expert\" }\n"};
  Desk desk = classes(setting), whole = classes(setting);
  desk->add_person({"anna", {"trained"}, true});
  const std::vector<Suggestion> anna = desk->ask({.count = 5, .worker = "anna"}).suggestions;
  EXPECT_EQ(levels_of(anna), std::vector<std::string>(5, "trained"));
  EXPECT_EQ(first_of(rows_of(anna), 3), rows_of(whole->ask({.count = 3}).suggestions));
}

TEST(ChooseNextInitialDesign, TakesTheCheapestLevelOfAPersonIfItHasNone) {
  const Setting setting{.campaign = "initial = { count = 3, level = \"crowd\" }\n"};
  Desk desk = classes(setting), whole = classes(setting);
  desk->add_person({"anna", {"expert", "trained"}, true});
  const std::vector<Suggestion> anna = desk->ask({.count = 3, .worker = "anna"}).suggestions;
  EXPECT_EQ(levels_of(anna), std::vector<std::string>(3, "trained"));
  EXPECT_EQ(rows_of(anna), rows_of(whole->ask({.count = 3}).suggestions));
}

TEST(ChooseNextInitialDesign, AtOneLevelEndsWithItsPartAtThatLevel) {
  const Setting setting{.campaign = "initial = { x4 = 2, x1 = 3 }\n", .pool = "repeat = true\n"};
  Desk desk = vessels(setting), whole = vessels(setting);
  const std::vector<Pair> design = pairs_of(whole->ask({.count = 5}).suggestions);
  const AskResult some = desk->ask({.count = 3, .level = "x4"});
  EXPECT_EQ(levels_of(some.suggestions), std::vector<std::string>(3, "x4"));
  EXPECT_EQ(first_of(pairs_of(some.suggestions), 2), (std::vector<Pair>{design.at(3), design.at(4)}));
  EXPECT_EQ(pairs_of(desk->ask({.count = 2}).suggestions), first_of(design, 2));
}

TEST(ChooseNextInitialDesign, WithinACapacityIsNotReplacedByChoices) {
  const Setting setting{.campaign = "initial = { x4 = 2, x1 = 3 }\n", .pool = "repeat = true\n"};
  Desk desk = vessels(setting), whole = vessels(setting);
  const std::vector<Pair> design = pairs_of(whole->ask({.count = 5}).suggestions);
  const AskResult first = desk->ask({.count = 100, .capacity = 8});
  EXPECT_EQ(pairs_of(first.suggestions), first_of(design, 4)) << "3 + 4 units";
  expect_end(first, AskStatus::nothing_now,
             "the initial design comes first, and what is left of it does not fit into 1 unit");
  const AskResult second = desk->ask({.count = 100, .capacity = 8});
  EXPECT_EQ(pairs_of(second.suggestions).at(0), design.at(4));
  EXPECT_EQ(units_of(second.suggestions), 8);
  expect_end(second, AskStatus::open, "");
}

TEST(ChooseNextInitialDesign, ThatNeverFitsIntoTheCapacityGivesWayToChoices) {
  Desk desk = vessels({.campaign = "initial = { count = 3, level = \"x4\" }\n"});
  const AskResult result = desk->ask({.count = 100, .capacity = 3});
  EXPECT_EQ(units_of(result.suggestions), 3);
  expect_end(result, AskStatus::open, "");
}

TEST(ChooseNextInitialDesign, WithinACapacityAtOneLevelTakesThatPartOfIt) {
  const Setting setting{.campaign = "initial = { x4 = 2, x1 = 3 }\n", .pool = "repeat = true\n"};
  Desk desk = vessels(setting), whole = vessels(setting);
  const std::vector<Pair> design = pairs_of(whole->ask({.count = 5}).suggestions);
  const AskResult fine = desk->ask({.count = 100, .level = "x4", .capacity = 7});
  EXPECT_EQ(pairs_of(fine.suggestions), std::vector<Pair>{design.at(3)});
  expect_end(fine, AskStatus::nothing_now,
             "the initial design comes first, and what is left of it does not fit into 3 units");
  EXPECT_EQ(pairs_of(desk->ask({.count = 100, .level = "x1", .capacity = 2}).suggestions),
            first_of(design, 2));
}

TEST(ChooseNextInitialDesign, IsNotUsedUpByGoldItems) {
  const Setting setting{.campaign = "initial = { count = 6, level = \"crowd\" }\n",
                        .people = "gold_rate = 0.6\n",
                        .points = 40,
                        .gold_every = 4};
  Desk desk = classes(setting), whole = classes(setting);
  const std::vector<Suggestion> anna = desk->ask({.count = 16, .worker = "anna"}).suggestions;
  const std::vector<Index> ordinary = ordinary_rows(desk, anna);
  ASSERT_GE(ordinary.size(), 6U);
  ASSERT_LE(ordinary.size(), 12U) << "some are about gold items";
  EXPECT_EQ(first_of(ordinary, 6), rows_of(whole->ask({.count = 6, .worker = "run"}).suggestions));
  std::size_t drawn = 0;
  for (const Suggestion& one : anna) {
    if (drawn == 6) break;
    EXPECT_EQ(one.level.name, "crowd") << "gold items look like the design";
    drawn += desk.is_gold(one) ? 0 : 1;
  }
}

// The points of the level that is left are where they were, and the answers of the other count no more.
TEST(ChooseNextInitialDesign, AsksForNothingAtALevelThatIsRetired) {
  const auto study_of = [](const std::string& more) {
    return testing::with_given_model(
        "[campaign]\nseed = 7\ninitial = { coarse = 6, fine = 2, nested = true }\n[pool]\nfile = "
        "\"pool.csv\"\n"
        "[[level]]\nname = \"coarse\"\nnoise_sd = 0.4\nrepeat = \"same\"\ncost = 1\n" +
        more + "[[level]]\nname = \"fine\"\nnoise_sd = 0.01\nrepeat = \"same\"\ncost = 10\n");
  };
  const testing::Folder folder;
  folder.write("pool.csv", pool_text(20));
  const Study before = Study::open(folder.write("study.toml", study_of(""))),
              after = Study::open(folder.write("new.toml", study_of("retired = true\n")));
  const InitialDesign whole = initial_design(before), rest = initial_design(after);
  EXPECT_EQ(rest.count(), 2);
  EXPECT_EQ(rest.count_at_first(), 8);
  EXPECT_EQ(rest.cost(after), 20.0);
  std::vector<InitialDesign::Pair> fine = whole.pairs(before);
  std::erase_if(fine, [](const InitialDesign::Pair& pair) { return pair.second == 0; });
  EXPECT_EQ(rest.pairs(after), fine);

  Campaign::create(folder.path() / "c.acuity", folder.path() / "study.toml");
  Campaign campaign = Campaign::open(folder.path() / "c.acuity");
  for (int k = 0; k < 4; ++k) {
    const Suggestion asked = campaign.ask().suggestions.at(0);
    EXPECT_EQ(asked.level.name, "coarse");
    Answer answer;
    answer.id = asked.id;
    answer.values = {1.0};
    campaign.tell({answer});
  }
  campaign.change(folder.path() / "new.toml");
  EXPECT_EQ(missing_of_design(campaign.study(), campaign.state()), 2);
  for (int k = 0; k < 2; ++k) {
    const Suggestion asked = campaign.ask().suggestions.at(0);
    EXPECT_EQ(asked.level.name, "fine");
    EXPECT_EQ(InitialDesign::Pair(asked.row, 1), fine.at(static_cast<std::size_t>(k)));
  }
  EXPECT_EQ(missing_of_design(campaign.study(), campaign.state()), 0);
}

TEST(ChooseNextInitialDesign, LeavesFailedPointsForTheEnd) {
  const Setting setting{.campaign = "initial = { count = 3, level = \"x1\" }\n", .points = 5};
  Desk desk = vessels(setting);
  const std::vector<Index> design = rows_of(desk->ask({.count = 3}).suggestions);
  desk->fail({.id = 1, .reason = "broken"});
  const std::vector<Suggestion> next = desk->ask({.count = 1}).suggestions;
  EXPECT_EQ(levels_of(next), std::vector<std::string>{"x1"}) << "another point in its place";
  EXPECT_EQ(std::count(design.begin(), design.end(), next.at(0).row), 0);
  const std::vector<Suggestion> rest = desk->ask({.count = 9}).suggestions;
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest.at(1).row, design.at(0));
}

TEST(ChooseNextInitialDesign, TakesTheFailedPointIfNoOtherIsOpen) {
  Desk desk = vessels({.campaign = "initial = { count = 3, level = \"x2\" }\n", .points = 3});
  const std::vector<Index> design = rows_of(desk->ask({.count = 3}).suggestions);
  desk->fail({.id = 2, .reason = "broken"});
  const std::vector<Suggestion> again = desk->ask({.count = 3}).suggestions;
  EXPECT_EQ(pairs_of(again), (std::vector<Pair>{{design.at(1), "x2"}}));
}

// A run of the finest level that failed for good is made good at another point of the design, at its level.
TEST(ChooseNextInitialDesign, MakesAFailedRunGoodAtItsLevel) {
  for (const bool excludes : {false, true}) {
    Desk desk = meshes({.campaign = "initial = { coarse = 6, fine = 2, nested = true }\n"});
    std::vector<Suggestion> done;
    const auto next = [&](std::size_t count) {
      for (const Suggestion& one : desk->ask({.count = static_cast<std::int64_t>(count)}).suggestions)
        done.push_back(one);
    };
    next(7);
    ASSERT_EQ(done.back().level.name, "fine");
    std::set<Index> coarse;
    for (std::size_t k = 0; k < 6; ++k) {
      coarse.insert(done[k].row);
      desk.tell(done[k], 0.1);
    }
    desk->fail({.id = done.back().id, .reason = "diverged", .charge = 0.0, .exclude = excludes});
    const Index lost = done.back().row;
    done.clear();
    next(2);
    std::set<Index> fine;
    for (const Suggestion& one : done) {
      EXPECT_EQ(one.level.name, "fine") << excludes;
      EXPECT_NE(one.row, lost);
      EXPECT_TRUE(coarse.contains(one.row)) << "pairs show what the levels differ by";
      fine.insert(one.row);
    }
    EXPECT_EQ(fine.size(), 2U);
  }
}

// The failed point is one of the coarse level, and the fine run that was to be made there goes elsewhere.
TEST(ChooseNextInitialDesign, MakesRunsGoodThatWereToFollowAFailedOne) {
  const Setting setting{.campaign = "initial = { coarse = 6, fine = 2, nested = true }\n"};
  Desk whole = meshes(setting), desk = meshes(setting);
  const std::vector<Suggestion> plan = whole->ask({.count = 8}).suggestions;
  const Index nested = plan.back().row;
  int coarse = 0, fine = 0;
  for (int k = 0; k < 9; ++k) {
    const Suggestion one = desk->ask().suggestions.at(0);
    if (one.row == nested) {
      desk->fail({.id = one.id, .reason = "diverged"});
      continue;
    }
    ++(one.level.name == "fine" ? fine : coarse);
    desk.tell(one, 0.1);
  }
  EXPECT_EQ(coarse, 6);
  EXPECT_EQ(fine, 2);
}

TEST(ChooseNextInitialDesign, SkipsPointsToAvoid) {
  const Setting setting{.campaign = "initial = { count = 4, level = \"x1\" }\n"};
  Desk desk = vessels(setting), whole = vessels(setting);
  const std::vector<Index> design = rows_of(whole->ask({.count = 4}).suggestions);
  const std::vector<Suggestion> found =
      desk->ask({.count = 4, .avoid = {design.at(0), design.at(2)}}).suggestions;
  EXPECT_EQ(first_of(rows_of(found), 2), (std::vector<Index>{design.at(1), design.at(3)}));
  EXPECT_EQ(levels_of(found), std::vector<std::string>(4, "x1"));
  EXPECT_TRUE(all_differ(rows_of(found)));
  const std::vector<Index> rows = rows_of(found);
  for (const Index avoided : {design.at(0), design.at(2)})
    EXPECT_EQ(std::count(rows.begin(), rows.end(), avoided), 0);
}

TEST(ChooseNextInitialDesign, ThatTheBudgetDoesNotAllowEnds) {
  Desk desk = vessels({.campaign = "budget = 200\ninitial = { count = 5, level = \"x4\" }\n"});
  const AskResult result = desk->ask({.count = 5});
  EXPECT_EQ(levels_of(result.suggestions), (std::vector<std::string>{"x4", "x4"}));
  expect_end(result, AskStatus::nothing_now, "no level is affordable, 24 remains");
  for (const Suggestion& one : result.suggestions) desk.tell(one);
  expect_end(desk->ask(), AskStatus::finished, "no level is affordable, 24 remains");
}

TEST(ChooseNextInitialDesign, IsAskedForWhateverTheStopRulesSay) {
  Desk desk = vessels({.campaign = "initial = { count = 3, level = \"x1\" }\n",
                       .rest = "[stop]\ninformation_per_cost = 100\n"});
  const AskResult result = desk->ask({.count = 9});
  EXPECT_EQ(result.suggestions.size(), 3U);
  EXPECT_EQ(result.status, AskStatus::nothing_now);
  EXPECT_NE(result.reason.find("below stop.information_per_cost = 100"), std::string::npos) << result.reason;
}

TEST(ChooseNextInitialDesign, AtTheOnlyLevelOfALearnedScaleGoesOnByInformation) {
  const std::string learn = "[model]\namplitude = \"learn\"\nlengthscale = 1\nfit = 50\n";
  const Setting setting{.campaign = "initial = { count = 3, level = \"x2\" }\n", .rest = learn};
  Desk desk = vessels(setting), whole = vessels(setting);
  const std::vector<Suggestion> drawn = whole->ask({.count = 6}).suggestions;
  EXPECT_EQ(levels_of(drawn), std::vector<std::string>(6, "x2")) << "levels cannot be compared yet";
  const std::vector<Suggestion> at_x1 = desk->ask({.count = 6, .level = "x1"}).suggestions;
  EXPECT_EQ(levels_of(at_x1), std::vector<std::string>(6, "x1"));
  EXPECT_EQ(first_of(rows_of(at_x1), 3), first_of(rows_of(drawn), 3)) << "the points of the design";
  EXPECT_NE(rows_of(at_x1), rows_of(drawn)) << "then by information, where the others are drawn";
}

TEST(ChooseNextGold, CountsAgainstTheCapacity) {
  const Setting setting{.people = "gold_rate = 0.5\n", .points = 40, .gold_every = 4};
  Desk desk = classes(setting), whole = classes(setting);
  const AskResult anna = desk->ask({.count = 100, .worker = "anna", .level = "trained", .capacity = 20});
  EXPECT_EQ(units_of(anna.suggestions), 20);
  expect_end(anna, AskStatus::open, "");
  const std::vector<Index> ordinary = ordinary_rows(desk, anna.suggestions);
  EXPECT_GT(ordinary.size(), 0U);
  EXPECT_LT(ordinary.size(), anna.suggestions.size());
  EXPECT_TRUE(all_differ(rows_of(anna.suggestions)));
  const AskResult run = whole->ask({.count = 100, .worker = "run", .level = "trained", .capacity = 20});
  EXPECT_EQ(ordinary, first_of(rows_of(run.suggestions), ordinary.size()))
      << "a choice stays for the question after the gold item";
}

TEST(ChooseNextGold, IsPaidFromTheBudget) {
  Desk desk = classes({.campaign = "initial = 0\nbudget = 7\n",
                       .people = "gold_rate = 0.5\n",
                       .points = 40,
                       .gold_every = 4});
  const AskResult anna = desk->ask({.count = 100, .worker = "anna", .level = "crowd"});
  EXPECT_EQ(reserved_for(anna.suggestions), 7.0);
  EXPECT_LT(ordinary_rows(desk, anna.suggestions).size(), anna.suggestions.size());
  expect_end(anna, AskStatus::nothing_now, "no level is affordable, 0 remains");
}

TEST(ChooseNextGold, IsAskedAtTheLevelsOfThePerson) {
  const Setting setting{.people = "gold_rate = 0.5\n", .points = 40, .gold_every = 4};
  Desk desk = classes(setting);
  desk->add_person({"anna", {"trained", "expert"}, true});
  const std::vector<Suggestion> anna = desk->ask({.count = 16, .worker = "anna"}).suggestions;
  const std::vector<Index> ordinary = ordinary_rows(desk, anna);
  EXPECT_GT(ordinary.size(), 2U);
  EXPECT_LT(ordinary.size(), 14U);
  for (const Suggestion& one : anna) {
    EXPECT_NE(one.level.name, "crowd");
    EXPECT_EQ(one.cost, one.level.name == "trained" ? 2.0 : 5.0);
    EXPECT_GT(one.information, 0.0);
  }
}

TEST(ChooseNextGold, IsNotAskedWhereRowsAreToBeAvoided) {
  const Setting setting{.people = "gold_rate = 0.9\n", .points = 40, .gold_every = 4};
  Desk desk = classes(setting);
  std::vector<Index> avoid;
  for (Index row = 4; row < 40; row += 4) avoid.push_back(row);
  const std::vector<Suggestion> anna = desk->ask({.count = 12, .worker = "anna", .avoid = avoid}).suggestions;
  EXPECT_EQ(anna.size(), 12U);
  const std::vector<Index> rows = rows_of(anna);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), 0), 1) << "the one that is left";
  EXPECT_EQ(ordinary_rows(desk, anna).size(), 11U);
}

TEST(ChooseNextGold, FollowsFromTheLogInOneAskOrMany) {
  const Setting setting{.campaign = "initial = { count = 4, level = \"crowd\" }\n",
                        .people = "gold_rate = 0.4\n",
                        .points = 40,
                        .gold_every = 4};
  Desk at_once = classes(setting), one_by_one = classes(setting);
  const std::vector<Suggestion> together = at_once->ask({.count = 14, .worker = "anna"}).suggestions;
  std::vector<Suggestion> separate;
  for (int k = 0; k < 14; ++k) separate.push_back(one_by_one->ask({.worker = "anna"}).suggestions.at(0));
  EXPECT_EQ(pairs_of(together), pairs_of(separate));
}

TEST(ChooseNextGold, DoesNotHideTheStopRule) {
  Desk desk = classes({.people = "gold_rate = 0.9\n",
                       .rest = "[stop]\ninformation_per_cost = 100\n",
                       .points = 40,
                       .gold_every = 4});
  const AskResult result = desk->ask({.count = 5, .worker = "anna"});
  EXPECT_TRUE(result.suggestions.empty());
  EXPECT_EQ(result.status, AskStatus::finished);
}

TEST(ChooseNextLevel, ThatCannotBePaidForLeavesTheMoneyToOthers) {
  Desk desk = classes({.campaign = "initial = 0\nbudget = 8\n"});
  const AskResult expert = desk->ask({.count = 3, .level = "expert"});
  EXPECT_EQ(levels_of(expert.suggestions), std::vector<std::string>{"expert"});
  expect_end(expert, AskStatus::nothing_now, "level \"expert\" costs 5, and 3 remains");
  const AskResult rest = desk->ask({.count = 9, .level = "crowd"});
  EXPECT_EQ(rest.suggestions.size(), 3U);
  expect_end(rest, AskStatus::nothing_now, "no level is affordable, 0 remains");
  desk->release({1}, "not needed");
  EXPECT_EQ(levels_of(desk->ask({.count = 3, .level = "expert"}).suggestions),
            std::vector<std::string>{"expert"});
}

TEST(ChooseNextLevel, OfALadderIsGivenByItsAlpha) {
  Desk desk(
      "[noise]\nvariance = 0.01\n[precision]\nalpha = [1, 4, inf]\ngamma = 0.09\n"
      "cost = { form = \"power\", c = 9.0, q = 0.8 }\n",
      {});
  for (const Suggestion& one : desk->ask({.count = 3, .level = "4"}).suggestions)
    EXPECT_EQ(one.level.alpha, 4.0);
  EXPECT_EQ(desk->ask({.level = "inf"}).suggestions.at(0).level.alpha, HUGE_VAL);
  for (const char* wrong : {"3", "4x", "x"})
    EXPECT_EQ(refusal(desk, {.level = wrong}),
              fmt::format("level is \"{}\", must be one of the values of alpha on offer, such as 1", wrong));
  Desk continuous(
      "[noise]\nvariance = 0.01\n[precision]\nalpha = { from = 1, to = inf, continuous = true }\n"
      "gamma = 0.09\ncost = { form = \"power\", c = 9.0, q = 0.8 }\n",
      {});
  EXPECT_EQ(refusal(continuous, {.level = "4"}),
            "level is \"4\", must be left out: the study offers every precision, not a list");
  EXPECT_EQ(refusal(desk, {.level = "4"}), "accepted");
}

TEST(ChooseNextLevel, ThatIsOpenNowhereIsSaid) {
  Desk desk = classes({.points = 2});
  for (const Suggestion& one : desk->ask({.count = 2, .level = "crowd"}).suggestions) desk.tell(one);
  expect_end(desk->ask({.level = "expert"}), AskStatus::finished,
             "every pool point is annotated, pending or excluded");
  Desk excluded = classes({.points = 2});
  for (int k = 0; k < 2; ++k) {
    const Suggestion one = excluded->ask({.level = "expert"}).suggestions.at(0);
    excluded->fail({.id = one.id, .reason = "no expert", .exclude = true});
  }
  expect_end(excluded->ask({.level = "expert"}), AskStatus::nothing_now,
             "nothing is open at level \"expert\"");
}

TEST(ChooseNextCapacity, IsSaidIfNothingFits) {
  Desk desk = vessels({});
  expect_end(desk->ask({.level = "x4", .capacity = 3}), AskStatus::nothing_now,
             "level \"x4\" takes 4 units, and 3 of the capacity are left");
  expect_end(desk->ask({.level = "x2", .capacity = 1}), AskStatus::nothing_now,
             "level \"x2\" takes 2 units, and 1 of the capacity is left");
}

TEST(ChooseNextCapacity, AndBudgetBothHold) {
  Desk desk = classes({.campaign = "initial = 0\nbudget = 6\n"});
  const AskResult result = desk->ask({.count = 100, .capacity = 9});
  EXPECT_LE(reserved_for(result.suggestions), 6.0);
  EXPECT_LE(units_of(result.suggestions), 9);
  expect_end(result, AskStatus::nothing_now, "no level is affordable, 0 remains");
  Desk few = classes({.campaign = "initial = 0\nbudget = 6\n"});
  const AskResult two = few->ask({.count = 2, .capacity = 9});
  EXPECT_EQ(two.suggestions.size(), 2U);
  expect_end(two, AskStatus::open, "");
}

TEST(ChooseNextCapacity, LeavesFailedPointsForTheEnd) {
  Desk desk = vessels({.points = 4});
  const Suggestion first = desk->ask({.level = "x1", .capacity = 1}).suggestions.at(0);
  desk->fail({.id = first.id, .reason = "broken"});
  const AskResult result = desk->ask({.count = 100, .level = "x1", .capacity = 4});
  ASSERT_EQ(result.suggestions.size(), 4U);
  EXPECT_EQ(rows_of(result.suggestions).back(), first.row);
  expect_end(result, AskStatus::open, "");
}

TEST(ChooseNextCapacity, ContinuesNoRun) {
  Desk desk = batches({.campaign = "initial = 0\nbudget = 150\n", .points = 4});
  for (const Suggestion& one : desk->ask({.count = 4, .level = "b1"}).suggestions) desk.tell(one, 0.3);
  EXPECT_TRUE(desk->ask({.count = 100, .capacity = 4}).suggestions.empty());
  const AskResult continued = desk->ask({.count = 2});
  ASSERT_EQ(continued.suggestions.size(), 2U);
  for (const Suggestion& one : continued.suggestions) EXPECT_TRUE(one.resume_from);
}

TEST(ChooseNextLevel, LimitsRunsToContinue) {
  Desk desk = batches({.campaign = "initial = 0\nbudget = 150\n", .points = 4});
  for (const Suggestion& one : desk->ask({.count = 4, .level = "b1"}).suggestions) desk.tell(one, 0.3);
  const AskResult finest = desk->ask({.count = 9, .level = "b16"});
  EXPECT_EQ(levels_of(finest.suggestions), std::vector<std::string>(4, "b16"));
  for (const Suggestion& one : finest.suggestions) {
    EXPECT_TRUE(one.resume_from);
    EXPECT_EQ(one.cost, 15.0) << "the difference";
  }
}

TEST(ChooseNextFailedPoints, AreAskedIfAllOthersAreToBeAvoided) {
  Desk desk = vessels({.points = 4});
  const Suggestion first = desk->ask().suggestions.at(0);
  desk->fail({.id = first.id, .reason = "broken"});
  std::vector<Index> others;
  for (Index row = 0; row < 4; ++row)
    if (row != first.row) others.push_back(row);
  EXPECT_NE(desk->ask().suggestions.at(0).row, first.row);
  EXPECT_EQ(rows_of(desk->ask({.count = 9, .avoid = others}).suggestions), std::vector<Index>{first.row});
}

TEST(ChooseNextFailedPoints, ThatAreToBeAvoidedAreNotAskedAtAll) {
  Desk desk = vessels({.points = 4});
  const Suggestion first = desk->ask().suggestions.at(0);
  desk->fail({.id = first.id, .reason = "broken"});
  const AskResult result = desk->ask({.count = 9, .avoid = {first.row}});
  EXPECT_EQ(result.suggestions.size(), 3U);
  EXPECT_EQ(rows_of(desk->ask({.count = 9}).suggestions), std::vector<Index>{first.row});
  expect_end(result, AskStatus::nothing_now, "every pool point is annotated, pending or excluded");
}

TEST(ChooseNextFailedPoints, WaitForEveryPersonUntilSomebodyAnswers) {
  Desk desk = classes({.pool = "repeat = true\n", .points = 3});
  const Suggestion first = desk->ask({.worker = "anna"}).suggestions.at(0);
  desk->fail({.id = first.id, .reason = "the page did not load"});
  const std::vector<Suggestion> bert = desk->ask({.count = 9, .worker = "bert"}).suggestions;
  ASSERT_EQ(bert.size(), 3U);
  EXPECT_EQ(bert.back().row, first.row);
  desk.tell(bert.back());
  const std::vector<Suggestion> carl = desk->ask({.count = 9, .worker = "carl"}).suggestions;
  ASSERT_EQ(carl.size(), 3U);
  EXPECT_EQ(rows_of(desk->ask({.count = 9, .worker = "anna"}).suggestions).size(), 2U)
      << "she has had that point";
}

TEST(ChooseNextStopRule, AtOneLevelLeavesOtherLevelsToBeAsked) {
  Desk desk = classes({.rest = "[stop]\ninformation_per_cost = 0.06\n"});
  const AskResult expert = desk->ask({.level = "expert"});
  EXPECT_TRUE(expert.suggestions.empty());
  EXPECT_EQ(expert.status, AskStatus::nothing_now) << "the crowd can be asked";
  EXPECT_NE(expert.reason.find("below stop.information_per_cost = 0.06"), std::string::npos) << expert.reason;
  EXPECT_EQ(desk->ask({.level = "crowd"}).suggestions.size(), 1U);
  Desk none = classes({.rest = "[stop]\ninformation_per_cost = 0.9\n"});
  EXPECT_EQ(none->ask({.level = "expert"}).status, AskStatus::finished) << "nor can others";
}

TEST(ChooseNextStopRule, EndsABatchWithinACapacity) {
  Desk desk = vessels({.rest = "[stop]\npredictive_sd = 0.6\n"});
  const AskResult result = desk->ask({.count = 100, .capacity = 60});
  EXPECT_GT(result.suggestions.size(), 1U);
  EXPECT_LT(units_of(result.suggestions), 60);
  EXPECT_EQ(result.status, AskStatus::nothing_now);
  EXPECT_NE(result.reason.find("below stop.predictive_sd = 0.6"), std::string::npos) << result.reason;
  for (const Suggestion& one : result.suggestions) desk.tell(one, 0.1);
  EXPECT_EQ(desk->ask({.count = 100, .capacity = 60}).status, AskStatus::finished);
}

TEST(ChooseNextStopRule, ForAPersonLooksAtWhatOthersCouldBeAsked) {
  Desk desk = classes({.rest = "[stop]\ninformation_per_cost = 0.06\n"});
  desk->add_person({"anna", {"expert"}, true});
  EXPECT_EQ(desk->ask({.worker = "anna"}).status, AskStatus::nothing_now);
  const AskResult bert = desk->ask({.count = 50, .worker = "bert"});
  EXPECT_GT(bert.suggestions.size(), 1U);
  EXPECT_EQ(bert.status, AskStatus::nothing_now) << "his answers are pending";
}

TEST(ChooseNextStopRule, OfTimeComesBeforeEverythingElse) {
  Desk desk = classes({.rest = "[stop]\nwall_clock = \"0.01s\"\n"});
  desk->add_person({"anna", {"expert"}, false});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  expect_end(desk->ask({.count = 3, .worker = "anna", .level = "crowd", .capacity = 4}), AskStatus::finished,
             "stop.wall_clock is over");
}

// Suggestions of one ask count as pending for each other, as those of several asks do.
TEST(ChooseNext, OneAskForManyChoosesAsManyAsksForOne) {
  const Setting setting{.campaign = "initial = { crowd = 3, expert = 2 }\n"};
  for (const AskOptions& options :
       {AskOptions{}, AskOptions{.worker = "anna"}, AskOptions{.worker = "bert"},
        AskOptions{.worker = "anna", .level = "trained"}, AskOptions{.level = "crowd", .avoid = {3, 4, 5}}}) {
    Desk at_once = classes(setting), one_by_one = classes(setting);
    for (Desk* desk : {&at_once, &one_by_one}) (*desk)->add_person({"bert", {"trained", "expert"}, true});
    AskOptions many = options;
    many.count = 12;
    std::vector<Suggestion> separate;
    for (int k = 0; k < 12; ++k) separate.push_back(one_by_one->ask(options).suggestions.at(0));
    const std::vector<Suggestion> together = at_once->ask(many).suggestions;
    EXPECT_EQ(pairs_of(together), pairs_of(separate)) << options.worker << " " << options.level;
    for (std::size_t k = 0; k < 12; ++k)
      EXPECT_EQ(together.at(k).information, separate.at(k).information) << k;
  }
}

}  // namespace
}  // namespace acuity::choose_next_test
