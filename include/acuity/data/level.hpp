#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/channel.hpp"
#include "acuity/data/level_bias.hpp"
#include "acuity/data/point_values.hpp"

namespace acuity ACUITY_PUBLIC {

/// The value of a level that is passed to annotators unchanged.
using LevelValue = std::variant<std::string, double, std::int64_t, bool>;

/// How the answers of a level are related to f, besides noise.
enum class LevelRelation {
  noise,       ///< they are f
  difference,  ///< f and an error (docs/math.md 12)
  any,         ///< f is any function of the inputs and of them (docs/math.md 12.7)
  learn        ///< the last two, weighed by how well they predict the answers of the reference level
};

/// One precision on offer.
struct Level {
  std::string name;             ///< price lists; empty on a ladder
  std::optional<double> alpha;  ///< ladders; may be infinite
  /// Gaussian: noise on top of the point's own sigma^2(x). Flip: the probabilities of being right.
  Channel channel;
  double cost = 1.0;  ///< expected, if answers reported what they cost; else as the study declares it
  /// Reserved for an answer while it is pending, if it is more than `cost`: reported costs vary.
  double reserve = 0.0;
  bool cost_depends_on_inputs = false;  ///< the cost is a guess until answers report what they cost
  bool repeats_itself = false;          ///< asking again gives the same answer: never bought twice at a point
  bool exact = false;                   ///< the study states that a total noise of zero is intended
  bool tops_up =
      false;  ///< may continue the run of a coarser level's answer, at the difference of the prices
  /// How its answers differ from those of the reference level besides noise. The channel then has a number
  /// for it. If it is learned, the noise of the channel is the declared error, of which the white part is a
  /// share.
  LevelBias bias = {};
  LevelRelation relation = LevelRelation::noise;  ///< another one at levels with a bias only
  bool is_retired = false;  ///< price lists: not for sale any more; its answers still count
  bool is_reference =
      false;  ///< price lists: what all other levels differ from, and f means; of meshes perhaps none
  std::int64_t units = 1;  ///< what an answer takes of the capacity of a batch
  /// Classes, price lists: the accuracy is learned, and that of the channel a guess worth so many answers; 0:
  /// it is given.
  double accuracy_weight = 0.0;
  bool accuracy_by_class = false;  ///< two numbers are learned, one per class, each worth half of the weight
  LevelValue value;

  /// What must be left of the budget to ask for an answer.
  double reserved() const { return std::max(cost, reserve); }
};

/// What the answers of a level are expected to cost at every point of a pool, and what is reserved for them.
struct PointCosts {
  PointValues expected, reserved;
};

/// How likely the runs of one level succeed at every point of a pool, and what one costs that does not
/// (docs/math.md 21).
struct RunSuccess {
  PointValues probability;
  std::optional<double> cost_of_failure = std::nullopt;  ///< absent: the cost of an answer
};

/// What can be bought at every point of a pool: the levels, and the noise that no level removes.
struct Offer {
  std::vector<Level> levels;
  PointValues base_noise;  ///< sigma^2(x), one per pool point (zeros for classification)
  /// One per level if the costs of a level depend on the inputs, otherwise empty. Levels whose costs do not
  /// have empty ones; the cost of those that do is a mean.
  std::vector<PointCosts> point_costs = {};

  /// One per level if choices count with runs that fail, otherwise empty: every run succeeds.
  std::vector<RunSuccess> success = {};

  bool has_point_costs() const { return !point_costs.empty(); }
  bool has_failures() const { return !success.empty(); }
  /// Whether the same level may rank differently at two points of the same information.
  bool differs_by_point() const { return has_point_costs() || has_failures(); }
  /// What an answer at a pool point is expected to cost, and what must be left of the budget to ask for it.
  double cost(Index point, Index level) const;
  double reserved(Index point, Index level) const;
  /// The least that must be left of the budget to ask for an answer at this level somewhere.
  double least_reserved(Index level) const;
  /// The probability that a run succeeds, as choices count with it: at the likeliest level of a point at
  /// least a tenth, so that every region is tried again (docs/math.md eq. (21.2)).
  double chance(Index point, Index level) const;
  /// What a run is expected to cost, be it answered or not: the denominator of docs/math.md eq. (21.2).
  double cost_of_run(Index point, Index level) const;
  /// These points as a separate pool.
  Offer at(const std::vector<Index>& points) const;
  /// Consecutive points as a separate pool.
  Offer part(Index first, Index count) const;

  /// The channel of an annotation of pool point `point` at `level`.
  Channel channel(Index point, Index level) const;

  /// The level of highest precision that is for sale, of those without bias if there are any; of several, the
  /// cheapest, then the first.
  Index finest() const;
};

/// The channel of a level at a point whose own noise is `base_noise`.
Channel channel_at(const Level& level, double base_noise);

}  // namespace acuity ACUITY_PUBLIC
