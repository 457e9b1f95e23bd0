#include "acuity/model/averaged_model.hpp"

#include <fmt/format.h>

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <stdexcept>

#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "base/parallel.hpp"
#include "model/averaged_posterior.hpp"
#include "model/hyperparameter_draws.hpp"
#include "model/learning_problem.hpp"
#include "numerics/distributions.hpp"
#include "numerics/normal.hpp"
#include "numerics/random.hpp"

namespace acuity {

namespace {

bool are_classes(const Observations& observations) {
  for (const Channel& channel : observations.channels())
    if (std::holds_alternative<FlipChannel>(channel)) return true;
  return false;
}

Matrix standard_normal_rows(Index rows, Index columns, std::uint64_t seed) {
  numerics::Draws draws(seed, numerics::Purpose::hyperparameter_draws, 0);
  Matrix z(rows, columns);
  for (Index i = 0; i < rows; ++i)
    for (Index k = 0; k < columns; ++k) z(i, k) = draws.normal();
  return z;
}

}  // namespace

double mixture_quantile(const Vector& weights, const Vector& means, const Vector& variances, double q,
                        const std::vector<const AnswerMap*>& maps) {
  const Vector sd = variances.cwiseMax(0.0).cwiseSqrt();
  const double z = boost::math::quantile(numerics::NormalDistribution(), q);
  const auto map_of = [&](Index s) { return maps.empty() ? nullptr : maps[static_cast<std::size_t>(s)]; };
  // Between the smallest and the largest quantile of its parts; of all that have a weight.
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (Index s = 0; s < means.size(); ++s) {
    if (!(weights(s) > 0.0)) continue;
    const AnswerMap* map = map_of(s);
    const double quantile = means(s) + z * sd(s);
    const double answer = map == nullptr ? quantile : map->backward(quantile);
    low = std::min(low, answer);
    high = std::max(high, answer);
  }
  const auto excess = [&](double answer) {
    double below = 0.0, t = answer;
    const AnswerMap* last = nullptr;  // draws of one structure have one map
    for (Index s = 0; s < means.size(); ++s) {
      if (const AnswerMap* map = map_of(s); map != last) {
        t = map == nullptr ? answer : map->forward(answer);
        last = map;
      }
      if (sd(s) > 0.0)
        below += weights(s) * numerics::normal_cdf((t - means(s)) / sd(s));
      else if (t >= means(s))
        below += weights(s);
    }
    return below - q;
  };
  if (!(high > low)) return low;
  const double at_low = excess(low), at_high = excess(high);
  if (at_low >= 0.0) return low;
  if (at_high <= 0.0) return high;
  std::uintmax_t iterations = 200;
  const auto [left, right] = boost::math::tools::toms748_solve(
      excess, low, high, at_low, at_high, boost::math::tools::eps_tolerance<double>(48), iterations);
  return 0.5 * (left + right);
}

AveragedModel AveragedModel::point(const Prior& prior, const Observations& observations, double nugget,
                                   bool classes) {
  AveragedModel model;
  model.classes_ = classes;
  model.draws_.push_back({prior, observations, nugget, 1.0});
  return model;
}

AveragedModel AveragedModel::around(const Prior& prior, const Observations& observations,
                                    const LearnOptions& options, int draws) {
  if (draws < 2 || draws % 2 != 0)
    throw std::invalid_argument(fmt::format("AveragedModel: {} draws, must be even", draws));
  const int threads = options.threads > 0 ? options.threads : base::default_threads();
  const LearningProblem problem(prior, observations, options);
  const ParameterBounds bounds = problem.bounds();
  const Vector optimum = bounds.clip(problem.start());
  const auto one = [&](const Vector& theta, double weight) {
    return HyperparameterDraw{problem.prior_at(theta), problem.observations_at(theta),
                              problem.nugget_at(theta), weight};
  };
  AveragedModel model;
  const auto point_estimate = [&](const std::string& why) {
    model.draws_ = {one(optimum, 1.0)};
    model.note_ = "predictions use one set of hyperparameters: " + why;
    return model;
  };
  const double height = problem.objective_at(optimum).value;
  const Matrix hessian = minus_hessian(
      optimum, [&](const Vector& theta) { return problem.objective_at(theta).gradient; }, threads);
  if (!std::isfinite(height) || !hessian.allFinite())
    return point_estimate("the likelihood around them cannot be computed");
  const HyperparameterDraws found = draw_around(
      {.theta = optimum,
       .objective = height,
       .minus_hessian = hessian,
       .low = bounds.low,
       .high = bounds.high},
      standard_normal_rows(draws / 2, problem.size(), options.seed),
      [&](const Vector& theta) { return problem.objective_at(theta).value; }, threads);
  model.effective_ = found.effective;
  // Of a pair one may count up to four times as much as the other.
  if (found.effective < (draws == 2 ? 1.47 : 2.0))
    return point_estimate(fmt::format("of {} draws hardly one explains the answers", draws));
  for (std::size_t s = 0; s < found.theta.size(); ++s)
    if (const double weight = found.weights(static_cast<Index>(s)); weight > 0.0)
      model.draws_.push_back(one(found.theta[s], weight));
  return model;
}

AveragedModel AveragedModel::mixture(const std::vector<AveragedModel>& models, const Vector& weights) {
  AveragedModel all;
  double squares = 0.0;
  for (std::size_t k = 0; k < models.size(); ++k) {
    all.classes_ = all.classes_ || models[k].classes_;
    all.note_ = k == 0 || !all.note_.empty() ? models[k].note_ : "";  // only if it is true of all
    for (HyperparameterDraw draw : models[k].draws_) {
      draw.weight *= weights(static_cast<Index>(k));
      squares += draw.weight * draw.weight;
      all.draws_.push_back(std::move(draw));
    }
  }
  all.effective_ = 1.0 / squares;
  return all;
}

AveragedModel AveragedModel::mapped(const AnswerMap& map) const {
  AveragedModel model = *this;
  const auto shared = std::make_shared<const AnswerMap>(map);
  for (HyperparameterDraw& draw : model.draws_) draw.map = shared;
  return model;
}

bool AveragedModel::has_classes() const {
  return classes_ || are_classes(draws_.front().observations);
}

AveragedModel::Predicted AveragedModel::predict(const PointsRef& x, int threads) const {
  const bool classes = has_classes();
  Predicted result;
  // One factor at a time is in memory.
  result.marginals = average_over(
      draws_, x.rows(), classes,
      [&](std::size_t s) {
        const HyperparameterDraw& draw = draws_[s];
        if (classes) {
          const EpPosterior posterior(draw.prior, draw.observations);
          if (result.convergence_problem.empty())
            result.convergence_problem = posterior.convergence_problem();
          return posterior.predict(x);
        }
        const GpPosterior posterior(draw.prior, draw.observations, threads);
        result.jittered = std::max(result.jittered, posterior.jittered());
        return posterior.predict(x, {.threads = threads});
      },
      threads);
  return result;
}

}  // namespace acuity
