#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "acquisition/precision_search.hpp"
#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "acuity/data/table.hpp"
#include "acuity/study/study.hpp"
#include "study/displayed_columns.hpp"
#include "study/gold_items.hpp"
#include "study/ladder_price.hpp"
#include "study/noise_law.hpp"
#include "study/pool_reader.hpp"
#include "study/study_goal.hpp"
#include "text/level_text.hpp"

// Makes a study from a file, from values, or from another study.

namespace acuity {

namespace {

std::shared_ptr<const CostFunction> make_cost(const StudyFile& study) {
  const CostSetting& setting = study.ladder->cost;
  if (const auto* power = std::get_if<PowerCostSetting>(&setting))
    return std::make_shared<PowerCost>(PowerCostOptions{.c = power->c, .q = power->q});
  if (const auto* linear = std::get_if<LinearCostSetting>(&setting))
    return std::make_shared<LinearCost>(LinearCostOptions{.b = linear->b, .c = linear->c});
  try {
    return std::make_shared<ExpressionCost>(std::get<std::string>(setting));
  } catch (const InputError& error) {
    study.complain(std::string("precision.cost: ") + error.what());
  }
}

// The rungs of the ladder with their costs, or the price list.
std::vector<Level> make_levels(const StudyFile& study, const CostFunction* cost) {
  if (!study.ladder) return study.price_list;
  std::vector<Level> levels;
  for (const Precision& rung : study.ladder->rungs) {
    const double price = (*cost)(rung.alpha);
    if (const std::string required = price_requirement(price); !required.empty())
      study.complain(fmt::format("precision.cost is {} at alpha = {}, must be {}", price_text(price),
                                 rung.alpha, required));
    levels.push_back({.name = {},
                      .alpha = rung.alpha,
                      .channel = study.ladder->law(rung),
                      .cost = price,
                      .value = rung.alpha});
  }
  return levels;
}

// Every precision of a continuous range must have a positive price. The scan is refined at its lowest prices,
// so that a formula that reaches 0 is refused here and not later at some pool point.
void check_continuous_cost(const StudyFile& study, const CostFunction& cost) {
  constexpr int steps = 1024;
  const Precision &from = study.ladder->rungs.front(), &to = study.ladder->rungs.back();
  const auto precision = [&](double share) {
    return study.target->defaults().has_inverse_spacing
               ? Precision::of_inverse(std::lerp(from.inverse, to.inverse, share))
               : Precision::of(std::lerp(from.alpha, to.alpha, share));
  };
  const auto price = [&](double share) { return cost(precision(share).alpha); };
  const auto check = [&](double share, double counts_as_0) {
    const double found = price(share), alpha = precision(share).alpha;
    if (found > largest_amount)
      study.complain(fmt::format("precision.cost is {} at alpha = {}, must be {}", price_text(found), alpha,
                                 price_requirement(found)));
    if (found > counts_as_0) return;
    study.complain(
        found > 0.0
            ? fmt::format("precision.cost falls to 0 at alpha = {}, must stay above 0", alpha)
            : fmt::format("precision.cost is {} at alpha = {}, must be above 0", price_text(found), alpha));
  };
  std::vector<double> prices;
  double highest = 0.0;
  for (int i = 0; i <= steps; ++i) {
    check(i / double{steps}, 0.0);
    prices.push_back(price(i / double{steps}));
    if (std::isfinite(prices.back())) highest = std::max(highest, prices.back());
  }
  for (int i = 1; i < steps; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (prices[at] > prices[at - 1] || prices[at] > prices[at + 1]) continue;
    const double lowest =
        precision_search::polish([&](double share) { return -price(share); }, (i - 1) / double{steps},
                                 i / double{steps}, (i + 1) / double{steps});
    check(lowest, 1e-15 * highest);
  }
}

void check_total_noise(const StudyFile& study, const Pool& pool, const Offer& offer) {
  if (!study.target->has_noise()) return;
  const bool has_nugget = study.nugget != 0.0;  // one that is learned is never 0
  const double base = offer.base_noise.lowest(), loudest = offer.base_noise.highest();
  for (const Level& level : offer.levels) {
    const std::string which = describe_in_sentence(level);
    if (!std::isfinite(loudest + noise_variance(level.channel)))
      study.complain(fmt::format("the total noise of {} is too large for a number, must be finite", which));
    if (level.exact || has_nugget || base + noise_variance(level.channel) > 0.0) continue;
    study.complain(fmt::format("the total noise of {} is 0 at {}, must be above 0{}", which,
                               pool.where(offer.base_noise.lowest_at()),
                               level.alpha ? "" : " (or say exact = true)"));
  }
}

Acquisition make_acquisition(const StudyFile& study, const Offer& offer,
                             std::shared_ptr<const CostFunction> cost) {
  using Kind = AcquisitionSetting::Kind;
  const AcquisitionSetting& setting = study.acquisition;
  Acquisition acquisition;
  acquisition.seed = study.seed;
  acquisition.price_weight = setting.price_weight;
  if (study.ladder && study.ladder->continuous)
    acquisition.continuous = ContinuousPrecision{.vaguest = study.ladder->rungs.front(),
                                                 .sharpest = study.ladder->rungs.back(),
                                                 .law = study.ladder->law,
                                                 .cost = std::move(cost)};
  if (setting.kind == Kind::bald) acquisition.ranking = Ranking::information;
  if (setting.kind == Kind::random) acquisition.ranking = Ranking::random;
  acquisition.information = study.target->information(setting);
  if (setting.kind == Kind::target && setting.target.graph == TargetGraph::b &&
      setting.target.infinite == InfinitePolicy::refuse)
    for (const Level& level : offer.levels)
      if (const auto* gaussian = std::get_if<GaussianChannel>(&level.channel);
          gaussian != nullptr && gaussian->noise_variance == 0.0)
        study.complain(
            fmt::format("acquisition.infinite is \"refuse\": with graph \"b\" an answer at {} is Y itself, "
                        "so its information is infinite at every point and ranks none; must be \"limit\" or "
                        "\"first\", or leave that level out",
                        describe_in_sentence(level)));
  return acquisition;
}

// Structures that were named, and make no difference here. All of them are the default.
void add_structure_remarks(const StudyFile& study, const Pool& pool, std::vector<std::string>& remarks) {
  if (study.structures.size() == 5) return;
  const auto numeric = std::count_if(pool.columns().begin(), pool.columns().end(),
                                     [](const Input& input) { return !input.is_category(); });
  for (const Structure structure : study.structures) {
    if ((structure == Structure::additive || structure == Structure::smooth) && numeric < 2)
      remarks.push_back(
          fmt::format("model.structure names \"{}\", which needs two inputs that are numbers: it is left out",
                      name_of(structure)));
    if (structure == Structure::ranked && numeric == 0)
      remarks.emplace_back(
          "model.structure names \"ranked\", which needs an input that is a number: it is left out");
    if (structure == Structure::transformed && study.has_bias())
      remarks.emplace_back(
          "model.structure names \"transformed\", which levels with a bias do not allow: it is left out");
  }
}

std::vector<std::string> make_remarks(const StudyFile& study, const Pool& pool, const Offer& offer) {
  std::vector<std::string> remarks;
  if (const auto* noise = std::get_if<NoiseColumn>(&study.noise))
    if (!study.inputs &&
        std::find(pool.inputs().begin(), pool.inputs().end(), noise->name) != pool.inputs().end())
      remarks.push_back(fmt::format(
          "column \"{}\" is both noise.variance and an input; pool.inputs can leave it out", noise->name));
  for (const Level& level : offer.levels)
    if (study.target->is_logarithmic() && level.alpha == std::nullopt && noise_variance(level.channel) > 0.04)
      remarks.push_back(fmt::format(
          "noise_relative of level \"{}\" is {:.3g}: above 0.2 it must be the standard deviation of the "
          "logarithm, which is larger than that of the answer relative to it",
          level.name, std::sqrt(noise_variance(level.channel))));
  add_structure_remarks(study, pool, remarks);
  using Kind = AcquisitionSetting::Kind;
  const AcquisitionSetting& how = study.acquisition;
  const bool ranks_infinities = how.kind == Kind::target && how.target.graph == TargetGraph::b &&
                                how.target.infinite == InfinitePolicy::limit;
  for (const Level& level : offer.levels)
    if (level.exact && offer.base_noise.lowest() == 0.0 && how.kind != Kind::random &&
        how.kind != Kind::goal && study.nugget == 0.0 && !ranks_infinities)
      remarks.push_back(
          fmt::format("level \"{}\" is exact where sigma^2(x) is 0: its information is infinite there, all "
                      "such points tie, and the "
                      "lowest pool row wins",
                      level.name));
  return remarks;
}

// Whether the budget buys an answer at every point, each of which closes its point.
bool buys_the_whole_pool(const StudyFile& file, const Pool& pool, const Offer& offer) {
  if (file.repeat || file.closes_pairs || !file.budget || offer.levels.empty()) return false;
  const auto cheapest = std::min_element(offer.levels.begin(), offer.levels.end(),
                                         [](const Level& a, const Level& b) { return a.cost < b.cost; });
  return *file.budget >= cheapest->cost * static_cast<double>(pool.size());
}

// What the study file alone does not decide.
void settle_acquisition(StudyFile& file, const Pool& pool, const Offer& offer, bool goal_is_given) {
  AcquisitionSetting& setting = file.acquisition;
  // Choices for a goal keep their covariances with every point of the pool.
  constexpr Index most_points_by_default = 100'000;
  if (setting.is_default && setting.kind == AcquisitionSetting::Kind::goal && !goal_is_given &&
      pool.size() > most_points_by_default) {
    setting.kind = AcquisitionSetting::Kind::model;
    setting.adapts_criterion = setting.adapts_plan = false;
  }
  // Without a plan points would be used up by cheap answers, and money would be left.
  if (buys_the_whole_pool(file, pool, offer)) setting.adapts_plan = false;
  // The noise of answers at points that are not of the pool is then not known.
  const bool has_own_goal = goal_is_given || (file.goal && !file.goal->whole_pool());
  if (has_own_goal && std::holds_alternative<NoiseColumn>(file.noise))
    setting.adapts_criterion = setting.adapts_plan = false;
}

void remove_biases(std::vector<Level>& levels) {
  for (Level& level : levels) {
    level.bias = {};
    level.relation = LevelRelation::noise;
    if (auto* gaussian = std::get_if<GaussianChannel>(&level.channel)) gaussian->bias = 0;
  }
}

Pool some_of(const Pool& pool, const std::vector<Index>& rows) {
  std::vector<std::string> ids;
  for (const Index row : rows) ids.push_back(pool.id(row));
  return Pool(Points(pool.points()(rows, Eigen::all)), pool.inputs(), std::move(ids),
              "the sample of the pool")
      .described(pool.columns());
}

// sigma^2 at every point of a pool that was not read from a table.
PointValues noise_at_points(const StudyFile& settings, const NoiseLaw& law, const Pool& pool, Vector given) {
  const bool by_point = std::holds_alternative<NoiseColumn>(settings.noise);
  if (by_point != (given.size() > 0))
    settings.complain(by_point ? "noise.variance is a column, so there must be a variance for every point"
                               : "there are variances for the points, so noise.variance must be a column");
  if (!by_point) {
    if (const std::optional<double> constant = law.constant())
      return PointValues::constant(pool.size(), *constant);
    return noise_at_points(law, pool);
  }
  if (given.size() != pool.size())
    settings.complain(fmt::format("there are {} noise variances and {} points, must be as many of each",
                                  given.size(), pool.size()));
  for (Index row = 0; row < pool.size(); ++row)
    if (!(std::isfinite(given(row)) && given(row) >= 0.0))
      throw InputError(fmt::format("{}: the noise variance is {}, must be a finite number, 0 or more",
                                   pool.where(row), given(row)));
  return given;
}

bool is_positive(double value) {
  return std::isfinite(value) && value > 0.0;
}

void require_valid_levels(const StudyFile& study) {
  if (study.ladder.has_value() == !study.price_list.empty())
    study.complain(study.ladder ? "there are a ladder and a price list, must be one of them"
                                : "there are neither a ladder nor a price list, must be one of them");
  std::unordered_set<std::string> names;
  for (const Level& level : study.price_list) {
    const std::string which = "level \"" + level.name + "\"";
    if (level.name.empty()) study.complain("a level has no name, must have one");
    if (!names.insert(level.name).second) study.complain(which + " is given twice, must be unique");
    if (const std::string required = price_requirement(level.cost); !required.empty())
      study.complain(
          fmt::format("the cost of {} is {}, must be {}", which, price_text(level.cost), required));
    if (const std::string problem = study.target->level_problem(level.name, level.channel); !problem.empty())
      study.complain(problem);
  }
  if (!study.ladder) return;
  const LadderSetting& ladder = *study.ladder;
  if (ladder.rungs.empty() || (ladder.continuous && ladder.rungs.size() != 2))
    study.complain(fmt::format("the ladder has {} rungs, must have {}", ladder.rungs.size(),
                               ladder.continuous ? "two: where the range begins and ends" : "one or more"));
  for (const Precision& rung : ladder.rungs)
    if (!study.target->accepts_alpha(rung.alpha))
      study.complain(
          fmt::format("precision.alpha has {}, must be {}", rung.alpha, study.target->alpha_requirement()));
  if (!is_positive(ladder.law.gamma))
    study.complain(fmt::format("precision.gamma is {}, must be a finite number above 0", ladder.law.gamma));
  if (ladder.law.kappa.has_value() == study.target->has_noise())
    study.complain("precision.kappa must be given for binary targets, and for them only");
}

// A pool from values has the names of its categories; everything else about its inputs is in the settings.
void require_described(const StudyFile& settings, const Pool& pool) {
  for (std::size_t k = 0; k < pool.columns().size(); ++k) {
    const Input& input = pool.columns()[k];
    if (!settings.input_settings.empty()) {
      Input set = settings.input_settings[k];
      set.values = input.values;
      if (!(set == input))
        settings.complain(
            fmt::format("[[input]] \"{}\" and the pool's column differ, must be the same", input.name));
    }
    for (Index row = 0; (input.is_named() || input.log) && row < pool.size(); ++row)
      if (const double value = pool.point(row)[k]; !input.accepts(value))
        throw InputError(fmt::format("{}: column \"{}\" is {}, must be {}", pool.where(row), input.name,
                                     shortest(value), input.requirement()));
  }
}

// The checks that reading a file includes, for settings that were assembled in code.
void require_valid(const StudyFile& study) {
  if (study.target == nullptr)
    study.complain("target is missing, must be Target::real() or Target::classes()");
  require_valid_levels(study);
  if (study.budget && !(*study.budget >= 0.0 && *study.budget <= largest_amount))
    study.complain(
        fmt::format("campaign.budget is {}, must be from 0 to {}", *study.budget, largest_amount_text));
  if (study.amplitude &&
      !(is_positive(*study.amplitude) && std::isnormal(*study.amplitude * *study.amplitude)))
    study.complain(fmt::format("model.amplitude is {}, must be a number whose square is finite and above 0",
                               *study.amplitude));
  for (const double lengthscale : study.lengthscale)
    if (!is_positive(lengthscale))
      study.complain(fmt::format("model.lengthscale is {}, must be a finite number above 0", lengthscale));
  if (study.mean && !std::isfinite(*study.mean)) study.complain("model.mean is not finite, must be");
  const TargetDefaults& fixed = study.target->defaults();
  if (fixed.mean && study.mean != *fixed.mean)
    study.complain(fmt::format("model.mean must be {} for {} targets", *fixed.mean, study.target->kind()));
  if (!fixed.has_nugget && study.nugget != 0.0)
    study.complain(fmt::format("noise.nugget must be 0 for {} targets", study.target->kind()));
  if (study.nugget && !(std::isfinite(*study.nugget) && *study.nugget >= 0.0))
    study.complain(fmt::format("noise.nugget is {}, must be a finite number, 0 or more", *study.nugget));
  if (study.average < 1 || study.average > 1000 || (study.average > 1 && study.average % 2 != 0))
    study.complain(
        fmt::format("model.average is {}, must be 1, or an even number up to 1000", study.average));
  if (study.structures.empty()) study.complain("model.structure is empty, must name one at least");
  if (study.has_structures() && (!fixed.has_structures || !study.learns_by_likelihood()))
    study.complain(
        "model.structure must be \"plain\" for binary targets, and where hyperparameters are not learned by "
        "likelihood");
  for (const Level& level : study.price_list)
    if (level.relation == LevelRelation::any && !study.learns_by_likelihood())
      study.complain(fmt::format(
          "the relation of level \"{}\" is \"any\", must be \"difference\" where hyperparameters are "
          "not learned by likelihood",
          level.name));
  if (study.learns_accuracy() && (study.fit.never() || study.fit.optimiser == Optimiser::adam))
    study.complain(
        study.fit.never()
            ? "the accuracy of a level is to be learned, must be a number if model.fit is \"never\""
            : "the accuracy of a level is to be learned, must be a number if model.optimiser is \"adam\"");
  if (study.fit.never() && (!study.amplitude || study.lengthscale.empty()))
    study.complain(fmt::format("model.fit is \"never\" and model.{} is to be learned, must be a number",
                               study.amplitude ? "lengthscale" : "amplitude"));
}

}  // namespace

Study Study::open(const std::filesystem::path& path) {
  return open(read_study_file(path));
}

Study Study::open(StudyFile settings, std::shared_ptr<const Goal> goal) {
  return open(std::move(settings), std::move(goal), SharedPool());
}

Study Study::open(StudyFile settings, SharedPool shared) {
  return open(std::move(settings), nullptr, std::move(shared));
}

Study Study::open(StudyFile file, std::shared_ptr<const Goal> goal, SharedPool shared) {
  require_valid(file);
  if (file.pool_file.empty() && !file.drawing)
    file.complain("pool.file is missing, must be the name of a table");
  for (const std::filesystem::path& part : {file.initial.file, file.annotator.truth, file.people.gold})
    require_no_pipe(part);
  PoolWithNoise read = read_pool(file, shared);
  Study study = assemble(std::move(file), std::move(read.pool), std::move(shared), std::move(read.law),
                         std::move(read.noise), std::move(goal));
  study.remarks_.insert(study.remarks_.end(), read.remarks.begin(), read.remarks.end());
  return study;
}

Study Study::make(StudyFile settings, Pool pool, Vector noise_variance, std::shared_ptr<const Goal> goal) {
  require_valid(settings);
  if (settings.drawing)
    settings.complain("a pool and ranges to draw one in are both given, must be one of them");
  if (!settings.pool_file.empty())
    settings.complain("pool.file and a pool are both given, pool.file must be left out");
  if (settings.inputs && *settings.inputs != pool.inputs())
    settings.complain("pool.inputs and the names of the pool's columns differ, must be the same");
  if (pool.size() == 0) settings.complain("the pool has no points, must have at least one");
  if (!pool.points().allFinite())
    settings.complain("the pool has numbers that are not finite, must have none");
  require_described(settings, pool);
  for (Index row = 0; pool.has_ids() && row < pool.size(); ++row)
    if (pool.id(row).empty()) throw InputError(pool.where(row) + ": the id is empty, must be a name");
  auto law = std::make_shared<const NoiseLaw>(settings, pool.columns());
  PointValues noise = noise_at_points(settings, *law, pool, std::move(noise_variance));
  return assemble(std::move(settings), std::move(pool), SharedPool(), std::move(law), std::move(noise),
                  std::move(goal));
}

Study Study::assemble(StudyFile file, Pool pool, SharedPool shared, std::shared_ptr<const NoiseLaw> noise,
                      PointValues base_noise, std::shared_ptr<const Goal> goal) {
  const std::shared_ptr<const CostFunction> cost = file.ladder ? make_cost(file) : nullptr;
  Offer offer{.levels = make_levels(file, cost.get()), .base_noise = std::move(base_noise)};
  if (file.ladder && file.ladder->continuous) check_continuous_cost(file, *cost);
  const auto numeric = static_cast<std::size_t>(std::count_if(
      pool.columns().begin(), pool.columns().end(), [](const Input& input) { return !input.is_category(); }));
  if (file.lengthscale_per_input && !file.lengthscale.empty() && file.lengthscale.size() != numeric)
    file.complain(
        fmt::format("model.lengthscale has {} entries, must be one number or a list of {}, one per input{}",
                    file.lengthscale.size(), numeric,
                    numeric < pool.columns().size() ? " (categories have a similarity instead)" : ""));
  check_total_noise(file, pool, offer);
  displayed_columns(file, pool);  // checks pool.display

  settle_acquisition(file, pool, offer, goal != nullptr);
  Acquisition acquisition = make_acquisition(file, offer, cost);
  std::vector<std::string> remarks = make_remarks(file, pool, offer);
  Study study(std::move(file), std::move(pool), std::move(shared), std::move(offer), std::move(acquisition),
              cost, std::move(noise), std::move(remarks));
  study.given_goal_ = std::move(goal);
  study.goal_ = make_goal(study);
  study.gold_ = read_gold(study.file_, study.pool_);
  return study;
}

Study Study::variant(const StudyVariant& different) const {
  StudyFile file = file_;
  if (different.information) file.acquisition.kind = *different.information;
  if (file.acquisition.kind != AcquisitionSetting::Kind::goal)
    file.acquisition.adapts_criterion = file.acquisition.adapts_plan = false;
  if (different.without_plan || !file.plans_for_its_information()) {
    file.acquisition.plan = false;
    file.acquisition.price_weight = 1.0;
  }
  if (different.seed) file.seed = *different.seed;
  if (different.budget) file.budget = different.budget;
  if (different.initial) file.initial = *different.initial;
  if (different.stop) file.stop = *different.stop;
  Offer offer = offer_;
  if (different.without_bias) {
    remove_biases(file.price_list);
    remove_biases(offer.levels);
  }
  Pool pool = pool_;
  if (!different.rows.empty()) {
    pool = some_of(pool_, different.rows);
    offer.base_noise = offer_.base_noise(different.rows);
  }
  Acquisition acquisition = make_acquisition(file, offer, cost_);
  if (different.only_level) {
    acquisition.only_level = different.only_level;
    acquisition.continuous.reset();
  }
  std::vector<std::string> remarks = make_remarks(file, pool, offer);
  Study study(std::move(file), std::move(pool), shared_, std::move(offer), std::move(acquisition), cost_,
              noise_, std::move(remarks));
  study.given_goal_ = given_goal_;
  // A goal that is given stays where it is, also if only a part of the pool is kept.
  const bool same_goal = goal_ && file_.goal && !file_.goal->whole_pool();
  study.goal_ =
      same_goal && study.file_.acquisition.kind == AcquisitionSetting::Kind::goal ? goal_ : make_goal(study);
  if (different.rows.empty()) study.gold_ = gold_;  // rows of the whole pool
  study.input_scaling_ = input_scaling_;
  study.input_spread_ = input_spread_;
  study.rank_maps_ = rank_maps_;
  study.cost_scaling_ = cost_scaling_;
  return study;
}

}  // namespace acuity
