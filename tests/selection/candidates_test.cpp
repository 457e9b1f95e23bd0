#include "acuity/selection/candidates.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/selection/selector.hpp"
#include "numerics/random.hpp"
#include "selection/why_nothing.hpp"

namespace acuity::candidates_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Levels of growing precision and cost; `same` says which of them repeat their answer.
Offer offer_of(Index points, const std::vector<bool>& same) {
  Offer offer{.levels = {}, .base_noise = Vector::Constant(points, 0.001)};
  for (std::size_t k = 0; k < same.size(); ++k) {
    const auto precision = static_cast<double>(k + 1);
    offer.levels.push_back({.name = std::to_string(k),
                            .channel = GaussianChannel{0.1 / precision / precision},
                            .cost = precision,
                            .repeats_itself = same[k]});
  }
  return offer;
}

// A part of the pool against the same points taken one by one.
TEST(Candidates, APartOfThePoolIsItsPoints) {
  const Offer offer = offer_of(40, {true, false, false});
  Candidates all(offer, {.budget = 30.0, .repeat_points = true, .step = 4, .most_per_level = 2});
  numerics::Draws draws(4, numerics::Purpose::data);
  for (int i = 0; i < 60; ++i) all.buy(draws.below(40), draws.below(3), 0.25);
  for (int i = 0; i < 5; ++i) all.close(draws.below(40));
  all.close_level(2);
  for (const auto& [first, count] : {std::pair<Index, Index>{0, 40}, {0, 13}, {13, 20}, {33, 7}, {20, 0}}) {
    std::vector<Index> rows;
    for (Index i = 0; i < count; ++i) rows.push_back(first + i);
    const Candidates part = all.part(first, count), points = all.at(rows);
    EXPECT_EQ(part.open(), points.open());
    EXPECT_EQ(part.partly_open(), points.partly_open());
    EXPECT_EQ(part.first_row(), first);
    EXPECT_EQ(part.step(), all.step());
    EXPECT_EQ(part.remaining(), all.remaining());
    EXPECT_TRUE(part.level_is_closed(2));
    for (Index i = 0; i < count; ++i)
      for (Index level = 0; level < 3; ++level)
        EXPECT_EQ(part.is_open(i, level), all.is_open(first + i, level));
    const Offer there = offer.part(first, count);
    EXPECT_EQ(there.base_noise, offer.at(rows).base_noise);
  }
}

// What is done to all of the points, whether a rank holds them or not.
TEST(Candidates, OfARankAreThoseOfOneProcess) {
  const Offer offer = offer_of(40, {true, false, false});
  for (const PoolShard& held : {PoolShard{0, 40, 40}, {13, 9, 40}, {30, 10, 40}, {40, 0, 40}}) {
    const CandidatesOptions options{.budget = 30.0, .repeat_points = true, .step = 4, .most_per_level = 2};
    Candidates all(offer, options);
    CandidatesOptions of_rank = options;
    of_rank.held = held;
    Candidates some(offer, of_rank);
    EXPECT_EQ(some.open().size(), static_cast<std::size_t>(held.rows));
    numerics::Draws draws(4, numerics::Purpose::data);
    const auto expect_equal = [&](const Candidates& here, const Candidates& there) {
      for (Index point = 0; point < 40; ++point) {
        EXPECT_EQ(here.is_open(point), there.is_open(point));
        for (Index level = 0; level < 3; ++level)
          EXPECT_EQ(here.is_open(point, level), there.is_open(point, level));
      }
      EXPECT_EQ(here.any_open(), there.any_open());
      EXPECT_EQ(here.partly_open(), there.partly_open());
      EXPECT_EQ(here.part(held.first, held.rows).open(), there.part(held.first, held.rows).open());
      EXPECT_EQ(here.part(5, 30).open(), there.part(5, 30).open());
      EXPECT_EQ(here.at({3, 17, 39}).open(), there.at({3, 17, 39}).open());
    };
    for (int step = 0; step < 200; ++step) {
      const Index point = draws.below(40), level = draws.below(3);
      const auto change = [&](Candidates& one) {
        if (!one.is_open(point, level)) return;
        one.buy(point, level, 0.0);
        if (step % 3 == 0) one.give_back(point, level, 0.0);
        if (step % 50 == 49) one.close(point);
      };
      change(all);
      change(some);
      if (step % 20 == 0) expect_equal(some, all);
      if (step % 20 == 0) expect_equal(some.for_levels(offer), all.for_levels(offer));
    }
    for (Index point = 0; point < 40; ++point) all.close(point), some.close(point);
    expect_equal(some, all);
    EXPECT_FALSE(some.any_open());
  }
}

