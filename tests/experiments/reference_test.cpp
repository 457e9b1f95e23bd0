// The sine comparison against the published method's own results (tests/reference): the reference's final
// median over 15 repeats must be an ordinary median of 15 of ours. `acuity reproduce --compare` does this for
// every experiment, and wants 200 repeats; here are few of the cheapest.
#include <gtest/gtest.h>

#include "base/parallel.hpp"
#include "experiments/comparison.hpp"
#include "experiments/run_experiment.hpp"

namespace acuity::reference_test {
namespace {

TEST(Reference, ThoroughlyTheReferencesFinalMediansAreOrdinaryMediansOfOurs) {
  constexpr int repeats = 40;
  const Experiment experiment = make_experiment("sine-q1", {});
  const std::size_t methods = experiment.methods.size();
  std::vector<ExperimentRun> runs(repeats * methods);
  const std::atomic<bool> go_on{false};
  base::parallel_for(
      repeats * static_cast<std::ptrdiff_t>(methods), base::default_threads(), [&](std::ptrdiff_t task) {
        const auto number = static_cast<std::size_t>(task);
        runs[number] = *run_method(experiment, number % methods,
                                   {.seed = 1, .number = static_cast<int>(number / methods)}, go_on);
      });
  const std::vector<ComparisonRow> rows =
      compare_with_reference("sine-q1", runs, ACUITY_SOURCE_DIR "/tests/reference");
  ASSERT_EQ(rows.size(), methods);
  for (const ComparisonRow& row : rows) {
    std::printf("%-7s median %.6f of %d repeats; medians of 15: %.6f to %.6f; reference %.6f\n",
                row.method.c_str(), row.ours, repeats, row.low, row.high, row.reference);
    EXPECT_TRUE(row.agrees) << row.method;
  }
}

}  // namespace
}  // namespace acuity::reference_test
