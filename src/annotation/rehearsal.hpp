#pragma once

#include <memory>

#include "acuity/study/study.hpp"
#include "annotation/simulated_annotator.hpp"
#include "annotation/truth_table.hpp"

namespace acuity {

/// The annotator of a study with simulated = "sine" or "truth": the known value plus noise of the
/// suggestion's channel (docs/annotators.md). An answer depends on the study's seed and the suggestion's id;
/// at a deterministic level, on seed, point and level instead. Throws InputError if the table of truth cannot
/// be used, and std::invalid_argument if the study's annotator is not a simulated one.
std::unique_ptr<Annotator> make_rehearsal(const Study& study);
/// A simulated annotator with this table of truth, regardless of the study's annotator.
std::unique_ptr<Annotator> make_rehearsal(std::shared_ptr<const TruthTable> truth, std::uint64_t seed,
                                          std::shared_ptr<const Target> target = Target::real());

/// The value of simulated = "sine" without noise: the paper's curve (docs/math.md 10) as a function of the
/// first input; for two classes, its sign.
double sine_truth(double x, const Target& target);

}  // namespace acuity
