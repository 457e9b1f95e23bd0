// Greedy choices with levels that have a bias, over random problems: against the belief without bias where
// all biases are zero, against a slow twin that follows the definitions (docs/math.md 12), and against
// themselves in another order.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <set>

#include "acuity/acquisition/goal_information.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "acuity/selection/selector.hpp"
#include "numerics/random.hpp"
#include "support/golden.hpp"
#include "support/joint_marginals.hpp"
#include "support/thorough.hpp"

namespace acuity::testing::biased_choices_test {
namespace {

enum class Biases { zero, random };

struct Sizes {
  Index pool, known, goal;
};

// Levels with noise, prices and biases; level 0 is the reference. The bias of level k has number k.
struct RandomProblem {
  explicit RandomProblem(std::uint32_t number, Biases biases, const Sizes& most = {14, 8, 5})
      : draws(20, numerics::Purpose::data, number) {
    const Index inputs = 1 + draws.below(2);
    pool = drawn_points(most.pool - draws.below(most.pool / 2), inputs);
    const KernelFamily families[] = {KernelFamily::rbf, KernelFamily::matern32, KernelFamily::matern52};
    Vector lengthscale(inputs);
    for (double& l : lengthscale) l = draws.uniform(0.5, 2.0);
    prior.kernel =
        std::make_shared<StationaryKernel>(StationaryKernelOptions{.family = families[draws.below(3)],
                                                                   .amplitude = draws.uniform(0.5, 2.0),
                                                                   .lengthscale = lengthscale});
    prior.mean = draws.normal();
    Vector noise = Vector::Zero(pool.rows());
    if (draws.below(2) == 0)
      for (double& n : noise) n = draws.uniform(0.001, 0.1);
    offer.base_noise = noise;
    const std::int64_t levels = 2 + draws.below(3);
    for (int k = 0; k < levels; ++k) {
      Level level{.name = std::to_string(k),
                  .alpha = {},
                  .channel = GaussianChannel{draws.uniform(0.001, 0.1), k},
                  .cost = draws.uniform(0.5, 2.0) * (k == 0 ? 8.0 : 1.0),
                  .repeats_itself = draws.below(2) == 0,
                  .value = {}};
      if (k > 0) {
        if (biases == Biases::random) level.bias = drawn_bias();
        prior.biases.push_back(level.bias);
      }
      offer.levels.push_back(level);
    }
    const Index count = draws.below(most.known + 1);
    for (Index i = 0; i < count; ++i) {
      const Place place = draws.below(3) == 0 ? Place(Vector(drawn_points(1, inputs).transpose()))
                                              : Place(draws.below(pool.rows()));
      known.push_back({place, draws.normal(), GaussianChannel{draws.uniform(0.001, 0.1), drawn_level()}});
    }
    const Index goals = 1 + draws.below(most.goal);
    Goal wanted{drawn_points(goals, inputs), Vector(goals), Vector(goals)};
    for (double& w : wanted.weights) w = draws.uniform(0.1, 1.0);
    wanted.weights /= wanted.weights.sum();
    for (double& n : wanted.noise) n = draws.uniform(0.001, 0.1);
    goal = std::make_shared<const Goal>(wanted);
    options = {.budget = draws.uniform(5.0, 40.0), .repeat_points = draws.below(2) == 0};
  }

  Points drawn_points(Index count, Index inputs) {
    Points points(count, inputs);
    for (double& x : points.reshaped()) x = draws.uniform(-2.0, 2.0);
    return points;
  }
  LevelBias drawn_bias() {
    const std::int64_t kind = draws.below(5);  // 0: none
    return {.offset_sd = kind == 1 || kind > 2 ? draws.uniform(0.05, 1.0) : 0.0,
            .smooth_sd = kind == 2 || kind > 2 ? draws.uniform(0.05, 1.0) : 0.0,
            .lengthscale = draws.uniform(0.5, 2.0)};
  }
  int drawn_level() { return static_cast<int>(draws.below(static_cast<std::int64_t>(offer.levels.size()))); }
  JointPoolBelief belief(int threads = 1) const { return {prior, pool, goal, known, {.threads = threads}}; }
  const Level& level(Index k) const { return offer.levels[static_cast<std::size_t>(k)]; }

