#include "model/pool_tiles.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <type_traits>

#include "base/parallel.hpp"
#include "data/as_size.hpp"
#include "model/kernel_profile.hpp"
#include "numerics/denormals.hpp"
#include "numerics/dispatch.hpp"
#include "numerics/slab_arena.hpp"

namespace acuity {

namespace {

using numerics::slab_rows;
using numerics::tile_columns;

template <typename Real>
const numerics::TileKernels<Real>& tile_kernels() {
  if constexpr (std::is_same_v<Real, double>)
    return numerics::kernels().tiles;
  else
    return numerics::kernels().float_tiles;
}

// Rows of V in slabs, as many as there are rows.
template <typename Real>
void make_room(numerics::SlabArena& arena, std::vector<Real*>& slabs, Index rows) {
  while (static_cast<Index>(slabs.size()) * slab_rows < rows)
    slabs.push_back(static_cast<Real*>(arena.take()));  // written before it is read
}

// Room for one tile that is not kept.
template <typename Real>
struct Scratch {
  numerics::SlabArena arena{sizeof(Real) * slab_rows * tile_columns};
  std::vector<Real*> slabs;
};

template <typename Real>
class TilesOf : public PoolTiles {
 public:
  // scaled_tile(t): the points of tile t, scaled.
  template <typename ScaledTile>
  TilesOf(const Prior& prior, Index size, Index inputs, const ScaledTile& scaled_tile, std::size_t memory,
          const std::optional<Vector>& origin = std::nullopt)
      : PoolTiles(size),
        prior_(prior),
        stationary_(dynamic_cast<const StationaryKernel*>(prior.kernel.get())),
        inputs_(inputs),
        memory_(memory) {
    const Index padded = count() * width;
    marginals_.mean = Vector::Constant(size_, prior.mean);
    marginals_.variance.resize(size_);
    points_.resize(at(padded * inputs_), Real(0));
    set_units();
    tiles_.resize(at(count()));
    lowest_ = Vector::Constant(inputs_, std::numeric_limits<double>::infinity());
    highest_ = -lowest_;
    for (Index tile = 0; tile < count(); ++tile) {
      const Points scaled = scaled_tile(tile);
      if (std::is_same_v<Real, float> && stationary_ != nullptr && tile == 0)
        set_origin(origin ? *origin : Vector(scaled.row(0).transpose()));
      marginals_.variance.segment(tile * width, columns(tile)) = prior_.kernel->diagonal(scaled);
      lowest_ = lowest_.cwiseMin(scaled.colwise().minCoeff().transpose());
      highest_ = highest_.cwiseMax(scaled.colwise().maxCoeff().transpose());
      for (Index j = 0; j < columns(tile); ++j)
        for (Index k = 0; k < inputs_; ++k)
          points_[at((tile * inputs_ + k) * width + j)] = to_unit(scaled(j, k), k);
    }
    if (stationary_ == nullptr) prior_variances_ = marginals_.variance;
  }

  Index seen(Index tile) const override { return tiles_[at(tile)].seen; }

  bool is_current(Index tile, const FactorSide& side) const override {
    return tiles_[at(tile)].seen == side.factor.size() && tiles_[at(tile)].z_version == side.z_version;
  }

  void follow(const FactorSide& side, Index unchanged) override {
    if constexpr (std::is_same_v<Real, float>) {
      const Index rows = side.factor.size(), known = static_cast<Index>(row_points_.size()) / inputs_;
      const Index from = std::min(known, unchanged);
      packed_.resize(at(rows * (rows + 1) / 2));
      row_points_.resize(at(rows * inputs_));
      for (Index i = from; i < rows; ++i) {
        std::copy(side.factor.row(i), side.factor.row(i) + i + 1, packed_.data() + i * (i + 1) / 2);
        for (Index k = 0; k < inputs_; ++k) row_points_[at(i * inputs_ + k)] = to_unit(side.points(i, k), k);
      }
    }
  }

