// The sine comparison against the published method's own results (tests/reference): the reference's final
// median over 15 repeats must be an ordinary median of 15 of ours. A few repeats by default;
// ACUITY_REFERENCE_REPEATS=200 for the comparison in full.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "acuity/data/table.hpp"
#include "experiments/sine.hpp"
#include "numerics/random.hpp"

namespace acuity {
namespace {

int repeats() {
  const char* text = std::getenv("ACUITY_REFERENCE_REPEATS");
  return text != nullptr ? std::atoi(text) : 16;
}

std::map<std::string, double> reference_finals() {
  const Table table = Table::read(ACUITY_SOURCE_DIR "/tests/reference/sine_uniform_q1.csv");
  const Index method = table.column("method", "the test"), median = table.column("median", "the test");
  std::map<std::string, double> finals;
  for (Index row = 0; row < table.rows(); ++row) finals[table.text(row, method)] = table.number(row, median);
  return finals;  // the last row of each method is its final cost
}

TEST(SineReference, TheReferencesFinalMediansAreOrdinaryMediansOfOurs) {
  const std::map<std::string, std::string> reference_name{
      {"random", "Random"}, {"bald", "BALD"}, {"target", "MI_Y"}, {"model", "MI_f"}};
  const std::map<std::string, double> reference = reference_finals();
  const std::vector<ExperimentRun> runs = run_sine({.repeats = repeats()});
  for (const std::string& method : sine_methods()) {
    std::vector<double> finals;
    for (const ExperimentRun& run : runs)
      if (run.method == method) finals.push_back(run.final_error());
    numerics::Draws draws(1, numerics::Purpose::resampling);
    std::vector<double> medians;
    for (int i = 0; i < 20'000; ++i) {
      std::vector<double> fifteen;
      for (int k = 0; k < 15; ++k)
        fifteen.push_back(
            finals[static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(finals.size())))]);
      medians.push_back(quantile(fifteen, 0.5));
    }
    const double low = quantile(medians, 0.005), high = quantile(medians, 0.995);
    const double theirs = reference.at(reference_name.at(method));
    std::printf("%-7s median %.6f of %zu repeats; medians of 15: %.6f to %.6f; reference %.6f\n",
                method.c_str(), quantile(finals, 0.5), finals.size(), low, high, theirs);
    EXPECT_GE(theirs, low) << method;
    EXPECT_LE(theirs, high) << method;
  }
}

}  // namespace
}  // namespace acuity
