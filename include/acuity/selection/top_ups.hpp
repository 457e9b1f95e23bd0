#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/level.hpp"
#include "acuity/data/top_up.hpp"

namespace acuity ACUITY_PUBLIC {

/// Whether answers of this level may be continued to a finer one, and answers of another be continued to it:
/// their error must be noise that averages out.
bool can_be_continued(const Level& level);

/// The runs that may be continued (docs/math.md 17.5), in the order in which their answers were added.
class TopUps {
 public:
  bool empty() const { return all_.empty(); }
  const std::vector<TopUp>& all() const { return all_; }

  /// Adds what an answer may be continued to: every level with `tops_up` that has less noise there and a
  /// higher price.
  void add(const HeldAnswer& answer, const Offer& offer);
  /// The answer of this suggestion cannot be continued any more: it is being continued, or was replaced.
  void remove(std::int64_t from);
  /// Nothing at this point (at this level) is continued, now or later.
  void exclude(Index point, std::optional<Index> level);
  /// Those of some points, which are numbered as in this list.
  TopUps of_points(const std::vector<Index>& points) const;
  /// Those of `count` points from `first` on, which are numbered from 0 on.
  TopUps of_part(Index first, Index count) const;

 private:
  bool is_excluded(Index point, Index level) const;

  std::vector<TopUp> all_;
  std::set<std::pair<Index, Index>> excluded_;  // level -1: at every level
};

}  // namespace acuity ACUITY_PUBLIC
