#include "campaign/answer_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "acuity/base/errors.hpp"

namespace acuity::answer_noise_test {
namespace {

std::string refusal(const AnswerNoise& reported, const Target& target) {
  try {
    channel_of(reported, target, {1.0});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

AnswerNoise reported(std::optional<double> sd, std::optional<double> accuracy) {
  return {.noise_sd = sd,
          .accuracy = accuracy,
          .noise_sd_name = "--noise-sd",
          .accuracy_name = "--accuracy",
          .whose = " of 57",
          .noise_sd_text = {}};
}

TEST(AnswerNoise, IsTheChannelOfTheAnswer) {
  const auto real = Target::real(), classes = Target::classes();
  EXPECT_FALSE(channel_of(reported({}, {}), *real, {1.0}));
  EXPECT_DOUBLE_EQ(noise_variance(*channel_of(reported(0.5, {}), *real, {1.0})), 0.25);
  EXPECT_EQ(std::get<FlipChannel>(*channel_of(reported({}, 0.9), *classes, {1.0})).accuracy(), 0.9);
}

TEST(AnswerNoise, IsRefusedInASentence) {
  const auto real = Target::real(), classes = Target::classes();
  EXPECT_EQ(refusal(reported(0.5, {}), *classes),
            "--noise-sd is for real targets, the study's are binary; must be --accuracy");
  EXPECT_EQ(refusal(reported({}, 0.9), *real),
            "--accuracy is for binary targets, the study's are real; must be --noise-sd");
  EXPECT_EQ(refusal(reported(-1.0, {}), *real), "--noise-sd of 57 is -1, must be a finite number above 0");
  EXPECT_EQ(refusal(reported({}, 0.4), *classes), "--accuracy of 57 is 0.4, must be a number from 0.5 to 1");
  AnswerNoise text = reported(0.0, {});
  text.noise_sd_text = "\"abc\"";
  text.noise_sd_requirement = "a finite number above 0, or declared";
  EXPECT_EQ(refusal(text, *real),
            "--noise-sd of 57 is \"abc\", must be a finite number above 0, or declared");
}

// Its square must be a number above 0, too.
TEST(AnswerNoise, HasAVariance) {
  for (const double sd : {1e-160, 1.0, 1e149}) EXPECT_TRUE(is_noise_sd(sd)) << sd;
  for (const double sd : {0.0, -1.0, 1e-200, 1e150, HUGE_VAL, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(is_noise_sd(sd)) << sd;
  for (const double accuracy : {0.5, 1.0}) EXPECT_TRUE(is_accuracy(accuracy)) << accuracy;
  for (const double accuracy : {0.49, 1.01, std::nan("")}) EXPECT_FALSE(is_accuracy(accuracy)) << accuracy;
}

}  // namespace
}  // namespace acuity::answer_noise_test
