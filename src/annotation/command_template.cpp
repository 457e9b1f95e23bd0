#include "annotation/command_template.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "annotation/dakota_files.hpp"

namespace acuity {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

bool is_known(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const Input* find_input(const std::vector<Input>& inputs, std::string_view name) {
  for (const Input& input : inputs)
    if (input.name == name) return &input;
  return nullptr;
}

// Reserved tokens: those of the first list are numbers, those of the second text.
const std::vector<std::string> numeric_tokens{"id", "attempt", "alpha", "value", "cost", "seed"};
const std::vector<std::string> text_tokens{"level", "point"};

// A level whose value is not a number, or null.
const Level* level_of_text(const StudyFile& study) {
  for (const Level& level : study.price_list)
    if (!std::holds_alternative<double>(level.value) && !std::holds_alternative<std::int64_t>(level.value))
      return &level;
  return nullptr;
}

// A word that the shell takes as it is, and that no program takes for an option unless it is a number.
bool is_plain_word(std::string_view word) {
  const auto is_plain = [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') ||
           std::string_view("._+-/:@%,").find(c) != std::string_view::npos;
  };
  return !word.empty() && std::all_of(word.begin(), word.end(), is_plain) &&
         (word.front() != '-' || to_number(word));
}

std::optional<Index> row_without_plain_word(const Pool& pool, std::size_t column) {
  for (Index row = 0; row < pool.size(); ++row)
    if (!is_plain_word(pool.text(row, column))) return row;
  return std::nullopt;
}

std::string known_tokens(const StudyFile& study, const Pool& pool) {
  std::vector<std::string> all;
  for (const std::string& name : numeric_tokens) {
    if (name == "alpha" && !study.ladder) continue;
    if (name == "value" && level_of_text(study) != nullptr) continue;
    all.push_back("{" + name + "}");
  }
  for (const Input& input : pool.columns()) all.push_back("{" + input.name + "}");
  for (std::size_t k = 0; k < pool.text_columns().size(); ++k)
    if (!row_without_plain_word(pool, k)) all.push_back("{" + pool.text_columns()[k] + "}");
  if (all.size() > 14) all.erase(all.begin() + 14, all.end()), all.emplace_back("...");
  return fmt::format("{}", fmt::join(all, ", "));
}

void check_token(const StudyFile& study, const Pool& pool, const std::string& key, std::string_view name) {
  const std::vector<Input>& inputs = pool.columns();
  const std::vector<std::string>& columns = pool.text_columns();
  const bool numeric = is_known(numeric_tokens, name), text = is_known(text_tokens, name),
             input = find_input(inputs, name) != nullptr;
  const auto complain = [&](const std::string& rest) {
    study.complain(fmt::format("{} has {{{}}}, {}", key, name, rest));
  };
  if (input && (numeric || text)) complain("which is an input and a reserved token, must be renamed");
  if (text)
    complain(fmt::format("which is text, must be taken from the environment (ACUITY_{})",
                         name == "level" ? "LEVEL" : "POINT"));
  if (input)
    for (const std::string& value : find_input(inputs, name)->values)
      if (!is_plain_word(value))
        complain(fmt::format(
            "but its value \"{}\" is not a plain word, must be taken from the environment ({}) or "
            "request.json",
            printable(value, 40), input_variable(name)));
  if (name == "alpha" && !study.ladder) complain("which is for [precision], must be {value} with [[level]]");
  if (name == "value")
    if (const Level* level = level_of_text(study))
      complain(
          fmt::format("but the value of level \"{}\" is \"{}\", must be a number; give every level a number "
                      "as its value, or "
                      "write \"$ACUITY_VALUE\" in place of {{value}}",
                      level->name, to_text(level->value)));
  const auto column = std::find(columns.begin(), columns.end(), name);
  if (column != columns.end() && !numeric) {
    const auto k = static_cast<std::size_t>(column - columns.begin());
    if (const std::optional<Index> row = row_without_plain_word(pool, k))
      complain(
          fmt::format("which is \"{}\" at {}, must be a plain word in every row, or be taken from the "
                      "environment (\"${}\")",
                      printable(pool.text(*row, k), 60), pool.where(*row), input_variable(name)));
    return;
  }
  if (!numeric && !input)
    complain(fmt::format("must be one of {} (to pass braces to the shell, add a blank: {{ {}}})",
                         known_tokens(study, pool), name));
}

void check_variables(const StudyFile& study, const std::vector<Input>& inputs) {
  std::map<std::string, std::string> taken;
  for (const Input& input : inputs) {
    const auto [found, fresh] = taken.emplace(input_variable(input.name), input.name);
    if (!fresh)
      study.complain(fmt::format(
          "pool.inputs \"{}\" and \"{}\" are both {} in the environment of an annotator, must be renamed",
          found->second, input.name, found->first));
  }
}

// The end of one shell word, quotes included.
std::size_t end_of_word(std::string_view line, std::size_t at) {
  char quote = 0;
  for (; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '\\' && quote != '\'')
      ++at;
    else if (quote != 0)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (std::string_view(" \t\n;|&<>()").find(c) != std::string_view::npos)
      break;
  }
  return std::min(at, line.size());
}

// The position of the first word that does not assign a variable; npos if there is none.
std::size_t first_command(std::string_view line) {
  for (std::size_t at = 0;;) {
    at = line.find_first_not_of(" \t\n", at);
    if (at == std::string_view::npos) return at;
    const std::string_view word = line.substr(at, end_of_word(line, at) - at);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || !is_identifier(word.substr(0, equals))) return at;
    at += word.size();
  }
}

