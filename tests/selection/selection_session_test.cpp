#include "acuity/selection/selection_session.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/selection/full_scan.hpp"
#include "numerics/random.hpp"

namespace acuity::selection_session_test {
namespace {

constexpr Index points = 40;

Pool line() {
  return Pool(Points(Vector::LinSpaced(points, 0.0, 8.0)), {"x"});
}

Offer offer_of(const std::vector<bool>& same) {
  Offer offer{.levels = {}, .base_noise = Vector::Constant(points, 0.001)};
  for (std::size_t k = 0; k < same.size(); ++k) {
    const auto precision = static_cast<double>(k + 1);
    offer.levels.push_back({.name = "level " + std::to_string(k),
                            .channel = GaussianChannel{0.1 / precision / precision},
                            .cost = precision,
                            .repeats_itself = same[k]});
  }
  return offer;
}

// A session that knows these.
std::unique_ptr<SelectionSession> session_of(const Offer& offer, const SelectionSessionOptions& options = {},
                                             const std::vector<Observation>& known = {}) {
  const Pool pool = line();
  auto belief = std::make_unique<GpPoolBelief>(Prior{}, pool.points(), known, 1);
  return std::make_unique<SelectionSession>(pool, std::move(belief), offer, Acquisition{}, options);
}

double answer_at(const Suggestion& suggestion) {
  return std::sin(suggestion.inputs[0]);
}

TEST(SelectionSession, BuysEveryLevelOfEveryPointIfAnswersRepeat) {
  const auto session = session_of(offer_of({true, true, true}), {.budget = 240.0});
  std::set<std::pair<Index, std::string>> bought;
  while (const std::optional<Suggestion> next = session->next()) {
    EXPECT_TRUE(bought.emplace(next->row, next->level.name).second);
    session->tell(*next, answer_at(*next));
  }
  EXPECT_EQ(bought.size(), 120U);
  EXPECT_NEAR(session->remaining(), 0.0, 1e-9);
  EXPECT_TRUE(session->scores().empty());
}

TEST(SelectionSession, AnIndependentLevelClosesItsPoint) {
  const auto session = session_of(offer_of({true, false}));
  session->tell(session->at(3, 0), 0.1);
  EXPECT_EQ(session->scores().size(), 40U);
  session->tell(session->at(3, 1), 0.1);
  EXPECT_EQ(session->scores().size(), 39U);
}

TEST(SelectionSession, NothingIsBoughtBeforeItIsExpectedOrTold) {
  const auto session = session_of(offer_of({false, false}), {.budget = 5.0});
  const Suggestion first = session->next().value();
  EXPECT_EQ(session->next()->row, first.row);
  EXPECT_EQ(session->remaining(), 5.0);
  session->expect(first);
  EXPECT_EQ(session->remaining(), 5.0 - first.cost);
  EXPECT_NE(session->next()->row, first.row);
}

TEST(SelectionSession, ABatchIsWhatIsChosenOneByOne) {
  const Offer offer = offer_of({true, false, true});
  const auto at_once = session_of(offer, {.budget = 30.0}), one_by_one = session_of(offer, {.budget = 30.0});
  const std::vector<Suggestion> batch = at_once->next(12);
  ASSERT_GT(batch.size(), 5U);
  for (const Suggestion& wanted : batch) {
    const Suggestion found = one_by_one->next().value();
    EXPECT_EQ(found.id, wanted.id);
    EXPECT_EQ(std::pair(found.row, found.level.name), std::pair(wanted.row, wanted.level.name));
    one_by_one->expect(found);
  }
}

TEST(SelectionSession, ChargesWhatAnAnswerDidCost) {
  const auto session = session_of(offer_of({false}), {.budget = 10.0});
  const Suggestion expected = session->at(0, 0), sudden = session->at(1, 0);
  session->expect(expected);
  EXPECT_EQ(session->remaining(), 9.0);
  session->tell(expected, 0.0, 2.5);
  EXPECT_EQ(session->remaining(), 7.5);
  session->tell(sudden, 0.0, 0.5);
  EXPECT_EQ(session->remaining(), 7.0);
}

TEST(SelectionSession, ReleasingOpensWhatNothingElseKeepsClosed) {
  const auto session = session_of(offer_of({true}), {.budget = 10.0});
  const Suggestion one = session->at(7, 0), other = session->at(7, 0);
  session->expect(one);
  session->expect(other);
  EXPECT_EQ(session->scores().size(), 39U);
  session->release(one);
  EXPECT_EQ(session->scores().size(), 39U) << "the other is still pending";
  session->release(other);
  EXPECT_EQ(session->scores().size(), 40U);
  EXPECT_EQ(session->remaining(), 10.0);
  session->close(7);
  const Suggestion closed = session->at(7, 0);
  session->expect(closed);
  session->release(closed);
  EXPECT_EQ(session->scores().size(), 39U) << "closed for good";
}

TEST(SelectionSession, RefusesWhatMakesNoSense) {
  const auto session = session_of(offer_of({false, true}));
  const Suggestion first = session->next().value();
  EXPECT_THROW(session->release(first), std::invalid_argument) << "not pending";
  session->expect(first);
  EXPECT_THROW(session->expect(first), std::invalid_argument) << "twice";
  Suggestion other = first;
  other.row = (first.row + 1) % points;
  EXPECT_THROW(session->tell(other, 0.0), std::invalid_argument) << "another one under its id";
  EXPECT_THROW(session->tell(first, std::nan("")), std::invalid_argument);
  EXPECT_THROW(session->tell(first, 0.0, -1.0), std::invalid_argument);
  Suggestion of_a_class = session->at(2, 0);
  of_a_class.channel = FlipChannel{0.9};
  EXPECT_THROW(session->tell(of_a_class, 1.0), std::invalid_argument);
  for (const Index row : {-1, 40}) EXPECT_THROW(session->at(row, 0), std::invalid_argument);
  for (const Index level : {-1, 2}) EXPECT_THROW(session->at(0, level), std::invalid_argument);
  EXPECT_THROW(session->close(40), std::invalid_argument);
  EXPECT_THROW(session->next(-1), std::invalid_argument);
  session->tell(first, 0.0);
  EXPECT_THROW(session->release(first), std::invalid_argument) << "answered";
  const Pool pool = line();
  EXPECT_THROW(SelectionSession(pool, std::make_unique<GpPoolBelief>(Prior{}, pool.points()), Offer{}),
               std::invalid_argument);
}

TEST(SelectionSession, WorksWithClasses) {
  const Pool pool = line();
  Offer offer{.levels = {}, .base_noise = Vector::Zero(points)};
  offer.levels.push_back({.name = "crowd", .channel = FlipChannel{0.7}, .cost = 1.0});
  offer.levels.push_back(
      {.name = "expert", .channel = FlipChannel{0.95}, .cost = 3.0, .repeats_itself = true});
  SelectionSession session(pool, std::make_unique<EpPoolBelief>(Prior{}, pool.points()), offer,
                           {.information = std::make_shared<ClassModelInformation>()}, {.budget = 12.0});
  int labels = 0;
  for (; const std::optional<Suggestion> next = session.next(); ++labels)
    session.tell(*next, next->inputs[0] < 4.0 ? -1.0 : 1.0);
  EXPECT_GE(labels, 4);
  EXPECT_LT(session.marginals().mean(2), 0.0);
  EXPECT_GT(session.marginals().mean(37), 0.0);
}

// The slow twin: a new session that is given all that is known, and what is pending.
RC_GTEST_PROP(SelectionSession, GoesOnLikeANewOneThatKnowsTheSame, ()) {
  numerics::Draws draws(*rc::gen::arbitrary<std::uint32_t>(), numerics::Purpose::data, 4);
  std::vector<bool> same;
  for (int k = 0; k < 3; ++k) same.push_back(draws.below(2) == 0);
  const Offer offer = offer_of(same);
  const SelectionSessionOptions options{.budget = 60.0, .repeat_points = draws.below(2) == 0, .threads = 1};
  const auto session = session_of(offer, options);
  std::vector<Suggestion> pending;
  std::vector<std::pair<Suggestion, double>> told;
  for (int step = 0; step < 20; ++step) {
    if (const std::optional<Suggestion> next = session->next()) {
      pending.push_back(*next);
      session->expect(*next);
    }
    if (pending.empty() || draws.below(3) == 0) continue;
    const auto chosen = pending.begin() + draws.below(static_cast<std::int64_t>(pending.size()));
    if (draws.below(2) == 0) {
      session->release(*chosen);
    } else {
      told.emplace_back(*chosen, draws.normal());
      session->tell(told.back().first, told.back().second);
    }
    pending.erase(chosen);
  }
  const auto twin = session_of(offer, options);
  for (const auto& [suggestion, answer] : told) twin->tell(suggestion, answer);
  for (const Suggestion& suggestion : pending) twin->expect(suggestion);
  RC_ASSERT(std::abs(twin->remaining() - session->remaining()) < 1e-9);
  RC_ASSERT((twin->marginals().mean - session->marginals().mean).cwiseAbs().maxCoeff() < 1e-9);
  RC_ASSERT((twin->marginals().variance - session->marginals().variance).cwiseAbs().maxCoeff() < 1e-9);
  std::set<std::pair<Index, Index>> open, open_in_twin;
  for (const Score& score : session->scores()) open.emplace(score.point, score.level);
  for (const Score& score : twin->scores()) open_in_twin.emplace(score.point, score.level);
  RC_ASSERT(open == open_in_twin);
}

std::string refusal(std::unique_ptr<PoolBelief> belief, const Acquisition& acquisition) {
  try {
    const SelectionSession session(line(), std::move(belief), offer_of({false}), acquisition, {});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(SelectionSession, RefusesABeliefAboutAnotherPoolAndWhatIsMissing) {
  const auto belief = [](const Points& pool) { return std::make_unique<GpPoolBelief>(Prior{}, pool); };
  EXPECT_EQ(refusal(belief(line().points()), {}), "");
  EXPECT_EQ(refusal(belief(Points::Random(5, 1)), {}),
            "SelectionSession: the belief is about 5 points, must be about the 40 of the pool");
  EXPECT_EQ(refusal(nullptr, {}), "SelectionSession: the belief is missing (null), must be given");
  EXPECT_EQ(refusal(belief(line().points()), {.information = nullptr}),
            "SelectionSession: the acquisition has no information (null), must have one");
  const Offer offer = offer_of({false});
  const Candidates candidates(offer, {});
  const Marginals small = belief(Points::Random(5, 1))->marginals();
  EXPECT_THROW(select_by_full_scan(small, offer, {}, candidates), std::invalid_argument);
  EXPECT_THROW(Selector(offer, {.information = nullptr}), std::invalid_argument);
}

}  // namespace
}  // namespace acuity::selection_session_test
