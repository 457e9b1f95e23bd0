#include "study/study_offer.hpp"

#include <algorithm>

#include "study/log_cost.hpp"
#include "study/study_noise.hpp"

namespace acuity {

namespace {

// The costs of one level at every point of the pool, and their averages.
void set_point_costs_of(const Study& study, std::size_t level, const LogCost& law, const Points& inputs,
                        StudyModel& model) {
  const SharedPool& shared = study.shared_pool();
  const PoolShard own = shared.own_part(study.pool().size());
  const double guess = study.offer().levels[level].cost;
  ExpectedCosts here = costs_at(law, guess, inputs);
  const Vector sums = shared.sums(own, 2, [&](Index begin, Index end, double* out) {
    out[0] = here.expected.segment(begin, end - begin).sum();
    out[1] = here.reserved.segment(begin, end - begin).sum();
  });
  model.offer.levels[level].cost = sums(0) / static_cast<double>(own.whole);
  model.offer.levels[level].reserve = sums(1) / static_cast<double>(own.whole);
  const auto elsewhere = [&](Vector ExpectedCosts::* which) {
    return [pool = study.pool(), scaling = study.cost_scaling(), law, guess, which](Index row) {
      const Points there = cost_features(scaling.apply(pool.points().middleRows(row, 1)), pool.columns());
      return (costs_at(law, guess, there).*which)(0);
    };
  };
  model.offer.point_costs[level] = {
      shared.values(own, std::move(here.expected), elsewhere(&ExpectedCosts::expected)),
      shared.values(own, std::move(here.reserved), elsewhere(&ExpectedCosts::reserved))};
}

void set_point_costs(const Study& study, StudyModel& model) {
  const auto by_inputs = [](const LevelCost& cost) { return cost.by_inputs.has_value(); };
  if (std::none_of(model.costs.begin(), model.costs.end(), by_inputs)) return;
  const Pool& pool = study.pool();
  const PoolShard own = study.shared_pool().own_part(pool.size());
  const Points inputs = cost_features(
      study.cost_scaling().apply(pool.points().middleRows(own.first, own.rows)), pool.columns());
  model.offer.point_costs.resize(model.offer.levels.size());
  for (std::size_t k = 0; k < model.costs.size(); ++k)
    if (model.costs[k].by_inputs) set_point_costs_of(study, k, *model.costs[k].by_inputs, inputs, model);
}

void set_costs(const Study& study, StudyModel& model) {
  for (std::size_t k = 0; k < model.costs.size() && k < model.offer.levels.size(); ++k) {
    model.offer.levels[k].cost = model.costs[k].expected;
    model.offer.levels[k].reserve = model.costs[k].reserved;
  }
  set_point_costs(study, model);
}

void set_accuracies(const Study& study, StudyModel& model) {
  if (!model.learned) return;
  std::vector<Level>& levels = model.offer.levels;
  if (model.learned->accuracies)
    for (std::size_t k = 0; k < levels.size(); ++k)
      if (levels[k].accuracy_weight > 0.0)
        levels[k].channel = model.learned->accuracies->channel_of_level(static_cast<Index>(k));
  if (!study.file().fit.noise || !model.learned->accuracy) return;
  const AccuracyLaw& law = *model.learned->accuracy;
  if (std::optional<ContinuousPrecision>& continuous = model.acquisition.continuous)
    continuous->law = {.gamma = law.gamma, .kappa = law.kappa};
  for (Level& level : levels) level.channel = FlipChannel{law(*level.alpha)};
}

void set_noise(const Study& study, StudyModel& model) {
  const NoiseScales learned = scales_in(study, model);
  // Links of a chain have nuggets of their own.
  const bool is_shared = !model.prior.chain;
  model.offer.base_noise = study.offer().base_noise.mapped(
      [scale = learned.base * model.reported.base, nugget = is_shared ? model.nugget : 0.0](double noise) {
        return noise * scale + nugget;
      });
  if (std::optional<ContinuousPrecision>& continuous = model.acquisition.continuous)
    continuous->law.gamma *= learned.added * model.reported.added;
  for (std::size_t k = 0; k < model.offer.levels.size(); ++k) {
    const auto at = static_cast<Index>(k);
    Level& level = model.offer.levels[k];
    const int bias = bias_of(level.channel);
    const double added = added_scale(study, learned, at) * added_scale(study, model.reported, at) *
                         noise_variance(level.channel);
    level.channel = GaussianChannel{added + (is_shared ? 0.0 : nugget_in(model, bias)), bias};
    if (k < model.prior.biases.size()) level.bias = model.prior.biases[k];
  }
}

}  // namespace

void set_offer(const Study& study, StudyModel& model) {
  model.offer = study.offer();
  model.acquisition = study.acquisition();
  AcquisitionSetting setting = study.file().acquisition;
  if (const GoalCriterion now = StudyLearner(study).criterion(model); now != setting.criterion) {
    setting.criterion = now;
    model.acquisition.information = study.file().target->information(setting);
  }
  set_costs(study, model);
  if (study.file().target->has_noise())
    set_noise(study, model);
  else
    set_accuracies(study, model);
}

}  // namespace acuity