  numerics::Draws draws;
  Points pool;
  Prior prior;
  Offer offer;
  std::vector<Observation> known;
  std::shared_ptr<const Goal> goal;
  CandidatesOptions options;
};

constexpr std::uint32_t problems = 200;
constexpr int steps = 6;

TEST(BiasedChoices, WithBiasesOfZeroAreThoseWithoutBias) {
  for (std::uint32_t number = 0; number < problems; ++number) {
    SCOPED_TRACE(number);
    RandomProblem problem(number, Biases::zero);
    Offer plain = problem.offer;
    for (Level& level : plain.levels) std::get<GaussianChannel>(level.channel).bias = 0;
    std::vector<Observation> known = problem.known;
    for (Observation& o : known) std::get<GaussianChannel>(o.channel).bias = 0;
    Prior without = problem.prior;
    without.biases.clear();
    GpPoolBelief expected(without, problem.pool, known, 1);
    JointPoolBelief belief = problem.belief();
    Candidates candidates(problem.offer, problem.options), expected_candidates(plain, problem.options);
    const Acquisition acquisition;
    Selector selector(problem.offer, acquisition, 1), expected_selector(plain, acquisition, 1);
    for (int step = 0; step < 2 * steps; ++step) {
      const std::optional<Score> best = selector.choose(belief, candidates),
                                 wanted = expected_selector.choose(expected, expected_candidates);
      ASSERT_EQ(best.has_value(), wanted.has_value());
      if (!best) break;
      ASSERT_EQ(best->point, wanted->point);
      ASSERT_EQ(best->level, wanted->level);
      EXPECT_TRUE(close(best->information, wanted->information, 1e-9));
      EXPECT_TRUE(close(best->value, wanted->value, 1e-9));
      std::optional<double> answer;
      if (step % 2 == 0) answer = problem.draws.normal();
      belief.condition(best->point, problem.offer.channel(best->point, best->level), answer);
      expected.condition(wanted->point, plain.channel(wanted->point, wanted->level), answer);
      candidates.buy(*best);
      expected_candidates.buy(*wanted);
      EXPECT_LT((belief.marginals().mean - expected.marginals().mean).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_LT((belief.marginals().variance - expected.marginals().variance).cwiseAbs().maxCoeff(), 1e-9);
    }
  }
}

using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

enum class Criterion { local, variance, prediction };

// The definitions and nothing else: a dense covariance of all answers, factored anew for every question.
class SlowTwin {
 public:
  SlowTwin(const RandomProblem& problem, Criterion criterion) : problem_(problem), criterion_(criterion) {
    for (const Observation& o : problem.known)
      answers_.push_back(
          {o.place.pool_row() ? point(*o.place.pool_row()) : RealVector(o.place.coordinates().cast<Real>()),
           bias_of(o.channel), noise_variance(o.channel)});
    remaining_ = problem.options.budget;
  }

  std::optional<Score> choose() const {
    std::vector<Score> all;
    for (Index i = 0; i < problem_.pool.rows(); ++i)
      for (Index k = 0; k < static_cast<Index>(problem_.offer.levels.size()); ++k) {
        const double cost = problem_.level(k).cost;
        if (closed_.contains({i, k}) || cost > remaining_ + 1e-9 * problem_.options.budget) continue;
        const double information = static_cast<double>(worth(i, k));
        all.push_back(
            {.point = i, .level = k, .information = information, .cost = cost, .value = information / cost});
      }
    double best = 0.0;
    for (const Score& score : all) best = std::max(best, score.value);
    std::optional<Score> chosen;  // math.md 5.2
    for (const Score& score : all)
      if (score.value >= best * (1.0 - 1e-9) &&
          (!chosen || (score.point == chosen->point && score.cost < chosen->cost)))
        chosen = score;
    return chosen;
  }

  void buy(const Score& score) {
    answers_.push_back(answer_at(score.point, score.level));
    remaining_ -= score.cost;
    const Level& level = problem_.level(score.level);
    if (level.repeats_itself || level.bias.any())
      closed_.insert({score.point, score.level});
    else if (!problem_.options.repeat_points)
      for (Index k = 0; k < static_cast<Index>(problem_.offer.levels.size()); ++k)
        closed_.insert({score.point, k});
  }

 private:
  // An answer, or f itself: bias 0 and noise 0.
  struct Quantity {
    RealVector x;
    int bias = 0;
    Real noise = 0.0L;
  };

  RealVector point(Index row) const { return problem_.pool.row(row).transpose().cast<Real>(); }
  Quantity answer_at(Index row, Index level) const {
    const Channel channel = problem_.offer.channel(row, level);
    return {point(row), bias_of(channel), noise_variance(channel)};
  }

  Real correlation(const RealVector& a, const RealVector& b, Real stretch) const {
    const auto& kernel = dynamic_cast<const StationaryKernel&>(*problem_.prior.kernel).options();
    const Real r = ((a - b).array() / (stretch * kernel.lengthscale.cast<Real>().array())).matrix().norm();
    if (kernel.family == KernelFamily::rbf) return std::exp(-0.5L * r * r);
    const Real u = r * std::sqrt(kernel.family == KernelFamily::matern32 ? 3.0L : 5.0L);
    return (1.0L + u + (kernel.family == KernelFamily::matern32 ? 0.0L : u * u / 3.0L)) * std::exp(-u);
  }

  // Eq. (12.2), without noise.
  Real covariance(const Quantity& a, const Quantity& b) const {
    const Real amplitude = dynamic_cast<const StationaryKernel&>(*problem_.prior.kernel).options().amplitude;
    const Real shared = amplitude * amplitude * correlation(a.x, b.x, 1.0L);
    if (a.bias == 0 || a.bias != b.bias) return shared;
    const LevelBias& bias = problem_.prior.biases[static_cast<std::size_t>(a.bias - 1)];
    const Real offset = bias.offset_sd, smooth = bias.smooth_sd;
    return shared + offset * offset + smooth * smooth * correlation(a.x, b.x, bias.lengthscale);
  }

  // Of these quantities given the answers.
  RealMatrix posterior(const std::vector<Quantity>& wanted, const std::vector<Quantity>& answers) const {
    const auto n = static_cast<Index>(answers.size()), m = static_cast<Index>(wanted.size());
    RealMatrix s(n, n), c(n, m), found(m, m);
    const auto at = [](const std::vector<Quantity>& all, Index i) {
      return all[static_cast<std::size_t>(i)];
    };
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) s(i, j) = covariance(at(answers, i), at(answers, j));
      s(i, i) += at(answers, i).noise;
      for (Index j = 0; j < m; ++j) c(i, j) = covariance(at(answers, i), at(wanted, j));
    }
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < m; ++j) found(i, j) = covariance(at(wanted, i), at(wanted, j));
      found(i, i) += at(wanted, i).noise;
    }
    if (n > 0) found -= c.transpose() * s.ldlt().solve(c);
    return found;
  }

  Real worth(Index row, Index level) const {
    const Quantity candidate = answer_at(row, level);
    if (criterion_ == Criterion::local) {  // eq. (12.9)
      const RealMatrix p = posterior({candidate, {.x = candidate.x}}, answers_);
      return -0.5L * std::log(1.0L - p(0, 1) * p(0, 1) / (p(0, 0) * p(1, 1)));
    }
    std::vector<Quantity> wanted, with_it = answers_;
    for (Index m = 0; m < problem_.goal->size(); ++m)
      wanted.push_back({problem_.goal->points.row(m).transpose().cast<Real>(), 0,
                        criterion_ == Criterion::prediction ? problem_.goal->noise(m) : 0.0L});
    with_it.push_back(candidate);
    const RealVector before = posterior(wanted, answers_).diagonal(),
                     after = posterior(wanted, with_it).diagonal();
    const RealVector weights = problem_.goal->weights.cast<Real>();
    if (criterion_ == Criterion::variance) return weights.dot(before - after);
    return 0.5L * weights.dot(RealVector((before.array() / after.array()).log()));
  }

  const RandomProblem& problem_;
  Criterion criterion_;
  std::vector<Quantity> answers_;
  std::set<std::pair<Index, Index>> closed_;
  double remaining_ = 0.0;
};

