// The numeric kernels of every level this machine has, against plain loops and Eigen at the baseline.
#include "numerics/kernels/table.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "numerics/dispatch.hpp"
#include "numerics/random.hpp"

namespace acuity::numerics::kernels_test {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <typename Dense>
Dense random(Eigen::Index rows, Eigen::Index columns, std::uint32_t stream) {
  Draws draws(6, Purpose::data, stream);
  Dense m(rows, columns);
  for (auto& value : m.reshaped()) value = static_cast<typename Dense::Scalar>(draws.normal());
  return m;
}

// The textbook's formulas.
double covariance_at(Profile profile, double rho) {
  if (profile == Profile::rbf) return std::exp(-0.5 * rho * rho);
  const double t = std::sqrt(profile == Profile::matern32 ? 3.0 : 5.0) * rho;
  return (profile == Profile::matern32 ? 1.0 + t : 1.0 + t + t * t / 3.0) * std::exp(-t);
}
double slope_at(Profile profile, double rho) {
  if (profile == Profile::rbf) return std::exp(-0.5 * rho * rho);
  const double t = std::sqrt(profile == Profile::matern32 ? 3.0 : 5.0) * rho;
  return profile == Profile::matern32 ? 3.0 * std::exp(-t) : 5.0 / 3.0 * (1.0 + t) * std::exp(-t);
}
constexpr Profile profiles[] = {Profile::rbf, Profile::matern32, Profile::matern52};

class EveryLevel : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    kernels_ = kernels_of(GetParam());
    if (kernels_ == nullptr) GTEST_SKIP() << "this processor does not have " << GetParam();
  }
  const Kernels* kernels_ = nullptr;
};

TEST_P(EveryLevel, KnowsItsName) {
  EXPECT_STREQ(kernels_->instruction_set, GetParam());
}

#ifndef __clang__
// The list of features in dispatch.cpp against the compiler's own knowledge of the levels.
TEST(InstructionSet, LevelsAreThoseThatTheCompilerKnows) {
  __builtin_cpu_init();
  EXPECT_EQ(kernels_of("x86-64-v3") != nullptr, __builtin_cpu_supports("x86-64-v3") != 0);
  EXPECT_EQ(kernels_of("x86-64-v4") != nullptr, __builtin_cpu_supports("x86-64-v4") != 0);
}
#endif

TEST_P(EveryLevel, CovarianceIsTheTextbooks) {
  for (const Profile profile : profiles)
    for (const Eigen::Index n : {1, 7, 8, 19}) {
      const RowMajor a = 2.0 * random<RowMajor>(n, 3, 1), b = 2.0 * random<RowMajor>(5, 3, 2);
      const Eigen::Vector3d inverse(0.7, 1.3, 2.0);
      Eigen::MatrixXd k(n, 5);
      kernels_->covariance(profile, 1.7, a.data(), n, b.data(), 5, 3, inverse.data(), k.data());
      for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j < 5; ++j) {
          const double rho = (a.row(i) - b.row(j)).transpose().cwiseProduct(inverse).norm();
          const double expected = 1.7 * covariance_at(profile, rho);
          // What rounding of the exponent, about rho^2, leaves of it.
          EXPECT_NEAR(k(i, j), expected, 1e-15 * (2.0 + rho * rho) * expected) << rho;
        }
    }
}

TEST_P(EveryLevel, CovarianceVanishesFarAwayAndIsExactAtTheSamePlace) {
  for (const Profile profile : profiles) {
    const double x[] = {0.0, 1.0, 30.0, 1e3, 1e150, 1e300}, unit = 1.0;
    double k[6];
    kernels_->covariance(profile, 2.0, x, 6, x, 1, 1, &unit, k);
    EXPECT_EQ(k[0], 2.0);
    for (int i = 1; i < 6; ++i) EXPECT_GE(k[i], 0.0);
    EXPECT_EQ(k[3], 0.0);
    EXPECT_EQ(k[4], 0.0);
    EXPECT_EQ(k[5], 0.0);
  }
}

