#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/acquisition/classification_information.hpp"
#include "acuity/acquisition/goal_information.hpp"
#include "acuity/base/public.hpp"
#include "acuity/data/channel.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/model/goal.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/model/prior.hpp"
#include "acuity/study/answer_scale.hpp"

namespace acuity ACUITY_PUBLIC {

/// Error of predictions, and the error that the model predicted for itself, in the same measure.
struct PredictionError {
  double actual = 0.0, predicted = 0.0;
};

/// The posterior of either kind of target.
class TargetPosterior {
 public:
  virtual ~TargetPosterior() = default;

  /// Belief about the latent f.
  virtual Marginals predict(const PointsRef& x) const = 0;
  /// Belief about a part of the answers at a level with this bias, without noise; 0: no bias, so that an
  /// answer is f. Classes have no biases.
  virtual Marginals predict_part(const PointsRef& x, int bias, AnswerPart part = AnswerPart::all) const = 0;
  /// The mean of f alone, at a cost of n instead of n^2 per point.
  virtual Vector mean(const PointsRef& x) const = 0;
  /// What people look at: the mean of f, or the probability of the class +1.
  virtual Vector expectation(const PointsRef& x) const = 0;
  /// The error at points whose values are known.
  virtual PredictionError error_at(const PointsRef& x, const Vector& values) const = 0;
  /// The error that the model predicts for points of these weights, which add up to 1: root mean square; or
  /// the share of wrong classes if every point gets its more probable class.
  virtual double predicted_error(const PointsRef& x, const Vector& weights) const = 0;
  /// Real targets: covariance of f between every two rows. Throws std::logic_error for classes.
  virtual Matrix covariance(const PointsRef& x) const = 0;
  /// Each observation as predicted from all the others: mean and variance, its noise included; or the
  /// probability of the class +1, with variances of 0.
  virtual Marginals leave_one_out() const = 0;
  /// The error of these predictions.
  virtual PredictionError leave_one_out_error() const = 0;
  /// Classes: one sentence if expectation propagation has not converged; empty otherwise.
  virtual std::string convergence_problem() const = 0;
};

/// What an answer is expected to be.
struct ExpectedAnswer {
  double value = 0.0;        ///< the mean, or the probability of the answer +1
  std::optional<double> sd;  ///< noise included; classes have none
};

/// The error to expect of predictions at some points, and how far they are apart there.
struct ExpectedError {
  double size = 0.0;                           ///< of counts in the unit of answers, to first order
  std::optional<double> range = std::nullopt;  ///< largest minus smallest prediction; classes have none
};

struct AcquisitionSetting;
struct AveragedMarginals;

/// What studies of one kind of target assume if they say nothing else, and what they cannot change.
struct TargetDefaults {
  std::optional<double> mean;  ///< the only one there is; absent: any, by default that of the annotations
  std::optional<double> amplitude;     ///< where learning starts; absent: at the spread of the answers
  bool lengthscale_per_input = false;  ///< if they are learned
  bool has_nugget = false;             ///< and learns it; otherwise it must be 0
  bool has_structures = false;         ///< model.structure may be another one than "plain"
  bool has_biases = false;             ///< levels may have a bias
  bool has_approximation = false;      ///< the information of an answer may be approximated
  bool has_inverse_spacing = false;    ///< precisions are spaced evenly in 1 / alpha; otherwise in alpha only
  TargetGraph graph = TargetGraph::b;
  GoalCriterion criterion = GoalCriterion::variance;
};

/// How people call what is asked for.
struct TargetLabel {
  std::string name;  ///< such as "cd"; empty: it has none
  std::string unit;  ///< shown after numbers; empty: none
};

/// What a study asks for: real numbers, or one of two classes. Answers how an answer is read and shown, how
/// its precision is stated, what a study assumes, which model and information it gets and how errors are
/// measured, so that other code need not know the kind. Which keys of a study file belong to which kind is in
/// a table of study_file.cpp.
class Target {
 public:
  virtual ~Target() = default;

