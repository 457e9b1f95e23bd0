#pragma once

#include <cstddef>

// The numeric kernels: loops and dense algebra that gain from wide vectors, compiled once per instruction-set
// level and reached through a table of plain functions. Only pointers and numbers cross it: Eigen allocates
// differently at every level, so its types must stay on one side (docs/design.md, "Instruction sets").

namespace acuity::numerics {

/// Covariances as functions of scaled distance (math.md 2.2).
enum class Profile { rbf, matern32, matern52 };

/// Columns of a tile of the pool. One tile's rows fill whole vectors at every level.
constexpr std::ptrdiff_t tile_columns = 32;
/// Rows of V are stored in slabs of this many.
constexpr std::ptrdiff_t slab_rows = 8;
/// In single precision the rows of V are subtracted by groups of this many, some slabs.
constexpr std::ptrdiff_t group_rows = 2 * slab_rows;

/// Arrays with one entry per level are padded to a multiple of this.
constexpr std::ptrdiff_t level_padding = 8;

/// A tile of pool points and the rows of V = L^-1 K(X, tile) it has seen (math.md 6.2).
template <typename Real>
struct TileView {
  const Real* points;                     ///< d x tile_columns, by input
  Real* const* slabs;                     ///< each slab_rows x tile_columns
  std::ptrdiff_t columns = tile_columns;  ///< those that matter; what the others hold does not
};

/// The factor and the points of its rows.
template <typename Real>
struct FactorView {
  const Real* packed;  ///< row i begins at i (i + 1) / 2
  const Real* points;  ///< rows x d, row-major
  std::ptrdiff_t inputs;
  const Real* inverse_lengthscale;  ///< null: they are all the same, and `scale` is the square of it
  Real scale = Real(1);
};

template <typename Real>
struct TileKernels {
  /// Rows from..to-1 of V, math.md eq. (2.4): covariances first, then what the rows before them explain. Row
  /// by row or many rows at once gives the same bits.
  void (*catch_up)(const FactorView<Real>& factor, Profile profile, Real variance, const TileView<Real>& tile,
                   std::ptrdiff_t from, std::ptrdiff_t to);
  /// The same where rows from..to-1 hold the covariances already.
  void (*solve_rows)(const Real* packed, const TileView<Real>& tile, std::ptrdiff_t from, std::ptrdiff_t to);
  /// Rows from..to-1 of V into the variances and, weighted by z, into the means of the tile.
  void (*fold)(const TileView<Real>& tile, std::ptrdiff_t from, std::ptrdiff_t to, const double* z,
               double* variance, double* mean);
  /// The tile's slabs hold a low-rank factor F with `rank` rows (math.md 6.3): the rows g_i F, i =
  /// from..to-1, are folded, g_i being row i of a row-major matrix with `rank` columns.
  void (*fold_low_rank)(const TileView<Real>& tile, std::ptrdiff_t rank, const Real* g, std::ptrdiff_t from,
                        std::ptrdiff_t to, const double* z, double* variance, double* mean);
};

/// C += alpha * op(A) op(B), all column-major.
struct Product {
  std::ptrdiff_t rows, columns, inner;  // of op(A) op(B)
  bool transpose_a = false, transpose_b = false;
};

/// Rows of a matrix that meet a tile together; they lie interleaved, see Panels.
constexpr std::ptrdiff_t panel_rows = 6;

/// A matrix with rows of increasing length, in panels of panel_rows of them: entry (r, p) of a panel, whose
/// rows are all as long as its longest, is at p * panel_rows + r. What is missing is zero.
struct Panels {
  const double* values;           ///< one panel after the other
  const std::ptrdiff_t* lengths;  ///< columns of each panel
  std::ptrdiff_t count;
};

/// A function of f for several levels at first, first + step, ...; zero outside. Behind every level's values
/// there is room for one more vector.
struct NodeTable {
  double first, step;
  std::ptrdiff_t nodes, stride;  ///< stride: from one level's values to the next
  const double* values;
};

/// Tables of the same function, each with half the step of the one before.
struct NodeTables {
  const NodeTable* tables;
  std::ptrdiff_t count, levels;
  std::ptrdiff_t interpolated;  ///< which of them is fine enough to be interpolated by eight nodes
};

struct Kernels {
  const char* instruction_set;

  TileKernels<double> tiles;
  TileKernels<float> float_tiles;

  /// rhs := L^-1 rhs for the packed factor of a FactorView.
  void (*solve_packed)(const double* packed, std::ptrdiff_t n, double* rhs);

  /// out[j * n + i] = variance * profile(|a_i - b_j|), distances in units of 1 / inverse_lengthscale.
  /// a: n x d, b: m x d, both row-major; out: column-major n x m.
  void (*covariance)(Profile profile, double variance, const double* a, std::ptrdiff_t n, const double* b,
                     std::ptrdiff_t m, std::ptrdiff_t d, const double* inverse_lengthscale, double* out);

