#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/acquisition/cost_function.hpp"
#include "acuity/data/annotation.hpp"
#include "acuity/data/pool.hpp"
#include "acuity/data/table.hpp"
#include "acuity/model/averaged_model.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/model/noise_reports.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/model/prior.hpp"
#include "acuity/selection/candidates.hpp"
#include "acuity/study/study_file.hpp"

namespace acuity {

class NoiseLaw;

/// What a study has come to: belief before the annotations, the annotations as the model sees them, and the
/// offer. They hang together: learned noise changes all of them.
struct StudyModel {
  Prior prior;
  std::vector<Observation> observations;
  Offer offer;
  Acquisition acquisition;
  std::optional<Learned> learned;  ///< where the schedule asked for it
  double nugget = 0.0;             ///< in the noise of the observations and of the offer
  /// In the noise of the offer: what answers that reported their noise say about that of the next ones, on
  /// top of what was learned (docs/math.md 11.4).
  NoiseScales reported;
};

/// What is to be different in a study; what is absent or empty stays.
struct StudyVariant {
  std::optional<AcquisitionSetting::Kind> information;
  /// Of the offer: information per cost chooses no other. The initial design is bought as before.
  std::optional<Index> only_level;
  std::optional<std::uint64_t> seed;
  std::optional<double> budget;
  std::optional<InitialSetting> initial;
  std::optional<StopSetting> stop;
  /// Of the pool: what is left of it. Points keep their ids, inputs the scale that the whole pool gave them.
  std::vector<Index> rows;
};

/// The settings of a study turned into the values the library works with: pool, levels with channels and
/// costs, prior, and the way to choose. Made once, never changed.
class Study {
 public:
  /// Reads the study file and its pool; throws InputError.
  static Study open(const std::filesystem::path& path, StudyDefaults defaults = StudyDefaults::current);
  /// The study of these settings; reads the pool that they name.
  static Study open(StudyFile settings);
  /// A study from values; reads neither a study file nor a pool. `noise_variance` is sigma^2 of every point
  /// if `settings.noise` is a column, and empty otherwise. Throws InputError if the settings are not valid.
  static Study make(StudyFile settings, Pool pool, Vector noise_variance = {});
  /// The same study but for this, with a file() that says so; throws InputError where that is no study.
  Study variant(const StudyVariant& different) const;
  ~Study();
  Study(Study&&) noexcept;
  Study& operator=(Study&&) noexcept;

  const StudyFile& file() const { return file_; }
  const Pool& pool() const { return pool_; }
  const Offer& offer() const { return offer_; }
  const Acquisition& acquisition() const { return acquisition_; }
  bool is_ladder() const { return file_.ladder.has_value(); }
  /// Things a person should know although nothing is wrong.
  const std::vector<std::string>& remarks() const { return remarks_; }

  /// The annotations of a CSV file; throws InputError with file, line and column.
  std::vector<Annotation> read_annotations(const std::filesystem::path& path) const;
  /// The study's inputs in any table.
  Points read_inputs(const Table& table) const;

