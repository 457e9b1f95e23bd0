#include "program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>
#include <type_traits>

#include "acuity/base/errors.hpp"
#include "acuity/numerics/instruction_set.hpp"
#include "acuity/store/open_event_store.hpp"
#include "text/nearest.hpp"

namespace acuity {

namespace {

constexpr std::size_t page_width = 80;
constexpr std::size_t help_column = 30;

// The parser takes a negative number for an option. It is marked on its way through the parser.
constexpr char number_mark = '\x02';

void mark_negative_number(std::string& word) {
  const bool is_number = word.size() > 1 && word[0] == '-' &&
                         (std::isdigit(static_cast<unsigned char>(word[1])) != 0 || word[1] == '.');
  if (is_number || word == "-inf" || word == "-nan") word.insert(word.begin(), number_mark);
}

std::string without_mark(const std::string& word) {
  return !word.empty() && word[0] == number_mark ? word.substr(1) : word;
}

// Breaks lines between words.
std::string wrapped(const std::string& text, std::size_t width) {
  std::string lines, line;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      lines += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return lines + line;
}

class Formatter : public CLI::Formatter {
 public:
  Formatter() {
    column_width(help_column);
    label("Positionals", "Arguments");
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = "\nUsage: " + name;
    const auto all = [](const CLI::App*) { return true; };
    if (!app->get_subcommands(all).empty()) usage += " COMMAND";
    for (const CLI::Option* option : app->get_options())
      if (option->get_positional()) usage += " " + make_option_usage(option);
    return usage + " [OPTIONS]\n";
  }
  std::string make_option_usage(const CLI::Option* option) const override {
    const bool several = option->get_expected_max() > 1;
    const std::string name = option->get_name(true, false) + (several ? "..." : "");
    return option->get_required() ? name : "[" + name + "]";
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_positional()) return "";
    const std::string required = option->get_required() ? " (required)" : "";
    return (option->get_option_text().empty() ? "" : " " + option->get_option_text()) + required;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), page_width - help_column);
  }
  std::string make_subcommand(const CLI::App* command) const override {
    constexpr std::size_t column = 13;
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_name(),
                             wrapped(command->get_description(), page_width - column), column);
    return out.str();
  }
  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), page_width) + "\n";
  }
};

std::string version_text(const std::string& name, const std::string& more_features) {
  const std::string client = postgresql_client_version();
  return name + " " ACUITY_VERSION "\ninstruction set: " + std::string(instruction_set()) +
         "\nfeatures: regression, classification, campaigns, pool files" +
         (more_features.empty() ? "" : ", " + more_features) + "\npostgresql: " +
         (client.empty() ? "no, libpq.so.5 is not installed\n" : "yes, libpq " + client + "\n");
}

std::string list_of(const std::vector<std::string>& words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// The command that the words have led to so far.
const CLI::App& innermost(const CLI::App& app) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  return parsed.empty() ? app : innermost(*parsed.front());
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

// "acuity help score" for the command score.
std::string help_command(const CLI::App& app) {
  std::string words = full_name(app);
  return words.insert(std::min(words.find(' '), words.size()), " help");
}

// The first word that looks like an option and is none, in a sentence; empty if there is no such word.
std::string unknown_option(const CLI::App& command) {
  const std::vector<std::string> extra = command.remaining();
  const auto is_option = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
  const auto found = std::find_if(extra.begin(), extra.end(), is_option);
  if (found == extra.end()) return "";
  const std::string name = found->substr(0, found->find('='));
  if (const std::optional<std::string> meant = close_match(name, option_names(command)))
    return fmt::format("option \"{}\" is not known; did you mean \"{}\"?", name, *meant);
  return fmt::format("option \"{}\" is not known; see: {}", name, help_command(command));
}

// The parser's complaint in our words.
std::string sentence_for(const CLI::ParseError& error, const CLI::App& command) {
  const std::string said = error.what();
  std::string sentence = said;
  if (const std::string unknown = unknown_option(command); !unknown.empty()) {
    sentence = unknown;
  } else if (const std::vector<std::string> extra = command.remaining(); !extra.empty()) {
    sentence = fmt::format("\"{}\" is one word too many; see: {}", without_mark(extra.front()),
                           help_command(command));
  } else if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    sentence = fmt::format("{} is missing; see: {}", said.substr(0, said.find(" is required")),
                           help_command(command));
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool missing = said.find("missing") != std::string::npos;
    sentence = fmt::format("{} {}; see: {}", said.substr(0, said.find(':')),
                           missing ? "needs a value" : "was given more than once", help_command(command));
  }
  return full_name(command) + ": " + sentence;
}

