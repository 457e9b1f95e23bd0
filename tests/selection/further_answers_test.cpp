// What a further answer to a point is worth if all answers to it are about one class (docs/math.md 15.2).
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "acquisition/class_information_bounds.hpp"
#include "acuity/acquisition/classification_information.hpp"
#include "acuity/acquisition/information.hpp"
#include "acuity/acquisition/optimal_class_precision.hpp"
#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/selection/selector.hpp"
#include "model/item_class.hpp"
#include "numerics/random.hpp"

namespace acuity::further_answers_test {
namespace {

struct Received {
  double y, accuracy;
};

double cdf(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

double entropy(double p) {
  const auto part = [](double q) { return q > 0.0 ? -q * std::log2(q) : 0.0; };
  return part(p) + part(1.0 - p);
}

// The probability of the answers and of the class, given f: every factor by itself.
double joint(double f, double item, const std::vector<Received>& received) {
  double product = cdf(item * f);
  for (const Received& one : received) product *= one.y == item ? one.accuracy : 1.0 - one.accuracy;
  return product;
}

// MI(answer; f | answers received) for f ~ N(mean, variance), by enumerating the classes and the answer, with
// many nodes and without any identity.
double information_by_enumeration(const LatentMarginal& latent, const std::vector<Received>& received,
                                  double accuracy) {
  const double sd = std::sqrt(latent.variance), reach = 12.0, step = std::min(0.004, 0.01 / sd);
  double sum = 0.0, positive = 0.0, given_f = 0.0;
  for (double z = -reach; z <= reach; z += step) {
    const double f = latent.mean + z * sd, weight = std::exp(-0.5 * z * z);
    double answer = 0.0, all = 0.0;  // probability of +1, with that of the answers received
    for (const double item : {-1.0, 1.0}) {
      all += joint(f, item, received);
      answer += joint(f, item, received) * (item > 0.0 ? accuracy : 1.0 - accuracy);
    }
    sum += weight;
    positive += weight * answer / all;
    given_f += weight * entropy(answer / all);
  }
  return entropy(positive / sum) - given_f / sum;
}

// omega of eq. (15.5)
double accuracy_of(const std::vector<Received>& received) {
  double plus = 1.0, minus = 1.0;
  for (const Received& one : received) {
    plus *= one.y > 0.0 ? one.accuracy : 1.0 - one.accuracy;
    minus *= one.y > 0.0 ? 1.0 - one.accuracy : one.accuracy;
  }
  return plus / (plus + minus);
}

double information(const LatentMarginal& latent, const EarlierAnswers& earlier, double accuracy) {
  double bits = 0.0;
  class_model_information(latent, earlier, {&accuracy, 1}, {&bits, 1});
  return bits;
}

const std::vector<std::vector<Received>> histories{{{1.0, 0.8}},
                                                   {{-1.0, 0.97}},
                                                   {{1.0, 0.7}, {-1.0, 0.9}},
                                                   {{1.0, 0.9}, {1.0, 0.8}, {1.0, 0.95}},
                                                   {{1.0, 0.99}, {1.0, 0.99}, {1.0, 0.99}},
                                                   {{1.0, 0.5}, {-1.0, 0.6}}};

TEST(FurtherAnswer, IsWorthWhatEnumerationOfTheClassesSays) {
  for (const std::vector<Received>& received : histories)
    for (const double mean : {-3.0, -0.6, 0.0, 0.4, 2.0})
      for (const double variance : {0.01, 0.3, 1.0, 6.0, 24.0, 40.0, 400.0})
        for (const double accuracy : {0.6, 0.9, 1.0}) {
          const LatentMarginal latent{mean, variance};
          const double expected = information_by_enumeration(latent, received, accuracy);
          EXPECT_NEAR(information(latent, {.accuracy = accuracy_of(received)}, accuracy), expected,
                      1e-11 + 1e-9 * expected)
              << received.size() << " answers, mean " << mean << ", variance " << variance << ", accuracy "
              << accuracy;
        }
}

// A pending answer has two outcomes; the belief, which has it already, is the same for both.
TEST(FurtherAnswer, IsWorthTheMeanOverWhatPendingAnswersMaySay) {
  for (const std::vector<double>& pending :
       {std::vector<double>{0.8}, std::vector<double>{0.8, 0.8}, std::vector<double>{0.9, 0.6, 1.0}})
    for (const double mean : {-1.0, 0.3})
      for (const double variance : {0.2, 2.0}) {
        const LatentMarginal latent{mean, variance};
        const std::vector<Received> received{{1.0, 0.75}};
        const std::size_t outcomes = std::size_t{1} << pending.size();
        // P(class) given the answers received, by the same enumeration.
        double positive = 0.0, sum = 0.0;
        for (double z = -12.0; z <= 12.0; z += 0.002) {
          const double f = mean + z * std::sqrt(variance), weight = std::exp(-0.5 * z * z);
          sum += weight;
          positive += weight * joint(f, 1.0, received) / (joint(f, 1.0, received) + joint(f, -1.0, received));
        }
        positive /= sum;
        double expected = 0.0;
        for (std::size_t outcome = 0; outcome < outcomes; ++outcome) {
          std::vector<Received> all = received;
          double plus = 1.0, minus = 1.0;
          for (std::size_t k = 0; k < pending.size(); ++k) {
            const double y = (outcome >> k & 1U) != 0 ? 1.0 : -1.0;
            all.push_back({y, pending[k]});
            plus *= y > 0.0 ? pending[k] : 1.0 - pending[k];
            minus *= y > 0.0 ? 1.0 - pending[k] : pending[k];
          }
          const double probability = positive * plus + (1.0 - positive) * minus;
          if (probability > 0.0) expected += probability * information_by_enumeration(latent, all, 0.85);
        }
        EXPECT_NEAR(
            information(latent, {.accuracy = 0.75, .pending = {pending.begin(), pending.end()}}, 0.85),
            expected, 1e-10);
      }
}

TEST(FurtherAnswer, IsWorthLessThanAFirstOneUnlessItSettlesAConflict) {
  const LatentMarginal undecided{0.0, 1.0};
  const double first = class_model_information(undecided, 0.9);
  EXPECT_LT(information(undecided, {.accuracy = 0.9}, 0.9), 0.75 * first);
  EXPECT_LT(information(undecided, {.accuracy = 0.99}, 0.9), 0.35 * first);
  // The neighbours say -1, one answer says +1.
  EXPECT_GT(information({-2.0, 1.0}, {.accuracy = 0.95}, 0.9), class_model_information({-2.0, 1.0}, 0.9));
}

TEST(FurtherAnswer, OfAClassThatIsKnownIsWorthNothingAndWithoutEvidenceIsAFirstOne) {
  for (const double accuracy : {0.0, 1.0})
    EXPECT_EQ(information({0.3, 1.0}, {.accuracy = accuracy}, 0.9), 0.0);
  EXPECT_EQ(information({0.3, 0.0}, {.accuracy = 0.8}, 0.9), 0.0);
  EXPECT_EQ(information({0.3, 1.0}, {.accuracy = 0.8}, 0.5), 0.0);
  for (const EarlierAnswers& nothing : {EarlierAnswers{}, EarlierAnswers{.accuracy = 0.5, .pending = {0.5}}})
    EXPECT_EQ(information({0.3, 1.0}, nothing, 0.9), class_model_information({0.3, 1.0}, 0.9));
  EXPECT_NEAR(information({0.3, 1.0}, {.accuracy = 0.5 + 1e-12}, 0.9),
              class_model_information({0.3, 1.0}, 0.9), 1e-11);
  EXPECT_THROW(information({0.3, 1.0}, {.accuracy = 1.2}, 0.9), std::invalid_argument);
  EXPECT_THROW(information({0.3, -1.0}, {.accuracy = 0.8}, 0.9), std::invalid_argument);
}

// Tails, where probabilities are tiny, and symmetry.
TEST(FurtherAnswer, IsSymmetricAndFiniteInTheTails) {
  for (const double mean : {0.5, 5.0, 12.0, 35.0, 200.0})
    for (const double variance : {1e-8, 0.5, 9.0, 30.0, 1e6})
      for (const double accuracy : {0.01, 0.6, 1.0 - 1e-9}) {
        const double one = information({mean, variance}, {.accuracy = accuracy}, 0.9),
                     other = information({-mean, variance}, {.accuracy = 1.0 - accuracy}, 0.9);
        EXPECT_TRUE(one >= 0.0 && one <= 1.0) << one;
        EXPECT_NEAR(one, other, 1e-13 + 1e-6 * one) << mean << " " << variance << " " << accuracy;
      }
}

Offer offer_of(Index points) {
  Offer offer{.levels = {}, .base_noise = Vector::Zero(points)};
  for (const double accuracy : {0.7, 0.85, 0.97})
    offer.levels.push_back({.name = std::to_string(accuracy),
                            .channel = FlipChannel{accuracy},
                            .cost = accuracy * accuracy,
                            .value = {}});
  return offer;
}

TEST(FurtherAnswer, IsUsedForPointsThatHaveAnswersOnly) {
  Marginals belief{Vector::LinSpaced(9, -2.0, 2.0), Vector::LinSpaced(9, 0.2, 3.0)};
  const Marginals without = belief;
  belief.earlier[2] = {.accuracy = 0.9};
  belief.earlier[5] = {.accuracy = 0.5, .pending = {0.8}};
  const Offer offer = offer_of(9);
  const std::vector<Index> levels{0, 2};
  std::vector<double> found(18), plain(18);
  ClassModelInformation().worth(belief, offer, 0, 9, levels, found.data());
  ClassModelInformation().worth(without, offer, 0, 9, levels, plain.data());
  for (Index i = 0; i < 9; ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      const auto at = static_cast<std::size_t>(i) * 2 + k;
      if (const EarlierAnswers* earlier = belief.earlier_at(i)) {
        EXPECT_EQ(found[at],
                  information({belief.mean(i), belief.variance(i)}, *earlier, k == 0 ? 0.7 : 0.97));
        EXPECT_NE(found[at], plain[at]);
      } else {
        EXPECT_EQ(found[at], plain[at]) << "the same bits";
      }
    }
}

TEST(FurtherAnswer, HasABestPrecisionOfAllThatIsThatOfAFineScan) {
  const EarlierAnswers earlier{.accuracy = 0.85, .pending = {0.7}};
  const ClassPrecisionProblem problem{
      .latent = {0.2, 1.5}, .kappa = 0.6, .gamma = 0.38, .low = 0.1, .high = 1.0, .earlier = &earlier};
  const PowerCost cost({.c = 3.0, .q = 1.5});
  const auto found = best_precision(problem, cost);
  ASSERT_TRUE(found);
  double best = 0.0;
  for (int k = 400; k <= 4000; ++k) {
    const double alpha = k / 4000.0;
    best = std::max(best, information(problem.latent, earlier, 0.6 + 0.38 * alpha) / cost(alpha));
  }
  EXPECT_GE(found->value, best * (1.0 - 1e-9));
  EXPECT_NEAR(found->information, information(problem.latent, earlier, 0.6 + 0.38 * found->precision.alpha),
              1e-12);
}

// Bounds of the other formula would rule out points that are worth more.
TEST(FurtherAnswer, IsWithinTheBoundsOfTheScreen) {
  Marginals belief{Vector::Constant(3, -2.0), Vector::Constant(3, 1.0)};
  belief.earlier[1] = {.accuracy = 0.95};
  double low[3], high[3], worth[3];
  const Offer offer = offer_of(3);
  const std::vector<Index> finest{2};
  ClassInformationBounds({0.97}).at(belief, 0, 3, low, high);
  ClassModelInformation().worth(belief, offer, 0, 3, finest, worth);
  EXPECT_GT(worth[1], high[0]);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(low[i] <= worth[i] && worth[i] <= high[i]) << i;
}

// ---- The belief ----------------------------------------------------------------------------------------

EpPoolBelief belief_of(const Points& pool, bool one_class_per_point,
                       const std::vector<Observation>& observations = {}) {
  return {Prior{}, pool, observations, 1, Index{1} << 25, nullptr, 100'000'000, 0, one_class_per_point};
}

TEST(BeliefWithOneClassPerPoint, SaysWhichAnswersItsPointsHave) {
  const Points pool = Vector::LinSpaced(12, -2.0, 2.0);
  const std::vector<Observation> known{
      {.place = 3, .value = 1.0, .channel = FlipChannel{0.8}},
      {.place = 7, .value = -1.0, .channel = FlipChannel{0.9}},
      {.place = Place(Vector::Constant(1, 0.1)), .value = 1.0, .channel = FlipChannel{0.9}},
      {.place = 3, .value = 1.0, .channel = FlipChannel{0.5}}};
  EpPoolBelief belief = belief_of(pool, true, known), plain = belief_of(pool, false, known);
  EXPECT_TRUE(plain.marginals().earlier.empty());
  EXPECT_EQ(belief.marginals().mean, plain.marginals().mean);
  ASSERT_EQ(belief.marginals().earlier.size(), 2U);
  EXPECT_NEAR(belief.marginals().earlier_at(3)->accuracy, 0.8, 1e-15);
  EXPECT_NEAR(belief.marginals().earlier_at(7)->accuracy, 0.1, 1e-15);
  const AnnotationHandle pending = belief.condition(7, FlipChannel{0.7}, std::nullopt);
  belief.condition(2, FlipChannel{0.6}, std::nullopt);
  const Marginals some = belief.marginals_at(std::vector<Index>{5, 7, 2});
  ASSERT_EQ(some.earlier.size(), 2U);
  EXPECT_NEAR(some.earlier_at(1)->accuracy, 0.1, 1e-15);
  EXPECT_EQ(some.earlier_at(1)->pending, std::vector<FlipChannel>{0.7});
  EXPECT_EQ(some.earlier_at(2)->accuracy, 0.5);
  belief.cancel(pending);
  EXPECT_TRUE(belief.marginals().earlier_at(7)->pending.empty());
}

// By how much the variance at its point falls on average with a further answer: enumeration of answers and
// classes over a fine grid of f.
TEST(BeliefWithOneClassPerPoint, ExpectsOfAPendingAnswerWhatItTellsOfFBesidesTheEarlierOnes) {
  const Points pool = Vector::LinSpaced(9, -1.5, 1.5);
  const std::vector<Observation> known{{.place = 4, .value = 1.0, .channel = FlipChannel{0.85}},
                                       {.place = 1, .value = -1.0, .channel = FlipChannel{0.9}}};
  EpPoolBelief belief = belief_of(pool, true, known), plain = belief_of(pool, false, known);
  const double mean = belief.marginals().mean(4), variance = belief.marginals().variance(4);
  belief.condition(4, FlipChannel{0.9}, std::nullopt);
  plain.condition(4, FlipChannel{0.9}, std::nullopt);
  double weights = 0.0, of[2] = {0.0, 0.0}, first[2] = {0.0, 0.0}, second[2] = {0.0, 0.0};
  for (double z = -10.0; z <= 10.0; z += 0.001) {
    const double f = mean + z * std::sqrt(variance), weight = std::exp(-0.5 * z * z);
    const double plus = joint(f, 1.0, {{1.0, 0.85}}), minus = joint(f, -1.0, {{1.0, 0.85}});
    const double positive = plus / (plus + minus);
    const double answer[2] = {0.9 * positive + 0.1 * (1.0 - positive),
                              0.1 * positive + 0.9 * (1.0 - positive)};
    weights += weight;
    for (const int y : {0, 1}) {
      of[y] += weight * answer[y];
      first[y] += weight * answer[y] * f;
      second[y] += weight * answer[y] * f * f;
    }
  }
  double expected = 0.0;
  for (const int y : {0, 1})
    expected += of[y] / weights * (second[y] / of[y] - first[y] / of[y] * (first[y] / of[y]));
  EXPECT_NEAR(belief.marginals().variance(4), expected, 1e-9);
  EXPECT_EQ(belief.marginals().mean(4), mean);
  EXPECT_LT(plain.marginals().variance(4), belief.marginals().variance(4))
      << "separate answers are overrated";
  // Where there is no answer nothing changes.
  EpPoolBelief one = belief_of(pool, true, known), other = belief_of(pool, false, known);
  one.condition(6, FlipChannel{0.9}, std::nullopt);
  other.condition(6, FlipChannel{0.9}, std::nullopt);
  EXPECT_EQ(one.marginals().variance, other.marginals().variance);
}

// The screen may not rule out by bounds of another formula; the full scan decides, also with pending answers.
TEST(BeliefWithOneClassPerPoint, IsChosenFromAsTheFullScanDoes) {
  numerics::Draws draws(7, numerics::Purpose::data, 0);
  Points pool(700, 1);
  for (double& x : pool.reshaped()) x = draws.uniform(-6.0, 6.0);
  const Offer offer = offer_of(pool.rows());
  const Acquisition acquisition{.information = std::make_shared<ClassModelInformation>()};
  EpPoolBelief fast = belief_of(pool, true), slow = belief_of(pool, true);
  Selector selector(offer, acquisition, 2);
  Candidates candidates(offer, {.repeat_points = true});
  std::vector<AnnotationHandle> pending;
  std::set<Index> seen;
  for (Index step = 0; step < 50; ++step) {
    SCOPED_TRACE(step);
    if (step % 2 == 1) {  // some second answers, as different people give them
      const Index row = *seen.begin();
      slow.condition(row, FlipChannel{0.7}, std::nullopt);
      pending.push_back(fast.condition(row, FlipChannel{0.7}, std::nullopt));
    }
    const auto found = selector.choose(fast, candidates),
               expected = select_by_full_scan(slow.marginals(), offer, acquisition, candidates);
    ASSERT_TRUE(found && expected);
    ASSERT_EQ(found->point, expected->point);
    ASSERT_EQ(found->level, expected->level);
    EXPECT_EQ(found->information, expected->information);
    seen.insert(found->point);
    const double answer = draws.uniform() < 0.5 ? -1.0 : 1.0;
    for (EpPoolBelief* b : {&fast, &slow})
      b->condition(found->point, offer.channel(found->point, found->level), answer);
    if (step % 6 == 5) {
      for (const AnnotationHandle one : pending)
        for (EpPoolBelief* b : {&fast, &slow}) b->cancel(one);
      pending.clear();
    }
    candidates.buy(*found);
  }
}

}  // namespace
}  // namespace acuity::further_answers_test
