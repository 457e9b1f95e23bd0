#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/acquisition/cost_function.hpp"
#include "acuity/base/public.hpp"
#include "acuity/data/annotation.hpp"
#include "acuity/data/pool.hpp"
#include "acuity/data/table.hpp"
#include "acuity/model/averaged_model.hpp"
#include "acuity/model/goal.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/model/noise_reports.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/model/prior.hpp"
#include "acuity/selection/candidates.hpp"
#include "acuity/selection/plan.hpp"
#include "acuity/study/study_file.hpp"

namespace acuity ACUITY_PUBLIC {

class NoiseLaw;

/// The logarithm of cost / guess as a linear function of the standardised inputs (docs/math.md 5.7).
struct LogCost {
  std::vector<double> slopes;  ///< a constant, then one per input
  std::vector<double> spread;  ///< of the slopes: their covariance is `variance` times this matrix
  double variance = 0.0;       ///< of a logarithm around the function
  bool operator==(const LogCost&) const = default;
};

/// What an answer of a level is expected to cost, and what is reserved for it while it is pending.
struct LevelCost {
  double expected = 0.0, reserved = 0.0;
  std::optional<LogCost> by_inputs = std::nullopt;  ///< if the cost depends on the inputs and some are known
  bool operator==(const LevelCost&) const = default;
};

/// The model of a study given its annotations: the prior, the observations and the offer. They are stored
/// together because learned noise changes all of them.
struct StudyModel {
  Prior prior;
  std::vector<Observation> observations;
  Offer offer;
  Acquisition acquisition;
  std::optional<Learned> learned;  ///< if the schedule required it
  double nugget = 0.0;             ///< in the noise of the observations and of the offer
  /// Factors on the noise of the offer from answers that reported their noise, in addition to the learned
  /// scales (docs/math.md 11.4).
  NoiseScales reported;
  /// Of every level of the offer, if answers reported what they cost (docs/math.md 5.6); empty: as declared.
  std::vector<LevelCost> costs;
};

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

/// The settings of a study resolved to the objects the library works with: pool, levels with channels and
/// costs, prior and acquisition. Immutable.
class Study {
 public:
  /// Reads the study file and its pool; throws InputError.
  static Study open(const std::filesystem::path& path);
  /// Makes a study from settings; reads the pool that they name. `goal` replaces the points of
  /// `settings.goal` and is used if the acquisition is by a goal; without weights all points count the same.
  /// Its noise is used if `settings.noise` is a column.
  static Study open(StudyFile settings, std::shared_ptr<const Goal> goal = nullptr);
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
  const Offer& offer() const { return offer_; }
  const Acquisition& acquisition() const { return acquisition_; }
  bool is_ladder() const { return file_.ladder.has_value(); }
  /// Where the model must be good, with sigma^2 there as noise; null unless the acquisition is by a goal.
  const std::shared_ptr<const Goal>& goal() const { return goal_; }
  /// The goal that was given as values, in full; null if there is none.
  const std::shared_ptr<const Goal>& given_goal() const { return given_goal_; }
  /// The level that f is the answer of.
  Index reference_level() const;
  /// The gold items, by row.
  const std::vector<GoldItem>& gold() const { return gold_; }
  /// The class of a gold item; empty if the row is none.
  std::optional<double> gold_class(Index row) const;
  /// Remarks for the user about settings that are valid but deserve attention.
  const std::vector<std::string>& remarks() const { return remarks_; }

  /// Reads annotations from a CSV file; throws InputError with file, line and column.
  std::vector<Annotation> read_annotations(const std::filesystem::path& path) const;
  /// Reads the study's inputs from a table. Names of categories that the pool does not have are refused, or,
  /// if `unseen` is given, get numbers of their own and are appended to it, which is as long as the inputs.
  Points read_inputs(const Table& table, std::vector<std::vector<std::string>>* unseen = nullptr) const;

  /// The prior given these annotations, on which scaling and mean may depend.
  Prior prior_given(const std::vector<Annotation>& annotations) const;
  /// Learns hyperparameters from these annotations, starting from the study's values or from `before`,
  /// regardless of the study's schedule. `learned_at`: how many of these annotations `before` was learned
  /// from; 0: not known. Under the weak prior a fit soon after the last one starts from its values only
  /// (search_is_due).
  Learned learn_from(const std::vector<Annotation>& annotations,
                     const std::function<void(int, double)>& progress = {}, int threads = 0,
                     const Learned* before = nullptr, std::int64_t learned_at = 0,
                     const std::vector<GoldAnswer>& gold = {}) const;
  /// How many of `annotations` answers the study's schedule learns from, given that it last learned from
  /// `last` of them (0: never); 0: it does not learn now.
  std::int64_t learns_from(std::int64_t annotations, std::int64_t last = 0) const;
  /// The model given these annotations; learns hyperparameters if the schedule requires it.
  StudyModel model_given(const std::vector<Annotation>& annotations, int threads = 0) const;
  /// The model given these annotations and recorded hyperparameters; does not learn.
  StudyModel model_given(const std::vector<Annotation>& annotations, std::optional<Learned> learned) const;
  /// Plans the rest of the budget (docs/math.md 17). `belief` is that of the model and may have pending
  /// annotations; aim, weights and noise_changes of the options are set here. If the nugget is learned,
  /// weights of prices are compared for three values of it, because the best level depends on it most of all.
  /// For a goal the plan is made for at most 400 points of the pool and 64 of the goal, without what is
  /// pending, for four weights and two values of the nugget.
  BudgetPlan plan(const StudyModel& model, const std::vector<Annotation>& annotations, PoolBelief& belief,
                  const Candidates& candidates, PlanOptions options) const;
  /// The model that makes predictions: the point estimate, or as many draws of hyperparameters around it as
  /// the study sets. `annotations` are those of the model.
  AveragedModel averaged(const StudyModel& model, const std::vector<Annotation>& annotations,
                         int threads = 0) const;
  /// The belief about the pool under a model. `storage` applies to real targets; classes always use double
  /// precision. `threads`, here and above: 0 means all processors.
  std::unique_ptr<PoolBelief> belief(const StudyModel& model, const PoolStorage& storage = {},
                                     int threads = 0) const;
  /// The level of that name, or of any precision in the ladder's range, with its cost; throws InputError if
  /// there is none.
  Level level_named(const std::string& name) const;
  Level level_of(double alpha) const;
  /// The index of a level in the offer, if present.
  std::optional<Index> find_level(std::string_view name) const;
  std::optional<Index> find_level(double alpha) const;
  /// sigma^2 at a point outside the pool; throws InputError if sigma^2 is a column of a table.
  double base_noise_at(const std::vector<double>& inputs) const;
  /// sigma^2 of every row of a table that has the study's inputs; NaN if sigma^2 is a column that the table
  /// does not have.
  Vector base_noise_of(const Table& table) const;
  /// Makes an annotation at one of the study's levels, given as a Level or by its index in the offer;
  /// `base_noise` is sigma^2 at the place.
  Annotation annotation(Place place, double base_noise, const Level& level, double value, double cost) const;
  Annotation annotation(Place place, double base_noise, Index level, double value, double cost) const;

