#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// What somebody wrote as an answer: a number, or a class (-1 or 1, 0 or 1, or one of the study's names).
/// `whose` is how a complaint calls it. Throws InputError.
double read_answer(const Study& study, const std::string& text, const std::string& whose);

/// What a table of answers has.
struct AnswerTable {
  std::vector<Answer> answers;
  std::vector<std::int64_t> not_yet;  ///< ids without an answer
  std::vector<std::string> notes;     ///< what looks like an oversight
};

/// A CSV file as `ask` prints it, filled in: `id` and `y` (or `y_1`, `y_2`, ...), and where they are there
/// `cost`, `noise_sd` or `accuracy`, `point`, the inputs, `level` or `alpha`, which say what was done. Throws
/// InputError with file, line and column.
AnswerTable read_answers(const Study& study, const State& state, const std::filesystem::path& file);

}  // namespace acuity
