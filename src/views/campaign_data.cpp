#include "views/campaign_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/numerics/errors.hpp"
#include "campaign/books.hpp"
#include "views/belief_views.hpp"
#include "views/campaign_course.hpp"
#include "views/campaign_model.hpp"
#include "views/campaign_warnings.hpp"
#include "views/level_groups.hpp"

namespace acuity {

namespace {

void take_books(const Campaign& campaign, CampaignData& data) {
  const State& state = campaign.state();
  const Study& study = campaign.study();
  data.name = state.created().name;
  data.unit = state.created().unit;
  data.binary = study.file().binary;
  data.classes = study.file().classes;
  if (data.classes.empty()) data.classes = {"−1", "+1"};
  data.inputs = study.pool().inputs();
  data.created_at = data.last_at = state.created_at();
  data.budget = state.budget();
  data.spent = state.spent();
  data.escrow = state.escrow();
  data.pending = static_cast<std::int64_t>(state.pending().size());
  data.failed = state.failed();
  data.excluded = static_cast<std::int64_t>(state.excluded().size());
  data.pool = study.pool().size();
}

void take_levels(const State& state, const LevelGroups& groups, CampaignData& data) {
  std::vector<LevelTotal> totals;
  for (const std::string& name : groups.names) totals.push_back({.name = name});
  for (const SuggestionRecord& record : state.suggestions()) {
    if (!record.told) continue;
    LevelTotal& total = totals[groups.of_suggestion[static_cast<std::size_t>(record.asked.id - 1)]];
    total.answers += static_cast<std::int64_t>(record.values.size());
    total.spent += record.charged;
  }
  data.levels = std::move(totals);
}

// Predicting all of many answers would take longer than a page is waited for.
constexpr std::size_t most_predicted = 500;

void take_answers(const Campaign& campaign, const CampaignModel& model, const LevelGroups& groups,
                  const std::map<std::int64_t, double>& spent_at, CampaignData& data) {
  const State& state = campaign.state();
  const Observations& seen = model.observations();
  const std::vector<Annotation> annotations = annotations_of(campaign.study(), state);
  Marginals expected;
  if (data.binary)
    expected = {model.left_out_probabilities(), Vector::Zero(seen.size())};
  else
    expected = model.left_out();
  std::map<std::int64_t, PrequentialScore> predicted;
  for (const PrequentialScore& score : prequential_scores(campaign, most_predicted))
    predicted[score.id] = score;
  Index next = 0;
  for (const std::int64_t id : state.answered()) {
    const SuggestionRecord& record = *state.find(id);
    for (std::size_t k = 0; k < record.values.size(); ++k, ++next) {
      const Channel& channel = seen.channels()[static_cast<std::size_t>(next)];
      data.answers.push_back({.id = id,
                              .point = record.row() < 0 ? "" : campaign.study().pool().id(record.row()),
                              .level = groups.of_suggestion[static_cast<std::size_t>(id - 1)],
                              .value = record.values[k],
                              .cost = annotations[static_cast<std::size_t>(next)].cost,
                              .spent = spent_at.at(id),
                              .told_at = record.told_at,
                              .noise = data.binary ? 1.0 - std::get<FlipChannel>(channel).accuracy
                                                   : std::sqrt(noise_variance(channel)),
                              .expected = expected.mean(next),
                              .expected_sd = std::sqrt(expected.variance(next))});
      if (const auto score = predicted.find(id); k == 0 && score != predicted.end()) {
        data.answers.back().expected = score->second.mean;
        data.answers.back().expected_sd = score->second.sd;
        data.answers.back().predicted = true;
      }
      const auto inputs = seen.points().row(next);
      data.places.emplace_back(inputs.begin(), inputs.end());
      data.last_at = std::max(data.last_at, record.told_at);
    }
  }
}

void calibrate(CampaignData& data) {
  std::vector<const ReportedAnswer*> predicted;
  for (const ReportedAnswer& answer : data.answers)
    if (answer.predicted) predicted.push_back(&answer);
  if (predicted.empty()) return;
  if (data.binary) {
    Vector probabilities(static_cast<Index>(predicted.size())), labels(probabilities.size());
    for (Index i = 0; i < labels.size(); ++i) {
      probabilities(i) = predicted[static_cast<std::size_t>(i)]->expected;
      labels(i) = predicted[static_cast<std::size_t>(i)]->value;
    }
    data.reliability = reliability_of(probabilities, labels, labels.size() >= 40 ? 8 : 4);
    return;
  }
  std::vector<double> all;
  std::vector<std::vector<double>> by_level(data.levels.size());
  for (const ReportedAnswer* answer : predicted) {
    all.push_back(answer->score());
    by_level[answer->level].push_back(answer->score());
  }
  data.calibrations.push_back(calibration_of("all levels", all));
  for (std::size_t k = 0; k < by_level.size(); ++k)
    if (!by_level[k].empty() && by_level[k].size() < all.size())
      data.calibrations.push_back(calibration_of(data.levels[k].name, by_level[k]));
}

}  // namespace

CampaignData campaign_data(const Campaign& campaign, const std::optional<HeldOut>& test) {
  CampaignData data;
  const Study& study = campaign.study();
  const State& state = campaign.state();
  take_books(campaign, data);
  std::optional<HeldOut> measured_on = test;
  try {
    if (!measured_on) measured_on = truth_of(study);
  } catch (const InputError& error) {
    data.warnings.push_back(fmt::format("The table of truth cannot be used: {}.", error.what()));
  }
  data.is_held_out = measured_on.has_value();
  data.course_source = measured_on ? measured_on->source : "every answer, by all the others";

  const std::map<std::int64_t, double> spent_at = follow_course(campaign, measured_on, data);
  const LevelGroups groups = level_groups(state, data.binary);
  const CampaignModel model(study, state);
  take_levels(state, groups, data);
  data.spending = spending_of(campaign, groups);
  take_answers(campaign, model, groups, spent_at, data);
  if (!data.answers.empty()) calibrate(data);
  if (!data.answers.empty())
    data.importance = importance_of([&](const Points& x) { return model.predict(x).mean; },
                                    study.pool().points(), data.inputs);
  view_belief(study, model, data);
  data.offsets = level_offsets(study, state);
  data.verdict = verdict_on(campaign);
  add_warnings(campaign, data);
  return data;
}

}  // namespace acuity
