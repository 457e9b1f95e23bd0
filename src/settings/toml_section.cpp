#include "settings/toml_section.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "acuity/base/errors.hpp"
#include "text/nearest.hpp"

namespace acuity {

namespace {

// Follows the nesting of a text as the parser would, up to the first error: strings and comments are passed
// over, headers, dotted keys and brackets are counted.
class TomlNesting {
 public:
  explicit TomlNesting(std::string_view text) : text_(text) {}

  /// The first line on which more than `deepest` levels are open; 0: there is none.
  std::size_t line_deeper_than(std::size_t deepest) {
    while (at_ < text_.size()) {
      step();
      if (depth() > deepest) return line_;
    }
    return 0;
  }

 private:
  struct Bracket {
    std::size_t depth;  // of what is inside
    bool is_list;
  };

  std::size_t around() const { return open_.empty() ? header_ : open_.back().depth; }
  bool is_between() const { return open_.empty() && !in_value_; }
  std::size_t depth() const {
    // A number has a dot, too, so that only those of keys count.
    return around() + (in_value_ ? 0 : parts_);
  }

  void step() {
    const char c = text_[at_];
    switch (c) {
      case '#':
        at_ = std::min(text_.find('\n', at_), text_.size());
        return;
      case '"':
      case '\'':
        if (parts_ == 0) parts_ = 1;
        return pass_string(c);
      case '\n':
        ++line_;
        if (open_.empty()) in_value_ = in_header_ = false;
        if (open_.empty()) parts_ = 0;
        break;
      case '.':
        ++parts_;
        break;
      case '=':
        if (!in_header_) in_value_ = true;
        break;
      case ',':
        if (!open_.empty()) in_value_ = open_.back().is_list;  // otherwise a key follows
        if (!open_.empty()) parts_ = 0;
        break;
      case '[':
      case '{':
        open(c);
        break;
      case ']':
      case '}':
        close();
        break;
      case ' ':
      case '\t':
      case '\r':
        break;
      default:
        if (parts_ == 0) parts_ = 1;
    }
    ++at_;
  }

  void open(char c) {
    if (c == '[' && is_between()) {
      if (!in_header_) header_ = parts_ = 0;
      in_header_ = true;
      return;
    }
    open_.push_back({around() + std::max<std::size_t>(1, parts_), c == '['});
    parts_ = 0;
    in_value_ = c == '[';
  }

  void close() {
    if (in_header_ && parts_ > 0) header_ = std::exchange(parts_, 0);
    if (open_.empty()) return;
    open_.pop_back();
    in_value_ = true;
    parts_ = 0;
  }

