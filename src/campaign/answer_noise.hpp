#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/data/annotation.hpp"
#include "acuity/data/channel.hpp"
#include "acuity/study/target.hpp"

namespace acuity {

/// The noise or accuracy that an answer reports of itself, and how messages name it.
struct AnswerNoise {
  std::optional<double> noise_sd, accuracy;
  std::string noise_sd_name, accuracy_name;  ///< "--noise-sd"
  std::string whose;                         ///< " of 57"; may be empty
  std::string noise_sd_text;                 ///< as it was given; empty: the number is shown
  std::string noise_sd_requirement = "a finite number above 0";
};

/// Of the answer with these values; nothing if it reports neither. Throws InputError if it is not one that an
/// answer to this target can have.
std::optional<Channel> channel_of(const AnswerNoise& reported, const Target& target,
                                  const std::vector<double>& values);

/// Counts that were added up: the share or the rate of all of them, and the noise of their trials together
/// (docs/math.md eq. (22.4)).
struct AddedCounts {
  double value = 0.0;
  std::optional<Channel> channel;  ///< absent: they have as many trials as the level
};

/// `trials`: of each value, as in Answer. `level`: the channel of the level; absent: all must have trials, or
/// InputError.
AddedCounts added_counts(const std::vector<double>& values, const std::vector<double>& trials,
                         const std::optional<Channel>& level);

/// One sentence if some answers are counts so small that their noise is known only roughly (docs/math.md eq.
/// (22.3)); empty if none is.
std::string small_counts_text(const Target& target, const std::vector<Annotation>& annotations);

/// Whether an answer can have such a noise: its variance is a number above 0, too.
bool is_noise_sd(double sd);
bool is_accuracy(double accuracy);

}  // namespace acuity
