// Campaigns whose budget is planned: the plan is an event, so that whoever reads the log goes on as it did.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "acuity/campaign/campaign.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/state_queries.hpp"
#include "explain/explanation.hpp"
#include "judgement/purchase_certificate.hpp"
#include "views/campaign_status.hpp"
#include "views/plan_text.hpp"

namespace acuity::planned_campaign_test {
namespace {

// Replicates with a set-up price: eight at once have the lowest price of precision. Information is about f:
// noisy answers have no plan by default.
std::string settings(const std::string& rest = "") {
  const std::string section = "[acquisition]\n", about_f = "information = \"model\"\n";
  std::string text = "[campaign]\nbudget = 6000\nseed = 3\nunit = \"EUR\"\n";
  for (const int count : {1, 2, 4, 8})
    text += "[[level]]\nname = \"x" + std::to_string(count) +
            "\"\nnoise_sd = " + std::to_string(0.25 / std::sqrt(count)) +
            "\ncost = " + std::to_string(40 + 12 * count) + "\n";
  text += rest;
  const std::size_t found = text.find(section);
  if (found == std::string::npos) return text + section + about_f;
  if (text.find("information = ") == std::string::npos) text.insert(found + section.size(), about_f);
  return text;
}
const std::string no_plan = "[acquisition]\nplan = \"none\"\n";

Points square() {
  Points points(144, 2);
  for (Index i = 0; i < points.rows(); ++i)
    points.row(i) << static_cast<double>(i % 12) / 3.0, static_cast<double>(i / 12) / 3.0;
  return points;
}

Campaign started(const std::string& text, std::unique_ptr<EventStore> store = make_memory_event_store(),
                 int threads = 1) {
  return {
      Study::make(read_study_text(text), Pool(square(), {"a", "b"})), std::move(store), {.threads = threads}};
}

void tell(Campaign& campaign, const Suggestion& asked) {
  Answer answer;
  answer.id = asked.id;
  // The same whenever it is asked, and about as noisy as its level.
  const double wobble = std::sin(977.0 * static_cast<double>(asked.row));
  answer.values = {std::sin(asked.inputs[0]) * std::cos(asked.inputs[1]) +
                   std::sqrt(2.0 * noise_variance(asked.level.channel)) * wobble};
  campaign.tell({answer});
}

void spend(Campaign& campaign) {
  while (true) {
    const AskResult result = campaign.ask();
    if (result.suggestions.empty()) return;
    for (const Suggestion& s : result.suggestions) tell(campaign, s);
  }
}

template <typename Kind>
std::vector<Kind> all_of(const Campaign& campaign) {
  std::vector<Kind> found;
  for (const StoredEvent& stored : campaign.events())
    if (const auto* event = std::get_if<Kind>(&stored.event)) found.push_back(*event);
  return found;
}

TEST(PlannedCampaign, PlansAfterEveryFitAndEveryTenthOfTheBudget) {
  Campaign campaign = started(settings());
  spend(campaign);
  const std::vector<Planned> plans = all_of<Planned>(campaign);
  EXPECT_GE(plans.size(), all_of<Fitted>(campaign).size());
  EXPECT_LE(plans.size(), all_of<Fitted>(campaign).size() + 11);
  bool less_than_one = false;
  double remaining = std::numeric_limits<double>::infinity();
  for (const Planned& plan : plans) {
    EXPECT_LE(plan.remaining, remaining);
    remaining = plan.remaining;
    less_than_one = less_than_one || plan.lambda < 1.0;
    if (plan.purchases.empty()) continue;
    double price = 0.0;
    for (std::size_t k = 0; k < 4; ++k) price += plan.purchases[k] * campaign.study().offer().levels[k].cost;
    EXPECT_LE(price, plan.remaining * (1.0 + 1e-9));
  }
  EXPECT_TRUE(less_than_one);
}

// A fit at every answer changes little: a plan comes with every 15 % more answers, with every tenth of the
// budget, and when covariances or noise have changed.
TEST(PlannedCampaign, PlansOnlyAfterFitsThatMayChangeThePlan) {
  Campaign campaign = started(settings("[model]\nfit = \"every\"\n"));
  spend(campaign);
  const std::size_t fits = all_of<Fitted>(campaign).size(), plans = all_of<Planned>(campaign).size();
  EXPECT_GT(fits, 40U);
  EXPECT_LT(2 * plans, fits);
  EXPECT_GE(plans, 10U);
  State state;
  for (const StoredEvent& stored : campaign.events()) {
    if (std::holds_alternative<Asked>(stored.event) && state.planned() && state.has_learned_since_plan()) {
      EXPECT_FALSE(fit_calls_for_plan(campaign.study(), state)) << "a choice by a plan that is out of date";
    }
    state.apply(stored);
  }
}

TEST(PlannedCampaign, ChangesOfCovarianceOrNoiseCallForAPlan) {
  const Campaign campaign = started(settings("[model]\nlengthscale = 1\namplitude = 1\n"));
  const StudyLearner learner(campaign.study());
  Learned before;
  before.prior = learner.prior_given({});
  before.nugget = 0.01;
  const auto with = [&](double longer, double amplitude, double nugget) {
    Learned now = before;
    Vector parameters = before.prior.kernel->log_parameters();
    parameters(0) += std::log(amplitude);
    for (Index k = 1; k < parameters.size(); ++k) parameters(k) += std::log(longer);
    now.prior.kernel = before.prior.kernel->with_log_parameters(parameters);
    now.nugget = nugget;
    return learner.may_change_plan(before, now);
  };
  EXPECT_FALSE(with(1.0, 1.0, 0.01));
  EXPECT_FALSE(with(1.05, 1.03, 0.0102));
  EXPECT_TRUE(with(2.0, 1.0, 0.01));
  EXPECT_TRUE(with(0.5, 1.0, 0.01));
  EXPECT_TRUE(with(1.0, 2.0, 0.01)) << "the noise is less beside f";
  EXPECT_TRUE(with(1.0, 1.0, 0.5));
}

// The plan of a large pool is made for a part of it, and finds a weight that is as good in the whole pool.
TEST(PlannedCampaign, OfALargePoolIsMadeForAPart) {
  const std::string fixed = "[model]\namplitude = 1\nlengthscale = 0.7\nfit = \"never\"\nmean = 0\n";
  Points fine(4900, 2);
  for (Index i = 0; i < fine.rows(); ++i)
    fine.row(i) << static_cast<double>(i % 70) / 14.0, static_cast<double>(i / 70) / 14.0;
  const Study study = Study::make(read_study_text(settings(fixed)), Pool(fine, {"a", "b"}));
  const StudyLearner learner(study);
  const StudyModel model = learner.model_given({});
  const auto belief = learner.belief(model);
  const Candidates candidates = study.candidates_after({}, std::nullopt);
  const BudgetPlan whole = plan_budget(*belief, model.offer, model.acquisition, candidates, {.threads = 1}),
                   part = learner.plan(model, {}, *belief, candidates, {.threads = 1});
  ASSERT_EQ(part.courses.size(), whole.courses.size());
  EXPECT_NE(part.best().expected, whole.best().expected) << "the pool was thinned";
  EXPECT_NEAR(part.best().expected, whole.best().expected, 0.05 * whole.best().expected);
  EXPECT_GT(whole.best().gain, 0.005) << "weights matter here";
  for (const PlannedCourse& course : whole.courses)
    if (course.price_weight == part.price_weight) {
      EXPECT_GT(course.gain, whole.best().gain - 0.002);
    }
}

TEST(PlannedCampaign, BuysMoreOfTheLevelWithTheLowestPriceOfPrecision) {
  Campaign planned = started(settings()), by_ratio = started(settings(no_plan));
  spend(planned);
  spend(by_ratio);
  const auto largest = [](const Campaign& campaign) {
    const std::vector<Asked> asked = all_of<Asked>(campaign);
    return std::count_if(asked.begin(), asked.end(), [](const Asked& one) { return one.level == "x8"; });
  };
  EXPECT_GT(largest(planned), largest(by_ratio));
  EXPECT_TRUE(all_of<Planned>(by_ratio).empty());
}

TEST(PlannedCampaign, IsTheSameOnAnyNumberOfThreads) {
  Campaign one = started(settings()), two = started(settings(), make_memory_event_store(), 2);
  spend(one);
  spend(two);
  const std::vector<Asked> first = all_of<Asked>(one), second = all_of<Asked>(two);
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].row, second[i].row) << i;
    EXPECT_EQ(first[i].level, second[i].level) << i;
  }
}

