#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/annotation.hpp"
#include "acuity/model/averaged_model.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/model/noise_reports.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/model/prior.hpp"
#include "acuity/selection/candidates.hpp"
#include "acuity/selection/plan.hpp"
#include "acuity/study/study.hpp"

namespace acuity ACUITY_PUBLIC {

class StructuredAnswers;

/// The logarithm of cost / guess, linear in features of the standardised inputs (docs/math.md 5.7).
struct LogCost {
  std::vector<double> slopes;  ///< a constant, then one per feature
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
  /// The probability that a run at the reference level succeeds, at every point of the study's goal; empty:
  /// runs are taken to succeed. The offer has the probabilities at the points of the pool.
  Vector goal_success;
};

/// Everything that is learned from the answers of a study: hyperparameters, noise, accuracies, costs, and the
/// belief about the pool that follows from them.
///
/// It has no state of its own: it is a view of the study, which must live as long, and costs nothing to make.
/// All functions are const and depend on the study and their arguments alone, so they may be called from
/// several threads. `threads` is the number of threads that a call may use; 0 means all processors.
class StudyLearner {
 public:
  explicit StudyLearner(const Study& study) : study_(study) {}
  explicit StudyLearner(Study&& study) = delete;
  /// The same, but f is seen by the plain structure alone.
  StudyLearner without_structures() const {
    StudyLearner plain(study_);
    plain.uses_structures_ = false;
    return plain;
  }

  // ---- Learning ----------------------------------------------------------------------------------------

  /// The prior given these annotations, on which scaling and mean may depend.
  Prior prior_given(const std::vector<Annotation>& annotations) const;
  /// How many of `annotations` answers the study's schedule learns from, given that it last learned from
  /// `last` of them (0: never); 0: it does not learn now.
  std::int64_t learns_from(std::int64_t annotations, std::int64_t last = 0) const;
  /// Learns hyperparameters from these annotations, starting from the study's values or from `before`,
  /// regardless of the study's schedule. `learned_at`: how many of these annotations `before` was learned
  /// from; 0: not known. Under the weak prior a fit soon after the last one starts from its values only
  /// (search_is_due).
  Learned learn_from(const std::vector<Annotation>& annotations,
                     const std::function<void(int, double)>& progress = {}, int threads = 0,
                     const Learned* before = nullptr, std::int64_t learned_at = 0,
                     const std::vector<GoldAnswer>& gold = {}) const;
  /// The noise variance of every answer in addition to the level's and sigma^2(x): given by the study,
  /// learned, or, until it is learned, 1 % of the prior variance.
  double nugget(const std::optional<Learned>& learned, const Prior& prior) const;

  // ---- The model ---------------------------------------------------------------------------------------

  /// The model given these annotations; learns hyperparameters if the schedule requires it.
  StudyModel model_given(const std::vector<Annotation>& annotations, int threads = 0) const;
  /// The model given these annotations and recorded hyperparameters; does not learn. If levels were learned
  /// as a chain that leads, the prior has it, and channels have its noise.
  StudyModel model_given(const std::vector<Annotation>& annotations, std::optional<Learned> learned) const;
  /// Updates `reported` and the offer of a model with the noise that these annotations reported; returns
  /// false if nothing changed.
  bool take_reports(StudyModel& model, const std::vector<Annotation>& annotations) const;
  /// Updates `costs` and the offer of a model, one per level or none; returns false if nothing changed.
  bool take_costs(StudyModel& model, std::vector<LevelCost> costs) const;
  /// The noise or accuracy of an annotation under the model, with learned laws applied.
  Channel channel_of(const Annotation& annotation, const StudyModel& model) const;
  /// The expected noise or accuracy of an annotation without a value yet, by the model's offer.
  Channel expected_channel(const Annotation& annotation, const StudyModel& model) const;
  /// The offer of a model to this person, with the accuracies that were learned of the person.
  Offer offer_to(const std::string& person, const StudyModel& model) const;

  /// What choices for a goal count under this model, and whether the budget is planned: as the study sets, or
  /// by how noisy answers are (docs/math.md 13.4).
  GoalCriterion criterion(const StudyModel& model) const;
  bool plans(const StudyModel& model) const;
  /// How much the points of the study's goal count under this model: less where runs may fail, not at all
  /// where they are nearly certain to (docs/math.md eq. (21.3)). There must be a goal.
  std::vector<double> goal_weights(const StudyModel& model) const;

  // ---- What follows from a model -----------------------------------------------------------------------

  /// The belief about the pool under a model. `storage` applies to real targets; classes always use double
  /// precision.
  std::unique_ptr<PoolBelief> belief(const StudyModel& model, const PoolStorage& storage = {},
                                     int threads = 0) const;
  /// The model that makes predictions: the point estimate, or as many draws of hyperparameters around it as
  /// the study sets; of all structures that were learned (docs/math.md 11.6), unless levels are a chain
  /// (12.7). `annotations` are the annotations of the model.
  AveragedModel averaged(const StudyModel& model, const std::vector<Annotation>& annotations,
                         int threads = 0) const;
  /// The point estimate alone.
  AveragedModel unaveraged(const StudyModel& model) const;
  /// Plans the rest of the budget (docs/math.md 17). `belief` is the belief of the model and may have pending
  /// annotations; aim, weights and noise_changes of the options are set here. If the nugget is learned,
  /// weights of prices are compared for three values of it, because the best level depends on it most of all.
  /// A large pool is thinned (docs/math.md 17.2); what is pending is then left out. For a goal the plan is
  /// made for at most 400 points of the pool and 64 of the goal, without what is pending, for four weights
  /// and three values of the nugget at most.
  BudgetPlan plan(const StudyModel& model, const std::vector<Annotation>& annotations, PoolBelief& belief,
                  const Candidates& candidates, PlanOptions options) const;
  /// Whether another plan may result with these hyperparameters than with those before: the covariances of f
  /// or the noise of a level have changed by more than a little.
  bool may_change_plan(const Learned& before, const Learned& now) const;

 private:
  Learned learn_given(const std::vector<Annotation>& annotations,
                      const std::function<void(int, double)>& progress, int threads, const Learned* before,
                      std::int64_t learned_at) const;
  std::shared_ptr<const Goal> goal_under(const StudyModel& model) const;
  std::vector<LearnedStructure> learn_structures(const std::vector<Annotation>& annotations,
                                                 const Learned& learned, const Learned* before, bool searches,
                                                 int threads) const;
  std::optional<LearnedChain> learn_chain(const std::vector<Annotation>& annotations, const Learned& learned,
                                          const Learned* before, bool searches, int threads) const;
  // Of the model of differences, whatever leads.
  AveragedModel averaged_structures(const StudyModel& model, const std::vector<Annotation>& annotations,
                                    int threads) const;
  StructuredAnswers structured_answers(const StudyModel& model, const std::vector<Annotation>& annotations,
                                       int threads) const;
  AveragedModel averaged_plain(const StudyModel& model, const std::vector<Annotation>& annotations, int draws,
                               int threads) const;

  const Study& study_;
  bool uses_structures_ = true;
};

}  // namespace acuity ACUITY_PUBLIC
