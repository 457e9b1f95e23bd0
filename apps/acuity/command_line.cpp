#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <type_traits>

namespace acuity {

namespace {

void add_format(CLI::App& command, Format& format) {
  const auto take = [&format](const std::string& word) {
    if (word != "table" && word != "csv" && word != "json")
      throw CLI::ValidationError("--format is \"" + word + "\", must be table, csv or json");
    format = word == "csv" ? Format::csv : word == "json" ? Format::json : Format::table;
  };
  command.add_option_function<std::string>("--format", take, "How results are written (default table)")
      ->option_text("table|csv|json");
}

// A file name that must not be empty: a script's unset variable is a mistake, not a wish.
CLI::Option* add_file(CLI::App& command, const std::string& name, std::string& file,
                      const std::string& help) {
  const auto take = [&file, name](const std::string& word) {
    if (word.empty()) throw CLI::ValidationError(name + " is empty, must be a file");
    file = word;
  };
  return command.add_option_function<std::string>(name, take, help);
}

// A number, or a sentence about what is none.
template <typename Number>
CLI::Option* add_number(CLI::App& command, const std::string& name, std::optional<Number>& number,
                        const std::string& help) {
  const auto take = [&number, name](const std::string& word) {
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc() || end != word.data() + word.size())
      throw CLI::ValidationError(name + " is \"" + word + "\", must be a " +
                                 (std::is_integral_v<Number> ? "whole number" : "number"));
    number = value;
  };
  return command.add_option_function<std::string>(name, take, help);
}

void add_study(CLI::App& command, std::string& study, std::string& annotations) {
  add_file(command, "study", study, "Study file (TOML)")->required()->option_text("STUDY");
  add_file(command, "--annotations", annotations, "CSV file of what is known; left out, the prior speaks")
      ->option_text("A.csv");
}

CLI::App* declare_score(CLI::App& program, ScoreArguments& arguments) {
  CLI::App* command = program.add_subcommand(
      "score", "Say for every pool point what annotating it is worth, at which precision, for how much");
  add_study(*command, arguments.study, arguments.annotations);
  add_number(*command, "--top", arguments.top, "Only the best K, best first")->option_text("K");
  command->add_flag(
      "--batch", arguments.batch,
      "With --top: a batch to ask for at once, each the best given that those before it are answered");
  add_number(*command, "--remaining", arguments.remaining,
             "Money left, instead of the budget minus the costs so far")
      ->option_text("R");
  add_format(*command, arguments.format);
  return command;
}

CLI::App* declare_predict(CLI::App& program, PredictArguments& arguments) {
  CLI::App* command = program.add_subcommand("predict", "Mean and variance of f at the points of a table");
  add_study(*command, arguments.study, arguments.annotations);
  add_file(*command, "--at", arguments.at, "CSV file with the study's inputs")
      ->required()
      ->option_text("P.csv");
  add_format(*command, arguments.format);
  return command;
}

CLI::App* declare_fit(CLI::App& program, FitArguments& arguments) {
  CLI::App* command = program.add_subcommand("fit", "Learn hyperparameters by maximum marginal likelihood");
  add_study(*command, arguments.study, arguments.annotations);
  add_format(*command, arguments.format);
  return command;
}

CLI::App* declare_reproduce(CLI::App& program, ReproduceArguments& arguments) {
  CLI::App* command =
      program.add_subcommand("reproduce", "Run the paper's experiments and write curves and pictures");
  command->add_option("names", arguments.names, "Experiments; none means all")->option_text("NAME...");
  command->add_option("--out", arguments.out, "Folder for the results")->option_text("DIR");
  command->add_flag("--list", arguments.list, "List the experiments and stop");
  command->add_option("--repeats", arguments.repeats, "How often each is repeated (default 15)")
      ->option_text("N");
  const auto take_fit = [&arguments](const std::string& word) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), arguments.fit_every);
    const bool is_number =
        error == std::errc() && end == word.data() + word.size() && arguments.fit_every > 0;
    if (!is_number) arguments.fit_every = word == "every" ? 1 : 0;
    if (!is_number && word != "every" && word != "never")
      throw CLI::ValidationError("--fit is \"" + word + "\", must be never, every or a whole number above 0");
  };
  command
      ->add_option_function<std::string>("--fit", take_fit,
                                         "When hyperparameters are learned (default never)")
      ->option_text("never|every|K");
  command->add_option("--seed", arguments.seed, "Everything shown follows from it (default 1)")
      ->option_text("S");
  command
      ->add_option("--threads", arguments.threads, "Threads; 0 means all cores. Results do not depend on it")
      ->option_text("T");
  add_format(*command, arguments.format);
  return command;
}

#if defined(__AVX512F__)
#define ACUITY_INSTRUCTION_SET "x86-64-v4"
#elif defined(__AVX2__)
#define ACUITY_INSTRUCTION_SET "x86-64-v3"
#else
#define ACUITY_INSTRUCTION_SET "x86-64 (baseline)"
#endif
constexpr const char* version_text =
    "acuity " ACUITY_VERSION "\ninstruction set: " ACUITY_INSTRUCTION_SET
    "\nfeatures: regression, classification, score, predict, fit, reproduce\n";

}  // namespace

std::variant<Arguments, ExitCode> parse_command_line(int argc, char** argv, std::ostream& out,
                                                     std::ostream& log) {
  CLI::App program("acuity decides which input to annotate next, and how precisely.", "acuity");
  program.require_subcommand(1);
  program.set_version_flag("--version", version_text);
  program.footer("Exit codes: 0 done, 2 usage or input error, 3 nothing left to ask.");
  ScoreArguments score;
  PredictArguments predict;
  FitArguments fit;
  ReproduceArguments reproduce;
  const CLI::App* score_command = declare_score(program, score);
  const CLI::App* predict_command = declare_predict(program, predict);
  const CLI::App* fit_command = declare_fit(program, fit);
  declare_reproduce(program, reproduce);
  try {
    // Said here, because the parser would only say that a command is missing.
    const std::string first = argc > 1 ? argv[1] : "";
    std::string known;
    bool is_known = first.empty() || first[0] == '-';
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
      known += (known.empty() ? "" : ", ") + command->get_name();
      is_known = is_known || command->get_name() == first;
    }
    if (!is_known)
      throw CLI::ValidationError("command \"" + first + "\" is not known, must be one of " + known);
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version come this way, too. Whatever code the parser has for a mistake, ours is 2.
    return program.exit(error, out, log) == 0 ? ExitCode::done : ExitCode::input_error;
  }
  if (score_command->parsed()) return Arguments(score);
  if (predict_command->parsed()) return Arguments(predict);
  if (fit_command->parsed()) return Arguments(fit);
  return Arguments(reproduce);
}

}  // namespace acuity