TEST(PlannedCampaign, ReplayOfEveryPrefixGoesOnAsItDid) {
  Campaign campaign = started(settings());
  spend(campaign);
  const std::vector<StoredEvent> events = campaign.events();
  const auto is_asked = [](const StoredEvent& stored) { return std::holds_alternative<Asked>(stored.event); };
  int after_a_plan = 0;
  for (std::size_t count = 1; count < events.size(); ++count) {
    SCOPED_TRACE("after " + std::to_string(count) + " events");
    const auto next =
        std::find_if(events.begin() + static_cast<std::ptrdiff_t>(count), events.end(), is_asked);
    if (next == events.end()) break;
    auto store = make_memory_event_store();
    std::vector<Event> prefix;
    for (std::size_t k = 0; k < count; ++k) prefix.push_back(events[k].event);
    store->add(0, [&](const auto&) { return prefix; });
    after_a_plan += std::holds_alternative<Planned>(prefix.back());
    Campaign later = started(settings(), std::move(store));
    for (const Suggestion& s : later.pending()) tell(later, s);
    const AskResult result = later.ask();
    ASSERT_EQ(result.suggestions.size(), 1U);
    EXPECT_EQ(result.suggestions[0].row, std::get<Asked>(next->event).row);
    EXPECT_EQ(result.suggestions[0].level.name, std::get<Asked>(next->event).level);
  }
  EXPECT_GT(after_a_plan, 5);
}