// The position of the program if it is given by a relative path: the first word that does not assign a
// variable, if it contains a slash that is not its first character. npos otherwise.
std::size_t relative_program(std::string_view line) {
  const std::size_t at = first_command(line);
  if (at == std::string_view::npos) return at;
  const std::string_view word = line.substr(at, end_of_word(line, at) - at);
  const std::size_t first = word.find_first_not_of("'\"");
  const bool relative = first != std::string_view::npos && word.find('/', first) != std::string_view::npos &&
                        std::string_view("/~$`#").find(word[first]) == std::string_view::npos;
  return relative ? at : std::string_view::npos;
}

bool is_executable(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

bool is_in_path(const std::string& program) {
  const char* const given = std::getenv("PATH");
  std::string_view folders = given != nullptr ? given : "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const std::string_view folder = folders.substr(0, end);
    if (is_executable(std::filesystem::path(folder.empty() ? "." : folder) / program)) return true;
    if (end == folders.size()) return false;
    folders.remove_prefix(end + 1);
  }
}

// Words that the shell knows itself.
bool is_shell_word(std::string_view word) {
  static const std::set<std::string_view> words{
      ".",     ":",     "[",      "alias", "bg",   "break",    "case",   "cd",      "command", "continue",
      "do",    "done",  "echo",   "elif",  "else", "esac",     "eval",   "exec",    "exit",    "export",
      "false", "fc",    "fg",     "fi",    "for",  "getopts",  "hash",   "if",      "in",      "jobs",
      "kill",  "local", "printf", "pwd",   "read", "readonly", "return", "set",     "shift",   "test",
      "then",  "times", "trap",   "true",  "type", "ulimit",   "umask",  "unalias", "unset",   "until",
      "wait",  "while", "!",      "{",     "}"};
  return words.contains(word);
}

}  // namespace

std::string missing_program(const StudyFile& study, const std::filesystem::path& study_folder) {
  const std::string_view line = study.annotator.command;
  const std::size_t at = first_command(line);
  if (at == std::string_view::npos) return "";
  const std::string word(line.substr(at, end_of_word(line, at) - at));
  // Quotes, variables, tokens, patterns and comments are the shell's business.
  if (word.empty() || word.find_first_of("'\"\\$`~{}*?#()") != std::string::npos || is_shell_word(word))
    return "";
  const bool has_folder = word.find('/') != std::string::npos;
  const std::filesystem::path file = word.front() == '/' ? std::filesystem::path(word) : study_folder / word;
  if (has_folder ? is_executable(file) : is_in_path(word)) return "";
  std::error_code ignored;
  if (has_folder && std::filesystem::exists(file, ignored))
    return fmt::format("the command begins with {}, which cannot be executed: chmod +x {}", word, word);
  return fmt::format("the command begins with {}, which does not exist {}", word,
                     has_folder ? "beside the study" : "in PATH");
}

