#include "model/low_rank_inverse.hpp"

#include <Eigen/Cholesky>
#include <memory>

#include "model/low_rank_features.hpp"
#include "numerics/dispatch.hpp"

namespace acuity {

// math.md eq. (6.7)
std::optional<CovarianceInverse> low_rank_inverse(const std::shared_ptr<const Kernel>& kernel,
                                                  const Points& points, const Vector& noise) {
  const Index n = points.rows(), most = n / 8;
  constexpr Index worthwhile = 256;
  if (n < worthwhile) return std::nullopt;
  const double variance = kernel->diagonal(points.topRows(1))(0);
  const double error = static_cast<double>(n) * low_rank_tolerance * variance / noise.minCoeff();
  if (!(error < 1e-7)) return std::nullopt;
  const std::optional<Matrix> features = low_rank_features(kernel, points, most);
  if (!features) return std::nullopt;

  const Index rank = features->rows();
  const Vector root = noise.cwiseSqrt().cwiseInverse();
  const Matrix scaled = *features * root.asDiagonal();
  Matrix precision = Matrix::Identity(rank, rank);
  const numerics::Kernels& kernels = numerics::kernels();
  kernels.add_product({.rows = rank, .columns = rank, .inner = n, .transpose_b = true}, 1.0, scaled.data(),
                      rank, scaled.data(), rank, precision.data(), rank);
  const Eigen::LLT<Matrix> factor(precision);
  if (factor.info() != Eigen::Success) return std::nullopt;
  const Matrix explained = factor.matrixL().solve(scaled * root.asDiagonal());
  CovarianceInverse found{Matrix(noise.cwiseInverse().asDiagonal()), noise.array().log().sum()};
  kernels.add_product({.rows = n, .columns = n, .inner = rank, .transpose_a = true}, -1.0, explained.data(),
                      rank, explained.data(), rank, found.inverse.data(), n);
  found.log_determinant += 2.0 * factor.matrixLLT().diagonal().array().log().sum();
  return found;
}

}  // namespace acuity
