#include "model/tiled_posterior.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "model/noise_floor.hpp"
#include "numerics/parallel.hpp"

namespace acuity {

namespace {

// Wide enough that the loops over a tile run at full speed, narrow enough that some hundred rows stay in
// cache.
constexpr Index tile_width = 256;

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

TiledPosterior::TiledPosterior(Prior prior, const Points& pool, int threads)
    : prior_(std::move(prior)), threads_(threads > 0 ? threads : numerics::default_threads()) {
  points_.resize(0, pool.cols());
  marginals_.mean = Vector::Constant(pool.rows(), prior_.mean);
  marginals_.variance.resize(pool.rows());
  for (Index begin = 0; begin < pool.rows(); begin += tile_width) {
    const Index width = std::min(tile_width, pool.rows() - begin);
    Tile tile{.begin = begin, .points = prior_.scaling.apply(pool.middleRows(begin, width)), .v = {}};
    marginals_.variance.segment(begin, width) = prior_.kernel->diagonal(tile.points);
    tiles_.push_back(std::move(tile));
  }
}

Index TiledPosterior::jittered() const {
  return std::count(jittered_.begin(), jittered_.end(), 1);
}

FactorRow TiledPosterior::row(const Place& place, const Channel& channel,
                              std::optional<double> answer) const {
  if (answer && !std::isfinite(*answer))
    throw std::invalid_argument("GpPoolBelief: the answer is not finite, must be a finite number");
  FactorRow row{.x = {}, .pool_row = place.pool_row(), .noise = noise_variance(channel), .answer = answer};
  pivot(1.0, row.noise, 1.0);  // says what is wrong with it
  if (row.pool_row) {
    const Index j = *row.pool_row, pool = marginals_.mean.size();
    if (j < 0 || j >= pool)
      throw std::invalid_argument("GpPoolBelief: pool row is " + std::to_string(j) + ", must be below " +
                                  std::to_string(pool));
    const Tile& tile = tiles_[at(j / tile_width)];
    row.x = tile.points.row(j - tile.begin);
  } else {
    const Index inputs = place.coordinates().size();
    if (inputs != points_.cols())
      throw std::invalid_argument("GpPoolBelief: the place has " + std::to_string(inputs) +
                                  " inputs, must have " + std::to_string(points_.cols()));
    row.x = prior_.scaling.apply(Points(place.coordinates().transpose()));
  }
  return row;
}

void TiledPosterior::append(const FactorRow& row) {
  const bool any_pending =
      std::any_of(rows_.begin(), rows_.end(), [](const FactorRow& earlier) { return !earlier.answer; });
  extend(row);
  for_each_tile([this](Tile& tile) { catch_up(tile); });
  if (row.answer && any_pending) update_means();
}

void TiledPosterior::replace_from(Index first, const std::vector<FactorRow>& rows) {
  cut(first);
  for (const FactorRow& row : rows) extend(row);
  for_each_tile([this](Tile& tile) { catch_up(tile); });
  update_means();
}

void TiledPosterior::answer(Index row, double value) {
  rows_[at(row)].answer = value;
  update_means();
}

// math.md eq. (2.3). At a pool point l and s are there already, once its tile is up to date; the other tiles
// may lag.
void TiledPosterior::extend(const FactorRow& row) {
  const Index n = size();
  const double prior_variance = prior_.kernel->diagonal(row.x)(0);
  Vector l(n);
  double variance = 0.0;
  if (row.pool_row) {
    Tile& tile = tiles_[at(*row.pool_row / tile_width)];
    catch_up(tile);
    const Index column = *row.pool_row - tile.begin;
    for (Index i = 0; i < n; ++i) l(i) = tile.v[at(i * tile.width() + column)];
    variance = marginals_.variance(*row.pool_row);
  } else {
    l = prior_.kernel->cross(points_.topRows(n), row.x);
    factor_.solve(l.data());
    variance = prior_variance - l.squaredNorm();
  }
  const Pivot p = pivot(variance, row.noise, prior_variance);
  const double diagonal = std::sqrt(p.squared);
  const double z = z_entry(l, diagonal, row.answer);

  if (n == points_.rows()) points_.conservativeResize(std::max<Index>(16, 2 * n), Eigen::NoChange);
  points_.row(n) = row.x;
  rows_.push_back(row);
  jittered_.push_back(p.jittered ? 1 : 0);
  factor_.append(l.data(), diagonal);
  z_.conservativeResize(n + 1);
  z_(n) = z;
}

// math.md eq. (2.4), for all rows the tile has not seen.
void TiledPosterior::catch_up(Tile& tile) {
  const Index from = tile.seen, to = size();
  if (from == to) return;
  const Matrix k = prior_.kernel->cross(tile.points, points_.middleRows(from, to - from));
  tile.v.insert(tile.v.end(), k.data(), k.data() + k.size());
  numerics::catch_up(factor_, from, to, tile.width(), tile.v.data());
  fold(tile, from, to);
  tile.seen = to;
}

// Rows of V into the variances and means of the tile.
void TiledPosterior::fold(Tile& tile, Index from, Index to) {
  const Index width = tile.width();
  auto s = marginals_.variance.segment(tile.begin, width).array();
  auto m = marginals_.mean.segment(tile.begin, width).array();
  for (Index i = from; i < to; ++i) {
    const Eigen::Map<const Eigen::ArrayXd> v(tile.v.data() + i * width, width);
    const std::optional<Index>& row = rows_[at(i)].pool_row;
    const Index self = row ? *row - tile.begin : -1;
    const bool inside = self >= 0 && self < width;
    const double before = inside ? s(self) : 0.0;
    s = (s - v.square()).max(0.0);
    m += z_(i) * v;
    // The observed point itself, without the cancellation: s n / (s + n), with the noise as told. What an
    // exact answer told is known.
    const double told = rows_[at(i)].noise;
    if (inside) s(self) = told > 0.0 ? before * (told / (before + told)) : 0.0;
  }
}

// Forgets the rows from `size` on. Variances cannot be added back without rounding, so they are folded anew
// from the rows that stay: that keeps their bits.
void TiledPosterior::cut(Index size) {
  numerics::GrowingFactor shorter;
  for (Index i = 0; i < size; ++i) shorter.append(factor_.row(i), factor_.row(i)[i]);
  factor_ = std::move(shorter);
  rows_.resize(at(size));
  jittered_.resize(at(size));
  z_.conservativeResize(size);
  for_each_tile([&](Tile& tile) {
    tile.v.resize(at(size * tile.width()));
    tile.seen = size;
    marginals_.variance.segment(tile.begin, tile.width()) = prior_.kernel->diagonal(tile.points);
    marginals_.mean.segment(tile.begin, tile.width()).setConstant(prior_.mean);
    fold(tile, 0, size);
  });
}

// The last line of math.md eq. (2.3). A pending answer after all known ones is imputed by its expectation.
double TiledPosterior::z_entry(const Vector& l, double diagonal, const std::optional<double>& answer) const {
  if (!answer) return 0.0;
  double mean = prior_.mean;
  mean += l.dot(z_.head(l.size()));
  return (*answer - mean) / diagonal;
}

// z and the means of the pool from the answers there are. Where no answer follows a pending row, this gives
// the bits that appending gave.
void TiledPosterior::update_means() {
  Index last_answered = size() - 1;
  while (last_answered >= 0 && !rows_[at(last_answered)].answer) --last_answered;
  std::vector<Index> pending;  // those before it
  for (Index i = 0; i < last_answered; ++i)
    if (!rows_[at(i)].answer) pending.push_back(i);
  for (Index i = 0; i < size(); ++i) {
    const Vector l = Eigen::Map<const Vector>(factor_.row(i), i);
    z_(i) = z_entry(l, factor_.row(i)[i], rows_[at(i)].answer);
  }
  if (!pending.empty()) impute(last_answered, pending);
  for_each_tile([this](Tile& tile) {
    auto m = marginals_.mean.segment(tile.begin, tile.width()).array();
    m = prior_.mean;
    for (Index i = 0; i < size(); ++i)
      m += z_(i) * Eigen::Map<const Eigen::ArrayXd>(tile.v.data() + i * tile.width(), tile.width());
  });
}

// So far a pending answer is imputed by its expectation given the answers before it; here by that given all
// known ones, so that means are those of the known answers alone (math.md 7): the change of the imputed
// answers that makes |z| least. By QR, which unlike the normal equations does not square the condition
// number.
void TiledPosterior::impute(Index last_answered, const std::vector<Index>& pending) {
  const Index n = last_answered + 1;
  Matrix w(n, static_cast<Index>(pending.size()));  // L^-1 of the pending unit vectors
  for (Index k = 0; k < w.cols(); ++k) {
    Vector unit = Vector::Unit(size(), pending[at(k)]);
    factor_.solve(unit.data());
    w.col(k) = unit.head(n);
  }
  const Vector change = w.householderQr().solve(-z_.head(n));
  z_.head(n) += w * change;
}

template <typename Task>
void TiledPosterior::for_each_tile(const Task& task) {
  // A thread costs about as much to start as a few thousand columns to bring up to date.
  const Index work = marginals_.mean.size() * std::max<Index>(1, size() / 16);
  const int useful = work < 100'000 ? 1 : threads_;
  numerics::parallel_for(static_cast<Index>(tiles_.size()), useful, [&](Index t) { task(tiles_[at(t)]); });
}

}  // namespace acuity
