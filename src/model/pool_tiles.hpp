#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/model/prior.hpp"
#include "numerics/growing_factor.hpp"
#include "numerics/kernels/table.hpp"

namespace acuity {

/// What one row of the factor stands for: an annotation, or merged ones of one place.
struct FactorRow {
  Points x;                       // one point, scaled
  std::optional<Index> pool_row;  // if it is a pool point
  double noise = 0.0;
  std::optional<double> answer;  // none: pending
  Index place = 0;               // the caller's number of the place
};

/// Everything the pool side needs to know about the factor side.
struct FactorSide {
  const numerics::GrowingFactor& factor;
  const Points& points;  // of the rows, scaled; may have more than there are
  const std::vector<FactorRow>& rows;
  const Vector& z;
  Index z_version;  // changes when entries of z other than the last do
};

class PoolTiles;

/// Each thread gets several tiles at a time, so that handing them out costs little.
void for_each_tile(const PoolTiles& tiles, int threads, const std::function<void(Index tile)>& task);

/// The pool in tiles of columns of V = L^-1 K(X, pool) (math.md 6.2). A tile may lag behind the factor and
/// catches up on all missing rows at once; then its variances and means are folded. What is folded does not
/// depend on when it was, bit for bit.
///
/// Different tiles may be brought up to date by different threads at the same time.
class PoolTiles {
 public:
  static std::unique_ptr<PoolTiles> make(const Prior& prior, const PointsRef& pool,
                                         const PoolStorage& storage);
  virtual ~PoolTiles() = default;

  static constexpr Index width = numerics::tile_columns;
  Index count() const { return (size_ + width - 1) / width; }
  Index size() const { return size_; }
  Index columns(Index tile) const { return std::min(width, size_ - tile * width); }

  /// As far as each tile has come. Variances of tiles that lag are upper bounds.
  const Marginals& marginals() const { return marginals_; }

  /// Rows of the factor that are in the tile's marginals.
  virtual Index seen(Index tile) const = 0;
  virtual bool is_current(Index tile, const FactorSide& side) const = 0;
  virtual void catch_up(Index tile, const FactorSide& side) = 0;
  /// Column of V of a pool point, whose tile has just caught up, or nothing if it was not kept.
  virtual bool column(Index row, double* out, Index rows) const = 0;
  /// Keeps the rows of V of every tile, whatever the limit of memory.
  virtual void keep_all() = 0;
  /// Row i of V of a tile that has caught up and is kept, `width` numbers; in double precision only.
  virtual const double* row_of(Index tile, Index i) const = 0;
  /// All of them.
  virtual numerics::TileView<double> view(Index tile) const = 0;
  /// Of the rows of the factor that were seen the first `size` are left.
  virtual void cut(Index tile, const FactorSide& side, Index size) = 0;
  /// The float twin of the factor, if there is one, follows; before any tile catches up. The first
  /// `unchanged` rows are those it followed before.
  virtual void follow(const FactorSide& side, Index unchanged) = 0;
  /// A point of another shard of the pool, which gets a number above those of the tiles: columns_of(),
  /// growing_columns() and point() take it like a row. `row` identifies it; `x` is scaled.
  virtual Index guest(Index row, const Points& x) = 0;
  bool is_guest(Index row) const { return row >= count() * width; }
  /// Columns of V of some pool points, at most `width` of them, and the belief there, from the factor alone:
  /// the bits that their tiles would have. Not in single precision.
  struct Columns {
    std::vector<Index> rows;
    Matrix v;
    Marginals marginals;
  };
  virtual Columns columns_of(std::span<const Index> rows, const FactorSide& side) const = 0;
  /// The same for pool points that are all different, while the factor grows. Must not outlive the tiles.
  class GrowingColumns {
   public:
    virtual ~GrowingColumns() = default;
    /// For the rows of the factor that are new since the last call; those before must not have changed.
    virtual void extend(const FactorSide& side) = 0;
    virtual Vector column(Index column) const = 0;
    virtual double variance(Index column) const = 0;
  };
  virtual std::unique_ptr<GrowingColumns> growing_columns(std::span<const Index> rows) const = 0;
  /// The same pool in tiles of single precision that have seen nothing, for at most so many bytes of V (0: no
  /// limit); null if the kernel is a user's.
  virtual std::unique_ptr<PoolTiles> in_single_precision(std::size_t memory) const = 0;
  /// Variances that are known not to be exceeded given the first `rows` rows, one for every pool point: tiles
  /// that have seen nothing lag from there. In double precision only.
  virtual void start_from(const double* bounds, Index rows) = 0;
  /// Forgets what the tiles hold; it comes back when they catch up.
  virtual void forget() = 0;
  /// Means are folded again, from this, when the caller's z_version changes; variances stay.
  virtual void change_prior_mean(double mean) = 0;
  virtual Points point(Index row) const = 0;
  /// Of every pool point, before any annotation.
  virtual Vector prior_variances() const = 0;
  /// The smallest and largest value of each input, scaled.
  const Vector& lowest() const { return lowest_; }
  const Vector& highest() const { return highest_; }
  /// How far the variances may be from those of exact arithmetic, if that is more than the rounding of
  /// doubles.
  virtual double error() const = 0;

 protected:
  explicit PoolTiles(Index size) : size_(size) {}

  Index size_;
  Marginals marginals_;
  Vector lowest_, highest_;
};

}  // namespace acuity
