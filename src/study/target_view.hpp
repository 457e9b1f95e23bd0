#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "acuity/study/target.hpp"

namespace acuity {

/// How pages, pictures and status lines name and scale what depends on the kind of target. They ask a view,
/// so that none of them tests the kind.
class TargetView {
 public:
  virtual ~TargetView() = default;
  static std::shared_ptr<const TargetView> of(const Target& target);

  // ---- Predictions -------------------------------------------------------------------------------------

  /// "Prediction of f" or "Predicted probability".
  virtual std::string prediction_title() const = 0;
  virtual std::string map_title() const = 0;
  /// The axis of predictions: "f" or "probability of B".
  virtual std::string prediction_axis() const = 0;
  /// What is shown of a prediction besides its spread: "mean of f" or "probability of B".
  virtual std::string middle() const = 0;
  /// What its spread is the standard deviation of: "f", "cd" or "log cd".
  virtual std::string latent() const = 0;
  /// The heading of answers: "y", or the name with its unit.
  virtual std::string answers_title() const = 0;
  /// Where predictions lie; empty if they have no bounds.
  virtual std::optional<std::pair<double, double>> prediction_range() const = 0;
  virtual bool is_prediction_logarithmic() const = 0;
  virtual std::string prediction_text(double expected, double sd) const = 0;
  /// A difference on the model's scale and its standard deviation: "0.2 ± 0.1", or a factor.
  virtual std::string difference_text(double difference, double sd) const = 0;
  /// One without the other.
  virtual std::string difference_text(double difference) const = 0;

  // ---- Answers -----------------------------------------------------------------------------------------

  /// An answer, given on the model's scale, on the axis of predictions: the value, or 0 or 1.
  virtual double on_prediction_axis(double value) const = 0;
  /// What an answer was expected to be, there, and the 95 % interval; probabilities have none.
  virtual double expected_on_axis(double expected) const = 0;
  virtual std::optional<std::pair<double, double>> interval_on_axis(double expected, double sd) const = 0;
  /// How little an answer was expected: the larger, the less.
  virtual double unexpectedness(double value, double expected, double sd) const = 0;
  /// The standard deviation of its noise there, to first order; with a logarithm as it is.
  virtual double noise_on_prediction_axis(double value, double noise) const = 0;
  /// Whether maps draw the answer dark.
  virtual bool is_dark(double value) const = 0;
  virtual std::string answer_text(double value) const = 0;
  /// The classes -1 and +1 as text; empty if answers are numbers.
  virtual std::vector<std::string> classes() const = 0;
  /// How large dots differ from small ones: "more precise" or "more accurate".
  virtual std::string larger_dots() const = 0;
  virtual std::string dots_on_map() const = 0;
  /// One sentence about an answer far from its prediction (Target::is_surprising), or from the other answers.
  virtual std::string surprise_text(std::int64_t id, double surprise, bool beside_others) const = 0;

  // ---- Precision ---------------------------------------------------------------------------------------

  /// The axis of precisions in comparisons of levels.
  virtual std::string precision_axis(bool is_ladder) const = 0;
  /// What the learned gamma of a ladder is, and whether its axis is logarithmic.
  virtual std::string gamma_name() const = 0;
  virtual bool is_gamma_logarithmic() const = 0;
  /// Where an alpha is among all of a ladder: 0 is the most precise, 1 the least.
  virtual double rung_of(double alpha) const = 0;
  /// The name of the rungs between two of them: "1/α 0.00 to 0.17".
  virtual std::string rungs_name(double from, double to) const = 0;

  // ---- Errors and calibration --------------------------------------------------------------------------

  virtual bool is_error_logarithmic() const = 0;
  /// An error in Target::error_measure(), and the error that the model predicts if it is to be shown.
  virtual std::string error_text(double error, std::optional<double> predicted) const = 0;
  /// The error of the last `answers` predictions, for a status line.
  virtual std::string recent_error_text(double error, std::int64_t answers) const = 0;
  /// The error to expect: "typically off by 0.03 N m, 4 % of its range"; logarithms: "typically off by a
  /// factor of 1.12, predictions span a factor of 300"; classes: "about 6.5 % of the predicted classes are
  /// wrong". `range` is that of the predictions; `where` follows the number: " over the goal".
  virtual std::string typical_error_text(double error, std::optional<double> range,
                                         const std::string& where) const = 0;
  /// The same as a heading, "0.03 N m", "9 %" or "a factor of 2", and the sentence below it.
  virtual std::string typical_error_heading(double error) const = 0;
  virtual std::string typical_error_meaning(double error, std::optional<double> range,
                                            const std::string& where) const = 0;
  /// What a verdict on the calibration is about: "intervals" or "probabilities".
  virtual std::string judged() const = 0;
};

}  // namespace acuity
