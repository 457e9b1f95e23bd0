#pragma once

#include <memory>

#include "acuity/model/pool_belief.hpp"
#include "experiments/experiment.hpp"

namespace acuity {

/// What a method of an experiment believes, and how wrong it is.
class ExperimentModel {
 public:
  virtual ~ExperimentModel() = default;

  /// Takes in an answer. True if the belief was rebuilt: a selector that used the old one must be replaced.
  virtual bool tell(const Observation& observation) = 0;
  virtual PoolBelief& belief() = 0;
  /// On the test set: mean squared error, or the share of wrong classes.
  virtual double error() = 0;
  /// Noise variance that it has learned every answer to have beside what was declared.
  virtual double nugget() const { return 0.0; }
  /// CPU seconds that went into learning hyperparameters.
  virtual double seconds_learning() const { return 0.0; }
};

/// Works on one thread. The experiment and the problem must outlive it.
std::unique_ptr<ExperimentModel> make_model(const Experiment& experiment, const Problem& problem,
                                            ModelRule rule);

/// CPU seconds of this thread so far.
double thread_seconds();

}  // namespace acuity