TEST(Candidates, ALevelThatRepeatsItsAnswerIsClosedAloneWhateverThePoolSays) {
  for (const bool repeat_points : {false, true}) {
    Candidates candidates(offer_of(2, {true, false}), {.budget = 10.0, .repeat_points = repeat_points});
    candidates.buy(1, 0, 1.0);
    EXPECT_FALSE(candidates.is_open(1, 0));
    EXPECT_TRUE(candidates.is_open(1, 1));
    EXPECT_TRUE(candidates.is_open(1));
    EXPECT_EQ(candidates.partly_open(), std::set<Index>{1});
    EXPECT_EQ(candidates.remaining(), 9.0);
    EXPECT_EQ(candidates.step(), 1U);
  }
}

TEST(Candidates, AnIndependentLevelClosesThePointUnlessPointsMayBeRepeated) {
  const Offer offer = offer_of(2, {true, false});
  Candidates once(offer), again(offer, {.repeat_points = true});
  for (Candidates* candidates : {&once, &again}) candidates->buy(0, 1, 2.0);
  EXPECT_FALSE(once.is_open(0));
  EXPECT_FALSE(once.is_open(0, 0));
  EXPECT_TRUE(once.is_open(1));
  EXPECT_TRUE(again.is_open(0, 0) && again.is_open(0, 1));
}

TEST(Candidates, ALevelIsClosedAtAPointAfterSoManyAnswersAndOpensAgain) {
  const Offer offer = offer_of(2, {false, false});
  Candidates candidates(offer, {.repeat_points = true, .most_per_level = 2});
  for (int k = 0; k < 2; ++k) {
    EXPECT_TRUE(candidates.is_open(0, 1));
    candidates.buy(0, 1, 1.0);
  }
  EXPECT_FALSE(candidates.is_open(0, 1));
  EXPECT_TRUE(candidates.is_open(0, 0) && candidates.is_open(1, 1));
  EXPECT_FALSE(candidates.at({1, 0}).is_open(1, 1));
  candidates.close_bought(0, 1);  // one more than was allowed, told elsewhere
  candidates.give_back(0, 1, 1.0);
  EXPECT_FALSE(candidates.is_open(0, 1)) << "two are left";
  candidates.give_back(0, 1, 1.0);
  EXPECT_TRUE(candidates.is_open(0, 1));
  candidates.give_back(0, 1, 1.0);
  EXPECT_THROW(candidates.give_back(0, 1, 1.0), std::invalid_argument);
}

TEST(Candidates, ALevelThatIsClosedIsNotInPlay) {
  const Offer offer = offer_of(2, {false, false, false});
  Candidates candidates(offer, {.budget = 10.0});
  candidates.close_level(2);
  EXPECT_EQ(levels_in_play(offer, {}, candidates), (std::vector<Index>{0, 1}));
  Acquisition bald;
  bald.ranking = Ranking::information;
  EXPECT_EQ(levels_in_play(offer, bald, candidates), (std::vector<Index>{1})) << "the finest that is left";
  candidates.close_level(0);
  candidates.close_level(1);
  EXPECT_TRUE(levels_in_play(offer, bald, candidates).empty());
}

TEST(Candidates, WhatIsNoneOfTheLevelsCountsAsIndependent) {
  const Offer offer = offer_of(3, {true, true});
  Candidates candidates(offer);
  candidates.buy(0, std::nullopt, 1.0);  // a noise that was reported
  candidates.buy({.point = 1, .level = 0, .cost = 1.0, .precision = Precision::of(2.0)});
  EXPECT_EQ(candidates.open(), (std::vector<char>{0, 0, 1}));
}

