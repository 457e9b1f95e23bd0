#include "views/target_view.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "numerics/text.hpp"

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
  std::string prediction_title() const override { return "Prediction of f"; }
  std::string map_title() const override { return "Prediction of f: mean and standard deviation"; }
  std::string prediction_axis() const override { return "f"; }
  std::string middle() const override { return "mean of f"; }
  std::optional<std::pair<double, double>> prediction_range() const override { return std::nullopt; }
  std::string prediction_text(double expected, double sd) const override { return with_error(expected, sd); }

  double on_prediction_axis(double value) const override { return value; }
  bool is_dark(double) const override { return false; }
  std::string answer_text(double value) const override { return fmt::format("{:.5g}", value); }
  std::string larger_dots() const override { return "more precise"; }
  std::string dots_on_map() const override { return "A dot is an answer; larger means more precise."; }
  std::string surprise_text(std::int64_t id, double surprise) const override {
    return fmt::format("{} is {:.1f} standard deviations from what was expected", id, surprise);
  }

  std::string precision_axis(bool is_ladder) const override {
    return is_ladder ? "1/α" : "sd of the level's noise";
  }
  std::string gamma_name() const override { return "γ: noise variance added at α = 1"; }
  bool is_gamma_logarithmic() const override { return true; }

  bool is_error_logarithmic() const override { return true; }
  std::string error_text(double error, std::optional<double> predicted) const override {
    return predicted ? fmt::format("{:.4g} (predicted by the model: {:.4g})", error, *predicted)
                     : fmt::format("{:.4g}", error);
  }
  std::string recent_error_text(double error, std::int64_t answers) const override {
    return fmt::format("typical prediction error, last {}: {:.3g}", counted(answers, "answer"), error);
  }
  std::string judged() const override { return "intervals"; }
};

class ClassView final : public TargetView {
 public:
  explicit ClassView(std::vector<std::string> names) : names_(std::move(names)) {
    if (names_.empty()) names_ = {"−1", "+1"};
  }

  std::string prediction_title() const override { return "Predicted probability"; }
  std::string map_title() const override { return "Predicted probability, and standard deviation of f"; }
  std::string prediction_axis() const override { return "probability of " + names_[1]; }
  std::string middle() const override { return prediction_axis(); }
  std::optional<std::pair<double, double>> prediction_range() const override { return std::pair(0.0, 1.0); }
  std::string prediction_text(double expected, double) const override {
    return fmt::format("{} {:.0f} %", names_[1], 100.0 * expected);
  }

  double on_prediction_axis(double value) const override { return is_dark(value) ? 1.0 : 0.0; }
  bool is_dark(double value) const override { return value > 0.0; }
  std::string answer_text(double value) const override { return names_[is_dark(value) ? 1 : 0]; }
  std::string larger_dots() const override { return "more accurate"; }
  std::string dots_on_map() const override {
    return fmt::format("A dot is an answer: dark {}, light {}; larger means more accurate.", names_[1],
                       names_[0]);
  }
  std::string surprise_text(std::int64_t id, double surprise) const override {
    return fmt::format("{} was expected with a probability of {:.2g} only", id, surprise);
  }

  std::string precision_axis(bool is_ladder) const override { return is_ladder ? "α" : "accuracy"; }
  std::string gamma_name() const override { return "γ: gain in accuracy at the highest"; }
  bool is_gamma_logarithmic() const override { return false; }  // probabilities are shown as they are

  bool is_error_logarithmic() const override { return false; }
  std::string error_text(double error, std::optional<double>) const override {
    return fmt::format("{:.1f}\u00a0% wrong", 100.0 * error);
  }
  std::string recent_error_text(double error, std::int64_t answers) const override {
    return fmt::format("{:.0f} % of the last {} predicted wrongly", 100.0 * error,
                       counted(answers, "answer"));
  }
  std::string judged() const override { return "probabilities"; }

 private:
  std::vector<std::string> names_;  // of -1 and +1
};

}  // namespace

std::shared_ptr<const TargetView> TargetView::of(const Target& target) {
  if (target.is_real()) return std::make_shared<const RealView>();
  return std::make_shared<const ClassView>(target.class_names());
}

}  // namespace acuity
