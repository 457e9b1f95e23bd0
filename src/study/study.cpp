#include "acuity/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "settings/input_settings.hpp"
#include "study/ladder_price.hpp"
#include "study/log_cost.hpp"
#include "study/noise_law.hpp"
#include "study/pool_reader.hpp"
#include "study/pool_scaling.hpp"
#include "text/nearest.hpp"

namespace acuity {

namespace {

// Ranks among so many points of a large pool, evenly spaced, are ranks in the pool.
constexpr Index most_ranked = 4096;

Points some_rows(const PointsRef& pool, Index most) {
  const Index count = std::min(pool.rows(), most);
  Points some(count, pool.cols());
  for (Index i = 0; i < count; ++i) some.row(i) = pool.row(i * pool.rows() / count);
  return some;
}

}  // namespace

Scaling standardised_by(const Pool& pool, const SharedPool& shared) {
  const auto own = shared.own_part(pool.size());
  return Scaling::standardise(pool.points().middleRows(own.first, own.rows), transforms_of(pool.columns()),
                              shared, pool.size());
}

Study::Study(StudyFile file, Pool pool, SharedPool shared, Offer offer, Acquisition acquisition,
             std::shared_ptr<const CostFunction> cost, std::shared_ptr<const NoiseLaw> noise,
             std::vector<std::string> remarks)
    : file_(std::move(file)),
      pool_(std::move(pool)),
      shared_(std::move(shared)),
      offer_(std::move(offer)),
      acquisition_(std::move(acquisition)),
      cost_(std::move(cost)),
      noise_(std::move(noise)),
      remarks_(std::move(remarks)) {
  const auto by_pool = [this] { return standardised_by(pool_, shared_); };
  if (file_.standardise == Standardise::pool) input_scaling_ = by_pool();
  if (file_.learn_costs) cost_scaling_ = file_.standardise == Standardise::pool ? input_scaling_ : by_pool();
  if (std::find(file_.structures.begin(), file_.structures.end(), Structure::ranked) !=
      file_.structures.end())
    rank_maps_ = maps_to_ranks(some_rows(pool_.points(), most_ranked), transforms_of(pool_.columns()));
  if (file_.standardise == Standardise::none) {
    input_scaling_ = Scaling::unscaled(transforms_of(pool_.columns()));
    input_spread_ = by_pool().scale();
  }
}
Study::~Study() = default;

Study::Study(Study&&) noexcept = default;
Study& Study::operator=(Study&&) noexcept = default;

Index Study::reference_level() const {
  for (std::size_t k = 0; k < offer_.levels.size(); ++k)
    if (offer_.levels[k].is_reference) return static_cast<Index>(k);
  return offer_.finest();
}

std::string Study::reference_name() const {
  if (file_.limit_is_reference()) return "the limit of the mesh";
  return offer_.levels[static_cast<std::size_t>(reference_level())].name;
}

Points Study::read_inputs(const Table& table, std::vector<std::vector<std::string>>* unseen) const {
  std::vector<Input> inputs = pool_.columns();
  Points points = read_input_columns(table, inputs, unseen != nullptr, "pool.inputs");
  if (unseen == nullptr) return points;
  unseen->resize(inputs.size());
  for (std::size_t k = 0; k < inputs.size(); ++k)
    (*unseen)[k].assign(
        inputs[k].values.begin() + static_cast<std::ptrdiff_t>(pool_.columns()[k].values.size()),
        inputs[k].values.end());
  return points;
}

std::optional<double> Study::gold_class(Index row) const {
  const auto found = std::lower_bound(gold_.begin(), gold_.end(), row,
                                      [](const GoldItem& item, Index wanted) { return item.row < wanted; });
  if (found == gold_.end() || found->row != row) return std::nullopt;
  return found->value;
}

std::optional<Index> Study::find_level(std::string_view name) const {
  if (is_ladder()) return std::nullopt;
  for (std::size_t k = 0; k < offer_.levels.size(); ++k)
    if (offer_.levels[k].name == name) return static_cast<Index>(k);
  return std::nullopt;
}

std::optional<Index> Study::find_level(double alpha) const {
  for (std::size_t k = 0; k < offer_.levels.size(); ++k)
    if (offer_.levels[k].alpha == alpha) return static_cast<Index>(k);
  return std::nullopt;
}

Level Study::level_named(const std::string& name) const {
  if (const std::optional<Index> level = find_level(name))
    return offer_.levels[static_cast<std::size_t>(*level)];
  std::vector<std::string> names;
  for (const Level& level : offer_.levels) names.push_back(level.name);
  throw InputError(
      fmt::format("level is \"{}\", must be {}", name,
                  is_ladder() ? "left out: the study has [precision]" : "one of " + quoted_list(names)));
}

Level Study::level_of(double alpha) const {
  if (!is_ladder()) throw InputError("alpha must be left out: the study has [[level]]");
  if (!file_.target->accepts_alpha(alpha))
    throw InputError(fmt::format("alpha is {}, must be {}", alpha, file_.target->alpha_requirement()));
  if (const std::optional<Index> rung = find_level(alpha))
    return offer_.levels[static_cast<std::size_t>(*rung)];
  const double price = price_at(alpha);
  if (const std::string required = price_requirement(price); !required.empty())
    throw InputError(
        fmt::format("precision.cost is {} at alpha = {}, must be {}", price_text(price), alpha, required));
  return {.name = {},
          .alpha = alpha,
          .channel = file_.ladder->law(Precision::of(alpha)),
          .cost = price,
          .value = alpha};
}

double Study::price_at(double alpha) const {
  return (*cost_)(alpha);
}

double Study::base_noise_at(const std::vector<double>& inputs) const {
  return noise_->outside_of_tables(inputs.data());
}

double Study::base_noise_at(const std::vector<double>& inputs, const Table& table, Index row) const {
  return (*noise_)(inputs.data(), table, row);
}

Vector Study::base_noise_of(const Table& table) const {
  if (const auto* column = std::get_if<NoiseColumn>(&file_.noise))
    if (!table.find(column->name)) return Vector::Constant(table.rows(), std::nan(""));
  std::vector<std::vector<std::string>> unseen;  // a formula does not depend on categories
  const Points points = read_inputs(table, &unseen);
  Vector noise(table.rows());
  for (Index row = 0; row < table.rows(); ++row)
    noise(row) = (*noise_)(points.data() + row * points.cols(), table, row);
  return noise;
}

Vector Study::cost_inputs(const Place& place) const {
  Points here(1, pool_.points().cols());
  if (place.pool_row())
    here.row(0) = pool_.points().row(*place.pool_row());
  else
    here.row(0) = place.coordinates().transpose();
  return cost_features(cost_scaling_.apply(here), pool_.columns()).row(0).transpose();
}

Annotation Study::annotation(Place place, double base_noise, Index level, double value, double cost) const {
  Annotation annotation = annotation_at(std::move(place), base_noise,
                                        offer_.levels[static_cast<std::size_t>(level)], value, cost);
  annotation.level = level;
  return annotation;
}

Annotation Study::annotation(Place place, double base_noise, const Level& level, double value,
                             double cost) const {
  Annotation annotation = annotation_at(std::move(place), base_noise, level, value, cost);
  annotation.level = level.alpha ? find_level(*level.alpha) : find_level(level.name);
  return annotation;
}

Annotation Study::annotation_at(Place place, double base_noise, const Level& level, double value,
                                double cost) const {
  Annotation annotation{.place = std::move(place),
                        .value = value,
                        .channel = channel_at(level, base_noise),
                        .level = {},
                        .cost = cost,
                        .alpha = level.alpha};
  if (const auto* gaussian = std::get_if<GaussianChannel>(&level.channel)) {
    annotation.base_noise = base_noise;
    annotation.added_noise = gaussian->noise_variance;
  }
  return annotation;
}

std::vector<Observation> observations_of(const std::vector<Annotation>& annotations) {
  std::vector<Observation> observations;
  observations.reserve(annotations.size());
  for (const Annotation& a : annotations)
    observations.push_back({.place = a.place, .value = a.value, .channel = a.channel});
  return observations;
}

}  // namespace acuity
