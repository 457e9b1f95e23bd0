#include <algorithm>
#include <cmath>
#include <limits>

#include "acuity/study/study_learner.hpp"
#include "data/pool_cells.hpp"
#include "model/belief_part.hpp"
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

// A part of the pool that a plan is made for.
struct SmallWorld {
  // `goal` may be null.
  SmallWorld(const StudyModel& model, const Study& study, const std::vector<Index>& rows,
             std::shared_ptr<const Goal> goal, const Candidates& all, int threads)
      : candidates(all.at(rows)), offer(model.offer.at(rows)) {
    const Pool& pool = study.pool();
    candidates.top_ups() = all.top_ups().of_points(rows);
    std::vector<Observation> known = model.observations;  // by their inputs: rows have other numbers here
    for (Observation& one : known)
      if (one.place.pool_row())
        one.place = Place(Vector(pool.points().row(*one.place.pool_row()).transpose()));
    belief = study.file().target->belief(model.prior, Points(pool.points()(rows, Eigen::all)),
                                         std::move(goal), known, threads, {}, false);
  }

  Candidates candidates;
  Offer offer;
  std::unique_ptr<PoolBelief> belief;
};

// Choices by a goal look at the whole pool every time: so many points and goal points at most, evenly spaced
// and by weight.
std::vector<Index> rows_for_goal(Index size) {
  constexpr Index most = 400;
  std::vector<Index> rows;
  for (Index i = 0, count = std::min(size, most); i < count; ++i) rows.push_back(i * size / count);
  return rows;
}

std::shared_ptr<const Goal> thinned_goal(const Goal& goal) {
  constexpr Index most = 64;
  const ThinnedGoal some = thin(goal.weights, std::min(goal.size(), most));
  Goal wanted{goal.points(some.points, Eigen::all), some.weights, {}};
  if (goal.noise.size() > 0) wanted.noise = goal.noise(some.points);
  return std::make_shared<const Goal>(std::move(wanted));
}

// More purchases than the money is enough for: those at the lowest price.
double most_purchases(const StudyModel& model, const Candidates& candidates) {
  double cheapest = std::numeric_limits<double>::infinity();
  if (const auto& range = model.acquisition.continuous)
    cheapest = (*range->cost)(range->vaguest.alpha);
  else
    for (const Index level : levels_in_play(model.offer, model.acquisition, candidates))
      cheapest = std::min(cheapest, model.offer.levels[static_cast<std::size_t>(level)].cost);
  return cheapest > 0.0 ? candidates.remaining() / cheapest : std::numeric_limits<double>::infinity();
}

// The middle one of each of as many cells of the open points as a plan needs; empty: all points. With three
// for every purchase, weights of prices compare as in the whole pool (docs/math.md 17.2).
std::vector<Index> rows_for_plan(const StudyModel& model, const Study& study, const Candidates& candidates) {
  constexpr double least = 1000.0, for_each_purchase = 3.0;
  const bool may_continue = std::any_of(model.offer.levels.begin(), model.offer.levels.end(),
                                        [](const Level& level) { return level.tops_up; });
  const double wanted = std::max(least, for_each_purchase * most_purchases(model, candidates));
  if (may_continue || 2.0 * wanted > static_cast<double>(study.pool().size())) return {};
  std::vector<Index> open, rows;
  for (Index row = 0; row < study.pool().size(); ++row)
    if (candidates.is_open(row)) open.push_back(row);
  if (2.0 * wanted > static_cast<double>(open.size())) return {};
  const std::vector<InputTransform> inputs = transforms_of(study.pool().columns());
  for (const std::vector<Index>& cell :
       cells_of(study.pool().points(), inputs, open, static_cast<Index>(wanted)))
    rows.push_back(cell[cell.size() / 2]);
  return rows;
}

// Relative to the variance of f.
Vector noise_of_levels(const StudyModel& model, double variance) {
  constexpr double least = 1e-6;
  Vector noise(static_cast<Index>(model.offer.levels.size()));
  for (Index k = 0; k < noise.size(); ++k)
    noise(k) = std::max(noise_variance(model.offer.channel(0, k)) / variance, least);
  return noise;
}

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
  const Job& job = study_.shared_pool().job();
  std::vector<Index> rows;
  std::shared_ptr<const Goal> goal;
  if (has_goal) {
    options.weights = {1.0, 0.6, 0.2, 0.0};
    rows = rows_for_goal(study_.pool().size());
    goal = thinned_goal(*goal_under(model));
  } else if (!own_part_of(belief).shard) {
    rows = rows_for_plan(model, study_, candidates);
  }
  if (rows.empty()) return plan_budget(belief, model.offer, model.acquisition, candidates, options, job);
  SmallWorld small(model, study_, rows, goal, candidates, options.threads);
  return plan_budget(*small.belief, small.offer, model.acquisition, small.candidates, options, job);
}

bool StudyLearner::may_change_plan(const Learned& before, const Learned& now) const {
  constexpr double much = 0.1;              // of a correlation
  const double much_noise = std::log(1.5);  // by a factor
  constexpr Index most = 24;
  const Index size = study_.pool().size(), count = std::min(size, most);
  Points some(count, study_.pool().points().cols());
  for (Index i = 0; i < count; ++i) some.row(i) = study_.pool().points().row(i * size / count);
  const StudyModel models[] = {model_given({}, before), model_given({}, now)};
  Matrix correlations[2];
  Vector noise[2];
  for (int k = 0; k < 2; ++k) {
    const Points x = models[1].prior.scaling.apply(some);
    const Matrix covariances = models[k].prior.kernel->cross(x, x);
    const double variance = covariances.diagonal().mean();
    correlations[k] = covariances / variance;
    noise[k] = noise_of_levels(models[k], variance);
  }
  const double moved = (correlations[1] - correlations[0]).norm() / static_cast<double>(count);
  return moved > much || ((noise[1].array() / noise[0].array()).log().abs() > much_noise).any();
}

}  // namespace acuity
