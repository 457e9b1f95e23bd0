#include "campaign/state_queries.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "acuity/base/errors.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/audit.hpp"
#include "campaign/fitted_chain.hpp"
#include "campaign/initial_design.hpp"
#include "campaign/reported_cost.hpp"
#include "campaign/run_failures.hpp"

namespace acuity {

namespace {

// Empty for a precision that is not on the ladder, and for a level that the study does not have.
std::optional<Index> offered_level(const Study& study, const SuggestionRecord& record) {
  const std::optional<double> alpha = record.alpha();
  return alpha ? study.find_level(*alpha) : study.find_level(record.level());
}

Annotation annotation_of(const Study& study, const SuggestionRecord& record, double value, double cost);

Annotation annotation_without_worker(const Study& study, const SuggestionRecord& record, double value,
                                     double cost) {
  const bool outside = record.told && record.told->inputs;
  const Place place = outside
                          ? Place(Eigen::Map<const Vector>(record.told->inputs->data(),
                                                           static_cast<Index>(record.told->inputs->size())))
                          : Place(record.row());
  // With a reported noise or accuracy the level need not be known.
  const bool reported = record.told && record.told->channel;
  if (reported && record.level().empty() && !record.alpha())
    return {.place = place,
            .value = value,
            .channel = *record.told->channel,
            .level = {},
            .cost = cost,
            .alpha = {},
            .reported = true};
  const double base_noise =
      outside ? record.told->base_noise.value_or(0.0) : study.offer().base_noise(record.row());
  const std::optional<Index> offered = offered_level(study, record);
  Annotation annotation = offered ? study.annotation(place, base_noise, *offered, value, cost)
                                  : study.annotation(place, base_noise, level_of(study, record), value, cost);
  annotation.reported = reported;
  if (!reported && record.kept_noise) {  // as it was when it was asked for
    if (study.file().target->has_noise()) {
      std::get<GaussianChannel>(annotation.channel).noise_variance =
          annotation.base_noise + *record.kept_noise;
      annotation.added_noise = *record.kept_noise;
    } else {
      annotation.channel = study.file().target->stated_channel(*record.kept_noise);
    }
  }
  if (!reported) return annotation;
  const int bias = bias_of(annotation.channel);
  annotation.channel = *record.told->channel;
  if (auto* gaussian = std::get_if<GaussianChannel>(&annotation.channel)) gaussian->bias = bias;
  return annotation;
}

Annotation annotation_of(const Study& study, const SuggestionRecord& record, double value, double cost) {
  Annotation annotation = annotation_without_worker(study, record, value, cost);
  if (is_person(record.worker())) annotation.worker = record.worker();
  return annotation;
}

// Of an answer as it was told. How the model sees a count depends on its number of trials.
Annotation modelled_annotation(const Study& study, const SuggestionRecord& record, double answer,
                               double cost) {
  Annotation annotation = annotation_of(study, record, 0.0, cost);
  annotation.value = study.file().target->to_model(answer, annotation.channel);
  if (study.file().target->is_counted()) annotation.answer = answer;
  return annotation;
}

// With what was paid for the run before it was continued.
double paid_for(const State& state, const SuggestionRecord& record) {
  double paid = record.charged;
  for (const SuggestionRecord* one = &record; one->replaced;) {
    one = state.find(*one->replaced);
    paid += one->charged;
  }
  return paid;
}

}  // namespace

namespace {

// Those that the study has; structures of another study, which it was before, are left out.
std::vector<LearnedStructure> structures_of(const Study& study, const Fitted& fitted) {
  std::vector<LearnedStructure> structures;
  const std::vector<Structure>& wanted = study.file().structures;
  for (const FittedStructure& one : fitted.structures) {
    const std::optional<Structure> structure = structure_named(one.name);
    if (!structure || std::find(wanted.begin(), wanted.end(), *structure) == wanted.end()) continue;
    LearnedStructure learned{.structure = *structure,
                             .log_parameters = Eigen::Map<const Vector>(
                                 one.log_parameters.data(), static_cast<Index>(one.log_parameters.size())),
                             .nugget = one.nugget,
                             .map = std::nullopt,
                             .objective = one.objective};
    if (one.map.size() == 7)
      learned.map = AnswerMap{.lambda = one.map[0],
                              .centre = one.map[1],
                              .spread = one.map[2],
                              .low = one.map[3],
                              .high = one.map[4],
                              .offset = one.map[5],
                              .factor = one.map[6]};
    structures.push_back(std::move(learned));
  }
  return structures;
}

std::vector<FittedStructure> fitted_structures(const Learned& learned) {
  std::vector<FittedStructure> structures;
  for (const LearnedStructure& one : learned.structures) {
    structures.push_back(
        {.name = std::string(name_of(one.structure)),
         .log_parameters = std::vector<double>(one.log_parameters.begin(), one.log_parameters.end()),
         .nugget = one.nugget,
         .objective = one.objective});
    if (const std::optional<AnswerMap>& map = one.map)
      structures.back().map = {map->lambda, map->centre, map->spread, map->low,
                               map->high,   map->offset, map->factor};
  }
  return structures;
}

}  // namespace

Level level_of(const Study& study, const std::string& name, std::optional<double> alpha) {
  return alpha ? study.level_of(*alpha) : study.level_named(name);
}

std::string status_name(const SuggestionRecord& record) {
  switch (record.status) {
    case SuggestionStatus::pending:
      return "pending";
    case SuggestionStatus::failed:
      return "failed";
    case SuggestionStatus::released:
      return "released";
    case SuggestionStatus::told:
      break;
  }
  if (record.replaced_by) return "replaced";
  return record.retracted ? "retracted" : "told";
}

Level level_of(const Study& study, const SuggestionRecord& record) {
  return level_of(study, record.level(), record.alpha());
}

Suggestion suggestion_of(const Study& study, const Asked& asked) {
  Suggestion suggestion{.id = asked.id,
                        .row = asked.row,
                        .point = asked.point,
                        .inputs = {},
                        .level = level_of(study, asked.level, asked.alpha),
                        .channel = asked.channel,
                        .mean = asked.mean,
                        .variance = asked.variance,
                        .answer_mean = asked.answer_mean,
                        .answer_variance = asked.answer_variance,
                        .information = asked.information,
                        .cost = asked.cost,
                        .resume_from = asked.replaces,
                        .audit = asked.audit};
  suggestion.level.reserve = asked.reserve.value_or(0.0);
  if (asked.row < 0) return suggestion;
  const double* inputs = study.pool().point(asked.row);
  suggestion.inputs.assign(inputs, inputs + study.pool().inputs().size());
  return suggestion;
}

std::vector<Annotation> annotations_of(const Study& study, const State& state) {
  std::vector<Annotation> annotations;
  for (const std::int64_t id : state.answered()) add_annotations(study, state, id, annotations);
  return annotations;
}

void add_annotations(const Study& study, const State& state, std::int64_t id,
                     std::vector<Annotation>& annotations) {
  const SuggestionRecord& record = *state.find(id);
  for (std::size_t k = 0; k < record.values.size(); ++k)
    annotations.push_back(
        modelled_annotation(study, record, record.values[k], k == 0 ? paid_for(state, record) : 0.0));
}

Annotation expected_annotation(const Study& study, const SuggestionRecord& record) {
  return annotation_of(study, record, 0.0, record.asked.cost);
}

Annotation told_annotation(const Study& study, const SuggestionRecord& record) {
  const std::vector<double>& values = record.replaced_by ? record.replaced_values : record.values;
  if (values.empty()) return annotation_of(study, record, 0.0, record.charged);
  return modelled_annotation(study, record, values.front(), record.charged);
}

std::optional<Channel> pending_channel(const Study& study, const StudyModel& model, const State& state,
                                       const SuggestionRecord& record) {
  const Channel own = StudyLearner(study).expected_channel(expected_annotation(study, record), model);
  if (!record.asked.replaces) return own;
  const SuggestionRecord& before = *state.find(state.successor(*record.asked.replaces));
  if (before.values.empty()) return own;  // it was retracted
  const double noise = noise_variance(StudyLearner(study).channel_of(told_annotation(study, before), model));
  if (!(noise_variance(own) < noise)) return std::nullopt;
  return GaussianChannel{noise_of_continuation(noise, noise_variance(own))};
}

void add_top_ups(const Study& study, const State& state, const StudyModel& model, Candidates& candidates) {
  if (!study.file().tops_up()) return;
  TopUps& top_ups = candidates.top_ups();
  for (const Excluded& excluded : state.excluded())
    top_ups.exclude(excluded.row, study.find_level(excluded.level));
  std::set<std::int64_t> being_continued;
  for (const std::int64_t id : state.pending())
    if (const auto& replaces = state.find(id)->asked.replaces)
      being_continued.insert(state.successor(*replaces));
  for (const std::int64_t id : state.answered()) {
    const SuggestionRecord& record = *state.find(id);
    const std::optional<Index> level = offered_level(study, record);
    // Runs before the campaign are not there to be continued, and replicates are several runs.
    if (!level || record.row() < 0 || record.values.size() != 1 || is_known_before(record.asked) ||
        being_continued.contains(id))
      continue;
    const Channel channel = StudyLearner(study).channel_of(told_annotation(study, record), model);
    top_ups.add({.id = id, .point = record.row(), .level = *level, .noise_variance = noise_variance(channel)},
                model.offer);
  }
}

namespace {

// The lists of Fitted about accuracies by class. Levels whose accuracy is one number have it twice.
constexpr std::size_t of_level = 4, of_person = 5;

void put_classes(const LearnedAccuracies& learned, Fitted& fitted) {
  const auto put = [](const FlipChannel& channel, const std::optional<ClassAccuracies>& classes, double sd,
                      std::vector<double>& list) {
    list.insert(list.end(),
                {channel.yes, channel.no, classes ? classes->yes_sd : sd, classes ? classes->no_sd : sd});
  };
  for (std::size_t k = 0; k < learned.level_by_class.size(); ++k)
    put(learned.channel_of_level(static_cast<Index>(k)), learned.level_by_class[k], learned.level_sd[k],
        fitted.level_by_class);
  if (learned.level_by_class.empty()) return;
  for (const PersonAccuracy& one : learned.people) {
    put(one.channel(), one.by_class, one.logit_sd, fitted.people_by_class);
    fitted.people_by_class.push_back(one.by_class ? one.by_class->coin : 0.0);
  }
}

ClassAccuracies class_accuracies_at(const std::vector<double>& list, std::size_t at) {
  return {.channel = {list[at], list[at + 1]}, .yes_sd = list[at + 2], .no_sd = list[at + 3]};
}

bool is_by_class(const Study& study, Index level) {
  return study.offer().levels[static_cast<std::size_t>(level)].accuracy_by_class;
}

// As they were learned before the study was changed, levels may have had one number.
LearnedAccuracies learned_accuracies(const Study& study, const Fitted& fitted) {
  LearnedAccuracies learned{fitted.level_accuracy, fitted.level_accuracy_sd, {}};
  const bool has_classes = !fitted.level_by_class.empty();
  if (has_classes) learned.level_by_class.resize(fitted.level_accuracy.size());
  for (std::size_t k = 0; k < learned.level_by_class.size(); ++k)
    if (is_by_class(study, static_cast<Index>(k)))
      learned.level_by_class[k] = class_accuracies_at(fitted.level_by_class, of_level * k);
  for (std::size_t k = 0; k < fitted.people.size(); ++k) {
    const std::optional<Index> level = study.find_level(fitted.people_levels[k]);
    if (!level) continue;
    learned.people.push_back(
        {fitted.people[k], *level, fitted.people_accuracy[k], fitted.people_accuracy_sd[k]});
    if (!has_classes || !is_by_class(study, *level)) continue;
    learned.people.back().by_class = class_accuracies_at(fitted.people_by_class, of_person * k);
    learned.people.back().by_class->coin = fitted.people_by_class[of_person * k + of_person - 1];
  }
  return learned;
}

std::optional<Learned> learned_of(const Study& study, const Fitted& fitted) {
  Learned learned;
  learned.prior = StudyLearner(study).prior_given({});
  // Learned before the study was changed, as views of the past see it.
  const bool fits_study =
      static_cast<Index>(fitted.log_parameters.size()) == learned.prior.kernel->log_parameters().size() &&
      (fitted.level_scales.empty() || fitted.level_scales.size() == study.offer().levels.size()) &&
      (fitted.level_accuracy.empty() || fitted.level_accuracy.size() == study.offer().levels.size());
  if (!fits_study) return std::nullopt;
  learned.prior.kernel = learned.prior.kernel->with_log_parameters(Eigen::Map<const Vector>(
      fitted.log_parameters.data(), static_cast<Index>(fitted.log_parameters.size())));
  for (std::size_t k = 0; k < fitted.smooth_sd.size() && k < learned.prior.biases.size(); ++k) {
    LevelBias& bias = learned.prior.biases[k];
    if (bias.is_mesh() && fitted.mesh_order) bias = bias.of_order(*fitted.mesh_order, 0.0);
    bias.smooth_sd = fitted.smooth_sd[k];
    bias.lengthscale = fitted.bias_lengthscale[k];
  }
  learned.prior.mean = fitted.mean;
  learned.added_scale = fitted.added_scale;
  learned.base_scale = fitted.base_scale;
  learned.level_scales = fitted.level_scales;
  learned.nugget = fitted.nugget.value_or(0.0);
  if (fitted.noisier_nugget)
    learned.noisier = NoisierFit{*fitted.noisier_nugget, fitted.noisier_probability.value_or(0.0)};
  learned.noisy = fitted.noisy;
  learned.structures = structures_of(study, fitted);
  learned.chain = chain_of(study, fitted);
  if (fitted.kappa && fitted.gamma) learned.accuracy = AccuracyLaw{*fitted.kappa, *fitted.gamma};
  if (!fitted.level_accuracy.empty()) learned.accuracies = learned_accuracies(study, fitted);
  learned.log_marginal_likelihood = fitted.log_marginal_likelihood;
  learned.converged = fitted.converged;
  learned.reason = fitted.reason;
  return learned;
}

}  // namespace

std::optional<Learned> learned_of(const Study& study, const State& state) {
  if (!state.fitted()) return std::nullopt;
  const Fitted& fitted = *state.fitted();
  if (StudyLearner(study).learns_from(state.annotations(), fitted.annotations) == 0) return std::nullopt;
  return learned_of(study, fitted);
}

bool fit_calls_for_plan(const Study& study, const State& state) {
  constexpr double growth = 1.15;
  if (!state.has_learned_since_plan()) return false;
  const std::optional<Fitted>& then = state.fitted_before_plan();
  const Fitted& now = *state.fitted();
  if (!then || static_cast<double>(now.annotations) >= growth * static_cast<double>(then->annotations) - 1e-9)
    return true;
  const std::optional<Learned> before = learned_of(study, *then), learned = learned_of(study, now);
  return !before || !learned || StudyLearner(study).may_change_plan(*before, *learned);
}

GoalCriterion criterion_now(const Study& study, const State& state) {
  StudyModel model;
  model.learned = learned_of(study, state);
  return StudyLearner(study).criterion(model);
}

// The design is no choice, and neither are questions about gold items or of the audit, and answers that were
// not asked for.
std::optional<Exploration> exploration_of(const Study& study, const State& state) {
  if (study.file().chosen_for() == nullptr || !(study.file().goal->explore > 0.0)) return std::nullopt;
  Exploration exploration(study.file().goal->explore);
  std::int64_t drawn = initial_design(study).count_at_first();
  for (const SuggestionRecord& one : state.suggestions()) {
    if (one.asked.gold || one.asked.audit) continue;
    const bool is_choice = !one.told || !one.told->unasked;
    if (drawn > 0)
      --drawn;
    else if (is_choice)
      exploration.take(one.asked.cost);
  }
  return exploration;
}

bool plans_now(const Study& study, const State& state) {
  StudyModel model;
  model.learned = learned_of(study, state);
  return StudyLearner(study).plans(model);
}

double price_weight_of(const Study& study, const State& state, const StudyModel& model) {
  if (!StudyLearner(study).plans(model)) return study.acquisition().price_weight;
  return state.planned() ? state.planned()->lambda : study.acquisition().price_weight;
}

StudyModel model_of(const Study& study, const State& state, const std::vector<Annotation>& annotations) {
  StudyModel model = StudyLearner(study).model_given(annotations, learned_of(study, state));
  StudyLearner(study).take_costs(model, level_costs(study, state));
  model.acquisition.price_weight = price_weight_of(study, state, model);
  return model;
}

bool costs_differ_from_plan(const State& state, const StudyModel& model) {
  constexpr double part = 0.1;
  if (!state.planned()) return false;
  const std::vector<double>& before = state.planned()->costs;
  for (std::size_t k = 0; k < before.size() && k < model.offer.levels.size(); ++k)
    if (std::abs(model.offer.levels[k].cost - before[k]) > part * before[k]) return true;
  return false;
}

Planned planned_of(const Study& study, const StudyModel& model, const BudgetPlan& plan, double remaining) {
  Planned planned{.lambda = plan.price_weight, .remaining = std::max(remaining, 0.0), .note = plan.note};
  if (study.file().learn_costs)
    for (const Level& level : model.offer.levels) planned.costs.push_back(level.cost);
  if (plan.courses.empty()) return planned;
  const auto counts = [](const std::vector<Index>& purchases) {
    return std::vector<double>(purchases.begin(), purchases.end());
  };
  planned.expected = plan.best().expected;
  planned.expected_ratio = plan.courses.front().expected;
  planned.purchases = counts(plan.best().purchases);
  planned.purchases_ratio = counts(plan.courses.front().purchases);
  return planned;
}

Fitted fitted_of(const Study& study, const Learned& learned, std::int64_t annotations) {
  const Vector parameters = learned.prior.kernel->log_parameters();
  Fitted fitted{.annotations = annotations,
                .log_parameters = std::vector<double>(parameters.begin(), parameters.end()),
                .mean = learned.prior.mean,
                .added_scale = learned.added_scale,
                .base_scale = learned.base_scale,
                .kappa = {},
                .gamma = {},
                .log_marginal_likelihood = learned.log_marginal_likelihood,
                .converged = learned.converged,
                .reason = learned.reason,
                .level_scales = learned.level_scales};
  if (study.file().learns_bias())
    for (const LevelBias& bias : learned.prior.biases) {
      fitted.smooth_sd.push_back(bias.smooth_sd);
      fitted.bias_lengthscale.push_back(bias.lengthscale);
      if (bias.is_mesh()) fitted.mesh_order = bias.order;
    }
  if (!study.file().nugget) fitted.nugget = learned.nugget;
  if (learned.noisier) {
    fitted.noisier_nugget = learned.noisier->nugget;
    fitted.noisier_probability = learned.noisier->probability;
    fitted.noisy = learned.noisy;
  }
  fitted.structures = fitted_structures(learned);
  if (learned.chain) put_chain(study, *learned.chain, fitted);
  if (learned.accuracy) {
    fitted.kappa = learned.accuracy->kappa;
    fitted.gamma = learned.accuracy->gamma;
  }
  if (learned.accuracies) {
    fitted.level_accuracy = learned.accuracies->level;
    fitted.level_accuracy_sd = learned.accuracies->level_sd;
    put_classes(*learned.accuracies, fitted);
    for (const PersonAccuracy& one : learned.accuracies->people) {
      fitted.people.push_back(one.person);
      fitted.people_levels.push_back(study.offer().levels[static_cast<std::size_t>(one.level)].name);
      fitted.people_accuracy.push_back(one.accuracy);
      fitted.people_accuracy_sd.push_back(one.logit_sd);
    }
  }
  return fitted;
}

std::vector<GoldAnswer> gold_answers_of(const Study& study, const State& state) {
  std::vector<GoldAnswer> answers;
  for (const SuggestionRecord& record : state.suggestions()) {
    if (!record.asked.gold || record.values.empty()) continue;
    const std::optional<double> known = study.gold_class(record.asked.row);
    const std::optional<Index> level = study.find_level(record.level());
    if (!known || !level) continue;
    for (const double value : record.values)
      answers.push_back({record.worker(), *level, value == *known, value});
  }
  return answers;
}

Candidates candidates_of(const Study& study, const State& state) {
  return candidates_of(study, state, study.candidates_after(annotations_of(study, state)));
}

Candidates shown_candidates_of(const Study& study, const State& state, Candidates candidates) {
  for (const SuggestionRecord& record : state.suggestions())
    if (record.is_withheld() && !record.values.empty() && record.row() >= 0)
      candidates.buy(record.row(), told_annotation(study, record).level, 0.0);
  for (const std::int64_t id : state.pending()) {
    const SuggestionRecord& record = *state.find(id);
    if (record.row() >= 0) candidates.buy(record.row(), expected_annotation(study, record).level, 0.0);
  }
  for (const Excluded& excluded : state.excluded()) {
    if (const std::optional<Index> level = study.find_level(excluded.level))
      candidates.exclude(excluded.row, *level);
    else
      candidates.close(excluded.row);
  }
  candidates.set_money(state.free(), state.budget());
  return candidates;
}

Candidates purchasable_of(const Study& study, const State& state, Candidates candidates) {
  candidates = shown_candidates_of(study, state, std::move(candidates));
  // What their class is is known; the answers of people to them are no evidence about f.
  for (const GoldItem& item : study.gold()) candidates.close(item.row);
  if (study.file().learns_failures()) RunFailures(study, state).close_failed(candidates);
  return candidates;
}

Candidates candidates_of(const Study& study, const State& state, Candidates candidates) {
  candidates = purchasable_of(study, state, std::move(candidates));
  if (study.file().audit.answers > 0) AuditDraw(study, state, candidates).keep_from(candidates);
  return candidates;
}

}  // namespace acuity
