#include <algorithm>

#include "acuity/study/study_learner.hpp"
#include "model/goal_covariances.hpp"

namespace acuity {

namespace {

// By how much the nugget may differ from its estimate: to the 10 % and 90 % quantiles of the draws that
// predictions are averaged over.
std::vector<PossibleNoise> nugget_changes(const AveragedModel& averaged, double nugget) {
  std::vector<std::pair<double, double>> drawn;  // with weights
  for (const HyperparameterDraw& draw : averaged.draws()) drawn.emplace_back(draw.nugget, draw.weight);
  if (drawn.size() < 2) return {};
  std::sort(drawn.begin(), drawn.end());
  const auto quantile = [&](double share) {
    double sum = 0.0;
    for (const auto& [value, weight] : drawn)
      if ((sum += weight) >= share) return value;
    return drawn.back().first;
  };
  return {{.change = quantile(0.1) - nugget}, {.change = quantile(0.9) - nugget}};
}

// These draws are around one summit of the likelihood. The other one, with more noise, would make a plan for
// exact answers a waste of money (math.md 11.5).
void add_noisier(const StudyModel& model, std::vector<PossibleNoise>& changes) {
  if (!model.learned || !model.learned->noisier) return;
  const NoisierFit& other = *model.learned->noisier;
  constexpr double least = 0.01, largest = 0.99;
  if (other.probability < least || other.nugget <= model.nugget) return;
  const double probability = std::min(other.probability, largest);
  const double around = 1.0 + static_cast<double>(changes.size());
  changes.push_back(
      {.change = other.nugget - model.nugget, .weight = around * probability / (1.0 - probability)});
}

// Choices by a goal look at the whole pool every time, so their plan is made for a part of it.
struct SmallWorld {
  // So many points and goal points at most, evenly spaced and by weight.
  static constexpr Index most_points = 400, most_goals = 64;

  SmallWorld(const StudyModel& model, const Study& study, const Goal& goal, const Candidates& all,
             int threads)
      : candidates(all) {
    const Pool& pool = study.pool();
    const Index size = pool.size(), count = std::min(size, most_points);
    std::vector<Index> rows;
    for (Index i = 0; i < count; ++i) rows.push_back(i * size / count);
    candidates = all.at(rows);
    candidates.top_ups() = all.top_ups().of_points(rows);
    offer = model.offer.at(rows);
    const ThinnedGoal some = thin(goal.weights, std::min(goal.size(), most_goals));
    Goal wanted{goal.points(some.points, Eigen::all), some.weights, {}};
    if (goal.noise.size() > 0) wanted.noise = goal.noise(some.points);
    std::vector<Observation> known = model.observations;  // by their inputs: rows have other numbers here
    for (Observation& one : known)
      if (one.place.pool_row())
        one.place = Place(Vector(pool.points().row(*one.place.pool_row()).transpose()));
    belief = study.file().target->belief(model.prior, Points(pool.points()(rows, Eigen::all)),
                                         std::make_shared<const Goal>(std::move(wanted)), known, threads, {},
                                         false);
  }

  Candidates candidates;
  Offer offer;
  std::unique_ptr<PoolBelief> belief;
};

}  // namespace

BudgetPlan StudyLearner::plan(const StudyModel& given, const std::vector<Annotation>& annotations,
                              PoolBelief& belief, const Candidates& candidates, PlanOptions options) const {
  StudyModel model = given;  // a belief that follows a campaign does not keep its observations up to date
  model.observations.clear();
  for (const Annotation& one : annotations)
    model.observations.push_back({one.place, one.value, channel_of(one, model)});
  // The information of answers with bias is about their own point alone, so that its sum is no aim.
  if (study_.file().has_bias() && study_.file().acquisition.kind == AcquisitionSetting::Kind::model)
    options.aim = PlanAim::pool_variance;
  // With many answers the nugget is well known, and drawing it takes long.
  constexpr std::size_t many_annotations = 300;
  if (!study_.file().nugget && !model.prior.chain && model.learned && annotations.size() <= many_annotations)
    options.noise_changes = nugget_changes(
        averaged_plain(model, annotations, study_.file().average, options.threads), model.nugget);
  options.most_operations = 1.5e10;  // a few seconds
  const bool has_goal = study_.goal() != nullptr;
  if (has_goal && options.noise_changes.size() > 1)
    options.noise_changes.erase(options.noise_changes.begin());
  if (!model.prior.chain) add_noisier(model, options.noise_changes);
  if (!has_goal)
    return plan_budget(belief, model.offer, model.acquisition, candidates, options,
                       study_.shared_pool().job());
  options.weights = {1.0, 0.6, 0.2, 0.0};
  SmallWorld small(model, study_, *goal_under(model), candidates, options.threads);
  return plan_budget(*small.belief, small.offer, model.acquisition, small.candidates, options,
                     study_.shared_pool().job());
}

}  // namespace acuity
