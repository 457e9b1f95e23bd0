#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// Parses an answer: a number, or a class (-1 or 1, 0 or 1, or one of the study's names). Error messages call
/// it `whose`. Throws InputError.
WrittenAnswer read_answer(const Study& study, const std::string& text, const std::string& whose);

/// Several answers to one suggestion, as Answer and Amendment have them.
struct WrittenValues {
  std::vector<double> values;
  std::vector<double> trials;  ///< of each, 0: it does not say; empty: none does

  void add(const WrittenAnswer& one);
};

/// The same for the replicates of one answer.
WrittenValues read_values(const Study& study, const std::vector<std::string>& texts,
                          const std::string& whose);

/// The content of a table of answers.
struct AnswerTable {
  std::vector<Answer> answers;
  std::vector<std::int64_t> not_yet;  ///< ids without an answer
  std::vector<std::string> notes;     ///< remarks about likely mistakes
};

/// Reads a CSV file as printed by `ask` and filled in: `id` and `y` (or `y_1`, `y_2`, ...), and optionally
/// `cost`, `noise_sd` or `accuracy`, and what was done: `point`, the inputs, `level` or `alpha`. Throws
/// InputError with file, line and column.
AnswerTable read_answers(const Study& study, const State& state, const std::filesystem::path& file);

}  // namespace acuity
