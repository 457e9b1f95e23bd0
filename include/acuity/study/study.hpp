#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/acquisition/acquisition.hpp"
#include "acuity/acquisition/cost_function.hpp"
#include "acuity/base/public.hpp"
#include "acuity/data/annotation.hpp"
#include "acuity/data/pool.hpp"
#include "acuity/data/shared_pool.hpp"
#include "acuity/data/table.hpp"
#include "acuity/model/goal.hpp"
#include "acuity/model/scaling.hpp"
#include "acuity/selection/candidates.hpp"
#include "acuity/study/study_file.hpp"

namespace acuity ACUITY_PUBLIC {

class NoiseLaw;

/// A point of the pool whose class is known: people are asked about it to learn how good they are.
struct GoldItem {
  Index row = 0;
  double value = 1.0;  ///< -1 or +1
};

/// Changes to a study; absent or empty members change nothing.
struct StudyVariant {
  std::optional<AcquisitionSetting::Kind> information;
  /// The only level of the offer that information per cost may choose. The initial design is not affected.
  std::optional<Index> only_level;
  std::optional<std::uint64_t> seed;
  std::optional<double> budget;
  std::optional<InitialSetting> initial;
  std::optional<StopSetting> stop;
  /// All levels are taken to be without bias: what they declare as the size of their error is noise.
  bool without_bias = false;
  /// Every choice is the best by information per cost, whatever money is left.
  bool without_plan = false;
  /// Rows of the pool to keep. Points keep their ids, and inputs keep the scale of the whole pool.
  std::vector<Index> rows;
};

/// The settings of a study resolved to values: the pool, levels with channels and costs, the acquisition, the
/// goal, and how inputs are scaled. Immutable; what is learned from answers is StudyLearner's.
class Study {
 public:
  /// Reads the study file and its pool; throws InputError.
  static Study open(const std::filesystem::path& path);
  /// Makes a study from settings; reads the pool that they name. `goal` replaces the points of
  /// `settings.goal` and is used if the acquisition is by a goal; without weights all points count the same.
  /// Its noise is used if `settings.noise` is a column.
  static Study open(StudyFile settings, std::shared_ptr<const Goal> goal = nullptr);
  /// The same by the processes of a job, which share the pool and call this together: each checks its part of
  /// a pool file, and beliefs are about its part.
  static Study open(StudyFile settings, SharedPool shared);
  /// A study from values; reads neither a study file nor a pool. `noise_variance` is sigma^2 of every point
  /// if `settings.noise` is a column, and empty otherwise. Throws InputError if the settings are not valid.
  /// `goal` is that of open().
  static Study make(StudyFile settings, Pool pool, Vector noise_variance = {},
                    std::shared_ptr<const Goal> goal = nullptr);
  /// A copy of the study with these changes, which its file() includes; throws InputError if the result is
  /// not valid.
  Study variant(const StudyVariant& different) const;
  ~Study();
  Study(Study&&) noexcept;
  Study& operator=(Study&&) noexcept;

  const StudyFile& file() const { return file_; }
  const Pool& pool() const { return pool_; }
  /// How the processes of a job share the pool.
  const SharedPool& shared_pool() const { return shared_; }
  const Offer& offer() const { return offer_; }
  const Acquisition& acquisition() const { return acquisition_; }
  bool is_ladder() const { return file_.ladder.has_value(); }
  /// Where the model must be good, with sigma^2 there as noise; null unless the acquisition is by a goal.
  const std::shared_ptr<const Goal>& goal() const { return goal_; }
  /// The goal that was given as values, in full; null if there is none.
  const std::shared_ptr<const Goal>& given_goal() const { return given_goal_; }
  /// The level that f is the answer of.
  Index reference_level() const;
  /// Its name, or that of the limit of the mesh if f is meant there.
  std::string reference_name() const;
  /// The gold items, by row.
  const std::vector<GoldItem>& gold() const { return gold_; }
  /// The class of a gold item; empty if the row is none.
  std::optional<double> gold_class(Index row) const;
  /// Standardises inputs by the pool, or only transforms them; unused if the annotations give the scaling.
  const Scaling& input_scaling() const { return input_scaling_; }
  /// Standard deviations of the inputs if they are not standardised (LearnOptions::input_spread); or empty.
  const Vector& input_spread() const { return input_spread_; }
  /// Of the inputs, by the ranks of the pool; empty unless the study has the ranked structure.
  const std::vector<InputMap>& rank_maps() const { return rank_maps_; }
  /// Standardises the inputs on which costs depend.
  const Scaling& cost_scaling() const { return cost_scaling_; }
  /// Remarks for the user about settings that are valid but deserve attention.
  const std::vector<std::string>& remarks() const { return remarks_; }

