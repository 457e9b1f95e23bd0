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
#include "acuity/data/accuracy_law.hpp"
#include "acuity/data/level.hpp"
#include "acuity/model/kernel.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/study/target.hpp"

namespace acuity {

enum class Standardise { none, pool, annotations };

/// sigma^2(x): one number, a formula in the inputs, or a column of the table in which the point stands.
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
/// A number is a formula, too.
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
  std::int64_t every = 0;  ///< at every k-th annotation; 0: never, or automatic
  bool automatic = false;  ///< whenever annotations have grown by 15 % since the last fit
  Optimiser optimiser = Optimiser::lbfgs;
  int restarts = 4;
  bool noise = false;  ///< gamma and a scale on sigma^2(x), or a factor per level; binary: kappa and gamma
  HyperparameterPrior prior = HyperparameterPrior::none;

  bool never() const { return every == 0 && !automatic; }
};

struct AcquisitionSetting {
  enum class Kind { model, target, bald, random };
  Kind kind = Kind::model;
  TargetInformationOptions target;
  Approximation approximation = Approximation::exact;  ///< binary only
};

/// What is annotated before anything is chosen.
struct InitialSetting {
  std::int64_t count = 0;      ///< pool points drawn by the seed, at the highest precision
  std::filesystem::path file;  ///< or what is known already; empty: none
  /// Or a space-filling design, whose size follows from the number of inputs where no count is given.
  bool space_filling = false;
  std::string level;  ///< of a space-filling design; empty: as the budget can bear
};

/// Who answers.
struct AnnotatorSetting {
  enum class Kind { none, command, sine, truth };
  enum class Protocol { acuity, dakota };
  Kind kind = Kind::none;
  std::string command;          ///< a line for /bin/sh
  std::filesystem::path truth;  ///< the table of a simulated annotator
  Protocol protocol = Protocol::acuity;
  int workers = 1;
  std::optional<double> timeout;                   ///< seconds; absent: none
  std::map<std::string, double> timeout_of_level;  ///< price lists: goes before `timeout`
  int retries = 1;                                 ///< further attempts at a suggestion that failed
  bool exclude_on_fail = false;                    ///< then the point (at this level) is not asked for again
  int max_failures = 10;                           ///< in a row: the failure guard
};

/// When enough is known, besides the budget.
struct StopSetting {
  std::optional<double> information_per_cost;  ///< the best candidate has less
  std::optional<double> predictive_sd;         ///< the mean over the pool is below
  std::optional<double> wall_clock;            ///< seconds since the campaign was created
};

/// The settings of a study (docs/reference.md 3): every key known, every value in range, nothing looked up
/// yet.
struct StudyFile {
  std::filesystem::path path;  ///< where they were read; empty if from no file
  std::string text;            ///< the TOML they were read from; empty if they were assembled in code

  std::string name;
  std::optional<double> budget;  ///< absent: no limit
  std::string unit;
  std::uint64_t seed = 0;
  InitialSetting initial;

  std::filesystem::path pool_file;  ///< relative to the study's folder, resolved
  std::optional<std::string> pool_id;
  std::optional<std::vector<std::string>> inputs;
  Standardise standardise = Standardise::pool;
  bool repeat = false;

  std::shared_ptr<const Target> target = Target::real();

  KernelFamily kernel = KernelFamily::matern52;
  std::optional<double> amplitude;     ///< absent: learned, from what suits the annotations
  std::vector<double> lengthscale;     ///< empty: learned, from the square root of the number of inputs
  bool lengthscale_per_input = false;  ///< where they are learned, too
  std::optional<double> mean;          ///< absent: the average of the annotations
  FitSetting fit;
  int average = 1;  ///< predictions average over so many draws of the hyperparameters; 1: the point estimate

  NoiseSetting noise = 0.0;
  /// A noise variance of every answer beside the level's and sigma^2(x); absent: learned.
  std::optional<double> nugget = 0.0;
  std::optional<LadderSetting> ladder;
  std::vector<Level> price_list;  ///< where there is no ladder

  AcquisitionSetting acquisition;
  AnnotatorSetting annotator;
  StopSetting stop;

  bool binary() const { return !target->is_real(); }
  /// Whether the size of answers is known before there are any: the amplitude is given, or they are classes.
  bool knows_scale() const { return binary() || amplitude.has_value(); }

  /// "study.toml: sentence"; the sentence alone if the settings come from no file.
  std::string located(const std::string& sentence) const;
  /// Throws InputError with such a sentence, about the study itself.
  [[noreturn]] void complain(const std::string& sentence) const;
  /// Where relative paths begin: the folder of the file, else the current one.
  std::filesystem::path folder() const;
};

/// What keys mean that are not there.
enum class StudyDefaults {
  current,
  first  ///< of 0.1: rbf, amplitude and length scale 1, mean 0, nothing standardised or learned
};

/// Throws InputError with one sentence: `FILE:LINE: ...` for what is not TOML, `FILE: ...` for keys and
/// values.
StudyFile read_study_file(const std::filesystem::path& path, StudyDefaults defaults = StudyDefaults::current);
/// The same from text. Complaints begin with the key, or with `line N` for what is not TOML; paths are
/// relative to the current folder.
StudyFile read_study_text(std::string text, StudyDefaults defaults = StudyDefaults::current);

}  // namespace acuity
