#include "campaign_commands.hpp"

#include <cctype>

#include "options.hpp"
#include "study/duration.hpp"

namespace acuity {

namespace {

void add_campaign(CLI::App& command, std::string& campaign) {
  add_file(command, "campaign", campaign, "Campaign folder")->required()->option_text("C");
}

void add_id(CLI::App& command, std::optional<std::int64_t>& id) {
  add_number(command, "id", id, "The suggestion")->required()->option_text("ID");
}

void add_text(CLI::App& command, const std::string& name, std::string& text, const std::string& help) {
  command.add_option(name, text, help)->option_text("T");
}

void add_budget(CLI::App& command, std::optional<double>& budget) {
  const auto take = [&budget](const std::string& word) {
    if (word.starts_with('+') && !word.starts_with("+-"))
      budget = number_in<double>(std::string_view(word).substr(1));
    if (word.starts_with('-')) budget = number_in<double>(word);
    if (!budget)
      throw CLI::ValidationError("--budget is \"" + word + "\", must be a change with its sign, such as +10");
  };
  command.add_option_function<std::string>("--budget", take, "Change the budget by so much first")
      ->option_text("+X");
}

}  // namespace

CampaignCommands::CampaignCommands(CLI::App& program) {
  declare_init(program);
  declare_run(program);
  declare_ask(program);
  declare_tell(program);
  declare_fail(program);
  declare_release(program);
  declare_amend(program);
  declare_status(program);
  declare_verify(program);
  declare_check(program);
  declare_explain(program);
  declare_export(program);
  declare_report(program);
}

void CampaignCommands::mark_answers(std::vector<std::string>& words) {
  if (words.empty() || words[0] != "tell") return;
  for (std::string& word : words) {
    const bool number = word.size() > 1 && word[0] == '-' &&
                        (std::isdigit(static_cast<unsigned char>(word[1])) || word[1] == '.');
    if (number || word == "-inf" || word == "-nan") word.insert(word.begin(), answer_mark);
  }
}

void CampaignCommands::declare_init(CLI::App& program) {
  init_command_ = program.add_subcommand("init", "Begin a campaign: freeze study and pool in a new folder");
  add_campaign(*init_command_, init_.campaign);
  add_file(*init_command_, "--study", init_.study, "Study file (TOML)")->required()->option_text("S.toml");
  add_format(*init_command_, init_.format);
}

void CampaignCommands::declare_run(CLI::App& program) {
  run_command_ = program.add_subcommand(
      "run", "Ask, let the study's annotator answer, tell, until the budget is spent; resumes");
  add_campaign(*run_command_, run_.campaign);
  add_file(*run_command_, "--study", run_.study, "Study file: makes the campaign where it is not there yet")
      ->option_text("S.toml");
  const auto take_workers = [this](const std::string& word) {
    const std::optional<int> workers = number_in<int>(word);
    if (!workers || *workers < 1 || *workers > 4096)
      throw CLI::ValidationError("--workers is \"" + word + "\", must be a whole number from 1 to 4096");
    run_.workers = workers;
  };
  run_command_
      ->add_option_function<std::string>("--workers", take_workers,
                                         "So many annotators at a time (default: the study's)")
      ->option_text("N");
  add_budget(*run_command_, run_.budget);
  const auto take_grace = [this](const std::string& word) {
    const std::optional<double> seconds = word == "0s" ? 0.0 : to_seconds(word);
    if (!seconds) throw CLI::ValidationError("--grace is \"" + word + "\", must be " + duration_requirement);
    run_.grace = *seconds;
  };
  run_command_
      ->add_option_function<std::string>("--grace", take_grace,
                                         "How long annotators may go on after Ctrl-C (default 5s)")
      ->option_text("5s");
  add_pool_work(*run_command_, run_.work);
  add_streaming_format(*run_command_, run_.format);
}

void CampaignCommands::declare_ask(CLI::App& program) {
  ask_command_ = program.add_subcommand("ask", "Which point to annotate next, how precisely, for how much");
  add_campaign(*ask_command_, ask_.campaign);
  const auto take_count = [this](const std::string& word) {
    ask_.count = number_in<std::int64_t>(word).value_or(0);
    if (ask_.count < 1)
      throw CLI::ValidationError("-n is \"" + word + "\", must be a whole number, at least 1");
  };
  ask_command_
      ->add_option_function<std::string>(
          "-n,--count", take_count, "So many suggestions, each the best given those before it (default 1)")
      ->option_text("K");
  add_text(*ask_command_, "--worker", ask_.worker, "Who will do it: kept in the log");
  const auto take_lease = [this](const std::string& word) {
    ask_.lease = to_seconds(word);
    if (!ask_.lease)
      throw CLI::ValidationError("--lease is \"" + word + "\", must be " + duration_requirement);
  };
  ask_command_
      ->add_option_function<std::string>(
          "--lease", take_lease,
          "After so long somebody else may do it; a late answer is still taken (default: never)")
      ->option_text("2h");
  ask_command_->add_flag("--pending", ask_.pending,
                         "Show again what was asked for and is not answered, and ask for nothing");
  add_budget(*ask_command_, ask_.budget);
  add_pool_work(*ask_command_, ask_.work);
  add_format(*ask_command_, ask_.format);
}

void CampaignCommands::declare_tell(CLI::App& program) {
  tell_command_ = program.add_subcommand("tell", "Give the answer to a suggestion, or a table of answers");
  add_campaign(*tell_command_, tell_.campaign);
  add_number(*tell_command_, "id", tell_.id, "The suggestion")->option_text("ID");
  const auto take_values = [this](const std::vector<std::string>& words) {
    for (const std::string& word : words) tell_.values.push_back(without_mark(word));
  };
  tell_command_
      ->add_option_function<std::vector<std::string>>("y", take_values, "The answer; several are replicates")
      ->option_text("Y...");
  add_number(*tell_command_, "--cost", tell_.cost, "What it cost (default: the level's cost)")
      ->option_text("c");
  add_number(*tell_command_, "--noise-sd", tell_.noise_sd, "This answer's own total noise. Real targets only")
      ->option_text("s");
  add_number(*tell_command_, "--accuracy", tell_.accuracy,
             "This answer's own probability of being right. Binary targets only")
      ->option_text("p");
  add_file(*tell_command_, "--csv", tell_.csv,
           "A table as ask --format csv prints it, y filled in; rows without y wait")
      ->option_text("F");
  tell_command_->add_flag("--dry-run", tell_.dry_run, "Say what would change, and change nothing");
  add_format(*tell_command_, tell_.format);
}

void CampaignCommands::declare_fail(CLI::App& program) {
  fail_command_ =
      program.add_subcommand("fail", "This attempt brought nothing; the point may be asked for again");
  add_campaign(*fail_command_, fail_.campaign);
  add_id(*fail_command_, fail_.id);
  add_text(*fail_command_, "--reason", fail_.reason, "Why: kept in the log");
  const auto take_cost = [this](const std::string& word) {
    fail_.cost = number_in<double>(word).value_or(-1.0);
    if (!(fail_.cost >= 0.0))
      throw CLI::ValidationError("--cost is \"" + word + "\", must be a number, 0 or more");
  };
  fail_command_
      ->add_option_function<std::string>("--cost", take_cost,
                                         "What the attempt cost all the same (default 0)")
      ->option_text("c");
  fail_command_->add_flag("--exclude", fail_.exclude,
                          "Never ask for this point again (with a price list: at this level)");
  add_format(*fail_command_, fail_.format);
}

void CampaignCommands::declare_release(CLI::App& program) {
  release_command_ = program.add_subcommand("release", "Nobody did it: back to the pool, nothing charged");
  add_campaign(*release_command_, release_.campaign);
  const auto take_ids = [this](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      const std::optional<std::int64_t> id = number_in<std::int64_t>(word);
      if (!id) throw CLI::ValidationError("id is \"" + word + "\", must be a whole number");
      release_.ids.push_back(*id);
    }
  };
  release_command_->add_option_function<std::vector<std::string>>("ids", take_ids, "The suggestions")
      ->required()
      ->option_text("ID...");
  add_text(*release_command_, "--reason", release_.reason, "Why: kept in the log");
  add_format(*release_command_, release_.format);
}

