#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "acuity/data/csv_dialect.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/store/campaign_address.hpp"
#include "program.hpp"
#include "text/duration.hpp"
#include "text/result_table.hpp"

// Options that several commands have.

namespace acuity {

/// How the work on a pool is done. Results do not depend on it, except for the last digits in single
/// precision.
struct PoolWork {
  PoolStorage storage;
  int threads = 0;                                                ///< 0: all cores
  double plan_seconds = std::numeric_limits<double>::infinity();  ///< for a plan of the budget

  /// For a command that makes one choice and ends: a single choice never reuses the tile cache, so without
  /// --memory it is capped at 2 MiB, which fits the L2 cache of a processor.
  PoolStorage storage_for_one_choice() const;
};

/// --worker and --seconds: who answered, and how long it took.
void add_person(Command& command, std::string& worker, std::optional<double>& seconds);
/// The campaign "C": a folder, or the address of one in a database.
void add_campaign(Command& command, CampaignAddress& campaign);
/// Another one.
void add_address(Command& command, const std::string& name, CampaignAddress& address,
                 const std::string& help);
/// A study file or a campaign, with the annotations of its log.
void add_study(Command& command, CampaignAddress& study);
void add_study_or_campaign(Command& command, CampaignAddress& study, const std::string& help);
/// The table of annotations that goes with a study file.
void add_annotations(Command& command, std::string& annotations);
/// --csv-dialect, for commands that read tables.
void add_csv_dialect(Command& command, CsvDialect& dialect);
void add_id(Command& command, std::optional<std::int64_t>& id);
void add_reason(Command& command, std::string& reason);
/// --budget: a change with its sign, or the new value.
struct BudgetOption {
  std::optional<double> by, to;
  bool given() const { return by || to; }
};
void add_budget(Command& command, BudgetOption& budget);
/// --max-cost and --yes: what a single answer may be expected to cost (AskOptions::max_cost).
struct CostLimitOption {
  std::optional<double> most;
  bool yes = false;
  bool given() const { return most || yes; }
  std::optional<double> limit() const { return yes ? std::optional<double>(HUGE_VAL) : most; }
};
/// `yes`: the help of --yes, if it means more.
void add_cost_limit(Command& command, CostLimitOption& option,
                    const std::string& yes = "Start answers whatever they are expected to cost");
/// An option with a duration such as "90s".
struct DurationOption {
  std::string name, example, help;
  double least = 0.0, most = HUGE_VAL;             ///< seconds
  bool may_be_zero = false;                        ///< "0s"
  std::string requirement = duration_requirement;  ///< in messages
};
void add_duration(Command& command, const DurationOption& option, const std::function<void(double)>& take);
void add_format(Command& command, Format& format);
/// For results that come one by one: JSON lines, too.
void add_streaming_format(Command& command, Format& format);
void add_threads(Command& command, int& threads);
/// For commands that hold a belief about a pool: --memory, --pool-precision, --threads.
void add_pool_work(Command& command, PoolWork& work);

}  // namespace acuity
