#pragma once

#include <optional>
#include <vector>

#include "acuity/data/observation.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/model/prior.hpp"
#include "numerics/growing_factor.hpp"

namespace acuity {

/// What one row of the factor stands for: an annotation, or merged ones of one place.
struct FactorRow {
  Points x;                       // one point, scaled
  std::optional<Index> pool_row;  // where it is a pool point
  double noise = 0.0;
  std::optional<double> answer;  // none: pending
  Index place = 0;               // the caller's number of the place
};

/// The linear algebra behind GpPoolBelief: the factor of all rows, and the pool in tiles (math.md 2.4, 7).
///
/// Everything it holds is a function of the rows and their answers, bit for bit, whatever order the answers
/// came in and whatever rows there were in between.
class TiledPosterior {
 public:
  TiledPosterior(Prior prior, const Points& pool, int threads);

  const Marginals& marginals() const { return marginals_; }
  const std::vector<FactorRow>& rows() const { return rows_; }
  Index size() const { return factor_.size(); }
  Index jittered() const;

  /// A row of its own for this annotation; throws std::invalid_argument where it cannot be one.
  FactorRow row(const Place& place, const Channel& channel, std::optional<double> answer) const;

  /// One row more: O(n M).
  void append(const FactorRow& row);
  /// The rows from `first` on are replaced by these: O(n M) and O(n M) for each of them.
  void replace_from(Index first, const std::vector<FactorRow>& rows);
  /// The answer to a pending row: O(p n^2 + n M) with p rows still pending.
  void answer(Index row, double value);

 private:
  // Some columns of V = L^-1 K(X, pool).
  struct Tile {
    Index begin = 0;        // first pool row
    Points points;          // scaled
    std::vector<double> v;  // rows of V, one per factor row seen
    Index seen = 0;

    Index width() const { return points.rows(); }
  };

  void extend(const FactorRow& row);
  void catch_up(Tile& tile);
  void fold(Tile& tile, Index from, Index to);
  void cut(Index size);
  void update_means();
  double z_entry(const Vector& l, double diagonal, const std::optional<double>& answer) const;
  void impute(Index last_answered, const std::vector<Index>& pending);
  template <typename Task>
  void for_each_tile(const Task& task);

  Prior prior_;
  int threads_ = 1;
  std::vector<Tile> tiles_;
  Marginals marginals_;

  std::vector<FactorRow> rows_;
  std::vector<char> jittered_;  // which those are
  Points points_;               // of the rows; may have more than there are
  numerics::GrowingFactor factor_;
  Vector z_;  // L^-1 (answers - mean), pending answers imputed
};

}  // namespace acuity