TEST(PlannedCampaign, PlansAgainWhenTheBudgetChanges) {
  Campaign campaign = started(settings());
  while (all_of<Planned>(campaign).empty()) tell(campaign, campaign.ask().suggestions.at(0));
  tell(campaign, campaign.ask().suggestions.at(0));
  const std::size_t before = all_of<Planned>(campaign).size();
  campaign.change_budget(6000.0);
  EXPECT_TRUE(campaign.state().plan_is_stale());
  const auto asked = campaign.ask().suggestions;
  ASSERT_EQ(all_of<Planned>(campaign).size(), before + 1);
  EXPECT_GT(all_of<Planned>(campaign).back().remaining, 6000.0);
}

// Answers that cost twice as much as declared change what is worth buying.
TEST(PlannedCampaign, PlansAgainWhenAnExpectedCostChanges) {
  const std::string given =
      "[model]\namplitude = 1\nlengthscale = 1\nfit = \"never\"\nmean = 0\n"
      "[acquisition]\nplan = \"budget\"\n";
  std::string text = settings(given);
  text.insert(text.find("seed"), "learn_costs = true\n");
  Campaign calm = started(text), surprised = started(text);
  for (int step = 0; step < 6; ++step) {
    tell(calm, calm.ask().suggestions.at(0));
    const Suggestion asked = surprised.ask().suggestions.at(0);
    Answer answer;
    answer.id = asked.id;
    answer.values = {0.0};
    answer.cost = 2.0 * surprised.study().level_named(asked.level.name).cost;
    surprised.tell({answer});
  }
  calm.ask(), surprised.ask();
  EXPECT_EQ(all_of<Planned>(calm).size(), 1U + (calm.state().spent() > 600.0));
  const std::vector<Planned> plans = all_of<Planned>(surprised);
  EXPECT_GT(plans.size(), 1U + (surprised.state().spent() > 600.0) + (surprised.state().spent() > 1200.0));
  ASSERT_EQ(plans.back().costs.size(), 4U);
  EXPECT_GT(plans.back().costs, plans.front().costs);
}

TEST(PlannedCampaign, SeveralSuggestionsAtOnceFollowThePlan) {
  Campaign campaign = started(settings());
  while (all_of<Planned>(campaign).empty() || campaign.state().planned()->lambda == 1.0)
    tell(campaign, campaign.ask().suggestions.at(0));
  for (const Suggestion& s : campaign.pending()) tell(campaign, s);
  const Campaign& before = campaign;
  const AskResult result = campaign.ask({.count = 6, .worker = {}, .lease = {}, .budget = {}});
  ASSERT_EQ(result.suggestions.size(), 6U);
  // The state just before the questions: everything up to them.
  State state;
  for (const StoredEvent& stored : before.events())
    if (const auto* asked = std::get_if<Asked>(&stored.event);
        asked == nullptr || asked->id < result.suggestions.front().id)
      state.apply(stored);
    else
      break;
  StudyModel model = model_of(campaign.study(), state, annotations_of(campaign.study(), state));
  EXPECT_EQ(model.acquisition.price_weight, state.planned()->lambda);
  const auto belief = StudyLearner(campaign.study()).belief(model);
  const std::vector<Score> batch = select_batch(*belief, model.offer, model.acquisition,
                                                candidates_of(campaign.study(), state), 6, {.threads = 1});
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(batch[i].point, result.suggestions[i].row) << i;
    EXPECT_EQ(model.offer.levels[static_cast<std::size_t>(batch[i].level)].name,
              result.suggestions[i].level.name)
        << i;
  }
}

TEST(PlannedCampaign, ExplainsWhyALevelIsNotTheOneOfTheBestRatio) {
  Campaign campaign = started(settings());
  spend(campaign);
  std::string text;
  for (const Asked& asked : all_of<Asked>(campaign)) {
    if (asked.level != "x8") continue;
    text = to_text(explain(campaign, asked.id, 1), campaign.study());
    if (text.find("tells more per unit of money now") != std::string::npos) break;
  }
  EXPECT_NE(text.find("the budget is better spent on \"x8\""), std::string::npos) << text;
  EXPECT_NE(text.find("By the last plan"), std::string::npos) << text;
}