Acquisition acquisition_by(Criterion criterion) {
  Acquisition acquisition;
  if (criterion == Criterion::variance) acquisition.information = std::make_shared<GoalInformation>();
  if (criterion == Criterion::prediction)
    acquisition.information = std::make_shared<GoalInformation>(GoalCriterion::prediction);
  return acquisition;
}

TEST(BiasedChoices, AreThoseOfASlowTwin) {
  int pairs = 0;  // further levels at a point
  for (std::uint32_t number = 0; number < problems; number += thorough() ? 1 : 4)
    for (const Criterion criterion : {Criterion::local, Criterion::variance, Criterion::prediction}) {
      SCOPED_TRACE(std::to_string(number) + " by criterion " + std::to_string(static_cast<int>(criterion)));
      RandomProblem problem(number, Biases::random);
      const Acquisition acquisition = acquisition_by(criterion);
      JointPoolBelief belief = problem.belief();
      Candidates candidates(problem.offer, problem.options);
      Selector selector(problem.offer, acquisition, 1);
      SlowTwin twin(problem, criterion);
      std::set<Index> bought;
      for (int step = 0; step < steps; ++step) {
        const std::optional<Score> best = selector.choose(belief, candidates), wanted = twin.choose();
        ASSERT_EQ(best.has_value(), wanted.has_value());
        if (!best) break;
        ASSERT_EQ(best->point, wanted->point);
        ASSERT_EQ(best->level, wanted->level);
        EXPECT_TRUE(close(best->information, wanted->information, 1e-9));
        std::optional<double> answer;  // which no choice depends on
        if (step % 2 == 0) answer = problem.draws.normal();
        belief.condition(best->point, problem.offer.channel(best->point, best->level), answer);
        candidates.buy(*best);
        twin.buy(*best);
        pairs += !bought.insert(best->point).second;
      }
    }
  EXPECT_GT(pairs, 50) << "purchases that leave other levels open are compared, too";
}

