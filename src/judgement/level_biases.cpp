#include "judgement/level_biases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "explain/break_even_view.hpp"
#include "model/chained_posterior.hpp"
#include "numerics/root_of_squares.hpp"
#include "study/noise_key.hpp"
#include "study/target_view.hpp"

namespace acuity {

namespace {

bool any_without_bias(const StudyModel& model) {
  return std::any_of(model.observations.begin(), model.observations.end(),
                     [](const Observation& one) { return bias_of(one.channel) == 0; });
}

constexpr Index most_shown_rows = 200;

Points some_of_the_pool(const Study& study) {
  const PointsRef pool = study.pool().points();
  const Index m = std::min(pool.rows(), most_shown_rows);
  std::vector<Index> rows;
  for (Index k = 0; k < m; ++k) rows.push_back(k * pool.rows() / m);
  return pool(rows, Eigen::all);
}

// How much a function with this kernel varies over the points besides what is the same everywhere, as a share
// of its prior standard deviation. With length scales much longer than the pool that is little.
double variation(const Prior& prior, const Points& points, double lengthscale) {
  const Points scaled = prior.scaling.apply(points) / lengthscale;
  const Matrix covariance = prior.kernel->cross(scaled, scaled);
  return std::sqrt(std::max(0.0, 1.0 - covariance.mean() / covariance.diagonal().mean()));
}

// The level that has the answers of this one as an input, if that is not the reference.
std::optional<std::string> next_in_chain(const LearnedChain& chain, const std::vector<Level>& levels,
                                         int bias) {
  if (!chain.chain) return std::nullopt;
  const std::vector<ChainLink>& links = chain.chain->links;
  for (std::size_t k = 0; k + 1 < links.size(); ++k)
    if (links[k].bias == bias)
      for (const Level& level : levels)
        if (links[k + 1].bias != 0 && bias_of(level.channel) == links[k + 1].bias) return level.name;
  return std::nullopt;
}

void add_differences(const TargetPosterior& posterior, const Points& points, EstimatedBias& bias) {
  const Marginals error = posterior.predict_part(points, static_cast<int>(bias.number), AnswerPart::error);
  bias.difference = error.mean.mean();
  bias.difference_sd = std::sqrt(std::max(0.0, error.variance.mean()));
  bias.least = error.mean.minCoeff();
  bias.largest = error.mean.maxCoeff();
}

}  // namespace

std::vector<EstimatedBias> level_biases(const Study& study, const StudyModel& model,
                                        const TargetPosterior& posterior) {
  std::vector<EstimatedBias> found;
  if (!study.file().has_bias() || study.pool().size() == 0) return found;
  const std::vector<Level>& levels = model.offer.levels;
  const Points points = some_of_the_pool(study);
  const double signal_sd =
      is_size_known(study, model) ? prior_sd_of(study, model) * variation(model.prior, points, 1.0) : 0.0;
  for (const Level& level : levels) {
    const int number = bias_of(level.channel);
    if (number == 0) continue;
    const Marginals offset = posterior.predict_part(points.topRows(1), number, AnswerPart::offset);
    EstimatedBias bias{
        .level = level.name,
        .reference = study.reference_name(),
        .number = number,
        .answers = std::count_if(model.observations.begin(), model.observations.end(),
                                 [&](const Observation& one) { return bias_of(one.channel) == number; }),
        .offset = offset.mean(0),
        .offset_sd = std::sqrt(std::max(0.0, offset.variance(0))),
        .smooth_sd = level.bias.smooth_sd,
        .white_sd = std::sqrt(noise_variance(level.channel)),
        .signal_sd = signal_sd,
        .is_factor = study.file().target->is_logarithmic(),
        .in_scale = scale_text(*study.file().target),
        .is_assumed = !any_without_bias(model)};
    if (model.learned && model.learned->chain) {
      bias.chain_weight = model.learned->chain->weight;
      bias.next = next_in_chain(*model.learned->chain, levels, number).value_or(bias.reference);
    }
    bias.error_sd = numerics::root_of_squares(
        bias.white_sd, bias.smooth_sd * variation(model.prior, points, level.bias.lengthscale));
    add_differences(posterior, points, bias);
    found.push_back(std::move(bias));
  }
  return found;
}

std::vector<EstimatedBias> level_biases(const Study& study, const StudyModel& model) {
  if (!study.file().has_bias()) return {};
  return level_biases(
      study, model,
      *study.file().target->posterior(model.prior, Observations(model.observations, study.pool().points())));
}

std::string to_text(const EstimatedBias& bias) {
  if (bias.is_chained())
    return fmt::format(
        "{0} and {1} go together, but not one to one: what {0} answers is one more input of {1} (weight "
        "{2:.2g})",
        bias.level, bias.next, bias.chain_weight);
  const std::string parts =
      fmt::format("smooth difference {:.2g}, white part {:.2g}", bias.smooth_sd, bias.white_sd);
  if (bias.is_factor && (bias.is_assumed || bias.answers == 0))
    return fmt::format("{} is assumed to read up to {:.2g} times {} or a fraction of it ({}, relative): {}",
                       bias.level, std::exp(2.0 * bias.offset_sd), bias.reference, parts,
                       bias.answers == 0 ? "it has no answers" : bias.reference + " has no answers");
  if (bias.is_assumed || bias.answers == 0)
    return fmt::format("{} is assumed to read up to {:.2g} above or below {}{} ({}): {}", bias.level,
                       2.0 * bias.offset_sd, bias.reference, bias.in_scale, parts,
                       bias.answers == 0 ? "it has no answers" : bias.reference + " has no answers");
  if (bias.is_factor)
    return fmt::format(
        "{} reads {:.3g} times {} ({:.3g} to {:.3g}), {:.3g} to {:.3g} over the pool: its bias is part of "
        "the "
        "model ({}, relative)",
        bias.level, std::exp(bias.difference), bias.reference,
        std::exp(bias.difference - 1.96 * bias.difference_sd),
        std::exp(bias.difference + 1.96 * bias.difference_sd), std::exp(bias.least), std::exp(bias.largest),
        parts);
  const bool above = bias.difference >= 0.0;
  const double low = above ? bias.least : -bias.largest, high = above ? bias.largest : -bias.least;
  return fmt::format(
      "{} reads {} {} {}{}, {:.2g} to {:.2g} over the pool: its bias is part of the model ({})", bias.level,
      TargetView::of(*Target::real())->prediction_text(std::abs(bias.difference), bias.difference_sd),
      above ? "above" : "below", bias.reference, bias.in_scale, low, high, parts);
}

std::string useless_text(const EstimatedBias& bias) {
  if (!bias.is_useless()) return "";
  return fmt::format(
      "{} is useless here: besides its offset its answers are off by {:.2g}, and f itself varies by {:.2g}; "
      "leave the level out",
      bias.level, bias.error_sd, bias.signal_sd);
}

std::string assumption_text(const Study& study, const StudyModel& model) {
  if (!study.file().has_bias() || model.observations.empty() || any_without_bias(model)) return "";
  if (study.file().limit_is_reference()) return "";  // no level is without bias there
  return fmt::format(
      "there is no answer at {}, so the bias of the other levels is an assumption: predictions are wide by "
      "what the study says about it, and only answers at {} can narrow them",
      study.offer().levels[static_cast<std::size_t>(study.reference_level())].name,
      study.offer().levels[static_cast<std::size_t>(study.reference_level())].name);
}

std::string extrapolation_text(const Study& study, const StudyModel& model, const Points& at) {
  if (!study.file().limit_is_reference() || at.rows() == 0) return "";
  const Index finest = finest_by_error(study);
  const std::string& name = study.offer().levels[static_cast<std::size_t>(finest)].name;
  const GpPosterior posterior(model.prior, Observations(model.observations, study.pool().points()));
  const double f = posterior.predict(at).variance.mean(),
               beyond = posterior.predict_part(at, static_cast<int>(finest) + 1, AnswerPart::error)
                            .variance.mean();
  return fmt::format(
      "f is meant at h = 0, beyond {}: its standard deviation is {:.2g} on average, and how far it is from "
      "{} is known to {:.2g}",
      name, std::sqrt(f), name, std::sqrt(beyond));
}

Index finest_by_error(const Study& study) {
  if (!study.file().limit_is_reference()) return study.offer().finest();
  const std::vector<Level>& levels = study.offer().levels;
  const auto size = [](const Level& level) { return level.bias.is_mesh() ? level.bias.mesh : HUGE_VAL; };
  return std::min_element(levels.begin(), levels.end(),
                          [&](const Level& a, const Level& b) { return size(a) < size(b); }) -
         levels.begin();
}

std::string undeclared_noise_text(const Study& study, const StudyModel& model) {
  constexpr double much = 3.0, much_beside_exact = 0.01;  // of the declared noise; of the size of f
  if (study.file().nugget || !study.file().has_bias() || !model.learned) return "";
  const Level& reference = study.offer().levels[static_cast<std::size_t>(study.reference_level())];
  if (!reference.exact && !reference.repeats_itself) return "";
  const double undeclared = std::sqrt(model.nugget);
  const double declared = std::sqrt(study.offer().base_noise.highest() + noise_variance(reference.channel));
  const std::string reason = "; scatter of the other levels may be part of it";
  if (declared > 0.0)
    return undeclared > much * declared
               ? fmt::format("undeclared noise {:.2g} is {:.2g} times the noise of {}{}", undeclared,
                             undeclared / declared, reference.name, reason)
               : "";
  return undeclared > much_beside_exact * prior_sd_of(study, model)
             ? fmt::format("undeclared noise {:.2g} is learned, although {} is exact{}", undeclared,
                           reference.name, reason)
             : "";
}

namespace {

// Of the answers of a bias at every point of the pool that has some.
std::map<Index, std::pair<double, double>> sums_by_row(const StudyModel& model, int bias) {
  std::map<Index, std::pair<double, double>> sums;
  for (const Observation& one : model.observations)
    if (one.place.pool_row() && bias_of(one.channel) == bias) {
      auto& [sum, count] = sums[*one.place.pool_row()];
      sum += one.value;
      count += 1.0;
    }
  return sums;
}

Points middle_of_the_pool(const Study& study, Index rows) {
  const PointsRef pool = study.pool().points();
  Points middle(rows, pool.cols());
  for (Index k = 0; k < pool.cols(); ++k) {
    std::vector<double> values(pool.col(k).begin(), pool.col(k).end());
    const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), half, values.end());
    middle.col(k).setConstant(*half);
  }
  return middle;
}

}  // namespace

