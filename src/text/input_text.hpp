#pragma once

#include <string>
#include <vector>

#include "acuity/data/input.hpp"

namespace acuity {

/// A value of an input for people: its name, or a number with so many digits.
std::string input_text(const Input& input, double value, int digits = 6);
/// "speed = 3, solvent = DMF", of many inputs the first six and "...". Text of users is escaped.
std::string inputs_text(const std::vector<Input>& inputs, const double* values, int digits = 6);

}  // namespace acuity
