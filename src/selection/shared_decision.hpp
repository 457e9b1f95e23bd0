#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "acuity/acquisition/acquisition.hpp"
#include "acuity/data/shared_pool.hpp"

namespace acuity {

/// What processes that share a pool decide together, each from the candidates of its own part (docs/math.md
/// 6.6). Every function must be called by all of them. The arguments that they call may throw: then all
/// processes throw. A process that has the whole pool sends no messages.
class SharedDecision {
 public:
  SharedDecision(SharedPool pool, const PoolShard& shard) : pool_(std::move(pool)), shard_(shard) {}

  bool has_rows() const { return shard_.rows > 0; }

  /// The best candidate of a process, and its first one that ties with the best of all processes. Points are
  /// those of the shard.
  struct Finalists {
    std::optional<Score> leader = std::nullopt;
    std::function<std::optional<Score>(const Score& best)> first_tied = nullptr;
  };

  /// The candidate of the lowest row that ties with the best of all, by two exact reductions. Its point is a
  /// row of the whole pool.
  std::optional<Score> choose(const std::function<Finalists()>& search);

  /// The best of the leaders, of which `value` and `order` are set.
  std::optional<Score> best(const std::function<std::optional<Score>()>& leader);

  /// The scores of all processes, in the order of the pool; their points are rows of the whole pool. Only
  /// point, value and order are set.
  std::vector<Score> gather(const std::function<std::vector<Score>()>& scores);

  /// A point and its random key; the lowest key is drawn.
  struct Drawn {
    Index point = 0;
    std::uint64_t key = 0;
  };
  /// The point of the lowest key, a row of the whole pool.
  std::optional<Drawn> lowest(const std::function<std::optional<Drawn>()>& drawn);
  /// What the process that has this row of the whole pool computes of it; its point is a row of the shard,
  /// that of the result one of the whole pool.
  std::optional<Score> from_owner(Index row, const std::function<std::optional<Score>(Index local)>& score);

  /// The rows of the shard that are these rows of the whole pool.
  std::vector<Index> local(const std::vector<Index>& rows) const;

 private:
  SharedPool pool_;
  PoolShard shard_;
};

}  // namespace acuity
