#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/channel.hpp"
#include "acuity/data/points.hpp"

namespace acuity ACUITY_PUBLIC {

/// Learned accuracies of answers to items of either class (docs/math.md 15.3).
struct ClassAccuracies {
  FlipChannel channel;
  double yes_sd = 0.0, no_sd = 0.0;  ///< standard deviations of the logits
  double coin = 0.0;                 ///< the probability that the answers do not depend on the class
};

/// The accuracy of one person's answers at one level.
struct PersonAccuracy {
  std::string person;
  Index level = 0;        ///< of the offer
  double accuracy = 0.5;  ///< from 1/2 to 1; by class, the mean of the two
  double logit_sd = 0.0;  ///< standard deviation of its logit
  std::optional<ClassAccuracies> by_class = std::nullopt;

  FlipChannel channel() const { return by_class ? by_class->channel : FlipChannel(accuracy); }
};

/// Accuracies that were learned from answers and gold items (docs/math.md 15).
struct LearnedAccuracies {
  /// Of every level of the offer: of people without one of their own. The standard deviation of a logit is 0
  /// if the accuracy is given.
  std::vector<double> level, level_sd;
  std::vector<PersonAccuracy> people;  ///< those with enough answers for one of their own
  /// Of every level; empty if none is learned by class.
  std::vector<std::optional<ClassAccuracies>> level_by_class = {};

  /// Null if this person has no accuracy of their own at this level.
  const PersonAccuracy* find(const std::string& person, Index level_index) const;
  /// That person's, or else the level's.
  FlipChannel channel(const std::string& person, Index level_index) const;
  double of(const std::string& person, Index level_index) const {
    return channel(person, level_index).accuracy();
  }
  FlipChannel channel_of_level(Index level_index) const;
};

/// The answer of a person to an item whose class is known.
struct GoldAnswer {
  std::string person;
  Index level = 0;  ///< of the offer
  bool is_right = false;
  double y = 1.0;  ///< the answer, -1 or +1
};

}  // namespace acuity ACUITY_PUBLIC
