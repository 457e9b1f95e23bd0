#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "progress.hpp"
#include "shared_options.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

struct AskArguments {
  CampaignAddress campaign;
  std::optional<std::int64_t> count;
  std::string worker, level;
  std::optional<std::int64_t> capacity;  ///< units
  std::optional<double> lease;           ///< seconds
  bool pending = false;                  ///< show what is pending instead
  BudgetOption budget;
  CostLimitOption cost_limit;
  PoolWork work;
  Format format = Format::table;
  std::optional<CsvDialect> dialect;  ///< of a sheet for people
};

// What is not answered yet, of one worker if one is named.
std::vector<Suggestion> pending_of(const Campaign& campaign, const std::string& worker) {
  std::vector<Suggestion> pending = campaign.pending();
  if (!worker.empty())
    std::erase_if(pending, [&](const Suggestion& one) {
      return campaign.state().find(one.id)->asked.worker != worker;
    });
  return pending;
}

// What to type next, and how many earlier suggestions are not answered yet.
std::string next_steps(const Campaign& campaign, const std::vector<Suggestion>& given, bool pending) {
  const std::string folder = one_line(campaign.address().argument());
  const std::size_t earlier = campaign.state().pending().size() - given.size();
  std::string text =
      given.size() == 1
          ? fmt::format("When it is done: acuity tell {} {} Y   (or fail, release)\n", folder, given[0].id)
          : fmt::format(
                "When they are done: acuity tell {0} ID Y   (or fail, release)\n"
                "As a table: acuity ask {0} --pending --format csv, fill in y, acuity tell {0} --csv FILE\n",
                folder);
  if (earlier > 0 && !pending)
    text += fmt::format("{} from before not answered yet; acuity ask {} --pending shows all\n",
                        counted(static_cast<std::int64_t>(earlier), "suggestion"), folder);
  return text;
}

ExitCode ask_exit_code(const AskArguments& arguments, const AskResult& result) {
  if (!result.suggestions.empty() || arguments.pending) return ExitCode::done;
  return result.status == AskStatus::finished ? ExitCode::finished : ExitCode::nothing_now;
}

std::string why_no_more(const AskResult& result, const State& state) {
  return fmt::format("{}: {}",
                     !result.suggestions.empty()            ? "no more to ask"
                     : result.status == AskStatus::finished ? "finished"
                                                            : "nothing to ask now",
                     result.status == AskStatus::finished && result.suggestions.empty()
                         ? end_text(state, result.reason)
                         : result.reason);
}

// Once per level.
void write_large_runs(const Campaign& campaign, const std::vector<Suggestion>& given, std::ostream& log) {
  std::set<std::string> said;
  for (const Suggestion& one : given) {
    const std::string text = large_run_text(campaign.study(), &campaign.state(), one.level.name, one.cost,
                                            campaign.state().budget());
    if (!text.empty() && said.insert(one.level.name).second) write_note(text, log);
  }
}

