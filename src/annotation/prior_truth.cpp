#include "annotation/prior_truth.hpp"

#include <algorithm>
#include <cmath>

#include "acuity/study/study_learner.hpp"
#include "model/answer_kernel.hpp"
#include "model/full_posterior.hpp"
#include "numerics/normal.hpp"
#include "numerics/random.hpp"

namespace acuity {

double assumed_spread(const Study& study) {
  double largest = 0.0;
  for (const Level& level : study.offer().levels) largest = std::max(largest, noise_variance(level.channel));
  largest += study.offer().base_noise.highest();
  return largest > 0.0 ? 2.0 * std::sqrt(largest) : 1.0;
}

PriorTruth::PriorTruth(const Study& study)
    : pool_(study.pool().points()), seed_(study.file().seed), binary_(study.file().binary()) {
  const StudyModel model = StudyLearner(study).model_given({}, std::optional<Learned>());
  Prior prior = model.prior;
  if (!study.file().knows_scale()) {
    Vector parameters = prior.kernel->log_parameters();
    parameters(0) = std::log(assumed_spread(study));
    prior.kernel = prior.kernel->with_log_parameters(parameters);
  }
  // Without annotations, inputs are standardised by the pool instead.
  if (study.file().standardise == Standardise::annotations)
    prior.scaling = Scaling::standardise(study.pool().points(), transforms_of(study.pool().columns()));
  take_goal(study);
  take_levels(study, model.offer);
  labels_if_positive_ = labels_if_negative_ = Vector::Ones(places_.rows());
  take_belief(prior, Observations(model.observations, pool_));
}

PriorTruth::PriorTruth(const Study& study, const StudyModel& model)
    : pool_(study.pool().points()), seed_(study.file().seed), binary_(study.file().binary()) {
  const Observations seen(model.observations, pool_);
  take_goal(study);
  take_levels(study, model.offer);
  labels_if_positive_ = labels_if_negative_ = Vector::Ones(places_.rows());
  for (Index i = 0; binary_ && i < seen.size(); ++i) {
    const auto& channel = std::get<FlipChannel>(seen.channels()[static_cast<std::size_t>(i)]);
    const double answer = seen.values()(i);
    for (Index row = 0; row < places_.rows(); ++row)
      if (places_.row(row) == seen.points().row(i)) {
        labels_if_positive_(row) *= channel.given(answer, 1.0);
        labels_if_negative_(row) *= channel.given(answer, -1.0);
      }
  }
  take_belief(model.prior, seen);
}

// A point of the goal that is a pool point has its f, and its class.
void PriorTruth::take_goal(const Study& study) {
  places_ = pool_;
  if (!has_own_goal(study)) return;
  const Goal& goal = *study.goal();
  const Index count = std::min(goal.size(), most_goal_points);
  goal_.emplace(TruthTable::AtGoal{.points = Points(count, pool_.cols()),
                                   .weights = Vector(count),
                                   .truth = {},
                                   .rows = {},
                                   .where = "over the points of [goal]"});
  Index places = pool_.rows();
  places_.conservativeResize(places + count, Eigen::NoChange);
  for (Index i = 0; i < count; ++i) {
    const Index taken = i * goal.size() / count;
    goal_->points.row(i) = goal.points.row(taken);
    goal_->weights(i) = goal.weights(taken);
    Index at = 0;
    while (at < places && places_.row(at) != goal.points.row(taken)) ++at;
    if (at == places) places_.row(places++) = goal.points.row(taken);
    goal_places_.push_back(at);
  }
  places_.conservativeResize(places, Eigen::NoChange);
  if (places == pool_.rows()) goal_->rows = goal_places_;
  if (goal_->weights.sum() > 0.0)
    goal_->weights /= goal_->weights.sum();
  else
    goal_->weights.setConstant(1.0 / static_cast<double>(count));
}

// The declared noise of a level whose bias is learned is the size of its whole error; answers have the white
// part of it.
void PriorTruth::take_levels(const Study& study, const Offer& offer) {
  for (std::size_t k = 0; k < offer.levels.size(); ++k) {
    const Level& level = offer.levels[k];
    if (!level.bias.any()) continue;
    BiasedLevel taken{.name = level.name, .bias = bias_of(level.channel), .noise = {}};
    if (level.bias.learned())
      taken.noise = study.offer().base_noise.all().array() + noise_variance(level.channel);
    levels_.push_back(std::move(taken));
  }
}

void PriorTruth::take_belief(const Prior& prior, const Observations& seen) {
  const Index places = places_.rows();
  if (levels_.empty()) {
    FullPosterior belief = binary_ && seen.size() > 0 ? full_posterior_of_labels(prior, seen, places_)
                                                      : full_posterior(prior, seen, places_);
    mean_ = std::move(belief.mean);
    root_ = spectral_root(belief.covariance);
    return;
  }
  // f at all places, then the error of every level at all pool points.
  const Index count = pool_.rows(), levels = static_cast<Index>(levels_.size());
  Points all(places + levels * count, pool_.cols() + 1);
  all.topRows(places) = with_quantity(places_, {});
  for (Index k = 0; k < levels; ++k)
    all.middleRows(places + k * count, count) =
        with_quantity(pool_, Quantity::error(levels_[static_cast<std::size_t>(k)].bias));
  Prior around_zero = answer_prior(prior);
  around_zero.mean = 0.0;
  const Observations answers = answer_observations(seen);
  const Vector residuals = answers.values().array() - prior.mean;
  FullPosterior belief = full_posterior(around_zero, {answers.points(), residuals, answers.noise()}, all);
  mean_ = std::move(belief.mean);
  mean_.head(places).array() += prior.mean;
  root_ = pivoted_root(belief.covariance);
}

std::shared_ptr<const TruthTable> PriorTruth::draw(std::uint32_t number) const {
  numerics::Draws draws(seed_, numerics::Purpose::prior_truth, number);
  Vector independent(root_.cols());
  for (double& value : independent) value = draws.normal();
  const Vector drawn = root_ * independent + mean_;
  const Index places = places_.rows(), count = pool_.rows();
  Vector f = drawn.head(places);
  for (Index row = 0; binary_ && row < f.size(); ++row) {
    const double positive = numerics::normal_cdf(f(row)) * labels_if_positive_(row),
                 negative = numerics::normal_cdf(-f(row)) * labels_if_negative_(row);
    // If labels of accuracy 1 contradict each other, only f is left to decide.
    const double probability =
        positive + negative > 0.0 ? positive / (positive + negative) : numerics::normal_cdf(f(row));
    f(row) = draws.uniform() < probability ? 1.0 : -1.0;
  }
  std::map<std::string, TruthTable::CleanAnswers> answers;
  for (std::size_t k = 0; k < levels_.size(); ++k)
    answers[levels_[k].name] = {
        .values = f.head(count) + drawn.segment(places + static_cast<Index>(k) * count, count),
        .noise = levels_[k].noise};
  std::optional<TruthTable::AtGoal> goal = goal_;
  if (goal) goal->truth = f(goal_places_);
  return std::make_shared<const TruthTable>(f.head(count), std::move(answers), std::move(goal));
}

}  // namespace acuity
