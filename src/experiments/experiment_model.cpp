#include "experiments/experiment_model.hpp"

#include <ctime>

#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/learn.hpp"
#include "model/low_rank_belief.hpp"

namespace acuity {

namespace {

double mean_square(const Vector& difference) {
  return difference.squaredNorm() / static_cast<double>(difference.size());
}

// Rows that a low-rank factor may have before the factor of all annotations is the better one.
constexpr Index most_rows = 100;

// Regression under one prior. The belief is about pool and test points alike: means come for free.
class FixedRegression : public ExperimentModel {
 public:
  FixedRegression(const Prior& prior, const Problem& problem, const std::vector<Observation>& known)
      : problem_(problem) {
    auto low_rank = LowRankBelief::make(prior, problem.points.points(), most_rows, known);
    low_rank_ = low_rank.get();
    belief_ = std::move(low_rank);
    if (!belief_) belief_ = std::make_unique<GpPoolBelief>(prior, problem.points.points(), known, 1);
  }

  bool tell(const Observation& observation) override {
    belief_->condition(observation.place, observation.channel, observation.value);
    return false;
  }
  PoolBelief& belief() override { return *belief_; }
  double error() override {
    const Index pool = problem_.pool, test = problem_.test();
    if (low_rank_ != nullptr) return mean_square(low_rank_->mean_at(pool, test) - problem_.test_values);
    return mean_square(belief_->marginals().mean.tail(test) - problem_.test_values);
  }

 private:
  const Problem& problem_;
  std::unique_ptr<PoolBelief> belief_;
  LowRankBelief* low_rank_;  // the belief, if it is of low rank
};

// Regression whose prior is learned after every answer once the initial set is there; with a nugget whenever
// answers have grown by 15 %, as campaigns learn by default.
class LearnedRegression : public ExperimentModel {
 public:
  LearnedRegression(const Experiment& experiment, const Problem& problem, bool standardised)
      : experiment_(experiment),
        problem_(problem),
        standardised_(standardised),
        with_nugget_(standardised && experiment.mode == Mode::acuity),
        prior_(experiment.prior) {}

  bool tell(const Observation& observation) override {
    known_.push_back(observation);
    const auto count = static_cast<Index>(known_.size());
    if (count < experiment_.initial) return false;
    if (with_nugget_ && belief_ && static_cast<double>(count) < 1.15 * static_cast<double>(learned_from_))
      return belief_->tell(with_nugget(observation));
    if (!with_nugget_ && belief_ && count % experiment_.learn_every != 0) return belief_->tell(observation);
    learn_prior();
    learned_from_ = count;
    belief_ = std::make_unique<FixedRegression>(prior_, problem_, believed());
    return true;
  }
  PoolBelief& belief() override { return belief_->belief(); }
  double error() override {
    const Vector mean = GpPosterior(prior_, Observations(believed(), problem_.points.points()), 1)
                            .mean(problem_.test_points());
    return mean_square(mean - problem_.test_values);
  }

  double nugget() const override { return nugget_; }
  double seconds_learning() const override { return seconds_; }

 private:
  void learn_prior() {
    const double start = thread_seconds();
    const Observations known(known_, problem_.points.points());
    // From the same values every time, as the paper does it.
    Prior from = experiment_.prior;
    if (standardised_) {
      from.scaling = Scaling::standardise(known.points());
      from.mean = known.values().mean();
    }
    const Optimiser optimiser = experiment_.mode == Mode::paper ? Optimiser::adam : Optimiser::lbfgs;
    LearnOptions options{.optimiser = optimiser, .restarts = 0, .threads = 1};
    if (with_nugget_) {
      if (learned_from_ > 0) from.kernel = prior_.kernel;
      options.restarts = 1;
      options.hyperparameter_prior = HyperparameterPrior::weak;
      options.nugget = nugget_;
    }
    const Learned learned = learn(from, known, options);
    prior_ = learned.prior;
    nugget_ = learned.nugget;
    seconds_ += thread_seconds() - start;
  }

  Observation with_nugget(Observation observation) const {
    if (with_nugget_) observation.channel = GaussianChannel{noise_variance(observation.channel) + nugget_};
    return observation;
  }
  std::vector<Observation> believed() const {
    std::vector<Observation> all;
    for (const Observation& one : known_) all.push_back(with_nugget(one));
    return all;
  }

  const Experiment& experiment_;
  const Problem& problem_;
  bool standardised_, with_nugget_;
  Index learned_from_ = 0;
  double nugget_ = 0.0;
  Prior prior_;
  std::vector<Observation> known_;
  std::unique_ptr<FixedRegression> belief_;
  double seconds_ = 0.0;
};

class Classes : public ExperimentModel {
 public:
  Classes(const Prior& prior, const Problem& problem)
      : problem_(problem), belief_(prior, problem.points.points().topRows(problem.pool), {}, 1) {}

  bool tell(const Observation& observation) override {
    belief_.condition(observation.place, observation.channel, observation.value);
    return false;
  }
  PoolBelief& belief() override { return belief_; }
  double error() override {
    const Vector mean = belief_.posterior().mean(problem_.test_points());
    // A tie between the classes counts as -1.
    const auto wrong = (mean.array() > 0.0) != (problem_.test_values.array() > 0.0);
    return static_cast<double>(wrong.count()) / static_cast<double>(mean.size());
  }

 private:
  const Problem& problem_;
  EpPoolBelief belief_;
};

}  // namespace

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::unique_ptr<ExperimentModel> make_model(const Experiment& experiment, const Problem& problem,
                                            ModelRule rule) {
  if (rule == ModelRule::classes) return std::make_unique<Classes>(experiment.prior, problem);
  if (rule == ModelRule::fixed)
    return std::make_unique<FixedRegression>(experiment.prior, problem, std::vector<Observation>{});
  return std::make_unique<LearnedRegression>(experiment, problem, rule == ModelRule::learned_standardised);
}

}  // namespace acuity
