#pragma once

#include <regex>
#include <string>

namespace acuity::testing {

/// The text without the moments in it, which differ between two campaigns that are the same otherwise.
inline std::string without_moments(const std::string& text) {
  static const std::regex moment(R"(\d{4}-\d\d-\d\dT[\d:.]+Z)");
  return std::regex_replace(text, moment, "");
}

}  // namespace acuity::testing
