#include "judgement/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "annotation/prior_truth.hpp"
#include "base/text.hpp"
#include "campaign/state_queries.hpp"
#include "explain/replay_on_subset.hpp"
#include "study/sought.hpp"
#include "text/level_text.hpp"
#include "text/number_text.hpp"

namespace acuity {

namespace {

std::vector<Index> spread_rows(Index pool) {
  const Index count = std::min(pool, forecast_points);
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) rows.push_back(i * pool / count);
  return rows;
}

std::vector<std::string> remarks_on(const Forecast& made) {
  std::vector<std::string> remarks;
  if (made.points < made.pool)
    remarks.push_back(
        fmt::format("{} of the {} pool points, evenly spaced, represent the pool", made.points, made.pool));
  return remarks;
}

// Policies that have bought all points of the sample although the pool has more; the rest of their curve is
// too high.
std::vector<std::string> sold_out(const std::vector<PolicyTrial>& trials) {
  std::vector<std::string> policies;
  for (const PolicyTrial& trial : trials) {
    const std::string name = policy_name(trial.policy);
    if (trial.sold_out && (policies.empty() || policies.back() != name)) policies.push_back(name);
  }
  return policies;
}

// What is assumed about the error of every level with bias.
std::vector<std::string> remarks_on_bias(const Study& tried, const Offer& offer) {
  std::vector<std::string> remarks;
  if (!tried.file().has_bias()) return remarks;
  for (const Level& level : offer.levels) {
    if (!level.bias.any()) continue;
    remarks.push_back(fmt::format(
        "{} is assumed to be off by an offset (sd {:.3g}) and a smooth difference (sd {:.3g}), drawn with "
        "every "
        "truth, and a white part (sd {:.3g}) that is new {}{}",
        describe_in_sentence(level), level.bias.offset_sd, level.bias.smooth_sd,
        std::sqrt(noise_variance(level.channel)),
        level.repeats_itself ? "at every point and the same if asked again" : "at every answer",
        level.bias.learned() ? "; these sizes are what is known of them now, campaigns learn them anew"
                             : ""));
  }
  if (tried.file().limit_is_reference()) {
    remarks.push_back("the error is that of f, at the limit of the mesh");
    return remarks;
  }
  remarks.push_back(
      fmt::format("the error is that of f, what {} would answer without noise",
                  describe_in_sentence(offer.levels[static_cast<std::size_t>(tried.reference_level())])));
  return remarks;
}

StudyModel model_of(const Study& tried, const State& before) {
  return StudyLearner(tried).model_given(annotations_of(tried, before), learned_of(tried, before));
}

// Without annotations the scale of the inputs may not be known yet; that constructor handles it.
PriorTruth truths_given(const Study& tried, const State& before) {
  if (before.annotations() == 0) return PriorTruth(tried);
  return {tried, model_of(tried, before)};
}

// A simple rule that ends with a clearly smaller error than the study's own.
std::string remark_on_simple_policies(const Forecast& made, const Study& study) {
  constexpr double clearly = 0.95;
  const PolicyCurve& own = made.curves.front();
  const PolicyCurve* best = nullptr;
  for (const PolicyCurve& curve : made.curves)
    if ((curve.policy == Policy::cheapest || curve.policy == Policy::finest ||
         curve.policy == Policy::random || curve.policy == Policy::bald) &&
        curve.policy != own.policy && curve.median.back() < clearly * own.median.back() &&
        (best == nullptr || curve.median.back() < best->median.back()))
      best = &curve;
  if (best == nullptr) return "";
  const std::vector<Level>& levels = study.offer().levels;
  const auto by_cost = [](const Level& a, const Level& b) { return a.cost < b.cost; };
  const Level& level = best->policy == Policy::cheapest
                           ? *std::min_element(levels.begin(), levels.end(), by_cost)
                           : levels[static_cast<std::size_t>(study.offer().finest())];
  return fmt::format(
      "{} ends at {:.3g}, {} at {:.3g}: under this model it is better to buy {} only; check the noise and "
      "prices of the levels, remove the others, or name more points for the initial design",
      policy_name(best->policy), best->median.back(), policy_name(own.policy), own.median.back(),
      describe_in_sentence(level));
}

double processor_seconds() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

// `money`: where the curves end.
Forecast forecast_of(const Study& study, const Study& tried, const State& state,
                     const std::vector<PolicyTrial>& trials, int repeats, double money) {
  Forecast made{.curves = policy_curves(trials, money, forecast_low, forecast_high),
                .repeats = repeats,
                .known = state.annotations(),
                .points = tried.pool().size(),
                .pool = study.pool().size(),
                .error_measure = error_measure_of(study.file()),
                .unit = study.file().unit,
                .where = "over the pool",
                .remarks = {}};
  made.remarks = remarks_on(made);
  for (std::string& remark : remarks_on_bias(tried, model_of(tried, state).offer))
    made.remarks.push_back(std::move(remark));
  if (has_own_goal(tried)) {
    made.where = "over the points of [goal]";
    if (const Index goal = tried.goal()->size(); goal > PriorTruth::most_goal_points)
      made.remarks.push_back(fmt::format("{} of the {} points of the goal, evenly spaced, represent it",
                                         PriorTruth::most_goal_points, goal));
  } else if (study.file().goal && !study.file().goal->whole_pool()) {
    made.remarks.emplace_back("the error is over the pool, not over the points of [goal]");
  }
  if (!study.file().knows_scale() && state.annotations() == 0)
    made.remarks.push_back(fmt::format(
        "nothing is known about the size of the answers: truths with a standard deviation of {:.4g}, twice "
        "the noise of the least precise level, are assumed, so trust the order of the policies more than the "
        "errors; "
        "model.amplitude or answers that are known make it a forecast",
        assumed_spread(tried)));
  if (std::all_of(trials.begin(), trials.end(), [](const auto& trial) { return trial.annotations() == 0; }))
    made.remarks.emplace_back("nothing more can be bought: the error is the one to expect now");
  if (made.points < made.pool)
    for (const std::string& policy : sold_out(trials))
      made.remarks.push_back(fmt::format(
          "{} has bought all {} points before the money was spent; on the whole pool it would continue",
          policy, made.points));
  return made;
}

std::optional<Forecast> forecast_from(const Study& study, std::vector<Event> before, TrialOptions options,
                                      const EarlyForecast& early, const Job& job) {
  require_budget(study);
  const Study tried = forecast_study(study);
  const State state = state_of(before);
  options.before = std::move(before);
  const PriorTruth truths = truths_given(tried, state);
  const double budget = std::max(state.budget(), state.spent());
  const auto make = [&](const std::vector<PolicyTrial>& trials, int repeats) {
    return forecast_of(study, tried, state, trials, repeats, budget);
  };
  if (early) {
    using Clock = std::chrono::steady_clock;
    constexpr double longest_wait = 7.0;  // seconds, also of all processors together
    const auto is_late = [wall = Clock::now() + std::chrono::duration<double>(longest_wait),
                          cpu = processor_seconds() + longest_wait] {
      return Clock::now() >= wall || processor_seconds() >= cpu;
    };
    // If not even one trial is done by then: what the first one has reached.
    options.first_trial = [&, is_late, next_step = Clock::now()](const PolicyTrial& first) mutable {
      if (!is_late() || Clock::now() < next_step) return;
      Forecast made = forecast_of(study, tried, state, {first}, 1, first.steps.back().spent);
      made.remarks.push_back(fmt::format("so far {} of {} are spent in the first simulation",
                                         brief(first.steps.back().spent), money(budget, study.file().unit)));
      early(made);
      next_step = Clock::now() + std::chrono::seconds(1);
    };
    options.so_far = [&, is_late,
                      next = Clock::now()](const std::vector<std::optional<PolicyTrial>>& done) mutable {
      if (Clock::now() < next) return;
      std::vector<PolicyTrial> trials;
      const auto repeats = static_cast<std::size_t>(options.repeats);
      std::vector<int> counts(done.size() / repeats, 0);
      for (std::size_t k = 0; k < done.size(); ++k) {
        if (!done[k]) continue;
        trials.push_back(*done[k]);
        ++counts[k / repeats];
      }
      const auto [fewest, most] = std::minmax_element(counts.begin(), counts.end());
      if (counts.front() == 0 || (*fewest == 0 && !is_late())) return;
      early(make(at_best_level(std::move(trials)), *most));
      next = Clock::now() + std::chrono::seconds(1);
    };
  }
  const std::vector<PolicyTrial> trials = try_policies(
      tried, [&](int repeat) { return truths.draw(static_cast<std::uint32_t>(repeat)); }, options, job);
  if (trials.size() < options.policies.size() * static_cast<std::size_t>(options.repeats))
    return std::nullopt;
  Forecast made = make(trials, options.repeats);
  if (std::string remark = remark_on_simple_policies(made, study); !remark.empty())
    made.remarks.push_back(std::move(remark));
  return made;
}

std::string cell(const PolicyCurve& curve, std::size_t at, bool with_bands) {
  if (!with_bands) return fmt::format("{:.3g}", curve.median[at]);
  return fmt::format("{:.3g} ({:.3g} to {:.3g})", curve.median[at], curve.low[at], curve.high[at]);
}

}  // namespace

