#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "views/policy_curves.hpp"

namespace acuity {

/// What the money is expected to buy: each policy tried on truths drawn from what is believed now, going on
/// from what is known now. That is the study's prior and nothing, what campaign.initial knows, or where a
/// campaign stands.
struct Forecast {
  std::vector<PolicyCurve> curves;   ///< bands from 10 to 90 % of the truths
  int repeats = 0;                   ///< truths drawn
  std::int64_t known = 0;            ///< answers that they were drawn given, and all policies begin with
  Index points = 0, pool = 0;        ///< so many of so many pool points stood in for the pool
  std::string error_measure;         ///< "root mean square error", or "share of wrong classes"
  std::string unit;                  ///< of money; may be empty
  std::vector<std::string> remarks;  ///< what a person should know
};

/// Shares of the repeats between which the band lies.
inline constexpr double forecast_low = 0.1, forecast_high = 0.9;
/// Of larger pools so many rows, evenly spread, stand in for all.
inline constexpr Index forecast_points = 300;

/// The study as the forecast tries it: part of the pool.
Study forecast_study(const Study& study);

/// `options.before` is made here. Nothing where it was stopped. Throws InputError where the study has no
/// budget.
std::optional<Forecast> forecast(const Study& study, const TrialOptions& options);
/// On from where the campaign stands; what is pending counts as not asked for.
std::optional<Forecast> forecast(const Campaign& campaign, const TrialOptions& options);

/// "the prior", or "what is believed after 12 answers".
std::string drawn_from(const Forecast& forecast);

/// For people: a heading, ten amounts of money, and for each policy the median and the band.
std::string forecast_text(const Forecast& forecast);

}  // namespace acuity