// The price at which the choice changes is exact also where prices weigh less.
TEST(PlannedCampaign, HasExactPricesAtWhichTheChoiceChanges) {
  const std::string fixed =
      "[model]\namplitude = 1\nlengthscale = 1.0\nfit = \"never\"\nmean = 0\n"
      "[acquisition]\nplan = 0.3\n";
  Campaign campaign = started(settings(fixed));
  for (int k = 0; k < 12; ++k) tell(campaign, campaign.ask().suggestions.at(0));
  const NextExplanation next = explain_next(campaign, 1);
  ASSERT_TRUE(next.explanation);
  int checked = 0;
  for (const Explanation::Counterfactual& one : next.explanation->counterfactuals) {
    if (!one.price) continue;
    for (const double factor : {1.0 - 1e-6, 1.0 + 1e-6}) {
      StudyFile file = read_study_text(settings(fixed));
      for (Level& level : file.price_list)
        if (level.name == one.level.name) level.cost = *one.price * factor;
      const Study other = Study::make(file, Pool(square(), {"a", "b"}));
      const StudyModel model = StudyLearner(other).model_given(campaign.annotations());
      Candidates candidates = campaign.candidates();
      const auto chosen =
          Selector(model.offer, model.acquisition, 1).choose(*StudyLearner(other).belief(model), candidates);
      ASSERT_TRUE(chosen);
      const bool is_level =
          model.offer.levels[static_cast<std::size_t>(chosen->level)].name == one.level.name;
      EXPECT_EQ(is_level, factor < 1.0) << one.level.name << " at " << *one.price * factor;
      ++checked;
    }
  }
  EXPECT_GT(checked, 3);
}

TEST(PlannedCampaign, StatusHasThePlanAndTheCertificate) {
  Campaign campaign = started(settings());
  spend(campaign);
  const auto certificate = purchase_certificate(campaign.study(), campaign.state());
  ASSERT_TRUE(certificate);
  EXPECT_GT(certificate->share(), 0.4);
  EXPECT_LE(certificate->share(), 1.0);
  EXPECT_NEAR(certificate->spent, campaign.state().spent(), 1e-9);
  const std::string text = status_text(campaign, StatusExtent::details);
  EXPECT_NE(text.find("of the most that this money could have bought"), std::string::npos) << text;
  EXPECT_NE(text.find("\nnothing can be bought any more\n"), std::string::npos) << text;
  EXPECT_NE(status_json(campaign).find("\"certificate\":{\"share\":"), std::string::npos);
  EXPECT_NE(status_json(campaign).find("\"plan\":{\"lambda\":"), std::string::npos);
}

TEST(PlannedCampaign, WithoutTimeThereIsANoteAndTheRatioRule) {
  Campaign campaign(Study::make(read_study_text(settings()), Pool(square(), {"a", "b"})),
                    make_memory_event_store(), {.threads = 1, .plan_seconds = 0.0});
  while (all_of<Planned>(campaign).empty()) tell(campaign, campaign.ask().suggestions.at(0));
  const Planned plan = all_of<Planned>(campaign).front();
  EXPECT_EQ(plan.lambda, 1.0);
  EXPECT_NE(plan.note.find("too long"), std::string::npos) << plan.note;
  EXPECT_NE(to_text(plan, campaign.study(), "nats").find("by information per cost"), std::string::npos);
}

TEST(PlannedCampaign, RefusesPlansThatCannotBe) {
  const auto sentence = [](const std::string& text) -> std::string {
    try {
      read_study_text(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string plan = "[acquisition]\nplan = \"budget\"\n",
                    levels = settings(no_plan).substr(
                        settings(no_plan).find("[[level]]"),
                        settings(no_plan).find("[acquisition]") - settings(no_plan).find("[[level]]"));
  EXPECT_NE(sentence(levels + plan).find("without campaign.budget"), std::string::npos);
  EXPECT_NE(sentence(settings("[acquisition]\nplan = \"budget\"\ninformation = \"bald\"\n"))
                .find("\"model\" or \"goal\""),
            std::string::npos);
  EXPECT_NE(sentence(settings("[acquisition]\nplan = 1.5\n")).find("from 0 to 1"), std::string::npos);
  EXPECT_NE(sentence(settings("[acquisition]\nplan = \"money\"\n")).find("\"money\""), std::string::npos);
  EXPECT_NE(sentence("[campaign]\nbudget = 9\n[target]\nkind = \"binary\"\n[[level]]\nname = \"a\"\naccuracy "
                     "= 0.9\ncost = 1\n" +
                     plan)
                .find("binary"),
            std::string::npos);
  EXPECT_EQ(sentence(settings("[acquisition]\nplan = 0.4\n")), "accepted");
}

}  // namespace
}  // namespace acuity::planned_campaign_test
