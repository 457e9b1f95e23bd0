#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "acuity/study/study_file.hpp"

namespace acuity {

/// What an annotator said, before the study is asked whether it can be true.
struct Reply {
  std::variant<double, std::string> y;  ///< finite, or the name of a class
  std::optional<double> cost;           ///< 0 or more
  std::optional<double> noise_sd;       ///< above 0: the total noise of this answer
};

/// An answer, or one sentence why there is none.
struct ReplyReading {
  std::optional<Reply> answer;
  std::string problem;
};

/// What an attempt left in its folder: `result.json`, else the last line of `stdout.log` that is a JSON
/// object with y, else the last line that is a bare number. Never throws, and never reads more than it must:
/// 1 MiB of the one, the last 64 KiB of the other.
ReplyReading read_reply(const std::filesystem::path& folder);

/// The text of a result.json; `source` is what a complaint calls it.
ReplyReading parse_result(std::string_view text, std::string_view source);
/// The end of what a program printed; unless it is the `whole` output, the first line may be the rest of a
/// longer one and is no answer. Neither is anything in front of a line that is no text.
ReplyReading parse_output(std::string_view output, bool whole = true);

/// A number as programs print it: Fortran's 1.0D-3 too. NaN and infinity are numbers here.
std::optional<double> printed_number(std::string_view text);

/// Fills in cost and noise where they are in range; a complaint otherwise, or nothing.
std::string take_cost(double cost, Reply& answer);
std::string take_noise_sd(double noise_sd, Reply& answer);

/// The value as the model of this study sees it: a finite number; for classes -1 or 1, told as -1 or 0 and 1
/// or by name. A sentence where it is none.
std::variant<double, std::string> told_value(const Reply& answer, const StudyFile& study);

}  // namespace acuity
