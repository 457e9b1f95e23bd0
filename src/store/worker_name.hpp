#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace acuity::worker_name {

// The names under which programs ask and answer in the log. No person may have one of them.
inline constexpr const char* run = "run";          ///< `acuity run`
inline constexpr const char* python = "python";    ///< Campaign.run of the Python package
inline constexpr const char* initial = "initial";  ///< answers that were known when the campaign was created

inline constexpr std::array<std::string_view, 3> programs{run, python, initial};

inline bool is_program(std::string_view name) {
  return std::find(programs.begin(), programs.end(), name) != programs.end();
}

}  // namespace acuity::worker_name
