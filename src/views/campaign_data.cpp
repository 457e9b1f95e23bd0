#include "views/campaign_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "campaign/campaign_model.hpp"
#include "campaign/state_queries.hpp"
#include "explain/break_even_criterion.hpp"
#include "judgement/failing_runs.hpp"
#include "judgement/held_out_scores.hpp"
#include "judgement/purchase_certificate.hpp"
#include "judgement/sought_report.hpp"
#include "model/structure_text.hpp"
#include "store/worker_name.hpp"
#include "text/input_text.hpp"
#include "text/level_text.hpp"
#include "text/number_text.hpp"
#include "text/sentence.hpp"
#include "views/averaged_belief.hpp"
#include "views/belief_views.hpp"
#include "views/campaign_course.hpp"
#include "views/campaign_text.hpp"
#include "views/campaign_warnings.hpp"
#include "views/level_groups.hpp"
#include "views/plan_text.hpp"

namespace acuity {

namespace {

std::vector<LevelTotal> level_totals(const State& state, const LevelGroups& groups) {
  std::vector<LevelTotal> totals;
  for (const std::string& name : groups.names) totals.push_back({.name = name});
  for (const SuggestionRecord& record : state.suggestions()) {
    if (!record.told) continue;
    LevelTotal& total = totals[groups.of_suggestion[static_cast<std::size_t>(record.asked.id - 1)]];
    (record.asked.gold ? total.gold : total.answers) += static_cast<std::int64_t>(record.values.size());
    total.spent += record.charged;
  }
  return totals;
}

std::vector<FailedPlace> failed_places(const Study& study, const State& state) {
  std::vector<FailedPlace> places;
  std::map<Index, std::size_t> at;
  for (const SuggestionRecord& record : state.suggestions()) {
    const bool failed =
        !record.cannot_tell && (record.status == SuggestionStatus::failed || record.failure_charge > 0.0);
    const Index row = record.asked.row;
    if (failed && row >= 0) {
      const auto [found, is_new] = at.emplace(row, places.size());
      if (is_new)
        places.push_back({.row = row,
                          .point = study.pool().id(row),
                          .inputs = inputs_text(study.pool().columns(), study.pool().point(row), 4)});
      FailedPlace& place = places[found->second];
      place.last_id = record.asked.id;
      ++place.failures;
      place.cost += record.failure_charge;
      if (record.status == SuggestionStatus::failed) place.reason = record.reason;
    }
    if (const auto found = at.find(record.row()); found != at.end() && !record.values.empty())
      places[found->second].answered = true;
  }
  return places;
}

CampaignBooks books_of(const Campaign& campaign, const LevelGroups& groups) {
  const State& state = campaign.state();
  const Study& study = campaign.study();
  return {.name = state.created().name,
          .unit = state.created().unit,
          .target = TargetView::of(*study.file().target),
          .error_measure = std::string(study.file().target->error_measure()),
          .inputs = study.pool().inputs(),
          .columns = study.pool().columns(),
          .created_at = state.created_at(),
          .budget = state.budget(),
          .spent = state.spent(),
          .escrow = state.escrow(),
          .free = free_money(state),
          .pending = static_cast<std::int64_t>(state.pending().size()),
          .failed = state.failed(),
          .excluded = static_cast<std::int64_t>(state.excluded().size()),
          .pool = study.pool().size(),
          .levels = level_totals(state, groups),
          .changes = state.changes(),
          .failures = failed_places(study, state)};
}

// The standard deviation of the noise, or the probability of a wrong class.
double noise_of(const Channel& channel) {
  if (const auto* flip = std::get_if<FlipChannel>(&channel)) return 1.0 - flip->accuracy();
  return std::sqrt(noise_variance(channel));
}

// Predictions before the answer are computed for this many of the last answers; more would take minutes.
constexpr std::size_t most_predicted = 500;

CampaignAnswers answers_of(const Campaign& campaign, const CampaignModel& model, const LevelGroups& groups,
                           const std::map<std::int64_t, double>& spent_at) {
  const State& state = campaign.state();
  CampaignAnswers found{.all = {}, .places = {}, .last_at = state.created_at()};
  const Observations& seen = model.observations();
  const std::vector<Annotation> annotations = annotations_of(campaign.study(), state);
  const Marginals expected = model.posterior().leave_one_out();
  std::map<std::int64_t, PrequentialScore> predicted;
  for (const PrequentialScore& score : prequential_scores(campaign, most_predicted))
    predicted[score.id] = score;
  Index next = 0;
  for (const std::int64_t id : state.answered()) {
    const SuggestionRecord& record = *state.find(id);
    for (std::size_t k = 0; k < record.values.size(); ++k, ++next) {
      const Channel& channel = seen.channels()[static_cast<std::size_t>(next)];
      found.all.push_back({.id = id,
                           .point = record.row() < 0 ? "" : campaign.study().pool().id(record.row()),
                           .level = groups.of_suggestion[static_cast<std::size_t>(id - 1)],
                           .value = campaign.study().file().target->to_model(record.values[k]),
                           .cost = annotations[static_cast<std::size_t>(next)].cost,
                           .spent = spent_at.at(id),
                           .told_at = record.told_at,
                           .noise = noise_of(channel),
                           .expected = expected.mean(next),
                           .expected_sd = std::sqrt(expected.variance(next))});
      if (const auto score = predicted.find(id); k == 0 && score != predicted.end()) {
        found.all.back().expected = score->second.mean;
        found.all.back().expected_sd = score->second.sd;
        found.all.back().predicted = true;
      }
      const auto inputs = seen.points().row(next);
      found.places.emplace_back(inputs.begin(), inputs.end());
      found.last_at = std::max(found.last_at, record.told_at);
    }
  }
  return found;
}

// As predicted when they were asked for; not a number if nothing was.
CampaignAnswers answers_as_asked(const Campaign& campaign, const LevelGroups& groups,
                                 const std::map<std::int64_t, double>& spent_at) {
  const Study& study = campaign.study();
  const Target& target = *study.file().target;
  CampaignAnswers found{.all = {}, .places = {}, .last_at = campaign.state().created_at()};
  const std::vector<Annotation> annotations = annotations_of(study, campaign.state());
  std::size_t next = 0;
  for (const std::int64_t id : campaign.state().answered()) {
    const SuggestionRecord& record = *campaign.state().find(id);
    const Asked& asked = record.asked;
    const Channel channel = record.told && record.told->channel ? *record.told->channel : asked.channel;
    const bool is_predicted = asked.worker != worker_name::initial && !record.told->unasked &&
                              !record.told->row && !record.told->inputs && asked.row >= 0 &&
                              asked.variance > 0.0;
    const double mean = asked.answer_mean.value_or(asked.mean),
                 variance = asked.answer_variance.value_or(asked.variance);
    for (std::size_t k = 0; k < record.values.size(); ++k, ++next) {
      ReportedAnswer answer{.id = id,
                            .point = record.row() < 0 ? "" : study.pool().id(record.row()),
                            .level = groups.of_suggestion[static_cast<std::size_t>(id - 1)],
                            .value = target.to_model(record.values[k]),
                            .cost = annotations[next].cost,
                            .spent = spent_at.at(id),
                            .told_at = record.told_at,
                            .noise = noise_of(channel),
                            .expected = std::nan(""),
                            .expected_sd = std::nan(""),
                            .predicted = is_predicted};
      if (is_predicted) {
        const ExpectedAnswer expected = target.expected_answer({mean, variance}, channel);
        answer.expected = expected.value;
        answer.expected_sd = expected.sd.value_or(answer.expected_sd);
      }
      found.all.push_back(std::move(answer));
      const double* inputs =
          record.row() >= 0 ? study.pool().point(record.row()) : record.told->inputs->data();
      found.places.emplace_back(inputs, inputs + study.pool().inputs().size());
      found.last_at = std::max(found.last_at, record.told_at);
    }
  }
  return found;
}

CampaignCalibration calibration_of_answers(const std::vector<ReportedAnswer>& answers,
                                           const std::vector<LevelTotal>& levels, const Target& target) {
  CampaignCalibration found;
  std::vector<const ReportedAnswer*> predicted;
  for (const ReportedAnswer& answer : answers)
    if (answer.predicted) predicted.push_back(&answer);
  if (predicted.empty()) return found;
  if (!target.is_real()) {
    Vector probabilities(static_cast<Index>(predicted.size())), labels(probabilities.size());
    for (Index i = 0; i < labels.size(); ++i) {
      probabilities(i) = predicted[static_cast<std::size_t>(i)]->expected;
      labels(i) = predicted[static_cast<std::size_t>(i)]->value;
    }
    found.reliability = reliability_of(probabilities, labels, labels.size() >= 40 ? 8 : 4);
    return found;
  }
  std::vector<double> all;
  std::vector<std::vector<double>> by_level(levels.size());
  for (const ReportedAnswer* answer : predicted) {
    all.push_back(answer->score());
    by_level[answer->level].push_back(answer->score());
  }
  found.scores.push_back(calibration_of("all levels", all));
  for (std::size_t k = 0; k < by_level.size(); ++k)
    if (!by_level[k].empty() && by_level[k].size() < all.size())
      found.scores.push_back(calibration_of(levels[k].name, by_level[k]));
  return found;
}

void add_success(const Study& study, const State& state, const StudyModel& model, BeliefMap& map) {
  const auto columns = static_cast<Index>(map.x.size()), rows = static_cast<Index>(map.y.size());
  Points at(rows * columns, 2);
  for (Index i = 0; i < at.rows(); ++i)
    at.row(i) << map.x[static_cast<std::size_t>(i % columns)], map.y[static_cast<std::size_t>(i / columns)];
  const Vector success = run_success_at(study, state, model, at);
  if (success.size() > 0) map.success = Eigen::Map<const Points>(success.data(), rows, columns);
}

CampaignData data_of(const Campaign& campaign, const std::optional<HeldOut>& test,
                     MeasuredCourse* known_course, const AveragedBelief* averaged) {
  const Study& study = campaign.study();
  const State& state = campaign.state();
  CampaignData data;
  std::optional<HeldOut> measured_on = test;
  try {
    if (!measured_on) measured_on = truth_of(study);
  } catch (const InputError& error) {
    data.warnings.push_back(fmt::format("The table of truth cannot be used: {}.", error.what()));
  }
  data.is_held_out = measured_on.has_value();
  data.course_source = measured_on ? measured_on->source : "leave-one-out predictions of the answers";

  const LevelGroups groups = level_groups(study, state);
  const CampaignModel model(study, state);
  data.books = books_of(campaign, groups);
  data.course = course_of(campaign, measured_on, groups, CourseErrors::measured,
                          {.model = &model, .measured = known_course});
  if (const std::int64_t step = course_step(state.annotations()); step > 0)
    data.course_note = fmt::format("Measured after every {} answers and after the last one.", step);
  data.answers = answers_of(campaign, model, groups, data.course.spent_at);
  data.calibration = calibration_of_answers(data.answers.all, data.books.levels, *study.file().target);
  if (!data.answers.all.empty())
    data.importance =
        importance_of({.mean = [&](const Points& x) { return model.posterior().mean(x); },
                       .covariance = study.file().target->is_real()
                                         ? [&](const Points& x) { return model.posterior().covariance(x); }
                                         : std::function<Matrix(const Points&)>(),
                       .expectation = [&](const Points& x) { return model.posterior().expectation(x); }},
                      study.pool().points(), data.books.inputs);
  std::optional<AveragedBelief> own;
  if (averaged == nullptr) averaged = &own.emplace(campaign);
  data.belief = belief_views(study, *averaged, data.importance);
  // The error that is reported is of what `predict` says; points before the last one are of their time.
  if (measured_on && study.file().target->is_real() && !data.course.errors.empty()) {
    const HeldOutScores scores = held_out_scores(study, model, averaged->marginals(measured_on->points),
                                                 *measured_on, TableNoise::finest);
    data.course.errors.back().error = scores.error_size();
    data.course.errors.back().expected = scores.claimed_size();
  } else if (measured_on && !data.course.errors.empty()) {
    const PredictionError error = averaged->class_error(measured_on->points, measured_on->values);
    data.course.errors.back().error = error.actual;
    data.course.errors.back().expected = error.predicted;
  }
  if (const std::optional<Learned>& learned = model.study_model().learned)
    data.structure_text = structure_text(learned->structures);
  data.break_even = break_even_view(study, model);
  data.why_no_break_even = why_no_break_even(study, model.study_model());
  data.offsets = level_offsets(study, state);
  data.people = people_view(campaign);
  data.biases = bias_views(study, data.offsets, model);
  data.is_planned = plans_now(study, state) && !study.is_ladder();
  data.plans = plan_course(campaign);
  for (const Level& level : study.offer().levels) data.offered.push_back(describe(level));
  if (const std::int64_t replaced = state.replaced(); replaced > 0)
    data.replaced_text = fmt::format("{} replaced by continuing {}; the money for them stays spent.",
                                     counted(replaced, "answer"), replaced == 1 ? "its run" : "their runs");
  data.plan_text = as_sentence(plan_text(study, state));
  if (const auto certificate = purchase_certificate(study, state))
    data.plan_text += (data.plan_text.empty() ? "" : " ") + as_sentence(to_text(*certificate));
  data.predicted_errors = predicted_errors(study, model);
  data.failing_text = to_text(failing_runs(study, state, model.study_model()));
  if (data.belief.map) add_success(study, state, model.study_model(), *data.belief.map);
  data.verdict = verdict_on(campaign, measured_on, &model);
  data.typical_error = typical_error(campaign, error_factor(data.verdict), &averaged->posterior());
  if (data.typical_error) data.typical_error_text = to_text(*data.typical_error, *study.file().target);
  if (const auto sought = sought_report(study, model.study_model(), model.posterior()))
    data.sought_text = to_text(*sought, study);
  if (const std::string problem = model.posterior().convergence_problem(); !problem.empty())
    data.warnings.push_back(as_sentence(problem));
  for (std::string& warning : campaign_warnings(campaign, data)) data.warnings.push_back(std::move(warning));
  return data;
}

}  // namespace

CampaignData campaign_data(const Campaign& campaign, const std::optional<HeldOut>& test,
                           const AveragedBelief* averaged) {
  return data_of(campaign, test, nullptr, averaged);
}

CampaignData campaign_data(const Campaign& campaign, MeasuredCourse& course, const AveragedBelief* averaged) {
  return data_of(campaign, std::nullopt, &course, averaged);
}

MoneyReach money_reach(const CampaignData& data) {
  const bool is_in_time = data.course.projected_end && !data.course.money.empty() &&
                          *data.course.projected_end <= 5.0 * data.course.money.back().time;
  const bool is_in_height = std::isfinite(data.books.budget) && data.books.spent >= 0.2 * data.books.budget;
  return {.budget = is_in_height, .projected_end = is_in_height && is_in_time};
}

CampaignData quick_campaign_data(const Campaign& campaign) {
  const LevelGroups groups = level_groups(campaign.study(), campaign.state());
  CampaignData data;
  data.books = books_of(campaign, groups);
  data.course = course_of(campaign, std::nullopt, groups, CourseErrors::none);
  data.answers = answers_as_asked(campaign, groups, data.course.spent_at);
  for (const Level& level : campaign.study().offer().levels) data.offered.push_back(describe(level));
  data.is_complete = false;
  return data;
}

CampaignData with_model_parts(const CampaignData& quick, const CampaignData& earlier) {
  CampaignData data = earlier;
  data.books = quick.books;
  data.course = quick.course;
  data.answers = quick.answers;
  data.course.errors = earlier.course.errors;
  data.offered = quick.offered;
  // Replicates have the same id; they are in the order recorded.
  std::multimap<std::int64_t, const ReportedAnswer*> known;
  for (const ReportedAnswer& answer : earlier.answers.all) known.emplace(answer.id, &answer);
  for (ReportedAnswer& answer : data.answers.all) {
    const auto found = known.lower_bound(answer.id);
    if (found == known.end() || found->first != answer.id) continue;
    const ReportedAnswer& before = *found->second;
    known.erase(found);
    if (before.value != answer.value) continue;  // it was amended since
    answer.noise = before.noise;
    answer.expected = before.expected;
    answer.expected_sd = before.expected_sd;
    answer.predicted = before.predicted;
  }
  return data;
}

}  // namespace acuity