  // math.md eq. (2.4), for all rows the tile has not seen.
  void catch_up(Index tile, const FactorSide& side) override {
    Tile& t = tiles_[at(tile)];
    const Index to = side.factor.size();
    if (is_current(tile, side)) return;
    unbound(tile);
    thread_local Scratch<Real> scratch;
    const bool keep = may_keep(t, to);
    std::vector<Real*>& slabs = keep ? t.slabs : scratch.slabs;
    const Index have = keep ? t.kept : 0;
    make_room(keep ? arena_ : scratch.arena, slabs, to);
    const numerics::TileView<Real> view = view_of(tile, slabs);
    compute_rows(view, side, have, to);
    if (keep) t.kept = to;
    if (t.z_version != side.z_version) refold_means(tile, view, side, t.seen);
    fold(tile, view, side, t.seen, to);
    t.seen = to;
    t.z_version = side.z_version;
  }

  bool column(Index row, double* out, Index rows) const override {
    const Tile& t = tiles_[at(row / width)];
    if (t.kept < rows) return false;
    for (Index i = 0; i < rows; ++i)
      out[i] = t.slabs[at(i / slab_rows)][at(i % slab_rows * width + row % width)];
    return true;
  }

  void keep_all() override { keep_all_ = true; }

  const double* row_of([[maybe_unused]] Index tile, [[maybe_unused]] Index i) const override {
    if constexpr (std::is_same_v<Real, double>)
      return tiles_[at(tile)].slabs[at(i / slab_rows)] + i % slab_rows * width;
    else
      throw std::logic_error("PoolTiles: rows of single precision are not doubles");
  }

  numerics::TileView<double> view([[maybe_unused]] Index tile) const override {
    if constexpr (std::is_same_v<Real, double>)
      return view_of(tile, tiles_[at(tile)].slabs);
    else
      throw std::logic_error("PoolTiles: rows of single precision are not doubles");
  }

  Columns columns_of(std::span<const Index> rows, const FactorSide& side) const override {
    const Index n = side.factor.size(), count = static_cast<Index>(rows.size());
    thread_local Scratch<Real> scratch;
    make_room(scratch.arena, scratch.slabs, n);
    const std::vector<Real> points = points_of(rows);
    const numerics::TileView<Real> view{points.data(), scratch.slabs.data(), count};
    compute_rows(view, side, 0, n);
    Columns columns{{rows.begin(), rows.end()}, Matrix(n, count), {Vector(count), Vector(count)}};
    alignas(64) double variance[width] = {}, mean[width] = {};
    for (Index j = 0; j < count; ++j) variance[j] = prior_variance(rows[at(j)]);
    std::fill_n(mean, width, prior_.mean);
    const auto self = [&](Index pool_row) {
      return std::find(rows.begin(), rows.end(), pool_row) - rows.begin();
    };
    fold_rows(view, side, 0, n, variance, mean, count, self);
    for (Index j = 0; j < count; ++j) {
      columns.marginals.variance(j) = variance[j];
      columns.marginals.mean(j) = mean[j];
      for (Index i = 0; i < n; ++i)
        columns.v(i, j) = static_cast<double>(view.slabs[i / slab_rows][i % slab_rows * width + j]);
    }
    return columns;
  }

  std::unique_ptr<GrowingColumns> growing_columns(std::span<const Index> rows) const override {
    return std::make_unique<Growing>(*this, rows);
  }

  void start_from(const double* bounds, Index rows) override {
    bounded_rows_ = rows;
    for (Index tile = 0; tile < count(); ++tile) {
      if (tiles_[at(tile)].seen > 0) continue;
      tiles_[at(tile)].is_bounded = true;
      for (Index i = tile * width; i < tile * width + columns(tile); ++i)
        marginals_.variance(i) = std::min(marginals_.variance(i), bounds[i]);
    }
  }

