#include "campaign/answer_noise.hpp"

#include <fmt/format.h>

#include "acuity/base/errors.hpp"

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

}  // namespace acuity
