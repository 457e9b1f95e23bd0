#include "acuity/model/gp_pool_belief.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <stdexcept>
#include <string>

#include "model/noise_floor.hpp"
#include "numerics/growing_factor.hpp"
#include "numerics/parallel.hpp"

namespace acuity {

namespace {

// Wide enough that the loops over a tile run at full speed, narrow enough that some hundred rows stay in
// cache.
constexpr Index tile_width = 256;

struct Tile {
  Index begin = 0;        // first pool row
  Points points;          // scaled
  std::vector<double> v;  // rows of V = L^-1 K(X, tile), one per annotation seen
  Index seen = 0;

  Index width() const { return points.rows(); }
};

}  // namespace

struct GpPoolBelief::State {
  Prior prior;
  std::vector<Tile> tiles;
  Marginals marginals;
  int threads = 1;

  // The annotations, in the order taken in.
  Points points;                               // scaled; may have more rows than annotations
  std::vector<std::optional<Index>> pool_row;  // where the annotation is a pool point
  std::vector<double> noise;
  std::vector<std::optional<double>> answers;
  numerics::GrowingFactor factor;
  Vector z;  // L^-1 (answers - mean), pending answers imputed
  Index jittered = 0;

  Index size() const { return factor.size(); }
  Tile& tile_of(Index row) { return tiles[static_cast<std::size_t>(row / tile_width)]; }

