#pragma once

#include <cstddef>

// The numeric kernels: loops and dense algebra that gain from wide vectors, compiled once per instruction-set
// level and reached through a table of plain functions. Only pointers and numbers cross it: Eigen allocates
// differently at every level, so its types must stay on one side (docs/architecture.md, "Instruction sets").

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
  std::ptrdiff_t columns = tile_columns;  ///< number of columns in use; the others are undefined
};

/// Covariances of points whose codes in this column differ are multiplied by `similarity` (math.md 14).
template <typename Real>
struct CategoryColumn {
  std::ptrdiff_t input;
  Real similarity;
};

/// The factor and the points of its rows.
template <typename Real>
struct FactorView {
  const Real* packed;  ///< row i begins at i (i + 1) / 2
  const Real* points;  ///< rows x d, row-major
  std::ptrdiff_t inputs;
  const Real* inverse_lengthscale;  ///< null: they are all equal, and `scale` is the square of it
  Real scale = Real(1);
  const CategoryColumn<Real>* categories = nullptr;  ///< their inverse length scales are 0
  std::ptrdiff_t category_count = 0;
};

template <typename Real>
struct TileKernels {
  /// Rows from..to-1 of V, math.md eq. (2.4): covariances first, then what the rows before them explain. Row
  /// by row or many rows at once gives the same bits.
  void (*catch_up)(const FactorView<Real>& factor, Profile profile, Real variance, const TileView<Real>& tile,
                   std::ptrdiff_t from, std::ptrdiff_t to);
  /// As above, if rows from..to-1 already hold the covariances.
  void (*solve_rows)(const Real* packed, const TileView<Real>& tile, std::ptrdiff_t from, std::ptrdiff_t to);
  /// Subtracts rows from..to-1 of V from the variances of the tile and adds them, weighted by z, to its
  /// means.
  void (*fold)(const TileView<Real>& tile, std::ptrdiff_t from, std::ptrdiff_t to, const double* z,
               double* variance, double* mean);
  /// The tile's slabs hold a low-rank factor F with `rank` rows (math.md 6.3): the rows g_i F, i =
  /// from..to-1, are folded, g_i being row i of a row-major matrix with `rank` columns.
  void (*fold_low_rank)(const TileView<Real>& tile, std::ptrdiff_t rank, const Real* g, std::ptrdiff_t from,
                        std::ptrdiff_t to, const double* z, double* variance, double* mean);
};

/// A packed factor is a lower triangular matrix in strips of strip_rows rows: entry (r, k) of a strip is at k
/// * strip_rows + r. The strips are in the order in which they are needed: for every block of wide_block
/// columns first its triangle, then the strips below. The triangle itself is stored in blocks of narrow_block
/// columns, whose triangles are inverted, with strips that end at the diagonal. The last strip is padded with
/// zeros.
constexpr std::ptrdiff_t strip_rows = 12;
constexpr std::ptrdiff_t narrow_block = 10 * strip_rows;
constexpr std::ptrdiff_t wide_block = 4 * narrow_block;

constexpr std::ptrdiff_t whole_strips(std::ptrdiff_t rows) {
  return (rows + strip_rows - 1) / strip_rows * strip_rows;
}

/// Numbers in an inverted triangle of n rows.
constexpr std::ptrdiff_t inverted_size(std::ptrdiff_t n) {
  std::ptrdiff_t size = 0;
  for (std::ptrdiff_t end = strip_rows; end < n + strip_rows; end += strip_rows)
    size += strip_rows * (end < n ? end : n);
  return size;
}

/// Numbers in a packed factor of n rows.
constexpr std::ptrdiff_t packed_size(std::ptrdiff_t n) {
  std::ptrdiff_t size = 0;
  for (std::ptrdiff_t begin = 0; begin < n; begin += narrow_block) {
    const std::ptrdiff_t width = n - begin < narrow_block ? n - begin : narrow_block;
    size += inverted_size(width) + whole_strips(n - begin - width) * width;
  }
  return size;
}

