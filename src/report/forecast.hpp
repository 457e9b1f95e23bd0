#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/policy_curves.hpp"

namespace acuity {

/// What the money is expected to buy, before anything is bought: each policy tried on truths drawn from the
/// study's prior.
struct Forecast {
  std::vector<PolicyCurve> curves;  ///< bands from 10 to 90 % of the truths
  int repeats = 0;                  ///< truths drawn
  Index points = 0, pool = 0;       ///< so many of so many pool points stood in for the pool
  bool binary = false;
  std::string unit;                  ///< of money; may be empty
  std::vector<std::string> remarks;  ///< what a person should know
};

/// Shares of the repeats between which the band lies.
inline constexpr double forecast_low = 0.1, forecast_high = 0.9;
/// Of larger pools so many rows, evenly spread, stand in for all.
inline constexpr Index forecast_points = 300;

/// The study as the forecast tries it: part of the pool, nothing known before.
Study forecast_study(const Study& study);

/// Nothing where it was stopped. Throws InputError where the study has no budget.
std::optional<Forecast> forecast(const Study& study, const TrialOptions& options);

/// "root mean square error", or "share of wrong classes".
std::string error_measure(bool binary);

/// For people: a heading, ten amounts of money, and for each policy the median and the band.
std::string forecast_text(const Forecast& forecast);

}  // namespace acuity
