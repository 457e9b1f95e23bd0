#include "views/study_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/text.hpp"
#include "campaign/answer_noise.hpp"
#include "campaign/audit.hpp"
#include "campaign/initial_design.hpp"
#include "campaign/initial_events.hpp"
#include "campaign/reported_cost.hpp"
#include "data/quantile.hpp"
#include "judgement/importance.hpp"
#include "judgement/level_offsets.hpp"
#include "study/reported_noise.hpp"
#include "study/target_view.hpp"
#include "text/level_text.hpp"
#include "views/campaign_text.hpp"
#include "views/spending_plan.hpp"

namespace acuity {

namespace {

double spread_of(const Vector& values) {
  return std::sqrt((values.array() - values.mean()).square().mean());
}

// A larger pool is judged by its first points: a copy of all would take longer than the first choices.
constexpr Index most_judged = 1'000'000;

// In units of the kernel's length scales, after standardising.
Points in_lengthscales(const Study& study, const StudyModel& model) {
  Points points =
      model.prior.scaling.apply(study.pool().points().topRows(std::min(study.pool().size(), most_judged)));
  if (const auto* kernel = dynamic_cast<const StationaryKernel*>(model.prior.kernel.get()))
    for (Index k = 0; k < points.cols(); ++k)  // codes of categories stay: different ones are not near
      if (!kernel->is_category(k)) points.col(k) *= kernel->inverse_lengthscales(points.cols())(k);
  return points;
}

void warn_of_category(const Study& study, Index k, std::vector<std::string>& warnings) {
  const Input& input = study.pool().columns()[static_cast<std::size_t>(k)];
  const PointsRef points = study.pool().points();
  std::set<double> seen(points.col(k).begin(), points.col(k).end());
  if (seen.size() == 1)
    warnings.push_back(
        fmt::format("input \"{}\" is the same at every pool point: it tells nothing", input.name));
  else if (static_cast<Index>(seen.size()) == points.rows() && points.rows() > 2)
    warnings.push_back(fmt::format(
        "input \"{}\" has another value at every pool point: is it a name of the point (pool.id)?",
        input.name));
}

void warn_of_inputs(const Study& study, const Points& scaled, std::vector<std::string>& warnings) {
  for (Index k = 0; k < scaled.cols(); ++k) {
    const std::string& name = study.pool().inputs()[static_cast<std::size_t>(k)];
    if (study.pool().columns()[static_cast<std::size_t>(k)].is_category()) {
      warn_of_category(study, k, warnings);
      continue;
    }
    const double range = scaled.col(k).maxCoeff() - scaled.col(k).minCoeff();
    if (range == 0.0)
      warnings.push_back(fmt::format("input \"{}\" is the same at every pool point: it tells nothing", name));
    else if (range > 100.0)
      warnings.push_back(fmt::format(
          "input \"{}\" spans {:.3g} length scales: points far apart tell nothing about each other; "
          "is its unit that of model.lengthscale (or pool.standardise)?",
          name, range));
  }
}

// By how much the prior lets f change over the range of an input, relative to its standard deviation.
double prior_effect(const StudyModel& model, const PointsRef& pool, Index input) {
  Points ends(2, pool.cols());
  ends.rowwise() = pool.row(0);
  ends(0, input) = pool.col(input).minCoeff();
  ends(1, input) = pool.col(input).maxCoeff();
  const Points scaled = model.prior.scaling.apply(ends);
  const Matrix covariance = model.prior.kernel->cross(scaled, scaled);
  const double variance = covariance(0, 0) + covariance(1, 1) - 2.0 * covariance(0, 1);
  return std::sqrt(std::max(0.0, variance) / covariance(0, 0));
}

// Measured on predictions: a long length scale with a large amplitude is a straight line, not an input
// without an effect. Before there are answers, length scales that are given may rule out any effect.
void warn_of_effects(const Study& study, const StudyModel& model, std::vector<std::string>& warnings) {
  constexpr double hardly_any = 0.01;
  constexpr std::size_t most_answers = 2000;  // more would take seconds
  const PointsRef points = study.pool().points();
  const Target& target = *study.file().target;
  const auto varies = [&](Index k) {
    return !study.pool().columns()[static_cast<std::size_t>(k)].is_category() &&
           points.col(k).maxCoeff() > points.col(k).minCoeff();
  };
  if (model.observations.empty()) {
    for (Index k = 0; k < points.cols() && !study.file().lengthscale.empty(); ++k)
      if (const double effect = varies(k) ? prior_effect(model, points, k) : 1.0; effect < hardly_any)
        warnings.push_back(fmt::format(
            "input \"{}\" can change {} by {:.2g} of its standard deviation only, with the length scale "
            "given: is its unit that of model.lengthscale (or pool.standardise)?",
            study.pool().inputs()[static_cast<std::size_t>(k)], target.name_or("f"), effect));
    return;
  }
  if (model.observations.size() > most_answers || study.pool().size() > most_judged) return;
  const Observations observations(model.observations, points);
  const std::unique_ptr<const TargetPosterior> posterior = target.posterior(model.prior, observations);
  const Points places = places_of_effects(points);
  const double spread = spread_of(posterior->expectation(places));
  // Classes: an effect on a probability is compared with its spread alone.
  const double uncertainty = target.is_real()
                                 ? posterior->predict(places).variance.cwiseMax(0.0).cwiseSqrt().mean()
                                 : std::numeric_limits<double>::infinity();
  const std::vector<InputEffect> effects =
      input_effects([&](const Points& x) { return posterior->expectation(x); }, points);
  const std::shared_ptr<const TargetView> view = TargetView::of(target);
  for (Index k = 0; k < points.cols(); ++k)
    if (const double effect = effects[static_cast<std::size_t>(k)].range;
        varies(k) && effect < hardly_any * spread && effect < uncertainty)
      warnings.push_back(fmt::format(
          "input \"{}\" changes {} by {} over its whole range, less than a hundredth of the spread of {}",
          study.pool().inputs()[static_cast<std::size_t>(k)], view->middle(), view->difference_text(effect),
          view->difference_text(spread)));
}

// Compares neighbours along a sorted direction: near duplicates are close to each other there, so few pairs
// need to be compared.
void warn_of_duplicates(const Study& study, const Points& scaled, std::vector<std::string>& warnings) {
  std::vector<Index> order(static_cast<std::size_t>(scaled.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  const Vector key = scaled.rowwise().sum();
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });
  Index found = 0, first = -1, second = -1;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < std::min(order.size(), i + 20) && key(order[j]) - key(order[i]) < 1e-6;
         ++j)
      if ((scaled.row(order[i]) - scaled.row(order[j])).norm() < 1e-6 && found++ == 0)
        first = order[i], second = order[j];
  if (found > 0)
    warnings.push_back(fmt::format("{} of pool points {} the same place, or nearly: {} and {}{}",
                                   counted(found, "pair"), found == 1 ? "is" : "are",
                                   study.pool().id(std::min(first, second)),
                                   study.pool().id(std::max(first, second)), found == 1 ? "" : " for one"));
}

// Length scales that are given and so short that no answer tells about another point: in many inputs points
// are far apart even if every input is standardised. Some points are compared with some others.
void warn_of_islands(const Study& study, const StudyModel& model, std::vector<std::string>& warnings) {
  constexpr Index most_points = 200, most_others = 2000;
  constexpr double hardly_any = 0.05;
  if (study.file().lengthscale.empty() || model.learned || study.pool().size() < 2) return;
  const Index size = study.pool().size(), count = std::min(size, most_points),
              others = std::min(size, most_others);
  const auto rows = [&](Index number) {
    Points points(number, study.pool().points().cols());
    for (Index i = 0; i < number; ++i) points.row(i) = study.pool().points().row(i * size / number);
    return model.prior.scaling.apply(points);
  };
  const Points some = rows(count), all = rows(others);
  const Matrix covariance = model.prior.kernel->cross(some, all);
  const double variance = model.prior.kernel->diagonal(some.topRows(1))(0);
  Vector nearest = Vector::Zero(count);
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < others; ++j)
      if (i * size / count != j * size / others)
        nearest(i) = std::max(nearest(i), covariance(i, j) / variance);
  if (const double median = median_of(nearest); median < hardly_any)
    warnings.push_back(fmt::format(
        "a pool point and the one nearest to it have a correlation of {:.2g} (median): with these length "
        "scales "
        "no answer tells about any other point; for {} standardised inputs they are usually about {:.2g} or "
        "more, and without model.lengthscale they are learned",
        median, study.pool().inputs().size(), std::sqrt(static_cast<double>(study.pool().inputs().size()))));
}