TEST_P(EveryLevel, CovarianceOfPointsWithThemselvesHasTheSameBits) {
  const double inverse[] = {0.7, 1.0, 2.5};
  for (const Profile profile : profiles)
    for (const Eigen::Index n : {1, 7, 33, 100}) {
      const RowMajor a = random<RowMajor>(n, 3, 22);
      Eigen::MatrixXd general(n, n), self(n, n);
      kernels_->covariance(profile, 1.7, a.data(), n, a.data(), n, 3, inverse, general.data());
      kernels_->self_covariance(profile, 1.7, a.data(), n, 3, inverse, self.data());
      EXPECT_EQ(general, self);
    }
}

// The slow twin: one row, one goal point and one column at a time.
TEST_P(EveryLevel, CovariancesWithAGoalAreThoseOfOneRowAtATime) {
  constexpr std::ptrdiff_t width = tile_columns, rows = 2 * slab_rows + 3, stride = 20;
  RowMajor v = random<RowMajor>(3 * slab_rows, width, 41);
  double* slabs[] = {v.data(), v.data() + slab_rows * width, v.data() + 2 * slab_rows * width};
  const TileView<double> tile{.points = nullptr, .slabs = slabs};
  const RowMajor goal = random<RowMajor>(rows, stride, 42);
  for (const std::ptrdiff_t goals : {1, 4, 6, 13, 20})
    for (const std::ptrdiff_t from : {std::ptrdiff_t{0}, std::ptrdiff_t{5}, rows - 1, rows}) {
      const RowMajor before = random<RowMajor>(goals, width, 43);
      RowMajor found = before, one_by_one = before, wanted = before;
      kernels_->subtract_covariances(tile, from, rows, goal.data(), stride, goals, found.data());
      for (std::ptrdiff_t i = from; i < rows; ++i) {
        kernels_->subtract_covariances(tile, i, i + 1, goal.data(), stride, goals, one_by_one.data());
        for (std::ptrdiff_t m = 0; m < goals; ++m)
          for (std::ptrdiff_t j = 0; j < width; ++j) wanted(m, j) -= goal(i, m) * v(i, j);
      }
      EXPECT_EQ(found, one_by_one) << goals << " from " << from;
      EXPECT_LT((found - wanted).cwiseAbs().maxCoeff(), 1e-12) << goals << " from " << from;
    }
}

TEST_P(EveryLevel, SumsOfSharesAreThoseOfPlainLoops) {
  constexpr std::ptrdiff_t width = tile_columns;
  for (const std::ptrdiff_t goals : {1, 9}) {
    const RowMajor c = random<RowMajor>(goals, width, 44), d = random<RowMajor>(goals, width, 45);
    const Eigen::VectorXd scale = random<Eigen::VectorXd>(goals, 1, 46).cwiseAbs(),
                          weights = random<Eigen::VectorXd>(goals, 1, 47).cwiseAbs();
    for (const bool with_error : {false, true}) {
      double found[3 * width];
      kernels_->share_sums(c.data(), with_error ? d.data() : nullptr, scale.data(), weights.data(), goals,
                           found);
      for (std::ptrdiff_t j = 0; j < width; ++j) {
        double mean = 0.0, squares = 0.0, largest = 0.0;
        for (std::ptrdiff_t m = 0; m < goals; ++m) {
          const double entry = c(m, j) + (with_error ? d(m, j) : 0.0), share = entry * entry * scale(m);
          mean += weights(m) * share;
          squares += weights(m) * share * share;
          largest = std::max(largest, share);
        }
        EXPECT_NEAR(found[j], mean, 1e-13 * (1.0 + mean));
        EXPECT_NEAR(found[width + j], squares, 1e-13 * (1.0 + squares));
        EXPECT_NEAR(found[2 * width + j], largest, 1e-13 * (1.0 + largest));
      }
    }
  }
}

TEST_P(EveryLevel, HalfDifferenceIsThatOfTheOuterProduct) {
  const Eigen::VectorXd w = random<Eigen::VectorXd>(13, 1, 23);
  const Eigen::MatrixXd before = random<Eigen::MatrixXd>(13, 13, 24);
  Eigen::MatrixXd after = before;
  kernels_->half_difference(w.data(), 13, after.data());
  EXPECT_LT((after - 0.5 * (w * w.transpose() - before)).cwiseAbs().maxCoeff(), 1e-15);
}

