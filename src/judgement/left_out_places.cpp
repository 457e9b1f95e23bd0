#include "judgement/left_out_places.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "acuity/model/gp_posterior.hpp"
#include "acuity/study/study_learner.hpp"
#include "base/parallel.hpp"
#include "campaign/last_fit.hpp"
#include "campaign/state_queries.hpp"
#include "model/answer_kernel.hpp"

namespace acuity {

namespace {

// The averaged model takes an inverse for each of its draws.
constexpr Index most_averaged = 500, most_left_out = 2500;

// The rows of the answers at one place, the most precise without bias first.
using Block = std::vector<Index>;

std::vector<Block> blocks_of(const Observations& observations) {
  std::map<std::vector<double>, Block> places;
  for (Index i = 0; i < observations.size(); ++i) {
    const auto row = observations.points().row(i);
    places[std::vector<double>(row.begin(), row.end())].push_back(i);
  }
  const auto rank = [&](Index i) {
    const Channel& channel = observations.channels()[static_cast<std::size_t>(i)];
    return std::pair(bias_of(channel) != 0, noise_variance(channel));
  };
  std::vector<Block> blocks;
  for (auto& [place, rows] : places) {
    std::stable_sort(rows.begin(), rows.end(), [&](Index a, Index b) { return rank(a) < rank(b); });
    if (bias_of(observations.channels()[static_cast<std::size_t>(rows.front())]) == 0) blocks.push_back(rows);
  }
  return blocks;
}

Matrix inverse_covariance(const Prior& prior, const Observations& answers) {
  const Points x = prior.scaling.apply(answers.points());
  Matrix covariance = prior.kernel->cross(x, x);
  const double least = 1e-9 * covariance.diagonal().maxCoeff();
  covariance.diagonal() += answers.noise().cwiseMax(least);
  return covariance.llt().solve(Matrix::Identity(x.rows(), x.rows()));
}

// math.md 2.8 for the answers at one place together.
struct Prediction {
  double mean, variance;
};
Prediction first_given_others(const Matrix& inverse, const Vector& weighted, const Vector& values,
                              const Block& block) {
  const Matrix covariance =
      Matrix(inverse(block, block))
          .llt()
          .solve(Matrix::Identity(static_cast<Index>(block.size()), static_cast<Index>(block.size())));
  return {values(block.front()) - covariance.row(0).dot(Vector(weighted(block))), covariance(0, 0)};
}

// By the correlations of what was left out (math.md 2.8).
double independent_of(const Matrix& inverse, const std::vector<Block>& blocks) {
  double squares = 0.0;
  for (const Block& a : blocks)
    for (const Block& b : blocks) {
      const Index i = a.front(), j = b.front();
      squares += inverse(i, j) * inverse(i, j) / (inverse(i, i) * inverse(j, j));
    }
  const auto count = static_cast<double>(blocks.size());
  return count * count / squares;
}

// Of f at every place, by the answers at all others. A chain has no one inverse: its columns change, too.
Marginals left_out_of_chain(const HyperparameterDraw& draw, const std::vector<Block>& blocks) {
  const Observations& all = draw.observations;
  const auto places = static_cast<Index>(blocks.size());
  Marginals left{.mean = Vector(places), .variance = Vector(places)};
  base::parallel_for(places, base::default_threads(), [&](Index k) {
    const Block& block = blocks[static_cast<std::size_t>(k)];
    std::vector<Index> rest;
    std::vector<Channel> channels;
    for (Index i = 0; i < all.size(); ++i)
      if (std::find(block.begin(), block.end(), i) == block.end()) {
        rest.push_back(i);
        channels.push_back(all.channels()[static_cast<std::size_t>(i)]);
      }
    const Observations others(Points(all.points()(rest, Eigen::all)), Vector(all.values()(rest)),
                              std::move(channels));
    const Marginals there =
        GpPosterior(draw.prior, others, 1).predict(all.points().middleRows(block.front(), 1), {.threads = 1});
    left.mean(k) = there.mean(0);
    left.variance(k) = there.variance(0);
  });
  return left;
}

}  // namespace

double PlaceScore::z() const {
  return error / std::sqrt(variance + noise);
}

FactorOfF LeftOutPlaces::factor() const {
  constexpr int steps = 241;
  // Averaged intervals are rather too wide: over 168 simulated campaigns (benchmarks/runs) the logarithm of
  // the factor was -0.27 on average, with a standard deviation of 0.27. The prior is wider than that, because
  // intervals that are far too narrow must be noticed.
  constexpr double smallest = 0.1, largest = 10.0, centre = -0.2, spread = 0.4;
  std::array<double, steps> factors, weights;
  const double share = scores.empty() ? 0.0 : counted / static_cast<double>(scores.size());
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < steps; ++k) {
    factors[k] = smallest * std::pow(largest / smallest, static_cast<double>(k) / (steps - 1));
    double sum = 0.0;
    for (const PlaceScore& one : scores) {
      const double expected = factors[k] * factors[k] * one.variance + one.noise;
      sum += std::log(expected) + one.error * one.error / expected;
    }
    weights[k] = -0.5 * share * sum - 0.5 * std::pow((std::log(factors[k]) - centre) / spread, 2);
    best = std::max(best, weights[k]);
  }
  double total = 0.0;
  for (double& weight : weights) total += weight = std::exp(weight - best);
  FactorOfF found;
  double below = 0.0;
  for (std::size_t k = 0; k < steps; ++k) {
    const double before = below;
    below += weights[k] / total;
    const auto passes = [&](double level) { return before < level && below >= level; };
    if (passes(0.05)) found.low = factors[k];
    if (passes(0.5)) found.median = factors[k];
    if (passes(0.95)) found.high = factors[k];
    // 1.96 standard deviations contain 88, 92, 98 and 99 % if they are too small by these factors.
    const double probability = weights[k] / total;
    if (factors[k] > 0.761 && factors[k] < 1.261) found.is_good += probability;
    if (factors[k] > 1.12) found.is_narrow += probability;
    if (factors[k] < 0.843) found.is_wide += probability;
  }
  return found;
}

