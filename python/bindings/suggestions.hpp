#pragma once

#include "acuity/selection/suggestion.hpp"
#include "bindings.hpp"

namespace acuity::python {

/// The fields of acuity.Suggestion, by name.
inline py::dict fields_of(const Suggestion& suggestion) {
  const Level& level = suggestion.level;
  const auto* gaussian = std::get_if<GaussianChannel>(&suggestion.channel);
  const auto* flip = std::get_if<FlipChannel>(&suggestion.channel);
  py::dict fields;
  fields["id"] = suggestion.id;
  fields["row"] = suggestion.row;
  fields["point"] = suggestion.point;
  fields["x"] = Vector(
      Eigen::Map<const Vector>(suggestion.inputs.data(), static_cast<Index>(suggestion.inputs.size())));
  fields["level"] = level.name.empty() ? py::object(py::none()) : py::cast(level.name);
  fields["alpha"] = level.alpha;
  fields["value"] = std::visit([](const auto& value) -> py::object { return py::cast(value); }, level.value);
  fields["cost"] = suggestion.cost;
  fields["information"] = suggestion.information;
  fields["mean"] = suggestion.mean;
  fields["variance"] = suggestion.variance;
  fields["noise_variance"] =
      gaussian == nullptr ? py::object(py::none()) : py::cast(gaussian->noise_variance);
  fields["accuracy"] = flip == nullptr ? py::object(py::none()) : py::cast(flip->accuracy);
  return fields;
}

}  // namespace acuity::python