TEST_P(EveryLevel, WeightedGradientIsTheDoubleSum) {
  for (const Profile profile : profiles)
    for (const Eigen::Index n : {1, 2, 8, 9, 30}) {
      const RowMajor x = random<RowMajor>(n, 2, 5);
      const Eigen::MatrixXd half = random<Eigen::MatrixXd>(n, n, 6), weights = half + half.transpose();
      const Eigen::Vector2d inverse(0.8, 1.9);
      Eigen::Vector3d gradient, expected = Eigen::Vector3d::Zero();
      kernels_->weighted_gradient(profile, 1.3, x.data(), n, 2, inverse.data(), weights.data(),
                                  gradient.data());
      for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j < n; ++j) {
          const Eigen::Vector2d u = (x.row(i) - x.row(j)).transpose().cwiseProduct(inverse);
          expected(0) += weights(i, j) * 2.0 * 1.3 * covariance_at(profile, u.norm());
          expected.tail(2) += weights(i, j) * 1.3 * slope_at(profile, u.norm()) * u.cwiseAbs2();
        }
      EXPECT_LT((gradient - expected).cwiseAbs().maxCoeff(), 1e-12 * (1.0 + expected.norm())) << n;
    }
}

// A factor with points, and one tile that has seen nothing.
template <typename Real>
struct TileProblem {
  static constexpr Eigen::Index rows = 43, inputs = 3;
  std::vector<Real> packed, row_points, tile_points, inverse{Real(0.9), Real(1.1), Real(1.0)};
  std::vector<std::unique_ptr<Real[]>> slabs;
  std::vector<Real*> pointers;
  Eigen::MatrixXd lower, covariance;

  TileProblem() {
    const RowMajor x = random<RowMajor>(rows, inputs, 7), pool = random<RowMajor>(tile_columns, inputs, 8);
    const Eigen::MatrixXd noise = random<Eigen::MatrixXd>(rows, rows, 9);
    lower = (noise * noise.transpose() + 5.0 * Eigen::MatrixXd::Identity(rows, rows)).llt().matrixL();
    for (Eigen::Index i = 0; i < rows; ++i)
      for (Eigen::Index j = 0; j <= i; ++j) packed.push_back(static_cast<Real>(lower(i, j)));
    for (Eigen::Index i = 0; i < rows; ++i)
      for (Eigen::Index k = 0; k < inputs; ++k) row_points.push_back(static_cast<Real>(x(i, k)));
    for (Eigen::Index k = 0; k < inputs; ++k)
      for (Eigen::Index j = 0; j < tile_columns; ++j) tile_points.push_back(static_cast<Real>(pool(j, k)));
    covariance.resize(rows, tile_columns);
    for (Eigen::Index i = 0; i < rows; ++i)
      for (Eigen::Index j = 0; j < tile_columns; ++j) {
        Eigen::Vector3d u = (x.row(i) - pool.row(j)).transpose();
        for (Eigen::Index k = 0; k < inputs; ++k)
          u(k) *= static_cast<double>(inverse[static_cast<std::size_t>(k)]);
        covariance(i, j) = 1.2 * covariance_at(Profile::matern52, u.norm());
      }
    for (Eigen::Index i = 0; i < rows; i += slab_rows) {
      slabs.emplace_back(new Real[slab_rows * tile_columns]());
      pointers.push_back(slabs.back().get());
    }
  }
  FactorView<Real> factor() const { return {packed.data(), row_points.data(), inputs, inverse.data()}; }
  TileView<Real> tile() const { return {tile_points.data(), pointers.data()}; }
  Eigen::MatrixXd v() const {
    Eigen::MatrixXd all(rows, tile_columns);
    for (Eigen::Index i = 0; i < rows; ++i)
      for (Eigen::Index j = 0; j < tile_columns; ++j)
        all(i, j) = slabs[static_cast<std::size_t>(i / slab_rows)]
                         [static_cast<std::size_t>(i % slab_rows * tile_columns + j)];
    return all;
  }
};

TEST_P(EveryLevel, ATileSolvesAgainstTheFactor) {
  const TileProblem<double> p;
  kernels_->tiles.catch_up(p.factor(), Profile::matern52, 1.2, p.tile(), 0, p.rows);
  const Eigen::MatrixXd expected = p.lower.triangularView<Eigen::Lower>().solve(p.covariance);
  EXPECT_LT((p.v() - expected).cwiseAbs().maxCoeff(), 1e-13);
  const TileProblem<float> f;
  kernels_->float_tiles.catch_up(f.factor(), Profile::matern52, 1.2f, f.tile(), 0, f.rows);
  EXPECT_LT((f.v() - expected).cwiseAbs().maxCoeff(), 1e-5);
}