LeftOutPlaces left_out_places(const Study& study, const State& state) {
  LeftOutPlaces found;
  const std::vector<Annotation> annotations = annotations_of(study, state);
  const auto count = static_cast<Index>(annotations.size());
  if (count < 3 || count > most_left_out) return found;
  const bool is_averaged = count <= most_averaged;
  const StudyModel model =
      is_averaged ? model_for_predictions(study, state) : model_of(study, state, annotations);
  const StudyLearner learner(study);
  const AveragedModel averaged =
      is_averaged && model.learned ? learner.averaged(model, annotations) : learner.unaveraged(model);
  const std::vector<Block> blocks = blocks_of(averaged.draws().front().observations);
  const auto places = static_cast<Index>(blocks.size());
  Vector mean = Vector::Zero(places), square = mean, noise = mean;
  double total = 0.0;
  for (const HyperparameterDraw& draw : averaged.draws()) {
    const Prior prior = answer_prior(draw.prior);
    const Observations answers = answer_observations(draw.observations);
    const Matrix inverse = inverse_covariance(prior, answers);
    const Vector weighted = inverse * (answers.values().array() - prior.mean).matrix();
    if (total == 0.0) found.counted = independent_of(inverse, blocks);
    Marginals left{.mean = Vector(places), .variance = Vector(places)};
    Vector of_noise(places);
    for (Index k = 0; k < places; ++k) {
      const Block& block = blocks[static_cast<std::size_t>(k)];
      const Prediction there = first_given_others(inverse, weighted, answers.values(), block);
      of_noise(k) = answers.noise()(block.front());
      left.mean(k) = there.mean;
      left.variance(k) = std::max(there.variance - of_noise(k), 0.0);
    }
    if (draw.prior.chain) left = left_out_of_chain(draw, blocks);
    if (draw.map) {
      of_noise = noise_of_answers(*draw.map, of_noise, left.mean);
      left = to_answers(*draw.map, left);
    }
    mean += draw.weight * left.mean;
    square += draw.weight * (left.mean.array().square() + left.variance.array()).matrix();
    noise += draw.weight * of_noise;
    total += draw.weight;
  }
  const Vector values = Observations(model.observations, study.pool().points()).values();
  for (Index k = 0; k < places; ++k)
    found.scores.push_back(
        {.error = values(blocks[static_cast<std::size_t>(k)].front()) - mean(k) / total,
         .variance = std::max(square(k) / total - std::pow(mean(k) / total, 2), 1e-12 * square(k) / total),
         .noise = noise(k) / total});
  return found;
}

}  // namespace acuity
