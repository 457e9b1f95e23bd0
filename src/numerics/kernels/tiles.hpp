#pragma once

#include "numerics/kernels/profiles.hpp"

namespace acuity::numerics {
namespace {

// Vectors of one row of a tile that are worked on together, so that accumulators fit the registers: 32 of
// them from AVX-512 on, 16 before.
template <typename Real>
constexpr std::ptrdiff_t strip_vectors = vector_bytes == 64 ? (tile_columns / lanes<Real> < 4 ? 2 : 4) : 2;

template <typename Real>
constexpr bool summed_in_groups = sizeof(Real) == 4;

template <typename Real>
inline Real* row_of(const TileView<Real>& tile, std::ptrdiff_t i) {
  return tile.slabs[i / slab_rows] + i % slab_rows * tile_columns;
}

// Rows first..first+count-1 of V in one strip of columns, the rows before them being V already. Every entry
// is what sequential subtraction in the order of the rows gives, whatever rows are taken together: same bits.
// In single precision what a whole group of rows explains is summed for itself first: the errors of long sums
// grow with the number of groups instead of rows (math.md 6.4). Then the rows must be of one group.
template <typename Real, int count, std::ptrdiff_t strip>
inline void solve_block(const Real* packed, const TileView<Real>& tile, std::ptrdiff_t first,
                        std::ptrdiff_t column) {
  using V = VectorOf<Real>;
  const Real* l[count];
  V sum[count][strip];
  for (int r = 0; r < count; ++r) {
    l[r] = packed + (first + r) * (first + r + 1) / 2;
    const Real* target = row_of(tile, first + r) + column;
    for (std::ptrdiff_t s = 0; s < strip; ++s) sum[r][s] = load<Real>(target + s * lanes<Real>);
  }
  const auto subtract = [&](std::ptrdiff_t from, std::ptrdiff_t to, V(&into)[count][strip]) {
    for (std::ptrdiff_t begin = from; begin < to; begin += slab_rows) {
      const Real* v = tile.slabs[begin / slab_rows] + column;
      const std::ptrdiff_t end = to < begin + slab_rows ? to : begin + slab_rows;
      for (std::ptrdiff_t p = begin; p < end; ++p, v += tile_columns) {
        V row[strip];
        for (std::ptrdiff_t s = 0; s < strip; ++s) row[s] = load<Real>(v + s * lanes<Real>);
        for (int r = 0; r < count; ++r)
          for (std::ptrdiff_t s = 0; s < strip; ++s) into[r][s] -= l[r][p] * row[s];
      }
    }
  };
  std::ptrdiff_t done = 0;
  if constexpr (summed_in_groups<Real>) {
    for (; done + group_rows <= first; done += group_rows) {
      V explained[count][strip] = {};
      subtract(done, done + group_rows, explained);
      for (int r = 0; r < count; ++r)
        for (std::ptrdiff_t s = 0; s < strip; ++s) sum[r][s] += explained[r][s];
    }
  }
  subtract(done, first, sum);
  for (int r = 0; r < count; ++r) {
    const Real scale = Real(1) / l[r][first + r];
    Real* target = row_of(tile, first + r) + column;
    for (std::ptrdiff_t s = 0; s < strip; ++s) {
      sum[r][s] *= scale;
      store<Real>(target + s * lanes<Real>, sum[r][s]);
    }
    for (int later = r + 1; later < count; ++later)
      for (std::ptrdiff_t s = 0; s < strip; ++s) sum[later][s] -= l[later][first + r] * sum[r][s];
  }
}

template <typename Real, std::ptrdiff_t strip>
inline void solve_strip(const Real* packed, const TileView<Real>& tile, std::ptrdiff_t from,
                        std::ptrdiff_t to, std::ptrdiff_t column) {
  std::ptrdiff_t i = from;
  while (i < to) {
    std::ptrdiff_t end = to;
    if constexpr (summed_in_groups<Real>) {
      const std::ptrdiff_t group_end = (i / group_rows + 1) * group_rows;
      end = to < group_end ? to : group_end;
    }
    // With one vector a row it takes more rows to keep the processor from waiting for sums.
    if constexpr (strip == 1)
      for (; i + 8 <= end; i += 8) solve_block<Real, 8, strip>(packed, tile, i, column);
    for (; i + 4 <= end; i += 4) solve_block<Real, 4, strip>(packed, tile, i, column);
    if (i + 2 <= end) {
      solve_block<Real, 2, strip>(packed, tile, i, column);
      i += 2;
    }
    if (i < end) solve_block<Real, 1, strip>(packed, tile, i++, column);
  }
}

template <typename Real>
void solve_rows(const Real* packed, const TileView<Real>& tile, std::ptrdiff_t from, std::ptrdiff_t to) {
  constexpr std::ptrdiff_t width = strip_vectors<Real> * lanes<Real>;
  for (std::ptrdiff_t column = 0; column < tile.columns; column += width) {
    if (tile.columns - column <= lanes<Real>)
      solve_strip<Real, 1>(packed, tile, from, to, column);
    else
      solve_strip<Real, strip_vectors<Real>>(packed, tile, from, to, column);
  }
}

// Row i of the covariances with a tile. A strip at a time: its vectors do not wait for each other.
template <typename Real, Profile kind, std::ptrdiff_t strip>
inline void covariance_row(const FactorView<Real>& factor, Real variance, const TileView<Real>& tile,
                           std::ptrdiff_t i) {
  using V = VectorOf<Real>;
  const std::ptrdiff_t d = factor.inputs;
  const Real* x = factor.points + i * d;
  Real* target = row_of(tile, i);
  for (std::ptrdiff_t column = 0; column < tile.columns; column += strip * lanes<Real>) {
    V rho_squared[strip] = {};
    for (std::ptrdiff_t k = 0; k < d; ++k) {
      const Real* coordinate = tile.points + k * tile_columns + column;
      for (std::ptrdiff_t s = 0; s < strip; ++s) {
        V difference = load<Real>(coordinate + s * lanes<Real>) - x[k];
        if (factor.inverse_lengthscale != nullptr) difference *= factor.inverse_lengthscale[k];
        rho_squared[s] += difference * difference;
      }
    }
    V covariance[strip];
    for (std::ptrdiff_t s = 0; s < strip; ++s)
      covariance[s] = variance * covariance_at<kind, Real>(rho_squared[s] * factor.scale);
    for (std::ptrdiff_t q = 0; q < factor.category_count; ++q) {
      const CategoryColumn<Real>& category = factor.categories[q];
      const Real* codes = tile.points + category.input * tile_columns + column;
      const V code = all<Real>(x[category.input]), ones = all<Real>(Real(1)),
              similarity = all<Real>(category.similarity);
      for (std::ptrdiff_t s = 0; s < strip; ++s)
        covariance[s] *= load<Real>(codes + s * lanes<Real>) == code ? ones : similarity;
    }
    for (std::ptrdiff_t s = 0; s < strip; ++s) store<Real>(target + column + s * lanes<Real>, covariance[s]);
  }
}

template <typename Real>
void catch_up(const FactorView<Real>& factor, Profile profile, Real variance, const TileView<Real>& tile,
              std::ptrdiff_t from, std::ptrdiff_t to) {
  const bool few = tile.columns <= lanes<Real>;
  with_profile(profile, [&]<Profile kind>() {
    for (std::ptrdiff_t i = from; i < to; ++i) {
      if (few)
        covariance_row<Real, kind, 1>(factor, variance, tile, i);
      else
        covariance_row<Real, kind, strip_vectors<Real>>(factor, variance, tile, i);
    }
  });
  solve_rows<Real>(factor.packed, tile, from, to);
}

template <typename Real>
void fold(const TileView<Real>& tile, std::ptrdiff_t from, std::ptrdiff_t to, const double* z,
          double* variance, double* mean) {
  for (std::ptrdiff_t i = from; i < to; ++i) {
    const Real* v = row_of(tile, i);
    for (std::ptrdiff_t j = 0; j < tile_columns; ++j) {
      const double entry = v[j], left = variance[j] - entry * entry;
      variance[j] = left > 0.0 ? left : 0.0;
      mean[j] += z[i] * entry;
    }
  }
}

// `count` rows of g F at a time: F is read once for all of them.
template <typename Real, int count>
inline void fold_products(const TileView<Real>& tile, std::ptrdiff_t rank, const Real* g, const double* z,
                          double* variance, double* mean) {
  using V = VectorOf<Real>;
  constexpr std::ptrdiff_t strip = strip_vectors<Real>, wide = strip * lanes<Real>;
  for (std::ptrdiff_t column = 0; column < tile_columns; column += wide) {
    // Two running sums of every row hide the latency of the additions.
    V sums[2][count][strip] = {};
    const auto add = [&](std::ptrdiff_t k, int which) {
      const Real* f = row_of(tile, k) + column;
      for (std::ptrdiff_t s = 0; s < strip; ++s) {
        const V row = load<Real>(f + s * lanes<Real>);
        for (int r = 0; r < count; ++r) sums[which][r][s] += g[r * rank + k] * row;
      }
    };
    std::ptrdiff_t k = 0;
    for (; k + 2 <= rank; k += 2) add(k, 0), add(k + 1, 1);
    if (k < rank) add(k, 0);
    for (int r = 0; r < count; ++r) {
      Real v[wide];
      for (std::ptrdiff_t s = 0; s < strip; ++s)
        store<Real>(v + s * lanes<Real>, sums[0][r][s] + sums[1][r][s]);
      for (std::ptrdiff_t j = 0; j < wide; ++j) {
        const double entry = v[j], left = variance[column + j] - entry * entry;
        variance[column + j] = left > 0.0 ? left : 0.0;
        mean[column + j] += z[r] * entry;
      }
    }
  }
}

template <typename Real>
void fold_low_rank(const TileView<Real>& tile, std::ptrdiff_t rank, const Real* g, std::ptrdiff_t from,
                   std::ptrdiff_t to, const double* z, double* variance, double* mean) {
  std::ptrdiff_t i = from;
  for (; i + 2 <= to; i += 2) fold_products<Real, 2>(tile, rank, g + i * rank, z + i, variance, mean);
  for (; i < to; ++i) fold_products<Real, 1>(tile, rank, g + i * rank, z + i, variance, mean);
}

// Eight running sums hide the latency of the additions.
double dot(const double* a, const double* b, std::ptrdiff_t n) {
  using V = VectorOf<double>;
  constexpr std::ptrdiff_t together = 4, step = together * lanes<double>;
  V sums[together] = {};
  std::ptrdiff_t i = 0;
  for (; i + step <= n; i += step)
    for (std::ptrdiff_t s = 0; s < together; ++s)
      sums[s] += load<double>(a + i + s * lanes<double>) * load<double>(b + i + s * lanes<double>);
  double total = sum<double>((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

void solve_packed(const double* packed, std::ptrdiff_t first, std::ptrdiff_t n, double* rhs) {
  for (std::ptrdiff_t i = first; i < n; ++i) {
    const double* l = packed + i * (i + 1) / 2;
    rhs[i] = (rhs[i] - dot(l + first, rhs + first, i - first)) / l[i];
  }
}

template <typename Real>
constexpr TileKernels<Real> tile_kernels{.catch_up = &catch_up<Real>,
                                         .solve_rows = &solve_rows<Real>,
                                         .fold = &fold<Real>,
                                         .fold_low_rank = &fold_low_rank<Real>};

// A strip of columns of several goal points stays in registers while the rows pass: one row is read for all
// of them. Every entry is what sequential subtraction in the order of the rows gives, whatever is taken
// together.
template <int count>
inline void subtract_block(const TileView<double>& tile, std::ptrdiff_t from, std::ptrdiff_t to,
                           const double* goal, std::ptrdiff_t stride, double* c) {
  using V = VectorOf<double>;
  constexpr std::ptrdiff_t strip = strip_vectors<double>, wide = strip * lanes<double>;
  for (std::ptrdiff_t column = 0; column < tile_columns; column += wide) {
    V left[count][strip];
    for (int m = 0; m < count; ++m)
      for (std::ptrdiff_t s = 0; s < strip; ++s)
        left[m][s] = load<double>(c + m * tile_columns + column + s * lanes<double>);
    for (std::ptrdiff_t i = from; i < to; ++i) {
      const double* v = row_of(tile, i) + column;
      V row[strip];
      for (std::ptrdiff_t s = 0; s < strip; ++s) row[s] = load<double>(v + s * lanes<double>);
      for (int m = 0; m < count; ++m)
        for (std::ptrdiff_t s = 0; s < strip; ++s) left[m][s] -= goal[i * stride + m] * row[s];
    }
    for (int m = 0; m < count; ++m)
      for (std::ptrdiff_t s = 0; s < strip; ++s)
        store<double>(c + m * tile_columns + column + s * lanes<double>, left[m][s]);
  }
}

void subtract_covariances(const TileView<double>& tile, std::ptrdiff_t from, std::ptrdiff_t to,
                          const double* goal, std::ptrdiff_t stride, std::ptrdiff_t goals, double* c) {
  constexpr int together = vector_bytes == 64 ? 6 : 4;
  std::ptrdiff_t m = 0;
  for (; m + together <= goals; m += together)
    subtract_block<together>(tile, from, to, goal + m, stride, c + m * tile_columns);
  for (; m < goals; ++m) subtract_block<1>(tile, from, to, goal + m, stride, c + m * tile_columns);
}

void weighted_squares(const double* c, const double* d, const double* weights, std::ptrdiff_t goals,
                      double* out) {
  using V = VectorOf<double>;
  for (std::ptrdiff_t column = 0; column < tile_columns; column += lanes<double>) {
    V sum = {};
    for (std::ptrdiff_t m = 0; m < goals; ++m) {
      V entry = load<double>(c + m * tile_columns + column);
      if (d != nullptr) entry += load<double>(d + m * tile_columns + column);
      sum += weights[m] * entry * entry;
    }
    store<double>(out + column, sum);
  }
}

void share_sums(const double* c, const double* d, const double* scale, const double* weights,
                std::ptrdiff_t goals, double* out) {
  using V = VectorOf<double>;
  for (std::ptrdiff_t column = 0; column < tile_columns; column += lanes<double>) {
    V mean = {}, squares = {}, largest = {};
    for (std::ptrdiff_t m = 0; m < goals; ++m) {
      V entry = load<double>(c + m * tile_columns + column);
      if (d != nullptr) entry += load<double>(d + m * tile_columns + column);
      const V share = entry * entry * scale[m];
      mean += weights[m] * share;
      squares += weights[m] * share * share;
      largest = maximum<double>(share, largest);
    }
    store<double>(out + column, mean);
    store<double>(out + tile_columns + column, squares);
    store<double>(out + 2 * tile_columns + column, largest);
  }
}

// As many vectors of levels as fit the registers stay there while the lines pass.
template <int together>
inline void lower_to_lines(const double* intercept, const double* slope, std::ptrdiff_t count,
                           const double* added, double* smallest) {
  using V = VectorOf<double>;
  V lowest[together], noise[together];
  for (int k = 0; k < together; ++k) {
    lowest[k] = load<double>(smallest + k * lanes<double>);
    noise[k] = load<double>(added + k * lanes<double>);
  }
  for (std::ptrdiff_t i = 0; i < count; ++i)
    for (int k = 0; k < together; ++k)
      lowest[k] = minimum<double>(intercept[i] + noise[k] * slope[i], lowest[k]);
  for (int k = 0; k < together; ++k) store<double>(smallest + k * lanes<double>, lowest[k]);
}

// One level: the points in vectors instead.
inline double lowest_line(const double* intercept, const double* slope, std::ptrdiff_t count, double added,
                          double smallest) {
  using V = VectorOf<double>;
  constexpr std::ptrdiff_t together = 4, step = together * lanes<double>;
  V lowest[together];
  for (V& v : lowest) v = all<double>(smallest);
  std::ptrdiff_t i = 0;
  for (; i + step <= count; i += step)
    for (std::ptrdiff_t s = 0; s < together; ++s) {
      const std::ptrdiff_t at = i + s * lanes<double>;
      lowest[s] = minimum<double>(load<double>(intercept + at) + added * load<double>(slope + at), lowest[s]);
    }
  const V of_all =
      minimum<double>(minimum<double>(lowest[0], lowest[1]), minimum<double>(lowest[2], lowest[3]));
  for (std::ptrdiff_t lane = 0; lane < lanes<double>; ++lane)
    smallest = of_all[lane] < smallest ? of_all[lane] : smallest;
  for (; i < count; ++i) {
    const double value = intercept[i] + added * slope[i];
    smallest = value < smallest ? value : smallest;
  }
  return smallest;
}

void lowest_lines(const double* intercept, const double* slope, std::ptrdiff_t count, const double* added,
                  std::ptrdiff_t levels, double* smallest) {
  if (levels <= 4 && count >= 16) {
    for (std::ptrdiff_t k = 0; k < levels; ++k)
      smallest[k] = lowest_line(intercept, slope, count, added[k], smallest[k]);
    return;
  }
  constexpr int together = vector_bytes == 64 ? 13 : 6;
  std::ptrdiff_t k = 0;
  for (; k + together * lanes<double> <= levels; k += together * lanes<double>)
    lower_to_lines<together>(intercept, slope, count, added + k, smallest + k);
  for (; k < levels; k += lanes<double>) lower_to_lines<1>(intercept, slope, count, added + k, smallest + k);
}

double best_merit(const double* smallest, const double* inverse_cost, std::ptrdiff_t levels) {
  using V = VectorOf<double>;
  V best{};
  for (std::ptrdiff_t k = 0; k < levels; k += lanes<double>)
    best = maximum<double>(0.5 * log1p_inverse(load<double>(smallest + k)) * load<double>(inverse_cost + k),
                           best);
  double highest = 0.0;
  for (std::ptrdiff_t lane = 0; lane < lanes<double>; ++lane)
    highest = best[lane] > highest ? best[lane] : highest;
  return highest;
}

}  // namespace
}  // namespace acuity::numerics