TEST_P(EveryLevel, ATileGetsTheSameBitsRowByRowAndAllAtOnce) {
  const TileProblem<double> once, stepwise, mixed;
  kernels_->tiles.catch_up(once.factor(), Profile::rbf, 1.2, once.tile(), 0, once.rows);
  for (Eigen::Index i = 0; i < once.rows; ++i)
    kernels_->tiles.catch_up(stepwise.factor(), Profile::rbf, 1.2, stepwise.tile(), i, i + 1);
  Eigen::Index from = 0;
  for (const Eigen::Index to : {3, 8, 9, 21, 23, 43}) {
    kernels_->tiles.catch_up(mixed.factor(), Profile::rbf, 1.2, mixed.tile(), from, to);
    from = to;
  }
  EXPECT_EQ(once.v(), stepwise.v());
  EXPECT_EQ(once.v(), mixed.v());
}

TEST_P(EveryLevel, FoldingTakesRowsOffTheVarianceAndAddsThemToTheMean) {
  const TileProblem<double> p;
  kernels_->tiles.catch_up(p.factor(), Profile::rbf, 1.2, p.tile(), 0, p.rows);
  const Eigen::VectorXd z = random<Eigen::VectorXd>(p.rows, 1, 10);
  Eigen::VectorXd variance = Eigen::VectorXd::Constant(tile_columns, 1.2),
                  mean = Eigen::VectorXd::Constant(tile_columns, 0.5);
  variance(3) = 0.0;
  kernels_->tiles.fold(p.tile(), 0, p.rows, z.data(), variance.data(), mean.data());
  Eigen::VectorXd left = 1.2 - p.v().colwise().squaredNorm().transpose().array();
  left(3) = 0.0;
  EXPECT_LT((variance - left.cwiseMax(0.0)).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((mean - (p.v().transpose() * z).array().matrix() - Eigen::VectorXd::Constant(tile_columns, 0.5))
                .cwiseAbs()
                .maxCoeff(),
            1e-13);
}

TEST_P(EveryLevel, FoldingALowRankFactorIsFoldingItsProducts) {
  const TileProblem<double> p;
  kernels_->tiles.catch_up(p.factor(), Profile::rbf, 1.2, p.tile(), 0, p.rows);  // stands for F
  const RowMajor g = 0.1 * random<RowMajor>(9, p.rows, 20);
  const Eigen::VectorXd z = random<Eigen::VectorXd>(9, 1, 21);
  Eigen::VectorXd variance = Eigen::VectorXd::Constant(tile_columns, 5.0),
                  mean = Eigen::VectorXd::Constant(tile_columns, 0.5);
  kernels_->tiles.fold_low_rank(p.tile(), p.rows, g.data(), 2, 9, z.data(), variance.data(), mean.data());
  const Eigen::MatrixXd v = g.bottomRows(7) * p.v();
  EXPECT_LT((variance.array() - 5.0 + v.colwise().squaredNorm().transpose().array()).abs().maxCoeff(), 1e-13);
  EXPECT_LT(((mean - v.transpose() * z.tail(7)).array() - 0.5).abs().maxCoeff(), 1e-13);
}

TEST_P(EveryLevel, PackedSolveIsForwardSubstitution) {
  const TileProblem<double> p;
  Eigen::VectorXd rhs = random<Eigen::VectorXd>(p.rows, 1, 11);
  const Eigen::VectorXd expected = p.lower.triangularView<Eigen::Lower>().solve(rhs);
  kernels_->solve_packed(p.packed.data(), 0, p.rows, rhs.data());
  EXPECT_LT((rhs - expected).cwiseAbs().maxCoeff(), 1e-13);
}

TEST_P(EveryLevel, PackedSolveMayBeginWhereTheRightHandSideDoes) {
  const TileProblem<double> p;
  for (const Eigen::Index first : {Eigen::Index{1}, Eigen::Index{7}, p.rows / 2, p.rows - 1}) {
    Eigen::VectorXd rhs = random<Eigen::VectorXd>(p.rows, 1, 12);
    rhs.head(first).setZero();
    const Eigen::VectorXd expected = p.lower.triangularView<Eigen::Lower>().solve(rhs);
    kernels_->solve_packed(p.packed.data(), first, p.rows, rhs.data());
    EXPECT_LT((rhs - expected).cwiseAbs().maxCoeff(), 1e-13) << first;
  }
}

TEST_P(EveryLevel, FactorsAndInverts) {
  for (const Eigen::Index n : {1, 31, 128, 129, 300, 701}) {
    const Eigen::MatrixXd noise = random<Eigen::MatrixXd>(n, n, 12);
    const Eigen::MatrixXd spd = noise * noise.transpose() + double(n) * Eigen::MatrixXd::Identity(n, n);
    Eigen::MatrixXd factor = spd;
    ASSERT_TRUE(kernels_->cholesky(factor.data(), n, n));
    const Eigen::MatrixXd lower = factor.triangularView<Eigen::Lower>();
    EXPECT_LT((lower * lower.transpose() - spd).cwiseAbs().maxCoeff(), 1e-12 * double(n));
    Eigen::MatrixXd inverse = lower;
    kernels_->invert_lower(inverse.data(), n, n);
    EXPECT_LT((lower * inverse - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-12);
  }
  Eigen::MatrixXd indefinite = -Eigen::MatrixXd::Identity(3, 3);
  EXPECT_FALSE(kernels_->cholesky(indefinite.data(), 3, 3));
  for (const Eigen::Index place : {0, 150, 299}) {
    indefinite = Eigen::MatrixXd::Identity(300, 300);
    indefinite(place, place) = -1.0;
    EXPECT_FALSE(kernels_->cholesky(indefinite.data(), 300, 300)) << place;
  }
}

// What forward substitution with a packed factor leaves of the right-hand sides: their squared lengths.
template <typename Real>
Eigen::VectorXd squares_after_solve(const SubstitutionKernels<Real>& kernels, const Eigen::VectorXd& packed,
                                    const Eigen::MatrixXd& b) {
  const Eigen::Index n = b.rows(), columns = b.cols(), cut = n / 3;
  const Eigen::Matrix<Real, Eigen::Dynamic, 1> factor = packed.cast<Real>();
  // What was in the memory before must not matter.
  Eigen::Matrix<Real, Eigen::Dynamic, 1> sides = Eigen::Matrix<Real, Eigen::Dynamic, 1>::Constant(
      sides_size(n, columns), std::numeric_limits<Real>::quiet_NaN());
  const RowMajor rows = b;
  kernels.fill(rows.data(), 0, cut, n, columns, sides.data());
  kernels.fill(rows.data() + cut * columns, cut, n, n, columns, sides.data());
  kernels.solve(factor.data(), n, columns, sides.data());
  Eigen::VectorXd squares(columns);
  kernels.squares(sides.data(), n, columns, squares.data());
  return squares;
}

// A lower triangle, junk above it, and behind it the room that packing may need.
Eigen::VectorXd packed_in_place(const Kernels& kernels, const Eigen::MatrixXd& lower) {
  const Eigen::Index n = lower.rows();
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Constant(n, n, 1e300);
  matrix.triangularView<Eigen::Lower>() = lower;
  Eigen::VectorXd packed(std::max<Eigen::Index>(n * n, packed_size(n)));
  packed.head(n * n) = matrix.reshaped();
  kernels.pack_lower(packed.data(), n);
  return packed.head(packed_size(n));
}

Eigen::MatrixXd well_behaved_lower(Eigen::Index n) {
  Eigen::MatrixXd lower = random<Eigen::MatrixXd>(n, n, 12).triangularView<Eigen::Lower>();
  lower *= 0.05;
  lower.diagonal().array() += 2.0;
  return lower;
}

TEST_P(EveryLevel, SubstitutesWithAPackedFactorOfAnySize) {
  for (const Eigen::Index n : {0, 1, 11, 12, 13, 119, 120, 121, 250, 479, 480, 481, 490, 701, 1000})
    for (const Eigen::Index columns : {1, 16, 21, 33, 70}) {
      const Eigen::MatrixXd lower = well_behaved_lower(n), b = random<Eigen::MatrixXd>(n, columns, 13);
      const Eigen::VectorXd packed = packed_in_place(*kernels_, lower);
      const Eigen::MatrixXd solved = lower.triangularView<Eigen::Lower>().solve(b);
      const Eigen::VectorXd expected = solved.colwise().squaredNorm().transpose();
      const Eigen::ArrayXd tolerance = 1.0 + expected.array();
      const Eigen::VectorXd fine = squares_after_solve(kernels_->substitution, packed, b),
                            coarse = squares_after_solve(kernels_->float_substitution, packed, b);
      EXPECT_TRUE(((fine - expected).array().abs() < 1e-12 * tolerance).all()) << n << " " << columns;
      EXPECT_TRUE(((coarse - expected).array().abs() < 1e-5 * tolerance).all()) << n << " " << columns;
    }
}

TEST_P(EveryLevel, ProductsOfSidesAreThoseOfTheirColumns) {
  for (const Eigen::Index n : {0, 1, 12, 40, 130}) {
    const Eigen::MatrixXd a = random<Eigen::MatrixXd>(n, 37, 20);
    const Eigen::VectorXd z = random<Eigen::VectorXd>(n, 1, 21);
    const RowMajor rows = a;
    Eigen::VectorXd sides(sides_size(n, 37)), products(37);
    kernels_->substitution.fill(rows.data(), 0, n, n, 37, sides.data());
    kernels_->side_products(sides.data(), n, 37, z.data(), products.data());
    EXPECT_LT((products - a.transpose() * z).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST_P(EveryLevel, SidesAreReadAsTheyWereFilled) {
  for (const Eigen::Index n : {0, 1, 12, 40, 130})
    for (const Eigen::Index columns : {1, 16, 37}) {
      const Eigen::MatrixXd a = random<Eigen::MatrixXd>(n, columns, 22);
      const RowMajor rows = a;
      Eigen::VectorXd sides(sides_size(n, columns));
      Eigen::MatrixXd back(n, columns);
      kernels_->substitution.fill(rows.data(), 0, n, n, columns, sides.data());
      kernels_->substitution.read(sides.data(), n, columns, back.data());
      EXPECT_EQ(back, a) << n << " " << columns;
    }
}

// Packing in place must not overwrite columns that it has yet to read.
TEST(PackedFactor, OfABlockEndsBeforeTheNextBlockOfTheMatrixBegins) {
  for (Eigen::Index n = wide_block + 1; n < 4 * wide_block; ++n)
    for (Eigen::Index begin = wide_block; begin < n; begin += wide_block) {
      const Eigen::Index rest = n - begin;
      EXPECT_LE(packed_size(n) - packed_size(rest), begin * n) << n << " " << begin;
    }
  EXPECT_LT(packed_size(5000), 5000 * 5000 * 0.54);
}

TEST_P(EveryLevel, ColumnProductsAreThoseOfTheirColumns) {
  for (const Eigen::Index n : {0, 1, 7, 32, 64, 100}) {
    const Eigen::MatrixXd a = random<Eigen::MatrixXd>(n, 3, 20);
    const Eigen::VectorXd z = random<Eigen::VectorXd>(n, 1, 21);
    Eigen::Vector3d products;
    kernels_->column_products(a.data(), n, 3, z.data(), products.data());
    EXPECT_LT((products - a.transpose() * z).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST_P(EveryLevel, AddsProductsOfAnyOrientation) {
  const Eigen::MatrixXd a = random<Eigen::MatrixXd>(9, 9, 14), b = random<Eigen::MatrixXd>(9, 9, 15);
  for (const bool left : {false, true})
    for (const bool right : {false, true}) {
      Eigen::MatrixXd c = Eigen::MatrixXd::Ones(9, 9), expected = c;
      const Eigen::MatrixXd op_a = left ? a.transpose() : a, op_b = right ? b.transpose() : b;
      expected.topLeftCorner(5, 4) -= 2.0 * op_a.topLeftCorner(5, 7) * op_b.topLeftCorner(7, 4);
      kernels_->add_product({5, 4, 7, left, right}, -2.0, a.data(), 9, b.data(), 9, c.data(), 9);
      EXPECT_LT((c - expected).cwiseAbs().maxCoeff(), 1e-13);
    }
}

TEST_P(EveryLevel, AddsProductsToTheLowerTriangleOnly) {
  for (const Eigen::Index n : {1, 9, 40, 131}) {
    const Eigen::Index k = 17;
    const Eigen::MatrixXd a = random<Eigen::MatrixXd>(n, k, 19), b = random<Eigen::MatrixXd>(n, k, 20),
                          before = random<Eigen::MatrixXd>(n, n, 21);
    Eigen::MatrixXd expected = before, plain = before, turned = before;
    expected.triangularView<Eigen::Lower>() = (before - 2.0 * a * b.transpose()).eval();
    kernels_->add_lower_product({n, n, k, false, true}, -2.0, a.data(), n, b.data(), n, plain.data(), n);
    EXPECT_LT((plain - expected).cwiseAbs().maxCoeff(), 1e-13) << n;
    const Eigen::MatrixXd left = a.transpose(), right = b.transpose();
    kernels_->add_lower_product({n, n, k, true, false}, -2.0, left.data(), k, right.data(), k, turned.data(),
                                n);
    EXPECT_LT((turned - expected).cwiseAbs().maxCoeff(), 1e-13) << n;
  }
}

TEST_P(EveryLevel, SubstitutesInALowerTriangle) {
  for (const Eigen::Index n : {1, 63, 64, 65, 200}) {
    Eigen::MatrixXd whole = random<Eigen::MatrixXd>(n, n, 22);
    whole.diagonal().array() += double(n);
    const Eigen::MatrixXd expected = random<Eigen::MatrixXd>(n, 7, 23);
    Eigen::MatrixXd b = whole.triangularView<Eigen::Lower>() * expected;
    kernels_->substitute(whole.data(), n, b.data(), 7);
    EXPECT_LT((b - expected).cwiseAbs().maxCoeff(), 1e-13) << n;
  }
}

TEST_P(EveryLevel, SumsColumns) {
  for (const Eigen::Index n : {1, 7, 32, 33, 100}) {
    const Eigen::MatrixXd columns = random<Eigen::MatrixXd>(n + 2, 5, 24);
    const Eigen::VectorXd weights = random<Eigen::VectorXd>(5, 1, 25),
                          before = random<Eigen::VectorXd>(n, 1, 26),
                          other = random<Eigen::VectorXd>(n, 1, 27);
    Eigen::VectorXd out = before;
    kernels_->add_columns(columns.data(), n + 2, 5, weights.data(), n, out.data());
    EXPECT_LT((out - before - columns.topRows(n) * weights).cwiseAbs().maxCoeff(), 1e-14) << n;
    double sums[2];
    kernels_->column_sums(columns.data(), before.data(), other.data(), n, sums);
    const Eigen::VectorXd column = columns.col(0).head(n);
    EXPECT_NEAR(sums[0], before.dot(column.cwiseAbs2()), 1e-13);
    EXPECT_NEAR(sums[1], other.dot(column), 1e-13);
  }
}

TEST_P(EveryLevel, AddsTheSquaresOfARaggedMatrixTimesATile) {
  // Seven rows in two panels: lengths 3 ... 9.
  const Eigen::Index rows = 7, columns = 9;
  Eigen::MatrixXd matrix = random<Eigen::MatrixXd>(rows, columns, 28);
  for (Eigen::Index i = 0; i < rows; ++i) matrix.row(i).tail(columns - 3 - i).setZero();
  const std::ptrdiff_t lengths[] = {8, 9};
  std::vector<double> values;
  for (Eigen::Index panel = 0; panel < 2; ++panel)
    for (Eigen::Index p = 0; p < lengths[panel]; ++p)
      for (Eigen::Index r = 0; r < panel_rows; ++r)
        values.push_back(panel * panel_rows + r < rows ? matrix(panel * panel_rows + r, p) : 0.0);
  const RowMajor tile = random<RowMajor>(columns, tile_columns, 29);
  Eigen::VectorXd out = Eigen::VectorXd::Constant(tile_columns, 0.5);
  kernels_->add_squares({values.data(), lengths, 2}, tile.data(), out.data());
  const Eigen::VectorXd expected = (matrix * tile).colwise().squaredNorm().transpose().array() + 0.5;
  EXPECT_LT((out - expected).cwiseAbs().maxCoeff(), 1e-13);
  kernels_->add_squares({nullptr, nullptr, 0}, tile.data(), out.data());
  EXPECT_LT((out - expected).cwiseAbs().maxCoeff(), 1e-13) << "nothing to add";
}

// g(f) = exp(-f^2 / 2 w), whose expectation is known.
TEST_P(EveryLevel, ExpectedDropsAreThoseOfNormalFunctions) {
  const double widths[] = {0.5, 1.0, 1.7};
  std::vector<std::vector<double>> values;
  std::vector<NodeTable> tables;
  for (const double step : {0.4, 0.2, 0.1, 0.05, 0.025}) {
    const auto nodes = static_cast<std::ptrdiff_t>(std::lround(24.0 / step)) + 1, stride = nodes + 8;
    values.emplace_back(static_cast<std::size_t>(3 * stride), 0.0);
    for (std::ptrdiff_t k = 0; k < 3; ++k)
      for (std::ptrdiff_t i = 0; i < nodes; ++i) {
        const double f = -12.0 + step * static_cast<double>(i);
        values.back()[static_cast<std::size_t>(k * stride + i)] = std::exp(-0.5 * f * f / widths[k]);
      }
    tables.push_back({-12.0, step, nodes, stride, nullptr});
  }
  for (std::size_t t = 0; t < tables.size(); ++t) tables[t].values = values[t].data();
  std::vector<double> mean, variance;
  for (const double m : {-1e6, -14.0, -3.2, -0.1, 0.0, 2.9, 11.9, 13.0, 400.0})
    for (const double s : {0.005, 0.1, 0.9, 1.1, 30.0, 1e5, 1e12}) {
      mean.push_back(m);
      variance.push_back(s);
    }
  std::vector<double> drops(3 * mean.size());
  kernels_->expected_drop({tables.data(), 5, 3, 3}, mean.data(), variance.data(),
                          static_cast<std::ptrdiff_t>(mean.size()), drops.data());
  for (std::size_t i = 0; i < mean.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const double w = widths[k], s = variance[i], m = mean[i];
      const double expected =
          std::exp(-0.5 * m * m / (1.0 + s) / w) - std::sqrt(w / (w + s)) * std::exp(-0.5 * m * m / (w + s));
      EXPECT_NEAR(drops[3 * i + k], expected, 1e-10) << m << " " << s << " " << w;
    }
}

TEST_P(EveryLevel, LowestLinesAreTheMinimaOverAllLines) {
  for (const Eigen::Index count : {1, 7, 8, 100})
    for (const Eigen::Index levels : {1, 4, 8, 11, 104, 120}) {
      const Eigen::VectorXd intercept = random<Eigen::VectorXd>(count, 1, 16),
                            slope = random<Eigen::VectorXd>(count, 1, 17),
                            added = random<Eigen::VectorXd>(120, 1, 18);
      Eigen::VectorXd smallest = Eigen::VectorXd::Constant(120, 0.25);
      kernels_->lowest_lines(intercept.data(), slope.data(), count, added.data(), levels, smallest.data());
      for (Eigen::Index k = 0; k < levels; ++k)
        EXPECT_NEAR(smallest(k), std::min(0.25, (intercept + added(k) * slope).minCoeff()), 1e-15);
    }
}

TEST_P(EveryLevel, BestMeritIsTheLargestInformationPerCost) {
  Draws draws(6, Purpose::data, 19);
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::vector<double> smallest(8), inverse_cost(8);
    double expected = 0.0;
    for (std::size_t k = 0; k < 8; ++k) {
      smallest[k] = std::exp(20.0 * draws.normal());
      inverse_cost[k] = std::exp(draws.normal());
      expected = std::max(expected, 0.5 * std::log1p(1.0 / smallest[k]) * inverse_cost[k]);
    }
    const double found = kernels_->best_merit(smallest.data(), inverse_cost.data(), 8);
    EXPECT_NEAR(found, expected, 2e-15 * expected);
  }
  std::vector<double> none(8, std::numeric_limits<double>::infinity()), cost(8, 1.0);
  EXPECT_EQ(kernels_->best_merit(none.data(), cost.data(), 8), 0.0);
  none[3] = 0.0;
  EXPECT_EQ(kernels_->best_merit(none.data(), cost.data(), 8), std::numeric_limits<double>::infinity());
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryLevel, ::testing::Values("x86-64", "x86-64-v3", "x86-64-v4"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Dispatch, ChoosesSomethingThatIsThere) {
  EXPECT_NE(kernels_of(kernels().instruction_set), nullptr);
  EXPECT_EQ(kernels_of("x86-64-v9"), nullptr);
}

}  // namespace
}  // namespace acuity::numerics::kernels_test