  /// The noise variance of every answer in addition to the level's and sigma^2(x): given by the study,
  /// learned, or, until it is learned, 1 % of the prior variance.
  double nugget(const std::optional<Learned>& learned, const Prior& prior) const;
  /// The noise or accuracy of an annotation under the model, with learned laws applied.
  Channel channel_of(const Annotation& annotation, const StudyModel& model) const;
  /// The offer of a model to this person: with the accuracies that were learned of them.
  Offer offer_to(const std::string& person, const StudyModel& model) const;
  /// The expected noise or accuracy of an annotation without a value yet: that of the model's offer.
  Channel expected_channel(const Annotation& annotation, const StudyModel& model) const;
  /// Updates `reported` and the offer of a model with the noise that these annotations reported; returns
  /// false if nothing changed.
  bool take_reports(StudyModel& model, const std::vector<Annotation>& annotations) const;

  /// Updates `costs` and the offer of a model, one per level or none; returns false if nothing changed.
  bool take_costs(StudyModel& model, std::vector<LevelCost> costs) const;
  /// The inputs on which costs depend at a place, standardised by the pool.
  Vector cost_inputs(const Place& place) const;

  /// What may be bought after these annotations. `remaining` replaces budget minus costs.
  Candidates candidates_after(const std::vector<Annotation>& annotations,
                              std::optional<double> remaining = std::nullopt) const;

 private:
  Study(StudyFile file, Pool pool, Offer offer, Acquisition acquisition,
        std::shared_ptr<const CostFunction> cost, std::shared_ptr<const NoiseLaw> noise,
        std::vector<std::string> remarks);

  static Study assemble(StudyFile file, Pool pool, std::shared_ptr<const NoiseLaw> noise,
                        PointValues base_noise, std::shared_ptr<const Goal> goal);
  PoolShard own_part() const;
  std::shared_ptr<const Goal> make_goal() const;
  std::shared_ptr<const Goal> goal_under(const StudyModel& model) const;
  Prior prior_for(const Points& points, const Vector& values) const;
  LearnOptions learn_options(const std::vector<Annotation>& annotations, const Observations& observations,
                             const Learned* before, int threads) const;
  Annotation annotation_at(Place place, double base_noise, const Level& level, double value,
                           double cost) const;
  bool learns_scale(std::optional<Index> level) const;
  NoiseScales learned_scales(const std::optional<Learned>& learned) const;
  NoiseScales scales_of_reports(const std::vector<Annotation>& annotations,
                                const std::optional<Learned>& learned) const;
  double added_scale(const NoiseScales& scales, std::optional<Index> level) const;
  Channel accuracy_of(const Annotation& annotation, const std::optional<Learned>& learned) const;
  std::vector<Observation> observations_under(const std::vector<Annotation>& annotations,
                                              const Learned* learned) const;
  bool learns_accuracy(const Annotation& annotation) const;
  Learned learn_given(const std::vector<Annotation>& annotations,
                      const std::function<void(int, double)>& progress, int threads, const Learned* before,
                      std::int64_t learned_at) const;
  LearnedAccuracies learn_accuracies(const Prior& prior, const std::vector<Annotation>& annotations,
                                     const std::vector<GoldAnswer>& gold) const;
  std::vector<GoldItem> read_gold() const;
  void set_offer(StudyModel& model) const;
  void set_point_costs(StudyModel& model) const;

  StudyFile file_;
  Pool pool_;
  Offer offer_;
  Acquisition acquisition_;
  std::shared_ptr<const CostFunction> cost_;  // of a ladder
  std::shared_ptr<const NoiseLaw> noise_;
  std::vector<std::string> remarks_;
  Scaling pool_scaling_;                    // if inputs are standardised by the pool
  Vector input_spread_;                     // LearnOptions::input_spread
  Scaling cost_scaling_;                    // if costs depend on the inputs
  std::shared_ptr<const Goal> given_goal_;  // instead of one from a file
  std::shared_ptr<const Goal> goal_;
  std::vector<GoldItem> gold_;  // by row

  friend class AnnotationReader;
};

/// The annotations as the model sees them.
std::vector<Observation> observations_of(const std::vector<Annotation>& annotations);

}  // namespace acuity ACUITY_PUBLIC