void warn_of_levels(const StudyModel& model, std::vector<std::string>& warnings) {
  const auto [cheapest, dearest] =
      std::minmax_element(model.offer.levels.begin(), model.offer.levels.end(),
                          [](const Level& a, const Level& b) { return a.cost < b.cost; });
  if (dearest->cost / cheapest->cost > 1e6)
    warnings.push_back(fmt::format("costs span a factor of {:.3g}: are they all in the same unit?",
                                   dearest->cost / cheapest->cost));
}

void warn_of_values(const Study& study, const StudyModel& model, const std::vector<Annotation>& annotations,
                    std::vector<std::string>& warnings) {
  if (const std::string text = small_counts_text(*study.file().target, annotations); !text.empty())
    warnings.push_back(text);
  if (!study.file().target->has_noise() || annotations.size() < 3) return;
  Vector values(static_cast<Index>(annotations.size()));
  for (std::size_t i = 0; i < annotations.size(); ++i) values(static_cast<Index>(i)) = annotations[i].value;
  const double spread = spread_of(values);
  double quietest = std::numeric_limits<double>::infinity();
  for (const Level& level : model.offer.levels)
    quietest = std::min(quietest, noise_variance(level.channel) + model.offer.base_noise.lowest());
  if (spread > 0.0 && std::sqrt(quietest) > spread)
    warnings.push_back(fmt::format(
        "the noise of the best level (sd {:.3g}) is larger than the spread of what is known ({:.3g}): "
        "is it in the unit of {}?",
        std::sqrt(quietest), spread, study.file().target->name_or("y")));
  const double prior_sd =
      std::sqrt(model.prior.kernel->diagonal(model.prior.scaling.apply(study.pool().points().topRows(1)))(0));
  const double furthest = (values.array() - model.prior.mean).abs().maxCoeff();
  if (furthest > 10.0 * prior_sd)
    warnings.push_back(fmt::format(
        "a known value is {:.3g} from model.mean, {:.0f} prior standard deviations: model.amplitude "
        "or model.mean may be in another unit",
        furthest, furthest / prior_sd));
  if (spread > 0.0 && spread < 0.02 * prior_sd)
    warnings.push_back(fmt::format(
        "what is known spreads by {:.3g} only, while model.amplitude expects {:.3g}", spread, prior_sd));
  const bool may_be_logarithmic = values.minCoeff() > 0.0 && !study.file().target->is_mapped();
  if (may_be_logarithmic && values.maxCoeff() / values.minCoeff() > 1000.0)
    warnings.push_back(
        fmt::format("{} is positive and spans a factor of {:.3g}: its logarithm may be what is smooth "
                    "(target.scale = \"log\")",
                    study.file().target->name_or("y"), values.maxCoeff() / values.minCoeff()));
}