TEST(Candidates, APointIsClosedWhenAllItsLevelsAre) {
  Candidates candidates(offer_of(2, {true, true}));
  candidates.buy(0, 0, 1.0);
  EXPECT_TRUE(candidates.is_open(0));
  candidates.exclude(0, 1);
  EXPECT_FALSE(candidates.is_open(0));
  EXPECT_TRUE(candidates.partly_open().empty());
  EXPECT_TRUE(candidates.any_open());
  candidates.close(1);
  EXPECT_FALSE(candidates.any_open());
}

TEST(Candidates, GivingBackOpensWhatNothingElseKeepsClosed) {
  Candidates candidates(offer_of(2, {true, false}), {.budget = 10.0});
  candidates.buy(0, 0, 1.0);
  candidates.buy(0, 0, 1.0);
  candidates.buy(1, 1, 2.0);
  candidates.close(1);
  candidates.give_back(0, 0, 1.0);
  EXPECT_FALSE(candidates.is_open(0, 0)) << "bought twice, given back once";
  candidates.give_back(0, 0, 1.0);
  EXPECT_TRUE(candidates.is_open(0, 0));
  candidates.give_back(1, 1, 2.0);
  EXPECT_FALSE(candidates.is_open(1)) << "closed for good";
  EXPECT_EQ(candidates.remaining(), 10.0);
  EXPECT_EQ(candidates.step(), 3U) << "random choices are not repeated";
  EXPECT_THROW(candidates.give_back(0, 0, 1.0), std::invalid_argument);
  EXPECT_THROW(candidates.give_back(0, 1, 1.0), std::invalid_argument);
}

TEST(Candidates, MoneyHasASlackOfABillionthOfTheBudget) {
  const Offer offer = offer_of(1, {false});
  Candidates candidates(offer, {.budget = 100.0, .repeat_points = true});
  EXPECT_TRUE(candidates.affordable(100.0 + 0.9e-7));
  EXPECT_FALSE(candidates.affordable(100.0 + 1.1e-7));
  candidates.buy(0, 0, 99.0);
  EXPECT_EQ(candidates.remaining(), 1.0);
  EXPECT_EQ(candidates.largest_cost(), 1.0 + 1e-7) << "of the budget, not of what remains";
  candidates.charge(0.5);
  EXPECT_EQ(candidates.remaining(), 0.5);
  candidates.set_money(3.0, infinity);
  EXPECT_EQ(candidates.largest_cost(), 3.0 + 3e-9) << "without a budget that of what remains";
  EXPECT_EQ(Candidates(offer).largest_cost(), infinity);
  EXPECT_EQ(budget_slack(infinity), 0.0);
}

TEST(Candidates, WhyNothingIsLeftIsSaid) {
  const Offer offer = offer_of(2, {true, false});
  const Acquisition acquisition;
  Candidates candidates(offer, {.budget = 1.5});
  EXPECT_FALSE(is_sold_out(offer, acquisition, candidates));
  candidates.exclude(0, 0);
  candidates.exclude(1, 0);
  EXPECT_EQ(why_nothing(offer, acquisition, candidates),
            "every level that can be paid for is excluded, or would only repeat its answer");
  EXPECT_TRUE(is_sold_out(offer, acquisition, candidates));
  candidates.charge(1.0);
  EXPECT_EQ(why_nothing(offer, acquisition, candidates), "no level is affordable, 0.5 remains");
  EXPECT_FALSE(is_sold_out(offer, acquisition, candidates)) << "the money was spent";
  candidates.set_money(9.0, 9.0);
  EXPECT_FALSE(is_sold_out(offer, acquisition, candidates));
  candidates.close(0);
  candidates.exclude(1, 1);
  EXPECT_EQ(why_nothing(offer, acquisition, candidates),
            "every pool point is annotated, pending or excluded");
  EXPECT_TRUE(is_sold_out(offer, acquisition, candidates));
}

// The slow twin: a list of what happened, searched for every question.
struct Ledger {
  struct Entry {
    Index point;
    std::optional<Index> level;  // absent: the whole point
    bool bought;
  };
  const Offer& offer;
  bool repeat_points;
  std::vector<Entry> entries;
  double remaining;

  bool closes(const Entry& entry, Index point, Index level) const {
    if (entry.point != point) return false;
    if (!entry.bought) return !entry.level || entry.level == level;
    const bool same = entry.level && offer.levels[static_cast<std::size_t>(*entry.level)].repeats_itself;
    return same ? entry.level == level : !repeat_points;
  }
  bool is_open(Index point, Index level) const {
    return std::none_of(entries.begin(), entries.end(),
                        [&](const Entry& entry) { return closes(entry, point, level); });
  }
};