CommandTemplate::CommandTemplate(const StudyFile& study, const std::vector<Input>& inputs,
                                 const std::filesystem::path& study_folder)
    : CommandTemplate(study,
                      Pool(Points(0, static_cast<Index>(inputs.size())), names_of(inputs)).described(inputs),
                      study_folder) {}

CommandTemplate::CommandTemplate(const StudyFile& study, const Pool& pool,
                                 const std::filesystem::path& study_folder) {
  const std::vector<Input>& inputs = pool.columns();
  check_variables(study, inputs);
  std::string line = study.annotator.command;
  if (study.annotator.protocol == AnnotatorSetting::Protocol::dakota) {
    check_dakota_names(study, inputs);
    line = dakota_command(line);
  }
  const std::size_t program = relative_program(line);
  if (program == std::string::npos) {
    split(study, pool, line);
    return;
  }
  // The quoted folder is inserted before the word, quoted or not; the shell joins the two.
  split(study, pool, std::string_view(line).substr(0, program));
  pieces_.push_back({.text = shell_quoted(std::filesystem::absolute(study_folder).string()) + "/"});
  split(study, pool, std::string_view(line).substr(program));
}

CommandTemplate::CommandTemplate(const StudyFile& study, const Pool& pool, std::string key,
                                 std::string_view text, std::vector<std::string> more)
    : key_(std::move(key)), more_(std::move(more)) {
  split(study, pool, text);
}

bool CommandTemplate::has_token(std::string_view name) const {
  return std::any_of(pieces_.begin(), pieces_.end(),
                     [&](const Piece& piece) { return piece.token && piece.text == name; });
}

void CommandTemplate::split(const StudyFile& study, const Pool& pool, std::string_view command) {
  std::string literal;
  for (std::size_t at = 0; at < command.size(); ++at) {
    const std::size_t end = command[at] == '{' ? command.find('}', at) : std::string_view::npos;
    const bool escaped = at > 0 && (command[at - 1] == '$' || command[at - 1] == '\\');
    const std::string_view name =
        end == std::string_view::npos || escaped ? "" : command.substr(at + 1, end - at - 1);
    if (!is_identifier(name) && !is_known(pool.inputs(), name) && !is_known(pool.text_columns(), name)) {
      literal += command[at];
      continue;
    }
    if (!is_known(more_, name)) check_token(study, pool, key_, name);
    pieces_.push_back({.text = std::move(literal)});
    pieces_.push_back({.token = true, .text = std::string(name)});
    literal.clear();
    at = end;
  }
  pieces_.push_back({.text = std::move(literal)});
}

std::string CommandTemplate::fill(const Request& request,
                                  const std::map<std::string, std::string, std::less<>>& more) const {
  const Suggestion& asked = request.suggestion;
  std::map<std::string, std::string, std::less<>> words{{"id", std::to_string(asked.id)},
                                                        {"attempt", std::to_string(request.attempt)},
                                                        {"value", to_text(value_of(asked.level))},
                                                        {"cost", shortest(asked.cost)},
                                                        {"seed", std::to_string(request.seed)}};
  if (asked.level.alpha) words["alpha"] = shortest(*asked.level.alpha);
  for (std::size_t k = 0; k < request.inputs.size(); ++k)
    words[request.inputs[k].name] = input_text_for_programs(request.inputs[k], asked.inputs[k]);
  for (const auto& [name, cell] : request.columns) words.emplace(name, cell);
  for (const auto& [name, word] : more) words[name] = word;
  std::string line;
  for (const Piece& piece : pieces_) line += piece.token ? words.at(piece.text) : piece.text;
  return line;
}

std::string shell_quoted(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string shell_argument(std::string_view text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           static_cast<unsigned char>(c) >= 0x80 ||
           std::string_view("-._~/:@%+,=").find(c) != std::string_view::npos;
  });
  return is_plain && !text.empty() ? std::string(text) : shell_quoted(text);
}

}  // namespace acuity
