// The sine comparison against the published method's own results (tests/reference): the reference's final
// median over 15 repeats must be an ordinary median of 15 of ours. A few repeats by default;
// ACUITY_REFERENCE_REPEATS=200 for the comparison in full.
#include <gtest/gtest.h>

#include <cstdlib>

#include "experiments/comparison.hpp"
#include "experiments/sine.hpp"

namespace acuity {
namespace {

int repeats() {
  const char* text = std::getenv("ACUITY_REFERENCE_REPEATS");
  return text != nullptr ? std::atoi(text) : 16;
}

TEST(SineReference, TheReferencesFinalMediansAreOrdinaryMediansOfOurs) {
  const std::vector<ComparisonRow> rows = compare_with_reference("sine-q1", run_sine({.repeats = repeats()}),
                                                                 ACUITY_SOURCE_DIR "/tests/reference");
  ASSERT_EQ(rows.size(), sine_methods().size());
  for (const ComparisonRow& row : rows) {
    std::printf("%-7s median %.6f of %d repeats; medians of 15: %.6f to %.6f; reference %.6f\n",
                row.method.c_str(), row.ours, repeats(), row.low, row.high, row.reference);
    EXPECT_TRUE(row.agrees) << row.method;
  }
}

}  // namespace
}  // namespace acuity
