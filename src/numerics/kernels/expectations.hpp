#pragma once

#include "numerics/kernels/tiles.hpp"

namespace acuity::numerics {
namespace {

void add_columns(const double* columns, std::ptrdiff_t stride, std::ptrdiff_t count, const double* weights,
                 std::ptrdiff_t n, double* out) {
  using V = VectorOf<double>;
  constexpr std::ptrdiff_t together = 4, step = together * lanes<double>;
  std::ptrdiff_t i = 0;
  for (; i + step <= n; i += step) {
    V sums[together];
    for (std::ptrdiff_t s = 0; s < together; ++s) sums[s] = load<double>(out + i + s * lanes<double>);
    for (std::ptrdiff_t t = 0; t < count; ++t)
      for (std::ptrdiff_t s = 0; s < together; ++s)
        sums[s] += weights[t] * load<double>(columns + t * stride + i + s * lanes<double>);
    for (std::ptrdiff_t s = 0; s < together; ++s) store<double>(out + i + s * lanes<double>, sums[s]);
  }
  for (; i < n; ++i) {
    double total = out[i];
    for (std::ptrdiff_t t = 0; t < count; ++t) total += weights[t] * columns[t * stride + i];
    out[i] = total;
  }
}

void column_sums(const double* column, const double* square_weights, const double* weights, std::ptrdiff_t n,
                 double* sums) {
  using V = VectorOf<double>;
  constexpr std::ptrdiff_t together = 2, step = together * lanes<double>;
  V squares[together] = {}, plain[together] = {};
  std::ptrdiff_t i = 0;
  for (; i + step <= n; i += step)
    for (std::ptrdiff_t s = 0; s < together; ++s) {
      const std::ptrdiff_t at = i + s * lanes<double>;
      const V entry = load<double>(column + at);
      squares[s] += load<double>(square_weights + at) * entry * entry;
      plain[s] += load<double>(weights + at) * entry;
    }
  sums[0] = sum<double>(squares[0] + squares[1]);
  sums[1] = sum<double>(plain[0] + plain[1]);
  for (; i < n; ++i) {
    sums[0] += square_weights[i] * column[i] * column[i];
    sums[1] += weights[i] * column[i];
  }
}

// One panel against one strip of a tile: all products stay in registers until they are squared.
inline void add_squares_of_panel(const double* panel, std::ptrdiff_t length, const double* tile,
                                 VectorOf<double>* squares) {
  using V = VectorOf<double>;
  constexpr std::ptrdiff_t strip = strip_vectors<double>;
  V sums[panel_rows][strip] = {};
  for (std::ptrdiff_t p = 0; p < length; ++p, panel += panel_rows, tile += tile_columns) {
    V row[strip];
    for (std::ptrdiff_t s = 0; s < strip; ++s) row[s] = load<double>(tile + s * lanes<double>);
    for (std::ptrdiff_t r = 0; r < panel_rows; ++r)
      for (std::ptrdiff_t s = 0; s < strip; ++s) sums[r][s] += panel[r] * row[s];
  }
  for (std::ptrdiff_t r = 0; r < panel_rows; ++r)
    for (std::ptrdiff_t s = 0; s < strip; ++s) squares[s] += sums[r][s] * sums[r][s];
}

void add_squares(const Panels& panels, const double* tile, double* out) {
  using V = VectorOf<double>;
  constexpr std::ptrdiff_t strip = strip_vectors<double>, width = strip * lanes<double>;
  for (std::ptrdiff_t column = 0; column < tile_columns; column += width) {
    V squares[strip];
    for (std::ptrdiff_t s = 0; s < strip; ++s) squares[s] = load<double>(out + column + s * lanes<double>);
    const double* panel = panels.values;
    for (std::ptrdiff_t b = 0; b < panels.count; ++b) {
      add_squares_of_panel(panel, panels.lengths[b], tile + column, squares);
      panel += panels.lengths[b] * panel_rows;
    }
    for (std::ptrdiff_t s = 0; s < strip; ++s) store<double>(out + column + s * lanes<double>, squares[s]);
  }
}

// Lagrange's weights of the nodes -3 ... 4 at u between 0 and 1.
inline void lagrange_weights(double u, double* weights) {
  constexpr double inverse[] = {-1.0 / 5040, 1.0 / 720, -1.0 / 240, 1.0 / 144,
                                -1.0 / 144,  1.0 / 240, -1.0 / 720, 1.0 / 5040};
  double before = 1.0;
  for (int i = 0; i < 8; ++i) {
    weights[i] = inverse[i] * before;
    before *= u - (i - 3);
  }
  double after = 1.0;
  for (int i = 7; i >= 0; --i) {
    weights[i] *= after;
    after *= u - (i - 3);
  }
}

// The normal density is cut off at this many standard deviations.
constexpr double density_reach = 7.5;
// The window in steps is at most 2 * density_reach / 0.2, and vectors begin where it begins.
constexpr std::ptrdiff_t most_nodes = 96;

inline double positive_part(double x) {
  return x > 0.0 ? x : 0.0;
}

void expected_drop(const NodeTables& all, const double* mean, const double* variance, std::ptrdiff_t points,
                   double* out) {
  using V = VectorOf<double>;
  double weights[most_nodes], lagrange[8];
  V counting;
  for (std::ptrdiff_t i = 0; i < lanes<double>; ++i) counting[i] = static_cast<double>(i);
  for (std::ptrdiff_t i = 0; i < points; ++i, out += all.levels) {
    const double deviation = __builtin_sqrt(variance[i]),
                 widest_step = 0.4 * (deviation < 1.0 ? deviation : 1.0);
    const NodeTable* table = all.tables;
    while (table->step > widest_step && table + 1 < all.tables + all.count) ++table;

    // The nodes of the density that are in the table.
    const double last_node = static_cast<double>(table->nodes - 1);
    const double low = (mean[i] - density_reach * deviation - table->first) / table->step,
                 high = (mean[i] + density_reach * deviation - table->first) / table->step;
    const bool apart = !(high >= 0.0 && low <= last_node);
    const std::ptrdiff_t begin = apart ? 0 : static_cast<std::ptrdiff_t>(positive_part(low));
    const std::ptrdiff_t end =
        apart ? 0 : static_cast<std::ptrdiff_t>(high < last_node ? high : last_node) + 1;
    const double curvature = -0.5 / variance[i], offset = table->first - mean[i];
    // From one vector of nodes to the next the density changes by a factor, and that factor by a constant
    // one, so two exponentials are enough for all nodes.
    const double stride = static_cast<double>(lanes<double>) * table->step;
    const V f = (static_cast<double>(begin) + counting) * table->step + offset;
    V density = decay<double>(curvature * f * f),
      factor = decay<double>(curvature * stride * (2.0 * f + stride));
    double factor_of_factor = factor[1] / factor[0];  // of neighbours in a vector, to the power of its lanes
    for (std::ptrdiff_t power = 1; power < lanes<double>; power *= 2) factor_of_factor *= factor_of_factor;
    std::ptrdiff_t count = 0;
    for (; count < end - begin; count += lanes<double>) {
      store<double>(weights + count, density);
      density *= factor;
      factor *= factor_of_factor;
    }

    const NodeTable& smooth = all.tables[all.interpolated];
    const double place = (mean[i] / __builtin_sqrt(1.0 + variance[i]) - smooth.first) / smooth.step;
    const bool beyond = !(place >= 3.0 && place < static_cast<double>(smooth.nodes - 5));
    const std::ptrdiff_t node = beyond ? 3 : static_cast<std::ptrdiff_t>(place);
    lagrange_weights(beyond ? 0.0 : place - static_cast<double>(node), lagrange);
    const double scale = table->step / deviation * 0.39894228040143267794;
    for (std::ptrdiff_t k = 0; k < all.levels; ++k) {
      const double* g = table->values + k * table->stride + begin;
      V total{};
      for (std::ptrdiff_t c = 0; c < count; c += lanes<double>)
        total += load<double>(weights + c) * load<double>(g + c);
      const double* near = smooth.values + k * smooth.stride + node - 3;
      double middle = 0.0;
      for (int c = 0; c < 8; ++c) middle += lagrange[c] * near[c];
      out[k] = (beyond ? 0.0 : middle) - scale * sum<double>(total);
    }
  }
}

}  // namespace
}  // namespace acuity::numerics
