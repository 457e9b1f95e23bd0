#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/base/ranks.hpp"
#include "acuity/study/study.hpp"
#include "data/pool_sums.hpp"
#include "model/sharded_belief.hpp"
#include "study/log_cost.hpp"

// The model of a study: the prior, what is learned, and the belief about the pool.

namespace acuity {

namespace {

// Of the prior variance (math.md eq. (13.1)): keeps information about exact answers finite.
constexpr double least_goal_noise = 1e-9;

}  // namespace

std::unique_ptr<PoolBelief> Study::belief(const StudyModel& model, const PoolStorage& storage,
                                          int threads) const {
  const auto make = [&](const PointsRef& points, const std::vector<Observation>& observations,
                        const std::optional<WholePool>& whole) {
    PoolStorage stored = storage;
    stored.whole = whole;
    return file_.target->belief(model.prior, points, goal_under(model), observations, threads, stored,
                                file_.merges_answers());
  };
  if (!file_.ranks || file_.ranks->count() == 1)
    return make(pool_.points(), model.observations, std::nullopt);
  return std::make_unique<ShardedBelief>(pool_.points(), model.observations, file_.ranks, make);
}

// The goal with the noise of answers there as the model has it.
std::shared_ptr<const Goal> Study::goal_under(const StudyModel& model) const {
  if (!goal_ || file_.binary()) return goal_;
  Goal goal = *goal_;
  const NoiseScales learned = learned_scales(model.learned);
  const double variance = model.prior.kernel->diagonal(Points::Zero(1, pool_.points().cols()))(0);
  const double base = learned.base * model.reported.base;
  goal.noise = (base * goal.noise.array() + model.nugget).max(least_goal_noise * variance);
  return std::make_shared<const Goal>(std::move(goal));
}

Prior Study::prior_given(const std::vector<Annotation>& annotations) const {
  if (file_.standardise == Standardise::annotations) {
    const Observations observations(observations_of(annotations), pool_.points());
    return prior_for(observations.points(), observations.values());
  }
  Vector values(static_cast<Index>(annotations.size()));
  for (Index i = 0; i < values.size(); ++i) values(i) = annotations[static_cast<std::size_t>(i)].value;
  return prior_for({}, values);
}

// The points are needed only if they give the scaling.
Prior Study::prior_for(const Points& points, const Vector& values) const {
  Prior prior;
  prior.scaling = pool_scaling_;
  if (file_.standardise == Standardise::annotations)
    prior.scaling = Scaling::standardise(points, transforms_of(pool_.columns()));
  if (file_.mean)
    prior.mean = *file_.mean;
  else
    prior.mean = values.size() == 0 ? 0.0 : values.mean();
  // If squares of the residuals overflow, all predictions would be NaN.
  for (const double value : values)
    if (!std::isfinite((value - prior.mean) * (value - prior.mean)))
      throw NumericalError(file_.located(
          fmt::format("an annotation is {} and the mean {}, too far apart to compute with; must be rescaled",
                      value, prior.mean)));

  // Learned parameters start from the spread of answers and inputs.
  const Index inputs = pool_.points().cols();
  const std::optional<double> assumed = file_.target->defaults().amplitude;
  double amplitude = assumed.value_or(1.0);
  if (!assumed && values.size() > 0) {
    const double spread = std::sqrt((values.array() - prior.mean).square().mean());
    if (std::isnormal(spread * spread)) amplitude = spread;
  }
  std::vector<CategoryFactor> categories;
  std::vector<Index> numeric;
  for (Index k = 0; k < inputs; ++k) {
    const Input& input = pool_.columns()[static_cast<std::size_t>(k)];
    if (!input.is_category())
      numeric.push_back(k);
    else if (input.similarity)
      categories.push_back({k, CategoryFactor::lengthscale_of(*input.similarity), false});
    else
      categories.push_back({k, static_cast<double>(inputs), true});  // the centre of math.md eq. (14.4)
  }
  const auto numbers = static_cast<Index>(numeric.size());
  Vector lengthscale = Vector::Constant(file_.lengthscale_per_input ? numbers : std::min<Index>(1, numbers),
                                        std::sqrt(static_cast<double>(inputs)));
  if (input_spread_.size() > 0 && numbers > 0) {
    const Vector spread = input_spread_(numeric);
    if (file_.lengthscale_per_input)
      lengthscale = lengthscale.cwiseProduct(spread);
    else
      lengthscale *= spread.norm() / std::sqrt(static_cast<double>(numbers));
  }
  if (!file_.lengthscale.empty() && numbers > 0)
    lengthscale =
        Eigen::Map<const Vector>(file_.lengthscale.data(), static_cast<Index>(file_.lengthscale.size()));
  prior.kernel = std::make_shared<StationaryKernel>(
      StationaryKernelOptions{.family = file_.kernel,
                              .amplitude = file_.amplitude.value_or(amplitude),
                              .lengthscale = lengthscale,
                              .categories = std::move(categories)});
  if (file_.has_bias())
    for (const Level& level : offer_.levels) prior.biases.push_back(level.bias);
  return prior;
}

// Options for learning the noise or the accuracy, starting from the values learned before.
LearnOptions Study::learn_options(const std::vector<Annotation>& annotations,
                                  const Observations& observations, const Learned* before,
                                  int threads) const {
  LearnOptions options{.optimiser = file_.fit.optimiser,
                       .restarts = file_.fit.restarts,
                       .seed = file_.seed,
                       .threads = threads,
                       .hyperparameter_prior = file_.fit.prior,
                       .nugget = std::nullopt,
                       .noise = std::nullopt,
                       .accuracy = std::nullopt,
                       .progress = {},
                       .pool = spread_sample(pool_.points()),
                       .input_spread = input_spread_};
  if (!file_.nugget) options.nugget = before != nullptr ? before->nugget : 0.0;
  if (!file_.fit.noise && !file_.learns_bias()) return options;
  if (file_.binary()) {
    AccuracyParts accuracy{.law = before && before->accuracy ? *before->accuracy : file_.ladder->accuracy(),
                           .alpha = {}};
    for (const Annotation& annotation : annotations)
      accuracy.alpha.push_back(annotation.reported ? std::nullopt : annotation.alpha);
    // If every accuracy was reported there is nothing to learn, and the study's values are kept.
    if (std::any_of(accuracy.alpha.begin(), accuracy.alpha.end(), [](const auto& alpha) { return alpha; }))
      options.accuracy = std::move(accuracy);
    return options;
  }
  const Index n = observations.size();
  NoiseParts parts{.fixed = observations.noise(), .base = Vector::Zero(n), .added = Vector::Zero(n)};
  if (!is_ladder()) parts.levels.assign(offer_.levels.size(), Vector::Zero(n));
  for (Index i = 0; i < n; ++i) {
    const Annotation& annotation = annotations[static_cast<std::size_t>(i)];
    if (annotation.reported) continue;
    if (file_.fit.noise) {
      parts.base(i) = annotation.base_noise;
      parts.fixed(i) -= annotation.base_noise;
    }
    if (is_ladder())
      parts.added(i) = annotation.added_noise;
    else if (learns_scale(annotation.level))
      parts.levels[static_cast<std::size_t>(*annotation.level)](i) = annotation.added_noise;
    if (is_ladder() || learns_scale(annotation.level)) parts.fixed(i) -= annotation.added_noise;
  }
  parts.fixed = parts.fixed.cwiseMax(0.0);
  parts.start = learned_scales(before == nullptr ? std::nullopt : std::optional(*before));
  options.noise = std::move(parts);
  return options;
}

Learned Study::learn_from(const std::vector<Annotation>& annotations,
                          const std::function<void(int, double)>& progress, int threads,
                          const Learned* before, std::int64_t learned_at,
                          const std::vector<GoldAnswer>& gold) const {
  if (!file_.learns_accuracy()) return learn_given(annotations, progress, threads, before, learned_at);
  // Kernel and accuracies in turn (math.md 15.1); the first time twice, since the guess may be far off.
  Learned learned = learn_given(annotations, progress, threads, before, learned_at);
  learned.accuracies = learn_accuracies(learned.prior, annotations, gold);
  if (before != nullptr && before->accuracies) return learned;
  learned = learn_given(annotations, progress, threads, &learned, 0);
  learned.accuracies = learn_accuracies(learned.prior, annotations, gold);
  return learned;
}

Learned Study::learn_given(const std::vector<Annotation>& annotations,
                           const std::function<void(int, double)>& progress, int threads,
                           const Learned* before, std::int64_t learned_at) const {
  const Observations given(observations_under(annotations, before), pool_.points());
  // The paper's rule starts from the study's values each time.
  if (file_.fit.optimiser == Optimiser::adam) before = nullptr;
  Prior prior = prior_for(given.points(), given.values());
  if (before) prior.kernel = before->prior.kernel, prior.biases = before->prior.biases;
  // A nugget given by the study is part of the known noise.
  const Observations observations =
      file_.nugget.value_or(0.0) > 0.0 ? given.with_noise(given.noise().array() + *file_.nugget) : given;
  const Vector& values = observations.values();
  const bool modern = !file_.nugget || file_.fit.prior == HyperparameterPrior::weak;
  if (modern && (values.size() < 3 || values.minCoeff() == values.maxCoeff())) {
    const std::string why = values.size() < 3
                                ? fmt::format("there are {} values, must be three or more", values.size())
                                : "all values are the same";
    Learned kept{.prior = prior, .reason = "the earlier values are kept: " + why};
    if (before) kept = *before, kept.reason = "the earlier values are kept: " + why;
    if (!before) kept.nugget = nugget({}, prior);
    kept.log_marginal_likelihood =
        values.size() == 0 || file_.binary() ? 0.0 : likelihood(prior, observations).log_marginal;
    return kept;
  }
  LearnOptions options = learn_options(annotations, observations, before, threads);
  options.progress = progress;
  const bool is_penalised = file_.fit.prior == HyperparameterPrior::weak;
  if (before && is_penalised && !search_is_due(values.size(), learned_at)) options.restarts = 0;
  Learned learned = learn(prior, observations, options);
  if (file_.nugget) learned.nugget = *file_.nugget;
  return learned;
}

double Study::nugget(const std::optional<Learned>& learned, const Prior& prior) const {
  if (file_.nugget) return *file_.nugget;
  if (learned) return learned->nugget;
  constexpr double share = 0.01;  // the centre of its prior (math.md 11.2)
  return share * prior.kernel->diagonal(Points::Zero(1, pool_.points().cols()))(0);
}

// Whether the noise of a level has a scale that is learned: every level's under `fit_noise`, and the white
// part of a bias.
bool Study::learns_scale(std::optional<Index> level) const {
  if (!level || is_ladder()) return false;
  return file_.fit.noise || offer_.levels[static_cast<std::size_t>(*level)].bias.learned();
}

// The scales learned by `fit_noise`, and the share of the declared error of a level with bias that is its
// white part; 1 otherwise.
NoiseScales Study::learned_scales(const std::optional<Learned>& learned) const {
  NoiseScales scales;
  if (learned && file_.fit.noise)
    scales = {.added = learned->added_scale, .base = learned->base_scale, .levels = learned->level_scales};
  if (!file_.learns_bias()) return scales;
  scales.levels.assign(offer_.levels.size(), 1.0);
  for (std::size_t k = 0; k < offer_.levels.size(); ++k) {
    if (offer_.levels[k].bias.learned()) scales.levels[k] = LevelBias::assumed_white_share;
    if (learned && k < learned->level_scales.size() && learns_scale(static_cast<Index>(k)))
      scales.levels[k] = learned->level_scales[k];
  }
  return scales;
}

// Ladders have one scale, of gamma; price lists have one scale per level.
double Study::added_scale(const NoiseScales& scales, std::optional<Index> level) const {
  if (is_ladder()) return scales.added;
  const bool has_scale = level && static_cast<std::size_t>(*level) < scales.levels.size();
  return has_scale ? scales.levels[static_cast<std::size_t>(*level)] : 1.0;
}

Channel Study::accuracy_of(const Annotation& annotation, const std::optional<Learned>& learned) const {
  if (learned && learned->accuracies && learns_accuracy(annotation))
    return FlipChannel{learned->accuracies->of(annotation.worker, *annotation.level)};
  const bool is_learned = learned && file_.fit.noise && learned->accuracy;
  if (!is_learned || annotation.reported || !annotation.alpha) return annotation.channel;
  return FlipChannel{(*learned->accuracy)(*annotation.alpha)};
}

// Reported noise or accuracy is not scaled; only the nugget is added.
Channel Study::channel_of(const Annotation& annotation, const StudyModel& model) const {
  if (file_.binary()) return accuracy_of(annotation, model.learned);
  const double noise = noise_variance(annotation.channel) + model.nugget;
  const int bias = bias_of(annotation.channel);
  if (annotation.reported) return GaussianChannel{noise, bias};
  const NoiseScales learned = learned_scales(model.learned);
  const double more = (learned.base - 1.0) * annotation.base_noise +
                      (added_scale(learned, annotation.level) - 1.0) * annotation.added_noise;
  return GaussianChannel{noise + more, bias};
}

Channel Study::expected_channel(const Annotation& annotation, const StudyModel& model) const {
  if (file_.binary()) return accuracy_of(annotation, model.learned);
  const NoiseScales learned = learned_scales(model.learned);
  const double base = learned.base * model.reported.base;
  const double added = added_scale(learned, annotation.level) * added_scale(model.reported, annotation.level);
  const double more = (base - 1.0) * annotation.base_noise + (added - 1.0) * annotation.added_noise;
  return GaussianChannel{annotation.base_noise + annotation.added_noise + model.nugget + more,
                         bias_of(annotation.channel)};
}

// math.md 11.4. Learned scales are applied to the declared noise first.
NoiseScales Study::scales_of_reports(const std::vector<Annotation>& annotations,
                                     const std::optional<Learned>& learned) const {
  if (file_.binary() || file_.fit.never()) return {};
  const NoiseScales before = learned_scales(learned);
  std::vector<NoiseReport> reports;
  for (const Annotation& annotation : annotations) {
    const bool has_level = is_ladder() ? annotation.alpha.has_value() : annotation.level.has_value();
    if (!annotation.reported || !has_level) continue;
    // Of the white part of a bias that is learned the answers say more than reports do.
    if (annotation.level && offer_.levels[static_cast<std::size_t>(*annotation.level)].bias.learned())
      continue;
    const NoiseReport report{.reported = noise_variance(annotation.channel),
                             .base = before.base * annotation.base_noise,
                             .added = added_scale(before, annotation.level) * annotation.added_noise,
                             .level = is_ladder() ? 0 : *annotation.level};
    // Noise that is declared to be 0 has no scale.
    if (report.base + report.added > 0.0) reports.push_back(report);
  }
  if (reports.empty()) return {};
  NoiseScales scales =
      scales_from_reports(reports, is_ladder() ? 1 : static_cast<Index>(offer_.levels.size()));
  if (is_ladder()) {
    scales.added = scales.levels.front();
    scales.levels.clear();
  }
  return scales;
}

std::int64_t Study::learns_from(std::int64_t annotations, std::int64_t last) const {
  if (!file_.fit.automatic) return file_.fit.every > 0 ? annotations / file_.fit.every * file_.fit.every : 0;
  constexpr std::int64_t least = 3;
  if (annotations < least) return 0;
  const auto grown = static_cast<std::int64_t>(std::ceil(1.15 * static_cast<double>(last) - 1e-9));
  const bool is_due = annotations >= std::max(last + 1, grown);
  return is_due ? annotations : std::min(last, annotations);
}

StudyModel Study::model_given(const std::vector<Annotation>& annotations, int threads) const {
  const std::int64_t used = learns_from(static_cast<std::int64_t>(annotations.size()));
  std::optional<Learned> learned;
  if (used > 0) learned = learn_from({annotations.begin(), annotations.begin() + used}, {}, threads);
  return model_given(annotations, std::move(learned));
}

StudyModel Study::model_given(const std::vector<Annotation>& annotations,
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
  if (file_.merges_answers())
    model.observations = observations_under(annotations, model.learned ? &*model.learned : nullptr);
  else
    for (std::size_t i = 0; i < annotations.size(); ++i)
      model.observations[i].channel = channel_of(annotations[i], model);
  model.reported = scales_of_reports(annotations, model.learned);
  set_offer(model);
  return model;
}

bool Study::take_reports(StudyModel& model, const std::vector<Annotation>& annotations) const {
  NoiseScales reported = scales_of_reports(annotations, model.learned);
  if (reported == model.reported) return false;
  model.reported = std::move(reported);
  set_offer(model);
  return true;
}

bool Study::take_costs(StudyModel& model, std::vector<LevelCost> costs) const {
  if (costs == model.costs) return false;
  model.costs = std::move(costs);
  set_offer(model);
  return true;
}

Vector Study::cost_inputs(const Place& place) const {
  Points here(1, pool_.points().cols());
  if (place.pool_row())
    here.row(0) = pool_.points().row(*place.pool_row());
  else
    here.row(0) = place.coordinates().transpose();
  return cost_features(cost_scaling_.apply(here), pool_.columns()).row(0).transpose();
}

void Study::set_point_costs(StudyModel& model) const {
  const auto by_inputs = [](const LevelCost& cost) { return cost.by_inputs.has_value(); };
  if (std::none_of(model.costs.begin(), model.costs.end(), by_inputs)) return;
  const PoolShard own = own_part();
  Ranks& ranks = file_.ranks ? *file_.ranks : one_rank();
  const Points inputs =
      cost_features(cost_scaling_.apply(pool_.points().middleRows(own.first, own.rows)), pool_.columns());
  model.offer.point_costs.resize(model.offer.levels.size());
  for (std::size_t k = 0; k < model.costs.size(); ++k) {
    if (!model.costs[k].by_inputs) continue;
    const LogCost& law = *model.costs[k].by_inputs;
    const double guess = offer_.levels[k].cost;
    ExpectedCosts here = costs_at(law, guess, inputs);
    const Vector sums = sums_over_pool(ranks, own, 2, [&](Index begin, Index end, double* out) {
      out[0] = here.expected.segment(begin, end - begin).sum();
      out[1] = here.reserved.segment(begin, end - begin).sum();
    });
    model.offer.levels[k].cost = sums(0) / static_cast<double>(own.whole);
    model.offer.levels[k].reserve = sums(1) / static_cast<double>(own.whole);
    const auto elsewhere = [&](Vector ExpectedCosts::* which) {
      return [pool = pool_, scaling = cost_scaling_, law, guess, which](Index row) {
        const Points there = cost_features(scaling.apply(pool.points().middleRows(row, 1)), pool.columns());
        return (costs_at(law, guess, there).*which)(0);
      };
    };
    model.offer.point_costs[k] = {
        values_of_ranks(ranks, own, std::move(here.expected), elsewhere(&ExpectedCosts::expected)),
        values_of_ranks(ranks, own, std::move(here.reserved), elsewhere(&ExpectedCosts::reserved))};
  }
}

// Sets the offer of a model, with noise or accuracy as learned and reported, and costs as reported.
void Study::set_offer(StudyModel& model) const {
  model.offer = offer_;
  model.acquisition = acquisition_;
  for (std::size_t k = 0; k < model.costs.size() && k < model.offer.levels.size(); ++k) {
    model.offer.levels[k].cost = model.costs[k].expected;
    model.offer.levels[k].reserve = model.costs[k].reserved;
  }
  set_point_costs(model);
  std::optional<ContinuousPrecision>& continuous = model.acquisition.continuous;
  if (file_.binary()) {
    if (model.learned && model.learned->accuracies)
      for (std::size_t k = 0; k < model.offer.levels.size(); ++k)
        if (model.offer.levels[k].accuracy_weight > 0.0)
          model.offer.levels[k].channel = FlipChannel{model.learned->accuracies->level[k]};
    if (!model.learned || !file_.fit.noise || !model.learned->accuracy) return;
    const AccuracyLaw& law = *model.learned->accuracy;
    if (continuous) continuous->law = {.gamma = law.gamma, .kappa = law.kappa};
    for (Level& level : model.offer.levels) level.channel = FlipChannel{law(*level.alpha)};
    return;
  }
  const NoiseScales learned = learned_scales(model.learned);
  model.offer.base_noise =
      offer_.base_noise.mapped([scale = learned.base * model.reported.base,
                                nugget = model.nugget](double noise) { return noise * scale + nugget; });
  if (continuous) continuous->law.gamma *= learned.added * model.reported.added;
  for (std::size_t k = 0; k < model.offer.levels.size(); ++k) {
    const auto at = static_cast<Index>(k);
    Level& level = model.offer.levels[k];
    level.channel = GaussianChannel{
        added_scale(learned, at) * added_scale(model.reported, at) * noise_variance(level.channel),
        bias_of(level.channel)};
    if (k < model.prior.biases.size()) level.bias = model.prior.biases[k];
  }
}

AveragedModel Study::averaged(const StudyModel& model, const std::vector<Annotation>& annotations,
                              int threads) const {
  const Observations as_seen(model.observations, pool_.points());
  const bool can_average = file_.average > 1 && model.learned && annotations.size() >= 3;
  if (!can_average) return AveragedModel::point(model.prior, as_seen, model.nugget, file_.binary());
  const Observations as_told(observations_of(annotations), pool_.points());
  LearnOptions options = learn_options(annotations, as_told, &*model.learned, threads);
  options.accuracy.reset();
  const Observations& used = file_.nugget && !options.noise ? as_seen : as_told;
  const Vector& values = used.values();
  if (values.minCoeff() == values.maxCoeff())
    return AveragedModel::point(model.prior, as_seen, model.nugget, file_.binary());
  if (options.noise && file_.nugget) options.noise->fixed.array() += *file_.nugget;
  AveragedModel averaged = AveragedModel::around(model.prior, used, options, file_.average);
  return averaged;
}

}  // namespace acuity
