#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acuity/data/input.hpp"
#include "acuity/selection/suggestion.hpp"

namespace acuity {

/// The input of one attempt of an annotator command (docs/annotators.md).
struct Request {
  Suggestion suggestion;
  int attempt = 1;            ///< 1, 2, 3, ...
  std::vector<Input> inputs;  ///< in the order of the suggestion's inputs
  std::uint32_t seed = 1;     ///< from 1 to 2^31 - 1
  /// Names and cells of the pool's columns that are no inputs.
  std::vector<std::pair<std::string, std::string>> columns = {};
  /// If the run of another suggestion is continued: the folder of its attempt that answered; empty if it was
  /// answered by other means.
  std::string resume_folder = {};
};

/// The seed depends only on the study's seed and the suggestion's id. It is the same for every attempt, so an
/// attempt that is repeated after a crash gives the same answer.
Request make_request(const Suggestion& suggestion, int attempt, std::vector<Input> inputs,
                     std::uint64_t study_seed);

/// One JSON object on one line; infinity is "inf".
std::string to_json(const Request& request);

/// Names and values of the environment, ACUITY_RESULT and other paths not included. Of a column that is no
/// input it has no variable if another column has the same, or if the cell is longer than 64 KiB.
std::vector<std::pair<std::string, std::string>> environment_of(const Request& request);

/// A value of an input as programs get it: its name, or a number in the shortest form that reads back.
std::string input_text_for_programs(const Input& input, double value);
/// "wall-T" becomes ACUITY_X_WALL_T.
std::string input_variable(std::string_view input);

/// The level's precision as the annotator gets it; on a ladder that is alpha.
LevelValue value_of(const Level& level);
/// The value as in the environment: numbers in the shortest form that reads back the same.
std::string to_text(const LevelValue& value);

/// runs/000057-1
std::string attempt_folder_name(std::int64_t id, int attempt);

}  // namespace acuity
