#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "experiments/experiment.hpp"
#include "experiments/learning_curve.hpp"

namespace acuity {

/// Costs at which curves are drawn are this far apart.
constexpr double cost_grid = 0.5;

/// One method on one repeat, on one thread: ask, annotate, condition, until nothing affordable is left.
/// Errors are evaluated where the cost grid needs them. Nothing is returned if `stop` became true on the way.
std::optional<ExperimentRun> run_method(const Experiment& experiment, std::size_t method,
                                        const Repeat& repeat, const std::atomic<bool>& stop);

}  // namespace acuity