Study forecast_study(const Study& study) {
  StudyVariant different;
  different.rows = spread_rows(study.pool().size());
  return study.variant(different);
}

std::optional<Forecast> forecast(const Study& study, const TrialOptions& options, const EarlyForecast& early,
                                 const Job& job) {
  return forecast_from(study, initial_events_on_subset(study, spread_rows(study.pool().size())), options,
                       early, job);
}

std::optional<Forecast> forecast(const Campaign& campaign, const TrialOptions& options,
                                 const EarlyForecast& early, const Job& job) {
  const Study& study = campaign.study();
  std::optional<Forecast> made =
      forecast_from(study, replay_on_subset(campaign, spread_rows(study.pool().size())), options, early, job);
  if (const std::size_t pending = campaign.state().pending().size(); made && pending > 0)
    made->remarks.push_back(
        fmt::format("{} pending {} ignored",
                    pending == 1 ? "one suggestion that is" : fmt::format("{} suggestions that are", pending),
                    pending == 1 ? "is" : "are"));
  return made;
}

std::string drawn_from(const Forecast& forecast) {
  if (forecast.known == 0) return "the prior";
  return fmt::format("what is believed after {} answer{}", forecast.known, forecast.known == 1 ? "" : "s");
}

std::string forecast_text(const Forecast& forecast, bool with_bands) {
  constexpr std::size_t rows = 10;
  std::string text = fmt::format("forecast: {} {} against money, median{} of {} drawn from {}\n",
                                 forecast.error_measure, forecast.where, with_bands ? " and 10 to 90 %" : "",
                                 counted(forecast.repeats, "truth"), drawn_from(forecast));
  for (const std::string& remark : forecast.remarks) text += "note: " + one_line(remark) + '\n';
  std::vector<std::vector<std::string>> table{{forecast.unit.empty() ? "money" : one_line(forecast.unit)}};
  for (const PolicyCurve& curve : forecast.curves) table.front().push_back(policy_name(curve.policy));
  for (std::size_t row = 1; row <= rows; ++row) {
    const std::size_t at = row * (forecast.curves.front().money.size() - 1) / rows;
    std::vector<std::string> cells{fmt::format("{:.4g}", forecast.curves.front().money[at])};
    for (const PolicyCurve& curve : forecast.curves) cells.push_back(cell(curve, at, with_bands));
    if (cells != table.back()) table.push_back(std::move(cells));  // rows are equal if no money is left
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
