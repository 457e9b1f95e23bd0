// Runs that fail are learned: what counts, what is chosen, what it costs (math.md 21).
#include "campaign/run_failures.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "acuity/acquisition/regression_information.hpp"
#include "acuity/campaign/campaign.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/campaign_internals.hpp"
#include "campaign/choose_next.hpp"

namespace acuity::run_failures_test {
namespace {

struct Setting {
  std::string failures = "learn";
  std::string campaign = "budget = 60\ninitial = { count = 8, level = \"solver\" }\n";
  std::string levels = "[[level]]\nname = \"solver\"\nnoise_sd = 0.02\ncost = 1\n";
  std::string rest = "[acquisition]\nplan = \"none\"\n";
  int side = 16;  // points of the pool along an input
};

Points square(int side) {
  Points points(side * side, 2);
  for (int i = 0; i < side * side; ++i)
    points.row(i) << static_cast<double>(i % side) / (side - 1), static_cast<double>(i / side) / (side - 1);
  return points;
}

Study study_of(const Setting& setting) {
  return Study::make(read_study_text("[campaign]\nseed = 5\n" + setting.campaign +
                                     "[model]\nstructure = \"plain\"\naverage = 1\n" + setting.levels +
                                     "[annotator]\nfailures = \"" + setting.failures + "\"\n" + setting.rest),
                     Pool(square(setting.side), {"x", "z"}));
}

Campaign started(const Setting& setting = {}, std::unique_ptr<EventStore> store = make_memory_event_store()) {
  return {study_of(setting), std::move(store), {.threads = 1}};
}

// The solver diverges where both inputs are large: on about 30 % of the square.
bool diverges(const std::vector<double>& x) {
  return x[0] + x[1] > 1.22;
}
double value_at(const std::vector<double>& x) {
  return std::sin(4.0 * x[0]) + x[1] * x[1];
}

void answer(Campaign& campaign, const Suggestion& asked) {
  Answer found;
  found.id = asked.id;
  found.values = {value_at(asked.inputs)};
  campaign.tell({found});
}

// Asks once and runs the solver; a failure costs as much as `charge`. False if nothing is left.
bool run_once(Campaign& campaign, double charge = 1.0) {
  const AskResult asked = campaign.ask();
  if (asked.suggestions.empty()) return false;
  const Suggestion& next = asked.suggestions.front();
  if (diverges(next.inputs))
    campaign.fail({.id = next.id, .reason = "diverged", .charge = charge});
  else
    answer(campaign, next);
  return true;
}

void run(Campaign& campaign, int times, double charge = 1.0) {
  for (int k = 0; k < times && run_once(campaign, charge); ++k) {
  }
}

// As choices use it.
const StudyModel& model_in(Campaign& campaign) {
  CampaignBelief& belief = CampaignInternals::belief(campaign);
  belief.follow(campaign.state());
  return belief.model();
}

bool is_active(const Campaign& campaign) {
  return RunFailures(campaign.study(), campaign.state()).is_active();
}

using Pair = std::pair<Index, std::string>;
std::vector<Pair> asked_in(const Campaign& campaign) {
  std::vector<Pair> pairs;
  for (const SuggestionRecord& one : campaign.state().suggestions())
    pairs.emplace_back(one.asked.row, one.asked.level);
  return pairs;
}

TEST(RunFailures, AreLearnedFromTheFifthPointOnAndChangeNothingBefore) {
  Campaign learning = started(), waiting = started({.failures = "wait"});
  while (!is_active(learning)) {
    ASSERT_TRUE(run_once(learning));
    ASSERT_TRUE(run_once(waiting));
  }
  EXPECT_EQ(RunFailures(learning.study(), learning.state()).failed(), 5);
  EXPECT_EQ(asked_in(learning), asked_in(waiting));
  EXPECT_FALSE(is_active(waiting));
  EXPECT_TRUE(learning.ask().status == AskStatus::open);
}

TEST(RunFailures, ACornerThatFailsIsLeftAlone) {
  Campaign learning = started(), waiting = started({.failures = "wait"});
  run(learning, 60);
  run(waiting, 60);
  EXPECT_EQ(learning.state().failed() + static_cast<std::int64_t>(learning.state().answered().size()), 60);
  // The function is so smooth that hardly anything is left to learn elsewhere.
  EXPECT_LE(learning.state().failed(), 18);
  EXPECT_GE(waiting.state().failed(), 40);
}

// q W / (q C + (1 - q) C^F) at every point and level, by the definition.
TEST(RunFailures, ChoicesAreThoseOfASlowTwin) {
  for (const auto& [plan, weight] : {std::pair("\"none\"", 1.0), std::pair("0.4", 0.4)}) {
    Campaign campaign =
        started({.campaign = "budget = 500\ninitial = { coarse = 8, fine = 4 }\n",
                 .levels = "[[level]]\nname = \"coarse\"\nnoise_sd = 0.2\ncost = 1\n"
                           "[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 4\n",
                 .rest = fmt::format("[acquisition]\nplan = {}\ninformation = \"model\"\n", plan),
                 .side = 9});
    int compared = 0, changed = 0;
    for (int step = 0; step < 50; ++step) {
      SCOPED_TRACE(step);
      const AskResult asked = campaign.ask();
      ASSERT_FALSE(asked.suggestions.empty());
      const Suggestion& next = asked.suggestions.front();
      campaign.release({next.id}, "to look at the same state");
      if (is_active(campaign) && !in_initial_phase(campaign.study(), campaign.state())) {
        const StudyModel model = campaign.model();
        const Candidates candidates = campaign.candidates();
        const Vector variance = campaign.belief().marginals().variance;
        const Offer& offer = model.offer;
        const std::shared_ptr<RunBelief> runs =
            RunChances(campaign.study(), 1).belief_at(campaign.state(), model);
        const RunFailures failures(campaign.study(), campaign.state());
        Matrix merits(variance.size(), 2), costs(variance.size(), 2);
        double ratio = 0.0, blind = 0.0;
        Index blind_row = 0;
        for (Index row = 0; row < variance.size(); ++row)
          for (Index k = 0; k < 2; ++k) {
            merits(row, k) = -1e300;
            if (!candidates.is_open(row, k)) continue;
            const double worth =
                model_information(variance(row), offer.base_noise(row),
                                  noise_variance(offer.levels[static_cast<std::size_t>(k)].channel));
            const double price = offer.levels[static_cast<std::size_t>(k)].cost;
            const auto probability = [&](Index level) {
              return runs->probability(failures.place(model, row, level).transpose())(0);
            };
            const double highest = std::max(probability(0), probability(1));
            const double q = probability(k) * std::max(1.0, 0.1 / highest);
            costs(row, k) = q * price + (1.0 - q) * failures.cost_of_failure(k).value_or(price);
            merits(row, k) = q * worth;
            ratio = std::max(ratio, q * worth / costs(row, k));
            if (worth / price > blind) blind = worth / price, blind_row = row;
          }
        double best = -1e300, chosen = -1e300;
        for (Index row = 0; row < variance.size(); ++row)
          for (Index k = 0; k < 2; ++k) {
            if (merits(row, k) == -1e300) continue;
            const double value = weight == 1.0 ? merits(row, k) / costs(row, k)
                                               : merits(row, k) - weight * ratio * costs(row, k);
            best = std::max(best, value);
            if (row == next.row && k == (next.level.name == "fine" ? 1 : 0)) chosen = value;
          }
        EXPECT_NEAR(chosen, best, 1e-7 * std::abs(best));
        ++compared;
        changed += blind_row != next.row;
      }
      const Suggestion again = campaign.ask().suggestions.at(0);
      ASSERT_EQ(again.row, next.row);
      if (diverges(again.inputs))
        campaign.fail({.id = again.id, .reason = "diverged", .charge = 0.5 * again.cost});
      else
        answer(campaign, again);
    }
    EXPECT_GT(compared, 20);
    EXPECT_GT(changed, 5) << "q decides";
  }
}

TEST(RunFailures, CountOnlyIfTheyTellSomethingAboutThePoint) {
  Campaign campaign = started({.campaign = "budget = 300\ninitial = { count = 20, level = \"solver\" }\n"});
  const std::vector<Suggestion> asked = campaign.ask({.count = 20}).suggestions;
  ASSERT_EQ(asked.size(), 20U);
  const auto counts = [&] {
    const RunFailures found(campaign.study(), campaign.state());
    return std::pair(found.failed(), found.succeeded());
  };
  using Counts = std::pair<Index, Index>;
  campaign.fail({.id = 1, .reason = "diverged"});
  EXPECT_EQ(counts(), Counts(1, 0));
  campaign.fail({.id = 2, .reason = "the node died", .inconclusive = true});
  campaign.fail({.id = 3, .reason = "no idea", .cannot_tell = true});
  campaign.release({4}, "not needed");
  EXPECT_EQ(counts(), Counts(1, 0));
  campaign.fail({.id = 5, .reason = "no mesh", .exclude = true});
  EXPECT_EQ(counts(), Counts(2, 0)) << "never is a statement about the point";
  answer(campaign, asked[5]);
  EXPECT_EQ(counts(), Counts(2, 1));
  answer(campaign, asked[0]);
  EXPECT_EQ(counts(), Counts(1, 2)) << "a late answer";
  campaign.retract(6, "wrong sample");
  EXPECT_EQ(counts(), Counts(1, 1)) << "what was retracted is neither";
  campaign.release({5}, "another mesher");
  EXPECT_EQ(counts(), Counts(0, 1)) << "it may be tried again";
}

TEST(RunFailures, AnAmendedPlaceMovesTheLabel) {
  Campaign campaign = started();
  while (!is_active(campaign)) run(campaign, 1);
  const std::int64_t id = campaign.state().answered().front();
  const StudyModel model = campaign.model();
  const auto places = [&] { return RunFailures(campaign.study(), campaign.state()).labels(model).places; };
  const Points before = places();
  campaign.amend({.id = id, .row = 200, .reason = "another point"});
  EXPECT_NE(before, places());
  EXPECT_EQ(RunFailures(campaign.study(), campaign.state()).place(model, 200, 0),
            Vector(places().row(id - 1).transpose()));
}

TEST(RunFailures, CloseAPairAfterOneFailureIfItRepeatsItself) {
  for (const bool same : {false, true}) {
    Campaign campaign =
        started({.campaign = "budget = 300\ninitial = { count = 6, level = \"solver\" }\n",
                 .levels = std::string("[[level]]\nname = \"solver\"\nnoise_sd = 0.02\ncost = 1\n") +
                           (same ? "repeat = \"same\"\nbias = \"none\"\n" : "")});
    const std::vector<Suggestion> asked = campaign.ask({.count = 6}).suggestions;
    for (const Suggestion& one : asked) campaign.fail({.id = one.id, .reason = "diverged"});
    ASSERT_TRUE(is_active(campaign));
    const Candidates open = campaign.candidates();
    for (const Suggestion& one : asked) EXPECT_EQ(open.is_open(one.row, 0), !same);
  }
}

TEST(RunFailures, CostTheMeanOfWhatWasReported) {
  Campaign campaign = started({.campaign = "budget = 300\ninitial = { count = 9, level = \"solver\" }\n"});
  const std::vector<Suggestion> asked = campaign.ask({.count = 9}).suggestions;
  const auto cost = [&] { return RunFailures(campaign.study(), campaign.state()).cost_of_failure(0); };
  for (int k = 0; k < 5; ++k)
    campaign.fail({.id = asked[static_cast<std::size_t>(k)].id, .reason = "diverged"});
  EXPECT_EQ(cost(), std::nullopt) << "nothing was reported, an answer's price counts";
  campaign.fail({.id = asked[5].id, .reason = "diverged", .charge = 0.1});
  campaign.fail({.id = asked[6].id, .reason = "diverged", .charge = 0.3});
  EXPECT_NEAR(*cost(), 0.2, 1e-15);
  const StudyModel& model = model_in(campaign);
  for (const Index row : {0, 100, 255}) {
    const double q = model.offer.chance(row, 0);
    EXPECT_NEAR(model.offer.cost_of_run(row, 0), q + (1.0 - q) * 0.2, 1e-15);
    EXPECT_EQ(model.offer.cost(row, 0), 1.0) << "what an answer costs stays";
  }
}

// math.md eq. (21.4): from twenty runs on, and above a tenth of the money.
TEST(RunFailures, CostMoreWhileTheyTakeMoreThanATenthOfTheMoney) {
  const auto cost = [](int failures, int answers, double charge) {
    Campaign campaign = started({.campaign = "budget = 300\ninitial = { count = 40, level = \"solver\" }\n"});
    const std::vector<Suggestion> asked = campaign.ask({.count = failures + answers}).suggestions;
    for (const Suggestion& one : asked)
      if (one.id <= failures)
        campaign.fail({.id = one.id, .reason = "diverged", .charge = charge});
      else
        answer(campaign, one);
    return *RunFailures(campaign.study(), campaign.state()).cost_of_failure(0);
  };
  EXPECT_NEAR(cost(8, 24, 1.0), 6.25, 1e-12) << "a quarter of 32";
  EXPECT_NEAR(cost(8, 11, 1.0), 1.0, 1e-12) << "only 19 runs";
  EXPECT_NEAR(cost(8, 24, 0.25), 0.25, 1e-12) << "2 of 26";
}

// A run that dies at once costs little, and is worth a try.
TEST(RunFailures, CheapFailuresAreTriedMoreOften) {
  const auto failures = [](double charge) {
    Campaign campaign = started({.campaign = "budget = 300\ninitial = { count = 8, level = \"solver\" }\n"});
    run(campaign, 60, charge);
    return campaign.state().failed();
  };
  EXPECT_GT(failures(0.01), failures(1.0));
}

// The floor is for a place, not for every level there: what is certain to fail is not tried in place of a
// level that may succeed.
TEST(RunFailures, OnlyTheLikeliestLevelIsRaisedToATenth) {
  Campaign campaign = started({.levels = "[[level]]\nname = \"coarse\"\nnoise_sd = 0.2\ncost = 1\n"
                                         "[[level]]\nname = \"solver\"\nnoise_sd = 0.02\ncost = 8\n"});
  Offer offer = campaign.study().offer();
  const Vector coarse = Eigen::Vector3d(0.003, 0.02, 0.6), fine = Eigen::Vector3d(0.2, 0.01, 0.05);
  offer.success = {{PointValues(coarse)}, {PointValues(fine)}};
  EXPECT_EQ(offer.chance(0, 0), 0.003);
  EXPECT_EQ(offer.chance(0, 1), 0.2);
  EXPECT_NEAR(offer.chance(1, 0), 0.1, 1e-15);
  EXPECT_NEAR(offer.chance(1, 1), 0.05, 1e-15);
  EXPECT_EQ(offer.chance(2, 0), 0.6);
  EXPECT_EQ(offer.chance(2, 1), 0.05);
}

std::unique_ptr<EventStore> store_with(const std::vector<StoredEvent>& events, std::size_t count) {
  auto store = make_memory_event_store();
  std::vector<Event> prefix;
  for (std::size_t k = 0; k < count; ++k) prefix.push_back(events[k].event);
  store->add(0, [&](const auto&) { return prefix; });
  return store;
}

// Late answers, retractions and failures on the way; several runs at once.
TEST(RunFailures, WhoeverReadsTheLogDecidesTheSameOnAnyNumberOfThreads) {
  const Setting setting{.campaign = "budget = 300\ninitial = { count = 8, level = \"solver\" }\n",
                        .side = 12};
  Campaign campaign = started(setting);
  std::vector<Suggestion> late;
  for (int round = 0; round < 22; ++round) {
    const AskResult asked = campaign.ask({.count = 1 + round % 3});
    for (const Suggestion& one : asked.suggestions) {
      if (one.id % 7 == 3)
        late.push_back(one);
      else if (diverges(one.inputs))
        campaign.fail({.id = one.id, .reason = "diverged", .charge = 0.4, .inconclusive = one.id % 11 == 5});
      else
        answer(campaign, one);
    }
    if (round % 5 == 4 && !late.empty()) answer(campaign, late.front()), late.erase(late.begin());
    if (round == 15) campaign.retract(campaign.state().answered().at(3), "wrong sample");
  }
  ASSERT_TRUE(is_active(campaign));
  const std::vector<StoredEvent> events = campaign.events();
  int compared = 0;
  for (std::size_t k = 0; k < events.size(); ++k) {
    const auto* asked = std::get_if<Asked>(&events[k].event);
    // The first of an ask: what follows in the same ask is chosen given it.
    if (asked == nullptr || std::holds_alternative<Asked>(events[k - 1].event)) continue;
    for (const int threads : {1, 2}) {
      Campaign later(study_of(setting), store_with(events, k), {.threads = threads});
      const AskResult next = later.ask();
      ASSERT_FALSE(next.suggestions.empty());
      EXPECT_EQ(next.suggestions.front().row, asked->row) << "event " << k;
      compared += is_active(later);
    }
  }
  EXPECT_GT(compared, 10);
}

TEST(RunFailures, AnAskOfSeveralIsAsManyAsksOfOne) {
  Campaign one_by_one = started(), at_once = started();
  for (Campaign* campaign : {&one_by_one, &at_once}) run(*campaign, 30);
  ASSERT_TRUE(is_active(at_once));
  for (int k = 0; k < 4; ++k) one_by_one.ask();
  at_once.ask({.count = 4});
  EXPECT_EQ(asked_in(one_by_one), asked_in(at_once));
}

TEST(RunFailures, PointsWhereRunsFailCountLessInTheGoal) {
  Campaign campaign = started({.campaign = "budget = 300\ninitial = { count = 8, level = \"solver\" }\n"});
  while (!is_active(campaign) || !model_in(campaign).learned) ASSERT_TRUE(run_once(campaign));
  StudyModel model = model_in(campaign);
  ASSERT_EQ(model.goal_success.size(), campaign.study().goal()->size());
  const StudyLearner learner(campaign.study());
  const auto sum_of = [](const std::vector<double>& weights) {
    return std::accumulate(weights.begin(), weights.end(), 0.0);
  };
  const std::vector<double> declared(campaign.study().goal()->weights.begin(),
                                     campaign.study().goal()->weights.end());
  model.goal_success.setConstant(0.8);
  model.goal_success(2) = 0.4;
  model.goal_success(3) = 0.04;
  const std::vector<double> weights = learner.goal_weights(model);
  EXPECT_NEAR(weights[2] / weights[1], 0.5 * declared[2] / declared[1], 1e-12);
  EXPECT_EQ(weights[3], 0.0);
  EXPECT_NEAR(sum_of(weights), 1.0, 1e-12);
  EXPECT_EQ(learner.belief(model)->marginals().goal->weights()(3), 0.0);
  model.goal_success.setConstant(0.01);
  EXPECT_EQ(learner.goal_weights(model), declared) << "a goal of nothing is no goal";
  model.goal_success.resize(0);
  EXPECT_EQ(learner.goal_weights(model), declared);
}

}  // namespace
}  // namespace acuity::run_failures_test