// The parser would only say that a command is missing.
void require_known(const CLI::App& family, const std::string& word) {
  if (word.empty() || word[0] == '-') return;
  std::vector<std::string> known;
  for (const CLI::App* command : family.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(command->get_name());
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  if (close_match(word, {"help"})) known.emplace_back("help");
  if (const std::optional<std::string> meant = close_match(word, known))
    throw InputError(fmt::format("command \"{}\" is not known; did you mean \"{}\"?", word, *meant));
  throw InputError(
      fmt::format("command \"{}\" is not known, must be one of {}", word, fmt::join(known, ", ")));
}

}  // namespace

void DeclaredOption::required() {
  option_->required();
}

DeclaredOption Command::option(const std::string& name, const std::string& value,
                               std::function<void(const std::string&)> take, const std::string& help) {
  const auto take_word = [take = std::move(take)](const std::string& word) { take(without_mark(word)); };
  return DeclaredOption(*app_->add_option_function<std::string>(name, take_word, help)->option_text(value));
}

void Command::flag(const std::string& name, bool& given, const std::string& help) {
  app_->add_flag_callback(name, [&given] { given = true; }, help);
}

DeclaredOption Command::text(const std::string& name, const std::string& value, std::string& text,
                             const std::string& help) {
  return option(name, value, [&text](const std::string& word) { text = word; }, help);
}

DeclaredOption Command::file(const std::string& name, const std::string& value, std::string& file,
                             const std::string& help) {
  const auto take = [&file, name](const std::string& word) {
    if (word.empty()) throw InputError(name + " is empty, must be a file");
    file = word;
  };
  return option(name, value, take, help);
}

template <typename Number>
DeclaredOption Command::number(const std::string& name, const std::string& value,
                               std::optional<Number>& number, const std::string& help) {
  const auto take = [&number, name](const std::string& word) {
    number = number_in<Number>(word);
    if (!number)
      throw InputError(fmt::format("{} is \"{}\", must be a {}", name, word,
                                   std::is_integral_v<Number> ? "whole number" : "number"));
  };
  return option(name, value, take, help);
}

template DeclaredOption Command::number(const std::string&, const std::string&, std::optional<int>&,
                                        const std::string&);
template DeclaredOption Command::number(const std::string&, const std::string&, std::optional<std::int64_t>&,
                                        const std::string&);
template DeclaredOption Command::number(const std::string&, const std::string&, std::optional<double>&,
                                        const std::string&);

void Command::choice(const std::string& name, const std::vector<std::string>& words,
                     std::function<void(const std::string&)> take, const std::string& help) {
  const auto take_known = [name, words, take = std::move(take)](const std::string& word) {
    if (std::find(words.begin(), words.end(), word) == words.end())
      throw InputError(fmt::format("{} is \"{}\", must be {}", name, word, list_of(words)));
    take(word);
  };
  option(name, fmt::format("{}", fmt::join(words, "|")), take_known, help);
}

DeclaredOption Command::words(const std::string& name, const std::string& value,
                              std::vector<std::string>& words, const std::string& help) {
  const auto take = [&words](const std::vector<std::string>& given) {
    for (const std::string& word : given) words.push_back(without_mark(word));
  };
  return DeclaredOption(
      *app_->add_option_function<std::vector<std::string>>(name, take, help)->option_text(value));
}

