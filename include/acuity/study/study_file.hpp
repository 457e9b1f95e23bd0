#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "acuity/acquisition/acquisition.hpp"
#include "acuity/acquisition/find_information.hpp"
#include "acuity/acquisition/goal_information.hpp"
#include "acuity/base/public.hpp"
#include "acuity/data/accuracy_law.hpp"
#include "acuity/data/csv_dialect.hpp"
#include "acuity/data/input.hpp"
#include "acuity/data/level.hpp"
#include "acuity/model/kernel.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/model/structure.hpp"
#include "acuity/study/target.hpp"

namespace acuity ACUITY_PUBLIC {

enum class Standardise { none, pool, annotations };

/// sigma^2(x): a number, a formula in the inputs, or a column of the table that contains the point.
struct NoiseColumn {
  std::string name;
};
using NoiseSetting = std::variant<double, std::string, NoiseColumn>;

struct PowerCostSetting {
  double c, q;
};
struct LinearCostSetting {
  double b, c;
};
/// A number is stored as a formula.
using CostSetting = std::variant<PowerCostSetting, LinearCostSetting, std::string>;

/// The paper's ladder.
struct LadderSetting {
  std::vector<Precision> rungs;
  bool continuous = false;  ///< every precision between the two rungs is on offer
  PrecisionLaw law;
  CostSetting cost;

  /// Binary only.
  AccuracyLaw accuracy() const { return {law.kappa.value_or(0.0), law.gamma}; }
};

/// When and how hyperparameters are learned.
struct FitSetting {
  std::int64_t every = 0;  ///< after every k-th annotation; 0: never, or automatic
  bool automatic = false;  ///< whenever the number of annotations has grown by 15 % since the last fit
  Optimiser optimiser = Optimiser::lbfgs;
  int restarts = 4;
  bool noise = false;  ///< gamma and a scale on sigma^2(x), or a factor per level; binary: kappa and gamma
  HyperparameterPrior prior = HyperparameterPrior::none;