  static std::shared_ptr<const Target> real();
  static std::shared_ptr<const Target> real(TargetLabel label, AnswerScale scale = {});
  /// `names` are those of -1 and +1, or none.
  static std::shared_ptr<const Target> classes(std::vector<std::string> names = {}, TargetLabel label = {});

  /// "real" or "binary", as in study files.
  virtual std::string_view kind() const = 0;
  bool is_real() const { return kind() == "real"; }
  /// The names of -1 and +1; empty if they have none, or the target is real.
  virtual const std::vector<std::string>& class_names() const = 0;
  virtual const TargetDefaults& defaults() const = 0;
  const TargetLabel& label() const { return label_; }
  /// The name, or another word if it has none.
  std::string name_or(std::string_view otherwise) const;
  /// The name with the unit: "cd (N)".
  std::string title_or(std::string_view otherwise) const;
  /// What answers can be, and how the model sees them. Classes: as they are.
  const AnswerScale& scale() const { return scale_; }
  bool is_logarithmic() const { return scale_.is_logarithmic(); }
  bool is_counted() const { return scale_.is_counted(); }
  bool is_mapped() const { return scale_.is_mapped(); }
  /// An answer as the model sees it, and back (AnswerScale). Annotations, observations and everything that is
  /// computed from them have the model's scale; events and files have the user's.
  double to_model(double answer) const { return scale_.to_model(answer); }
  double to_model(double answer, const Channel& channel) const { return scale_.to_model(answer, channel); }
  double to_answer(double modelled) const { return scale_.to_answer(modelled); }
  /// What the model is of: the name or "f", or a function of it: "log cd", "asin sqrt yield".
  std::string modelled() const;
  /// A prediction for people: "1.3 +- 0.2 N (mean and standard deviation)"; on a scale of its own the median
  /// and the 95 % interval, on the scale of answers.
  std::string belief_text(double mean, double sd, int digits) const;
  /// A difference on the model's scale for people: "0.2 above", with a logarithm "1.2 times", with counts
  /// "0.2 above in asin sqrt f".
  std::string difference_text(double difference, int digits) const;

  // ---- Answers -----------------------------------------------------------------------------------------

  /// An answer as people and programs write it: a finite number; a count "k/n"; or a class by its name, as -1
  /// or 1, or as 0 or 1. Empty if it is none.
  virtual std::optional<WrittenAnswer> read_written(const std::string& text) const = 0;
  std::optional<double> read(const std::string& text) const;
  /// What such text must be.
  virtual std::string text_requirement() const = 0;
  /// What else is to be said of a text that is no answer, such as "12,5" and "<5"; empty: nothing.
  virtual std::string remark_on(const std::string& text) const = 0;
  /// Whether the value can be an answer: finite, or -1 or 1.
  virtual bool accepts(double value) const = 0;
  virtual std::string_view value_requirement() const = 0;
  /// For people: a number in its shortest form, or the name of the class.
  virtual std::string show(double value) const = 0;
  /// The answer without noise, on the model's scale, where the latent function is f: f itself, or the class
  /// of its sign.
  virtual double clean_answer(double f) const = 0;

  /// What an answer through this channel is expected to be.
  virtual ExpectedAnswer expected_answer(const LatentMarginal& latent, const Channel& channel) const = 0;

  // ---- How precise an answer is ------------------------------------------------------------------------