void Command::comma_list(const std::string& name, std::vector<std::string>& parts, const std::string& help) {
  const auto take = [&parts](const std::vector<std::string>& lists) {
    for (const std::string& list : lists) {
      std::size_t begin = 0, end = 0;
      do {
        end = std::min(list.find(',', begin), list.size());
        parts.push_back(list.substr(begin, end - begin));
        begin = end + 1;
      } while (end < list.size());
    }
  };
  app_->add_option_function<std::vector<std::string>>(name, take, help)
      ->option_text("A,B,...")
      ->allow_extra_args(false);
}

struct Program::Parts {
  struct Entry {
    const CLI::App* app;
    Invocation invocation;
  };
  explicit Parts(const std::string& name)
      : app(name + " decides which input to annotate next, and how precisely.", name) {}

  CLI::App app;
  CLI::App* family = &app;
  std::string group;
  std::vector<Entry> entries;
};

Program::Program(const std::string& name, const std::string& more_features)
    : parts_(std::make_unique<Parts>(name)) {
  CLI::App& app = parts_->app;
  app.formatter(std::make_shared<Formatter>());
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "Show this page");
  app.set_version_flag(
      "-v,--version", [name, more_features] { return version_text(name, more_features); },
      "Show the version");
}

Program::~Program() = default;

void Program::begin_group(const std::string& heading) {
  parts_->group = heading;
}

Command Program::add_command(const CommandText& text, Action act) {
  CLI::App* command = parts_->family->add_subcommand(text.name, text.help);
  command->group(parts_->group);
  command->footer(text.example.empty() ? "" : "Example: " + text.example);
  parts_->entries.push_back({command, {std::move(act), text.output}});
  return Command(*command);
}

void Program::begin_family(const CommandText& text) {
  add_command(text, {});
  parts_->family = parts_->app.get_subcommand(text.name);
  parts_->family->require_subcommand(1);
  parts_->group = "Commands";
}

void Program::end_family() {
  parts_->family = &parts_->app;
}

Program::Invocation Program::parse(std::vector<std::string> words) {
  CLI::App& app = parts_->app;
  app.footer(app.get_name() + " help COMMAND shows the options of a command.\n\n" +
             wrapped("Exit codes: 0 done; 1 failed, or results differ; 2 usage or input error; 3 finished; 4 "
                     "nothing to suggest now; 5 stopped after too many failures; 6 the study or pool differs "
                     "from the campaign's; 7 the campaign is in use by another process, or damaged; 130 "
                     "interrupted.",
                     page_width));
  const auto show = [](std::string text, ExitCode code) {
    return Invocation{[text = std::move(text), code](std::ostream& out, std::ostream& log) {
                        (code == ExitCode::done ? out : log) << text;
                        return code;
                      },
                      Output::at_the_end};
  };
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (words.empty()) return show(app.help(), ExitCode::input_error);
  require_known(app, words.front());
  for (const CLI::App* family : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (family->get_name() != words.front() || family->get_require_subcommand_min() == 0) continue;
    if (words.size() == 1) return show(family->help("acuity"), ExitCode::input_error);
    require_known(*family, words[1]);
  }
  for (std::string& word : words) mark_negative_number(word);
  std::reverse(words.begin(), words.end());  // the parser wants the last word first
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return show(app.help(), ExitCode::done);
  } catch (const CLI::CallForVersion& version) {
    return show(version.what(), ExitCode::done);
  } catch (const CLI::ParseError& error) {
    throw InputError(sentence_for(error, innermost(app)));
  }
  instruction_set();  // fails early if ACUITY_INSTRUCTION_SET is invalid
  const CLI::App* given = &innermost(app);
  return std::find_if(parts_->entries.begin(), parts_->entries.end(),
                      [&](const Parts::Entry& entry) { return entry.app == given; })
      ->invocation;
}

}  // namespace acuity
