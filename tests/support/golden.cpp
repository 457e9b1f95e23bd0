#include "support/golden.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>

namespace acuity::testing {

const nlohmann::json& golden(const std::string& name) {
  static std::map<std::string, nlohmann::json> files;
  auto found = files.find(name);
  if (found == files.end()) {
    std::ifstream file(std::string(ACUITY_SOURCE_DIR "/tests/golden/") + name + ".json");
    found = files.emplace(name, nlohmann::json::parse(file)).first;
  }
  return found->second;
}

double number(const nlohmann::json& value) {
  return value.is_string() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

Vector vector(const nlohmann::json& values) {
  Vector result(static_cast<Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) result(static_cast<Index>(i)) = number(values[i]);
  return result;
}

Points points(const nlohmann::json& rows) {
  Points result(static_cast<Index>(rows.size()), static_cast<Index>(rows.at(0).size()));
  for (Index i = 0; i < result.rows(); ++i)
    result.row(i) = vector(rows[static_cast<std::size_t>(i)]).transpose();
  return result;
}

KernelFamily kernel_family(const std::string& name) {
  return name == "rbf"        ? KernelFamily::rbf
         : name == "matern32" ? KernelFamily::matern32
                              : KernelFamily::matern52;
}

namespace {

::testing::AssertionResult within(double found, double wanted, double allowed) {
  if (found == wanted || std::abs(found - wanted) <= allowed) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "found " << ::testing::PrintToString(found) << ", wanted " << ::testing::PrintToString(wanted)
         << ", off by " << found - wanted << ", allowed " << allowed;
}

}  // namespace

::testing::AssertionResult close(double found, double wanted, double tolerance) {
  return within(found, wanted, tolerance * std::max(1.0, std::abs(wanted)));
}

::testing::AssertionResult close_relative(double found, double wanted, double tolerance) {
  return within(found, wanted, tolerance * std::abs(wanted));
}

}  // namespace acuity::testing
