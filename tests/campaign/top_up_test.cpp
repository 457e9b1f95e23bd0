// Runs that are continued: the answer of a finer level replaces that of a coarser one at the same point.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "campaign/state_queries.hpp"
#include "explain/explanation.hpp"
#include "judgement/prequential.hpp"
#include "judgement/purchase_certificate.hpp"
#include "views/campaign_status.hpp"
#include "views/event_json.hpp"

namespace acuity::top_up_test {
namespace {

const std::string given_model = "[model]\namplitude = 1\nlengthscale = 1.2\nfit = \"never\"\nmean = 0\n";

// A simulation of 1, 4 or 16 batches of histories.
std::string settings(const std::string& rest, const std::string& campaign = "budget = 150\n",
                     const std::string& topup = "topup = true\n") {
  std::string text = "[campaign]\nseed = 3\n" + campaign;
  for (const int batches : {1, 4, 16})
    text += "[[level]]\nname = \"x" + std::to_string(batches) +
            "\"\nnoise_sd = " + std::to_string(0.4 / std::sqrt(batches)) +
            "\ncost = " + std::to_string(batches) + "\n" + (batches > 1 ? topup : "");
  return text + given_model + rest;
}
const std::string by_ratio = "[acquisition]\nplan = \"none\"\n", at_a_weight = "[acquisition]\nplan = 0.4\n",
                  planned = "[acquisition]\nplan = \"budget\"\n";

Points square() {
  Points points(36, 2);
  for (Index i = 0; i < points.rows(); ++i)
    points.row(i) << static_cast<double>(i % 6) / 2.0, static_cast<double>(i / 6) / 2.0;
  return points;
}

Campaign started(const std::string& text, std::unique_ptr<EventStore> store = make_memory_event_store(),
                 int threads = 1) {
  return {
      Study::make(read_study_text(text), Pool(square(), {"a", "b"})), std::move(store), {.threads = threads}};
}

Answer answer_to(const Suggestion& asked) {
  Answer answer;
  answer.id = asked.id;
  const double wobble = std::sin(977.0 * static_cast<double>(asked.row));
  answer.values = {std::sin(asked.inputs[0]) * std::cos(asked.inputs[1]) +
                   std::sqrt(2.0 * noise_variance(asked.level.channel)) * wobble};
  return answer;
}

// Asks and tells until a run is continued; returns the suggestion that does, not answered yet.
Suggestion first_continued(Campaign& campaign) {
  for (;;) {
    const Suggestion asked = campaign.ask().suggestions.at(0);
    if (asked.resume_from) return asked;
    campaign.tell({answer_to(asked)});
  }
}

std::vector<Asked> all_asked(const Campaign& campaign) {
  std::vector<Asked> found;
  for (const StoredEvent& stored : campaign.events())
    if (const auto* asked = std::get_if<Asked>(&stored.event)) found.push_back(*asked);
  return found;
}

void spend(Campaign& campaign, int at_once = 1) {
  for (;;) {
    const AskResult result = campaign.ask({.count = at_once, .worker = {}, .lease = {}, .budget = {}});
    if (result.suggestions.empty()) return;
    for (const Suggestion& s : result.suggestions) campaign.tell({answer_to(s)});
  }
}

double variance_at(const Prior& prior, const Points& pool, const std::vector<Observation>& known, Index row) {
  if (known.empty()) return prior.kernel->diagonal(pool.row(row))(0);
  return GpPosterior(prior, Observations(known, pool)).predict(pool.row(row)).variance(0);
}

// Every candidate with the posterior before and after its answer, a new one or one in the place of another.
struct SlowChoice {
  Index row = -1;
  std::string level;
  std::optional<std::int64_t> replaces;
  double information = 0.0, value = 0.0;
};

SlowChoice slow_choice(const Campaign& campaign, double price_weight) {
  const StudyModel model = campaign.model();
  const State& state = campaign.state();
  const Points& pool = campaign.study().pool().points();
  std::vector<SlowChoice> all;
  std::vector<double> costs;
  std::set<Index> taken;
  for (const SuggestionRecord& record : state.suggestions()) taken.insert(record.asked.row);
  const auto add = [&](Index row, std::size_t level, double cost, std::vector<Observation> after,
                       std::optional<std::int64_t> replaces) {
    if (cost > state.free() * (1.0 + 1e-9)) return;
    const double s = variance_at(model.prior, pool, model.observations, row);
    const double left = variance_at(model.prior, pool, after, row);
    all.push_back({row, model.offer.levels[level].name, replaces, 0.5 * std::log(s / left)});
    costs.push_back(cost);
  };
  for (std::size_t k = 0; k < model.offer.levels.size(); ++k) {
    const Level& level = model.offer.levels[k];
    for (Index row = 0; row < pool.rows(); ++row) {
      if (taken.contains(row)) continue;
      std::vector<Observation> after = model.observations;
      after.push_back({row, 0.0, model.offer.channel(row, static_cast<Index>(k))});
      add(row, k, level.cost, after, std::nullopt);
    }
    for (std::size_t i = 0; level.tops_up && i < state.answered().size(); ++i) {
      const SuggestionRecord& held = *state.find(state.answered()[i]);
      const double price = campaign.study().level_named(held.level()).cost;
      if (price >= level.cost) continue;
      std::vector<Observation> after = model.observations;
      after[i].channel = model.offer.channel(held.row(), static_cast<Index>(k));
      add(held.row(), k, level.cost - price, after, held.asked.id);
    }
  }
  double ratio = 0.0;
  for (std::size_t i = 0; i < all.size(); ++i) ratio = std::max(ratio, all[i].information / costs[i]);
  SlowChoice best;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].value = all[i].information - price_weight * ratio * costs[i];
    if (best.row < 0 || all[i].value > best.value) best = all[i];
  }
  return best;
}

