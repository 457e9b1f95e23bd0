#include "model/low_rank_belief.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "acuity/data/observation.hpp"
#include "acuity/numerics/errors.hpp"
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
  start_again();
}

void LowRankBelief::start_again() {
  precision_.setIdentity(rank(), rank());
  answered_precision_ = precision_;
  pull_.setZero(rank());
  pending_ = 0;
  for (const Annotation& annotation : annotations_) take(annotation);
  settle();
}

void LowRankBelief::take(const Annotation& annotation) {
  const auto phi = features_.col(annotation.row);
  const double weight = 1.0 / annotation.noise;
  precision_.noalias() += weight * phi * phi.transpose();
  if (annotation.value) {
    answered_precision_.noalias() += weight * phi * phi.transpose();
    pull_ += weight * (*annotation.value - prior_.mean) * phi;
  } else {
    ++pending_;
  }
}

void LowRankBelief::settle() {
  const Eigen::LLT<Matrix> factor(precision_);
  if (factor.info() != Eigen::Success)
    throw NumericalError("the precision of the weights is not positive definite: noise is too small");
  shrink_ = factor.matrixL().solve(Matrix::Identity(rank(), rank()));
  weights_ = pending_ == 0 ? Vector(factor.solve(pull_)) : Vector(answered_precision_.llt().solve(pull_));
  ++version_;
}

AnnotationHandle LowRankBelief::condition(const Place& place, const Channel& channel,
                                          std::optional<double> answer) {
  const double noise = noise_variance(channel);
  if (!place.pool_row() || !(noise > 0.0))
    throw std::invalid_argument("LowRankBelief: an annotation must be of a pool row, with noise above 0");
  annotations_.push_back({{next_handle_++}, *place.pool_row(), noise, answer});
  take(annotations_.back());
  settle();
  return annotations_.back().handle;
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
  asked->value = value;
  start_again();
}

void LowRankBelief::cancel(AnnotationHandle annotation) {
  annotations_.erase(find(annotation));
  ++epoch_;
  start_again();
}

// Variances are squared lengths of L^-1 phi: sums of squares, from which nothing is subtracted.
void LowRankBelief::bring_up_to_date(Index tile) const {
  Index& seen = seen_[static_cast<std::size_t>(tile)];
  if (seen == version_) return;
  const Index first = tile * tile_width(), count = std::min(tile_width(), features_.cols() - first);
  const numerics::Kernels& kernels = numerics::kernels();
  thread_local Matrix shrunk;
  shrunk.setZero(rank(), count);
  kernels.add_product({.rows = rank(), .columns = count, .inner = rank()}, 1.0, shrink_.data(), rank(),
                      features_.col(first).data(), rank(), shrunk.data(), rank());
  marginals_.variance.segment(first, count) = shrunk.colwise().squaredNorm();
  seen = version_;
}

Vector LowRankBelief::mean_at(Index first, Index count) const {
  Vector mean(count);
  numerics::kernels().column_products(features_.col(first).data(), rank(), count, weights_.data(),
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
    found.mean(k) = prior_.mean + features_.col(row).dot(weights_);
    found.variance(k) = marginals_.variance(row);
  }
  return found;
}

}  // namespace acuity
