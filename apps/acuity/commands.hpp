#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "acuity/model/gp_pool_belief.hpp"
#include "text/result_table.hpp"

// The program's commands: what each is given, and what it does. command_line.cpp declares the options,
// main.cpp calls.

namespace acuity {

/// docs/reference.md 4; scripts rely on the numbers.
enum class ExitCode : int {
  done = 0,
  internal_error = 1,
  differs = 1,  ///< `reproduce --compare` found a difference that nobody knows of
  input_error = 2,
  finished = 3,
  nothing_now = 4,
  failure_guard = 5,
  different_study = 6,
  damaged = 7,  ///< or owned by somebody else
  interrupted = 130
};

/// How the work on a pool is done. What is found does not depend on it, but for the last digits in single
/// precision.
struct PoolWork {
  PoolStorage storage;
  int threads = 0;  ///< 0: all the machine has
};

struct ScoreArguments {
  std::string study;
  std::string annotations;  ///< empty: the prior speaks
  std::optional<std::int64_t> top;
  bool batch = false;  ///< the top K share information: each is the best given those before it
  std::optional<double> remaining;
  PoolWork work;
  Format format = Format::table;
};

struct PredictArguments {
  std::string study;
  std::string annotations;
  std::string at;
  Format format = Format::table;
};

struct FitArguments {
  std::string study;
  std::string annotations;
  Format format = Format::table;
};

struct PoolConvertArguments {
  std::string csv, out;
  std::optional<std::vector<std::string>> inputs;  ///< absent: every numeric column but the id
  std::optional<std::string> id;
  bool single_precision = false;
  Format format = Format::table;
};

struct PoolShowArguments {
  std::string file;
  Format format = Format::table;
};

struct ReproduceArguments {
  std::vector<std::string> names;  ///< empty: all
  std::string out;
  bool list = false;
  bool paper_mode = false;
  bool small = false;
  std::string data;     ///< folder of the tables
  std::string compare;  ///< folder of the published method's results
  int fit_every = 0;    ///< learn hyperparameters at every k-th annotation; 0: never
  int repeats = 15;
  std::uint64_t seed = 1;
  int threads = 0;
  Format format = Format::table;
};

struct BacktestArguments {
  std::string study;
  std::string truth;                  ///< a table of known answers
  bool forecast = false;              ///< on truths drawn from what is believed instead
  std::vector<std::string> policies;  ///< empty: all
  std::optional<int> repeats;         ///< absent: 20
  std::optional<double> error;        ///< to reach; absent: that of random in the end
  std::string out;                    ///< folder for curves and figure; empty: none
  int threads = 0;
  Format format = Format::table;
};

struct InitArguments {
  std::string campaign, study;
  Format format = Format::table;
};

struct AskArguments {
  std::string campaign;
  std::int64_t count = 1;
  std::string worker;
  std::optional<double> lease;   ///< seconds
  bool pending = false;          ///< show what is pending instead
  std::optional<double> budget;  ///< added to it first
  PoolWork work;
  Format format = Format::table;
};

struct RunArguments {
  std::string campaign;
  std::string study;             ///< makes the campaign where it is not there; compared with it where it is
  std::optional<int> workers;    ///< instead of the study's
  std::optional<double> budget;  ///< added to it first
  double grace = 5.0;            ///< seconds
  PoolWork work;
  Format format = Format::table;
};

struct TellArguments {
  std::string campaign;
  std::optional<std::int64_t> id;
  std::vector<std::string> values;
  std::optional<double> cost, noise_sd, accuracy;
  std::string csv;
  bool dry_run = false;
  Format format = Format::table;
};

struct FailArguments {
  std::string campaign;
  std::optional<std::int64_t> id;
  std::string reason;
  double cost = 0.0;
  bool exclude = false;
  Format format = Format::table;
};

struct ReleaseArguments {
  std::string campaign;
  std::vector<std::int64_t> ids;
  std::string reason;
  Format format = Format::table;
};

struct AmendArguments {
  std::string campaign;
  std::optional<std::int64_t> id;
  std::vector<std::string> values;
  bool retract = false;
  std::string reason;
  Format format = Format::table;
};

struct StatusArguments {
  std::string campaign;
  Format format = Format::table;
};

struct VerifyArguments {
  std::string campaign;
  Format format = Format::table;
};

struct CheckArguments {
  std::string study;  ///< or a campaign
  bool try_once = false;
  bool forecast = false;
  int threads = 0;
  Format format = Format::table;
};

struct ExplainArguments {
  std::string campaign;
  std::optional<std::int64_t> id;
  bool next = false;
  int threads = 0;
  Format format = Format::table;
};

struct ExportArguments {
  std::string campaign;
  std::string annotations, events, model;  ///< files; "-": standard output; empty: not wanted
};

struct ReportArguments {
  std::string campaign;
  std::string out;      ///< the page
  std::string figures;  ///< folder for the pictures; empty: not wanted
  std::string test;     ///< table to measure the error on; empty: none
};

/// Results go to `out`, notes and progress to `log`.
ExitCode score(const ScoreArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode predict(const PredictArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode fit(const FitArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode convert_pool(const PoolConvertArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode show_pool(const PoolShowArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode init(const InitArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode ask(const AskArguments& arguments, std::ostream& out, std::ostream& log);
/// Streams: `out` is written to as things happen.
ExitCode run_campaign(const RunArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode tell(const TellArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode fail(const FailArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode release(const ReleaseArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode amend(const AmendArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode status(const StatusArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode verify(const VerifyArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode check(const CheckArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode explain_choice(const ExplainArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode export_campaign(const ExportArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode report(const ReportArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode backtest(const BacktestArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode reproduce(const ReproduceArguments& arguments, std::ostream& out, std::ostream& log);

}  // namespace acuity