// Exit code 3 when nothing is left, so that `while acuity ask` ends by itself; 4 when waiting may help.
ExitCode ask(const AskArguments& arguments, std::ostream& out, std::ostream& log) {
  if (arguments.pending && (arguments.budget.given() || arguments.lease || !arguments.level.empty() ||
                            arguments.capacity || arguments.cost_limit.given()))
    throw InputError(
        "--pending asks for nothing, --budget, --lease, --level, --capacity, --max-cost and --yes must be "
        "left "
        "out");
  if (arguments.dialect && arguments.format != Format::csv)
    throw InputError("--csv-dialect is given, must come with --format csv");
  const PoolWork& work = arguments.work;
  const std::int64_t count =
      arguments.count.value_or(arguments.capacity ? std::numeric_limits<std::int64_t>::max() : 1);
  CampaignOptions options{.threads = work.threads,
                          .storage = count == 1 ? work.storage_for_one_choice() : work.storage,
                          .storage_for_plans = work.storage,
                          .learning = {},
                          .plan_seconds = work.plan_seconds};
  StatusLine status(log);
  options.learning = [&](int evaluations, double best) {
    status.show(fmt::format("learning: {} evaluations, log evidence {:.3f}", evaluations, best));
  };
  options.planning = [&](Index purchases) {
    status.show(fmt::format("planning the budget: {} purchases simulated", purchases));
  };
  Campaign campaign = Campaign::open(arguments.campaign, arguments.pending ? Access::read : Access::write,
                                     std::move(options));
  write_storage_note(campaign.study(), work.storage, log);
  AskResult result;
  if (arguments.pending)
    result.suggestions = pending_of(campaign, arguments.worker);
  else
    result = campaign.ask({.count = count,
                           .worker = arguments.worker,
                           .lease = arguments.lease,
                           .budget = arguments.budget.by,
                           .level = arguments.level,
                           .capacity = arguments.capacity,
                           .budget_to = arguments.budget.to,
                           .max_cost = arguments.cost_limit.limit()});
  if (!result.suggestions.empty() || arguments.format != Format::table)
    out << suggestions_text(campaign, result.suggestions, arguments.format, arguments.pending,
                            arguments.dialect);
  if (arguments.pending && result.suggestions.empty())
    log << one_line(arguments.campaign.text()) << ": nothing is pending"
        << (arguments.worker.empty() ? "" : " for " + one_line(arguments.worker)) << '\n';
  if (!result.note.empty()) write_note(result.note, log);
  write_large_runs(campaign, result.suggestions, log);
  if (const std::string verdict = early_verdict_at_ask(campaign, result.suggestions); !verdict.empty())
    write_note(verdict, log);
  if (result.status != AskStatus::open)
    log << one_line(arguments.campaign.text() + ": " + why_no_more(result, campaign.state())) << '\n';
  if (!result.suggestions.empty() && arguments.format == Format::table)
    out << next_steps(campaign, result.suggestions, arguments.pending);
  return ask_exit_code(arguments, result);
}

}  // namespace

void add_ask(Program& program) {
  auto [command, arguments] = program.add<AskArguments>(
      {.name = "ask",
       .help = "Suggest which point to annotate next, at which level, and reserve its cost",
       .example = "acuity ask wing.acuity -n 3 --format csv > sheet.csv"},
      ask);
  add_campaign(command, arguments.campaign);
  const auto take_count = [&a = arguments](const std::string& word) {
    a.count = number_in<std::int64_t>(word).value_or(0);
    if (*a.count < 1) throw InputError(fmt::format("-n is \"{}\", must be a whole number, at least 1", word));
  };
  command.option("-n,--count", "K", take_count,
                 "Number of suggestions, each the best given those before it (default 1; with --capacity: as "
                 "many as fit)");
  command.text("--worker", "NAME", arguments.worker,
               "Who will annotate it, kept in the log. Binary targets: nobody gets a point twice");
  command.text("--level", "L", arguments.level,
               "Only candidates at this level: a person who asks is a level");
  const auto take_capacity = [&a = arguments](const std::string& word) {
    a.capacity = number_in<std::int64_t>(word).value_or(0);
    if (*a.capacity < 1 || *a.capacity > 1'000'000'000)
      throw InputError(
          fmt::format("--capacity is \"{}\", must be a whole number from 1 to 1000000000", word));
  };
  command.option(
      "--capacity", "U", take_capacity,
      "Fill so many units, of which every suggestion takes those of its level (units of [[level]], "
      "default 1); the levels are chosen jointly");
  add_duration(
      command,
      {.name = "--lease",
       .example = "2h",
       .help = "Deadline: after it the point may be suggested again; a late answer is still accepted "
               "(default: no deadline)"},
      [&a = arguments](double seconds) { a.lease = seconds; });
  command.flag(
      "--pending", arguments.pending,
      "Show the suggestions that are not answered yet, those of --worker if given, and make no new one");
  add_budget(command, arguments.budget);
  add_cost_limit(command, arguments.cost_limit);
  add_pool_work(command, arguments.work);
  const std::vector<std::string> written(csv_dialect_names().begin() + 1, csv_dialect_names().end());
  const auto take_dialect = [&a = arguments](const std::string& word) {
    const std::vector<std::string>& names = csv_dialect_names();
    a.dialect = static_cast<CsvDialect>(std::find(names.begin(), names.end(), word) - names.begin());
  };
  command.choice("--csv-dialect", written, take_dialect,
                 "A sheet for people, with --format csv: its separator and, after the dash, its decimal mark "
                 "if it is a comma. Without columns of information; with a byte order mark, unless commas "
                 "separate");
  add_format(command, arguments.format);
}

}  // namespace acuity
