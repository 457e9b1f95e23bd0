#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/data/learned_accuracies.hpp"
#include "acuity/model/prior.hpp"

namespace acuity {

/// What is declared of the accuracy of answers at a level.
struct LevelAccuracy {
  FlipChannel accuracy = 1.0;  ///< as given, or the guess
  double weight = 0.0;         ///< the guess counts as so many answers; 0: the accuracy is given, not learned
  bool by_class = false;       ///< two numbers are learned, and the weight is halved
};

/// One answer of a person to an item.
struct PersonAnswer {
  Index item = 0;
  double y = 1.0;  ///< -1 or +1
  std::string person = {};
  std::optional<Index> level = std::nullopt;  ///< whose accuracy is learned
  FlipChannel accuracy = 1.0;                 ///< otherwise, without a level
};

/// The accuracies of people and levels from their answers under a prior, which stays as it is (docs/math.md
/// 15). People with few answers share the accuracy of their level. The guess of a level is the declared one,
/// moved by the accuracies of the people who have their own, by the number of their answers. `points` has a
/// row per item.
LearnedAccuracies learn_accuracies(const Prior& prior, const Points& points,
                                   const std::vector<PersonAnswer>& answers,
                                   const std::vector<GoldAnswer>& gold,
                                   const std::vector<LevelAccuracy>& levels);

}  // namespace acuity
