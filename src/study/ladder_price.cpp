#include "study/ladder_price.hpp"

#include <fmt/format.h>

#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "acuity/data/precision.hpp"

namespace acuity {

std::string price_text(double price) {
  return std::isnan(price) ? "not a number" : shortest(price);
}

std::string price_requirement(double price) {
  if (!(std::isfinite(price) && price > 0.0)) return "a finite number above 0";
  return price <= largest_amount ? "" : fmt::format("at most {}", largest_amount_text);
}

}  // namespace acuity
