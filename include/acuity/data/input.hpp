#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/points.hpp"

namespace acuity ACUITY_PUBLIC {

enum class InputType {
  number,
  category,  ///< names without an order, or with one if `levels` are given
  yes_no
};

/// How an input enters the model, besides as it is.
enum class InputTransform : unsigned char {
  none,
  log,      ///< its logarithm
  category  ///< a code, which is never scaled
};

/// One input of a study: its name, how its values are written, and what the model sees of them. Points store
/// numbers: a named value is the index of its name.
struct Input {
  Input() = default;
  Input(std::string input) : name(std::move(input)) {}  // NOLINT: a name alone is a number
  Input(const char* input) : name(input) {}             // NOLINT

  std::string name;
  InputType type = InputType::number;
  bool log = false;                 ///< numbers: the model sees the logarithm; values are above 0
  std::string unit;                 ///< numbers: shown with the name
  bool ordered = false;             ///< categories: the model sees the index of the name as a number
  std::vector<std::string> values;  ///< names of the values
  /// Where the values of a pool that is drawn lie: between two numbers, or among these numbers. Inputs with
  /// names have `values` instead.
  std::optional<std::pair<double, double>> range;
  std::vector<double> choices;
  std::optional<double> similarity;  ///< categories without an order: given, not learned (docs/math.md 14)

  /// Whether values are written as names.
  bool is_named() const { return type != InputType::number; }
  /// Whether the model knows only whether two values are the same.
  bool is_category() const { return is_named() && !ordered; }
  InputTransform transform() const;
  /// The name of a value, or the shortest number that reads back. A value without a name is "(unknown)".
  std::string text(double value) const;
  /// Whether a point may have this value: finite, above 0 on a log scale, the index of a name.
  bool accepts(double value) const;
  /// The value of a name or a number as written; nothing if it is none that the input can have. For yes-no
  /// inputs also true, false, 1 and 0, in any case.
  std::optional<double> value(std::string_view text) const;
  /// What value() requires, for error messages: "a number above 0", "one of "DMF", "THF"".
  std::string requirement() const;
  /// "T (K)", or the name alone without a unit.
  std::string label() const;

  friend bool operator==(const Input&, const Input&) = default;
};

std::vector<std::string> names_of(const std::vector<Input>& inputs);
std::vector<InputTransform> transforms_of(const std::vector<Input>& inputs);

}  // namespace acuity ACUITY_PUBLIC
