#include "model/ep_predictor.hpp"

#include <algorithm>

#include "numerics/dispatch.hpp"

namespace acuity {

// math.md eq. (3.10). With a = L_P^-1 S_P^1/2 k_P the second factor sees k_Q - U_Q' a, so its rows are
// L_Q^-1 |S_Q|^1/2 (-U_Q' L_P^-1 S_P^1/2, I).
EpPredictor::EpPredictor(const EpPosterior& of) : EpPredictor(of.state()) {}

EpPredictor::EpPredictor(const EpPosterior::State& posterior) : posterior_(posterior) {
  const std::vector<Index>&positive = posterior.positive, &negative = posterior.negative;
  const Vector& precision = posterior.sites.precision;
  order_ = positive;
  order_.insert(order_.end(), negative.begin(), negative.end());
  for (Index i = 0; i < precision.size(); ++i)
    if (precision(i) == 0.0) order_.push_back(i);
  weights_ = posterior.weights(order_);

  const numerics::Kernels& kernels = numerics::kernels();
  Matrix shrink = posterior.factor_positive.triangularView<Eigen::Lower>();
  if (shrink.size() > 0) kernels.invert_lower(shrink.data(), shrink.rows(), shrink.rows());
  shrink = shrink * precision(positive).cwiseSqrt().asDiagonal();
  shrinking_.add(shrink, 1);
  if (negative.empty()) return;

  const Index p = shrink.rows(), q = static_cast<Index>(negative.size());
  const Matrix reach = posterior.shrink(Eigen::all, negative);
  Matrix widen = Matrix::Zero(q, p + q);
  if (p > 0)
    kernels.add_product({q, p, p, true, false}, -1.0, reach.data(), p, shrink.data(), p, widen.data(), q);
  widen.rightCols(q).setIdentity();
  widen = precision(negative).cwiseAbs().cwiseSqrt().asDiagonal() * widen;
  kernels.substitute(posterior.factor_negative.data(), q, widen.data(), p + q);
  widening_.add(widen, p + 1);
}

void EpPredictor::predict(const double* tile, double* mean, double* explained) const {
  const numerics::Kernels& kernels = numerics::kernels();
  double widened[width] = {};
  std::fill_n(mean, width, 0.0);
  std::fill_n(explained, width, 0.0);
  kernels.add_columns(tile, width, weights_.size(), weights_.data(), width, mean);
  kernels.add_squares(shrinking_.panels(), tile, explained);
  kernels.add_squares(widening_.panels(), tile, widened);
  for (Index j = 0; j < width; ++j) explained[j] -= widened[j];
}

Marginals EpPredictor::predict(const PointsRef& x) const {
  const Prior& prior = posterior_.prior;
  const Points places = posterior_.points(order_, Eigen::all);
  Marginals marginals{Vector(x.rows()), Vector(x.rows())};
  Matrix tile = Matrix::Zero(width, places.rows());
  double mean[width], explained[width];
  for (Index begin = 0; begin < x.rows(); begin += width) {
    const Index count = std::min(width, x.rows() - begin);
    const Points scaled = prior.scaling.apply(x.middleRows(begin, count));
    tile.topRows(count) = prior.kernel->cross(scaled, places);
    predict(tile.data(), mean, explained);
    const Vector before = prior.kernel->diagonal(scaled);
    for (Index j = 0; j < count; ++j) {
      marginals.mean(begin + j) = mean[j];
      marginals.variance(begin + j) = std::max(before(j) - explained[j], 0.0);
    }
  }
  return marginals;
}

}  // namespace acuity
