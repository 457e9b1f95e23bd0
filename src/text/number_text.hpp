#pragma once

#include <string>

namespace acuity {

/// A number as text, with six significant digits by default.
std::string brief(double value, int digits = 6);

/// The same without an exponent from 1e-4 to 1e15: "6400" with two digits, where brief() has "6.4e+03".
std::string rounded(double value, int digits);

/// An amount of money in a sentence, with three significant digits or all whole units: "0.0371", "12.5",
/// "1235".
std::string amount(double value);

/// The same with its unit: "12.5 hours", "1 hour", or "12.5" without a unit. Control characters in the unit
/// are escaped.
std::string money(double value, const std::string& unit);

/// A number for CSV, with the fewest digits that read back exactly; `inf` and `-inf`.
std::string exact(double value);

}  // namespace acuity
