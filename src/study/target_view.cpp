#include "study/target_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "text/number_text.hpp"

namespace acuity {

namespace {

// Rounded to the digits that the error leaves meaningful.
std::string with_error(double value, double error) {
  if (!(error > 0.0) || !std::isfinite(error)) return fmt::format("{:.5g}", value);
  const double unit = std::pow(10.0, std::floor(std::log10(error)) - 1.0);
  // The error is too small to round the value.
  if (!(unit > 1e-300) || std::abs(value) / unit > 1e15) return fmt::format("{:.8g} ± {:.2g}", value, error);
  const auto rounded = [&](double number) { return std::round(number / unit) * unit + 0.0; };
  return fmt::format("{:.8g} ± {:.8g}", rounded(value), rounded(error));
}

class RealView final : public TargetView {
 public:
  RealView(TargetLabel label, AnswerScale scale)
      : target_(Target::real(std::move(label), std::move(scale))) {}

  std::string prediction_title() const override { return "Prediction of " + target_->name_or("f"); }
  std::string map_title() const override {
    return target_->is_mapped()
               ? fmt::format("{}: median, and standard deviation of {}", prediction_title(), latent())
               : prediction_title() + ": mean and standard deviation";
  }
  std::string prediction_axis() const override { return target_->title_or("f"); }
  std::string middle() const override {
    return (target_->is_mapped() ? "median of " : "mean of ") + target_->name_or("f");
  }
  std::string latent() const override { return target_->modelled(); }
  std::string answers_title() const override { return target_->title_or("y"); }
  std::optional<std::pair<double, double>> prediction_range() const override { return std::nullopt; }
  bool is_prediction_logarithmic() const override { return target_->is_logarithmic(); }
  std::string prediction_text(double expected, double sd) const override {
    if (!target_->is_mapped()) return with_error(target_->to_answer(expected), sd);
    return fmt::format("{:.4g} ({:.3g} to {:.3g})", target_->to_answer(expected),
                       target_->to_answer(expected - 1.96 * sd), target_->to_answer(expected + 1.96 * sd));
  }
  std::string difference_text(double difference, double sd) const override {
    if (target_->is_logarithmic())
      return fmt::format("× {:.4g} ({:.3g} to {:.3g})", std::exp(difference),
                         std::exp(difference - 1.96 * sd), std::exp(difference + 1.96 * sd));
    return with_error(difference, sd) + (target_->is_mapped() ? " in " + latent() : "");
  }
  std::string difference_text(double difference) const override {
    if (target_->is_logarithmic()) return fmt::format("× {:.3g}", std::exp(difference));
    return fmt::format("{:.2g}{}", difference, target_->is_mapped() ? " in " + latent() : "");
  }

  double on_prediction_axis(double value) const override { return target_->to_answer(value); }
  double expected_on_axis(double expected) const override { return on_prediction_axis(expected); }
  std::optional<std::pair<double, double>> interval_on_axis(double expected, double sd) const override {
    return std::pair(on_prediction_axis(expected - half_interval * sd),
                     on_prediction_axis(expected + half_interval * sd));
  }
  double unexpectedness(double value, double expected, double sd) const override {
    return std::abs((value - expected) / sd);
  }
  double noise_on_prediction_axis(double value, double noise) const override {
    constexpr double least_slope = 0.05;  // at an end of the range no dot may be infinitely precise
    return noise * std::max(target_->scale().slope(value), least_slope);
  }
  bool is_dark(double) const override { return false; }
  std::string answer_text(double value) const override {
    return fmt::format("{:.5g}", target_->to_answer(value));
  }
  std::vector<std::string> classes() const override { return {}; }
  std::string larger_dots() const override { return "more precise"; }
  std::string dots_on_map() const override { return "A dot is an answer; larger means more precise."; }
  std::string surprise_text(std::int64_t id, double surprise, bool beside_others) const override {
    return fmt::format("{} is {:.1f} standard deviations from {}", id, surprise,
                       beside_others ? "the other answers" : "what was expected");
  }

  std::string precision_axis(bool is_ladder) const override {
    return is_ladder ? "1/α" : "sd of the level's noise" + (target_->is_counted() ? " in " + latent() : "");
  }
  std::string gamma_name() const override { return "γ: noise variance added at α = 1"; }
  bool is_gamma_logarithmic() const override { return true; }
  double rung_of(double alpha) const override { return 1.0 / alpha; }
  std::string rungs_name(double from, double to) const override {
    return fmt::format("1/α {:.2f} to {:.2f}", from, to);
  }

  bool is_error_logarithmic() const override { return true; }
  std::string error_text(double error, std::optional<double> predicted) const override {
    return predicted
               ? fmt::format("{} (predicted by the model: {})", size_text(error, 4), size_text(*predicted, 4))
               : size_text(error, 4);
  }
  std::string recent_error_text(double error, std::int64_t answers) const override {
    return fmt::format("typical prediction error, last {}: {}", counted(answers, "answer"),
                       size_text(error, 3));
  }
  std::string typical_error_text(double error, std::optional<double> range,
                                 const std::string& where) const override {
    const double span = range.value_or(0.0);
    if (target_->is_logarithmic()) {
      const std::string off =
          fmt::format("typically off by a factor of {}{}", rounded(std::exp(error), 3), where);
      return span > 0.0 ? fmt::format("{}, predictions span a factor of {}", off, rounded(std::exp(span), 2))
                        : off;
    }
    const std::string off = fmt::format("typically off by {}{}", with_unit(rounded(error, 2)), where);
    return span > 0.0 ? fmt::format("{}, {} % of its range", off, rounded(100.0 * error / span, 2)) : off;
  }
  std::string typical_error_heading(double error) const override {
    if (!target_->is_logarithmic()) return with_unit(rounded(error, 2));
    const double factor = std::exp(error);
    return factor < 1.5 ? rounded(100.0 * (factor - 1.0), 2) + " %" : "a factor of " + rounded(factor, 2);
  }
  std::string typical_error_meaning(double error, std::optional<double> range,
                                    const std::string& where) const override {
    std::string beside;
    if (const double span = range.value_or(0.0); span > 0.0)
      beside = target_->is_logarithmic()
                   ? fmt::format("; they span a factor of {}", rounded(std::exp(span), 2))
                   : fmt::format(", {} % of their range", rounded(100.0 * error / span, 2));
    return fmt::format("Predictions{} are typically off by this much{}.", where, beside);
  }
  std::string judged() const override { return "intervals"; }

