#pragma once

#include <optional>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/channel.hpp"
#include "acuity/data/points.hpp"

namespace acuity ACUITY_PUBLIC {

/// The place of an observation: a row of the pool, or coordinates. If processes share the pool, a row that
/// another process has is known by both.
class Place {
 public:
  Place(Index pool_row) : row_(pool_row) {}  // NOLINT: condition(17, ...) reads well
  explicit Place(Vector coordinates) : coordinates_(std::move(coordinates)) {}
  /// A row of the whole pool that is not in the part of this process.
  static Place in_other_shard(Index row, Vector coordinates) {
    Place place(std::move(coordinates));
    place.row_elsewhere_ = row;
    return place;
  }

  std::optional<Index> pool_row() const { return row_; }
  /// Of the whole pool, if it is in the part of another process.
  std::optional<Index> row_elsewhere() const { return row_elsewhere_; }
  /// Only for places that are not a row of the own part of the pool.
  const Vector& coordinates() const { return coordinates_; }

 private:
  std::optional<Index> row_, row_elsewhere_;
  Vector coordinates_;
};

/// An annotation as the model sees it: place, value and channel.
struct Observation {
  Place place;
  double value = 0.0;
  Channel channel;
};

/// Observations stored by column, all with coordinates; the input of a posterior.
class Observations {
 public:
  Observations() = default;
  Observations(Points points, Vector values, std::vector<Channel> channels);
  /// Gaussian channels with these noise variances.
  Observations(Points points, Vector values, const Vector& noise_variances);
  /// Pool rows are looked up in `pool`.
  Observations(const std::vector<Observation>& observations, const PointsRef& pool);

  Index size() const { return values_.size(); }
  const Points& points() const { return points_; }
  const Vector& values() const { return values_; }
  const std::vector<Channel>& channels() const { return channels_; }
  /// Noise variance of each; throws std::invalid_argument if a channel is not Gaussian.
  Vector noise() const;
  /// The same with these noise variances; each keeps its bias.
  Observations with_noise(const Vector& noise_variances) const;

 private:
  Points points_;
  Vector values_;
  std::vector<Channel> channels_;
};

/// The noise variance of a Gaussian channel; throws std::invalid_argument for any other.
double noise_variance(const Channel& channel);
/// GaussianChannel::bias; 0 for other channels.
int bias_of(const Channel& channel);

}  // namespace acuity ACUITY_PUBLIC