  /// Whether the precision of an answer is a noise variance, to which sigma^2(x), the nugget and learned
  /// scales apply; otherwise it is the probability of being right.
  virtual bool has_noise() const = 0;
  /// "a noise" or "an accuracy".
  virtual std::string_view channel_noun() const = 0;
  /// What is wrong with a channel that does not fit.
  virtual std::string_view misfit() const = 0;
  /// How tables call it: "noise_variance" or "accuracy".
  virtual std::string_view channel_column() const = 0;
  /// The columns by which a table of held-out values may state it, in order of precedence.
  virtual std::vector<std::string> channel_columns() const = 0;
  /// Whether the channel is one of this target's.
  virtual bool fits(const Channel& channel) const = 0;
  /// The channel that a table or an annotator states: by its noise variance, or by its accuracy.
  virtual Channel stated_channel(double value) const = 0;
  /// The channel of answers that report the standard deviation of their noise, on the user's scale. With a
  /// logarithm it is taken relative to the answer, to first order (docs/math.md eq. (16.1)). Throws
  /// InputError for counts, whose noise follows from the number of trials.
  Channel reported_channel(double noise_sd, const std::vector<double>& answers) const;
  /// Whether a stated channel is in range, and what it must be.
  virtual bool accepts(const Channel& channel) const = 0;
  virtual std::string_view channel_requirement() const = 0;
  /// What is wrong with the channel of a level of this name; empty if it can be on a price list.
  virtual std::string level_problem(const std::string& level, const Channel& channel) const = 0;
  /// Whether a precision can be on a ladder, and what it must be.
  virtual bool accepts_alpha(double alpha) const = 0;
  virtual std::string_view alpha_requirement() const = 0;
  /// What an annotation is worth.
  virtual std::shared_ptr<const Information> information(const AcquisitionSetting& setting) const = 0;
  /// Whether the information of an annotation depends on the answers before it. If not, it depends on their
  /// precision alone, so that purchases can be planned and break-even prices are functions of sd.
  virtual bool information_depends_on_answers() const = 0;
  /// "nats" or "bits".
  virtual std::string_view information_unit() const = 0;

  // ---- The model ---------------------------------------------------------------------------------------

  /// The belief about a pool. `goal` may be null. `storage` is for real targets without a goal or a bias;
  /// others are computed in double precision. `one_class_per_point`: for classes, see EpPoolBelief.
  virtual std::unique_ptr<PoolBelief> belief(const Prior& prior, const PointsRef& pool,
                                             std::shared_ptr<const Goal> goal,
                                             const std::vector<Observation>& observations, int threads,
                                             const PoolStorage& storage, bool one_class_per_point) const = 0;
  virtual std::unique_ptr<const TargetPosterior> posterior(const Prior& prior,
                                                           const Observations& observations) const = 0;

  /// What people look at: the mean of f, or the probability of the class +1.
  virtual double expectation(const LatentMarginal& latent) const = 0;
  /// The same of predictions that are averaged over hyperparameters: mean and variance of f; or the
  /// probabilities of the class +1, with variances of 0.
  virtual Marginals expectation(const AveragedMarginals& f) const = 0;

  // ---- Errors ------------------------------------------------------------------------------------------

  /// "root mean square error" or "share of wrong classes".
  virtual std::string_view error_measure() const = 0;
  /// The error of the latent mean, in that measure; a mean of 0 is half wrong.
  virtual double error_of(const Vector& mean, const Vector& truth) const = 0;
  /// The same for points of these weights, which add up to 1.
  virtual double error_of(const Vector& mean, const Vector& truth, const Vector& weights) const = 0;
  /// The error to expect of these predictions, in that measure, at points of these weights.
  virtual ExpectedError expected_error(const AveragedMarginals& f, const Vector& weights) const = 0;
  /// How far an answer is from what was predicted: in standard deviations; or how probable that class was.
  /// Empty if nothing was predicted.
  virtual std::optional<double> surprise(const LatentMarginal& predicted, const Channel& channel,
                                         double value) const = 0;
  /// Whether a person should look at an answer again: beyond 4 standard deviations, or below 1 %.
  virtual bool is_surprising(double surprise) const = 0;
  /// How tables call it: "z" or "probability".
  virtual std::string_view surprise_column() const = 0;

 protected:
  explicit Target(TargetLabel label = {}, AnswerScale scale = {})
      : label_(std::move(label)), scale_(std::move(scale)) {}

 private:
  TargetLabel label_;
  AnswerScale scale_;
};

}  // namespace acuity ACUITY_PUBLIC