RC_GTEST_PROP(Candidates, AgreeWithAListOfPurchases, ()) {
  numerics::Draws draws(*rc::gen::arbitrary<std::uint32_t>(), numerics::Purpose::data, 3);
  const Index points = 1 + draws.below(4), levels = 1 + draws.below(3);
  std::vector<bool> same;
  for (Index k = 0; k < levels; ++k) same.push_back(draws.below(2) == 0);
  const Offer offer = offer_of(points, same);
  Ledger ledger{offer, draws.below(2) == 0, {}, 64.0};
  Candidates candidates(offer, {.budget = 64.0, .repeat_points = ledger.repeat_points});
  for (int step = 0; step < 25; ++step) {
    const Index point = draws.below(points);
    std::optional<Index> level = draws.below(levels);
    switch (draws.below(6)) {
      case 0:
        candidates.close(point);
        ledger.entries.push_back({point, std::nullopt, false});
        break;
      case 1:
        candidates.exclude(point, *level);
        ledger.entries.push_back({point, level, false});
        break;
      case 2: {
        const auto bought = std::find_if(ledger.entries.begin(), ledger.entries.end(),
                                         [](const Ledger::Entry& entry) { return entry.bought; });
        if (bought == ledger.entries.end()) break;
        candidates.give_back(bought->point, bought->level, 2.0);
        ledger.remaining += 2.0;
        ledger.entries.erase(bought);
        break;
      }
      default:
        if (draws.below(5) == 0) level.reset();
        candidates.buy(point, level, 2.0);
        ledger.remaining -= 2.0;
        ledger.entries.push_back({point, level, true});
    }
    std::vector<Index> all;
    for (Index i = points; i-- > 0;) all.push_back(i);
    const Candidates reversed = candidates.at(all);
    RC_ASSERT(candidates.remaining() == ledger.remaining);
    RC_ASSERT(reversed.remaining() == ledger.remaining && reversed.step() == candidates.step());
    for (Index i = 0; i < points; ++i) {
      Index open = 0;
      for (Index k = 0; k < levels; ++k) {
        RC_ASSERT(candidates.is_open(i, k) == ledger.is_open(i, k));
        RC_ASSERT(reversed.is_open(points - 1 - i, k) == ledger.is_open(i, k));
        open += ledger.is_open(i, k) ? 1 : 0;
      }
      RC_ASSERT(candidates.is_open(i) == (open > 0));
      RC_ASSERT(candidates.partly_open().contains(i) == (open > 0 && open < levels));
    }
  }
}

// 40 points with three levels each, asked one by one and at once.
TEST(Candidates, EveryLevelOfEveryPointIsBoughtIfAnswersRepeat) {
  const Offer offer = offer_of(40, {true, true, true});
  const Acquisition acquisition;
  const Points pool = Vector::LinSpaced(40, 0.0, 8.0);
  GpPoolBelief belief({.kernel = std::make_shared<StationaryKernel>()}, pool);
  const CandidatesOptions options{.budget = 40.0 * (1.0 + 2.0 + 3.0)};
  EXPECT_EQ(select_batch(belief, offer, acquisition, Candidates(offer, options), 200).size(), 120U);
  Candidates candidates(offer, options);
  Selector selector(offer, acquisition);
  std::set<std::pair<Index, Index>> bought;
  while (const std::optional<Score> best = selector.choose(belief, candidates)) {
    const std::optional<Score> slow = select_by_full_scan(belief.marginals(), offer, acquisition, candidates);
    ASSERT_TRUE(slow);
    ASSERT_EQ(std::pair(best->point, best->level), std::pair(slow->point, slow->level));
    EXPECT_TRUE(bought.emplace(best->point, best->level).second);
    belief.condition(best->point, offer.channel(best->point, best->level), 0.1);
    candidates.buy(*best);
  }
  EXPECT_EQ(bought.size(), 120U);
  EXPECT_NEAR(candidates.remaining(), 0.0, 1e-9);
}

}  // namespace
}  // namespace acuity::candidates_test
