#include "report/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "annotation/prior_truth.hpp"

namespace acuity {

namespace {

std::vector<Index> spread_rows(Index pool) {
  const Index count = std::min(pool, forecast_points);
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) rows.push_back(i * pool / count);
  return rows;
}

double cost_of_known(const Study& study) {
  double cost = 0.0;
  if (!study.file().initial.file.empty())
    for (const Annotation& known : study.read_annotations(study.file().initial.file)) cost += known.cost;
  return cost;
}

std::vector<std::string> remarks_on(const Study& study, const Forecast& made) {
  std::vector<std::string> remarks;
  if (made.points < made.pool)
    remarks.push_back(fmt::format("{} of the {} pool points, evenly spread, stand in for the pool",
                                  made.points, made.pool));
  if (!study.file().initial.file.empty())
    remarks.push_back(fmt::format("what {} knows is left out, and what it has cost is taken from the budget",
                                  study.file().initial.file.filename().string()));
  return remarks;
}

// A sample may be bought up where the pool would not be; then the rest of the curve is too high.
std::vector<std::string> sold_out(const Study& tried, const std::vector<PolicyTrial>& trials) {
  std::vector<std::string> policies;
  for (const PolicyTrial& trial : trials) {
    const bool all = !tried.file().repeat && static_cast<Index>(trial.annotations()) >= tried.pool().size();
    const std::string name = policy_name(trial.policy);
    if (all && (policies.empty() || policies.back() != name)) policies.push_back(name);
  }
  return policies;
}

std::string cell(const PolicyCurve& curve, std::size_t at) {
  return fmt::format("{:.3g} ({:.3g} to {:.3g})", curve.median[at], curve.low[at], curve.high[at]);
}

}  // namespace

Study forecast_study(const Study& study) {
  StudyVariant different{.information = {},
                         .only_level = {},
                         .seed = {},
                         .budget = {},
                         .initial = {},
                         .stop = {},
                         .rows = spread_rows(study.pool().size())};
  if (!study.file().initial.file.empty()) different.initial = InitialSetting{};
  if (study.file().budget) different.budget = std::max(0.0, *study.file().budget - cost_of_known(study));
  return study.variant(different);
}

std::optional<Forecast> forecast(const Study& study, const TrialOptions& options) {
  const Study tried = forecast_study(study);
  const PriorTruth prior(tried);
  const std::vector<PolicyTrial> trials = try_policies(
      tried, [&](int repeat) { return prior.draw(static_cast<std::uint32_t>(repeat)); }, options);
  if (trials.size() < options.policies.size() * static_cast<std::size_t>(options.repeats))
    return std::nullopt;
  Forecast made{.curves = policy_curves(trials, *tried.file().budget, forecast_low, forecast_high),
                .repeats = options.repeats,
                .points = tried.pool().size(),
                .pool = study.pool().size(),
                .binary = study.file().binary,
                .unit = study.file().unit,
                .remarks = {}};
  made.remarks = remarks_on(study, made);
  if (made.points < made.pool)
    for (const std::string& policy : sold_out(tried, trials))
      made.remarks.push_back(fmt::format(
          "{} has bought all {} points before the money was spent; in the whole pool it would go on", policy,
          made.points));
  return made;
}

std::string error_measure(bool binary) {
  return binary ? "share of wrong classes" : "root mean square error";
}

std::string forecast_text(const Forecast& forecast) {
  constexpr std::size_t rows = 10;
  std::string text = fmt::format(
      "forecast: {} over the pool against money, median and 10 to 90 % of {} truths drawn from the prior\n",
      error_measure(forecast.binary), forecast.repeats);
  for (const std::string& remark : forecast.remarks) text += "note: " + remark + '\n';
  std::vector<std::vector<std::string>> table{{forecast.unit.empty() ? "money" : forecast.unit}};
  for (const PolicyCurve& curve : forecast.curves) table.front().push_back(policy_name(curve.policy));
  for (std::size_t row = 1; row <= rows; ++row) {
    const std::size_t at = row * (forecast.curves.front().money.size() - 1) / rows;
    table.push_back({fmt::format("{:.4g}", forecast.curves.front().money[at])});
    for (const PolicyCurve& curve : forecast.curves) table.back().push_back(cell(curve, at));
  }
  for (const std::vector<std::string>& row : table) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      std::size_t width = 0;
      for (const auto& other : table) width = std::max(width, other[k].size());
      line += fmt::format("{}{:>{}}", k == 0 ? "" : "  ", row[k], width);
    }
    text += line + '\n';
  }
  return text;
}

}  // namespace acuity
