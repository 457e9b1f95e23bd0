#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "acuity/acquisition/acquisition.hpp"
#include "acuity/model/prior.hpp"
#include "experiments/problem.hpp"
#include "text/json.hpp"

namespace acuity {

/// Whose settings the experiments use.
enum class Mode {
  acuity,  ///< exact information, any precision, L-BFGS
  paper    ///< the paper's text as corrected in docs/math.md 1: Taylor form, 100 levels, Adam
};

/// What the error of a run is measured by.
enum class Metric { squared_error, accuracy };

/// How the model is kept as answers arrive.
enum class ModelRule {
  fixed,                 ///< regression, the prior stays
  learned,               ///< regression, hyperparameters learned after every annotation
  learned_standardised,  ///< as learned, with inputs and mean standardised by the annotations
  classes                ///< expectation propagation, the prior stays
};

/// A way to spend the budget. Methods of one experiment share its data.
struct Method {
  /// random, bald, target, model, model plan; followed by " fixed" if the experiment has another rule, too.
  std::string name;
  Acquisition acquisition;
  ModelRule rule;
  bool plans =
      false;  ///< the weight of prices is found by planning, at the start and every tenth of the budget
};

/// One of the paper's experiments, at one size and in one mode.
struct Experiment {
  std::string name, what;
  Metric metric = Metric::squared_error;
  bool logarithmic = true;  ///< the paper's figure has a log axis
  Index initial = 10;       ///< rows of the pool, bought at the highest precision before the first choice
  double budget = 50.0;     ///< the initial set included
  Prior prior;
  Mode mode = Mode::acuity;
  int learn_every = 1;  ///< if the rule learns: at every k-th annotation
  std::vector<Method> methods;
  std::function<Problem(const Repeat&)> problem;
  Json settings = Json::object();  ///< all that decides the results but seed and repeat
};

struct ExperimentOptions {
  Mode mode = Mode::acuity;
  bool small = false;          ///< pools and budgets of a toy's size: does everything work?
  std::filesystem::path data;  ///< the folder of the tables
  /// Learn hyperparameters at every k-th annotation of the sine experiments that do not learn; 0: never.
  int fit_every = 0;
  bool plan = false;  ///< add the method "model plan" to the experiments with real targets
};

/// What can be reproduced.
struct ExperimentName {
  std::string name, what;
  std::string table;  ///< a file the user has; empty: none is needed
};

/// In the order of the paper.
const std::vector<ExperimentName>& paper_experiments();

/// Throws InputError if the name is not known or its table is missing.
Experiment make_experiment(const std::string& name, const ExperimentOptions& options);

}  // namespace acuity