  void forget() override {
    for (Index tile = 0; tile < count(); ++tile) {
      Tile& t = tiles_[at(tile)];
      if (t.seen == 0 && t.kept == 0) continue;
      for (Real* slab : t.slabs) arena_.give_back(slab);
      t = Tile{};
      reset_marginals(tile);
    }
    arena_.clear();
    used_ = 0;
  }

  void change_prior_mean(double mean) override { prior_.mean = mean; }

  // Variances cannot be added back without rounding, so they are folded again from the rows that stay,
  // which gives the same bits.
  void cut(Index tile, const FactorSide& side, Index size) override {
    Tile& t = tiles_[at(tile)];
    if (size < bounded_rows_) unbound(tile);
    if (t.seen <= size && t.kept <= size) return;
    reset_marginals(tile);
    t.kept = std::min(t.kept, size);
    while (static_cast<Index>(t.slabs.size()) > (t.kept + slab_rows - 1) / slab_rows) {
      arena_.give_back(t.slabs.back());
      t.slabs.pop_back();
      used_ -= slab_bytes;
    }
    t.seen = std::min(t.seen, t.kept);
    fold(tile, view_of(tile, t.slabs), side, 0, t.seen);
    t.z_version = side.z_version;
  }

  std::unique_ptr<PoolTiles> in_single_precision(std::size_t memory) const override {
    if (stationary_ == nullptr) return nullptr;
    Prior plain = prior_;  // the points are scaled already
    plain.scaling = {};
    const auto scaled_tile = [this](Index tile) { return scaled_points(tile); };
    return std::make_unique<TilesOf<float>>(plain, size_, inputs_, scaled_tile, memory);
  }

  Vector prior_variances() const override {
    if (stationary_ != nullptr) return Vector::Constant(size_, prior_variance(0));
    return prior_variances_;
  }

  Points point(Index row) const override {
    Points x(1, inputs_);
    for (Index k = 0; k < inputs_; ++k) x(0, k) = from_unit(coordinate(row, k), k);
    return x;
  }

  Index guest(Index row, const Points& x) override {
    if (const auto known = guests_.find(row); known != guests_.end()) return known->second;
    const double variance = prior_.kernel->diagonal(x)(0);
    const Index next = count() * width + static_cast<Index>(guests_.size());
    for (Index k = 0; k < inputs_; ++k) guest_points_.push_back(to_unit(x(0, k), k));
    guest_variances_.push_back(variance);
    return guests_.emplace(row, next).first->second;
  }

  // Measured on smooth and rough kernels (tests/model/gp_pool_belief_test.cpp), with room to spare.
  double error() const override {
    if (std::is_same_v<Real, double> || size_ == 0) return 0.0;
    return 1e-5 * prior_variance(0);
  }

 private:
  struct Tile {
    std::vector<Real*> slabs;
    Index kept = 0;  // rows in the slabs
    Index seen = 0;  // rows that are in the marginals
    Index z_version = 0;
    bool is_bounded = false;  // nothing was seen, and the variances are bounds
  };
  static constexpr std::size_t cache = std::size_t{4} << 20;  // about what stays near the processor
  static constexpr std::size_t slab_bytes = sizeof(Real) * slab_rows * tile_columns;