  void pass_string(char quote) {
    const bool is_long = text_.substr(at_).starts_with(std::string(3, quote));
    at_ += is_long ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' && !is_long) return;
      if (c == '\n') ++line_;
      if (c == quote && !is_long) {
        ++at_;
        return;
      }
      if (c == quote && text_.substr(at_).starts_with(std::string(3, quote))) {
        at_ += 3;
        for (int more = 0; more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
        return;
      }
      at_ += c == '\\' && quote == '"' ? 2 : 1;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
  std::size_t header_ = 0;     // parts of the last [header]
  std::vector<Bracket> open_;  // of values
  std::size_t parts_ = 0;      // of the key that is being read
  bool in_header_ = false, in_value_ = false;
};

bool in_range(double value, Range range) {
  switch (range) {
    case Range::finite:
      return std::isfinite(value);
    case Range::positive:
      return std::isfinite(value) && value > 0.0;
    case Range::zero_or_more:
      return std::isfinite(value) && value >= 0.0;
    case Range::at_least_one:
      return value >= 1.0;
    case Range::zero_or_more_or_infinite:
      return value >= 0.0;
    case Range::zero_to_one:
      return value >= 0.0 && value <= 1.0;
    case Range::half_to_one:
      return value >= 0.5 && value <= 1.0;
  }
  return false;
}

std::string in_words(Range range) {
  switch (range) {
    case Range::finite:
      return "a finite number";
    case Range::positive:
      return "a finite number above 0";
    case Range::zero_or_more:
      return "a finite number, 0 or more";
    case Range::at_least_one:
      return "a number of at least 1 (inf is one)";
    case Range::zero_or_more_or_infinite:
      return "a number, 0 or more (inf is one)";
    case Range::zero_to_one:
      return "a number from 0 to 1";
    case Range::half_to_one:
      return "a number from 0.5 to 1";
  }
  return "a number";
}

}  // namespace

void require_toml_size(std::uintmax_t size, const std::string& source) {
  if (size > largest_toml)
    throw InputError(fmt::format("{} has {} bytes, must be a study of {} at most",
                                 source.empty() ? "the text" : source + ": it", size, largest_toml));
}

toml::table toml_in(const std::string& text, const std::string& source) {
  require_toml_size(text.size(), source);
  if (const std::size_t line = TomlNesting(text).line_deeper_than(deepest_toml); line > 0)
    throw InputError(fmt::format("{}{}: it is nested more deeply than {} levels, must be {} at most",
                                 source.empty() ? "line " : source + ":", line, deepest_toml, deepest_toml));
  return toml::parse(text);
}

const toml::node* TomlSection::node(const std::string& key) const {
  return table_ ? table_->get(key) : nullptr;
}
bool TomlSection::has(const std::string& key) const {
  return node(key) != nullptr;
}
bool TomlSection::is_string(const std::string& key) const {
  return has(key) && node(key)->is_string();
}
bool TomlSection::is_number(const std::string& key) const {
  return has(key) && node(key)->is_number();
}
bool TomlSection::is_table(const std::string& key) const {
  return has(key) && node(key)->is_table();
}
bool TomlSection::is_array(const std::string& key) const {
  return has(key) && node(key)->is_array();
}
bool TomlSection::is_bool(const std::string& key) const {
  return has(key) && node(key)->is_boolean();
}

void TomlSection::complain(const std::string& sentence) const {
  throw InputError(file_.empty() ? sentence : file_ + ": " + sentence);
}

std::string TomlSection::shown(const toml::node& node) const {
  if (const auto number = node.value_exact<double>()) {
    const std::string text = shortest(*number);
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
  }
  std::ostringstream text;
  if (const auto word = node.value_exact<std::string>())
    text << '"' << *word << '"';
  else
    node.visit([&](const auto& value) { text << value; });
  return printable(text.str(), 80);
}

void TomlSection::wrong(const std::string& key, const std::string& requirement) const {
  complain(fmt::format("{} is {}, must be {}", path(key), shown(*node(key)), requirement));
}

void TomlSection::missing(const std::string& key, const std::string& requirement) const {
  complain(fmt::format("{} is missing, must be {}", path(key), requirement));
}

void TomlSection::allow(const std::vector<std::string>& keys) const {
  if (table_ == nullptr) return;
  for (const auto& [key, value] : *table_) {
    const std::string word(key.str());
    if (std::find(keys.begin(), keys.end(), word) != keys.end()) continue;
    complain(fmt::format("key \"{}\" is not known, must be one of {} (nearest: \"{}\")", path(word),
                         quoted_list(keys), path(nearest(word, keys))));
  }
}

std::vector<std::string> TomlSection::keys() const {
  std::vector<std::string> names;
  if (table_ != nullptr)
    for (const auto& [key, value] : *table_) names.emplace_back(key.str());
  return names;
}

std::optional<std::string> TomlSection::text(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  if (!is_string(key)) wrong(key, "text in quotes");
  std::string value = *node(key)->value<std::string>();
  if (value.empty() || value.find('\0') != std::string::npos) wrong(key, "text that is not empty");
  return value;
}

std::optional<double> TomlSection::number(const std::string& key, Range range) const {
  if (!has(key)) return std::nullopt;
  if (!is_number(key) || !in_range(*node(key)->value<double>(), range)) wrong(key, in_words(range));
  return node(key)->value<double>();
}

std::optional<std::int64_t> TomlSection::integer(const std::string& key, std::int64_t at_least) const {
  if (!has(key)) return std::nullopt;
  const auto value = node(key)->value_exact<std::int64_t>();
  if (!value || *value < at_least) wrong(key, fmt::format("a whole number, {} or more", at_least));
  return value;
}

std::optional<bool> TomlSection::boolean(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  if (!is_bool(key)) wrong(key, "true or false");
  return node(key)->value<bool>();
}

std::optional<std::vector<std::string>> TomlSection::texts(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  std::vector<std::string> values;
  if (!is_array(key) || node(key)->as_array()->empty()) wrong(key, "a list of names");
  for (const toml::node& entry : *node(key)->as_array()) {
    const auto name = entry.value_exact<std::string>();
    if (!name || name->empty() || name->find('\0') != std::string::npos) wrong(key, "a list of names");
    values.push_back(*name);
  }
  return values;
}

std::optional<std::vector<double>> TomlSection::numbers(const std::string& key, Range range) const {
  if (!has(key)) return std::nullopt;
  std::vector<double> values;
  const std::string requirement = "a list, each entry " + in_words(range);
  if (!is_array(key) || node(key)->as_array()->empty()) wrong(key, requirement);
  for (const toml::node& entry : *node(key)->as_array()) {
    if (!entry.is_number() || !in_range(*entry.value<double>(), range)) wrong(key, requirement);
    values.push_back(*entry.value<double>());
  }
  return values;
}

std::optional<std::size_t> TomlSection::choice(const std::string& key,
                                               const std::vector<std::string>& choices) const {
  if (!has(key)) return std::nullopt;
  const auto word = node(key)->value_exact<std::string>();
  const auto found = word ? std::find(choices.begin(), choices.end(), *word) : choices.end();
  if (found == choices.end()) wrong(key, quoted_list(choices));
  return static_cast<std::size_t>(found - choices.begin());
}

TomlSection TomlSection::section(const std::string& key) const {
  if (has(key) && !is_table(key)) wrong(key, "a table");
  return {file_, path(key), has(key) ? node(key)->as_table() : nullptr};
}

std::vector<TomlSection> TomlSection::sections(const std::string& key) const {
  std::vector<TomlSection> tables;
  if (!has(key)) return tables;
  const std::string requirement = "written as [[" + key + "]], one table each";
  if (!is_array(key) || node(key)->as_array()->empty()) wrong(key, requirement);
  for (const toml::node& entry : *node(key)->as_array()) {
    if (!entry.is_table()) wrong(key, requirement);
    tables.emplace_back(file_, fmt::format("{} {}", path(key), tables.size() + 1), entry.as_table());
  }
  return tables;
}

}  // namespace acuity