  /// The same of points with themselves.
  void (*self_covariance)(Profile profile, double variance, const double* a, std::ptrdiff_t n,
                          std::ptrdiff_t d, const double* inverse_lengthscale, double* out);

  /// Sum over i, j of weights(i, j) dk(x_i, x_j)/dtheta for theta = log a, log l_1, ..., log l_d (math.md
  /// 2.2). weights: symmetric, column-major n x n; gradient: 1 + d.
  void (*weighted_gradient)(Profile profile, double variance, const double* x, std::ptrdiff_t n,
                            std::ptrdiff_t d, const double* inverse_lengthscale, const double* weights,
                            double* gradient);

  /// Replaces a symmetric positive definite matrix (column-major, lower triangle read) by its inverse, both
  /// triangles; false, and the matrix destroyed, where it is not positive definite.
  bool (*spd_inverse)(double* matrix, std::ptrdiff_t n, double* log_determinant);

  /// The lower Cholesky factor in place of the lower triangle of a column-major matrix; false where there is
  /// none.
  bool (*cholesky)(double* matrix, std::ptrdiff_t n, std::ptrdiff_t stride);
  /// L^-1 in place of the lower triangle L of a column-major matrix.
  void (*invert_lower)(double* lower, std::ptrdiff_t n, std::ptrdiff_t stride);
  /// b := L^-1 b for a lower triangular L whose diagonal blocks of 128 have been inverted (by
  /// invert_diagonal_blocks). b: n x columns, column-major without gaps.
  void (*solve_lower)(const double* lower, std::ptrdiff_t n, double* b, std::ptrdiff_t columns);
  void (*float_solve_lower)(const float* lower, std::ptrdiff_t n, float* b, std::ptrdiff_t columns);
  void (*invert_diagonal_blocks)(double* lower, std::ptrdiff_t n);
  /// a_j . z for every column of a: n x columns, column-major without gaps.
  void (*column_products)(const double* a, std::ptrdiff_t n, std::ptrdiff_t columns, const double* z,
                          double* out);
  /// a_j . a_j, likewise.
  void (*column_squares)(const double* a, std::ptrdiff_t n, std::ptrdiff_t columns, double* out);
  void (*float_column_squares)(const float* a, std::ptrdiff_t n, std::ptrdiff_t columns, double* out);
  /// matrix := (w w' - matrix) / 2, n x n.
  void (*half_difference)(const double* w, std::ptrdiff_t n, double* matrix);

  void (*add_product)(const Product& shape, double alpha, const double* a, std::ptrdiff_t stride_a,
                      const double* b, std::ptrdiff_t stride_b, double* c, std::ptrdiff_t stride_c);

  /// The same for the lower triangle of a square C only.
  void (*add_lower_product)(const Product& shape, double alpha, const double* a, std::ptrdiff_t stride_a,
                            const double* b, std::ptrdiff_t stride_b, double* c, std::ptrdiff_t stride_c);
  /// b := L^-1 b for the lower triangle L of a column-major n x n matrix, by forward substitution throughout:
  /// keeps more digits than solve_lower. b: n x columns, both without gaps.
  void (*substitute)(const double* lower, std::ptrdiff_t n, double* b, std::ptrdiff_t columns);
  /// out += the sum of weights[t] * column t, for columns of n that lie `stride` apart.
  void (*add_columns)(const double* columns, std::ptrdiff_t stride, std::ptrdiff_t count,
                      const double* weights, std::ptrdiff_t n, double* out);
  /// sums[0] = sum of square_weights[j] * column[j]^2, sums[1] = sum of weights[j] * column[j].
  void (*column_sums)(const double* column, const double* square_weights, const double* weights,
                      std::ptrdiff_t n, double* sums);

  /// out[j] += squared length of column j of the panels' matrix times a tile, rows x tile_columns, row-major.
  void (*add_squares)(const Panels& panels, const double* tile, double* out);

  /// g(mean / sqrt(1 + variance)) - E g(f), f normal, for the functions g of the tables (math.md eq. (4.9)):
  /// out[i * levels + k]. The standard deviation must be at least 2.5 times the finest step.
  void (*expected_drop)(const NodeTables& tables, const double* mean, const double* variance,
                        std::ptrdiff_t points, double* out);

  /// smallest[k] is lowered to the smallest intercept[i] + added[k] * slope[i] over i (math.md 6.1), for k
  /// below `levels`; the arrays of levels are padded to a multiple of level_padding.
  void (*lowest_lines)(const double* intercept, const double* slope, std::ptrdiff_t count,
                       const double* added, std::ptrdiff_t levels, double* smallest);
  /// The largest log1p(1 / smallest[k]) / 2 * inverse_cost[k], zero at least, to about 1e-14. The number of
  /// levels is a multiple of level_padding.
  double (*best_merit)(const double* smallest, const double* inverse_cost, std::ptrdiff_t levels);
};

/// Those compiled for the processor every x86-64 is; the others are in shared libraries of their own.
const Kernels& baseline_kernels();

}  // namespace acuity::numerics
