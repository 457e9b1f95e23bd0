#pragma once

#include <filesystem>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/learning_curve.hpp"
#include "pages/reproduction_page.hpp"

namespace acuity {

/// One experiment with all its runs.
struct Reproduced {
  const Experiment& experiment;
  const std::vector<ExperimentRun>& runs;
  int repeats;
  std::uint64_t seed;
  std::string rerun;  ///< the command that makes it again
};

/// Writes curves.csv, summary.json and the figures, as SVG and PNG, into the experiment's folder. False if
/// there are no PNG files because the program that draws them is not installed.
bool write_results(const Reproduced& reproduced, const std::filesystem::path& folder);

/// Its part of the page.
PageExperiment page_part(const Reproduced& reproduced);

/// Quartiles when the money is spent, one row per method: experiment, method, annotations, q1, median, q3.
void add_finals(const Reproduced& reproduced, class ResultTable& table);

/// The settings that determine the runs, except for their number: equal JSON means equal runs.
std::string settings_json(const Experiment& experiment, std::uint64_t seed);

}  // namespace acuity
