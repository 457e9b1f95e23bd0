#pragma once

#include <string>

namespace acuity {

/// A price as text; "not a number" for NaN.
std::string price_text(double price);

/// The requirement that a price does not meet; empty if it is valid.
std::string price_requirement(double price);

}  // namespace acuity
