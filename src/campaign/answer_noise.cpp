#include "campaign/answer_noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/data/observation.hpp"

namespace acuity {

bool is_noise_sd(double sd) {
  return sd > 0.0 && sd < 1e150 && sd * sd > 0.0;
}

bool is_accuracy(double accuracy) {
  return accuracy >= 0.5 && accuracy <= 1.0;
}

std::optional<Channel> channel_of(const AnswerNoise& reported, const Target& target,
                                  const std::vector<double>& values) {
  const auto complain = [&](const std::string& sentence) { throw InputError(sentence); };
  std::optional<Channel> channel;
  if (reported.noise_sd) {
    if (!target.fits(GaussianChannel{}))
      complain(fmt::format("{} is for real targets, the study's are binary; must be {}",
                           reported.noise_sd_name, reported.accuracy_name));
    if (!is_noise_sd(*reported.noise_sd))
      complain(fmt::format(
          "{}{} is {}, must be {}", reported.noise_sd_name, reported.whose,
          reported.noise_sd_text.empty() ? fmt::format("{}", *reported.noise_sd) : reported.noise_sd_text,
          reported.noise_sd_requirement));
    channel = target.reported_channel(*reported.noise_sd, values);
  }
  if (reported.accuracy) {
    if (!target.fits(FlipChannel{}))
      complain(fmt::format("{} is for binary targets, the study's are real; must be {}",
                           reported.accuracy_name, reported.noise_sd_name));
    if (!is_accuracy(*reported.accuracy))
      complain(fmt::format("{}{} is {}, must be a number from 0.5 to 1", reported.accuracy_name,
                           reported.whose, *reported.accuracy));
    channel = FlipChannel{*reported.accuracy};
  }
  return channel;
}

std::string small_counts_text(const Target& target, const std::vector<Annotation>& annotations) {
  if (!target.is_counted()) return "";
  const auto count = std::count_if(annotations.begin(), annotations.end(), [&](const Annotation& one) {
    const double noise = noise_variance(one.channel);
    return one.answer && noise > 0.0 && target.scale().is_small(*one.answer, AnswerScale::trials_of(noise));
  });
  if (count == 0) return "";
  const bool is_fraction = target.scale().kind() == TargetScale::fraction;
  return fmt::format(
      "{} of {} answers {} fewer than three {}: the noise of such answers is known only "
      "roughly, more {} would tell more",
      count, annotations.size(), count == 1 ? "has" : "have",
      is_fraction ? "counts of one kind (k, or n - k)" : "counts", target.scale().noise_key());
}

AddedCounts added_counts(const std::vector<double>& values, const std::vector<double>& trials,
                         const std::optional<Channel>& level) {
  const double usual = level ? AnswerScale::trials_of(noise_variance(*level)) : 0.0;
  double counts = 0.0, all = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double own = k < trials.size() && trials[k] > 0.0 ? trials[k] : usual;
    if (!(own > 0.0))
      throw InputError(
          fmt::format("the answer {} has no number of trials, must be \"k/n\" or have a level", values[k]));
    counts += values[k] * own;
    all += own;
  }
  // One value stays as it is, to the last digit.
  AddedCounts added{.value = values.size() == 1 ? values.front() : counts / all, .channel = std::nullopt};
  if (!level || std::abs(all - usual) > 1e-12 * usual)
    added.channel = GaussianChannel{AnswerScale::variance_of(all)};
  return added;
}

}  // namespace acuity