/// Size of the buffer for right-hand sides of n rows, whose layout depends on the instruction set.
constexpr std::ptrdiff_t sides_size(std::ptrdiff_t n, std::ptrdiff_t columns) {
  constexpr std::ptrdiff_t widest = 32;
  return whole_strips(n) * ((columns + widest - 1) / widest * widest);
}

/// Forward substitution with a packed factor for many right-hand sides.
template <typename Real>
struct SubstitutionKernels {
  /// Rows from..to-1 of the sides; `values` has them row by row.
  void (*fill)(const double* values, std::ptrdiff_t from, std::ptrdiff_t to, std::ptrdiff_t n,
               std::ptrdiff_t columns, Real* sides);
  /// sides := L^-1 sides.
  void (*solve)(const Real* packed, std::ptrdiff_t n, std::ptrdiff_t columns, Real* sides);
  /// Copies the sides to contiguous columns of n numbers each, the inverse of fill().
  void (*read)(const Real* sides, std::ptrdiff_t n, std::ptrdiff_t columns, double* out);
  /// The squared length of every column.
  void (*squares)(const Real* sides, std::ptrdiff_t n, std::ptrdiff_t columns, double* out);
};

/// C += alpha * op(A) op(B), all column-major.
struct Product {
  std::ptrdiff_t rows, columns, inner;  // of op(A) op(B)
  bool transpose_a = false, transpose_b = false;
};

/// Rows of a matrix that are multiplied with a tile together; they are stored interleaved, see Panels.
constexpr std::ptrdiff_t panel_rows = 6;

/// A matrix with rows of increasing length, in panels of panel_rows of them: entry (r, p) of a panel, whose
/// rows are all as long as its longest, is at p * panel_rows + r. Shorter rows are padded with zeros.
struct Panels {
  const double* values;           ///< one panel after the other
  const std::ptrdiff_t* lengths;  ///< columns of each panel
  std::ptrdiff_t count;
};

/// A function of f for several levels at first, first + step, ...; zero outside. Every level's values are
/// followed by padding for one more vector.
struct NodeTable {
  double first, step;
  std::ptrdiff_t nodes, stride;  ///< stride: from one level's values to the next
  const double* values;
};

/// Tables of the same function, each with half the step of the one before.
struct NodeTables {
  const NodeTable* tables;
  std::ptrdiff_t count, levels;
  std::ptrdiff_t interpolated;  ///< index of the table that is fine enough for interpolation by eight nodes
};

struct Kernels {
  const char* instruction_set;

  TileKernels<double> tiles;
  TileKernels<float> float_tiles;
  SubstitutionKernels<double> substitution;
  SubstitutionKernels<float> float_substitution;

  /// rhs := L^-1 rhs for the packed factor of a FactorView. The entries of rhs before `first` are 0 and are
  /// not read.
  void (*solve_packed)(const double* packed, std::ptrdiff_t first, std::ptrdiff_t n, double* rhs);

  /// out[j * n + i] = variance * profile(|a_i - b_j|), distances in units of 1 / inverse_lengthscale.
  /// a: n x d, b: m x d, both row-major; out: column-major n x m.
  void (*covariance)(Profile profile, double variance, const double* a, std::ptrdiff_t n, const double* b,
                     std::ptrdiff_t m, std::ptrdiff_t d, const double* inverse_lengthscale, double* out);

  /// out[i] *= similarity where codes[i] is not `code`.
  void (*scale_where_different)(const double* codes, std::ptrdiff_t n, double code, double similarity,
                                double* out);

  /// Covariances of points with themselves.
  void (*self_covariance)(Profile profile, double variance, const double* a, std::ptrdiff_t n,
                          std::ptrdiff_t d, const double* inverse_lengthscale, double* out);

  /// Sum over i, j of weights(i, j) dk(x_i, x_j)/dtheta for theta = log a, log l_1, ..., log l_d (math.md
  /// 2.2). weights: symmetric, column-major n x n; gradient: 1 + d.
  void (*weighted_gradient)(Profile profile, double variance, const double* x, std::ptrdiff_t n,
                            std::ptrdiff_t d, const double* inverse_lengthscale, const double* weights,
                            double* gradient);