  /// Reads annotations from a CSV file; throws InputError with file, line and column.
  std::vector<Annotation> read_annotations(const std::filesystem::path& path) const;
  /// Reads the study's inputs from a table. Names of categories that the pool does not have are refused, or,
  /// if `unseen` is given, get numbers of their own and are appended to it, which is as long as the inputs.
  Points read_inputs(const Table& table, std::vector<std::vector<std::string>>* unseen = nullptr) const;

  /// The level of that name, or of any precision in the ladder's range, with its cost; throws InputError if
  /// there is none.
  Level level_named(const std::string& name) const;
  Level level_of(double alpha) const;
  /// The index of a level in the offer, if present.
  std::optional<Index> find_level(std::string_view name) const;
  std::optional<Index> find_level(double alpha) const;
  /// The price of any precision of a ladder, in range or not.
  double price_at(double alpha) const;
  /// sigma^2 at a point outside the pool; throws InputError if sigma^2 is a column of a table.
  double base_noise_at(const std::vector<double>& inputs) const;
  /// sigma^2 at a point whose inputs were read from a row of a table.
  double base_noise_at(const std::vector<double>& inputs, const Table& table, Index row) const;
  /// sigma^2 of every row of a table that has the study's inputs; NaN if sigma^2 is a column that the table
  /// does not have.
  Vector base_noise_of(const Table& table) const;
  /// Makes an annotation at one of the study's levels, given as a Level or by its index in the offer;
  /// `base_noise` is sigma^2 at the place.
  Annotation annotation(Place place, double base_noise, const Level& level, double value, double cost) const;
  Annotation annotation(Place place, double base_noise, Index level, double value, double cost) const;

  /// The inputs on which costs depend at a place, standardised by the pool.
  Vector cost_inputs(const Place& place) const;

  /// What may be bought after these annotations. `remaining` replaces budget minus costs.
  Candidates candidates_after(const std::vector<Annotation>& annotations,
                              std::optional<double> remaining = std::nullopt) const;

 private:
  Study(StudyFile file, Pool pool, SharedPool shared, Offer offer, Acquisition acquisition,
        std::shared_ptr<const CostFunction> cost, std::shared_ptr<const NoiseLaw> noise,
        std::vector<std::string> remarks);

  static Study assemble(StudyFile file, Pool pool, SharedPool shared, std::shared_ptr<const NoiseLaw> noise,
                        PointValues base_noise, std::shared_ptr<const Goal> goal);
  static Study open(StudyFile settings, std::shared_ptr<const Goal> goal, SharedPool shared);
  Annotation annotation_at(Place place, double base_noise, const Level& level, double value,
                           double cost) const;

  StudyFile file_;
  Pool pool_;
  SharedPool shared_;
  Offer offer_;
  Acquisition acquisition_;
  std::shared_ptr<const CostFunction> cost_;  // of a ladder
  std::shared_ptr<const NoiseLaw> noise_;
  std::vector<std::string> remarks_;
  Scaling input_scaling_;                   // if inputs are standardised by the pool
  Vector input_spread_;                     // LearnOptions::input_spread
  std::vector<InputMap> rank_maps_;         // for the ranked structure
  Scaling cost_scaling_;                    // if costs are learned
  std::shared_ptr<const Goal> given_goal_;  // instead of one from a file
  std::shared_ptr<const Goal> goal_;
  std::vector<GoldItem> gold_;  // by row
};

/// The annotations as the model sees them.
std::vector<Observation> observations_of(const std::vector<Annotation>& annotations);

}  // namespace acuity ACUITY_PUBLIC