  void append(const Place& place, const Channel& channel, std::optional<double> answer);
  void catch_up(Tile& tile);
  void catch_up_all();
  void impute();
};

// math.md eq. (2.3). At a pool point l and s are there already, once its tile is up to date.
void GpPoolBelief::State::append(const Place& place, const Channel& channel, std::optional<double> answer) {
  if (answer && !std::isfinite(*answer))
    throw std::invalid_argument("GpPoolBelief: the answer is not finite, must be a finite number");
  const Index n = size();
  Points x(1, points.cols());
  Vector l(n);
  double variance = 0.0, mean = prior.mean;
  const std::optional<Index> row = place.pool_row();
  if (row) {
    if (*row < 0 || *row >= marginals.mean.size())
      throw std::invalid_argument("GpPoolBelief: pool row is " + std::to_string(*row) + ", must be below " +
                                  std::to_string(marginals.mean.size()));
    Tile& tile = tile_of(*row);
    catch_up(tile);
    const Index column = *row - tile.begin;
    x = tile.points.row(column);
    for (Index i = 0; i < n; ++i) l(i) = tile.v[static_cast<std::size_t>(i * tile.width() + column)];
    variance = marginals.variance(*row);
  } else {
    if (place.coordinates().size() != points.cols())
      throw std::invalid_argument("GpPoolBelief: the place has " +
                                  std::to_string(place.coordinates().size()) + " inputs, must have " +
                                  std::to_string(points.cols()));
    x = prior.scaling.apply(Points(place.coordinates().transpose()));
    l = prior.kernel->cross(points.topRows(n), x);
    factor.solve(l.data());
    variance = prior.kernel->diagonal(x)(0) - l.squaredNorm();
  }
  mean += l.dot(z);
  const Pivot p = pivot(variance, noise_variance(channel), prior.kernel->diagonal(x)(0));
  const double diagonal = std::sqrt(p.squared);

  if (n == points.rows()) points.conservativeResize(std::max<Index>(16, 2 * n), Eigen::NoChange);
  points.row(n) = x;
  pool_row.push_back(row);
  noise.push_back(p.noise);
  answers.push_back(answer);
  jittered += p.jittered ? 1 : 0;
  factor.append(l.data(), diagonal);
  z.conservativeResize(n + 1);
  z(n) = answer ? (*answer - mean) / diagonal : 0.0;  // a pending answer is imputed by its expectation
}

// math.md eq. (2.4), for all rows the tile has not seen.
void GpPoolBelief::State::catch_up(Tile& tile) {
  const Index from = tile.seen, to = size(), width = tile.width();
  if (from == to) return;
  const Matrix k = prior.kernel->cross(tile.points, points.middleRows(from, to - from));
  tile.v.insert(tile.v.end(), k.data(), k.data() + k.size());
  numerics::catch_up(factor, from, to, width, tile.v.data());
  auto s = marginals.variance.segment(tile.begin, width).array();
  auto m = marginals.mean.segment(tile.begin, width).array();
  for (Index i = from; i < to; ++i) {
    const Eigen::Map<const Eigen::ArrayXd> v(tile.v.data() + i * width, width);
    const std::optional<Index> row = pool_row[static_cast<std::size_t>(i)];
    const Index self = row ? *row - tile.begin : -1;
    const bool inside = self >= 0 && self < width;
    const double before = inside ? s(self) : 0.0;
    s = (s - v.square()).max(0.0);
    m += z(i) * v;
    // The observed point itself, without the cancellation: s n / (s + n).
    if (inside)
      s(self) = before * (noise[static_cast<std::size_t>(i)] / (before + noise[static_cast<std::size_t>(i)]));
  }
  tile.seen = to;
}

void GpPoolBelief::State::catch_up_all() {
  // A thread costs about as much to start as a few thousand columns to bring up to date.
  const Index work = marginals.mean.size() * std::max<Index>(1, size() / 16);
  const int useful = work < 100'000 ? 1 : threads;
  numerics::parallel_for(static_cast<Index>(tiles.size()), useful,
                         [this](Index t) { catch_up(tiles[static_cast<std::size_t>(t)]); });
}

// Pending answers replaced by their expectation given the known ones, so that means are those of the known
// answers alone (math.md 7). An imputed answer changes no mean: its entry of (K + noise)^-1 residual is zero,
// and that condition determines all of them.
void GpPoolBelief::State::impute() {
  const Index n = size();
  std::vector<Index> pending;
  Vector residual = Vector::Zero(n);
  for (Index i = 0; i < n; ++i) {
    const std::optional<double>& answer = answers[static_cast<std::size_t>(i)];
    if (answer)
      residual(i) = *answer - prior.mean;
    else
      pending.push_back(i);
  }
  Matrix w = Matrix::Zero(n, static_cast<Index>(pending.size()));  // L^-1 of the pending unit vectors
  for (Index k = 0; k < w.cols(); ++k) {
    w(pending[static_cast<std::size_t>(k)], k) = 1.0;
    factor.solve(w.col(k).data());
  }
  z = residual;
  factor.solve(z.data());
  const Vector imputed = (w.transpose() * w).llt().solve(-w.transpose() * z);
  z += w * imputed;

  for (Tile& tile : tiles) {
    catch_up(tile);
    auto m = marginals.mean.segment(tile.begin, tile.width()).array();
    m = prior.mean;
    for (Index i = 0; i < n; ++i)
      m += z(i) * Eigen::Map<const Eigen::ArrayXd>(tile.v.data() + i * tile.width(), tile.width());
  }
}

GpPoolBelief::GpPoolBelief(Prior prior, const Points& pool, const std::vector<Observation>& observations,
                           int threads)
    : state_(std::make_unique<State>()) {
  state_->prior = std::move(prior);
  state_->threads = threads > 0 ? threads : numerics::default_threads();
  state_->points.resize(0, pool.cols());
  state_->marginals.mean = Vector::Constant(pool.rows(), state_->prior.mean);
  state_->marginals.variance.resize(pool.rows());
  for (Index begin = 0; begin < pool.rows(); begin += tile_width) {
    const Index width = std::min(tile_width, pool.rows() - begin);
    Tile tile{.begin = begin, .points = state_->prior.scaling.apply(pool.middleRows(begin, width)), .v = {}};
    state_->marginals.variance.segment(begin, width) = state_->prior.kernel->diagonal(tile.points);
    state_->tiles.push_back(std::move(tile));
  }
  for (const Observation& o : observations) state_->append(o.place, o.channel, o.value);
  state_->catch_up_all();
}

GpPoolBelief::~GpPoolBelief() = default;
GpPoolBelief::GpPoolBelief(GpPoolBelief&&) noexcept = default;
GpPoolBelief& GpPoolBelief::operator=(GpPoolBelief&&) noexcept = default;

const Marginals& GpPoolBelief::marginals() const {
  return state_->marginals;
}
Index GpPoolBelief::size() const {
  return state_->size();
}
Index GpPoolBelief::jittered() const {
  return state_->jittered;
}

void GpPoolBelief::condition(const Place& place, const Channel& channel, std::optional<double> answer) {
  bool any_pending = false;
  for (const std::optional<double>& earlier : state_->answers) any_pending = any_pending || !earlier;
  state_->append(place, channel, answer);
  state_->catch_up_all();
  if (answer && any_pending) state_->impute();
}

}  // namespace acuity
