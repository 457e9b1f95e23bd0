#pragma once

#include <string>

namespace acuity {

/// A price for people; "not a number" for NaN.
std::string price_text(double price);

/// What a price must be that it is not; empty if nothing is wrong with it.
std::string price_requirement(double price);

}  // namespace acuity
