#pragma once

#include <cmath>
#include <vector>

#include "acuity/data/input.hpp"
#include "text/json.hpp"

// JSON for pages, which read numbers without knowing the texts that json_number() has for infinity.

namespace acuity {

/// A number; infinite or not a number: null.
inline Json plain_number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

template <typename Numbers>
Json plain_numbers(const Numbers& numbers) {
  Json list = Json::array();
  for (const double number : numbers) list.push_back(plain_number(number));
  return list;
}

/// A value of an input: a number, or its name.
inline Json plain_input(const Input& input, double value) {
  return input.is_named() ? Json(input.text(value)) : plain_number(value);
}

/// One value per input.
inline Json plain_inputs(const std::vector<Input>& inputs, const double* values) {
  Json list = Json::array();
  for (std::size_t k = 0; k < inputs.size(); ++k) list.push_back(plain_input(inputs[k], values[k]));
  return list;
}

}  // namespace acuity