// What the order tests condition on: pairs of point and level, some of them twice.
std::vector<Observation> purchases(RandomProblem& problem, int count) {
  std::vector<Observation> all;
  for (int k = 0; k < count; ++k) {
    const Index row = problem.draws.below(problem.pool.rows());
    all.push_back({Place(row), problem.draws.normal(), problem.offer.channel(row, problem.drawn_level())});
  }
  return all;
}

TEST(BiasedChoices, BeliefDoesNotDependOnTheOrderOfAnswers) {
  for (std::uint32_t number = 0; number < problems; ++number) {
    SCOPED_TRACE(number);
    RandomProblem problem(number, Biases::random);
    const std::vector<Observation> all = purchases(problem, 10);
    const auto order = problem.draws.permutation(10), answered = problem.draws.permutation(10);
    JointPoolBelief as_asked = problem.belief(), shuffled = problem.belief(), late = problem.belief();
    std::vector<AnnotationHandle> handles;
    for (std::size_t k = 0; k < all.size(); ++k) {
      as_asked.condition(all[k].place, all[k].channel, all[k].value);
      const Observation& other = all[static_cast<std::size_t>(order[k])];
      shuffled.condition(other.place, other.channel, other.value);
      shuffled.marginals();
      handles.push_back(late.condition(all[k].place, all[k].channel, std::nullopt));
    }
    EXPECT_LT(largest_difference(as_asked.marginals(), shuffled.marginals()), 1e-9);
    EXPECT_LT((late.marginals().variance - as_asked.marginals().variance).cwiseAbs().maxCoeff(), 1e-9);
    for (const std::int64_t k : answered) {
      late.answer(handles[static_cast<std::size_t>(k)], all[static_cast<std::size_t>(k)].value);
      late.marginals();
    }
    EXPECT_LT(largest_difference(as_asked.marginals(), late.marginals()), 1e-9);
  }
}

