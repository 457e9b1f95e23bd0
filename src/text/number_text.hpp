#pragma once

#include <string>

namespace acuity {

/// For people: six significant digits unless told otherwise.
std::string brief(double value, int digits = 6);

/// For people: "12.5 runs", or "12.5" without a unit. Control characters in the unit are escaped.
std::string money(double amount, const std::string& unit);

/// For CSV: 17 significant digits, which read back exactly; `inf` and `-inf`.
std::string exact(double value);

}  // namespace acuity
