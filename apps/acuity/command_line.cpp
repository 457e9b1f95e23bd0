#include "command_line.hpp"

#include "acuity/numerics/instruction_set.hpp"
#include "campaign_commands.hpp"
#include "numerics/text.hpp"
#include "options.hpp"

namespace acuity {

namespace {

void add_study(CLI::App& command, std::string& study, std::string& annotations) {
  add_file(command, "study", study, "Study file (TOML), or a campaign folder with the annotations of its log")
      ->required()
      ->option_text("STUDY");
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
  add_pool_work(*command, arguments.work);
  add_format(*command, arguments.format);
  return command;
}

CLI::App* declare_predict(CLI::App& program, PredictArguments& arguments) {
  CLI::App* command = program.add_subcommand(
      "predict", "Mean, standard deviation and interval of f at the points of a table");
  add_study(*command, arguments.study, arguments.annotations);
  add_file(*command, "--at", arguments.at, "CSV file with the study's inputs")
      ->required()
      ->option_text("P.csv");
  add_format(*command, arguments.format);
  return command;
}

CLI::App* declare_fit(CLI::App& program, FitArguments& arguments) {
  CLI::App* command = program.add_subcommand("fit", "Learn hyperparameters from the annotations");
  add_study(*command, arguments.study, arguments.annotations);
  add_format(*command, arguments.format);
  return command;
}

CLI::App* declare_pool_convert(CLI::App& pool, PoolConvertArguments& arguments) {
  CLI::App* command = pool.add_subcommand(
      "convert",
      "Write a pool as a binary file that is mapped, not read: for large pools. pool.file takes it like CSV");
  add_file(*command, "csv", arguments.csv, "CSV file with a header row")->required()->option_text("IN.csv");
  add_file(*command, "out", arguments.out, "File to write; appears whole or not at all")
      ->required()
      ->option_text("OUT.pool");
  command
      ->add_option("--inputs", arguments.inputs,
                   "Columns to keep: inputs, and a noise column where the study has one (default: every "
                   "numeric column "
                   "but the id). Others are left out")
      ->delimiter(',')
      ->option_text("A,B,...");
  command->add_option("--id", arguments.id, "Column that names the points (default: row numbers, from 0)")
      ->option_text("COLUMN");
  command
      ->add_option_function<std::string>(
          "--precision",
          [&arguments](const std::string& word) {
            arguments.single_precision = is_float("--precision", word);
          },
          "How values are kept; float rounds them to seven digits (default double)")
      ->option_text("double|float");
  add_format(*command, arguments.format);
  return command;
}

CLI::App* declare_pool_show(CLI::App& pool, PoolShowArguments& arguments) {
  CLI::App* command =
      pool.add_subcommand("show", "Say what is in a pool file, and check that it is undamaged");
  add_file(*command, "file", arguments.file, "Pool file")->required()->option_text("FILE");
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
  const auto take_mode = [&arguments](const std::string& word) {
    if (word != "acuity" && word != "paper")
      throw CLI::ValidationError("--mode is \"" + word + "\", must be acuity or paper");
    arguments.paper_mode = word == "paper";
  };
  command
      ->add_option_function<std::string>(
          "--mode", take_mode,
          "acuity: exact information, any precision, L-BFGS; paper: its text, corrected (default acuity)")
      ->option_text("acuity|paper");
  command->add_option("--data", arguments.data, "Folder with concrete.csv and superconductivity.csv")
      ->option_text("DIR");
  command
      ->add_option("--compare", arguments.compare,
                   "Folder with the published method's curves; a difference that is not listed there exits 1")
      ->option_text("DIR");
  command->add_flag("--small", arguments.small, "Small pools and budgets: does everything work?");
  const auto take_seed = [&arguments](const std::string& word) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), arguments.seed);
    if (error != std::errc() || end != word.data() + word.size())
      throw CLI::ValidationError("--seed is \"" + word + "\", must be a whole number from 0 to 2^64 - 1");
  };
  command
      ->add_option_function<std::string>("--seed", take_seed, "Everything shown follows from it (default 1)")
      ->option_text("S");
  command
      ->add_option("--threads", arguments.threads, "Threads; 0 means all cores. Results do not depend on it")
      ->option_text("T");
  add_format(*command, arguments.format);
  return command;
}

