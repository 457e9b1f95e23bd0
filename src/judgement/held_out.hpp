#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "acuity/study/study.hpp"

namespace acuity {

/// Answers that are not part of the campaign, to measure the error of its model.
struct HeldOut {
  /// What is known about the noise of the values.
  enum class Noise { unknown, exact, given };

  std::string source;  ///< "test.csv (200 points)"
  Points points;
  Vector values;     ///< classes: -1 and 1
  std::string name;  ///< "test.csv"
  Noise noise = Noise::unknown;
  /// Noise::given: one per value, with the channel of its level or the noise that the table states.
  std::vector<Annotation> annotations;
  Vector base_noise;  ///< sigma^2(x) of every value if the noise is unknown; empty: 0
};

/// A table with the study's inputs and `y`; throws InputError. The precision of `y` may be given in a column
/// `noise_sd` or `noise_variance` (classes: `accuracy`), or `level` (a ladder: `alpha`).
HeldOut read_held_out(const std::filesystem::path& file, const Study& study);

/// The truth that a simulated annotator uses (the sine or the table of truth) at the pool points, or at a
/// sample of a large pool. Nothing if the annotator is not simulated, or the table only has noisy answers.
std::optional<HeldOut> truth_of(const Study& study);

}  // namespace acuity