 private:
  static constexpr double half_interval = 1.959964;

  std::string with_unit(const std::string& number) const {
    const std::string& unit = target_->label().unit;
    return unit.empty() ? number : number + " " + one_line(unit);
  }
  // An error of the logarithm is a factor.
  std::string size_text(double error, int digits) const {
    if (target_->is_logarithmic()) return fmt::format("a factor of {:.{}g}", std::exp(error), digits);
    return fmt::format("{:.{}g}{}", error, digits, target_->is_mapped() ? " in " + latent() : "");
  }

  std::shared_ptr<const Target> target_;
};

class ClassView final : public TargetView {
 public:
  explicit ClassView(const Target& target) : names_(target.class_names()), name_(target.label().name) {
    if (names_.empty()) names_ = {"−1", "+1"};
  }

  std::string prediction_title() const override { return "Predicted probability"; }
  std::string map_title() const override { return "Predicted probability, and standard deviation of f"; }
  std::string prediction_axis() const override { return "probability of " + names_[1]; }
  std::string middle() const override { return prediction_axis(); }
  std::string latent() const override { return "f"; }
  std::string answers_title() const override { return name_.empty() ? "y" : name_; }
  std::optional<std::pair<double, double>> prediction_range() const override { return std::pair(0.0, 1.0); }
  bool is_prediction_logarithmic() const override { return false; }
  std::string prediction_text(double expected, double) const override {
    return fmt::format("{} {:.0f} %", names_[1], 100.0 * expected);
  }
  std::string difference_text(double difference, double sd) const override {
    return with_error(difference, sd);
  }
  std::string difference_text(double difference) const override { return fmt::format("{:.2g}", difference); }

  double on_prediction_axis(double value) const override { return is_dark(value) ? 1.0 : 0.0; }
  double expected_on_axis(double expected) const override { return expected; }
  std::optional<std::pair<double, double>> interval_on_axis(double, double) const override {
    return std::nullopt;
  }
  double unexpectedness(double value, double expected, double) const override {
    return is_dark(value) ? 1.0 - expected : expected;
  }
  double noise_on_prediction_axis(double, double noise) const override { return noise; }
  bool is_dark(double value) const override { return value > 0.0; }
  std::string answer_text(double value) const override { return names_[is_dark(value) ? 1 : 0]; }
  std::vector<std::string> classes() const override { return {answer_text(-1.0), answer_text(1.0)}; }
  std::string larger_dots() const override { return "more accurate"; }
  std::string dots_on_map() const override {
    return fmt::format("A dot is an answer: dark {}, light {}; larger means more accurate.", names_[1],
                       names_[0]);
  }
  std::string surprise_text(std::int64_t id, double surprise, bool) const override {
    return fmt::format("{} was expected with a probability of {:.2g} only", id, surprise);
  }

  std::string precision_axis(bool is_ladder) const override { return is_ladder ? "α" : "accuracy"; }
  std::string gamma_name() const override { return "γ: gain in accuracy at the highest"; }
  bool is_gamma_logarithmic() const override { return false; }  // probabilities are shown as they are
  double rung_of(double alpha) const override { return 1.0 - alpha; }
  std::string rungs_name(double from, double to) const override {
    return fmt::format("α {:.2f} to {:.2f}", 1.0 - to, 1.0 - from);
  }

  bool is_error_logarithmic() const override { return false; }
  std::string error_text(double error, std::optional<double>) const override {
    return fmt::format("{:.1f}\u00a0% wrong", 100.0 * error);
  }
  std::string recent_error_text(double error, std::int64_t answers) const override {
    return fmt::format("{:.0f} % of the last {} predicted wrongly", 100.0 * error,
                       counted(answers, "answer"));
  }
  std::string typical_error_text(double error, std::optional<double>,
                                 const std::string& where) const override {
    return fmt::format("about {} of the predicted classes{} are wrong", typical_error_heading(error), where);
  }
  std::string typical_error_heading(double error) const override {
    return rounded(100.0 * std::min(error, 1.0), 2) + " %";
  }
  std::string typical_error_meaning(double, std::optional<double>, const std::string& where) const override {
    return fmt::format("About this share of the predicted classes{} is wrong.", where);
  }
  std::string judged() const override { return "probabilities"; }

 private:
  std::vector<std::string> names_;  // of -1 and +1
  std::string name_;                // of the target; may be empty
};

}  // namespace

std::shared_ptr<const TargetView> TargetView::of(const Target& target) {
  if (!target.is_real()) return std::make_shared<const ClassView>(target);
  return std::make_shared<const RealView>(target.label(), target.scale());
}

}  // namespace acuity
