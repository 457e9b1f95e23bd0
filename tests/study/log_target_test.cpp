// Answers that are modelled by their logarithm (docs/math.md 16).
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>

#include "acuity/base/errors.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/study/study_learner.hpp"
#include "support/golden.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::log_target_test {
namespace {

using testing::close;
using testing::Folder;
using testing::golden;

// Levels "0" and "1" of the golden values.
std::string golden_study() {
  const nlohmann::json& g = golden("log_target");
  std::string text = fmt::format(
      "[pool]\nfile = \"pool.csv\"\nstandardise = \"none\"\n[target]\nname = \"dose\"\nunit = \"Gy\"\nscale "
      "= "
      "\"log\"\n[model]\nkernel = \"{}\"\namplitude = {}\nlengthscale = {}\nmean = \"annotations\"\nfit = "
      "\"never\"\naverage = 1\n[noise]\nnugget = {}\n",
      g["kernel"].get<std::string>(), g["a"].get<double>(), g["l"][0].get<double>(), g["tau2"].get<double>());
  for (std::size_t k = 0; k < g["noise_relative"].size(); ++k)
    text += fmt::format("[[level]]\nname = \"{}\"\nnoise_relative = {}\ncost = {}\n", k,
                        g["noise_relative"][k].get<double>(), 10 - k);
  return text;
}

std::string golden_table(bool with_answers) {
  const nlohmann::json& g = golden("log_target");
  std::string text = with_answers ? "x,level,y\n" : "x\n";
  for (std::size_t i = 0; i < g["X"].size(); ++i)
    text += with_answers ? fmt::format("{},{},{}\n", g["X"][i][0].get<double>(), g["level"][i].get<int>(),
                                       g["y"][i].get<double>())
                         : fmt::format("{}\n", g["X"][i][0].get<double>());
  return text;
}

TEST(LogTarget, PredictionsAndLikelihoodAreGolden) {
  const nlohmann::json& g = golden("log_target");
  const Folder folder;
  folder.write("pool.csv", golden_table(false));
  const Study study = Study::open(folder.write("study.toml", golden_study()));
  const std::vector<Annotation> annotations =
      study.read_annotations(folder.write("A.csv", golden_table(true)));
  const StudyModel model = StudyLearner(study).model_given(annotations);
  EXPECT_TRUE(close(model.prior.mean, g["prior_mean"], 1e-14));
  const Target& target = *study.file().target;
  const AveragedModel averaged = StudyLearner(study).averaged(model, annotations);
  const AveragedMarginals f = averaged.predict(testing::points(g["X_test"])).marginals;
  for (Index i = 0; i < f.mean.size(); ++i) {
    const nlohmann::json& wanted = g["predictions"][static_cast<std::size_t>(i)];
    EXPECT_TRUE(close(f.mean(i), wanted["log_mean"], 1e-12));
    EXPECT_TRUE(close(f.variance(i), wanted["log_var"], 1e-12));
    EXPECT_TRUE(close(target.to_answer(f.median(i)), wanted["median"], 1e-11));
    EXPECT_TRUE(close(target.to_answer(f.low(i)), wanted["low"], 1e-11));
    EXPECT_TRUE(close(target.to_answer(f.high(i)), wanted["high"], 1e-11));
    const double answer_sd = std::sqrt(f.variance(i) + f.nugget(i)), reach = 1.959963984540054 * answer_sd;
    EXPECT_TRUE(close(std::exp(f.mean(i) - reach), wanted["answer_low"], 1e-11));
    EXPECT_TRUE(close(std::exp(f.mean(i) + reach), wanted["answer_high"], 1e-11));
    EXPECT_TRUE(close(std::exp(f.mean(i) + f.variance(i) / 2.0), wanted["arithmetic_mean"], 1e-11));
  }
  const double log_p =
      likelihood(model.prior, Observations(model.observations, study.pool().points())).log_marginal;
  EXPECT_TRUE(close(log_p, g["log_p"], 1e-11));
  double sum = 0.0;
  for (const double y : g["y"]) sum += std::log(y);
  EXPECT_TRUE(close(log_p - sum, g["log_p_y"], 1e-11));
}

// The same study on the logarithms of the answers, with the noise as a standard deviation.
TEST(LogTarget, ItIsTheModelOfTheLogarithms) {
  const nlohmann::json& g = golden("log_target");
  const Folder folder;
  folder.write("pool.csv", golden_table(false));
  std::string text = golden_study(), table = "x,level,y\n";
  for (const char* key : {"scale = \"log\"\n"}) text.erase(text.find(key), std::string(key).size());
  for (std::size_t at; (at = text.find("noise_relative")) != std::string::npos;)
    text.replace(at, std::string("noise_relative").size(), "noise_sd");
  for (std::size_t i = 0; i < g["X"].size(); ++i)
    table += fmt::format("{},{},{}\n", g["X"][i][0].get<double>(), g["level"][i].get<int>(),
                         std::log(g["y"][i].get<double>()));
  const Study of_logs = Study::open(folder.write("of_logs.toml", text)),
              study = Study::open(folder.write("study.toml", golden_study()));
  const auto observations = [&](const Study& one, const std::string& csv) {
    return StudyLearner(one).model_given(one.read_annotations(folder.write("A.csv", csv))).observations;
  };
  const std::vector<Observation> a = observations(of_logs, table),
                                 b = observations(study, golden_table(true));
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].value, b[i].value);
    EXPECT_EQ(a[i].channel, b[i].channel);
  }
}

