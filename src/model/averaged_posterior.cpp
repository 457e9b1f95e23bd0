#include "model/averaged_posterior.hpp"

#include <algorithm>
#include <cmath>

#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "base/parallel.hpp"
#include "numerics/distributions.hpp"
#include "numerics/normal.hpp"

namespace acuity {

AveragedMarginals average_over(const std::vector<HyperparameterDraw>& draws, Index points, bool classes,
                               const std::function<Marginals(std::size_t)>& predict, int threads) {
  static const double quantile_of_interval = boost::math::quantile(numerics::NormalDistribution(), 0.975);
  const Index n = points, count = static_cast<Index>(draws.size());
  Matrix means(count, n), variances(count, n);  // of the draws, each on its own scale
  Matrix answer_means(count, n), answer_variances(count, n);
  std::vector<const AnswerMap*> maps;
  Vector weights(count);
  AveragedMarginals all{.mean = Vector::Zero(n),
                        .variance = Vector::Zero(n),
                        .low = Vector(n),
                        .high = Vector(n),
                        .median = Vector(n),
                        .probability = Vector::Zero(classes ? n : 0),
                        .nugget = Vector::Zero(n)};
  for (Index s = 0; s < count; ++s) {
    const HyperparameterDraw& draw = draws[static_cast<std::size_t>(s)];
    const Marginals found = predict(static_cast<std::size_t>(s));
    for (Index i = 0; classes && i < n; ++i)
      all.probability(i) +=
          draw.weight *
          numerics::normal_cdf(found.mean(i) / std::sqrt(1.0 + std::max(0.0, found.variance(i))));
    weights(s) = draw.weight;
    means.row(s) = found.mean.transpose();
    variances.row(s) = found.variance.transpose();
    maps.push_back(draw.map.get());
    const Marginals answers = draw.map ? to_answers(*draw.map, found, threads) : found;
    answer_means.row(s) = answers.mean.transpose();
    answer_variances.row(s) = answers.variance.transpose();
    all.mean += draw.weight * answers.mean;
    if (draw.map)
      all.nugget += draw.weight * noise_of_answers(*draw.map, Vector::Constant(n, draw.nugget), found.mean);
    else
      all.nugget.array() += draw.weight * draw.nugget;
  }
  const bool is_mapped = std::any_of(maps.begin(), maps.end(), [](const AnswerMap* map) { return map; });
  if (!is_mapped) maps.clear();
  if (count == 1) all.mean = answer_means.row(0).transpose();
  base::parallel_for(n, threads > 0 ? threads : base::default_threads(), [&](Index i) {
    all.variance(i) = count == 1 ? answer_variances(0, i)
                                 : weights.dot((answer_variances.col(i).array() +
                                                (answer_means.col(i).array() - all.mean(i)).square())
                                                   .matrix());
    if (count == 1 && !is_mapped) {
      const double sd = std::sqrt(std::max(0.0, all.variance(i)));
      all.low(i) = all.mean(i) - quantile_of_interval * sd;
      all.high(i) = all.mean(i) + quantile_of_interval * sd;
      all.median(i) = all.mean(i);
      return;
    }
    const auto quantile = [&](double q) {
      return mixture_quantile(weights, means.col(i), variances.col(i), q, maps);
    };
    all.low(i) = quantile(0.025);
    all.high(i) = quantile(0.975);
    all.median(i) = quantile(0.5);
  });
  return all;
}

struct AveragedPosterior::Parts {
  std::vector<HyperparameterDraw> draws;
  bool classes = false;
  std::vector<GpPosterior> of_numbers;  // by draw; one of the two is empty
  std::vector<EpPosterior> of_classes;
};

AveragedPosterior::AveragedPosterior(const AveragedModel& model, int threads) {
  auto parts = std::make_unique<Parts>();
  parts->draws = model.draws();
  parts->classes = model.has_classes();
  for (const HyperparameterDraw& draw : parts->draws) {
    if (parts->classes)
      parts->of_classes.emplace_back(draw.prior, draw.observations);
    else
      parts->of_numbers.emplace_back(draw.prior, draw.observations, threads);
  }
  parts_ = std::move(parts);
}

AveragedPosterior::~AveragedPosterior() = default;
AveragedPosterior::AveragedPosterior(AveragedPosterior&&) noexcept = default;
AveragedPosterior& AveragedPosterior::operator=(AveragedPosterior&&) noexcept = default;

AveragedMarginals AveragedPosterior::predict(const PointsRef& x, int threads) const {
  const Parts& p = *parts_;
  return average_over(
      p.draws, x.rows(), p.classes,
      [&](std::size_t s) {
        return p.classes ? p.of_classes[s].predict(x) : p.of_numbers[s].predict(x, {.threads = threads});
      },
      threads);
}

}  // namespace acuity
