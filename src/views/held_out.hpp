#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "acuity/study/study.hpp"

namespace acuity {

/// Answers that the campaign has not seen.
struct HeldOut {
  std::string source;  ///< "test.csv (200 points)"
  Points points;
  Vector values;  ///< classes: -1 and 1
};

/// A table with the study's inputs and `y`; throws InputError.
HeldOut read_held_out(const std::filesystem::path& file, const Study& study);

/// What the study's rehearsal knows of its pool, some of it where that is large: the sine, or the table of
/// truth. Nothing where nobody knows, or the table has answers with noise only.
std::optional<HeldOut> truth_of(const Study& study);

}  // namespace acuity