TEST(LogTarget, ReportedNoiseIsRelativeToTheAnswer) {
  const auto target = Target::real({"dose", "Gy"}, TargetScale::logarithmic);
  EXPECT_DOUBLE_EQ(noise_variance(target->reported_channel(0.5, {10.0})), 0.0025);
  EXPECT_DOUBLE_EQ(noise_variance(target->reported_channel(0.5, {8.0, 12.0})), 0.0025);
  EXPECT_DOUBLE_EQ(noise_variance(Target::real()->reported_channel(0.5, {10.0})), 0.25);
}

TEST(LogTarget, PeopleSeeTheMedianAndAnInterval) {
  const auto target = Target::real({"dose", "Gy"}, TargetScale::logarithmic);
  EXPECT_EQ(target->belief_text(std::log(10.0), 0.1, 4), "10 Gy (median; 95 % interval 8.22 to 12.17)");
  EXPECT_EQ(target->modelled(), "log dose");
  EXPECT_EQ(target->title_or("y"), "dose (Gy)");
  EXPECT_EQ(Target::real({"cd", ""})->belief_text(1.5, 0.25, 4), "1.5 +- 0.25 (mean and standard deviation)");
  EXPECT_EQ(Target::real()->title_or("y"), "y");
}

std::string complaint(const std::string& text) {
  const Folder folder;
  folder.write("pool.csv", "x\n1\n2\n");
  try {
    Study::open(folder.write("study.toml", text));
  } catch (const InputError& error) {
    const std::string message = error.what();
    return message.substr(message.find("study.toml"));
  }
  return "";
}

TEST(LogTarget, NoiseMustBeRelativeAndOnlyThen) {
  const std::string scale = "[target]\nscale = \"log\"\n", pool = "[pool]\nfile = \"pool.csv\"\n";
  EXPECT_EQ(complaint(pool + scale + "[[level]]\nname = \"a\"\nnoise_sd = 0.1\ncost = 1\n"),
            "study.toml: level 1.noise_sd is given, must be noise_relative where target.scale is \"log\": "
            "how large "
            "it is relative to an answer is not known before");
  EXPECT_EQ(complaint(pool + "[[level]]\nname = \"a\"\nnoise_relative = 0.1\ncost = 1\n"),
            "study.toml: level 1.noise_relative is given, must be noise_sd where target.scale is \"linear\"");
  EXPECT_EQ(
      complaint(pool + scale + "[[level]]\nname = \"a\"\ncost = 1\n"),
      "study.toml: level 1.noise_relative is missing, must be a finite number above 0 (or exact = true)");
  EXPECT_EQ(
      complaint(pool + "[target]\nkind = \"binary\"\nscale = \"log\"\n[[level]]\nname = \"a\"\naccuracy = "
                       "0.9\ncost = 1\n"),
      "study.toml: target.scale is for real targets, target.kind is \"binary\"");
  EXPECT_EQ(complaint(pool + "[target]\nscale = \"ln\"\n"),
            "study.toml: target.scale is \"ln\", must be \"linear\", \"log\", \"fraction\" or \"rate\"");
}

TEST(LogTarget, AnswersThatAreNotPositiveAreRefused) {
  const Folder folder;
  folder.write("pool.csv", golden_table(false));
  const Study study = Study::open(folder.write("study.toml", golden_study()));
  try {
    study.read_annotations(folder.write("A.csv", "x,level,y\n1,0,2\n1,0,0\n"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(
        std::string(error.what())
            .ends_with(
                "A.csv:3: column \"y\" is \"0\", must be a finite number above 0 (target.scale is \"log\")"))
        << error.what();
  }
}

}  // namespace
}  // namespace acuity::log_target_test
