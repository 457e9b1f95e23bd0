#include "model/ep_columns.hpp"

#include "numerics/dispatch.hpp"

namespace acuity {

namespace {

// B := L^-1 B
void solve_lower(const Matrix& lower, Matrix& b) {
  if (b.size() > 0) numerics::kernels().substitute(lower.data(), lower.rows(), b.data(), b.cols());
}

// c += sign * a' b
void add_cross_product(double sign, const Matrix& a, const Matrix& b, Matrix& c) {
  const Index inner = a.rows();
  if (inner == 0 || c.size() == 0) return;
  numerics::kernels().add_product({c.rows(), c.cols(), inner, true, false}, sign, a.data(), inner, b.data(),
                                  inner, c.data(), c.rows());
}

}  // namespace

EpColumns::EpColumns(const EpPosterior::State& posterior, const Matrix& k) {
  const std::vector<Index>&positive = posterior.positive, &negative = posterior.negative;
  const Vector& precision = posterior.sites.precision;
  shrink = precision(positive).cwiseSqrt().asDiagonal() * k(positive, Eigen::all);
  solve_lower(posterior.factor_positive, shrink);
  widen = k(negative, Eigen::all);
  if (negative.empty()) return;
  add_cross_product(-1.0, posterior.shrink(Eigen::all, negative), shrink, widen);
  widen = precision(negative).cwiseAbs().cwiseSqrt().asDiagonal() * widen;
  solve_lower(posterior.factor_negative, widen);
}

void EpColumns::condition(const EpColumns& others, Matrix& covariances) const {
  add_cross_product(-1.0, shrink, others.shrink, covariances);
  add_cross_product(1.0, widen, others.widen, covariances);
}

}  // namespace acuity