  bool never() const { return every == 0 && !automatic; }
};

struct AcquisitionSetting {
  enum class Kind { model, target, bald, random, goal };
  Kind kind = Kind::model;
  TargetInformationOptions target;
  Approximation approximation = Approximation::exact;  ///< binary only
  GoalCriterion criterion = GoalCriterion::variance;   ///< for the kind goal
  /// Whether choices change to the criterion prediction while answers count as noisy (docs/math.md 13.4), and
  /// whether they then have no plan.
  bool adapts_criterion = false, adapts_plan = false;
  /// What is sought, for the kind goal, with the threshold on the scale of the model. The criterion is then
  /// not used.
  std::optional<Finding> finding;
  bool is_default = false;  ///< the kind was not set
  /// Whether the budget is planned (docs/math.md 17): the weight of prices is found by simulating the rest.
  bool plan = false;
  double price_weight = 1.0;  ///< without a plan; 1: the best information per cost
};

/// Where the model must be good: the points of a table, or points drawn in a box. With neither it is the
/// pool.
struct GoalSetting {
  std::filesystem::path file;  ///< a table of inputs, optionally with a column weight; empty: none
  std::map<std::string, std::pair<double, double>> box;  ///< limits by input; those left out have the pool's
  std::map<std::string, std::vector<std::string>> box_names;  ///< the same for inputs with names
  std::int64_t points = 500;                                  ///< at most so many
  /// What is looked for there; the threshold is on the scale of answers. Absent: the model must be good
  /// there.
  std::optional<Finding> finding;
  double explore =
      0.0;  ///< the share of the money that goes to accuracy over the goal if something is sought
  bool has_box() const { return !box.empty() || !box_names.empty(); }
  bool whole_pool() const { return file.empty() && !has_box(); }
};

/// A pool without a table: points of a scrambled Sobol sequence in the ranges of the inputs.
struct PoolDrawing {
  std::int64_t points = 20'000;
  std::string where;       ///< a formula that is not 0 at the points that count; empty: all count
  std::uint64_t seed = 0;  ///< of the sequence; that of the study when the pool was drawn
};

/// Annotations made before the first selection.
struct InitialSetting {
  std::int64_t count = 0;      ///< number of pool points drawn at random, at the highest precision
  std::filesystem::path file;  ///< or a file of known annotations; empty: none
  /// Or a space-filling design; without a count its size follows from the number of inputs.
  bool space_filling = false;
  std::string level;  ///< of a space-filling design; empty: the best that the budget allows
  /// Or a number of points for some of the levels, by name; nested: those of finer levels are among those of
  /// coarser ones.
  std::vector<std::pair<std::string, std::int64_t>> per_level;
  bool nested = false;
};

/// How the commands of an annotator become jobs of a batch system (docs/annotators.md). What is executed are
/// lines of shell with {tokens}.
struct BatchSetting {
  std::string submit;      ///< submits the script {script} as a job with the name {name}
  std::string time_limit;  ///< what {time} in `submit` stands for if the level has a timeout; with {minutes}
  std::string alive;       ///< prints the names of the jobs that may still give a result
  std::string cancel;      ///< ends the jobs with the name {name}
  std::string preamble;    ///< lines of the job's script before the command
  std::map<std::string, std::string> preamble_of_level;  ///< price lists: overrides `preamble`
  double poll = 20.0;                                    ///< seconds between two calls of `alive`
  double grace = 30.0;  ///< seconds after which a job that is neither alive nor has a result is given up
};

/// The annotator.
struct AnnotatorSetting {
  enum class Kind { none, command, sine, truth };
  enum class Protocol { acuity, dakota };
  enum class Mode { run, submit };
  Kind kind = Kind::none;
  std::string command;          ///< command line for /bin/sh
  std::filesystem::path truth;  ///< the table of a simulated annotator
  Protocol protocol = Protocol::acuity;
  Mode mode = Mode::run;  ///< submit: the command runs as a job of a batch system
  BatchSetting batch;     ///< of Mode::submit
  int workers = 1;
  std::optional<double> timeout;                   ///< seconds; absent: none
  std::map<std::string, double> timeout_of_level;  ///< price lists: overrides `timeout`
  int retries = 1;                                 ///< number of further attempts after a failure
  bool learns_failures = true;   ///< false: a point that failed waits until nothing else is left
  bool exclude_on_fail = false;  ///< after the last failed attempt the point (at this level) is excluded
  int max_failures = 10;         ///< consecutive failures after which the run stops
};

/// People who answer (binary targets).
struct PeopleSetting {
  bool present = false;        ///< the study has the section
  std::filesystem::path gold;  ///< a table of points with a known class; empty: none
  double gold_rate = 0.05;     ///< how often a person is asked about one of them
  int max_per_item = 0;        ///< answers per point and level; 0: no limit. More than one implies `repeat`
  /// Nobody is asked whose best answer is worth less than this share of somebody else's per cost. 0:
  /// everybody is asked.
  double least_worth = 0.01;
};

/// Stopping rules in addition to the budget.
struct StopSetting {
  std::optional<double> information_per_cost;  ///< stop if the best candidate has less
  std::optional<double> predictive_sd;         ///< stop if the mean over the pool is below
  std::optional<double> wall_clock;            ///< seconds since the campaign was created
  /// Stop if the root mean square standard deviation of f over the goal is below: a factor with logarithms;
  /// for classes the expected share of wrong ones.
  std::optional<double> typical_error;
  /// Of a contour: stop if the shares of the goal that are not certain, or expected to be wrong, are below.
  std::optional<double> uncertain_share, wrong_share;
  /// Of the best: stop if so much is expected to be lost by taking the best known point; a factor with
  /// logarithms.
  std::optional<double> expected_regret;
};

/// Answers at points drawn at random by which intervals are judged at the end.
struct AuditSetting {
  std::int64_t answers = 0;  ///< 0: no audit
  std::string level;         ///< of the price list; empty: the reference level
};

/// The settings of a study (docs/study-file.md): every key is known and every value in range; files they
/// name have not been read.
struct StudyFile {
  std::filesystem::path path;  ///< file they were read from; empty if none
  std::string text;            ///< the TOML they were read from; empty if they were assembled in code
  CsvReading tables;           ///< how tables are read, in the file or elsewhere
  bool is_frozen = false;      ///< the tables it names are a campaign's own copies

  std::string name;
  std::optional<double> budget;  ///< absent: no limit
  std::string unit;
  std::uint64_t seed = 0;
  InitialSetting initial;
  bool learn_costs = false;  ///< price lists: reported costs change the expected ones (docs/math.md 5.6)
  /// An answer that is expected to cost more needs a yes. Absent: a tenth of the budget in the initial design
  /// where the cost is a guess or learned, otherwise no limit.
  std::optional<double> max_cost;

