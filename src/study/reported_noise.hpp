#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acuity/study/study_learner.hpp"

namespace acuity {

/// The noise that answers of a level reported, the noise that the study declares, and the noise that the
/// selection uses. All are standard deviations of the total noise without the nugget, as geometric means over
/// these answers.
struct ReportedNoise {
  std::string level;            ///< empty on a ladder
  std::optional<double> alpha;  ///< on a ladder
  double declared = 0.0, reported = 0.0, used = 0.0;
  std::int64_t count = 0;

  /// Whether reported and declared differ by more than 5 %.
  bool differs() const;
};

/// One per level at which answers reported their noise, in the order of the offer; on a ladder one per alpha,
/// in the order of the first answers. Real targets only. `model` is the model given the annotations.
std::vector<ReportedNoise> reported_noise(const Study& study, const StudyModel& model,
                                          const std::vector<Annotation>& annotations);

/// "level 1e5: answers report 2.0 times its noise_sd (0.055 instead of 0.0275); choices use 0.053": one
/// sentence per level, or one for the whole ladder.
std::vector<std::string> reported_noise_sentences(const Study& study,
                                                  const std::vector<ReportedNoise>& found);
/// Only those that differ from the declared noise and rest on five answers or more.
std::vector<std::string> reported_noise_warnings(const Study& study, const std::vector<ReportedNoise>& found);

/// "2.0 times": the ratio of a reported to a declared standard deviation above 0.
std::string times_text(double reported, double declared);

}  // namespace acuity