std::optional<RelationCurve> relation_curve(const Study& study, const StudyModel& model, int bias) {
  constexpr Index shown = 61;
  if (!model.prior.chain || study.pool().size() == 0) return std::nullopt;
  const std::vector<ChainLink>& links = model.prior.chain->links;
  if (links.size() < 2 || links[links.size() - 2].bias != bias) return std::nullopt;
  RelationCurve curve;
  const auto of_level = sums_by_row(model, bias), of_f = sums_by_row(model, 0);
  for (const auto& [row, sum] : of_level)
    if (const auto found = of_f.find(row); found != of_f.end())
      curve.pairs.emplace_back(sum.first / sum.second, found->second.first / found->second.second);
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Observation& one : model.observations)
    if (bias_of(one.channel) == bias) low = std::min(low, one.value), high = std::max(high, one.value);
  if (!(low < high)) return std::nullopt;
  const Vector answers = Vector::LinSpaced(shown, low, high);
  const ChainedPosterior posterior(model.prior, Observations(model.observations, study.pool().points()));
  const Marginals f = posterior.predict_after(middle_of_the_pool(study, shown), answers);
  for (Index k = 0; k < shown; ++k) {
    const double reach = 2.0 * std::sqrt(std::max(0.0, f.variance(k)));
    curve.answers.push_back(answers(k));
    curve.middle.push_back(f.mean(k));
    curve.low.push_back(f.mean(k) - reach);
    curve.high.push_back(f.mean(k) + reach);
  }
  return curve;
}

