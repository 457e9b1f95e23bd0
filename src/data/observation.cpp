#include "acuity/data/observation.hpp"

#include <stdexcept>
#include <string>

namespace acuity {

namespace {

std::vector<Channel> gaussian_channels(const Vector& noise_variances) {
  std::vector<Channel> channels;
  channels.reserve(static_cast<std::size_t>(noise_variances.size()));
  for (const double variance : noise_variances) channels.emplace_back(GaussianChannel{variance});
  return channels;
}

}  // namespace

double noise_variance(const Channel& channel) {
  if (const auto* gaussian = std::get_if<GaussianChannel>(&channel)) return gaussian->noise_variance;
  throw std::invalid_argument("regression needs a noise variance, found a probability of being right");
}

int bias_of(const Channel& channel) {
  const auto* gaussian = std::get_if<GaussianChannel>(&channel);
  return gaussian == nullptr ? 0 : gaussian->bias;
}

Observations::Observations(Points points, Vector values, std::vector<Channel> channels)
    : points_(std::move(points)), values_(std::move(values)), channels_(std::move(channels)) {
  if (points_.rows() != values_.size() || channels_.size() != static_cast<std::size_t>(values_.size()))
    throw std::invalid_argument("Observations: " + std::to_string(points_.rows()) + " points, " +
                                std::to_string(values_.size()) + " values and " +
                                std::to_string(channels_.size()) + " channels, must be as many of each");
}

Observations::Observations(Points points, Vector values, const Vector& noise_variances)
    : Observations(std::move(points), std::move(values), gaussian_channels(noise_variances)) {}

Observations::Observations(const std::vector<Observation>& observations, const PointsRef& pool)
    : points_(static_cast<Index>(observations.size()), pool.cols()),
      values_(static_cast<Index>(observations.size())) {
  for (Index i = 0; i < size(); ++i) {
    const Observation& observation = observations[static_cast<std::size_t>(i)];
    if (const std::optional<Index> row = observation.place.pool_row())
      points_.row(i) = pool.row(*row);
    else
      points_.row(i) = observation.place.coordinates().transpose();
    values_(i) = observation.value;
    channels_.push_back(observation.channel);
  }
}

Vector Observations::noise() const {
  Vector variances(size());
  for (Index i = 0; i < size(); ++i) variances(i) = noise_variance(channels_[static_cast<std::size_t>(i)]);
  return variances;
}

Observations Observations::with_noise(const Vector& noise_variances) const {
  Observations changed(points_, values_, noise_variances);
  for (std::size_t i = 0; i < channels_.size(); ++i)
    std::get<GaussianChannel>(changed.channels_[i]).bias = bias_of(channels_[i]);
  return changed;
}

}  // namespace acuity
