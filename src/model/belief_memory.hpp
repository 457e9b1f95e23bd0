#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "acuity/data/points.hpp"
#include "acuity/model/prior.hpp"

namespace acuity {

class PoolTiles;

/// What a belief about a pool has computed, for a later belief about the same pool under the same prior,
/// perhaps with more annotations: rows of the factor, which have the same bits whoever computes them, and
/// bounds of the variances, by which a search leaves out most of the pool.
struct BeliefMemory {
  std::shared_ptr<const void> owner;  ///< keeps the numbers alive
  struct Sizes {
    std::uint64_t prior = 0;  ///< prior_key() of the belief
    std::int64_t rows = 0, inputs = 0, pool = 0;
  };
  Sizes of;
  const double* points = nullptr;  ///< of the rows, scaled
  const double* noise = nullptr;
  const std::int64_t* pool_rows = nullptr;  ///< -1: none
  const char* jittered = nullptr;
  const double* factor = nullptr;  ///< packed
  const double* bounds = nullptr;  ///< of the variance at every pool point, given these rows; null: unknown
};

/// While it lives, a belief about a pool that this thread builds begins with this memory, if it fits. What
/// the belief says does not depend on it.
class RememberedBelief {
 public:
  explicit RememberedBelief(std::shared_ptr<const BeliefMemory> memory);
  ~RememberedBelief();
  RememberedBelief(const RememberedBelief&) = delete;
  RememberedBelief& operator=(const RememberedBelief&) = delete;

  /// The one of this thread; null if there is none.
  static const BeliefMemory* current();

 private:
  std::shared_ptr<const BeliefMemory> before_;
};

/// Of a pool and the covariances under a prior, by what they are at some of its points; also of the
/// instruction set, on which their last bits depend.
std::uint64_t prior_key(const Prior& prior, const PoolTiles& tiles);

/// A memory in parts, in which it can be stored, and the memory that is stored in them; nothing if they are
/// none.
std::vector<std::string_view> parts_of(const BeliefMemory& memory);
std::shared_ptr<const BeliefMemory> memory_in(const std::vector<std::string_view>& parts,
                                              std::shared_ptr<const void> owner);

}  // namespace acuity
