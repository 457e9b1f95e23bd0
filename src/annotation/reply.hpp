#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "acuity/study/study_file.hpp"

namespace acuity {

/// An answer of an annotator, not yet checked against the study.
struct Reply {
  std::variant<double, std::string> y;  ///< finite, the name of a class, or a count "k/n"
  std::optional<double> cost;           ///< from 0 to largest_amount
  std::optional<double> noise_sd;       ///< above 0: the total noise of this answer
};

/// An answer, or one sentence that says why there is none.
struct ReplyReading {
  std::optional<Reply> answer;
  std::string problem;
  bool is_refused = false;  ///< there is an answer, but one that no study takes
};

/// Reads the answer of an attempt from its folder: from `result.json`, else the last line of `stdout.log`
/// that is a JSON object with y, else the last line that is a number. Does not throw. Reads at most 1 MiB of
/// `result.json` and the last 64 KiB of `stdout.log`.
ReplyReading read_reply(const std::filesystem::path& folder);

/// What a failed attempt says that it cost: "cost" in result.json, or in the last line of JSON printed.
/// Nothing if it says nothing; what is no cost is ignored.
std::optional<double> failure_cost(const std::filesystem::path& folder);

/// Reads the text of a result.json; `source` is its name in error messages.
ReplyReading parse_result(std::string_view text, std::string_view source);
/// Reads the end of a program's output. Unless it is the `whole` output, the first line may be the rest of a
/// longer one and is ignored. Everything before a line that is not text is ignored, too.
ReplyReading parse_output(std::string_view output, bool whole = true);

/// Parses a number as programs print it, including Fortran's 1.0D-3. NaN and infinity are numbers here.
std::optional<double> printed_number(std::string_view text);

/// Sets the cost or noise of `answer` if it is in range; returns an error message otherwise, empty if none.
std::string take_cost(double cost, Reply& answer);
std::string take_noise_sd(double noise_sd, Reply& answer);

/// The answer as this study takes it: a finite number; a count; for classes -1 or 1, given as -1 or 0 and 1
/// or by name. An error message if it is not valid.
std::variant<WrittenAnswer, std::string> told_value(const Reply& answer, const StudyFile& study);

}  // namespace acuity
