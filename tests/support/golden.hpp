#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "acuity/data/points.hpp"
#include "acuity/model/kernel.hpp"

namespace acuity::testing {

/// tests/golden/NAME.json: reference values computed in arbitrary precision.
const nlohmann::json& golden(const std::string& name);

/// A number, or the text "inf".
double number(const nlohmann::json& value);
Vector vector(const nlohmann::json& values);
Points points(const nlohmann::json& rows);

/// "rbf", "matern32" or "matern52"
KernelFamily kernel_family(const std::string& name);

/// |found - wanted| <= tolerance * max(1, |wanted|); equal infinities are close.
::testing::AssertionResult close(double found, double wanted, double tolerance);
/// |found - wanted| <= tolerance * |wanted|
::testing::AssertionResult close_relative(double found, double wanted, double tolerance);

}  // namespace acuity::testing