// A budget that cannot buy a single answer, or not the whole initial design; empty: it can. A campaign that
// has begun may well have spent its money.
std::string budget_warning(const Study& study, double budget, bool has_answers, bool has_begun) {
  if (has_begun && has_answers) return "";
  const std::vector<Level>& levels = study.offer().levels;
  const auto cheapest = std::min_element(levels.begin(), levels.end(), [](const Level& a, const Level& b) {
    return std::pair(a.is_retired, a.cost) < std::pair(b.is_retired, b.cost);
  });
  if (cheapest->cost > budget * (1.0 + 1e-9))
    return fmt::format("the budget is {}, but the cheapest level, {}, costs {}: nothing can be bought",
                       money(budget, study.file().unit), describe(*cheapest), brief(cheapest->cost));
  if (study.file().audit.answers > 0)
    if (const double cost = AuditDraw(study, State(), Candidates(study.offer())).cost(); cost > 0.5 * budget)
      return fmt::format("the audit costs {} of the budget of {}: less than half is left to learn from",
                         brief(cost), money(budget, study.file().unit));
  const double cost = initial_design(study).cost(study);
  if (!has_answers && cost > budget * (1.0 + 1e-9))
    return fmt::format(
        "the budget is {}, but the initial design costs {}: no answer will be chosen by its information",
        money(budget, study.file().unit), brief(cost));
  // The size of the default design is known to be worth it.
  const InitialSetting& stated = study.file().initial;
  if (!has_answers && (stated.count > 0 || !stated.per_level.empty()) && cost > 0.25 * budget)
    return fmt::format(
        "the initial design costs {} of the budget of {}, {:.0f} %: {}", brief(cost),
        money(budget, study.file().unit), 100.0 * cost / budget,
        stated.space_filling || levels.size() < 2
            ? "fewer points leave more for choices by information"
            : fmt::format("it is bought at {}; initial = {{ count = {}, level = ... }} names a cheaper level",
                          describe_in_sentence(levels[static_cast<std::size_t>(study.offer().finest())]),
                          stated.count));
  return "";
}

