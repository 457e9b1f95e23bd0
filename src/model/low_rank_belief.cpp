#include "model/low_rank_belief.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "acuity/base/errors.hpp"
#include "acuity/data/observation.hpp"
#include "model/low_rank_features.hpp"
#include "numerics/dispatch.hpp"

namespace acuity {

std::unique_ptr<LowRankBelief> LowRankBelief::make(const Prior& prior, const PointsRef& pool, Index most,
                                                   const std::vector<Observation>& observations) {
  std::optional<Matrix> features = low_rank_features(prior.kernel, prior.scaling.apply(pool), most);
  if (!features) return nullptr;
  std::unique_ptr<LowRankBelief> belief(new LowRankBelief(prior, std::move(*features)));
  for (const Observation& observation : observations)
    belief->condition(observation.place, observation.channel, observation.value);
  return belief;
}

LowRankBelief::LowRankBelief(Prior prior, Matrix features)
    : prior_(std::move(prior)), features_(std::move(features)) {
  const Index points = features_.cols();
  marginals_ = {Vector::Constant(points, prior_.mean), features_.colwise().squaredNorm().transpose()};
  seen_.assign(static_cast<std::size_t>((points + tile_width() - 1) / tile_width()), 0);
  set_weights(weights_given({}));
}

LowRankBelief::Weights LowRankBelief::weights_given(const std::vector<Annotation>& annotations) const {
  Weights weights;
  weights.precision.setIdentity(rank(), rank());
  weights.answered_precision = weights.precision;
  weights.pull.setZero(rank());
  for (const Annotation& annotation : annotations) add(weights, annotation);
  solve(weights);
  return weights;
}

void LowRankBelief::add(Weights& weights, const Annotation& annotation) const {
  const auto phi = features_.col(annotation.row);
  const double weight = 1.0 / annotation.noise;
  weights.precision.noalias() += weight * phi * phi.transpose();
  if (annotation.value) {
    weights.answered_precision.noalias() += weight * phi * phi.transpose();
    weights.pull += weight * (*annotation.value - prior_.mean) * phi;
  } else {
    ++weights.pending;
  }
}

void LowRankBelief::solve(Weights& weights) const {
  const Eigen::LLT<Matrix> factor(weights.precision);
  if (factor.info() != Eigen::Success || !factor.matrixLLT().allFinite())
    throw NumericalError("the precision of the weights is not positive definite: noise is too small");
  weights.shrink = factor.matrixL().solve(Matrix::Identity(rank(), rank()));
  weights.mean = weights.pending == 0 ? Vector(factor.solve(weights.pull))
                                      : Vector(weights.answered_precision.llt().solve(weights.pull));
}

void LowRankBelief::set_weights(Weights weights) {
  weights_ = std::move(weights);
  ++version_;
}

AnnotationHandle LowRankBelief::condition(const Place& place, const Channel& channel,
                                          std::optional<double> answer) {
  const double noise = noise_variance(channel);
  if (!place.pool_row() || *place.pool_row() < 0 || *place.pool_row() >= features_.cols() || !(noise > 0.0))
    throw std::invalid_argument("LowRankBelief: an annotation must be of a pool row, with noise above 0");
  const Annotation annotation{{next_handle_}, *place.pool_row(), noise, answer};
  Weights weights = weights_;
  add(weights, annotation);
  solve(weights);
  annotations_.push_back(annotation);
  ++next_handle_;
  set_weights(std::move(weights));
  return annotation.handle;
}

std::vector<LowRankBelief::Annotation>::iterator LowRankBelief::find(AnnotationHandle handle) {
  const auto found = std::find_if(annotations_.begin(), annotations_.end(),
                                  [&](const Annotation& annotation) { return annotation.handle == handle; });
  if (found == annotations_.end()) throw std::invalid_argument("LowRankBelief: there is no such annotation");
  return found;
}

void LowRankBelief::answer(AnnotationHandle annotation, double value) {
  const auto asked = find(annotation);
  if (asked->value) throw std::invalid_argument("LowRankBelief: this annotation is not pending");
  std::vector<Annotation> annotations = annotations_;
  annotations[static_cast<std::size_t>(asked - annotations_.begin())].value = value;
  set_weights(weights_given(annotations));
  annotations_ = std::move(annotations);
}

void LowRankBelief::cancel(AnnotationHandle annotation) {
  std::vector<Annotation> annotations = annotations_;
  annotations.erase(annotations.begin() + (find(annotation) - annotations_.begin()));
  set_weights(weights_given(annotations));
  annotations_ = std::move(annotations);
  ++epoch_;
}

// Variances are squared lengths of L^-1 phi: sums of squares, from which nothing is subtracted.
void LowRankBelief::bring_up_to_date(Index tile) const {
  Index& seen = seen_[static_cast<std::size_t>(tile)];
  if (seen == version_) return;
  const Index first = tile * tile_width(), count = std::min(tile_width(), features_.cols() - first);
  const numerics::Kernels& kernels = numerics::kernels();
  thread_local Matrix shrunk;
  shrunk.setZero(rank(), count);
  kernels.add_product({.rows = rank(), .columns = count, .inner = rank()}, 1.0, weights_.shrink.data(),
                      rank(), features_.col(first).data(), rank(), shrunk.data(), rank());
  marginals_.variance.segment(first, count) = shrunk.colwise().squaredNorm();
  seen = version_;
}

Vector LowRankBelief::mean_at(Index first, Index count) const {
  Vector mean(count);
  numerics::kernels().column_products(features_.col(first).data(), rank(), count, weights_.mean.data(),
                                      mean.data());
  return mean.array() + prior_.mean;
}

const Marginals& LowRankBelief::marginals() const {
  for (Index tile = 0; tile < static_cast<Index>(seen_.size()); ++tile) bring_up_to_date(tile);
  marginals_.mean = mean_at(0, features_.cols());
  return marginals_;
}

Marginals LowRankBelief::exact_at(std::span<const Index> rows) const {
  const auto count = static_cast<Index>(rows.size());
  Marginals found{Vector(count), Vector(count)};
  for (Index k = 0; k < count; ++k) {
    const Index row = rows[static_cast<std::size_t>(k)];
    found.mean(k) = prior_.mean + features_.col(row).dot(weights_.mean);
    found.variance(k) = marginals_.variance(row);
  }
  return found;
}

}  // namespace acuity
