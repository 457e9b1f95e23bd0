#include "views/campaign_course.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "acuity/model/learn.hpp"
#include "annotation/truth_table.hpp"
#include "campaign/campaign_model.hpp"
#include "data/quantile.hpp"
#include "judgement/held_out_scores.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

constexpr std::int64_t fewest_answers = 3;

// The cost of a posterior is cubic in the number of answers: with many they are fewer, and stay the same
// while the log grows, so that most have been measured before.
std::set<std::int64_t> moments(std::int64_t answers) {
  std::set<std::int64_t> chosen;
  if (const std::int64_t step = course_step(answers); step > 0) {
    for (std::int64_t at = step; at < answers; at += step) chosen.insert(at);
    chosen.insert(answers);
    return chosen;
  }
  constexpr std::int64_t count = 20;
  for (std::int64_t k = 1; k <= count; ++k)
    if (const std::int64_t at = answers * k / count; at >= fewest_answers) chosen.insert(at);
  return chosen;
}

// As the stop rule has it, but of a large pool a sample.
double predictive_sd(const Study& study, const CampaignModel& model) {
  const auto sd_at = [&](const PointsRef& points) -> Vector {
    return model.posterior().predict(points).variance.cwiseMax(0.0).cwiseSqrt();
  };
  if (has_own_goal(study)) return study.goal()->weights.dot(sd_at(study.goal()->points));
  return sd_at(spread_sample(study.pool().points())).mean();
}

CoursePoint measured(const Study& study, const State& state, const CampaignModel& model,
                     const std::optional<HeldOut>& test) {
  CoursePoint point{.spent = state.spent(), .answers = state.annotations()};
  if (study.file().stop.predictive_sd) point.predictive_sd = predictive_sd(study, model);
  if (const auto error = typical_error(study, model)) point.typical = error->size;
  if (has_own_goal(study))
    point.at_goal = model.posterior().predicted_error(study.goal()->points, study.goal()->weights);
  if (test && study.file().target->is_real()) {
    // As the verdict has it, so that the two cannot contradict each other.
    const HeldOutScores scores =
        held_out_scores(study, model, model.posterior().predict(test->points), *test, TableNoise::finest);
    point.error = scores.error_size();
    point.expected = scores.claimed_size();
    return point;
  }
  const PredictionError error =
      test ? model.posterior().error_at(test->points, test->values) : model.posterior().leave_one_out_error();
  point.error = error.actual;
  point.expected = error.predicted;
  return point;
}

FitPoint fit_point(const Study& study, const Fitted& fitted) {
  FitPoint point{.answers = fitted.annotations, .mean = fitted.mean};
  const std::vector<Input>& inputs = study.pool().columns();
  const auto categories =
      static_cast<std::size_t>(std::count_if(inputs.begin(), inputs.end(), [](const Input& input) {
        return input.is_category() && !input.similarity;
      }));
  const std::size_t parameters = fitted.log_parameters.size();
  for (std::size_t k = 0; k < parameters; ++k) {
    const double value = std::exp(fitted.log_parameters[k]);
    if (k > 0 && k + categories >= parameters)
      point.similarities.push_back(CategoryFactor{.input = 0, .lengthscale = value}.similarity());
    else
      (k == 0 ? point.amplitude : point.lengthscales.emplace_back()) = value;
  }
  if (!study.file().fit.noise) return point;
  if (!study.file().target->has_noise()) {
    point.kappa = fitted.kappa;
    point.gamma = fitted.gamma;
    return point;
  }
  // If sigma^2(x) is 0, its scale was not learned.
  const double noise = median_of(study.offer().base_noise.all());
  if (noise > 0.0) point.noise = fitted.base_scale * noise;
  if (study.is_ladder()) point.gamma = fitted.added_scale * study.file().ladder->law.gamma;
  return point;
}

// Extrapolates the rate of the second half of the spending, because the first answers of a campaign, and
// those before a break, come at another rate.
// What is reserved is not free.
std::optional<double> projected_end(const std::vector<MoneyPoint>& money, const State& state) {
  const double left = free_money(state);
  if (money.size() < 4 || !std::isfinite(left) || left <= 0.01 * state.budget()) return std::nullopt;
  const MoneyPoint& middle = money[money.size() / 2];
  const MoneyPoint& last = money.back();
  const double pace = (last.spent - middle.spent) / (last.time - middle.time);
  if (!(pace > 0.0) || !std::isfinite(pace)) return std::nullopt;
  return last.time + left / pace;
}

}  // namespace

std::int64_t course_step(std::int64_t answers) {
  constexpr std::int64_t many = 1000, most_points = 16;
  if (answers <= many) return 0;
  std::int64_t step = many / 8;
  while (answers / step >= most_points) step *= 2;
  return step;
}

CampaignCourse course_of(const Campaign& campaign, const std::optional<HeldOut>& test,
                         const LevelGroups& groups, CourseErrors errors, const KnownForCourse& known) {
  const Study& study = campaign.study();
  const std::set<std::int64_t> wanted =
      errors == CourseErrors::measured ? moments(campaign.state().annotations()) : std::set<std::int64_t>();
  auto next = wanted.begin();
  CampaignCourse found;
  found.spending.push_back({0, std::vector<double>(groups.names.size(), 0.0)});
  MeasuredCourse none;
  std::map<std::int64_t, CoursePoint>& measured_before =
      (known.measured != nullptr ? *known.measured : none).after_changes(campaign.state().changes().size());
  State state;
  double spent = 0.0;
  for (const StoredEvent& stored : campaign.events()) {
    state.apply(stored);
    if (state.spent() != spent || found.money.empty())
      found.money.push_back({stored.time - state.created_at(), spent = state.spent()});
    if (const auto* fitted = std::get_if<Fitted>(&stored.event))
      found.fits.push_back(fit_point(study, *fitted));
    const auto* told = std::get_if<Told>(&stored.event);
    if (told == nullptr) continue;
    found.spent_at[told->id] = state.spent();
    SpendPoint paid = found.spending.back();
    paid.time = stored.time - state.created_at();
    if (!state.find(told->id)->asked.gold) paid.answers += static_cast<std::int64_t>(told->values.size());
    // Failed attempts at this suggestion are included, as in the total of its level.
    paid.spent[groups.of_suggestion[static_cast<std::size_t>(told->id - 1)]] += state.find(told->id)->charged;
    found.spending.push_back(std::move(paid));
    if (next == wanted.end() || state.annotations() < *next) continue;
    while (next != wanted.end() && *next <= state.annotations()) ++next;
    if (next == wanted.end()) {  // the last point is measured below
      found.errors.emplace_back();
      continue;
    }
    auto point = measured_before.find(state.sequence());
    if (point == measured_before.end())
      point =
          measured_before.emplace(state.sequence(), measured(study, state, CampaignModel(study, state), test))
              .first;
    found.errors.push_back(point->second);
  }
  // Before the study was changed there may have been other hyperparameters.
  if (!found.fits.empty())
    std::erase_if(found.fits, [count = found.fits.back().lengthscales.size()](const FitPoint& fit) {
      return fit.lengthscales.size() != count;
    });
  // The last point includes what was learned after the last answer.
  if (!found.errors.empty())
    found.errors.back() = known.model != nullptr ? measured(study, campaign.state(), *known.model, test)
                                                 : measured(study, campaign.state(),
                                                            CampaignModel(study, campaign.state()), test);
  found.projected_end = projected_end(found.money, campaign.state());
  return found;
}

}  // namespace acuity
