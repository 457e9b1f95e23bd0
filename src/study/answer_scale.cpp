#include "acuity/study/answer_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "acuity/base/errors.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/data/table.hpp"
#include "text/nearest.hpp"

namespace acuity {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double right_angle = std::numbers::pi / 2.0;

// Anscombe's corrections of counts, and of the number of trials.
constexpr double more_counts = 0.375, more_trials = 0.75;
// Below so many expected counts the plain root is off by a noticeable part of its noise.
constexpr double few_counts = 3.0;

// Whole numbers survive the division by the number of trials.
double rounded_count(double count) {
  const double whole = std::round(count);
  return std::abs(count - whole) <= 1e-9 * std::max(1.0, whole) ? whole : count;
}

std::string requirement_of(TargetScale kind, const std::optional<std::pair<double, double>>& range) {
  if (range)
    return fmt::format("a number from {} to {} (target.range)", shortest(range->first),
                       shortest(range->second));
  switch (kind) {
    case TargetScale::linear:
      break;
    case TargetScale::logarithmic:
      return "a finite number above 0 (target.scale is \"log\")";
    case TargetScale::fraction:
      return "a number from 0 to 1 (target.scale is \"fraction\")";
    case TargetScale::rate:
      return "a finite number, 0 or more (target.scale is \"rate\")";
  }
  return "a finite number";
}

std::pair<double, double> own_range(TargetScale kind) {
  if (kind == TargetScale::fraction) return {0.0, 1.0};
  return {kind == TargetScale::linear ? -infinite : 0.0, infinite};
}

}  // namespace

AnswerScale::AnswerScale(TargetScale kind, std::optional<std::pair<double, double>> range)
    : kind_(kind),
      has_range_(range.has_value()),
      range_(range.value_or(own_range(kind))),
      requirement_(requirement_of(kind, range)) {
  if (range && (is_counted() || !(range_.first < range_.second) || !std::isfinite(range_.first) ||
                !std::isfinite(range_.second) || (is_logarithmic() && !(range_.first > 0.0))))
    throw InputError("the range of a target must be two finite numbers, the lower one first");
}

bool AnswerScale::accepts(double answer) const {
  return std::isfinite(answer) && answer >= range_.first && answer <= range_.second &&
         !(is_logarithmic() && answer == 0.0);
}

std::string AnswerScale::text_requirement() const {
  if (kind_ == TargetScale::fraction)
    return "k/n, such as 3/200, where k may not exceed n, or " + requirement_;
  if (kind_ == TargetScale::rate) return "k/exposure, such as 12/2.5, or " + requirement_;
  return requirement_;
}

std::optional<WrittenAnswer> AnswerScale::read(const std::string& text) const {
  const std::size_t bar = is_counted() ? text.find('/') : std::string::npos;
  if (bar == std::string::npos) {
    const std::optional<double> number = to_number(text);
    return number && accepts(*number) ? std::optional(WrittenAnswer{.value = *number}) : std::nullopt;
  }
  const std::optional<double> count = to_number(text.substr(0, bar)),
                              trials = to_number(text.substr(bar + 1));
  const auto is_whole = [](double number) { return number == std::floor(number); };
  if (!count || !trials || !(*trials > 0.0 && *trials < 1e15) || !(*count >= 0.0) || !is_whole(*count))
    return std::nullopt;
  if (kind_ == TargetScale::fraction && !is_whole(*trials)) return std::nullopt;
  const double value = *count / *trials;
  return accepts(value) ? std::optional(WrittenAnswer{.value = value, .trials = trials}) : std::nullopt;
}

// math.md eq. (22.1) and (22.2).
double AnswerScale::to_model(double answer) const {
  switch (kind_) {
    case TargetScale::linear:
      break;
    case TargetScale::logarithmic:
      return std::log(answer);
    case TargetScale::fraction:
      return std::asin(std::sqrt(answer));
    case TargetScale::rate:
      return std::sqrt(answer);
  }
  return answer;
}

// math.md eq. (22.3).
double AnswerScale::to_model(double answer, const Channel& channel) const {
  const auto* gaussian = std::get_if<GaussianChannel>(&channel);
  if (!is_counted() || gaussian == nullptr || !(gaussian->noise_variance > 0.0)) return to_model(answer);
  const double trials = trials_of(gaussian->noise_variance);
  if (!is_small(answer, trials)) return to_model(answer);
  const double count = rounded_count(answer * trials) + more_counts;
  return to_model(count / (kind_ == TargetScale::fraction ? trials + more_trials : trials));
}

double AnswerScale::to_answer(double modelled) const {
  switch (kind_) {
    case TargetScale::linear:
      return has_range_ ? std::clamp(modelled, range_.first, range_.second) : modelled;
    case TargetScale::logarithmic:
      return has_range_ ? std::clamp(std::exp(modelled), range_.first, range_.second) : std::exp(modelled);
    case TargetScale::fraction: {
      const double root = std::sin(std::clamp(modelled, 0.0, right_angle));
      return root * root;
    }
    case TargetScale::rate:
      return modelled > 0.0 ? modelled * modelled : 0.0;
  }
  return modelled;
}

double AnswerScale::slope(double modelled) const {
  if (kind_ == TargetScale::fraction) return std::sin(2.0 * std::clamp(modelled, 0.0, right_angle));
  return kind_ == TargetScale::rate ? 2.0 * std::max(modelled, 0.0) : 1.0;
}

bool AnswerScale::is_small(double answer, double trials) const {
  if (!is_counted()) return false;
  const double count = rounded_count(answer * trials);
  const double other = kind_ == TargetScale::fraction ? rounded_count((1.0 - answer) * trials) : infinite;
  return std::min(count, other) < few_counts;
}

std::string_view AnswerScale::noise_key() const {
  switch (kind_) {
    case TargetScale::linear:
      break;
    case TargetScale::logarithmic:
      return "noise_relative";
    case TargetScale::fraction:
      return "trials";
    case TargetScale::rate:
      return "exposure";
  }
  return "noise_sd";
}

std::string_view AnswerScale::map_name() const {
  switch (kind_) {
    case TargetScale::linear:
      break;
    case TargetScale::logarithmic:
      return "log";
    case TargetScale::fraction:
      return "asin sqrt";
    case TargetScale::rate:
      return "sqrt";
  }
  return "";
}

std::string_view AnswerScale::name() const {
  switch (kind_) {
    case TargetScale::linear:
      break;
    case TargetScale::logarithmic:
      return "log";
    case TargetScale::fraction:
      return "fraction";
    case TargetScale::rate:
      return "rate";
  }
  return "linear";
}

}  // namespace acuity