Json relations_json(const Study& study, const std::optional<Learned>& learned) {
  Json list = Json::array();
  if (study.is_ladder() || !study.file().target->has_noise()) return list;
  const double of_chain = learned && learned->chain ? learned->chain->weight : 0.0;
  for (const Level& level : study.offer().levels) {
    const bool is_related = level.bias.any();
    const bool leads = is_related && of_chain > 0.5;
    const char* relation = leads                ? "any"
                           : is_related         ? "difference"
                           : level.is_reference ? "reference"
                                                : "noise";
    const double weight = !is_related ? 1.0 : leads ? of_chain : 1.0 - of_chain;
    list.push_back({{"level", level.name}, {"relation", relation}, {"weight", json_number(weight)}});
  }
  return list;
}

std::string relations_text(const std::optional<Learned>& learned) {
  if (!learned || !learned->chain || learned->chain->weight == 1.0) return "";
  return fmt::format("each level is any function of the one before {:.2g}, f and an error {:.2g}",
                     learned->chain->weight, 1.0 - learned->chain->weight);
}

Json level_bias_json(const std::vector<EstimatedBias>& biases) {
  Json list = Json::array();
  for (const EstimatedBias& one : biases)
    list.push_back({{"level", one.level},
                    {"offset", json_number(one.offset)},
                    {"offset_sd", json_number(one.offset_sd)},
                    {"smooth_sd", json_number(one.smooth_sd)},
                    {"white_sd", json_number(one.white_sd)},
                    {"difference", json_number(one.difference)},
                    {"difference_sd", json_number(one.difference_sd)}});
  return list;
}

}  // namespace acuity
