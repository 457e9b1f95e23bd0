#pragma once

#include <string>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/points.hpp"

namespace acuity ACUITY_PUBLIC {

/// The accuracy of one person's answers at one level.
struct PersonAccuracy {
  std::string person;
  Index level = 0;        ///< of the offer
  double accuracy = 0.5;  ///< from 1/2 to 1
  double logit_sd = 0.0;  ///< standard deviation of its logit
};

/// Accuracies that were learned from answers and gold items (docs/math.md 15).
struct LearnedAccuracies {
  /// Of every level of the offer: of people without one of their own. The standard deviation of a logit is 0
  /// if the accuracy is given.
  std::vector<double> level, level_sd;
  std::vector<PersonAccuracy> people;  ///< those with enough answers for one of their own

  /// Null if this person has no accuracy of their own at this level.
  const PersonAccuracy* find(const std::string& person, Index level_index) const;
  /// That person's, or else the level's.
  double of(const std::string& person, Index level_index) const;
};

/// The answer of a person to an item whose class is known.
struct GoldAnswer {
  std::string person;
  Index level = 0;  ///< of the offer
  bool is_right = false;
};

}  // namespace acuity ACUITY_PUBLIC
