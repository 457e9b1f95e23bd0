// One policy on known answers, through a campaign in memory.
#include "explain/policy_trial.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "acuity/study/study_learner.hpp"
#include "annotation/rehearsal.hpp"
#include "conduct/run.hpp"
#include "conduct/simulated_pool.hpp"
#include "support/campaigns.hpp"
#include "support/studies.hpp"

namespace acuity::policy_trial_test {
namespace {

using testing::campaign_study;
using testing::class_campaign_study;
using testing::Folder;
using testing::line_pool;
using testing::with;

constexpr int points = 25;
constexpr Policy all_policies[] = {Policy::model, Policy::bald, Policy::random, Policy::cheapest,
                                   Policy::finest};

const std::string price_list =
    "[campaign]\nbudget = 30\n[pool]\nfile = \"pool.csv\"\n"
    "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n"
    "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 4\n";

struct Desk {
  Folder folder;

  explicit Desk(bool binary = false) {
    folder.write("pool.csv", line_pool(points));
    std::string truth = "id,y\n";
    for (int k = 0; k < points; ++k) {
      const double f = std::sin(2.0 * (-3.0 + 6.0 * k / (points - 1)));
      truth += fmt::format("{},{}\n", k, binary ? (f < 0.0 ? -1.0 : 1.0) : f);
    }
    folder.write("truth.csv", truth);
  }
  Study study(const std::string& text) const {
    return Study::open(folder.write("study.toml", testing::with_given_model(text)));
  }
  std::shared_ptr<const TruthTable> truth(const Study& study) const {
    return std::make_shared<const TruthTable>(folder.path() / "truth.csv", study);
  }
};

PolicyTrial tried(const Study& study, Policy policy, int repeat,
                  const std::shared_ptr<const TruthTable>& truth) {
  return *try_policy(study, policy, repeat, truth, std::atomic<bool>(false));
}

// What each annotation has cost.
std::vector<double> costs_of(const PolicyTrial& trial) {
  std::vector<double> costs;
  for (std::size_t k = 1; k < trial.steps.size(); ++k)
    costs.push_back(trial.steps[k].spent - trial.steps[k - 1].spent);
  return costs;
}

bool same_steps(const PolicyTrial& a, const PolicyTrial& b) {
  return std::equal(
      a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
      [](const TrialStep& x, const TrialStep& y) { return x.spent == y.spent && x.error == y.error; });
}

void expect_the_campaign_of_run(const std::string& text, bool binary) {
  const Desk desk(binary);
  const Study study = desk.study(text + "[annotator]\nsimulated = \"truth\"\n");
  const PolicyTrial trial = tried(study, Policy::model, 0, desk.truth(study));

  Campaign campaign(desk.study(text + "[annotator]\nsimulated = \"truth\"\n"), make_memory_event_store());
  SimulatedPool annotators(campaign.study(), make_rehearsal(campaign.study()));
  EXPECT_EQ(run(campaign, annotators, {}).kind, RunEnd::Kind::finished);
  EXPECT_EQ(static_cast<std::int64_t>(trial.annotations()), campaign.state().annotations());
  EXPECT_EQ(trial.steps.back().spent, campaign.state().spent());
  const double error = study.file().target->error_of(campaign.belief().marginals().mean,
                                                     desk.truth(study)->truth(study.offer()));
  EXPECT_NEAR(trial.steps.back().error, error, 1e-12);
}

TEST(PolicyTrial, TheFirstRepeatIsTheCampaignThatRunMakes) {
  expect_the_campaign_of_run(campaign_study("budget = 6\nseed = 5\ninitial = 2"), false);
}

TEST(PolicyTrial, TheFirstRepeatIsTheCampaignThatRunMakesOfClasses) {
  expect_the_campaign_of_run(class_campaign_study("budget = 6\nseed = 5\ninitial = 2"), true);
}

// An answer of 1e200 is too large to be recorded.
std::string truth_with(const std::function<bool(int)>& is_impossible) {
  std::string truth = "id,y\n";
  for (int k = 0; k < points; ++k) truth += fmt::format("{},{}\n", k, is_impossible(k) ? "1e200" : "0.5");
  return truth;
}

TEST(PolicyTrial, EndsIfNoAnswerCanBeRecordedAsRunDoes) {
  const Desk desk;
  desk.folder.write("truth.csv", truth_with([](int) { return true; }));
  const std::string text = price_list + "[annotator]\nsimulated = \"truth\"\nmax_failures = 3\n";
  const Study study = desk.study(text);
  try {
    tried(study, Policy::model, 0, desk.truth(study));
    FAIL() << "it found an end";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("3 different points failed in a row"), std::string::npos)
        << error.what();
  }
  Campaign campaign(desk.study(text), make_memory_event_store());
  SimulatedPool annotators(campaign.study(), make_rehearsal(campaign.study()));
  EXPECT_EQ(run(campaign, annotators, {.max_failures = 3}).kind, RunEnd::Kind::failure_guard);
  EXPECT_EQ(campaign.state().failed(), 3);
}

TEST(PolicyTrial, LeavesAPointWhoseAnswerCannotBeRecorded) {
  const Desk desk;
  desk.folder.write("truth.csv", truth_with([](int k) { return k == 12; }));
  const Study study = desk.study(with(price_list, "budget", "1000"));
  const PolicyTrial trial = tried(study, Policy::model, 0, desk.truth(study));
  EXPECT_EQ(trial.annotations(), static_cast<std::size_t>(points - 1));
}

TEST(PolicyTrial, BeginsWithThePriorAndEndsWithinTheBudget) {
  const Desk desk;
  const Study study = desk.study(campaign_study("budget = 6"));
  const Vector truth = desk.truth(study)->truth(study.offer());
  const double spread = std::sqrt(truth.squaredNorm() / points);  // the mean is 0
  for (const Policy& policy : all_policies) {
    const PolicyTrial trial = tried(study, policy, 1, desk.truth(study));
    EXPECT_EQ(trial.steps.front().spent, 0.0);
    EXPECT_NEAR(trial.steps.front().error, spread, 1e-12);
    EXPECT_GE(trial.annotations(), 5U) << policy_name(policy);
    EXPECT_LE(trial.steps.back().spent, 6.0 * (1 + 1e-9)) << policy_name(policy);
    EXPECT_LT(trial.steps.back().error, 0.8 * spread) << policy_name(policy);
  }
}

TEST(PolicyTrial, CheapestAndFinestBuyTheirLevelAndShareTheInitialDesign) {
  const Desk desk;
  Study study = desk.study(with(price_list, "budget", "30\ninitial = 2"));
  const std::vector<double> cheap = costs_of(tried(study, Policy::cheapest, 0, desk.truth(study)));
  ASSERT_EQ(cheap.size(), 2U + 22U);
  for (std::size_t k = 0; k < cheap.size(); ++k) EXPECT_EQ(cheap[k], k < 2 ? 4.0 : 1.0);
  for (const double cost : costs_of(tried(study, Policy::finest, 0, desk.truth(study)))) EXPECT_EQ(cost, 4.0);
}

TEST(PolicyTrial, FinestBuysWhatBaldBuys) {
  const Desk desk;
  const Study study = desk.study(price_list);
  EXPECT_TRUE(same_steps(tried(study, Policy::finest, 2, desk.truth(study)),
                         tried(study, Policy::bald, 2, desk.truth(study))));
}

TEST(PolicyTrial, FinestBuysWhatBaldBuysOfClasses) {
  const Desk desk(true);
  const Study study = desk.study(class_campaign_study("budget = 9"));
  EXPECT_TRUE(same_steps(tried(study, Policy::finest, 2, desk.truth(study)),
                         tried(study, Policy::bald, 2, desk.truth(study))));
}

TEST(PolicyTrial, CheapestOfAContinuousLadderIsItsCheapEnd) {
  const Desk desk;
  const Study study =
      desk.study(with(campaign_study("budget = 3"), "alpha", "{ from = 1, to = inf, continuous = true }"));
  const double price = std::pow(10.0, -0.8);
  for (const double cost : costs_of(tried(study, Policy::cheapest, 0, desk.truth(study))))
    EXPECT_NEAR(cost, price, 1e-12);
}

TEST(PolicyTrial, WhatIsKnownAtAnotherLevelStaysKnown) {
  const Desk desk;
  desk.folder.write("known.csv", "id,y,level\n3,0.4,fine\n9,-0.2,coarse\n");
  const Study study = desk.study(with(price_list, "budget", "30\ninitial = { file = \"known.csv\" }"));
  const PolicyTrial trial = tried(study, Policy::cheapest, 0, desk.truth(study));
  EXPECT_EQ(trial.steps.front().spent, 5.0);
  for (const double cost : costs_of(trial)) EXPECT_EQ(cost, 1.0);
}

TEST(PolicyTrial, AnswersThatALevelHasGivenComeWithoutFurtherNoise) {
  const Desk desk;
  const Study study = desk.study(price_list);
  std::string csv = "id,y@coarse,y@fine\n";
  for (int k = 0; k < points; ++k) csv += fmt::format("{},{},{}\n", k, 7.0, 0.5);
  const auto truth = std::make_shared<const TruthTable>(desk.folder.write("levels.csv", csv), study);
  EXPECT_EQ(truth->truth(study.offer()), Vector::Constant(points, 0.5));
  // Nothing is drawn, so every repeat is the same.
  EXPECT_TRUE(same_steps(tried(study, Policy::model, 0, truth), tried(study, Policy::model, 3, truth)));
  EXPECT_GT(tried(study, Policy::cheapest, 0, truth).steps.back().error, 3.0);
  EXPECT_LT(tried(study, Policy::finest, 0, truth).steps.back().error, 0.2);
}

TEST(PolicyTrial, RepeatsDifferAndCanBeRepeated) {
  const Desk desk;
  const Study study = desk.study(campaign_study("budget = 4"));
  const auto truth = desk.truth(study);
  for (const Policy::Kind policy : {Policy::model, Policy::random}) {
    EXPECT_FALSE(same_steps(tried(study, policy, 0, truth), tried(study, policy, 1, truth)));
    EXPECT_TRUE(same_steps(tried(study, policy, 1, truth), tried(study, policy, 1, truth)));
  }
}

TEST(PolicyTrial, ResultsDoNotDependOnTheNumberOfThreads) {
  const Desk desk;
  const Study study = desk.study(campaign_study("budget = 3", "fit = 4"));
  const auto truth = desk.truth(study);
  const auto trials = [&](int threads) {
    int calls = 0;
    const std::vector<PolicyTrial> all =
        try_policies(study, [&](int) { return truth; },
                     {.policies = {Policy::model, Policy::random},
                      .repeats = 3,
                      .threads = threads,
                      .progress = [&](int done, int) { EXPECT_EQ(done, ++calls); }});
    EXPECT_EQ(calls, 6);
    return all;
  };
  const std::vector<PolicyTrial> one = trials(1), four = trials(4);
  ASSERT_EQ(one.size(), 6U);
  ASSERT_EQ(four.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(one[k].policy, k < 3 ? Policy::model : Policy::random);
    EXPECT_EQ(one[k].repeat, static_cast<int>(k % 3));
    EXPECT_TRUE(same_steps(one[k], four[k])) << k;
  }
}

TEST(PolicyTrial, AWallClockDoesNotEndIt) {
  const Desk desk;
  const std::string text = campaign_study("budget = 4");
  const Study study = desk.study(text), hurried = desk.study(text + "[stop]\nwall_clock = \"1e-9s\"\n");
  EXPECT_TRUE(same_steps(tried(study, Policy::model, 0, desk.truth(study)),
                         tried(hurried, Policy::model, 0, desk.truth(hurried))));
}

TEST(PolicyTrial, EndsWhenItIsToldTo) {
  const Desk desk;
  const Study study = desk.study(campaign_study("budget = 4"));
  const std::atomic<bool> stop(true);
  EXPECT_FALSE(try_policy(study, Policy::model, 0, desk.truth(study), stop));
  EXPECT_TRUE(try_policies(study, [&](int) { return desk.truth(study); },
                           {.policies = {Policy::model}, .repeats = 2, .stop = &stop})
                  .empty());
}

TEST(PolicyTrial, NeedsABudget) {
  const Desk desk;
  const Study study = desk.study(campaign_study());
  EXPECT_THROW(try_policies(study, [&](int) { return desk.truth(study); }, {.policies = {Policy::model}}),
               InputError);
}

// Random points are compared fairly only at the level that suits them.
TEST(PolicyTrial, RandomBestIsRandomAtTheLevelThatIsBestInHindsight) {
  const Desk desk;
  const Study study = desk.study(price_list);
  const auto truth = desk.truth(study);
  const std::atomic<bool> stop(false);
  const int repeats = 3;
  const auto end_of = [&](Index level) {
    std::vector<double> ends;
    for (int repeat = 0; repeat < repeats; ++repeat)
      ends.push_back(
          try_policy(study, Policy::random_best, repeat, truth, stop, {}, {}, level)->steps.back().error);
    std::sort(ends.begin(), ends.end());
    return ends[1];
  };
  const double coarse = end_of(0), fine = end_of(1);
  ASSERT_NE(coarse, fine);
  std::vector<std::size_t> shown;
  const std::vector<PolicyTrial> found =
      try_policies(study, [&](int) { return truth; },
                   {.policies = {Policy::random_best, Policy::random},
                    .repeats = repeats,
                    .threads = 2,
                    .so_far = [&](const auto& trials) { shown.push_back(trials.size()); }});
  ASSERT_EQ(found.size(), 6U);
  std::vector<double> ends;
  for (int k = 0; k < 3; ++k) {
    const PolicyTrial& trial = found[static_cast<std::size_t>(k)];
    EXPECT_EQ(trial.policy, Policy::random_best);
    EXPECT_EQ(trial.repeat, k);
    EXPECT_EQ(trial.level, coarse < fine ? 0 : 1);
    ends.push_back(trial.steps.back().error);
    EXPECT_EQ(found[static_cast<std::size_t>(3 + k)].policy, Policy::random);
  }
  std::sort(ends.begin(), ends.end());
  EXPECT_EQ(ends[1], std::min(coarse, fine));
  EXPECT_EQ(shown, std::vector<std::size_t>(9, 9)) << "three runs of three policies";
  // At the finest level it is what random does.
  const PolicyTrial finest = *try_policy(study, Policy::random_best, 0, truth, stop, {}, {}, 1),
                    random = tried(study, Policy::random, 0, truth);
  ASSERT_EQ(finest.steps.size(), random.steps.size());
  EXPECT_EQ(finest.steps.back().error, random.steps.back().error);
  EXPECT_EQ(policy_named("random-best", study), Policy::random_best);
}

TEST(PolicyTrial, TheStudysOwnPolicyComesFirst) {
  const Desk desk;
  EXPECT_EQ(policies_of(desk.study(campaign_study())).front(), Policy::model);
  const Study random = desk.study(campaign_study() + "[acquisition]\ninformation = \"random\"\n");
  EXPECT_EQ(policies_of(random),
            (std::vector<Policy>{Policy::random, Policy::model, Policy::bald, Policy::random_best,
                                 Policy::cheapest, Policy::finest}));
  EXPECT_EQ(policy_named("bald", random), Policy::bald);
  EXPECT_THROW(policy_named("target", random), InputError);
  const Study target = desk.study(campaign_study() + "[acquisition]\ninformation = \"target\"\n");
  EXPECT_EQ(policy_named("target", target), Policy::target);
}

// The coarse level is wrong by the same everywhere, and a little by place.
struct BiasedDesk : Desk {
  Study biased(const std::string& campaign = "budget = 40",
               const std::string& model = "amplitude = 1\n") const {
    return Study::open(folder.write(
        "study.toml", "[campaign]\n" + campaign + "\n[pool]\nfile = \"pool.csv\"\n[model]\n" + model +
                          "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\nrepeat = \"same\"\n"
                          "[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 5\nrepeat = \"same\"\n"));
  }
  std::shared_ptr<const TruthTable> answers(const Study& study) const {
    std::string csv = "id,y@coarse,y@fine\n";
    for (int k = 0; k < points; ++k) {
      const double x = -3.0 + 6.0 * k / (points - 1), f = std::sin(2.0 * x);
      csv += fmt::format("{},{},{}\n", k, f + 0.7 + 0.05 * x, f);
    }
    return std::make_shared<const TruthTable>(folder.write("levels.csv", csv), study);
  }
};

TEST(PolicyTrial, StudiesWithBiasAreComparedWithThemselvesWithoutIt) {
  const BiasedDesk desk;
  const Study study = desk.biased();
  EXPECT_EQ(policies_of(study),
            (std::vector<Policy>{Policy::goal, Policy::no_plan, Policy::no_bias, Policy::model, Policy::bald,
                                 Policy::random, Policy::random_best, Policy::cheapest, Policy::finest}));
  EXPECT_EQ(policy_named("no-bias", study), Policy::no_bias);
  EXPECT_THROW(policy_named("no-bias", desk.study(price_list)), InputError);
}

TEST(PolicyTrial, TakingABiasForNoiseCostsAccuracy) {
  const BiasedDesk desk;
  const Study study = desk.biased();
  const auto answers = desk.answers(study);
  const double with = tried(study, Policy::goal, 0, answers).steps.back().error;
  const double without = tried(study, Policy::no_bias, 0, answers).steps.back().error;
  EXPECT_LT(with, 0.1);
  EXPECT_GT(without, 3.0 * with);
}

// An earlier campaign about the same function, shifted, and a new one that has imported its answers.
struct ImportDesk : Desk {
  const std::string text =
      "[campaign]\nbudget = 9\nseed = 3\n[pool]\nfile = \"pool.csv\"\n"
      "[[level]]\nname = \"run\"\nexact = true\ncost = 1\n";

