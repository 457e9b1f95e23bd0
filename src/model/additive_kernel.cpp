#include "acuity/model/additive_kernel.hpp"

#include <cmath>
#include <vector>

#include "acuity/base/errors.hpp"
#include "model/kernel_profile.hpp"
#include "numerics/dispatch.hpp"

namespace acuity {

namespace {

std::vector<Index> numeric_inputs(const StationaryKernel& kernel, Index inputs) {
  std::vector<Index> numeric;
  for (Index k = 0; k < inputs; ++k)
    if (!kernel.is_category(k)) numeric.push_back(k);
  return numeric;
}

double pairs_of(std::size_t inputs) {
  return 0.5 * static_cast<double>(inputs) * static_cast<double>(inputs - 1);
}

}  // namespace

// Of kernels of one input each, with unit variance, at every pair of points.
struct AdditiveKernel::Sums {
  Matrix of_singles, of_pairs;  // the second: of the products of two different ones
};

// Sums over pairs of points of the weights times the slopes of parts that have the whole variance, factors of
// categories included.
struct AdditiveKernel::Slopes {
  Vector full;                        // by log a, and by the logarithm of every length scale
  double singles = 0.0, pairs = 0.0;  // by log a
  Vector of_lengthscales;  // by those of one input each, with the shares of the parts that have them
};

AdditiveKernel::AdditiveKernel(const StationaryKernel& full, double odds)
    : AdditiveKernel(full, full.options().lengthscale, odds) {}

AdditiveKernel::AdditiveKernel(StationaryKernel full, Vector single, double odds,
                               std::optional<double> pair_odds)
    : full_(std::move(full)), single_(std::move(single)), odds_(odds), pair_odds_(pair_odds) {
  require(std::isfinite(odds) && odds > 0.0, "AdditiveKernel", "odds", odds, "positive and finite");
  if (pair_odds)
    require(std::isfinite(*pair_odds) && *pair_odds > 0.0, "AdditiveKernel", "odds of pairs", *pair_odds,
            "positive and finite");
  require(full_.options().lengthscale.size() > 0, "AdditiveKernel", "number of length scales", 0.0,
          "at least 1");
  require(single_.size() == full_.options().lengthscale.size(), "AdditiveKernel", "number of length scales",
          static_cast<double>(single_.size()), "the same in both parts");
  for (const double l : single_)
    require(std::isfinite(l) && l > 0.0, "AdditiveKernel", "lengthscale", l, "positive and finite");
}

AdditiveKernel AdditiveKernel::with_pairs(const StationaryKernel& full) {
  return {full, full.options().lengthscale, 1.0, 1.0};
}

Matrix AdditiveKernel::cross(const PointsRef& a, const PointsRef& b) const {
  const Points left = a;  // contiguous, whatever the caller's strides
  if (a.data() == b.data() && a.rows() == b.rows() && a.outerStride() == b.outerStride())
    return covariance(left, left, true);
  return covariance(left, b, false);
}

Matrix AdditiveKernel::single_covariance(const Points& left, const Points& right, bool same, Index input,
                                         double lengthscale, double variance) const {
  const numerics::Profile profile = profile_of(full_.options().family);
  const Vector a = left.col(input), b = right.col(input);
  const double inverse = 1.0 / lengthscale;
  Matrix k(left.rows(), right.rows());
  if (same)
    numerics::kernels().self_covariance(profile, variance, a.data(), a.size(), 1, &inverse, k.data());
  else
    numerics::kernels().covariance(profile, variance, a.data(), a.size(), b.data(), b.size(), 1, &inverse,
                                   k.data());
  return k;
}

// With S the sum of kernels, the sum of products of two different ones is half of S^2 less the sum of
// squares.
AdditiveKernel::Sums AdditiveKernel::sums(const Points& left, const Points& right, bool same) const {
  const std::vector<Index> numeric = numeric_inputs(full_, left.cols());
  require(numeric.size() > 1, "AdditiveKernel", "number of numeric inputs",
          static_cast<double>(numeric.size()), "at least 2 for functions of pairs");
  Matrix sum = Matrix::Zero(left.rows(), right.rows()), squares = sum;
  for (std::size_t k = 0; k < numeric.size(); ++k) {
    const Matrix one = single_covariance(left, right, same, numeric[k], single_lengthscale(k), 1.0);
    sum += one;
    squares += one.cwiseAbs2();
  }
  Matrix pairs = 0.5 * (sum.cwiseAbs2() - squares);
  return {std::move(sum), std::move(pairs)};
}

void AdditiveKernel::scale_by_categories(const Points& left, const Points& right, Matrix& k) const {
  for (const CategoryFactor& category : full_.options().categories) {
    const Vector codes = left.col(category.input);
    for (Index j = 0; j < k.cols(); ++j)
      numerics::kernels().scale_where_different(codes.data(), codes.size(), right(j, category.input),
                                                category.similarity(), k.col(j).data());
  }
}

// math.md eq. (11.12), (11.16). Factors of categories apply to all parts.
Matrix AdditiveKernel::covariance(const Points& left, const Points& right, bool same) const {
  const StationaryKernelOptions& options = full_.options();
  const Vector inverse = full_.inverse_lengthscales(left.cols());
  const std::vector<Index> numeric = numeric_inputs(full_, left.cols());
  const numerics::Profile profile = profile_of(options.family);
  const double variance = options.amplitude * options.amplitude;
  const double of_full = full_share() * variance;
  Matrix k(left.rows(), right.rows());
  if (same)
    numerics::kernels().self_covariance(profile, of_full, left.data(), left.rows(), left.cols(),
                                        inverse.data(), k.data());
  else
    numerics::kernels().covariance(profile, of_full, left.data(), left.rows(), right.data(), right.rows(),
                                   left.cols(), inverse.data(), k.data());
  const double of_each = share() * variance / static_cast<double>(numeric.size());
  if (has_pairs()) {
    const Sums found = sums(left, right, same);
    k += of_each * found.of_singles + pair_share() * variance / pairs_of(numeric.size()) * found.of_pairs;
  } else {
    for (std::size_t input = 0; input < numeric.size(); ++input)
      k += single_covariance(left, right, same, numeric[input], single_lengthscale(input), of_each);
  }
  scale_by_categories(left, right, k);
  return k;
}

Vector AdditiveKernel::diagonal(const PointsRef& x) const {
  return full_.diagonal(x);
}

Vector AdditiveKernel::log_parameters() const {
  const Vector of_full = full_.log_parameters();
  Vector all(of_full.size() + single_.size() + (has_pairs() ? 2 : 1));
  all.head(of_full.size()) = of_full;
  all.segment(of_full.size(), single_.size()) = single_.array().log().matrix();
  all(of_full.size() + single_.size()) = std::log(odds_);
  if (has_pairs()) all(all.size() - 1) = std::log(*pair_odds_);
  return all;
}

std::shared_ptr<const Kernel> AdditiveKernel::with_log_parameters(const Vector& log_parameters) const {
  const Index odds = has_pairs() ? 2 : 1;
  const Index of_full = log_parameters.size() - single_.size() - odds;
  const auto full = std::static_pointer_cast<const StationaryKernel>(
      full_.with_log_parameters(log_parameters.head(of_full)));
  const Vector of_odds = log_parameters.tail(odds).array().exp();
  return std::make_shared<AdditiveKernel>(*full,
                                          log_parameters.segment(of_full, single_.size()).array().exp(),
                                          of_odds(0), has_pairs() ? std::optional(of_odds(1)) : std::nullopt);
}

AdditiveKernel::Slopes AdditiveKernel::slopes(const Points& points, const Matrix& weights) const {
  const std::vector<Index> numeric = numeric_inputs(full_, points.cols());
  const numerics::Profile profile = profile_of(full_.options().family);
  const double variance = full_.options().amplitude * full_.options().amplitude;
  Slopes found{.full = Vector(1 + points.cols()), .of_lengthscales = Vector::Zero(single_.size())};
  const Vector inverse = full_.inverse_lengthscales(points.cols());
  numerics::kernels().weighted_gradient(profile, variance, points.data(), points.rows(), points.cols(),
                                        inverse.data(), weights.data(), found.full.data());
  if (has_pairs()) return found;
  for (std::size_t k = 0; k < numeric.size(); ++k) {
    const Vector column = points.col(numeric[k]);
    const double inverse_of_one = 1.0 / single_lengthscale(k);
    double gradient[2];
    numerics::kernels().weighted_gradient(profile, variance / static_cast<double>(numeric.size()),
                                          column.data(), column.size(), 1, &inverse_of_one, weights.data(),
                                          gradient);
    found.singles += gradient[0];
    found.of_lengthscales(single_.size() == 1 ? 0 : static_cast<Index>(k)) += share() * gradient[1];
  }
  return found;
}

// A length scale moves the kernel of its input, which is a factor of every pair that the input is in.
AdditiveKernel::Slopes AdditiveKernel::slopes_with_pairs(const Points& points, const Matrix& weights) const {
  const std::vector<Index> numeric = numeric_inputs(full_, points.cols());
  const numerics::Profile profile = profile_of(full_.options().family);
  const double variance = full_.options().amplitude * full_.options().amplitude;
  const auto inputs = static_cast<double>(numeric.size());
  const double pairs = pairs_of(numeric.size());
  Slopes found = slopes(points, weights);
  const Sums all = sums(points, points, true);
  found.singles = 2.0 * variance / inputs * weights.cwiseProduct(all.of_singles).sum();
  found.pairs = 2.0 * variance / pairs * weights.cwiseProduct(all.of_pairs).sum();
  for (std::size_t k = 0; k < numeric.size(); ++k) {
    const Matrix one = single_covariance(points, points, true, numeric[k], single_lengthscale(k), 1.0);
    const Matrix moved =
        weights.array() * (share() / inputs + pair_share() / pairs * (all.of_singles - one).array());
    const Vector column = points.col(numeric[k]);
    const double inverse = 1.0 / single_lengthscale(k);
    double gradient[2];
    numerics::kernels().weighted_gradient(profile, variance, column.data(), column.size(), 1, &inverse,
                                          moved.data(), gradient);
    found.of_lengthscales(single_.size() == 1 ? 0 : static_cast<Index>(k)) += gradient[1];
  }
  return found;
}

// The slope in the odds r: with s = r / (1 + r), ds / d log r = s (1 - s). With the odds of pairs a part of
// share s has s times what it gains beyond the mean of all parts.
Vector AdditiveKernel::weighted_gradient(const PointsRef& x, const Matrix& weights) const {
  const Points points = x;
  const StationaryKernelOptions& options = full_.options();
  Matrix scaled = weights;
  scale_by_categories(points, points, scaled);
  const Slopes found = has_pairs() ? slopes_with_pairs(points, scaled) : slopes(points, scaled);

  const Index lengthscales = options.lengthscale.size();
  Vector all = Vector::Zero(log_parameters().size());
  const Index odds = all.size() - (has_pairs() ? 2 : 1);
  all(0) = share() * found.singles + full_share() * found.full(0);
  if (has_pairs()) all(0) += pair_share() * found.pairs;
  Index next = 1;
  for (const Index k : numeric_inputs(full_, points.cols()))
    all(lengthscales == 1 ? 1 : next++) += full_share() * found.full(1 + k);
  all.segment(odds - lengthscales, lengthscales) = found.of_lengthscales;
  if (has_pairs())
    all.tail(2) << 0.5 * share() * (found.singles - all(0)), 0.5 * pair_share() * (found.pairs - all(0));
  else
    all(odds) = share() * (1.0 - share()) * 0.5 * (found.singles - found.full(0));
  add_category_slopes(points, weights, all);
  return all;
}

void AdditiveKernel::add_category_slopes(const Points& points, const Matrix& weights, Vector& all) const {
  Matrix products;
  Index next = 1 + full_.options().lengthscale.size();
  for (const CategoryFactor& category : full_.options().categories) {
    if (!category.learned) continue;
    if (products.size() == 0) products = covariance(points, points, true).cwiseProduct(weights);
    const Vector codes = points.col(category.input);
    double sum = 0.0;
    for (Index j = 0; j < products.cols(); ++j)
      sum += (codes.array() == codes(j)).select(0.0, products.col(j).array()).sum();
    all(next++) = sum / category.lengthscale;
  }
}

const StationaryKernel* stationary_part(const Kernel& kernel) {
  if (const auto* sum = dynamic_cast<const AdditiveKernel*>(&kernel)) return &sum->full();
  return dynamic_cast<const StationaryKernel*>(&kernel);
}

}  // namespace acuity