  /// The prior once these are known: scaling and mean may depend on them.
  Prior prior_given(const std::vector<Annotation>& annotations) const;
  /// Learns hyperparameters from these, on from the study's values or from those learned before, whatever the
  /// study's schedule. `learned_at`: from how many of these annotations `before` was learned; 0: not known.
  /// Under the weak prior a fit that is soon after the last climbs from its values alone (search_is_due).
  Learned learn_from(const std::vector<Annotation>& annotations,
                     const std::function<void(int, double)>& progress = {}, int threads = 0,
                     const Learned* before = nullptr, std::int64_t learned_at = 0) const;
  /// How many of so many annotations the study's schedule learns from, once it has learned from `last` of
  /// them (0: never yet); 0: none.
  std::int64_t learns_from(std::int64_t annotations, std::int64_t last = 0) const;
  /// Everything the study says once these are known, hyperparameters learned when its schedule asks for it.
  StudyModel model_given(const std::vector<Annotation>& annotations, int threads = 0) const;
  /// The same where what was learned is on record; nothing is learned here.
  StudyModel model_given(const std::vector<Annotation>& annotations, std::optional<Learned> learned) const;
  /// What predictions are made from: the model's point estimate, or as many draws of hyperparameters around
  /// it as the study asks for. `annotations` are those of the model.
  AveragedModel averaged(const StudyModel& model, const std::vector<Annotation>& annotations,
                         int threads = 0) const;
  /// The belief about the pool that a model stands for. `storage` is for real targets; classes keep what they
  /// need, in double precision. `threads`, here and above: 0 means all the machine has.
  std::unique_ptr<PoolBelief> belief(const StudyModel& model, const PoolStorage& storage = {},
                                     int threads = 0) const;
  /// The level of that name, or of any precision in the ladder's range, priced; throws InputError.
  Level level_named(const std::string& name) const;
  Level level_of(double alpha) const;
  /// Its place in the offer, if it is there.
  std::optional<Index> find_level(std::string_view name) const;
  std::optional<Index> find_level(double alpha) const;
  /// sigma^2 at a point outside of the pool; throws InputError where only tables have it.
  double base_noise_at(const std::vector<double>& inputs) const;
  /// sigma^2 of every row of a table that has the study's inputs; NaN where it stands in a column that the
  /// table does not have.
  Vector base_noise_of(const Table& table) const;
  /// An answer at one of the study's levels; `base_noise` is that of the place. The level may be given by its
  /// place in the offer.
  Annotation annotation(Place place, double base_noise, const Level& level, double value, double cost) const;
  Annotation annotation(Place place, double base_noise, Index level, double value, double cost) const;

  /// Noise variance of every answer beside the level's and sigma^2(x): given, learned, or as long as it is
  /// not learned a hundredth of the prior variance.
  double nugget(const std::optional<Learned>& learned, const Prior& prior) const;
  /// What the model sees of an annotation's noise or accuracy once the laws of them were learned.
  Channel channel_of(const Annotation& annotation, const StudyModel& model) const;
  /// The noise or accuracy to expect of an annotation that has no value yet: that of the model's offer.
  Channel expected_channel(const Annotation& annotation, const StudyModel& model) const;
  /// Brings `reported` and the offer of a model up to date with what these annotations reported; false: they
  /// are unchanged.
  bool take_reports(StudyModel& model, const std::vector<Annotation>& annotations) const;

  /// What may be bought after these. `remaining` replaces budget minus costs.
  Candidates candidates_after(const std::vector<Annotation>& annotations,
                              std::optional<double> remaining = std::nullopt) const;

 private:
  Study(StudyFile file, Pool pool, Offer offer, Acquisition acquisition,
        std::shared_ptr<const CostFunction> cost, std::shared_ptr<const NoiseLaw> noise,
        std::vector<std::string> remarks);

  static Study assemble(StudyFile file, Pool pool, std::shared_ptr<const NoiseLaw> noise, Vector base_noise);
  Prior prior_for(const Observations& observations) const;
  LearnOptions learn_options(const std::vector<Annotation>& annotations, const Observations& observations,
                             const Learned* before, int threads) const;
  Annotation annotation_at(Place place, double base_noise, const Level& level, double value,
                           double cost) const;
  NoiseScales learned_scales(const std::optional<Learned>& learned) const;
  NoiseScales scales_of_reports(const std::vector<Annotation>& annotations,
                                const std::optional<Learned>& learned) const;
  double added_scale(const NoiseScales& scales, std::optional<Index> level) const;
  Channel accuracy_of(const Annotation& annotation, const std::optional<Learned>& learned) const;
  void set_offer(StudyModel& model) const;

  StudyFile file_;
  Pool pool_;
  Offer offer_;
  Acquisition acquisition_;
  std::shared_ptr<const CostFunction> cost_;  // of a ladder
  std::shared_ptr<const NoiseLaw> noise_;
  std::vector<std::string> remarks_;
  Scaling pool_scaling_;  // where inputs are standardised by the pool
  Vector input_spread_;   // of the pool, in the units of length scales; empty: 1 each

  friend class AnnotationReader;
};

/// What the model sees of annotations.
std::vector<Observation> observations_of(const std::vector<Annotation>& annotations);

}  // namespace acuity