// Two levels by a command that gets no seed: a deterministic program has errors that repeats do not average.
std::string repeat_question(const Study& study) {
  const StudyFile& file = study.file();
  const std::vector<Level>& levels = study.offer().levels;
  if (file.annotator.kind != AnnotatorSetting::Kind::command || study.is_ladder() || levels.size() < 2 ||
      file.has_bias() || !file.target->has_noise())
    return "";
  const bool has_seed = file.annotator.command.find("{seed}") != std::string::npos ||
                        file.annotator.command.find("ACUITY_SEED") != std::string::npos;
  const bool is_said =
      std::any_of(levels.begin(), levels.end(), [](const Level& level) { return level.repeats_itself; });
  if (has_seed || is_said) return "";
  return "the command gets no {seed}: does the same run give the same answer again? Then write repeat = "
         "\"same\" in its levels";
}

}  // namespace

std::vector<std::string> study_warnings(const Study& study, const StudyModel& model,
                                        const std::vector<Annotation>& annotations) {
  std::vector<std::string> warnings;
  const Points scaled = in_lengthscales(study, model);
  warn_of_inputs(study, scaled, warnings);
  warn_of_effects(study, model, warnings);
  if (warnings.empty()) warn_of_islands(study, model, warnings);
  warn_of_duplicates(study, scaled, warnings);
  warn_of_levels(model, warnings);
  warn_of_values(study, model, annotations, warnings);
  return warnings;
}

std::vector<std::string> warnings_before_spending(const Study& study, const StudyModel& model,
                                                  const std::vector<Annotation>& annotations, double budget,
                                                  const Campaign* campaign) {
  std::vector<std::string> warnings = study.remarks();
  if (campaign == nullptr)
    if (const std::string problem = input_name_problem(study); !problem.empty())
      warnings.push_back("no campaign can be created: " + problem);
  for (std::string& warning : study_warnings(study, model, annotations))
    warnings.push_back(std::move(warning));
  if (campaign == nullptr)
    if (std::string question = repeat_question(study); !question.empty())
      warnings.push_back(std::move(question));
  if (std::string warning = budget_warning(study, budget, !annotations.empty(), campaign != nullptr);
      !warning.empty())
    warnings.push_back(std::move(warning));
  for (std::string& warning : spending_plan(study, model, budget).warnings)
    warnings.push_back(std::move(warning));
  if (campaign == nullptr) return warnings;
  for (const LevelOffset& offset : level_offsets(study, campaign->state()))
    if (offset.is_unexplained()) warnings.push_back(to_text(offset) + ": that is bias, not noise");
  for (std::string& warning : reported_noise_warnings(study, reported_noise(study, model, annotations)))
    warnings.push_back(std::move(warning));
  for (std::string& warning : reported_cost_warnings(study, reported_costs(study, campaign->state())))
    warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace acuity
