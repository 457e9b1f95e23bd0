#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "explain/policy_curves.hpp"

namespace acuity {

/// The expected result of spending the budget: each policy is simulated on truths drawn from the current
/// posterior and starts from the current annotations. These are the study's prior without annotations, the
/// annotations of campaign.initial, or the state of a campaign.
struct Forecast {
  std::vector<PolicyCurve> curves;      ///< bands from 10 to 90 % of the truths
  int repeats = 0;                      ///< truths drawn, of which some policies may have tried fewer so far
  std::int64_t known = 0;               ///< answers that they were drawn given, and all policies begin with
  Index points = 0, pool = 0;           ///< so many of so many pool points stood in for the pool
  std::string error_measure;            ///< "root mean square error", or "share of wrong classes"
  std::string unit;                     ///< of money; may be empty
  std::string where = "over the pool";  ///< the error is measured; or "over the points of [goal]"
  std::vector<std::string> remarks;     ///< remarks for the user
};

/// Quantiles of the repeats that bound the band.
inline constexpr double forecast_low = 0.1, forecast_high = 0.9;
/// Larger pools are represented by this many rows, evenly spaced.
inline constexpr Index forecast_points = 300;

/// The study with the part of the pool that the forecast uses.
Study forecast_study(const Study& study);

/// Gets the forecast of the trials done so far, at most once a second: as soon as every policy has been
/// tried, and after seven seconds, of the clock or of all processors together, also if only some have, or if
/// the first trial is still under way. Calls do not overlap.
using EarlyForecast = std::function<void(const Forecast&)>;

/// Forecast for a new campaign. `options.before` is overwritten. Returns nothing if it was stopped. Throws
/// InputError if the study has no budget. The processes of a job share the trials (try_policies).
std::optional<Forecast> forecast(const Study& study, const TrialOptions& options,
                                 const EarlyForecast& early = {}, const Job& job = {});
/// Forecast from the current state of a campaign; pending suggestions are ignored.
std::optional<Forecast> forecast(const Campaign& campaign, const TrialOptions& options,
                                 const EarlyForecast& early = {}, const Job& job = {});

/// "the prior", or "what is believed after 12 answers".
std::string drawn_from(const Forecast& forecast);

/// The forecast as text: a heading, ten amounts of money, and for each policy the median and the band.
/// Without bands it fits on a terminal.
std::string forecast_text(const Forecast& forecast, bool with_bands = true);

}  // namespace acuity
