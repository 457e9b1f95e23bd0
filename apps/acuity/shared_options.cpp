#include "shared_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"

namespace acuity {

namespace {

// Bytes, with K, M, G or T for powers of 1024.
std::size_t to_bytes(const std::string& word) {
  constexpr std::string_view suffixes = "KMGT";
  double number = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const std::string_view rest(end, static_cast<std::size_t>(word.data() + word.size() - end));
  const std::size_t power = rest.empty() ? 0 : suffixes.find(rest.front()) + 1;  // 0: unknown
  const double bytes = number * std::exp2(10.0 * static_cast<double>(power));
  if (error != std::errc() || rest.size() > 1 || (rest.size() == 1 && power == 0) || !(bytes >= 1.0) ||
      !(bytes < std::exp2(60.0)))
    throw InputError(
        fmt::format("--memory is \"{}\", must be a number of bytes, or one with K, M, G or T (powers of "
                    "1024), above 0",
                    word));
  return static_cast<std::size_t>(bytes);
}

double to_plan_seconds(const std::string& word) {
  double seconds = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seconds);
  if (error != std::errc() || end != word.data() + word.size() || !(seconds >= 0.0) ||
      !std::isfinite(seconds))
    throw InputError(fmt::format("--plan-seconds is \"{}\", must be a number of seconds, 0 or more", word));
  return seconds;
}

}  // namespace

PoolStorage PoolWork::storage_for_one_choice() const {
  PoolStorage small = storage;
  if (small.memory == 0) small.memory = 2 << 20;
  return small;
}

void add_address(Command& command, const std::string& name, CampaignAddress& address,
                 const std::string& help) {
  const auto take = [&address, name](const std::string& word) {
    if (word.empty()) throw InputError(name + " is empty, must be a file");
    address = word;
  };
  command.option(name, "", take, help).required();
}

void add_person(Command& command, std::string& worker, std::optional<double>& seconds) {
  command.text("--worker", "NAME", worker, "Who it was, kept in the log (default: who was asked)");
  const auto take = [&seconds](const std::string& word) {
    seconds = number_in<double>(word).value_or(-1.0);
    if (!(*seconds >= 0.0))
      throw InputError(fmt::format("--seconds is \"{}\", must be a number, 0 or more", word));
  };
  command.option("--seconds", "S", take, "How long the person took, kept in the log");
}

void add_campaign(Command& command, CampaignAddress& campaign) {
  add_address(command, "C", campaign, "Campaign: a folder, or postgresql://host/database/name");
}

void add_study(Command& command, CampaignAddress& study) {
  add_study_or_campaign(command, study, "Study file (TOML), or a campaign with the annotations of its log");
}

void add_study_or_campaign(Command& command, CampaignAddress& study, const std::string& help) {
  add_address(command, "STUDY", study, help);
}

void add_annotations(Command& command, std::string& annotations) {
  command.file("--annotations", "A.csv", annotations,
               "Table of known annotations; without it only the prior is used");
}

void add_csv_dialect(Command& command, CsvDialect& dialect) {
  const auto take = [&dialect](const std::string& word) {
    const std::vector<std::string>& names = csv_dialect_names();
    dialect = static_cast<CsvDialect>(std::find(names.begin(), names.end(), word) - names.begin());
  };
  command.choice("--csv-dialect", csv_dialect_names(), take,
                 "Separator of the tables that are read and, after the dash, their decimal mark if it is a "
                 "comma (default auto: recognised, and said in a note)");
}

void add_id(Command& command, std::optional<std::int64_t>& id) {
  command.number("ID", "", id, "Number of the suggestion").required();
}

void add_reason(Command& command, std::string& reason) {
  command.text("--reason", "TEXT", reason, "Reason, kept in the log");
}

