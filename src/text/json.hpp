#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace acuity {

/// Keys stay in the order in which they were added.
using Json = nlohmann::ordered_json;

/// JSON has no infinity: it becomes the text "inf" or "-inf".
Json json_number(double value);
/// null if there is none.
Json json_number(const std::optional<double>& value);
/// A list of such numbers; Eigen's vectors and std::vector alike.
template <typename Numbers>
Json json_numbers(const Numbers& numbers) {
  Json list = Json::array();
  for (const double number : numbers) list.push_back(json_number(number));
  return list;
}

/// On one line, without a line end. Numbers have as many digits as it takes to read back the same; bytes that
/// are not UTF-8 become U+FFFD.
std::string json_text(const Json& json);

}  // namespace acuity