  // Floats have seven digits: spend them on differences in units of the length scales, not on where zero is.
  // Doubles are kept as they are; then no digit of a difference is lost.
  void set_units() {
    origin_ = Vector::Zero(inputs_);
    unit_ = Vector::Ones(inputs_);
    inverse_lengthscale_.assign(at(inputs_), Real(1));
    if (stationary_ == nullptr) return;
    same_lengthscale_ =
        stationary_->options().lengthscale.size() == 1 && stationary_->options().categories.empty();
    const Vector inverse = stationary_->inverse_lengthscales(inputs_);
    if constexpr (std::is_same_v<Real, double>)
      std::copy(inverse.begin(), inverse.end(), inverse_lengthscale_.begin());
    else
      unit_ = inverse;
    // Codes are kept as they are and add nothing to a distance.
    for (const CategoryFactor& category : stationary_->options().categories) {
      categories_.push_back({category.input, static_cast<Real>(category.similarity())});
      unit_(category.input) = 1.0;
      inverse_lengthscale_[at(category.input)] = Real(0);
    }
  }
  void set_origin(const Vector& first) {
    origin_ = first;
    for (const auto& category : categories_) origin_(category.input) = 0.0;
  }
  Real to_unit(double x, Index k) const { return static_cast<Real>((x - origin_(k)) * unit_(k)); }
  double from_unit(Real u, Index k) const { return static_cast<double>(u) / unit_(k) + origin_(k); }

  numerics::TileView<Real> view_of(Index tile, const std::vector<Real*>& slabs) const {
    return {points_.data() + tile * inputs_ * width, slabs.data()};
  }

  Points scaled_points(Index tile) const {
    Points x(columns(tile), inputs_);
    for (Index j = 0; j < x.rows(); ++j)
      for (Index k = 0; k < inputs_; ++k)
        x(j, k) = from_unit(points_[at((tile * inputs_ + k) * width + j)], k);
    return x;
  }

  double prior_variance(Index row) const {
    if (stationary_ == nullptr)
      return is_guest(row) ? guest_variances_[at(row - count() * width)] : prior_variances_(row);
    return stationary_->options().amplitude * stationary_->options().amplitude;
  }

  // To those of the prior. Calls no kernel, so that it cannot fail.
  void reset_marginals(Index tile) {
    const Index begin = tile * width, wide = columns(tile);
    if (stationary_ == nullptr)
      marginals_.variance.segment(begin, wide) = prior_variances_.segment(begin, wide);
    else
      marginals_.variance.segment(begin, wide).setConstant(prior_variance(0));
    marginals_.mean.segment(begin, wide).setConstant(prior_.mean);
  }

  // What it has seen begins with the prior, not with bounds.
  void unbound(Index tile) {
    if (!tiles_[at(tile)].is_bounded) return;
    tiles_[at(tile)].is_bounded = false;
    reset_marginals(tile);
  }

  // Whether this tile's rows of V stay in memory. Once they do not, they are computed again when needed.
  bool may_keep(const Tile& t, Index rows) {
    const auto more = static_cast<std::ptrdiff_t>((rows + slab_rows - 1) / slab_rows) -
                      static_cast<std::ptrdiff_t>(t.slabs.size());
    if (more <= 0) return true;
    const std::size_t bytes = static_cast<std::size_t>(more) * slab_bytes;
    if (!keep_all_ && memory_ > 0 && used_.load() + bytes > memory_) return false;
    // A tile that is seldom looked at is computed again in less time than its rows would take to come from
    // memory.
    constexpr Index seldom = 6;
    const bool is_seldom = t.slabs.empty() && seldom * (rows - t.seen) >= rows;
    if (!keep_all_ && is_seldom && used_.load() + bytes > cache) return false;
    used_ += bytes;
    return true;
  }

  class Growing final : public GrowingColumns {
   public:
    Growing(const TilesOf& tiles, std::span<const Index> rows)
        : tiles_(tiles), rows_(rows.begin(), rows.end()), points_(tiles.points_of(rows)) {
      for (std::size_t j = 0; j < rows_.size(); ++j) variance_[j] = tiles.prior_variance(rows_[j]);
    }

    void extend(const FactorSide& side) override {
      const Index from = seen_, to = side.factor.size(), count = static_cast<Index>(rows_.size());
      make_room(room_.arena, room_.slabs, to);
      const numerics::TileView<Real> view{points_.data(), room_.slabs.data(), count};
      tiles_.compute_rows(view, side, from, to);
      const auto self = [&](Index row) { return std::find(rows_.begin(), rows_.end(), row) - rows_.begin(); };
      tiles_.fold_rows(view, side, from, to, variance_, mean_, count, self);
      seen_ = to;
    }