  std::filesystem::path pool_file;  ///< resolved relative to the study's folder
  /// How the pool is drawn if no table was given. Where it has been drawn already, `pool_file` has the
  /// points.
  std::optional<PoolDrawing> drawing;
  std::optional<std::string> pool_id;
  std::optional<std::vector<std::string>> inputs;
  /// [[input]]: the same inputs with their types; empty if they are all numbers on a linear scale.
  std::vector<Input> input_settings;
  /// Columns that annotators see besides what they need; absent: those of text.
  std::optional<std::vector<std::string>> display;
  Standardise standardise = Standardise::pool;
  bool repeat = false;
  /// A purchase closes its level at its point and leaves the point's other levels open. Replaces `repeat`.
  bool closes_pairs = false;

  std::shared_ptr<const Target> target = Target::real();

  KernelFamily kernel = KernelFamily::matern52;
  std::optional<double> amplitude;  ///< absent: learned, starting from an estimate from the annotations
  std::vector<double> lengthscale;  ///< empty: learned, starting from the square root of the number of inputs
  bool lengthscale_per_input = false;  ///< also if they are learned
  std::optional<double> mean;          ///< absent: the mean of the annotations
  FitSetting fit;
  /// How f is seen, from `structured_from` answers on; before, and in choices, by the plain structure alone.
  std::vector<Structure> structures = {Structure::plain};
  static constexpr int structured_from = 20;
  int average = 1;  ///< number of hyperparameter draws that predictions average over; 1: the point estimate

  NoiseSetting noise = 0.0;
  /// A noise variance of every answer in addition to the level's and sigma^2(x); absent: learned.
  std::optional<double> nugget = 0.0;
  std::optional<LadderSetting> ladder;
  std::vector<Level> price_list;  ///< if there is no ladder

  AcquisitionSetting acquisition;
  std::optional<GoalSetting> goal;  ///< absent: the pool
  AnnotatorSetting annotator;
  PeopleSetting people;
  StopSetting stop;
  AuditSetting audit;

  bool binary() const { return !target->is_real(); }
  /// Whether a level of the price list has a bias, and whether one is learned.
  bool has_bias() const;
  bool learns_bias() const;
  bool has_meshes() const;              ///< whether levels have mesh sizes
  bool limit_is_reference() const;      ///< f is meant where the mesh has no size, beyond every level
  bool tops_up() const;                 ///< whether a level may continue runs of others
  bool costs_depend_on_inputs() const;  ///< at some level
  bool learns_accuracy() const;         ///< of the answers at some level of the price list
  /// Whether a point has one class that all answers about it are about: they are then one observation
  /// (docs/math.md 15.2). Otherwise every answer is about a new draw of the class.
  bool merges_answers() const { return binary() && (people.present || learns_accuracy()); }
  /// Whether the size of answers is known before there are any: the amplitude is given, or they are classes.
  bool knows_scale() const { return amplitude || target->defaults().amplitude; }
  /// Whether hyperparameters are learned, and not by the paper's rule.
  bool learns_by_likelihood() const { return !fit.never() && fit.optimiser != Optimiser::adam; }
  /// Whether choices count with runs that fail (docs/math.md 21).
  bool learns_failures() const;
  /// Whether anything is learned under another structure than the plain one.
  bool has_structures() const { return structures.size() != 1 || structures.front() != Structure::plain; }
  /// Whether its information is one that a plan can be made for.
  bool plans_for_its_information() const {
    return acquisition.kind == AcquisitionSetting::Kind::model ||
           (acquisition.kind == AcquisitionSetting::Kind::goal && !acquisition.finding);
  }
  /// What choices look for; null if the model must be good, or choices are by something else than the goal.
  const Finding* chosen_for() const {
    return acquisition.kind == AcquisitionSetting::Kind::goal && acquisition.finding ? &*acquisition.finding
                                                                                     : nullptr;
  }

  /// How a table is read: `tables`, or with commas if it is the campaign's own copy.
  CsvReading reading_of(const std::filesystem::path& table) const;
  /// "study.toml: sentence"; the sentence alone if the settings come from no file.
  std::string located(const std::string& sentence) const;
  /// Throws InputError with located(sentence).
  [[noreturn]] void complain(const std::string& sentence) const;
  /// The folder that relative paths start from: that of the file, or the current one without a file.
  std::filesystem::path folder() const;
};

/// Throws InputError with one sentence: `FILE:LINE: ...` for syntax errors, `FILE: ...` for invalid keys and
/// values.
StudyFile read_study_file(const std::filesystem::path& path);
/// Reads settings from text. Error messages begin with the key, or with `line N` for syntax errors; paths are
/// relative to the current folder.
StudyFile read_study_text(std::string text);

}  // namespace acuity ACUITY_PUBLIC