  /// Replaces a symmetric positive definite matrix (column-major, lower triangle read) by its inverse, both
  /// triangles; returns false and destroys the matrix if it is not positive definite.
  bool (*spd_inverse)(double* matrix, std::ptrdiff_t n, double* log_determinant);

  /// Replaces the lower triangle of a column-major matrix by its lower Cholesky factor; false if the matrix
  /// is not positive definite.
  bool (*cholesky)(double* matrix, std::ptrdiff_t n, std::ptrdiff_t stride);
  /// Replaces the lower triangle L of a column-major matrix by L^-1.
  void (*invert_lower)(double* lower, std::ptrdiff_t n, std::ptrdiff_t stride);
  /// Replaces a column-major n x n matrix with L in its lower triangle by the packed factor; the buffer must
  /// have room for packed_size(n) numbers, which exceeds n * n only for small n.
  void (*pack_lower)(double* matrix, std::ptrdiff_t n);
  /// side_j . z for every right-hand side.
  void (*side_products)(const double* sides, std::ptrdiff_t n, std::ptrdiff_t columns, const double* z,
                        double* out);
  /// a_j . z for every column of a: n x columns, column-major without gaps.
  void (*column_products)(const double* a, std::ptrdiff_t n, std::ptrdiff_t columns, const double* z,
                          double* out);
  /// matrix := (w w' - matrix) / 2, n x n.
  void (*half_difference)(const double* w, std::ptrdiff_t n, double* matrix);

  void (*add_product)(const Product& shape, double alpha, const double* a, std::ptrdiff_t stride_a,
                      const double* b, std::ptrdiff_t stride_b, double* c, std::ptrdiff_t stride_c);

  /// Updates only the lower triangle of a square C.
  void (*add_lower_product)(const Product& shape, double alpha, const double* a, std::ptrdiff_t stride_a,
                            const double* b, std::ptrdiff_t stride_b, double* c, std::ptrdiff_t stride_c);
  /// b := L^-1 b for the lower triangle L of a column-major n x n matrix, by forward substitution throughout:
  /// keeps more digits than inverted diagonal blocks do. b: n x columns, both without gaps.
  void (*substitute)(const double* lower, std::ptrdiff_t n, double* b, std::ptrdiff_t columns);
  /// out += the sum of weights[t] * column t, for columns of n numbers with this `stride`.
  void (*add_columns)(const double* columns, std::ptrdiff_t stride, std::ptrdiff_t count,
                      const double* weights, std::ptrdiff_t n, double* out);
  /// sums[0] = sum of square_weights[j] * column[j]^2, sums[1] = sum of weights[j] * column[j].
  void (*column_sums)(const double* column, const double* square_weights, const double* weights,
                      std::ptrdiff_t n, double* sums);

  /// out[j] += squared length of column j of the panels' matrix times a tile, rows x tile_columns, row-major.
  void (*add_squares)(const Panels& panels, const double* tile, double* out);

  /// c[m * tile_columns + j] -= goal[i * stride + m] * v[i][j] for the rows i = from..to-1 of a tile and m
  /// below `goals`, in the order of the rows: one row at a time or many give the same bits (math.md eq.
  /// (13.4)).
  void (*subtract_covariances)(const TileView<double>& tile, std::ptrdiff_t from, std::ptrdiff_t to,
                               const double* goal, std::ptrdiff_t stride, std::ptrdiff_t goals, double* c);
  /// out[j] = the sum over m of weights[m] * (c + d)^2 for column j; d may be null.
  void (*weighted_squares)(const double* c, const double* d, const double* weights, std::ptrdiff_t goals,
                           double* out);
  /// Of the shares (c + d)^2 scale[m] over m: their weighted sum, that of their squares, and the largest;
  /// out[j], out[tile_columns + j] and out[2 * tile_columns + j] for column j. d may be null.
  void (*share_sums)(const double* c, const double* d, const double* scale, const double* weights,
                     std::ptrdiff_t goals, double* out);

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

/// The kernels for baseline x86-64; those of the other levels are in separate shared libraries.
const Kernels& baseline_kernels();

}  // namespace acuity::numerics