TEST(TopUp, ChoicesAreThoseOfASlowTwin) {
  for (const auto& [rest, weight] : {std::pair(by_ratio, 1.0), std::pair(at_a_weight, 0.4)}) {
    Campaign campaign = started(settings(rest));
    int continued = 0;
    for (int step = 0; step < 45; ++step) {
      SCOPED_TRACE(step);
      const SlowChoice slow = slow_choice(campaign, weight);
      const AskResult result = campaign.ask();
      if (result.suggestions.empty()) break;
      const Suggestion& fast = result.suggestions.front();
      // Another candidate may be as good, and then the pool row decides.
      EXPECT_NEAR(fast.information - slow.information, 0.0, 1e-6) << fast.point << " " << slow.row;
      EXPECT_EQ(fast.level.name, slow.level);
      EXPECT_EQ(fast.resume_from.has_value(), slow.replaces.has_value());
      continued += fast.resume_from.has_value();
      campaign.tell({answer_to(fast)});
    }
    EXPECT_GT(continued, 3) << rest;
  }
}

TEST(TopUp, CostsTheDifferenceAndReplacesTheAnswer) {
  Campaign campaign = started(settings(by_ratio));
  const Suggestion asked = first_continued(campaign);
  const SuggestionRecord before = *campaign.state().find(*asked.resume_from);
  const auto price = [&](const std::string& level) { return campaign.study().level_named(level).cost; };
  EXPECT_EQ(asked.row, before.row());
  EXPECT_EQ(asked.cost, price(asked.level.name) - price(before.level()));
  EXPECT_EQ(asked.channel, campaign.study().offer().channel(asked.row, 1));
  const double spent = campaign.state().spent();
  const std::int64_t count = campaign.state().annotations();
  campaign.tell({answer_to(asked)});
  EXPECT_EQ(campaign.state().spent(), spent + asked.cost);
  EXPECT_EQ(campaign.state().annotations(), count);
  const SuggestionRecord& after = *campaign.state().find(*asked.resume_from);
  EXPECT_TRUE(after.values.empty());
  EXPECT_EQ(after.replaced_values, before.values);
  EXPECT_EQ(status_name(after), "replaced");
  for (const std::int64_t id : campaign.state().answered()) EXPECT_NE(id, *asked.resume_from);
  // The annotation carries what the whole run has cost.
  EXPECT_EQ(campaign.annotations().back().cost, before.charged + asked.cost);
  EXPECT_NE(status_text(campaign, StatusExtent::details).find("1 answer replaced by continuing its run"),
            std::string::npos)
      << status_text(campaign);
  EXPECT_NE(status_json(campaign).find("\"replaced\":1"), std::string::npos);
  std::string events;
  for (const StoredEvent& stored : campaign.events())
    events += event_json(stored, campaign.state(), &campaign.study().pool());
  EXPECT_NE(events.find("\"replaces\":" + std::to_string(*asked.resume_from)), std::string::npos);
}