void add_budget(Command& command, BudgetOption& budget) {
  const auto take = [&budget](const std::string& word) {
    budget = {};
    if (word.starts_with('+') && !word.starts_with("+-"))
      budget.by = number_in<double>(std::string_view(word).substr(1));
    else if (word.starts_with('-'))
      budget.by = number_in<double>(word);
    else
      budget.to = number_in<double>(word);
    if (!budget.given())
      throw InputError(
          fmt::format("--budget is \"{}\", must be a number, or a change with its sign, such as +10", word));
  };
  command.option("--budget", "B", take,
                 "The budget from now on, such as 700, or a change of it: +100 raises, -100 lowers it");
}

void add_cost_limit(Command& command, CostLimitOption& option, const std::string& yes) {
  const auto take = [&option](const std::string& word) {
    option.most = number_in<double>(word);
    if (!option.most || !(*option.most > 0.0))
      throw InputError(fmt::format("--max-cost is \"{}\", must be a number above 0", word));
  };
  command.option("--max-cost", "X", take,
                 "Exit with code 2 before an answer that is expected to cost more is started (default: "
                 "campaign.max_cost)");
  command.flag("--yes", option.yes, yes);
}

void add_duration(Command& command, const DurationOption& option, const std::function<void(double)>& take) {
  const auto take_word = [option, take](const std::string& word) {
    const std::optional<double> seconds =
        option.may_be_zero && word == "0s" ? std::optional(0.0) : to_seconds(word);
    if (!seconds || *seconds < option.least || *seconds > option.most)
      throw InputError(fmt::format("{} is \"{}\", must be {}", option.name, word, option.requirement));
    take(*seconds);
  };
  command.option(option.name, option.example, take_word, option.help);
}

void add_format(Command& command, Format& format) {
  const auto take = [&format](const std::string& word) {
    format = word == "csv" ? Format::csv : word == "json" ? Format::json : Format::table;
  };
  command.choice("--format", {"table", "csv", "json"}, take, "Format of the results (default table)");
}

void add_streaming_format(Command& command, Format& format) {
  const auto take = [&format](const std::string& word) {
    format = word == "json" ? Format::json : word == "jsonl" ? Format::jsonl : Format::table;
  };
  command.choice("--format", {"table", "json", "jsonl"}, take,
                 "Format of the results (default table); jsonl prints every event as one line of JSON when "
                 "it happens");
}

void add_threads(Command& command, int& threads) {
  const auto take = [&threads](const std::string& word) {
    threads = number_in<int>(word).value_or(-1);
    if (threads < 0 || threads > 1024)
      throw InputError(fmt::format("--threads is \"{}\", must be a whole number from 0 to 1024", word));
  };
  command.option("--threads", "N", take,
                 "Number of threads; 0, the default, uses all cores. Results do not depend on it");
}

void add_pool_work(Command& command, PoolWork& work) {
  command.option(
      "--memory", "SIZE", [&work](const std::string& word) { work.storage.memory = to_bytes(word); },
      "Memory for intermediate results about the pool, in bytes or with K, M, G or T for powers of 1024 "
      "(default: as much as it takes). What does not fit is computed again when needed, with the same "
      "result. The pool itself, a few numbers per point and the annotations need memory besides. Real "
      "targets only");
  command.choice(
      "--pool-precision", {"double", "float"},
      [&work](const std::string& word) { work.storage.single_precision = word == "float"; },
      "Precision of intermediate results (default double). float takes half the memory and is about twice "
      "as fast; means and variances in tables are then off by about 1e-6 of the prior's, so that rows with "
      "nearly equal scores may change places. The first of --top is still decided in double precision. Real "
      "targets only");
  command.option(
      "--plan-seconds", "S", [&work](const std::string& word) { work.plan_seconds = to_plan_seconds(word); },
      "Seconds that a plan of the budget may take (default: its work is limited, not its time). One that "
      "takes longer is cut short with a note; choices then depend on the machine. Real targets only");
  add_threads(command, work.threads);
}

}  // namespace acuity
