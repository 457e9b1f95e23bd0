#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Wraps a table of the TOML library: keys are read one by one, and error messages use the names of the study
// file.

namespace toml::inline v3 {
class table;
class node;
}  // namespace toml::inline v3

namespace acuity {

/// Tables, dotted keys and brackets within each other, and bytes of a study, that are parsed at most: the
/// parser takes stack for every level, and a quarter of a second for every megabyte.
constexpr int deepest_toml = 64;
constexpr std::size_t largest_toml = std::size_t{4} << 20;

/// The table of a text from anywhere. Throws InputError, which begins with `source` (a file; may be empty),
/// if the text is nested more deeply or is larger, and toml::parse_error if it is not TOML.
toml::table toml_in(const std::string& text, const std::string& source = "");
/// Throws the first of these for a file of this size, before it is read.
void require_toml_size(std::uintmax_t size, const std::string& source);

/// Ranges that numbers are checked against.
enum class Range {
  finite,
  positive,
  zero_or_more,
  at_least_one,
  zero_or_more_or_infinite,
  zero_to_one,
  half_to_one
};

class TomlSection {
 public:
  /// `name` is the section's name in error messages ("model", "level 2", "precision.cost"); empty for the
  /// whole file.
  TomlSection(std::string file, std::string name, const toml::table* table)
      : file_(std::move(file)), name_(std::move(name)), table_(table) {}

  bool present() const { return table_ != nullptr; }
  bool has(const std::string& key) const;
  bool is_string(const std::string& key) const;
  bool is_number(const std::string& key) const;
  bool is_table(const std::string& key) const;
  bool is_array(const std::string& key) const;
  bool is_bool(const std::string& key) const;

  /// Throws InputError for a key that is not in the list, and suggests the nearest one.
  void allow(const std::vector<std::string>& keys) const;

  /// The names of all keys, in alphabetical order.
  std::vector<std::string> keys() const;
  std::optional<std::string> text(const std::string& key) const;
  std::optional<double> number(const std::string& key, Range range) const;
  std::optional<std::int64_t> integer(const std::string& key, std::int64_t at_least) const;
  std::optional<bool> boolean(const std::string& key) const;
  std::optional<std::vector<std::string>> texts(const std::string& key) const;
  std::optional<std::vector<double>> numbers(const std::string& key, Range range) const;
  /// The index of the value in `choices`.
  std::optional<std::size_t> choice(const std::string& key, const std::vector<std::string>& choices) const;
  TomlSection section(const std::string& key) const;
  /// An array of tables, `[[key]]`; empty if absent.
  std::vector<TomlSection> sections(const std::string& key) const;
  const toml::node* node(const std::string& key) const;

  /// "model.kernel"
  std::string path(const std::string& key) const { return name_.empty() ? key : name_ + "." + key; }
  /// Throws InputError `FILE: model.kernel is "rbg", must be requirement`.
  [[noreturn]] void wrong(const std::string& key, const std::string& requirement) const;
  [[noreturn]] void missing(const std::string& key, const std::string& requirement) const;
  [[noreturn]] void complain(const std::string& sentence) const;

 private:
  std::string shown(const toml::node& node) const;

  std::string file_, name_;
  const toml::table* table_;
};

}  // namespace acuity
