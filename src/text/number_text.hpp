#pragma once

#include <string>

namespace acuity {

/// A number as text, with six significant digits by default.
std::string brief(double value, int digits = 6);

/// The same without an exponent from 1e-4 to 1e15: "6400" with two digits, where brief() has "6.4e+03".
std::string rounded(double value, int digits);

/// An amount as text: "12.5 runs", or "12.5" without a unit. Control characters in the unit are escaped.
std::string money(double amount, const std::string& unit);

/// A number for CSV, with 17 significant digits, which read back exactly; `inf` and `-inf`.
std::string exact(double value);

}  // namespace acuity