void CampaignCommands::declare_amend(CLI::App& program) {
  amend_command_ = program.add_subcommand(
      "amend", "Correct or retract an answer. Both versions stay in the log; money is not refunded");
  add_campaign(*amend_command_, amend_.campaign);
  add_id(*amend_command_, amend_.id);
  amend_command_->add_option("--y", amend_.values, "The right answer; several are replicates")
      ->option_text("Y...");
  amend_command_->add_flag("--retract", amend_.retract,
                           "There is no right answer: as if it had not been told");
  add_text(*amend_command_, "--reason", amend_.reason, "Why; required");
  add_format(*amend_command_, amend_.format);
}

void CampaignCommands::declare_status(CLI::App& program) {
  status_command_ = program.add_subcommand("status", "Where a campaign stands");
  add_campaign(*status_command_, status_.campaign);
  add_format(*status_command_, status_.format);
}

void CampaignCommands::declare_verify(CLI::App& program) {
  verify_command_ = program.add_subcommand(
      "verify", "Check a campaign's log, every event of it and the frozen copies; writes nothing");
  add_campaign(*verify_command_, verify_.campaign);
  add_format(*verify_command_, verify_.format);
}

void CampaignCommands::declare_check(CLI::App& program) {
  check_command_ = program.add_subcommand(
      "check",
      "Before money is spent: which level will be bought when, and what looks wrong in scales and units");
  add_file(*check_command_, "study", check_.study, "Study file (TOML), or a campaign folder")
      ->required()
      ->option_text("STUDY");
  check_command_->add_flag("--try", check_.try_once,
                           "Run the annotator once, at the cheapest level; nothing is recorded");
  check_command_->add_flag(
      "--forecast", check_.forecast,
      "Also what the money is expected to buy, by simulation on what is believed now: for "
      "acuity's choice, bald, random, the cheapest and the finest level");
  add_threads(*check_command_, check_.threads);
  add_format(*check_command_, check_.format);
}