  std::filesystem::path make(const std::string& name) const {
    const std::filesystem::path path = folder.path() / name;
    Campaign::create(path, folder.write("plain.toml", text));
    return path;
  }
  Campaign imported() const {
    Campaign old = Campaign::open(make("old.acuity"));
    std::vector<Answer> answers;
    for (int k = 0; k < points; k += 2)
      answers.push_back({.values = {0.4 + std::sin(2.0 * (-3.0 + 6.0 * k / (points - 1)))},
                         .cost = {},
                         .channel = {},
                         .row = k,
                         .inputs = {},
                         .level = old.study().level_named("run")});
    old.add(answers);
    Campaign campaign = Campaign::open(make("new.acuity"));
    campaign.import_campaign(folder.path() / "old.acuity", {.as_level = "2025"});
    return campaign;
  }
};

TEST(PolicyTrial, WithoutARetiredLevelItIsTheCampaignThatNeverHadItsAnswers) {
  const ImportDesk desk;
  Campaign campaign = desk.imported();
  const Study& study = campaign.study();
  const Policy without = policy_named("without 2025", study);
  EXPECT_EQ(policy_name(without), "without 2025");
  EXPECT_THROW(policy_named("without run", study), InputError);
  std::vector<Event> before;
  for (const StoredEvent& stored : campaign.events()) before.push_back(stored.event);
  const auto truth = desk.truth(study);
  const std::atomic<bool> never(false);
  const PolicyTrial own = *try_policy(study, policies_of(study).front(), 0, truth, never, before),
                    forgotten = *try_policy(study, without, 0, truth, never, before);
  const Study plain = Study::open(desk.folder.path() / "plain.toml");
  const PolicyTrial never_had = tried(plain, policies_of(plain).front(), 0, desk.truth(plain));
  EXPECT_EQ(costs_of(forgotten), costs_of(never_had));
  ASSERT_EQ(forgotten.steps.size(), never_had.steps.size());
  for (std::size_t k = 0; k < forgotten.steps.size(); ++k)
    EXPECT_NEAR(forgotten.steps[k].error, never_had.steps[k].error, 1e-9) << k;
  EXPECT_LT(own.steps.back().error, 0.5 * forgotten.steps.back().error);
}

TEST(PolicyTrial, WithoutBiasTheInitialDesignIsTheSame) {
  const BiasedDesk desk;
  const Study study = desk.biased("budget = 60", "");
  const auto answers = desk.answers(study);
  const std::vector<double> with = costs_of(tried(study, Policy::goal, 1, answers)),
                            without = costs_of(tried(study, Policy::no_bias, 1, answers));
  constexpr std::size_t pilot = 12;  // 10 coarse, 2 fine
  ASSERT_GT(std::min(with.size(), without.size()), pilot);
  for (std::size_t k = 0; k < pilot; ++k) EXPECT_EQ(with[k], without[k]) << k;
}

TEST(PolicyTrial, WithoutBiasItIsTheStudyThatSaysSo) {
  const BiasedDesk desk;
  const Study study = desk.biased();
  StudyVariant different;
  different.without_bias = true;
  const Study plain = study.variant(different);
  EXPECT_FALSE(plain.file().has_bias());
  EXPECT_FALSE(StudyLearner(plain).prior_given({}).has_bias());
  for (const Level& level : plain.offer().levels) EXPECT_EQ(bias_of(level.channel), 0);
  EXPECT_EQ(noise_variance(plain.offer().levels[0].channel), 0.25);
  EXPECT_TRUE(plain.offer().levels[0].repeats_itself);
}

// The errors that the campaign itself would have at these points with these weights, computed from a
// posterior.
double error_at(const Campaign& campaign, const Points& at, const Vector& weights) {
  const StudyModel model = campaign.model();
  const Observations seen(model.observations, campaign.study().pool().points());
  const Vector mean = campaign.study().file().target->posterior(model.prior, seen)->predict(at).mean;
  double sum = 0.0;
  for (Index i = 0; i < at.rows(); ++i)
    sum += weights(i) * std::pow(mean(i) - std::sin(2.0 * at(i, 0)), 2) / weights.sum();
  return std::sqrt(sum);
}

struct GoalDesk : Desk {
  // The truth at pool points and between them.
  explicit GoalDesk(const std::string& goal) : goal(goal) {
    std::string csv = "x,y\n";
    for (int k = 0; k < 2 * points - 1; ++k) {
      const double x = -3.0 + 3.0 * k / (points - 1);
      csv += fmt::format("{},{}\n", x, std::sin(2.0 * x));
    }
    folder.write("truth.csv", csv);
  }
  Study study(const std::string& model = "fit = 4\n") const {
    return Study::open(folder.write(
        "study.toml", "[campaign]\nbudget = 30\n[pool]\nfile = \"pool.csv\"\n[model]\n" + model +
                          "[[level]]\nname = \"coarse\"\nnoise_sd = 0.2\ncost = 1\nbias = \"learn\"\n"
                          "[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 4\n" +
                          goal + "[annotator]\nsimulated = \"truth\"\n"));
  }
  /// The campaign of the first repeat of the study's own policy.
  Campaign finished() const {
    Campaign campaign(study(), make_memory_event_store(), {.threads = 1});
    SimulatedPool annotators(campaign.study(), make_rehearsal(campaign.study()));
    EXPECT_EQ(run(campaign, annotators, {}).kind, RunEnd::Kind::finished);
    return campaign;
  }
  void expect_error_at(const Points& at, const Vector& weights) const {
    const Study goal_study = study();
    const PolicyTrial trial = tried(goal_study, Policy::goal, 0, truth(goal_study));
    EXPECT_NEAR(trial.steps.back().error, error_at(finished(), at, weights), 1e-9);
    EXPECT_GT(trial.annotations(), 12U);
  }
  std::string goal;
};

TEST(PolicyTrial, MeasuresTheErrorAtTheGoal) {
  const GoalDesk desk("[goal]\nfile = \"wanted.csv\"\n");
  desk.folder.write("wanted.csv", "x,weight\n0.5,1\n0.75,1\n1.0,2\n");
  const Study study = desk.study();
  const auto truth = desk.truth(study);
  ASSERT_TRUE(truth->goal());
  EXPECT_EQ(truth->goal()->rows, (std::vector<Index>{14, 15, 16}));
  EXPECT_EQ(truth->goal()->where, "over the points of [goal]");
  desk.expect_error_at((Points(3, 1) << 0.5, 0.75, 1.0).finished(), Eigen::Vector3d(1, 1, 2));
}

// Then the campaign's own belief, which is about the pool, does not say it.
TEST(PolicyTrial, MeasuresTheErrorAtAGoalOutsideOfThePool) {
  const GoalDesk desk("[goal]\nfile = \"wanted.csv\"\n");
  desk.folder.write("wanted.csv", "x\n0.625\n0.875\n1.0\n");
  EXPECT_TRUE(desk.truth(desk.study())->goal()->rows.empty());
  desk.expect_error_at((Points(3, 1) << 0.625, 0.875, 1.0).finished(), Vector::Ones(3));
  // Also of policies that know nothing of the goal.
  const Study study = desk.study();
  const PolicyTrial random = tried(study, Policy::random, 0, desk.truth(study));
  for (const TrialStep& step : random.steps) EXPECT_TRUE(std::isfinite(step.error));
  EXPECT_LT(random.steps.back().error, random.steps.front().error);
}

TEST(PolicyTrial, MeasuresTheErrorWhereTheTruthIsKnown) {
  const GoalDesk some("[goal]\nfile = \"wanted.csv\"\n");
  some.folder.write("wanted.csv", "x\n0.5\n0.51\n");
  EXPECT_EQ(some.truth(some.study())->goal()->where, "over the 1 of 2 points of [goal] whose truth is known");
  some.expect_error_at(Points::Constant(1, 1, 0.5), Vector::Ones(1));
  some.folder.write("wanted.csv", "x\n0.51\n");
  EXPECT_FALSE(some.truth(some.study())->goal());
}

TEST(PolicyTrial, MeasuresTheErrorAtThePoolPointsInABox) {
  const GoalDesk desk("[goal]\nbox = { x = [0.4, 1.0] }\n");
  EXPECT_EQ(desk.truth(desk.study())->goal()->where, "over the 3 pool points in goal.box");
  desk.expect_error_at((Points(3, 1) << 0.5, 0.75, 1.0).finished(), Vector::Ones(3));
  const GoalDesk nowhere("[goal]\nbox = { x = [0.51, 0.52] }\n");
  EXPECT_FALSE(nowhere.truth(nowhere.study())->goal());
}

TEST(PolicyTrial, TheTruthIsWhatTheReferenceLevelAnswers) {
  const BiasedDesk desk;
  const Study study = Study::open(desk.folder.write(
      "study.toml",
      "[campaign]\nbudget = 40\n[pool]\nfile = \"pool.csv\"\n"
      "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\nrepeat = \"same\"\nreference = true\n"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 5\nbias = \"learn\"\n"));
  const auto answers = desk.answers(study);
  EXPECT_EQ(answers->truth(study.offer())(0), answers->at(0, "coarse").value);
  EXPECT_NE(answers->at(0, "coarse").value, answers->at(0, "fine").value);
}

TEST(PolicyTrial, AClassThatIsUndecidedIsHalfWrong) {
  EXPECT_EQ(Target::classes()->error_of(Vector{{0.0, 1.0, -2.0, 3.0}}, Vector{{1.0, 1.0, 1.0, 1.0}}), 0.375);
  EXPECT_EQ(Target::real()->error_of(Vector{{0.0, 1.0}}, Vector{{3.0, 5.0}}), std::sqrt(12.5));
}

}  // namespace
}  // namespace acuity::policy_trial_test