TEST(BiasedChoices, CancelledAndReopenedIsAsBefore) {
  for (std::uint32_t number = 0; number < problems; ++number) {
    SCOPED_TRACE(number);
    RandomProblem problem(number, Biases::random);
    const std::vector<Observation> all = purchases(problem, 9);
    JointPoolBelief untouched = problem.belief(), belief = problem.belief();
    for (std::size_t k = 0; k < 3; ++k)
      for (JointPoolBelief* one : {&untouched, &belief})
        one->condition(all[k].place, all[k].channel, all[k].value);
    EXPECT_EQ(largest_difference(untouched.marginals(), belief.marginals()), 0.0);

    // Pending and taken back, the newest first.
    std::vector<AnnotationHandle> pending;
    for (std::size_t k = 3; k < 6; ++k) pending.push_back(belief.condition(all[k].place, all[k].channel, {}));
    const Marginals with_pending = without_goal(belief.marginals());
    for (auto handle = pending.rbegin(); handle != pending.rend(); ++handle) {
      belief.cancel(*handle);
      belief.marginals();
    }
    EXPECT_EQ(largest_difference(untouched.marginals(), belief.marginals()), 0.0);

    // Asked for again.
    pending.clear();
    for (std::size_t k = 3; k < 6; ++k) pending.push_back(belief.condition(all[k].place, all[k].channel, {}));
    EXPECT_EQ(largest_difference(with_pending, without_goal(belief.marginals())), 0.0);

    // Taken back from among later ones.
    for (std::size_t k = 6; k < 9; ++k) {
      belief.condition(all[k].place, all[k].channel, all[k].value);
      untouched.condition(all[k].place, all[k].channel, all[k].value);
    }
    belief.marginals();
    for (const std::size_t k : {1U, 0U, 2U}) belief.cancel(pending[k]);
    EXPECT_LT(largest_difference(untouched.marginals(), belief.marginals()), 1e-9);
  }
}

// What is bought, given back and offered again is chosen again.
TEST(BiasedChoices, GoOnAfterACancelledPurchase) {
  for (std::uint32_t number = 0; number < problems; ++number) {
    SCOPED_TRACE(number);
    const RandomProblem problem(number, Biases::random);
    const Acquisition acquisition = acquisition_by(Criterion::variance);
    JointPoolBelief belief = problem.belief();
    Candidates candidates(problem.offer, problem.options);
    Selector selector(problem.offer, acquisition, 1);
    for (int step = 0; step < steps; ++step) {
      const std::optional<Score> first = selector.choose(belief, candidates);
      if (!first) break;
      const Channel channel = problem.offer.channel(first->point, first->level);
      const AnnotationHandle handle = belief.condition(first->point, channel, std::nullopt);
      candidates.buy(*first);
      selector.choose(belief, candidates);
      belief.cancel(handle);
      candidates.give_back(first->point, first->level, first->cost);
      const std::optional<Score> again = selector.choose(belief, candidates);
      ASSERT_TRUE(again.has_value());
      ASSERT_EQ(again->point, first->point);
      ASSERT_EQ(again->level, first->level);
      ASSERT_EQ(again->information, first->information);
      belief.condition(again->point, channel, std::nullopt);
      candidates.buy(*again);
    }
  }
}

// A pool that is large enough for two threads to share it.
TEST(BiasedChoices, DoNotDependOnTheNumberOfThreads) {
  for (const Criterion criterion : {Criterion::local, Criterion::variance, Criterion::prediction})
    for (std::uint32_t number = 0; number < (thorough() ? 12U : 3U); ++number) {
      SCOPED_TRACE(std::to_string(number) + " by criterion " + std::to_string(static_cast<int>(criterion)));
      const RandomProblem problem(number, Biases::random, {12'000, 8, 40});
      const Acquisition acquisition = acquisition_by(criterion);
      std::vector<std::vector<Score>> chosen;
      for (const int threads : {1, 2}) {
        JointPoolBelief belief = problem.belief(threads);
        Candidates candidates(problem.offer, problem.options);
        Selector selector(problem.offer, acquisition, threads);
        chosen.emplace_back();
        for (int step = 0; step < steps; ++step) {
          const std::optional<Score> best = selector.choose(belief, candidates);
          if (!best) break;
          belief.condition(best->point, problem.offer.channel(best->point, best->level), std::nullopt);
          candidates.buy(*best);
          chosen.back().push_back(*best);
        }
      }
      ASSERT_EQ(chosen[0].size(), chosen[1].size());
      for (std::size_t k = 0; k < chosen[0].size(); ++k) {
        EXPECT_EQ(chosen[0][k].point, chosen[1][k].point);
        EXPECT_EQ(chosen[0][k].level, chosen[1][k].level);
        EXPECT_EQ(chosen[0][k].information, chosen[1][k].information);
      }
    }
}

}  // namespace
}  // namespace acuity::testing::biased_choices_test
