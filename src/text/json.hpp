#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace acuity {

/// A JSON object that keeps the order in which keys were added.
using Json = nlohmann::ordered_json;

/// A number as JSON; infinity, which JSON does not have, becomes the text "inf" or "-inf".
Json json_number(double value);
/// The number as JSON, or null if absent.
Json json_number(const std::optional<double>& value);
/// A list of such numbers, from an Eigen vector or a std::vector.
template <typename Numbers>
Json json_numbers(const Numbers& numbers) {
  Json list = Json::array();
  for (const double number : numbers) list.push_back(json_number(number));
  return list;
}

/// JSON on one line, without a line end. Numbers have enough digits to read back exactly; bytes that are not
/// UTF-8 become U+FFFD.
std::string json_text(const Json& json);

}  // namespace acuity
