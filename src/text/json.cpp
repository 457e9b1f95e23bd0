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

std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace acuity
