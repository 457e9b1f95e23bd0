// The library's campaign on a log in memory: what ask chooses by, and when the belief is built anew.
#include "acuity/campaign/campaign.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "acuity/base/errors.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/campaign_belief.hpp"
#include "campaign/state_queries.hpp"
#include "store/owner.hpp"
#include "support/program.hpp"
#include "support/shared_event_store.hpp"
#include "support/studies.hpp"

namespace acuity::campaign_test {
namespace {

using testing::Folder;

std::string pool_of(int points) {
  std::string pool = "x,z\n";
  for (int k = 0; k < points; ++k)
    pool += std::to_string(0.37 * k) + "," + std::to_string((k * 7 % points) * 0.21) + "\n";
  return pool;
}

const std::string ladder =
    "[pool]\nfile = \"pool.csv\"\n[noise]\nvariance = 0.02\n"
    "[precision]\nalpha = { from = 1, to = inf, count = 7 }\ngamma = 0.09\n"
    "cost = { form = \"power\", c = 9.0, q = 0.8 }\n";

Study study_of(const std::string& text, int points = 40) {
  const Folder folder;
  folder.write("pool.csv", pool_of(points));
  return Study::open(folder.write("study.toml", testing::with_given_model(text)));
}

Campaign campaign_of(const std::string& text, int points = 40) {
  return Campaign(study_of(text, points), make_memory_event_store());
}

Answer answer_to(std::int64_t id, double value) {
  Answer answer;
  answer.id = id;
  answer.values = {value};
  return answer;
}

double truth(const Suggestion& s) {
  return std::sin(3.0 * s.inputs[0]) + 0.3 * s.inputs[1];
}

// The slow twin of ask: a belief built from nothing but the state, and a look at everything.
Score choice_by_full_scan(const Campaign& campaign) {
  const Study& study = campaign.study();
  const StudyModel model = campaign.model();
  const auto belief = StudyLearner(study).belief(model);
  for (const std::int64_t id : campaign.state().pending()) {
    const Annotation expected = expected_annotation(study, *campaign.state().find(id));
    belief->condition(expected.place, StudyLearner(study).expected_channel(expected, model), std::nullopt);
  }
  Candidates candidates = campaign.candidates();
  for (const SuggestionRecord& one : campaign.state().suggestions())  // points that failed wait
    if (one.status == SuggestionStatus::failed) candidates.close(one.asked.row);
  return select_by_full_scan(belief->marginals(), model.offer, model.acquisition, candidates).value();
}

void expect_choice(const Suggestion& found, const Score& wanted) {
  EXPECT_EQ(found.row, wanted.point);
  EXPECT_EQ(found.cost, wanted.cost);
  EXPECT_NEAR(found.information, wanted.information, 1e-9 * wanted.information);
}

TEST(Campaign, AskConditionsOnEverythingPending) {
  for (const char* kind : {"model", "target"}) {
    Campaign campaign =
        campaign_of(ladder + "[acquisition]\ninformation = \"" + std::string(kind) + "\"\ngraph = \"c\"\n");
    for (int step = 0; step < 12; ++step) {
      const Score wanted = choice_by_full_scan(campaign);
      const AskResult result = campaign.ask();
      ASSERT_EQ(result.suggestions.size(), 1U);
      expect_choice(result.suggestions[0], wanted);
      // Every third is answered, in an order of its own, every fifth fails: something is always pending.
      if (step % 3 == 2) campaign.tell({answer_to(step, truth(campaign.pending()[0]))});
      if (step == 5) campaign.fail({.id = 1, .reason = "", .charge = 0.0, .exclude = false});
    }
    EXPECT_GT(campaign.pending().size(), 5U);
  }
}

TEST(Campaign, AskingForSeveralIsTheBatchOfTheSelection) {
  Campaign campaign = campaign_of(ladder);
  for (int id = 1; id <= 4; ++id) campaign.tell({answer_to(id, truth(campaign.ask().suggestions[0]))});
  campaign.ask({.count = 2, .worker = "", .lease = {}});
  const Campaign& before = campaign;
  const StudyModel model = before.model();
  const auto belief = StudyLearner(before.study()).belief(model);
  for (const std::int64_t id : before.state().pending()) {
    const Annotation expected = expected_annotation(before.study(), *before.state().find(id));
    belief->condition(expected.place, expected.channel, std::nullopt);
  }
  const std::vector<Score> wanted =
      select_batch(*belief, model.offer, model.acquisition, before.candidates(), 6);
  const AskResult result = campaign.ask({.count = 6, .worker = "", .lease = {}});
  ASSERT_EQ(result.suggestions.size(), wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) expect_choice(result.suggestions[k], wanted[k]);
}

TEST(Campaign, AskingForSeveralIsAskingAgainAndAgain) {
  Campaign at_once = campaign_of(ladder), one_by_one = campaign_of(ladder);
  const AskResult batch = at_once.ask({.count = 10, .worker = "", .lease = {}});
  for (const Suggestion& expected : batch.suggestions) {
    const Suggestion found = one_by_one.ask().suggestions.at(0);
    EXPECT_EQ(found.id, expected.id);
    EXPECT_EQ(found.row, expected.row);
    EXPECT_EQ(found.cost, expected.cost);
  }
}

TEST(Campaign, SeesWhatOthersHaveDone) {
  const std::shared_ptr<EventStore> log = make_memory_event_store();
  Campaign here(study_of(ladder), std::make_unique<testing::SharedEventStore>(log));
  Campaign there(study_of(ladder), std::make_unique<testing::SharedEventStore>(log));
  for (int step = 0; step < 6; ++step) {
    Campaign& asks = step % 2 == 0 ? here : there;
    Campaign& tells = step % 2 == 0 ? there : here;
    tells.refresh();
    asks.refresh();
    const Score wanted = choice_by_full_scan(asks);
    const Suggestion suggestion = asks.ask().suggestions.at(0);
    expect_choice(suggestion, wanted);
    if (step > 1) tells.tell({answer_to(suggestion.id - 1, 0.1 * step)});
  }
  EXPECT_EQ(here.refresh().sequence(), there.refresh().sequence());
  EXPECT_EQ(here.state().spent(), there.state().spent());
}

// The belief of a state, built from nothing.
Marginals rebuilt(const Study& study, const State& state) {
  CampaignBelief fresh(study, 1, {});
  fresh.follow(state);
  return fresh.belief().marginals();
}

// What a state keeps beside its suggestions, by looking at each of them.
void expect_sums_of_suggestions(const State& state) {
  std::vector<std::int64_t> pending;
  std::int64_t told_or_pending = 0;
  double reserved = 0.0;
  for (const SuggestionRecord& one : state.suggestions()) {
    const bool is_pending = one.status == SuggestionStatus::pending;
    if (is_pending) pending.push_back(one.asked.id);
    if (is_pending) reserved += one.asked.reserved();
    if (!one.asked.gold && (is_pending || one.status == SuggestionStatus::told)) ++told_or_pending;
  }
  EXPECT_EQ(state.pending(), pending);
  EXPECT_EQ(state.told_or_pending(), told_or_pending);
  EXPECT_EQ(state.escrow(), reserved);
}

// What a belief has extended step by step, made at once.
void expect_lists_of_state(CampaignBelief& belief, const Study& study, const State& state) {
  const std::vector<Annotation>& found = belief.annotations(state);
  const std::vector<Annotation> wanted = annotations_of(study, state);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    EXPECT_EQ(found[k].place.pool_row(), wanted[k].place.pool_row());
    EXPECT_EQ(found[k].value, wanted[k].value);
    EXPECT_EQ(found[k].cost, wanted[k].cost);
    EXPECT_EQ(found[k].level, wanted[k].level);
    EXPECT_EQ(found[k].channel, wanted[k].channel);
  }
  const Candidates open = belief.candidates(state), all = candidates_of(study, state);
  EXPECT_EQ(open.open(), all.open());
  EXPECT_EQ(open.step(), all.step());
  EXPECT_EQ(open.remaining(), all.remaining());
  for (Index row = 0; row < study.pool().size(); ++row)
    for (Index level = 0; level < static_cast<Index>(study.offer().levels.size()); ++level)
      EXPECT_EQ(open.is_open(row, level), all.is_open(row, level));
}

struct Follower {
  Campaign campaign;
  CampaignBelief belief;