    Vector column(Index j) const override {
      Vector v(seen_);
      for (Index i = 0; i < seen_; ++i)
        v(i) = static_cast<double>(room_.slabs[at(i / slab_rows)][at(i % slab_rows * width + j)]);
      return v;
    }
    double variance(Index j) const override { return variance_[j]; }

   private:
    const TilesOf& tiles_;
    std::vector<Index> rows_;
    std::vector<Real> points_;
    Scratch<Real> room_;
    Index seen_ = 0;
    alignas(64) double variance_[width] = {}, mean_[width] = {};
  };

  // By input, as in a tile.
  std::vector<Real> points_of(std::span<const Index> rows) const {
    std::vector<Real> points(at(inputs_ * width), Real(0));
    for (std::size_t j = 0; j < rows.size(); ++j)
      for (Index k = 0; k < inputs_; ++k) points[at(k * width) + j] = coordinate(rows[j], k);
    return points;
  }

  // As it is stored, of a pool point or a guest.
  Real coordinate(Index row, Index k) const {
    if (is_guest(row)) return guest_points_[at((row - count() * width) * inputs_ + k)];
    return points_[at((row / width * inputs_ + k) * width + row % width)];
  }

  void compute_rows(const numerics::TileView<Real>& view, const FactorSide& side, Index from,
                    Index to) const {
    const numerics::TileKernels<Real>& kernel = tile_kernels<Real>();
    const Real* packed;
    const Real* row_points;
    if constexpr (std::is_same_v<Real, double>) {
      packed = side.factor.packed();
      row_points = side.points.data();
    } else {
      packed = packed_.data();
      row_points = row_points_.data();
    }
    if (stationary_ != nullptr) {
      const double a = stationary_->options().amplitude;
      const Real* each = same_lengthscale_ ? nullptr : inverse_lengthscale_.data();
      const Real scale = same_lengthscale_ ? inverse_lengthscale_[0] * inverse_lengthscale_[0] : Real(1);
      kernel.catch_up({packed, row_points, inputs_, each, scale, categories_.data(),
                       static_cast<std::ptrdiff_t>(categories_.size())},
                      profile_of(stationary_->options().family), static_cast<Real>(a * a), view, from, to);
      return;
    }
    // A user's kernel.
    Points x(width, inputs_);
    for (Index j = 0; j < width; ++j)
      for (Index k = 0; k < inputs_; ++k) x(j, k) = static_cast<double>(view.points[k * width + j]);
    const Matrix k = prior_.kernel->cross(x, side.points.middleRows(from, to - from));
    for (Index i = from; i < to; ++i)
      for (Index j = 0; j < width; ++j)
        view.slabs[i / slab_rows][i % slab_rows * width + j] = static_cast<Real>(k(j, i - from));
    kernel.solve_rows(packed, view, from, to);
  }

  // Rows of V into the variances and means of the tile.
  void fold(Index tile, const numerics::TileView<Real>& view, const FactorSide& side, Index from, Index to) {
    alignas(64) double variance[width] = {}, mean[width] = {};
    const Index begin = tile * width, wide = columns(tile);
    std::copy_n(marginals_.variance.data() + begin, wide, variance);
    std::copy_n(marginals_.mean.data() + begin, wide, mean);
    const auto self = [&](Index pool_row) { return pool_row / width == tile ? pool_row - begin : wide; };
    fold_rows(view, side, from, to, variance, mean, wide, self);
    std::copy_n(variance, wide, marginals_.variance.data() + begin);
    std::copy_n(mean, wide, marginals_.mean.data() + begin);
  }

