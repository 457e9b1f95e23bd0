#pragma once

#include <memory>

#include "acuity/study/study.hpp"
#include "annotation/simulated_annotator.hpp"
#include "annotation/truth_table.hpp"

namespace acuity {

/// The annotator of a study that says simulated = "sine" or "truth", for rehearsals: what is known, with the
/// noise of the suggestion's channel on it (docs/annotators.md). An answer depends on the study's seed and
/// the suggestion's id; at a level that repeats itself, on seed, point and level instead. Throws InputError
/// where the table of truth cannot be used, and std::invalid_argument where the study's annotator is no
/// simulated one.
std::unique_ptr<Annotator> make_rehearsal(const Study& study);
/// The same from a table that is there already, whatever the study's annotator.
std::unique_ptr<Annotator> make_rehearsal(std::shared_ptr<const TruthTable> truth, std::uint64_t seed);

/// What simulated = "sine" knows of a point, before the noise: the paper's curve (docs/math.md 10) on the
/// first input; of two classes, its sign.
double sine_truth(double x, bool binary);

}  // namespace acuity
