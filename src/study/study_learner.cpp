#include "acuity/study/study_learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/belief_part.hpp"
#include "study/learn_options.hpp"
#include "study/study_noise.hpp"
#include "study/study_offer.hpp"
#include "study/study_people.hpp"
#include "study/study_prior.hpp"

namespace acuity {

namespace {

// Of the prior variance (math.md eq. (13.1)): keeps information about exact answers finite.
constexpr double least_goal_noise = 1e-9;

// The variance of f under a prior, which is the same everywhere.
double variance_of(const Study& study, const Prior& prior) {
  return prior.kernel->diagonal(Points::Zero(1, study.pool().points().cols()))(0);
}

Channel accuracy_of(const Study& study, const Annotation& annotation, const std::optional<Learned>& learned) {
  if (learned && learned->accuracies && learns_accuracy(study, annotation))
    return learned->accuracies->channel(annotation.worker, *annotation.level);
  const bool is_learned = learned && study.file().fit.noise && learned->accuracy;
  if (!is_learned || annotation.reported || !annotation.alpha) return annotation.channel;
  return FlipChannel{(*learned->accuracy)(*annotation.alpha)};
}

// Why nothing can be learned from these values; empty if something can. The paper's rule learns from any.
std::string why_nothing_is_learned(const StudyFile& file, const Vector& values) {
  if (file.nugget && file.fit.prior != HyperparameterPrior::weak) return "";
  if (values.size() < 3) return fmt::format("there are {} values, must be three or more", values.size());
  return values.minCoeff() == values.maxCoeff() ? "all values are the same" : "";
}

// math.md 13.4. Two thresholds, so that choices do not go back and forth where the share is between them.
bool is_noisy(const Learned& learned, bool before) {
  constexpr double share = 0.014;
  return noise_share(learned) > (before ? 0.5 : 1.0) * share;
}

}  // namespace

// ---- Learning -------------------------------------------------------------------------------------------

Prior StudyLearner::prior_given(const std::vector<Annotation>& annotations) const {
  if (study_.file().standardise == Standardise::annotations) {
    const Observations observations(observations_of(annotations), study_.pool().points());
    return prior_for(study_, observations.points(), observations.values());
  }
  Vector values(static_cast<Index>(annotations.size()));
  for (Index i = 0; i < values.size(); ++i) values(i) = annotations[static_cast<std::size_t>(i)].value;
  return prior_for(study_, {}, values);
}

std::int64_t StudyLearner::learns_from(std::int64_t annotations, std::int64_t last) const {
  const FitSetting& fit = study_.file().fit;
  if (!fit.automatic) return fit.every > 0 ? annotations / fit.every * fit.every : 0;
  constexpr std::int64_t least = 3;
  if (annotations < least) return 0;
  const auto grown = static_cast<std::int64_t>(std::ceil(1.15 * static_cast<double>(last) - 1e-9));
  const bool is_due = annotations >= std::max(last + 1, grown);
  return is_due ? annotations : std::min(last, annotations);
}

Learned StudyLearner::learn_from(const std::vector<Annotation>& annotations,
                                 const std::function<void(int, double)>& progress, int threads,
                                 const Learned* before, std::int64_t learned_at,
                                 const std::vector<GoldAnswer>& gold) const {
  Learned learned = learn_given(annotations, progress, threads, before, learned_at);
  if (!study_.file().learns_accuracy()) return learned;
  // Kernel and accuracies in turn (math.md 15.1); the first time twice, since the guess may be far off.
  learned.accuracies = learn_accuracies(study_, learned.prior, annotations, gold);
  if (before != nullptr && before->accuracies) return learned;
  learned = learn_given(annotations, progress, threads, &learned, 0);
  learned.accuracies = learn_accuracies(study_, learned.prior, annotations, gold);
  return learned;
}

Learned StudyLearner::learn_given(const std::vector<Annotation>& annotations,
                                  const std::function<void(int, double)>& progress, int threads,
                                  const Learned* before, std::int64_t learned_at) const {
  const StudyFile& file = study_.file();
  const Observations given(observations_under(study_, annotations, before), study_.pool().points());
  // The paper's rule starts from the study's values each time.
  if (file.fit.optimiser == Optimiser::adam) before = nullptr;
  Prior prior = prior_for(study_, given.points(), given.values());
  if (before) prior.kernel = before->prior.kernel, prior.biases = before->prior.biases;
  // A nugget given by the study is part of the known noise.
  const Observations observations =
      file.nugget.value_or(0.0) > 0.0 ? given.with_noise(given.noise().array() + *file.nugget) : given;
  const Vector& values = observations.values();
  if (const std::string why = why_nothing_is_learned(file, values); !why.empty()) {
    Learned kept{.prior = prior};
    if (before)
      kept = *before;
    else
      kept.nugget = nugget({}, prior);
    kept.reason = "the earlier values are kept: " + why;
    kept.log_marginal_likelihood =
        values.size() == 0 || !file.target->has_noise() ? 0.0 : likelihood(prior, observations).log_marginal;
    return kept;
  }
  LearnOptions options = learn_options(study_, annotations, observations, before, threads);
  options.progress = progress;
  const bool is_penalised = file.fit.prior == HyperparameterPrior::weak;
  if (before && is_penalised && !search_is_due(values.size(), learned_at)) options.restarts = 0;
  Learned learned = learn(prior, observations, options);
  if (file.nugget) learned.nugget = *file.nugget;
  const bool searches = options.restarts > 0;
  if (learned.iterations > 0)
    learned.structures = learn_structures(annotations, learned, before, searches, threads);
  learned.chain = learn_chain(annotations, learned, before, searches, threads);
  if (learned.chain && learned.chain->leads()) learned.structures.clear();  // they are of the other model
  // Values that are all the same, which a given nugget allows, have no noise to compare with.
  if (file.acquisition.adapts_criterion && values.minCoeff() < values.maxCoeff()) {
    learned.noisier = noisier_fit(learned, observations, options);
    learned.noisy = is_noisy(learned, before != nullptr && before->noisy);
  }
  return learned;
}

double StudyLearner::nugget(const std::optional<Learned>& learned, const Prior& prior) const {
  if (study_.file().nugget) return *study_.file().nugget;
  if (learned) return learned->nugget;
  constexpr double share = 0.01;  // the centre of its prior (math.md 11.2)
  return share * variance_of(study_, prior);
}

// ---- The model ------------------------------------------------------------------------------------------

StudyModel StudyLearner::model_given(const std::vector<Annotation>& annotations, int threads) const {
  const std::int64_t used = learns_from(static_cast<std::int64_t>(annotations.size()));
  std::optional<Learned> learned;
  if (used > 0) learned = learn_from({annotations.begin(), annotations.begin() + used}, {}, threads);
  return model_given(annotations, std::move(learned));
}

StudyModel StudyLearner::model_given(const std::vector<Annotation>& annotations,
                                     std::optional<Learned> learned) const {
  StudyModel model{.prior = prior_given(annotations),
                   .observations = observations_of(annotations),
                   .offer = {},
                   .acquisition = {},
                   .learned = std::move(learned)};
  if (model.learned) {
    model.prior.kernel = model.learned->prior.kernel;
    model.prior.biases = model.learned->prior.biases;
  }
  model.nugget = nugget(model.learned, model.prior);
  if (model.learned && model.learned->chain && model.learned->chain->leads()) {
    model.prior.chain = model.learned->chain->chain;
    model.nugget = model.prior.chain->links.back().nugget;
  }
  if (study_.file().merges_answers())
    model.observations = observations_under(study_, annotations, model.learned ? &*model.learned : nullptr);
  else
    for (std::size_t i = 0; i < annotations.size(); ++i)
      model.observations[i].channel = channel_of(annotations[i], model);
  model.reported = scales_of_reports(study_, annotations, model.learned);
  set_offer(study_, model);
  return model;
}

bool StudyLearner::take_reports(StudyModel& model, const std::vector<Annotation>& annotations) const {
  NoiseScales reported = scales_of_reports(study_, annotations, model.learned);
  if (reported == model.reported) return false;
  model.reported = std::move(reported);
  set_offer(study_, model);
  return true;
}

bool StudyLearner::take_costs(StudyModel& model, std::vector<LevelCost> costs) const {
  if (costs == model.costs) return false;
  model.costs = std::move(costs);
  set_offer(study_, model);
  return true;
}

// Reported noise or accuracy is not scaled; only the nugget is added.
Channel StudyLearner::channel_of(const Annotation& annotation, const StudyModel& model) const {
  if (!study_.file().target->has_noise()) return accuracy_of(study_, annotation, model.learned);
  const int bias = bias_of(annotation.channel);
  const double noise = noise_variance(annotation.channel) + nugget_in(model, bias);
  if (annotation.reported) return GaussianChannel{noise, bias};
  const NoiseScales learned = scales_in(study_, model);
  const double more = (learned.base - 1.0) * annotation.base_noise +
                      (added_scale(study_, learned, annotation.level) - 1.0) * annotation.added_noise;
  return GaussianChannel{std::max(noise + more, 0.0), bias};
}

Channel StudyLearner::expected_channel(const Annotation& annotation, const StudyModel& model) const {
  if (!study_.file().target->has_noise()) return accuracy_of(study_, annotation, model.learned);
  const NoiseScales learned = scales_in(study_, model);
  const double base = learned.base * model.reported.base;
  const double added =
      added_scale(study_, learned, annotation.level) * added_scale(study_, model.reported, annotation.level);
  const double more = (base - 1.0) * annotation.base_noise + (added - 1.0) * annotation.added_noise;
  const int bias = bias_of(annotation.channel);
  const double noise = annotation.base_noise + annotation.added_noise + nugget_in(model, bias) + more;
  return GaussianChannel{std::max(noise, 0.0), bias};
}

Offer StudyLearner::offer_to(const std::string& person, const StudyModel& model) const {
  Offer offer = model.offer;
  if (!model.learned || !model.learned->accuracies || person.empty()) return offer;
  for (const PersonAccuracy& one : model.learned->accuracies->people)
    if (one.person == person) offer.levels[static_cast<std::size_t>(one.level)].channel = one.channel();
  return offer;
}

GoalCriterion StudyLearner::criterion(const StudyModel& model) const {
  const AcquisitionSetting& setting = study_.file().acquisition;
  const bool is_noisy = setting.adapts_criterion && model.learned && model.learned->noisy;
  return is_noisy ? GoalCriterion::prediction : setting.criterion;
}

bool StudyLearner::plans(const StudyModel& model) const {
  const AcquisitionSetting& setting = study_.file().acquisition;
  return setting.plan && !(setting.adapts_plan && criterion(model) == GoalCriterion::prediction);
}

// ---- What follows from a model --------------------------------------------------------------------------

std::unique_ptr<PoolBelief> StudyLearner::belief(const StudyModel& model, const PoolStorage& storage,
                                                 int threads) const {
  const StudyFile& file = study_.file();
  const auto make = [&](const PointsRef& points, const std::vector<Observation>& observations,
                        const std::optional<WholePool>& whole) {
    PoolStorage stored = storage;
    stored.whole = whole;
    return file.target->belief(model.prior, points, goal_under(model), observations, threads, stored,
                               file.merges_answers());
  };
  return share_belief(study_.pool().points(), model.observations, study_.shared_pool(), make);
}

// The goal with the noise of answers there as the model has it, and less weight where runs may fail.
std::shared_ptr<const Goal> StudyLearner::goal_under(const StudyModel& model) const {
  if (!study_.goal() || !study_.file().target->has_noise()) return study_.goal();
  Goal goal = *study_.goal();
  const std::vector<double> weights = goal_weights(model);
  goal.weights = Eigen::Map<const Vector>(weights.data(), goal.size());
  const NoiseScales learned = learned_scales(study_, model.learned);
  const double variance = variance_of(study_, model.prior);
  const double base = learned.base * model.reported.base;
  goal.noise = (base * goal.noise.array() + model.nugget).max(least_goal_noise * variance);
  return std::make_shared<const Goal>(std::move(goal));
}

// Where runs fail nobody predicts, math.md eq. (21.3). A goal of nothing else stays as it is.
std::vector<double> StudyLearner::goal_weights(const StudyModel& model) const {
  constexpr double least = 0.05;
  Vector weights = study_.goal()->weights;
  // A point of a contour that cannot be computed still has an f (math.md 21).
  const Finding* sought = study_.file().chosen_for();
  const bool is_contour = sought != nullptr && sought->is_contour();
  if (const Vector& q = model.goal_success; q.size() > 0 && !is_contour) {
    const Vector counted = (q.array() < least).select(0.0, q).cwiseProduct(weights);
    if (counted.sum() > 0.0) weights = counted / counted.sum();
  }
  return {weights.begin(), weights.end()};
}

AveragedModel StudyLearner::unaveraged(const StudyModel& model) const {
  return AveragedModel::point(model.prior, Observations(model.observations, study_.pool().points()),
                              model.nugget, study_.file().binary());
}

AveragedModel StudyLearner::averaged_plain(const StudyModel& model,
                                           const std::vector<Annotation>& annotations, int draws,
                                           int threads) const {
  const StudyFile& file = study_.file();
  const bool can_average = draws > 1 && model.learned && annotations.size() >= 3;
  if (!can_average) return unaveraged(model);
  const Observations as_seen(model.observations, study_.pool().points());
  const Observations as_told(observations_of(annotations), study_.pool().points());
  LearnOptions options = learn_options(study_, annotations, as_told, &*model.learned, threads);
  options.accuracy.reset();
  const Observations& used = file.nugget && !options.noise ? as_seen : as_told;
  const Vector& values = used.values();
  if (values.minCoeff() == values.maxCoeff()) return unaveraged(model);
  if (options.noise && file.nugget) options.noise->fixed.array() += *file.nugget;
  return AveragedModel::around(model.prior, used, options, draws);
}

}  // namespace acuity