// The belief that follows event by event has the difference, a new one only the last answers.
TEST(TopUp, BeliefIsThatOfTheLastAnswersAlone) {
  Campaign campaign = started(settings(by_ratio));
  int continued = 0;
  for (int step = 0; step < 45; ++step) {
    const AskResult result = campaign.ask();
    if (result.suggestions.empty()) break;
    const auto agrees = [&] {
      auto store = make_memory_event_store();
      std::vector<Event> events;
      for (const StoredEvent& stored : campaign.events()) events.push_back(stored.event);
      store->add(0, [&](const auto&) { return events; });
      Campaign again = started(settings(by_ratio), std::move(store));
      const Marginals followed = campaign.belief().marginals(), made = again.belief().marginals();
      EXPECT_LT((followed.mean - made.mean).cwiseAbs().maxCoeff(), 1e-11);
      EXPECT_LT((followed.variance - made.variance).cwiseAbs().maxCoeff(), 1e-11);
    };
    agrees();
    continued += result.suggestions.front().resume_from.has_value();
    campaign.tell({answer_to(result.suggestions.front())});
    agrees();
    const StudyModel model = campaign.model();
    const Marginals exact =
        GpPosterior(model.prior, Observations(model.observations, square())).predict(square());
    EXPECT_LT((campaign.belief().marginals().mean - exact.mean).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_EQ(model.observations.size(), campaign.state().answered().size());
  }
  EXPECT_GT(continued, 3);
}

TEST(TopUp, AFailedOrReleasedOneLeavesTheAnswerInForce) {
  Campaign campaign = started(settings(by_ratio));
  const Suggestion asked = first_continued(campaign);
  const Vector before = [&] {
    Campaign without = started(settings(by_ratio));
    first_continued(without);
    without.release({asked.id}, "");
    return without.belief().marginals().variance;
  }();
  EXPECT_LT(campaign.belief().marginals().variance.sum(), before.sum()) << "a pending one is expected";
  campaign.fail({.id = asked.id, .reason = "no licence", .charge = 0.5, .exclude = false});
  EXPECT_EQ(campaign.state().find(*asked.resume_from)->values.size(), 1U);
  EXPECT_LT((campaign.belief().marginals().variance - before).cwiseAbs().maxCoeff(), 1e-11);
  const Suggestion again = campaign.ask().suggestions.at(0);
  EXPECT_EQ(again.resume_from, asked.resume_from);
  campaign.release({again.id}, "");
  EXPECT_LT((campaign.belief().marginals().variance - before).cwiseAbs().maxCoeff(), 1e-11);
  // A late answer counts.
  campaign.tell({answer_to(again)});
  EXPECT_EQ(campaign.state().find(*asked.resume_from)->replaced_by, again.id);
}

TEST(TopUp, OfAPointThatIsExcludedIsNotOffered) {
  Campaign campaign = started(settings(by_ratio));
  const Suggestion asked = first_continued(campaign);
  campaign.fail({.id = asked.id, .reason = "cannot be resumed", .charge = 0.0, .exclude = true});
  spend(campaign);
  for (const Asked& one : all_asked(campaign)) {
    if (one.id > asked.id && one.row == asked.row) {
      EXPECT_NE(one.level, asked.level.name);
    }
  }
}

TEST(TopUp, RetractingItRestoresTheAnswerThatItReplaced) {
  Campaign campaign = started(settings(by_ratio));
  const Suggestion asked = first_continued(campaign);
  const std::int64_t old = *asked.resume_from;
  campaign.tell({answer_to(asked)});
  const auto sentence = [&](const auto& change) -> std::string {
    try {
      change();
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(sentence([&] { campaign.amend(old, {1.0}, "typo"); }).find("was replaced by"), std::string::npos);
  EXPECT_NE(sentence([&] { campaign.retract(old, "wrong"); }).find("retract " + std::to_string(asked.id)),
            std::string::npos);
  campaign.retract(asked.id, "the restart file was damaged");
  EXPECT_EQ(campaign.state().find(old)->values.size(), 1U);
  EXPECT_FALSE(campaign.state().find(old)->replaced_by);
  EXPECT_EQ(campaign.state().answered().back(), old);
  campaign.amend(asked.id, {0.25}, "it was not");
  EXPECT_EQ(campaign.state().find(old)->replaced_by, asked.id);
  EXPECT_EQ(campaign.annotations().back().value, 0.25);
  const StudyModel model = campaign.model();
  const Marginals exact =
      GpPosterior(model.prior, Observations(model.observations, square())).predict(square());
  EXPECT_LT((campaign.belief().marginals().mean - exact.mean).cwiseAbs().maxCoeff(), 1e-11);
}

// The first one comes late, when the run is being continued again.
TEST(TopUp, TwoAnswersToOneRunLeaveTheLast) {
  Campaign campaign = started(settings(by_ratio));
  const Suggestion first = first_continued(campaign);
  campaign.release({first.id}, "");
  const Suggestion second = campaign.ask().suggestions.at(0);
  ASSERT_EQ(second.resume_from, first.resume_from);
  campaign.tell({answer_to(first)});
  campaign.belief();
  campaign.tell({answer_to(second)});
  EXPECT_EQ(campaign.state().find(*first.resume_from)->replaced_by, first.id);
  EXPECT_EQ(campaign.state().find(first.id)->replaced_by, second.id);
  EXPECT_EQ(campaign.state().successor(*first.resume_from), second.id);
  const StudyModel model = campaign.model();
  const Marginals exact =
      GpPosterior(model.prior, Observations(model.observations, square())).predict(square());
  EXPECT_LT((campaign.belief().marginals().variance - exact.variance).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(TopUp, AnAnswerAboutAnotherPointReplacesNothing) {
  Campaign campaign = started(settings(by_ratio));
  const Suggestion asked = first_continued(campaign);
  Answer elsewhere = answer_to(asked);
  elsewhere.row = (asked.row + 1) % 36;
  campaign.tell({elsewhere});
  EXPECT_EQ(campaign.state().find(*asked.resume_from)->values.size(), 1U);
  EXPECT_FALSE(campaign.state().find(asked.id)->replaced);
}

// With its own noise, which is less than expected; or more than before, which makes the model worse.
TEST(TopUp, ReportedNoiseIsThatOfTheWholeRun) {
  for (const double noise : {0.01, 0.5}) {
    Campaign campaign = started(settings(by_ratio));
    const Suggestion asked = first_continued(campaign);
    Answer answer = answer_to(asked);
    answer.channel = GaussianChannel{noise};
    campaign.tell({answer});
    const StudyModel model = campaign.model();
    const Marginals exact =
        GpPosterior(model.prior, Observations(model.observations, square())).predict(square());
    EXPECT_EQ(noise_variance(model.observations.back().channel), noise);
    EXPECT_LT((campaign.belief().marginals().mean - exact.mean).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LT((campaign.belief().marginals().variance - exact.variance).cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST(TopUp, BatchesContinueEveryRunOnceAndFollowThePlan) {
  Campaign campaign = started(settings(planned)),
           two = started(settings(planned), make_memory_event_store(), 2);
  spend(campaign, 5);
  spend(two, 5);
  std::map<std::int64_t, int> times;
  int plans = 0;
  for (const Asked& asked : all_asked(campaign))
    if (asked.replaces) ++times[*asked.replaces];
  for (const StoredEvent& stored : campaign.events()) plans += std::holds_alternative<Planned>(stored.event);
  EXPECT_GT(times.size(), 2U);
  for (const auto& [id, count] : times) EXPECT_EQ(count, 1) << id;
  EXPECT_GT(plans, 3);
  const std::vector<Asked> one = all_asked(campaign), other = all_asked(two);
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].row, other[i].row);
    EXPECT_EQ(one[i].replaces, other[i].replaces);
  }
  EXPECT_LE(campaign.state().spent(), 150.0 * (1.0 + 1e-9));
}

// Every point has an answer, so that only runs can be continued: that is something to plan for.
TEST(TopUp, PlansForRunsThatCanBeContinuedIfNoPointIsOpen) {
  Campaign campaign = started(settings(planned));
  const AskResult all = campaign.ask({.count = 36, .level = "x1"});
  ASSERT_EQ(all.suggestions.size(), 36U);
  for (const Suggestion& s : all.suggestions) campaign.tell({answer_to(s)});
  const AskResult next = campaign.ask();
  ASSERT_EQ(next.suggestions.size(), 1U);
  EXPECT_TRUE(next.suggestions[0].resume_from);
  const Planned* last = nullptr;
  const std::vector<StoredEvent> events = campaign.events();
  for (const StoredEvent& stored : events)
    if (const auto* plan = std::get_if<Planned>(&stored.event)) last = plan;
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->note.find("nothing can be bought"), std::string::npos) << last->note;
  double planned_purchases = 0.0;
  for (const double count : last->purchases) planned_purchases += count;
  EXPECT_GT(planned_purchases, 0.0);
}

TEST(TopUp, ReplayOfEveryPrefixGoesOnAsItDid) {
  Campaign campaign = started(settings(planned));
  spend(campaign);
  const std::vector<StoredEvent> events = campaign.events();
  int continued = 0;
  for (std::size_t count = 1; count < events.size(); ++count) {
    SCOPED_TRACE("after " + std::to_string(count) + " events");
    std::vector<Event> prefix;
    for (std::size_t k = 0; k < count; ++k)
      prefix.push_back(event_from_json(event_name(events[k].event), to_json(events[k].event)));
    const auto next =
        std::find_if(events.begin() + static_cast<std::ptrdiff_t>(count), events.end(),
                     [](const StoredEvent& one) { return std::holds_alternative<Asked>(one.event); });
    if (next == events.end()) break;
    auto store = make_memory_event_store();
    store->add(0, [&](const auto&) { return prefix; });
    Campaign later = started(settings(planned), std::move(store));
    for (const Suggestion& s : later.pending()) later.tell({answer_to(s)});
    const Suggestion chosen = later.ask().suggestions.at(0);
    const Asked& asked = std::get<Asked>(next->event);
    EXPECT_EQ(chosen.row, asked.row);
    EXPECT_EQ(chosen.level.name, asked.level);
    EXPECT_EQ(chosen.resume_from, asked.replaces);
    continued += asked.replaces.has_value();
  }
  EXPECT_GT(continued, 3);
}

// The same budget buys more if runs can be continued, and at least as much by the plan.
TEST(TopUp, BuysMoreThanNewRunsAlone) {
  const auto bought = [](const std::string& text) {
    Campaign campaign = started(text);
    spend(campaign);
    const StudyModel model = campaign.model();
    const Observations known(model.observations, square());
    Matrix ratio = model.prior.kernel->cross(known.points(), known.points());
    for (Index i = 0; i < known.size(); ++i)
      ratio.row(i) /= noise_variance(known.channels()[static_cast<std::size_t>(i)]);
    ratio.diagonal().array() += 1.0;
    return 0.5 * std::log(ratio.determinant());
  };
  const double without = bought(settings(by_ratio, "budget = 150\n", "")), with = bought(settings(by_ratio));
  EXPECT_GT(with, without * 1.01);
}

TEST(TopUp, IsExplainedAndCertified) {
  Campaign campaign = started(settings(by_ratio));
  const Suggestion asked = first_continued(campaign);
  const Explanation why = explain(campaign, asked.id, 1);
  const std::string text = to_text(why, campaign.study());
  EXPECT_NE(text.find("It continues the run of annotation " + std::to_string(*asked.resume_from)),
            std::string::npos)
      << text;
  EXPECT_LT(why.sd_after, std::sqrt(asked.variance));
  EXPECT_NEAR(std::log(std::sqrt(asked.variance) / why.sd_after), asked.information, 1e-9);
  campaign.tell({answer_to(asked)});
  spend(campaign);
  const auto certificate = purchase_certificate(campaign.study(), campaign.state());
  ASSERT_TRUE(certificate);
  EXPECT_NEAR(certificate->spent, campaign.state().spent(), 1e-9);
  EXPECT_GT(certificate->share(), 0.3);
  EXPECT_LE(certificate->share(), 1.0);
}

// Answers are compared with what was predicted; of those to continued runs most was known.
TEST(TopUp, PredictionsOfReplacedAnswersCount) {
  Campaign campaign = started(settings(by_ratio));
  spend(campaign);
  std::size_t new_runs = 0;
  for (const Asked& asked : all_asked(campaign)) new_runs += !asked.replaces;
  const std::vector<PrequentialScore> scores = prequential_scores(campaign);
  EXPECT_GT(campaign.state().replaced(), 3);
  EXPECT_EQ(scores.size(), new_runs - 1) << "nothing predicted the first one";
  for (const PrequentialScore& one : scores) EXPECT_FALSE(campaign.state().find(one.id)->asked.replaces);
}

TEST(TopUp, IsRefusedWhereErrorsDoNotAverageOut) {
  const auto sentence = [](const std::string& text) -> std::string {
    try {
      read_study_text(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string start = "[campaign]\nbudget = 9\n[[level]]\nname = \"c\"\nnoise_sd = 1\ncost = 1\n",
                    fine = "[[level]]\nname = \"f\"\nnoise_sd = 0.1\ncost = 3\ntopup = true\n";
  EXPECT_EQ(sentence(start + fine), "accepted");
  EXPECT_NE(sentence(start + fine + "repeat = \"same\"\n").find("does not average out"), std::string::npos);
  EXPECT_NE(sentence(start + fine + "[acquisition]\ninformation = \"target\"\n").find("topup"),
            std::string::npos);
  EXPECT_NE(sentence("[campaign]\nbudget = 9\n[target]\nkind = \"binary\"\n[[level]]\nname = \"a\"\naccuracy "
                     "= 0.9\ncost = 1\ntopup = true\n")
                .find("binary"),
            std::string::npos);
}

}  // namespace
}  // namespace acuity::top_up_test
