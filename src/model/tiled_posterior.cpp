#include "model/tiled_posterior.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "data/as_size.hpp"
#include "model/noise_floor.hpp"
#include "numerics/parallel.hpp"

namespace acuity {

TiledPosterior::TiledPosterior(Prior prior, const PointsRef& pool, int threads, const PoolStorage& storage)
    : prior_(std::move(prior)),
      threads_(threads > 0 ? threads : numerics::default_threads()),
      tiles_(PoolTiles::make(prior_, pool, storage)) {
  points_.resize(0, pool.cols());
}

const Marginals& TiledPosterior::marginals() {
  for_each_tile(*tiles_, threads_, [this](Index tile) { tiles_->catch_up(tile, side()); });
  return tiles_->marginals();
}

Index TiledPosterior::jittered() const {
  return std::count(jittered_.begin(), jittered_.end(), 1);
}

FactorRow TiledPosterior::row(const Place& place, const Channel& channel,
                              std::optional<double> answer) const {
  if (answer && !std::isfinite(*answer))
    throw std::invalid_argument("GpPoolBelief: the answer is not finite, must be a finite number");
  FactorRow row{.x = {}, .pool_row = place.pool_row(), .noise = noise_variance(channel), .answer = answer};
  require_valid_noise(row.noise);
  if (row.pool_row) {
    const Index j = *row.pool_row, pool = tiles_->size();
    if (j < 0 || j >= pool)
      throw std::invalid_argument("GpPoolBelief: pool row is " + std::to_string(j) + ", must be below " +
                                  std::to_string(pool));
    row.x = tiles_->point(j);
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
  if (row.answer && any_pending) update_means();
}

void TiledPosterior::replace_from(Index first, const std::vector<FactorRow>& rows) {
  cut(first);
  for (const FactorRow& row : rows) extend(row);
  update_means();
}

void TiledPosterior::answer(Index row, double value) {
  rows_[at(row)].answer = value;
  update_means();
}

void TiledPosterior::change_prior_mean(double mean) {
  prior_.mean = mean;
  tiles_->change_prior_mean(mean);
  update_means();
}

// math.md eq. (2.3). At a pool point l and s are there already, once its tile is up to date; the other tiles
// may lag.
void TiledPosterior::extend(const FactorRow& row) {
  const Index n = size();
  const double prior_variance = prior_.kernel->diagonal(row.x)(0);
  Vector l(n);
  double variance = 0.0;
  if (!row.pool_row || tiles_->error() > 0.0) {
    l = prior_.kernel->cross(points_.topRows(n), row.x);
    factor_.solve(l.data());
    variance = prior_variance - l.squaredNorm();
  } else if (is_current(*row.pool_row / PoolTiles::width) && tiles_->column(*row.pool_row, l.data(), n)) {
    variance = tiles_->marginals().variance(*row.pool_row);
  } else {
    const auto known = [&] { return std::find(solved_.rows.begin(), solved_.rows.end(), *row.pool_row); };
    if (solved_.v.rows() != n || known() == solved_.rows.end()) exact_at(std::span(&*row.pool_row, 1));
    const Index k = known() - solved_.rows.begin();
    l = solved_.v.col(k);
    variance = solved_.marginals.variance(k);
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
  tiles_->follow(side(), n);
}

void TiledPosterior::cut(Index size) {
  if (size < factor_.size()) cuts_.push_back(size);
  solved_ = {};
  factor_.cut(size);
  rows_.resize(at(size));
  jittered_.resize(at(size));
  z_.conservativeResize(size);
  for_each_tile(*tiles_, threads_, [&](Index tile) { tiles_->cut(tile, side(), size); });
}

Index TiledPosterior::unchanged_since(Index removals) const {
  const auto shortest = std::min_element(cuts_.begin() + removals, cuts_.end());
  return shortest == cuts_.end() ? size() : *shortest;
}

// With finite distances every covariance is a number, and a mean is a product of a row whose norm is that of
// the prior at most (math.md 2.4) and z. A kernel of the user's own may do as it likes, and tiles that have
// caught up can be asked.
bool TiledPosterior::surely_finite() const {
  const auto* kernel = dynamic_cast<const StationaryKernel*>(prior_.kernel.get());
  if (kernel == nullptr || tiles_->size() == 0) return false;
  Vector lowest = tiles_->lowest(), highest = tiles_->highest();
  if (size() > 0) {
    lowest = lowest.cwiseMin(points_.topRows(size()).colwise().minCoeff().transpose());
    highest = highest.cwiseMax(points_.topRows(size()).colwise().maxCoeff().transpose());
  }
  constexpr double far = 1e15;  // its square is a float, too
  const Vector extent = (highest - lowest).cwiseProduct(kernel->inverse_lengthscales(points_.cols()));
  if (!(extent.norm() < far)) return false;
  for (Index i = 0; i < size(); ++i)
    if (!Eigen::Map<const Vector>(factor_.row(i), i + 1).allFinite()) return false;
  const double largest = std::abs(prior_.mean) + kernel->options().amplitude * z_.head(size()).norm();
  return std::isfinite(2.0 * largest) && lagging().mean.allFinite() && lagging().variance.allFinite();
}

Marginals TiledPosterior::exact_at(std::span<const Index> pool_rows) const {
  const Index n = size(), count = static_cast<Index>(pool_rows.size());
  Marginals marginals{Vector(count), Vector(count)};
  if (tiles_->error() > 0.0) {
    for (Index k = 0; k < count; ++k) {
      const Points x = tiles_->point(pool_rows[at(k)]);
      Vector v = prior_.kernel->cross(points_.topRows(n), x);
      factor_.solve(v.data());
      marginals.mean(k) = prior_.mean + v.dot(z_);
      marginals.variance(k) = std::max(prior_.kernel->diagonal(x)(0) - v.squaredNorm(), 0.0);
    }
    return marginals;
  }
  for (Index begin = 0; begin < count; begin += PoolTiles::width) {
    const Index some = std::min(PoolTiles::width, count - begin);
    solved_ = tiles_->columns_of(pool_rows.subspan(at(begin), at(some)), side());
    marginals.mean.segment(begin, some) = solved_.marginals.mean;
    marginals.variance.segment(begin, some) = solved_.marginals.variance;
  }
  return marginals;
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
  solved_ = {};
  ++z_version_;  // tiles fold their means anew when they catch up
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

}  // namespace acuity