  // self(row): the column of a pool row, or `count` if it is none of these.
  template <typename Self>
  void fold_rows(const numerics::TileView<Real>& view, const FactorSide& side, Index from, Index to,
                 double* variance, double* mean, Index count, const Self& self) const {
    Index next = from;
    for (Index i = from; i < to; ++i) {
      if (!side.rows[at(i)].pool_row) continue;
      const Index j = self(*side.rows[at(i)].pool_row);
      if (j == count) continue;
      tile_kernels<Real>().fold(view, next, i, side.z.data(), variance, mean);
      // The observed point itself, without the cancellation: s n / (s + n), with the noise as given. After an
      // exact answer the variance is 0.
      const double before = variance[j], noise = side.rows[at(i)].noise;
      tile_kernels<Real>().fold(view, i, i + 1, side.z.data(), variance, mean);
      variance[j] = noise > 0.0 ? before * (noise / (before + noise)) : 0.0;
      next = i + 1;
    }
    tile_kernels<Real>().fold(view, next, to, side.z.data(), variance, mean);
  }

  // z has changed in rows that were folded before.
  void refold_means(Index tile, const numerics::TileView<Real>& view, const FactorSide& side, Index seen) {
    alignas(64) double unused[width] = {}, mean[width];
    std::fill_n(mean, width, prior_.mean);
    tile_kernels<Real>().fold(view, 0, seen, side.z.data(), unused, mean);
    std::copy_n(mean, columns(tile), marginals_.mean.data() + tile * width);
  }

  Prior prior_;
  const StationaryKernel* stationary_;  // null: a user's kernel
  Vector prior_variances_;              // of such a kernel: it may throw when it is asked again
  Index inputs_;
  std::vector<Real> points_;             // by tile, by input
  std::map<Index, Index> guests_;        // points of other shards: the number of each
  std::vector<Real> guest_points_;       // one after another
  std::vector<double> guest_variances_;  // before any annotation
  Vector origin_, unit_;
  std::vector<Real> inverse_lengthscale_;
  std::vector<numerics::CategoryColumn<Real>> categories_;
  bool same_lengthscale_ = false;
  std::vector<Tile> tiles_;
  numerics::SlabArena arena_{slab_bytes};
  std::size_t memory_;  // bytes of V at most; 0: no limit
  std::atomic<std::size_t> used_ = 0;
  bool keep_all_ = false;
  Index bounded_rows_ = 0;  // of start_from()

  std::vector<float> packed_, row_points_;  // of the factor, if Real is float
};

}  // namespace

void for_each_tile(const PoolTiles& tiles, int threads, const std::function<void(Index tile)>& task) {
  constexpr Index together = 16;
  base::parallel_for((tiles.count() + together - 1) / together, threads, [&](Index group) {
    const numerics::FlushDenormals flush;
    const Index end = std::min(tiles.count(), (group + 1) * together);
    for (Index tile = group * together; tile < end; ++tile) task(tile);
  });
}

std::unique_ptr<PoolTiles> PoolTiles::make(const Prior& prior, const PointsRef& pool,
                                           const PoolStorage& storage) {
  // A user's kernel is called with the points in double precision, so it gets no float tiles.
  const bool stationary = dynamic_cast<const StationaryKernel*>(prior.kernel.get()) != nullptr;
  const auto scaled_tile = [&](Index tile) {
    const Index begin = tile * width;
    return prior.scaling.apply(pool.middleRows(begin, std::min(width, pool.rows() - begin)));
  };
  if (storage.single_precision && stationary)
    return std::make_unique<TilesOf<float>>(
        prior, pool.rows(), pool.cols(), scaled_tile, storage.memory,
        storage.whole ? std::optional<Vector>(
                            prior.scaling.apply(Points(storage.whole->first_point.transpose())).transpose())
                      : std::nullopt);
  return std::make_unique<TilesOf<double>>(prior, pool.rows(), pool.cols(), scaled_tile, storage.memory);
}

}  // namespace acuity
