#include "text/json.hpp"

#include <cmath>

#include "text/number_text.hpp"

namespace acuity {

Json json_number(double value) {
  return std::isfinite(value) ? Json(value) : Json(exact(value));
}

Json json_number(const std::optional<double>& value) {
  return value ? json_number(*value) : Json();
}

Json json_in(std::string_view text) {
  return Json::parse(text.begin(), text.end(), nullptr, false);
}

SortedJson sorted_json_in(std::string_view text) {
  return SortedJson::parse(text.begin(), text.end(), nullptr, false);
}

std::string json_text(const Json& json, int indentation) {
  return json.dump(indentation, ' ', false, Json::error_handler_t::replace);
}

std::string sorted_json_text(const SortedJson& json, int indentation) {
  return json.dump(indentation, ' ', false, SortedJson::error_handler_t::replace);
}

}  // namespace acuity
