#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "commands.hpp"

// Options that several commands share. Only the files that declare commands include this: the parser is slow
// to compile.

namespace acuity {

/// Numbers that are answers and begin with a minus would be taken for options; they are marked on their way
/// through the parser.
inline constexpr char answer_mark = '\x02';

inline std::string without_mark(const std::string& word) {
  return !word.empty() && word[0] == answer_mark ? word.substr(1) : word;
}

inline void add_format(CLI::App& command, Format& format) {
  const auto take = [&format](const std::string& word) {
    if (word != "table" && word != "csv" && word != "json")
      throw CLI::ValidationError("--format is \"" + word + "\", must be table, csv or json");
    format = word == "csv" ? Format::csv : word == "json" ? Format::json : Format::table;
  };
  command.add_option_function<std::string>("--format", take, "How results are written (default table)")
      ->option_text("table|csv|json");
}

/// Where results come one by one: JSON lines, too.
inline void add_streaming_format(CLI::App& command, Format& format) {
  const auto take = [&format](const std::string& word) {
    if (word != "table" && word != "json" && word != "jsonl")
      throw CLI::ValidationError("--format is \"" + word + "\", must be table, json or jsonl");
    format = word == "json" ? Format::json : word == "jsonl" ? Format::jsonl : Format::table;
  };
  command
      .add_option_function<std::string>(
          "--format", take,
          "How results are written: jsonl is one event a line, as they come (default table)")
      ->option_text("table|json|jsonl");
}

/// A file name that must not be empty: a script's unset variable is a mistake, not a wish.
inline CLI::Option* add_file(CLI::App& command, const std::string& name, std::string& file,
                             const std::string& help) {
  const auto take = [&file, name](const std::string& word) {
    if (word.empty()) throw CLI::ValidationError(name + " is empty, must be a file");
    file = word;
  };
  return command.add_option_function<std::string>(name, take, help);
}

/// The whole word as a number, or nothing.
template <typename Number>
std::optional<Number> number_in(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// A number, or a sentence about what is none.
template <typename Number>
CLI::Option* add_number(CLI::App& command, const std::string& name, std::optional<Number>& number,
                        const std::string& help) {
  const auto take = [&number, name](const std::string& given) {
    const std::string word = without_mark(given);
    number = number_in<Number>(word);
    if (!number)
      throw CLI::ValidationError(name + " is \"" + word + "\", must be a " +
                                 (std::is_integral_v<Number> ? "whole number" : "number"));
  };
  return command.add_option_function<std::string>(name, take, help);
}

void add_threads(CLI::App& command, int& threads);
/// Shared by the commands that keep a belief about a pool.
void add_pool_work(CLI::App& command, PoolWork& work);
/// Whether the word is "float" and not "double".
bool is_float(const std::string& option, const std::string& word);

}  // namespace acuity