CLI::App* declare_backtest(CLI::App& program, BacktestArguments& arguments) {
  CLI::App* command = program.add_subcommand(
      "backtest", "Run the campaign on known answers: what each policy would have cost to reach an error");
  add_file(*command, "study", arguments.study, "Study file (TOML), or a campaign folder, which begins anew")
      ->required()
      ->option_text("STUDY");
  CLI::Option* truth =
      add_file(*command, "--truth", arguments.truth,
               "CSV file with the pool's ids or inputs, and y, to which the noise of the level is added, or "
               "y@LEVEL for each level: what it said")
          ->option_text("T.csv");
  command
      ->add_flag(
          "--forecast", arguments.forecast,
          "Instead of --truth: truths drawn from what is believed now, at up to 300 pool points, and the "
          "error to expect for the money")
      ->excludes(truth);
  add_number(*command, "--repeats", arguments.repeats,
             "How often each policy is tried, every time with other draws (default 20)")
      ->option_text("N");
  command
      ->add_option("--policies", arguments.policies,
                   "Some of model, target (where it is the study's), bald, random, cheapest and finest: the "
                   "cheapest level or the highest precision alone (default: all)")
      ->delimiter(',')
      ->option_text("A,B,...");
  add_number(*command, "--error", arguments.error,
             "The error to reach (default: what random has at the end of the budget in more than half of the "
             "repeats)")
      ->option_text("E");
  add_file(*command, "--out", arguments.out, "Folder for curves.csv, summary.json and the figure")
      ->option_text("DIR");
  add_threads(*command, arguments.threads);
  add_format(*command, arguments.format);
  return command;
}

std::string version_text() {
  return "acuity " ACUITY_VERSION "\ninstruction set: " + std::string(instruction_set()) +
         "\nfeatures: regression, classification, campaigns, pool files\n";
}

// Said here, because the parser would only say that a command is missing.
void check_command(const CLI::App& app, const std::string& word) {
  if (word.empty() || word[0] == '-') return;
  std::string known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return;
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  throw CLI::ValidationError("command \"" + word + "\" is not known, must be one of " + known);
}

}  // namespace

std::variant<Arguments, ExitCode> parse_command_line(int argc, char** argv, std::ostream& out,
                                                     std::ostream& log) {
  CLI::App program("acuity decides which input to annotate next, and how precisely.", "acuity");
  program.require_subcommand(1);
  program.set_version_flag("--version", &version_text);
  program.failure_message([](const CLI::App* app, const CLI::Error& error) {
    const std::string said = error.what();
    return one_line(said) + CLI::FailureMessage::simple(app, error).substr(said.size());
  });
  program.footer(
      "Exit codes: 0 done, 1 failed or different, 2 usage or input error, 3 finished, 4 nothing to give now, "
      "5 stopped by the failure guard, 6 the study or pool differs from the campaign's, 7 the campaign has a "
      "live owner or is damaged, 130 "
      "interrupted.");
  ScoreArguments score;
  PredictArguments predict;
  FitArguments fit;
  PoolConvertArguments convert;
  PoolShowArguments show;
  ReproduceArguments reproduce;
  BacktestArguments backtest;
  const CLI::App* score_command = declare_score(program, score);
  const CLI::App* predict_command = declare_predict(program, predict);
  const CLI::App* fit_command = declare_fit(program, fit);
  CLI::App* pool = program.add_subcommand("pool", "Large pools as binary files");
  pool->require_subcommand(1);
  const CLI::App* convert_command = declare_pool_convert(*pool, convert);
  const CLI::App* show_command = declare_pool_show(*pool, show);
  declare_reproduce(program, reproduce);
  const CLI::App* backtest_command = declare_backtest(program, backtest);
  CampaignCommands campaign(program);
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  campaign.mark_answers(words);
  std::reverse(words.begin(), words.end());  // as the parser wants them
  try {
    check_command(program, argc > 1 ? argv[1] : "");
    if (argc > 2 && argv[1] == pool->get_name()) check_command(*pool, argv[2]);
    program.parse(words);
  } catch (const CLI::ParseError& error) {
    // Help and version come this way, too. Whatever code the parser has for a mistake, ours is 2.
    return program.exit(error, out, log) == 0 ? ExitCode::done : ExitCode::input_error;
  }
  if (score_command->parsed()) return Arguments(score);
  if (predict_command->parsed()) return Arguments(predict);
  if (fit_command->parsed()) return Arguments(fit);
  if (convert_command->parsed()) return Arguments(convert);
  if (show_command->parsed()) return Arguments(show);
  if (backtest_command->parsed()) return Arguments(backtest);
  if (const std::optional<Arguments> parsed = campaign.parsed()) return *parsed;
  return Arguments(reproduce);
}

}  // namespace acuity
