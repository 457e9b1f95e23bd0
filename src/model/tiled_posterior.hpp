#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "acuity/data/observation.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/model/prior.hpp"
#include "model/pool_tiles.hpp"
#include "numerics/growing_factor.hpp"

namespace acuity {

/// The linear algebra behind GpPoolBelief: the factor of all rows, and the pool in tiles (math.md 2.4, 7).
///
/// Everything it holds is a function of the rows and their answers, bit for bit, whatever order the answers
/// came in and whatever rows there were in between.
class TiledPosterior {
 public:
  TiledPosterior(Prior prior, const PointsRef& pool, int threads, const PoolStorage& storage);

  /// Belief about every pool point, all tiles brought up to date.
  const Marginals& marginals();
  /// As far as the tiles have come: variances are exact or upper bounds.
  const Marginals& lagging() const { return tiles_->marginals(); }
  const PoolTiles& tiles() const { return *tiles_; }
  bool is_current(Index tile) const { return tiles_->is_current(tile, side()); }
  /// Different tiles may be refreshed by different threads at a time.
  void refresh(Index tile) { tiles_->catch_up(tile, side()); }
  /// Grows when rows were removed, so that variances may have risen.
  Index removals() const { return static_cast<Index>(cuts_.size()); }
  /// How many of the first rows are those that were there when removals() was this.
  Index unchanged_since(Index removals) const;
  /// From the factor alone; the bits of marginals(), but for single precision, whose errors it does not have.
  Marginals exact_at(std::span<const Index> pool_rows) const;
  /// Gives the memory of the tiles back; they catch up again when they are asked.
  void forget_tiles() { tiles_->forget(); }
  FactorSide side() const { return {factor_, points_, rows_, z_, z_version_}; }
  const numerics::GrowingFactor& factor() const { return factor_; }
  const Vector& z() const { return z_; }
  Index z_version() const { return z_version_; }
  /// LaggingPool::surely_finite
  bool surely_finite() const;
  int threads() const { return threads_; }

  const std::vector<FactorRow>& rows() const { return rows_; }
  Index size() const { return factor_.size(); }
  Index jittered() const;

  /// A row of its own for this annotation; throws std::invalid_argument where it cannot be one.
  FactorRow row(const Place& place, const Channel& channel, std::optional<double> answer) const;

  /// One row more: O(n M).
  void append(const FactorRow& row);
  /// The rows from `first` on are replaced by these: O(n M) and O(n M) for each of them.
  void replace_from(Index first, const std::vector<FactorRow>& rows);
  /// The prior mean is this from now on: O(n^2), and the tiles fold their means anew when they catch up.
  void change_prior_mean(double mean);
  /// The answer to a pending row: O(p n^2 + n M) with p rows still pending.
  void answer(Index row, double value);

 private:
  void extend(const FactorRow& row);
  void cut(Index size);
  void update_means();
  double z_entry(const Vector& l, double diagonal, const std::optional<double>& answer) const;
  void impute(Index last_answered, const std::vector<Index>& pending);
  Prior prior_;
  int threads_ = 1;
  std::unique_ptr<PoolTiles> tiles_;
  std::vector<Index> cuts_;  // to how many rows, each time that rows were removed

  std::vector<FactorRow> rows_;
  std::vector<char> jittered_;  // which those are
  Points points_;               // of the rows; may have more than there are
  numerics::GrowingFactor factor_;
  Vector z_;  // L^-1 (answers - mean), pending answers imputed
  Index z_version_ = 0;
  mutable PoolTiles::Columns solved_;  // the last that were asked for: one of them is often the next row
};

}  // namespace acuity
