#include "judgement/expected_coverage.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <vector>

#include "acuity/model/gp_posterior.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/last_fit.hpp"
#include "campaign/state_queries.hpp"
#include "numerics/distributions.hpp"
#include "numerics/normal.hpp"
#include "numerics/random.hpp"

namespace acuity {

namespace {

constexpr std::array families{KernelFamily::rbf, KernelFamily::matern52, KernelFamily::matern32};
// Learning takes the third power of the number of answers, and `status` should not wait for it.
constexpr Index fewest_learned_from = 12, most_learned_from = 400;
constexpr Index fewest_open_rows = 30, most_open_rows = 200, functions = 100;
// Of the logarithm of a factor: no family is right, and a function is judged at some points.
constexpr double blur = 0.1;

// A model of another family, with its likelihood.
struct Rival {
  AveragedModel model;
  double log_likelihood = 0.0;
};

// Points without an answer, evenly over the rows of the pool; any points if hardly one is left.
Points looked_at(const Study& study, const std::vector<Annotation>& annotations) {
  std::set<Index> answered;
  for (const Annotation& one : annotations)
    if (one.place.pool_row()) answered.insert(*one.place.pool_row());
  std::vector<Index> rows;
  const Index count = study.pool().points().rows();
  for (Index row = 0; row < count; ++row)
    if (!answered.contains(row)) rows.push_back(row);
  if (static_cast<Index>(rows.size()) < fewest_open_rows) {
    rows.clear();
    for (Index row = 0; row < count; ++row) rows.push_back(row);
  }
  const Index kept = std::min<Index>(most_open_rows, static_cast<Index>(rows.size()));
  Points points(kept, study.pool().points().cols());
  for (Index k = 0; k < kept; ++k)
    points.row(k) = study.pool().points().row(
        rows[static_cast<std::size_t>(k) * rows.size() / static_cast<std::size_t>(kept)]);
  return points;
}

// Climbs from the hyperparameters that the campaign has learned: a search from many starts is not needed to
// see which family is more likely.
Rival learned_with(KernelFamily family, const Study& study, const StudyModel& model,
                   const std::vector<Annotation>& annotations) {
  const auto& own = dynamic_cast<const StationaryKernel&>(*model.learned->prior.kernel);
  StationaryKernelOptions options = own.options();
  options.family = family;
  Learned before = *model.learned;
  before.prior.kernel = std::make_shared<StationaryKernel>(std::move(options));
  before.structures.clear();
  const StudyLearner learner = StudyLearner(study).without_structures();
  const Learned learned =
      learner.learn_from(annotations, {}, 1, &before, static_cast<std::int64_t>(annotations.size()));
  const StudyModel rival = learner.model_given(annotations, learned);
  return {learner.averaged(rival, annotations, 1), learned.log_marginal_likelihood};
}

// Shares of functions drawn from a model that are inside.
std::vector<double> shares_inside(const AveragedModel& model, const Points& points,
                                  const AveragedMarginals& intervals, numerics::Draws& draws) {
  std::vector<double> shares;
  double total = 0.0, upto = 0.0;
  for (const HyperparameterDraw& draw : model.draws()) total += draw.weight;
  for (const HyperparameterDraw& draw : model.draws()) {
    upto += draw.weight / total * static_cast<double>(functions);
    if (static_cast<double>(shares.size()) + 0.5 > upto) continue;
    const GpPosterior posterior(draw.prior, draw.observations, 1);
    Matrix covariance = posterior.covariance(points, points);
    covariance.diagonal().array() += 1e-8 * covariance.diagonal().maxCoeff();
    const Matrix root = covariance.llt().matrixL();
    const Vector mean = posterior.mean(points);
    while (static_cast<double>(shares.size()) + 0.5 <= upto) {
      Vector independent(points.rows());
      for (double& one : independent) one = draws.normal();
      Eigen::ArrayXd f = (mean + root * independent).array();
      if (draw.map) f = f.unaryExpr([&](double z) { return draw.map->backward(z); }).eval();
      shares.push_back(((f >= intervals.low.array()) && (f <= intervals.high.array())).cast<double>().mean());
    }
  }
  return shares;
}

// The logarithm of the factor by which a normal standard deviation is too small if this share is within 1.96
// of it.
double log_factor_of(double share) {
  const double known = std::clamp(share, 0.02, 0.99875);  // a few hundred points resolve no more
  return std::log(1.959963984540054 /
                  boost::math::quantile(numerics::NormalDistribution(), 0.5 * (1.0 + known)));
}

}  // namespace

std::optional<ExpectedCoverage> expected_coverage(const Study& study, const State& state) {
  const std::vector<Annotation> annotations = annotations_of(study, state);
  const auto count = static_cast<Index>(annotations.size());
  if (study.file().binary() || study.file().has_bias() || count < fewest_learned_from ||
      count > most_learned_from)
    return std::nullopt;
  const StudyModel model = model_for_predictions(study, state, 1);
  if (!model.learned || study.file().fit.never() ||
      dynamic_cast<const StationaryKernel*>(model.learned->prior.kernel.get()) == nullptr)
    return std::nullopt;
  const Points points = looked_at(study, annotations);
  const AveragedMarginals intervals =
      StudyLearner(study).averaged(model, annotations, 1).predict(points, 1).marginals;
  std::vector<Rival> rivals;
  double best = -std::numeric_limits<double>::infinity();
  for (const KernelFamily family : families) {
    rivals.push_back(learned_with(family, study, model, annotations));
    best = std::max(best, rivals.back().log_likelihood);
  }
  numerics::Draws draws(study.file().seed, numerics::Purpose::prior_truth, 0, 1);
  ExpectedCoverage found;
  const double good_from = log_factor_of(0.99), good_to = log_factor_of(0.88), wide_to = log_factor_of(0.97);
  double total = 0.0, first = 0.0, second = 0.0;
  for (const Rival& rival : rivals) {
    const double likely = std::exp(rival.log_likelihood - best);
    if (likely < 1e-3) continue;
    const std::vector<double> shares = shares_inside(rival.model, points, intervals, draws);
    for (const double share : shares) {
      const double weight = likely / static_cast<double>(shares.size()), at = log_factor_of(share);
      const auto below = [&](double limit) { return numerics::normal_cdf((limit - at) / blur); };
      total += weight;
      first += weight * at;
      second += weight * at * at;
      found.share += weight * share;
      found.is_good += weight * (below(good_to) - below(good_from));
      found.is_wide += weight * below(wide_to);
    }
  }
  const double mean = first / total,
               spread = std::sqrt(std::max(second / total - mean * mean, 0.0) + blur * blur);
  found.share /= total;
  found.is_good /= total;
  found.is_wide /= total;
  found.factor = std::exp(mean);
  found.low = std::exp(mean - 1.645 * spread);
  found.high = std::exp(mean + 1.645 * spread);
  return found;
}

}  // namespace acuity
