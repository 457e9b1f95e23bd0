#pragma once

#include <charconv>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace acuity {

/// docs/reference.md; scripts rely on the numbers.
enum class ExitCode : int {
  done = 0,
  internal_error = 1,
  differs = 1,  ///< `reproduce --compare` found a difference that is not listed as known
  input_error = 2,
  finished = 3,
  nothing_now = 4,
  failure_guard = 5,
  different_study = 6,
  damaged = 7,  ///< or owned by another process
  interrupted = 130
};

/// The whole word as a number, or nothing.
template <typename Number>
std::optional<Number> number_in(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// What a command does: results go to `out`, notes and progress to `log`.
using Action = std::function<ExitCode(std::ostream& out, std::ostream& log)>;

/// When results reach standard output: all together if the command succeeds, or each as it is known.
enum class Output { at_the_end, at_once };

struct CommandText {
  std::string name;
  std::string help;     ///< one sentence, in the list of commands and on the command's page
  std::string example;  ///< one line, at the end of the page
  Output output = Output::at_the_end;
};

/// An option or positional argument that was declared.
class DeclaredOption {
 public:
  explicit DeclaredOption(CLI::Option& option) : option_(&option) {}
  void required();

 private:
  CLI::Option* option_;
};

/// One command while its options are declared. Names with dashes are options, others positional arguments;
/// `value` names what is given ("FILE"). Only program.cpp knows the option parser, which is slow to
/// compile. A value that cannot be used is an InputError.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  void flag(const std::string& name, bool& given, const std::string& help);
  DeclaredOption text(const std::string& name, const std::string& value, std::string& text,
                      const std::string& help);
  /// Must not be empty: an unset variable of a script is a mistake.
  DeclaredOption file(const std::string& name, const std::string& value, std::string& file,
                      const std::string& help);
  /// For int, std::int64_t and double.
  template <typename Number>
  DeclaredOption number(const std::string& name, const std::string& value, std::optional<Number>& number,
                        const std::string& help);
  /// One of a few words, which are shown as the value.
  void choice(const std::string& name, const std::vector<std::string>& words,
              std::function<void(const std::string&)> take, const std::string& help);
  /// Every word up to the next option.
  DeclaredOption words(const std::string& name, const std::string& value, std::vector<std::string>& words,
                       const std::string& help);
  /// One word with commas.
  void comma_list(const std::string& name, std::vector<std::string>& parts, const std::string& help);
  /// Anything else: `take` gets the word, and throws InputError if it is not usable.
  DeclaredOption option(const std::string& name, const std::string& value,
                        std::function<void(const std::string&)> take, const std::string& help);

 private:
  CLI::App* app_;
};

/// A command with the arguments that its options fill in.
template <typename Arguments>
struct Declared {
  Command command;
  Arguments& arguments;
};

/// The command line: commands add themselves, then one of them is parsed.
class Program {
 public:
  /// `more_features`: what --version lists besides what every build has.
  explicit Program(const std::string& name = "acuity", const std::string& more_features = "");
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Heading in the list of commands for those that are added from here on.
  void begin_group(const std::string& heading);

  /// `act` is called with the arguments if this command is the one given. They live as long as the program.
  template <typename Arguments>
  Declared<Arguments> add(const CommandText& text,
                          ExitCode (*act)(const Arguments&, std::ostream&, std::ostream&)) {
    auto arguments = std::make_shared<Arguments>();
    return {add_command(text, [arguments, act](std::ostream& out,
                                               std::ostream& log) { return act(*arguments, out, log); }),
            *arguments};
  }

  /// Commands added until end_family() are `acuity NAME COMMAND`.
  void begin_family(const CommandText& text);
  void end_family();

  struct Invocation {
    Action act;
    Output output = Output::at_the_end;
  };
  /// What the words ask for; help and version are actions, too. Throws InputError with one sentence.
  Invocation parse(std::vector<std::string> words);

 private:
  Command add_command(const CommandText& text, Action act);

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace acuity
