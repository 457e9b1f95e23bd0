#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acuity/selection/suggestion.hpp"

namespace acuity {

/// What one attempt of an annotator that is a program is told (docs/annotators.md).
struct Request {
  Suggestion suggestion;
  int attempt = 1;                  ///< 1, 2, 3, ...
  std::vector<std::string> inputs;  ///< the names, in the order of the suggestion's inputs
  std::uint32_t seed = 1;           ///< from 1 to 2^31 - 1
};

/// The seed depends on the study's seed and on the suggestion's id only. It is the same for every attempt: an
/// attempt that was cut short by a crash and made again gives the answer it would have given.
Request make_request(const Suggestion& suggestion, int attempt, std::vector<std::string> inputs,
                     std::uint64_t study_seed);

/// One JSON object on one line; infinity is "inf".
std::string to_json(const Request& request);

/// Names and values of the environment, ACUITY_RESULT and other paths not included.
std::vector<std::pair<std::string, std::string>> environment_of(const Request& request);

/// "wall-T" becomes ACUITY_X_WALL_T.
std::string input_variable(std::string_view input);

/// What the annotator is told of the level's precision; on a ladder that is alpha.
LevelValue value_of(const Level& level);
/// As it stands in the environment: numbers in the shortest form that reads back the same.
std::string to_text(const LevelValue& value);

/// runs/000057-1
std::string attempt_folder_name(std::int64_t id, int attempt);

}  // namespace acuity
