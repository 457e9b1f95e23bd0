#include "judgement/left_out_labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "acuity/model/ep_posterior.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/last_fit.hpp"
#include "campaign/state_queries.hpp"
#include "numerics/distributions.hpp"
#include "numerics/normal.hpp"

namespace acuity {

namespace {

constexpr Index fewest_labels = 12, most_labels = 500, most_rows = 500;

Vector clean_probabilities(const Marginals& f) {
  Vector found(f.mean.size());
  for (Index i = 0; i < found.size(); ++i)
    found(i) = numerics::normal_cdf(f.mean(i) / std::sqrt(1.0 + std::max(f.variance(i), 0.0)));
  return found;
}

double probit_of(double probability) {
  return boost::math::quantile(numerics::NormalDistribution(), std::clamp(probability, 1e-6, 1.0 - 1e-6));
}

Points rows_looked_at(const Study& study) {
  const auto& points = study.pool().points();
  const Index kept = std::min(most_rows, points.rows());
  Points found(kept, points.cols());
  for (Index k = 0; k < kept; ++k) found.row(k) = points.row(k * points.rows() / kept);
  return found;
}

}  // namespace

std::optional<Sureness> sureness_of(const Study& study, const State& state) {
  const std::vector<Annotation> annotations = annotations_of(study, state);
  const auto count = static_cast<Index>(annotations.size());
  if (!study.file().binary() || count < fewest_labels || count > most_labels) return std::nullopt;
  const StudyModel model = model_for_predictions(study, state, 1);
  const AveragedModel averaged = StudyLearner(study).averaged(model, annotations, 1);
  const Observations& labels = averaged.draws().front().observations;
  const Points pool = rows_looked_at(study);
  Vector left_out = Vector::Zero(labels.size()), there = Vector::Zero(pool.rows());
  double total = 0.0;
  for (const HyperparameterDraw& draw : averaged.draws()) {
    const EpPosterior posterior(draw.prior, draw.observations);
    left_out += draw.weight * clean_probabilities(posterior.cavities());
    there += draw.weight * clean_probabilities(posterior.predict(pool));
    total += draw.weight;
  }
  left_out /= total;
  there /= total;

  constexpr int steps = 81;
  constexpr double smallest = 0.4, largest = 5.0, spread = 0.5;
  std::array<double, steps> weights, gains;
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < steps; ++k) {
    const double log_scale =
        std::log(smallest) + std::log(largest / smallest) * static_cast<double>(k) / (steps - 1);
    const double scale = std::exp(log_scale);
    weights[k] = -0.5 * std::pow(log_scale / spread, 2);
    for (Index i = 0; i < labels.size(); ++i) {
      const double clean = numerics::normal_cdf(scale * probit_of(left_out(i)));
      const double up = std::get<FlipChannel>(labels.channels()[static_cast<std::size_t>(i)]).positive(clean);
      weights[k] += std::log(std::max(labels.values()(i) > 0.0 ? up : 1.0 - up, 1e-12));
    }
    gains[k] = 0.0;
    for (const double probability : there) {
      const double claimed = std::max(probability, 1.0 - probability);
      gains[k] +=
          (numerics::normal_cdf(scale * probit_of(claimed)) - claimed) / static_cast<double>(pool.rows());
    }
    best = std::max(best, weights[k]);
  }
  Sureness found{.labels = labels.size(), .claimed = there.cwiseMax((1.0 - there.array()).matrix()).mean()};
  double sum = 0.0, gain = 0.0;
  for (std::size_t k = 0; k < steps; ++k) {
    const double weight = std::exp(weights[k] - best);
    sum += weight;
    gain += weight * gains[k];
    if (std::abs(gains[k]) <= 0.05) found.is_good += weight;
    if (gains[k] > 0.03) found.is_unsure += weight;
    if (gains[k] < -0.03) found.is_sure += weight;
  }
  found.likely = found.claimed + gain / sum;
  found.is_good /= sum;
  found.is_unsure /= sum;
  found.is_sure /= sum;
  return found;
}

}  // namespace acuity
