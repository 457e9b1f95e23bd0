#pragma once

#include <optional>
#include <string>
#include <vector>

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

/// Whether an answer can have such a noise: its variance is a number above 0, too.
bool is_noise_sd(double sd);
bool is_accuracy(double accuracy);

}  // namespace acuity
