#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "acuity/model/gp_pool_belief.hpp"

// The program's commands: what each is given, and what it does. command_line.cpp declares the options,
// main.cpp calls.

namespace acuity {

/// docs/design.md 4; scripts rely on the numbers.
enum class ExitCode : int {
  done = 0,
  internal_error = 1,
  differs = 1,  ///< `reproduce --compare` found a difference that nobody knows of
  input_error = 2,
  finished = 3,
  interrupted = 130
};

enum class Format { table, csv, json };

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

/// Results go to `out`, notes and progress to `log`.
ExitCode score(const ScoreArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode predict(const PredictArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode fit(const FitArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode convert_pool(const PoolConvertArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode show_pool(const PoolShowArguments& arguments, std::ostream& out, std::ostream& log);
ExitCode reproduce(const ReproduceArguments& arguments, std::ostream& out, std::ostream& log);

}  // namespace acuity