void CampaignCommands::declare_explain(CLI::App& program) {
  explain_command_ = program.add_subcommand(
      "explain",
      "Why this point, why this level, what would change the choice, what the answer is expected to do");
  add_campaign(*explain_command_, explain_.campaign);
  add_number(*explain_command_, "id", explain_.id, "The suggestion")->option_text("ID");
  explain_command_->add_flag("--next", explain_.next, "What ask would suggest now, without asking for it");
  add_threads(*explain_command_, explain_.threads);
  add_format(*explain_command_, explain_.format);
}

void CampaignCommands::declare_export(CLI::App& program) {
  export_command_ =
      program.add_subcommand("export", "Write annotations, log or model to files; - is standard output");
  add_campaign(*export_command_, export_.campaign);
  add_file(*export_command_, "--annotations", export_.annotations, "CSV of the answers that count")
      ->option_text("F");
  add_file(*export_command_, "--events", export_.events, "JSON lines, one an event")->option_text("F");
  add_file(*export_command_, "--model", export_.model, "JSON: hyperparameters, observations, weights")
      ->option_text("F");
}

void CampaignCommands::declare_report(CLI::App& program) {
  report_command_ = program.add_subcommand("report", "One page about a campaign, with pictures");
  add_campaign(*report_command_, report_.campaign);
  add_file(*report_command_, "--out", report_.out,
           "HTML file to write; needs no other file, network or script")
      ->required()
      ->option_text("R.html");
  add_file(*report_command_, "--figures", report_.figures, "Folder for the pictures as SVG files, too")
      ->option_text("DIR");
  add_file(
      *report_command_, "--test", report_.test,
      "CSV file with the inputs and y: the error is measured on it (default: the study's table of truth; "
      "else every answer by the others)")
      ->option_text("T.csv");
}

std::optional<Arguments> CampaignCommands::parsed() const {
  if (init_command_->parsed()) return Arguments(init_);
  if (run_command_->parsed()) return Arguments(run_);
  if (ask_command_->parsed()) return Arguments(ask_);
  if (tell_command_->parsed()) return Arguments(tell_);
  if (fail_command_->parsed()) return Arguments(fail_);
  if (release_command_->parsed()) return Arguments(release_);
  if (amend_command_->parsed()) return Arguments(amend_);
  if (status_command_->parsed()) return Arguments(status_);
  if (verify_command_->parsed()) return Arguments(verify_);
  if (check_command_->parsed()) return Arguments(check_);
  if (explain_command_->parsed()) return Arguments(explain_);
  if (export_command_->parsed()) return Arguments(export_);
  if (report_command_->parsed()) return Arguments(report_);
  return std::nullopt;
}

}  // namespace acuity