  explicit Follower(const std::string& text) : campaign(campaign_of(text)), belief(campaign.study(), 1, {}) {
    belief.follow(campaign.state());
  }
  /// Follows, holds the result against a rebuilt belief, and says how often it was built for that.
  std::int64_t builds_to_follow() {
    const std::int64_t before = belief.builds();
    belief.follow(campaign.state());
    const Marginals& found = belief.belief().marginals();
    const Marginals wanted = rebuilt(campaign.study(), campaign.state());
    EXPECT_LT((found.mean - wanted.mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((found.variance - wanted.variance).cwiseAbs().maxCoeff(), 1e-9);
    expect_sums_of_suggestions(campaign.state());
    expect_lists_of_state(belief, campaign.study(), campaign.state());
    return belief.builds() - before;
  }
};

TEST(CampaignBelief, AppendsWhereHistoryOnlyGrewAndEqualsARebuiltOne) {
  Follower follower(ladder);
  Campaign& campaign = follower.campaign;
  campaign.ask({.count = 6, .worker = "", .lease = {}});
  EXPECT_EQ(follower.builds_to_follow(), 0) << "asked";
  campaign.tell({answer_to(2, 0.4)});
  EXPECT_EQ(follower.builds_to_follow(), 0) << "told out of order";
  Answer replicates = answer_to(1, -0.2);
  replicates.values.push_back(-0.3);
  campaign.tell({replicates});
  EXPECT_EQ(follower.builds_to_follow(), 0) << "replicates";
  campaign.release({3}, "");
  campaign.fail({.id = 4, .reason = "", .charge = 0.0, .exclude = false});
  EXPECT_EQ(follower.builds_to_follow(), 0) << "released and failed";
  campaign.tell({answer_to(3, 0.1)});
  EXPECT_EQ(follower.builds_to_follow(), 0) << "a late answer";
  Answer elsewhere = answer_to(5, 0.7);
  elsewhere.inputs = {1.234, 0.5};
  campaign.tell({elsewhere});
  EXPECT_EQ(follower.builds_to_follow(), 0) << "told elsewhere";
  Answer reported = answer_to(6, 0.7);
  reported.channel = GaussianChannel{0.004};
  campaign.tell({reported});
  EXPECT_EQ(follower.builds_to_follow(), 0) << "with a noise of its own";
  EXPECT_EQ(follower.builds_to_follow(), 0) << "nothing";
}

TEST(CampaignBelief, IsBuiltAnewWhereThePastChanged) {
  Follower follower(ladder);
  Campaign& campaign = follower.campaign;
  campaign.ask({.count = 3, .worker = "", .lease = {}});
  campaign.tell({answer_to(1, 0.4), answer_to(2, 0.1)});
  EXPECT_EQ(follower.builds_to_follow(), 0);
  campaign.amend(1, {0.9}, "typo");
  EXPECT_EQ(follower.builds_to_follow(), 1);
  campaign.retract(2, "wrong point");
  EXPECT_EQ(follower.builds_to_follow(), 1);
  campaign.tell({answer_to(3, 0.2)});
  EXPECT_EQ(follower.builds_to_follow(), 0) << "added after the corrections";
}

// Its own answers of a group that was not recorded must not stay.
TEST(CampaignBelief, ForgetsWhatAFailedTransactionAdded) {
  Follower follower(ladder);
  Campaign& campaign = follower.campaign;
  campaign.ask({.count = 2, .worker = "", .lease = {}});
  EXPECT_EQ(follower.builds_to_follow(), 0);
  EXPECT_THROW(campaign.in_one_transaction([&] {
    campaign.tell({answer_to(1, 0.4)});
    campaign.ask();
    throw InputError("stop");
  }),
               InputError);
  campaign.tell({answer_to(1, 0.9)});
  const Score wanted = choice_by_full_scan(campaign);
  expect_choice(campaign.ask().suggestions.at(0), wanted);
  EXPECT_EQ(follower.builds_to_follow(), 0);
}

TEST(CampaignBelief, IsBuiltAnewWhereThePriorDependsOnTheAnswers) {
  Follower follower(ladder + "[model]\nfit = 2\nrestarts = 0\n");
  Campaign& campaign = follower.campaign;
  for (int id = 1; id <= 4; ++id) campaign.tell({answer_to(id, truth(campaign.ask().suggestions.at(0)))});
  campaign.ask();
  EXPECT_EQ(follower.builds_to_follow(), 1);
  Follower scaled(testing::with(ladder, "file", "\"pool.csv\"\nstandardise = \"annotations\""));
  for (int id = 1; id <= 4; ++id)
    scaled.campaign.tell({answer_to(id, truth(scaled.campaign.ask().suggestions.at(0)))});
  EXPECT_EQ(scaled.builds_to_follow(), 1);
}

TEST(Campaign, WhatWasLearnedIsUsedFromTheLogAndNotLearnedAgain) {
  const std::string text = ladder + "[model]\nfit = 3\nrestarts = 1\nfit_noise = true\n";
  const std::shared_ptr<EventStore> log = make_memory_event_store();
  Campaign campaign(study_of(text), std::make_unique<testing::SharedEventStore>(log));
  for (int id = 1; id <= 7; ++id) campaign.tell({answer_to(id, truth(campaign.ask().suggestions.at(0)))});
  ASSERT_EQ(campaign.state().fits(), 2);
  const Fitted& fitted = *campaign.state().fitted();
  EXPECT_EQ(fitted.annotations, 6);
  int learned = 0;
  CampaignOptions options;
  options.learning = [&](int, double) { ++learned; };
  Campaign later(study_of(text), std::make_unique<testing::SharedEventStore>(log), options);
  const StudyModel model = later.model();
  const Vector parameters = model.prior.kernel->log_parameters();
  EXPECT_EQ(std::vector<double>(parameters.begin(), parameters.end()), fitted.log_parameters);
  EXPECT_EQ(model.learned->added_scale, fitted.added_scale);
  EXPECT_NE(parameters, StudyLearner(later.study()).prior_given({}).kernel->log_parameters())
      << "not the study's values";
  const Score wanted = choice_by_full_scan(later);
  expect_choice(later.ask().suggestions.at(0), wanted);
  EXPECT_EQ(learned, 0);
  EXPECT_EQ(later.state().fits(), 2);
}

TEST(Campaign, LearnsAgainAfterAnAnswerWasAmended) {
  Campaign campaign = campaign_of(ladder + "[model]\nfit = 2\nrestarts = 0\n");
  for (int id = 1; id <= 2; ++id) campaign.tell({answer_to(id, truth(campaign.ask().suggestions.at(0)))});
  campaign.ask();
  ASSERT_EQ(campaign.state().fits(), 1);
  campaign.ask();
  EXPECT_EQ(campaign.state().fits(), 1) << "nothing new";
  campaign.amend(1, {2.5}, "typo");
  campaign.ask();
  EXPECT_EQ(campaign.state().fits(), 2);
}

TEST(Campaign, TellIsAllOrNothing) {
  Campaign campaign = campaign_of(ladder);
  campaign.ask({.count = 2, .worker = "", .lease = {}});
  const std::int64_t before = campaign.state().sequence();
  EXPECT_THROW(campaign.tell({answer_to(1, 0.1), answer_to(2, std::nan(""))}), InputError);
  EXPECT_THROW(campaign.tell({answer_to(1, 0.1), answer_to(3, 0.1)}), InputError);
  EXPECT_THROW(campaign.tell({answer_to(1, 0.1), answer_to(1, 0.1)}), InputError);
  EXPECT_EQ(campaign.refresh().sequence(), before);
  EXPECT_EQ(campaign.tell({answer_to(1, 0.1), answer_to(2, 0.1)}).size(), 2U);
}

TEST(Campaign, RefusesLeasesThatNoCalendarHolds) {
  Campaign campaign = campaign_of(ladder);
  for (const double lease : {-1.0, 1e11, 1e300, std::nan("")})
    EXPECT_THROW(campaign.ask({.count = 1, .worker = "", .lease = lease}), InputError);
  EXPECT_EQ(campaign.ask({.count = 1, .worker = "", .lease = 3600.0}).suggestions.size(), 1U);
}

TEST(Campaign, RefusesPlacesAndNoiseThatTheModelCannotComputeWith) {
  Campaign campaign = campaign_of(ladder);
  campaign.ask();
  const auto changed = [](const std::function<void(Answer&)>& change) {
    Answer answer = answer_to(1, 0.1);
    change(answer);
    return answer;
  };
  for (const Answer& wrong : {changed([](Answer& a) { a.inputs = std::vector<double>{}; }),
                              changed([](Answer& a) { a.inputs = std::vector<double>(7, 0.5); }),
                              changed([](Answer& a) { a.inputs = std::vector<double>{std::nan(""), 0.5}; }),
                              changed([](Answer& a) { a.channel = GaussianChannel{-1.0}; }),
                              changed([](Answer& a) { a.channel = GaussianChannel{0.0}; }),
                              changed([](Answer& a) { a.channel = GaussianChannel{std::nan("")}; }),
                              changed([](Answer& a) { a.channel = FlipChannel{1.5}; })})
    EXPECT_THROW(campaign.tell({wrong}), InputError);
  EXPECT_EQ(campaign.tell({changed([](Answer& a) { a.inputs = std::vector<double>{0.25, 0.5}; })}).size(),
            1U);
}

TEST(Campaign, TheChoiceDoesNotDependOnThreads) {
  std::vector<std::vector<Index>> rows;
  for (const int threads : {1, 2, 5}) {
    CampaignOptions options;
    options.threads = threads;
    Campaign campaign(study_of(ladder, 600), make_memory_event_store(), options);
    rows.emplace_back();
    for (int id = 1; id <= 5; ++id) {
      const AskResult result = campaign.ask({.count = 3, .worker = "", .lease = {}});
      for (const Suggestion& s : result.suggestions) rows.back().push_back(s.row);
      campaign.tell({answer_to(result.suggestions[1].id, truth(result.suggestions[1]))});
    }
  }
  EXPECT_EQ(rows[0], rows[1]);
  EXPECT_EQ(rows[0], rows[2]);
}

TEST(Campaign, ALiveOwnerIsRefusedAndSaid) {
  const std::shared_ptr<EventStore> log = make_memory_event_store();
  Campaign first(study_of(ladder), std::make_unique<testing::SharedEventStore>(log));
  Campaign second(study_of(ladder), std::make_unique<testing::SharedEventStore>(log));
  first.take_ownership();
  try {
    second.take_ownership();
    FAIL() << "two owners";
  } catch (const OwnedError& error) {
    EXPECT_NE(std::string(error.what()).find("process " + std::to_string(getpid())), std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(second.ask()) << "single transactions are always allowed";
  first.give_up_ownership();
  EXPECT_NO_THROW(second.take_ownership());
}

TEST(Campaign, ADeadOwnerIsTakenOverFrom) {
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  ASSERT_EQ(waitpid(gone, nullptr, 0), gone);
  Campaign campaign = campaign_of(ladder);
  std::shared_ptr<EventStore> log = make_memory_event_store();
  Campaign owned(study_of(ladder), std::make_unique<testing::SharedEventStore>(log));
  log->add(owned.state().sequence(),
           [&](const auto&) { return std::vector<Event>{OwnerChanged{this_process().host, gone, 12345}}; });
  EXPECT_NO_THROW(owned.take_ownership());
  EXPECT_EQ(owned.state().owner().process, getpid());
  // The same number, but of a process that began at another time: the number was used again.
  log->add(owned.state().sequence(),
           [&](const auto&) { return std::vector<Event>{OwnerChanged{this_process().host, getpid(), 1}}; });
  EXPECT_NO_THROW(owned.take_ownership());
  // On another host nobody can tell.
  log->add(owned.state().sequence(),
           [&](const auto&) { return std::vector<Event>{OwnerChanged{"elsewhere.example", gone, 12345}}; });
  EXPECT_THROW(owned.take_ownership(), OwnedError);
}

const std::string three_levels =
    "[campaign]\nbudget = 240\n[pool]\nfile = \"pool.csv\"\n"
    "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\nrepeat = \"same\"\n"
    "[[level]]\nname = \"medium\"\nnoise_sd = 0.2\ncost = 2\nrepeat = \"same\"\n"
    "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 3\nrepeat = \"same\"\n";

TEST(Campaign, EveryLevelOfEveryPointIsBoughtIfAnswersRepeat) {
  for (const std::int64_t count : {1, 7}) {
    Campaign campaign = campaign_of(three_levels);
    std::set<std::pair<Index, std::string>> bought;
    for (;;) {
      const AskResult result = campaign.ask({.count = count, .worker = "", .lease = {}});
      for (const Suggestion& s : result.suggestions) {
        EXPECT_TRUE(bought.emplace(s.row, s.level.name).second) << s.row << ' ' << s.level.name;
        campaign.tell({answer_to(s.id, truth(s))});
      }
      if (!result.suggestions.empty()) continue;
      EXPECT_EQ(result.status, AskStatus::finished);
      EXPECT_EQ(result.reason, "every pool point is annotated, pending or excluded");
      break;
    }
    EXPECT_EQ(bought.size(), 120U);
    EXPECT_NEAR(campaign.state().spent(), 240.0, 1e-9);
  }
}

TEST(Campaign, AnIndependentLevelClosesThePointThatOthersLeaveOpen) {
  std::string study = three_levels;
  study.erase(study.rfind("repeat = "));  // of "fine"
  Campaign campaign = campaign_of(study);
  const auto tell_instead = [&](Index row, const std::string& level) {
    Answer answer = answer_to(campaign.ask().suggestions.at(0).id, 0.1);
    answer.row = row;
    answer.level = campaign.study().level_named(level);
    campaign.tell({answer});
  };
  tell_instead(3, "coarse");
  EXPECT_TRUE(campaign.candidates().is_open(3, 1));
  EXPECT_FALSE(campaign.candidates().is_open(3, 0));
  tell_instead(3, "fine");
  EXPECT_FALSE(campaign.candidates().is_open(3));
}

TEST(Campaign, ListsItsAnswersOnceAndAgainOnlyWhenTheyChange) {
  Campaign campaign = campaign_of(ladder);
  for (int id = 1; id <= 3; ++id) campaign.tell({answer_to(id, truth(campaign.ask().suggestions[0]))});
  CampaignBelief belief(campaign.study(), 1, {});
  const Annotation* const first = belief.annotations(campaign.state()).data();
  EXPECT_EQ(belief.annotations(campaign.state()).size(), 3U);
  campaign.ask();
  belief.follow(campaign.state());
  EXPECT_EQ(belief.annotations(campaign.state()).data(), first) << "asking changes no answer";
  const State before = campaign.state();
  campaign.amend(2, {0.7}, "typed wrongly");
  EXPECT_EQ(belief.annotations(campaign.state())[1].value, 0.7);
  EXPECT_NE(belief.annotations(before)[1].value, 0.7) << "a state of before is another one";
  campaign.retract(1, "not ours");
  EXPECT_EQ(belief.annotations(campaign.state()).size(), 2U);
}

TEST(Campaign, WhatWasKnownAtAPointOfThePoolIsKnownThere) {
  const Folder folder;
  folder.write("pool.csv", "x\n0\n1\n2\n3\n");
  folder.write("known.csv", "x,y,alpha\n2,0.5,1\n7.5,0.1,inf\n");
  const std::string text = "[campaign]\nbudget = 9\ninitial = { file = \"known.csv\" }\n" + ladder;
  Campaign campaign(Study::open(folder.write("study.toml", testing::with_given_model(text))),
                    make_memory_event_store());
  EXPECT_EQ(campaign.state().annotations(), 2);
  EXPECT_EQ(campaign.state().find(1)->row(), 2) << "given by its inputs";
  EXPECT_EQ(campaign.state().find(2)->row(), -1);
  EXPECT_EQ(campaign.candidates().is_open(2), false);
  EXPECT_EQ(campaign.state().spent(), campaign.annotations()[0].cost + campaign.annotations()[1].cost);
  for (const Suggestion& s : campaign.ask({.count = 4}).suggestions) EXPECT_NE(s.row, 2);
}

// All that is done together is in the log together, or not at all.
TEST(Campaign, StepsTakenTogetherStandOrFallTogether) {
  Campaign campaign = campaign_of(ladder);
  campaign.in_one_transaction([&] {
    for (int k = 0; k < 3; ++k) {
      const Suggestion s = campaign.ask().suggestions.front();
      campaign.tell({answer_to(s.id, 0.1 * k)});
    }
  });
  EXPECT_EQ(campaign.state().annotations(), 3);
  EXPECT_EQ(campaign.events().size(), 7U);
  Campaign one_by_one = campaign_of(ladder);
  for (int k = 0; k < 3; ++k) {
    const Suggestion s = one_by_one.ask().suggestions.front();
    EXPECT_EQ(s.row, campaign.state().find(s.id)->asked.row);
    one_by_one.tell({answer_to(s.id, 0.1 * k)});
  }
  EXPECT_THROW(campaign.in_one_transaction([&] {
    campaign.ask();
    throw std::runtime_error("the power went");
  }),
               std::runtime_error);
  EXPECT_EQ(campaign.events().size(), 7U);
  EXPECT_EQ(campaign.state().pending().size(), 0U);
  EXPECT_EQ(campaign.ask().suggestions.front().row, one_by_one.ask().suggestions.front().row)
      << "and it goes on";
}

}  // namespace
}  // namespace acuity::campaign_test
