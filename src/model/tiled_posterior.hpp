#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "acuity/data/observation.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/model/prior.hpp"
#include "model/belief_memory.hpp"
#include "model/pool_tiles.hpp"
#include "numerics/growing_factor.hpp"

namespace acuity {

/// The linear algebra behind GpPoolBelief: the factor of all rows, and the pool in tiles (math.md 2.4, 7).
///
/// A call that throws leaves it as it was: a user's kernel may throw whenever it is called.
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
  /// Every tile keeps its rows of V from now on, whatever the limit of memory: PoolTiles::row_of() is then
  /// valid after marginals().
  void keep_all_tiles() { tiles_->keep_all(); }
  /// Frees the memory of the tiles; they catch up again when they are needed.
  void forget_tiles() { tiles_->forget(); }
  FactorSide side() const { return now_.side(z_version_); }
  const numerics::GrowingFactor& factor() const { return now_.factor; }
  const Vector& z() const { return now_.z; }
  Index z_version() const { return z_version_; }
  /// LaggingPool::surely_finite
  bool surely_finite() const;
  int threads() const { return threads_; }

  const std::vector<FactorRow>& rows() const { return now_.rows; }
  Index size() const { return now_.size(); }
  Index jittered() const;

  /// The rows in place of none, as far as possible from what an earlier posterior has computed: the same
  /// bits.
  void begin_with(const std::vector<FactorRow>& rows, const BeliefMemory* memory);
  /// What a later posterior needs, without bounds; valid until the next call that is not const.
  BeliefMemory memory() const;
  /// Whether lagging() began with bounds.
  bool began_with_bounds() const { return began_with_bounds_; }
  /// How many rows came from a memory.
  Index recalled() const { return recalled_; }

  /// A row for this annotation alone; throws std::invalid_argument if it cannot be one.
  FactorRow row(const Place& place, const Channel& channel, std::optional<double> answer) const;

  /// One row more: O(n M).
  void append(const FactorRow& row);
  /// The rows from `first` on are replaced by these: O(n M) and O(n M) for each of them.
  void replace_from(Index first, const std::vector<FactorRow>& rows);
  /// The prior mean is this from now on: O(n^2), and the tiles fold their means again when they catch up.
  void change_prior_mean(double mean);
  /// The answer to a row, none if it is pending (again): O(n k + p k^2) with p pending rows and k rows since
  /// the first of them, and the tiles fold their means again when they catch up.
  void answer(Index row, std::optional<double> value);

 private:
  /// The factor, and what belongs to its rows.
  struct Factored {
    std::vector<FactorRow> rows;
    std::vector<char> jittered;  // by row: its noise was raised
    Points points;               // of the rows; may have more than there are
    numerics::GrowingFactor factor;
    Vector z;  // L^-1 (answers - mean), pending answers imputed

    Index size() const { return factor.size(); }
    FactorSide side(Index z_version) const { return {factor, points, rows, z, z_version}; }
  };
  /// A row of L that can be appended.
  struct NewRow {
    Vector l;  // without the diagonal
    double diagonal;
    bool jittered;
  };

  NewRow solve(const Factored& before, const FactorRow& row) const;
  NewRow solve_by_tiles(const FactorRow& row) const;
  NewRow new_row(const FactorRow& row, double variance, double prior_variance, Vector l) const;
  void push(Factored& factored, const FactorRow& row, const NewRow& entries) const;
  std::size_t recall(Factored& factored, const std::vector<FactorRow>& rows,
                     const BeliefMemory& memory) const;
  void replace_from(Index first, const std::vector<FactorRow>& rows, const BeliefMemory* memory);
  void push_block(Factored& factored, std::span<const FactorRow> rows) const;
  Factored first_rows(Index count) const;
  static Index first_pending(const Factored& factored);
  void impute_all(Factored& factored, Index from = 0) const;
  void impute(Factored& factored, Index last_answered, const std::vector<Index>& pending) const;
  double z_entry(const Vector& z, const Vector& l, double diagonal,
                 const std::optional<double>& answer) const;
  void means_have_changed();

  Prior prior_;
  int threads_ = 1;
  std::unique_ptr<PoolTiles> tiles_;
  std::vector<Index> cuts_;  // to how many rows, each time that rows were removed

  Factored now_;
  Index z_version_ = 0;
  Index recalled_ = 0;
  bool began_with_bounds_ = false;
  mutable PoolTiles::Columns solved_;  // the last that were asked for: one of them is often the next row
  mutable Index finite_rows_ = 0;      // of the factor, the first ones: those that surely_finite() has read
};

}  // namespace acuity
