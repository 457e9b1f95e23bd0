#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "acuity/base/public.hpp"
#include "acuity/data/channel.hpp"

namespace acuity ACUITY_PUBLIC {

/// The scale on which answers are modelled.
enum class TargetScale { linear, logarithmic, fraction, rate };

/// An answer as people write it: "0.3", or the share "3/200" with its number of trials.
struct WrittenAnswer {
  double value = 0.0;
  /// Counts: the number of trials, or the exposure; absent: as many as its level has.
  std::optional<double> trials = std::nullopt;
};

/// What answers can be, and how the model sees them: as they are, by their logarithm (docs/math.md 16), or,
/// if they are counts, by a root that makes their noise known (docs/math.md 22).
class AnswerScale {
 public:
  /// `range`: no answer is outside it, its ends included; not with counts, which have one of their own.
  AnswerScale(TargetScale kind = TargetScale::linear,  // NOLINT: Target::real(label, TargetScale::rate)
              std::optional<std::pair<double, double>> range = std::nullopt);

  TargetScale kind() const { return kind_; }
  bool is_logarithmic() const { return kind_ == TargetScale::logarithmic; }
  /// Fractions k of n, and rates k / exposure.
  bool is_counted() const { return kind_ == TargetScale::fraction || kind_ == TargetScale::rate; }
  /// Whether the model's scale is another one than that of the answers. People see medians and intervals
  /// then.
  bool is_mapped() const { return kind_ != TargetScale::linear; }
  /// Where answers lie, its ends included; infinite where they have no limit.
  const std::pair<double, double>& range() const { return range_; }
  bool has_range() const { return has_range_; }

  bool accepts(double answer) const;
  /// "a finite number", "a number from 0 to 100".
  const std::string& requirement() const { return requirement_; }
  /// What an answer may be written as.
  std::string text_requirement() const;
  /// A number, or for counts also "k/n". Empty if it is none, or out of range.
  std::optional<WrittenAnswer> read(const std::string& text) const;

  /// An answer as the model sees it, if there is nothing else to know of it.
  double to_model(double answer) const;
  /// The same of an answer with this noise: of few counts the root is corrected (docs/math.md eq. (22.3)).
  double to_model(double answer, const Channel& channel) const;
  /// Back; always within the range of the answers.
  double to_answer(double modelled) const;
  /// The slope of to_answer(); 1 if the two scales are one, and with a logarithm, whose differences are
  /// factors.
  double slope(double modelled) const;

  /// Counts: the variance of an answer of so many trials on the model's scale, and back.
  static double variance_of(double trials) { return 0.25 / trials; }
  static double trials_of(double variance) { return 0.25 / variance; }
  /// Counts: whether there are so few that the root alone would be off (docs/math.md eq. (22.3)).
  bool is_small(double answer, double trials) const;
  /// By which key of a level its noise is given: "noise_sd", "noise_relative", "trials" or "exposure".
  std::string_view noise_key() const;
  /// "log", or "asin sqrt" or "sqrt"; empty: the answers are modelled as they are.
  std::string_view map_name() const;
  /// As in study files: "linear", "log", "fraction" or "rate".
  std::string_view name() const;

 private:
  TargetScale kind_;
  bool has_range_ = false;
  std::pair<double, double> range_;
  std::string requirement_;
};

}  // namespace acuity ACUITY_PUBLIC
