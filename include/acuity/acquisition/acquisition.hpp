#pragma once

#include <cmath>
#include <cstdint>
#include <memory>

#include "acuity/acquisition/information.hpp"
#include "acuity/base/public.hpp"
#include "acuity/data/top_up.hpp"

namespace acuity ACUITY_PUBLIC {

/// The quantity by which candidates are ranked.
enum class Ranking {
  information_per_cost,  ///< every level competes
  information,           ///< BALD: the highest precision only, its cost ignored
  random                 ///< a seeded draw; the highest precision only
};

/// How the next annotation is chosen: the information measure, and how candidates are ranked.
struct Acquisition {
  std::shared_ptr<const Information> information = std::make_shared<ModelInformation>();
  Ranking ranking = Ranking::information_per_cost;
  std::uint64_t seed = 0;  ///< for random choice
  /// If present and candidates are ranked by information per cost: a range of precisions that replaces the
  /// offer's levels.
  std::optional<ContinuousPrecision> continuous;
  /// If present and candidates are ranked by information per cost: the only level of the offer that competes.
  std::optional<Index> only_level = std::nullopt;
  /// If candidates are ranked by information per cost: lambda of docs/math.md eq. (17.2), in [0, 1].
  /// Candidates are then ranked by I - lambda * rho * C, rho the best information per cost now. 1: by
  /// information per cost itself; 0: by information alone. plan_budget() finds the best one for the money
  /// left.
  double price_weight = 1.0;

  bool finest_only() const { return ranking != Ranking::information_per_cost; }
  bool has_price_weight() const { return ranking == Ranking::information_per_cost && price_weight != 1.0; }
};

/// One candidate annotation and its score. Candidates are ranked by `value`.
struct Score {
  Index point = 0;
  Index level = 0;
  double information = 0.0;
  double cost = 0.0;
  double value = 0.0;
  double order = 0.0;                          ///< decides between infinite values, larger first
  std::optional<Precision> precision;          ///< if it is not one of the offer's levels
  std::optional<TopUp> top_up = std::nullopt;  ///< if it continues the run of an answer

  double information_per_cost() const { return information / cost; }
};

/// The value that candidates are ranked by. `draw` is the candidate's random key.
inline double merit(Ranking ranking, double information, double cost, std::uint64_t draw) {
  if (ranking == Ranking::information_per_cost) return information / cost;
  if (ranking == Ranking::information) return information;
  return -std::ldexp(static_cast<double>(draw), -64);  // the smallest key is drawn first
}

/// The value of a candidate if candidates are ranked by information per cost or, at a shadow price of money,
/// by information less cost times price (docs/math.md eq. (17.2)).
inline double value_for_money(double information, double cost, std::optional<double> shadow_price) {
  return shadow_price ? information - *shadow_price * cost : information / cost;
}

/// The level of a score: one of the offer's, with the amount that is reserved for this score, or the
/// precision between them that was chosen.
Level level_of(const Score& score, const Offer& offer, const Acquisition& acquisition);

/// The channel of an answer that tells as much as the answer to this score will: its own, or, if it continues
/// the run of another answer, that of the difference.
Channel added_channel(const Score& score, const Offer& offer, const Acquisition& acquisition);

/// Values that differ by no more than this share of the best are tied (docs/math.md 5.2).
inline constexpr double tie_tolerance = 1e-9;

/// The tie rule (docs/math.md 5.2): whether a candidate of this value ties with the best. `charged`: what was
/// subtracted for its cost if candidates are ranked by I - lambda * rho * C (docs/math.md eq. (17.3)).
bool ties_with(const Score& best, double value, double order, double charged = 0.0);

}  // namespace acuity ACUITY_PUBLIC
