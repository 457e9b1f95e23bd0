#include "acuity/study/study_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/data/observation.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::study_file_test {
namespace {

using testing::Folder;
using testing::ladder_study;
using testing::with;

StudyFile read(const std::string& text) {
  const Folder folder;
  return read_study_file(folder.write("study.toml", text));
}

std::string complaint(const std::string& text) {
  const Folder folder;
  try {
    read_study_file(folder.write("study.toml", text));
  } catch (const InputError& error) {
    const std::string message = error.what(), prefix = (folder.path() / "study.toml").string();
    EXPECT_TRUE(message.starts_with(prefix)) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
    return message.substr(prefix.size());
  }
  return "";
}

TEST(StudyFile, HasTheDefaultsOfTheContract) {
  const StudyFile study = read(ladder_study());
  EXPECT_EQ(study.name, "study");
  EXPECT_EQ(study.budget, std::nullopt);
  EXPECT_EQ(study.seed, 0U);
  EXPECT_EQ(study.pool_file.filename(), "pool.csv");
  EXPECT_EQ(study.standardise, Standardise::pool);
  EXPECT_FALSE(study.repeat);
  EXPECT_EQ(study.kernel, KernelFamily::matern52);
  EXPECT_EQ(study.amplitude, std::nullopt);
  EXPECT_TRUE(study.lengthscale.empty());
  EXPECT_TRUE(study.lengthscale_per_input);
  EXPECT_EQ(study.mean, std::nullopt);
  EXPECT_TRUE(study.fit.automatic);
  EXPECT_EQ(study.fit.prior, HyperparameterPrior::weak);
  EXPECT_EQ(study.average, 8);
  EXPECT_EQ(study.nugget, std::nullopt);
  EXPECT_TRUE(study.initial.space_filling);
  EXPECT_EQ(study.acquisition.kind, AcquisitionSetting::Kind::goal);
  EXPECT_TRUE(study.acquisition.adapts_criterion);
  EXPECT_EQ(study.acquisition.target.graph, TargetGraph::c);
  EXPECT_EQ(study.acquisition.target.infinite, InfinitePolicy::refuse);
}

std::string repeated(const std::string& part, int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += part;
  return text;
}

TEST(StudyFile, OfMoreThan64LevelsIsRefusedBeforeItIsParsed) {
  const std::string nested = "it is nested more deeply than 64 levels, must be 64 at most";
  const auto dotted = [](int parts) { return "\na" + repeated(".b", parts - 1) + " = 1\n"; };
  const auto header = [](int parts) { return "\n[a" + repeated(".b", parts - 1) + "]\nc = 1\n"; };
  const auto tables = [](int count) {
    return "\na = " + repeated("{a = ", count) + "1" + repeated("}", count);
  };
  const auto lists = [](int count) {
    return "\na = [0.5, " + repeated("[", count - 1) + "0.5" + repeated("]", count) + "\n";
  };
  for (const auto& text : {dotted(64), header(63), tables(63), lists(64)})
    EXPECT_EQ(complaint(text).find("nested"), std::string::npos) << complaint(text);
  for (const int depth : {65, 200000})
    for (const auto& text : {dotted(depth), header(depth), tables(depth), lists(depth)})
      EXPECT_EQ(complaint(text), ":2: " + nested) << text.substr(0, 20);
  // What adds up, and what does not.
  EXPECT_EQ(complaint(header(40) + "d" + repeated(".e", 30) + " = 1\n"), ":4: " + nested);
  EXPECT_EQ(complaint("a = {b" + repeated(".c", 40) + " = {d" + repeated(".e", 30) + " = 1}}"),
            ":1: " + nested);
  const std::string dots = repeated(".x", 100);
  for (const auto& text :
       {"a = '" + dots + "'\n", "a = \"" + dots + "\\\"" + dots + "\"\n", "a = '''\n" + dots + "\n'''\n",
        "a = \"\"\"\n\"\" " + dots + "\"\"\"\"\"\n", "# " + dots + "\n", "'" + dots + "' = 1\n"})
    EXPECT_EQ(complaint(text).find("nested"), std::string::npos) << complaint(text);
}

TEST(StudyFile, OfManyMegabytesIsRefusedBeforeItIsParsed) {
  EXPECT_EQ(complaint("a = \"" + std::string(std::size_t{5} << 20, 'x') + "\"\n"),
            ": it has 5242887 bytes, must be a study of 4194304 at most");
  EXPECT_THROW(read_study_text("a = \"" + std::string(std::size_t{5} << 20, 'x') + "\"\n"), InputError);
}

TEST(StudyFile, OfClassesHasOneLengthScaleAndNoNugget) {
  const StudyFile study = read(
      "[pool]\nfile = \"p\"\n[target]\nkind = \"binary\"\n[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost "
      "= 1\n");
  EXPECT_FALSE(study.lengthscale_per_input);
  EXPECT_TRUE(study.lengthscale.empty());
  EXPECT_EQ(study.amplitude, std::nullopt);
  EXPECT_EQ(study.mean, 0.0);
  EXPECT_EQ(study.nugget, 0.0);
  EXPECT_EQ(study.fit.prior, HyperparameterPrior::weak);
}

TEST(StudyFile, HasStructuresByNameOrAllOfThem) {
  const std::vector<Structure> all{Structure::plain, Structure::ranked, Structure::additive,
                                   Structure::transformed, Structure::smooth};
  const auto structures = [](const std::string& model) {
    return read(ladder_study() + "[model]\n" + model).structures;
  };
  EXPECT_EQ(structures(""), all);
  EXPECT_EQ(structures("structure = \"average\"\naverage = 1\n"), all);
  EXPECT_EQ(structures("structure = \"additive\"\n"), std::vector{Structure::additive});
  EXPECT_EQ(structures("structure = [\"ranked\", \"plain\"]\n"),
            (std::vector{Structure::ranked, Structure::plain}));
  const std::vector<Structure> plain{Structure::plain};
  EXPECT_EQ(structures("average = 1\n"), plain);
  EXPECT_EQ(structures("prior = \"none\"\n"), plain);
  EXPECT_EQ(structures("fit = \"never\"\namplitude = 2\nlengthscale = 1\nstructure = \"plain\"\n"), plain);
  EXPECT_EQ(structures("optimiser = \"adam\"\n"), plain);

  const std::string words =
      "must be \"average\", \"plain\", \"ranked\", \"additive\", \"transformed\", \"smooth\" or a list";
  const auto refused = [](const std::string& model) {
    return complaint(ladder_study() + "[model]\n" + model);
  };
  EXPECT_EQ(refused("structure = \"sum\"\n"), ": model.structure is \"sum\", " + words);
  EXPECT_EQ(refused("structure = [\"plain\", \"average\"]\n"),
            ": model.structure is [ 'plain', 'average' ], " + words);
  EXPECT_EQ(refused("structure = [\"plain\", \"plain\"]\n"),
            ": model.structure is [ 'plain', 'plain' ], must be a list without repetitions");
  EXPECT_EQ(refused("structure = \"ranked\"\nfit = \"never\"\namplitude = 2\nlengthscale = 1\n"),
            ": model.structure is \"ranked\", must be \"plain\" where model.fit is \"never\"");
  EXPECT_EQ(refused("structure = \"average\"\noptimiser = \"adam\"\n"),
            ": model.structure is \"average\", must be \"plain\" with optimiser \"adam\"");
}

// The paper's rule and a model that never learns have no prior, nugget or average unless they ask.
TEST(StudyFile, WhatLearnsPlainlyHasNothingOfTheWeakPrior) {
  for (const char* model :
       {"optimiser = \"adam\"\nfit = \"every\"\n", "fit = \"never\"\namplitude = 2\nlengthscale = 1\n"}) {
    const StudyFile study = read(ladder_study() + "[model]\n" + model);
    EXPECT_EQ(study.fit.prior, HyperparameterPrior::none) << model;
    EXPECT_EQ(study.average, 1) << model;
    EXPECT_EQ(study.nugget, 0.0) << model;
  }
  EXPECT_EQ(complaint(ladder_study() + "[model]\nfit = \"never\"\namplitude = 2\n"),
            ": model.fit is \"never\" and model.lengthscale is to be learned, must be a number");
  EXPECT_EQ(complaint(ladder_study() + "[model]\noptimiser = \"adam\"\nprior = \"weak\"\n"),
            ": model.prior is \"weak\", must be \"none\" with optimiser \"adam\", whose rule knows no prior");
  EXPECT_EQ(complaint(ladder_study() + "[model]\naverage = 7\n"),
            ": model.average is 7, must be 1, or an even number up to 1000");
  EXPECT_EQ(complaint(with(ladder_study(), "variance", "0.1\nnugget = \"learn\"") +
                      "[model]\noptimiser = \"adam\"\n"),
            ": noise.nugget is \"learn\", must be a number with optimiser \"adam\"");
}

TEST(StudyFile, InitialIsANumberAWordACountOrAFile) {
  const std::string list = testing::price_list_study();
  const auto initial = [&](const std::string& value) {
    return read("[campaign]\ninitial = " + value + "\n" + list).initial;
  };
  EXPECT_EQ(initial("4").count, 4);
  EXPECT_FALSE(initial("4").space_filling);
  EXPECT_TRUE(initial("\"auto\"").space_filling);
  EXPECT_EQ(initial("{ count = 7, level = \"coarse\" }").count, 7);
  EXPECT_EQ(initial("{ count = 7, level = \"coarse\" }").level, "coarse");
  EXPECT_EQ(complaint("[campaign]\ninitial = { count = 7, level = \"rough\" }\n" + list),
            ": campaign.initial.level is \"rough\", must be one of \"coarse\" or \"fine\"");
  EXPECT_EQ(
      complaint("[campaign]\ninitial = \"some\"\n" + list),
      ": campaign.initial is \"some\", must be a whole number, \"auto\", { count = ... }, { LEVEL = ... } "
      "or { file = \"...\" }");
}

TEST(StudyFile, ReadsEveryKey) {
  const StudyFile study = read(R"(
[campaign]
name = "wing"
budget = 50
unit = "runs"
seed = 7
initial = 10
[pool]
file = "p.csv"
id = "case"
inputs = ["x", "y"]
standardise = "annotations"
repeat = true
[target]
kind = "real"
[model]
kernel = "matern52"
amplitude = 2
lengthscale = [1, 0.5]
mean = "annotations"
fit = "never"
optimiser = "adam"
restarts = 2
fit_noise = false
[noise]
variance = { column = "s2" }
[[level]]
name = "coarse"
value = 400000
noise_sd = 0.5
cost = { setup = 40, per = 12, units = 4 }
repeat = "same"
[[level]]
name = "fine"
cost = 200
exact = true
[acquisition]
information = "target"
graph = "b"
infinite = "limit"
approximation = "exact"
[annotator]
command = "./simulate --x {x}"
workers = 4
timeout = "30m"
retries = 1
on_fail = "retry"
max_failures = 10
failures = "wait"
[stop]
information_per_cost = 1e-4
predictive_sd = 0.02
wall_clock = "36h"
)");
  EXPECT_EQ(study.name, "wing");
  EXPECT_EQ(study.budget, 50.0);
  EXPECT_EQ(study.seed, 7U);
  EXPECT_EQ(study.pool_id, "case");
  EXPECT_EQ(study.inputs->size(), 2U);
  EXPECT_EQ(study.standardise, Standardise::annotations);
  EXPECT_TRUE(study.repeat);
  EXPECT_EQ(study.kernel, KernelFamily::matern52);
  EXPECT_EQ(study.lengthscale, (std::vector{1.0, 0.5}));
  EXPECT_TRUE(study.lengthscale_per_input);
  EXPECT_EQ(study.mean, std::nullopt);
  EXPECT_EQ(std::get<NoiseColumn>(study.noise).name, "s2");
  ASSERT_EQ(study.price_list.size(), 2U);
  EXPECT_EQ(study.price_list[0].cost, 88.0);
  EXPECT_EQ(noise_variance(study.price_list[0].channel), 0.25);
  EXPECT_TRUE(study.price_list[0].repeats_itself);
  EXPECT_EQ(std::get<std::int64_t>(study.price_list[0].value), 400000);
  EXPECT_TRUE(study.price_list[1].exact);
  EXPECT_EQ(std::get<std::string>(study.price_list[1].value), "fine");
  EXPECT_EQ(study.acquisition.kind, AcquisitionSetting::Kind::target);
  EXPECT_EQ(study.acquisition.target.graph, TargetGraph::b);
  EXPECT_EQ(study.acquisition.target.infinite, InfinitePolicy::limit);
  EXPECT_EQ(study.initial.count, 10);
  EXPECT_EQ(study.annotator.command, "./simulate --x {x}");
  EXPECT_EQ(study.annotator.kind, AnnotatorSetting::Kind::command);
  EXPECT_EQ(study.annotator.workers, 4);
  EXPECT_EQ(study.annotator.timeout, 1800.0);
  EXPECT_EQ(study.annotator.max_failures, 10);
  EXPECT_FALSE(study.annotator.learns_failures);
  EXPECT_EQ(study.stop.information_per_cost, 1e-4);
  EXPECT_EQ(study.stop.predictive_sd, 0.02);
  EXPECT_EQ(study.stop.wall_clock, 36 * 3600.0);
}

TEST(StudyFile, ReadsEveryKeyOfBiasesAndGoals) {
  const StudyFile study = read(R"(
[campaign]
initial = { fine = 2, coarse = 10, medium = 4, nested = true }
[pool]
file = "p.csv"
[[level]]
name = "draft"
noise_sd = 0.4
cost = 1
bias = { offset_sd = 0.3, smooth_sd = 0.2, lengthscale = 1.5 }
[[level]]
name = "coarse"
noise_sd = 0.5
cost = 2
bias = "learn"
[[level]]
name = "medium"
noise_sd = 0.2
cost = 4
repeat = "same"
bias = "none"
[[level]]
name = "fine"
noise_sd = 0.3
cost = 8
reference = true
[goal]
file = "wanted.csv"
criterion = "prediction"
points = 50
[acquisition]
information = "goal"
)");
  ASSERT_EQ(study.price_list.size(), 4U);
  EXPECT_EQ(study.price_list[0].bias,
            (LevelBias{.offset_sd = 0.3, .smooth_sd = 0.2, .lengthscale = 1.5, .declared = 0.0}));
  EXPECT_EQ(study.price_list[1].bias, LevelBias::assumed(0.5));
  EXPECT_EQ(study.price_list[2].bias, LevelBias());
  EXPECT_EQ(study.price_list[3].bias, LevelBias());
  EXPECT_EQ(bias_of(study.price_list[0].channel), 1);
  EXPECT_EQ(bias_of(study.price_list[1].channel), 2);
  EXPECT_EQ(bias_of(study.price_list[2].channel), 0);
  EXPECT_TRUE(study.has_bias() && study.learns_bias());
  EXPECT_EQ(study.acquisition.kind, AcquisitionSetting::Kind::goal);
  EXPECT_EQ(study.acquisition.criterion, GoalCriterion::prediction);
  ASSERT_TRUE(study.goal.has_value());
  EXPECT_EQ(study.goal->file.filename(), "wanted.csv");
  EXPECT_EQ(study.goal->points, 50);
  EXPECT_FALSE(study.goal->whole_pool());
  EXPECT_TRUE(study.initial.nested && study.initial.space_filling);
  const std::vector<std::pair<std::string, std::int64_t>> design{{"coarse", 10}, {"medium", 4}, {"fine", 2}};
  EXPECT_EQ(study.initial.per_level, design) << "in the order of the levels";
}

TEST(StudyFile, TimeoutsMayDifferFromLevelToLevel) {
  const std::string levels =
      "[pool]\nfile = \"p.csv\"\n[[level]]\nname = \"coarse\"\nnoise_sd = 1\ncost = 1\n"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 9\n";
  const StudyFile study = read(
      levels + "[annotator]\nsimulated = \"truth\"\ntimeout = { coarse = \"90s\", fine = \"1h 30m\" }\n");
  EXPECT_EQ(study.annotator.timeout_of_level.at("coarse"), 90.0);
  EXPECT_EQ(study.annotator.timeout_of_level.at("fine"), 5400.0);
  EXPECT_EQ(study.annotator.kind, AnnotatorSetting::Kind::truth);
  EXPECT_EQ(study.annotator.truth.filename(), "truth.csv");
  EXPECT_FALSE(complaint(levels + "[annotator]\ncommand = \"x\"\ntimeout = { corse = \"90s\" }\n").empty());
}

TEST(StudyFile, LaddersAreUniformInInverseAlphaOrInAlphaOrListed) {
  const auto rungs = [](const std::string& alpha) {
    std::vector<double> inverse;
    const StudyFile study = read(with(ladder_study(), "alpha", alpha));
    for (const Precision& rung : study.ladder->rungs) inverse.push_back(rung.inverse);
    return inverse;
  };
  EXPECT_EQ(rungs("{ from = 1, to = inf, count = 5 }"), (std::vector{1.0, 0.75, 0.5, 0.25, 0.0}));
  EXPECT_EQ(rungs("{ from = 2, to = inf, count = 3, spacing = \"inverse\" }"), (std::vector{0.5, 0.25, 0.0}));
  EXPECT_EQ(rungs("{ from = 1, to = 4, count = 4, spacing = \"linear\" }"),
            (std::vector{1.0, 1.0 / 2, 1.0 / 3, 0.25}));
  EXPECT_EQ(rungs("[1, 2.0, inf]"), (std::vector{1.0, 0.5, 0.0}));
  EXPECT_EQ(read(with(ladder_study(), "alpha", "[49, 99]")).ladder->rungs[0].alpha, 49.0)
      << "as written, to the last digit";
}

TEST(StudyFile, ComplaintsSayWhereWhatAndWhatIsRequired) {
  const std::string study = ladder_study();
  EXPECT_EQ(complaint(study + "[modle]\n"),
            ": key \"modle\" is not known, must be one of \"campaign\", \"pool\", \"target\", \"model\", "
            "\"noise\", "
            "\"precision\", \"level\", \"acquisition\", \"annotator\", \"stop\", \"goal\", \"input\", "
            "\"people\" or \"audit\" (nearest: \"model\")");
  EXPECT_NE(complaint(study + "[model]\nlengthscales = 2\n").find("(nearest: \"model.lengthscale\")"),
            std::string::npos);
  EXPECT_EQ(complaint(study + "[model]\namplitude = -1\n"),
            ": model.amplitude is -1, must be a finite number above 0");
  EXPECT_EQ(complaint(study + "[model]\nkernel = \"rbg\"\n"),
            ": model.kernel is \"rbg\", must be \"rbf\", \"matern32\" or \"matern52\"");
  EXPECT_EQ(complaint(with(study, "gamma", "nan")),
            ": precision.gamma is nan, must be a finite number above 0");
  EXPECT_EQ(complaint("x = = 3\n").substr(0, 3), ":1:");
  EXPECT_EQ(complaint("[pool]\nfile = \"p\"\n\nid = \n").substr(0, 3), ":4:");
}

TEST(StudyFile, RefusesWhatTheContractRefuses) {
  const std::string study = ladder_study();
  for (const char* addition : {"[campaign]\nbudget = -1\n",
                               "[campaign]\nseed = -1\n",
                               "[campaign]\nseed = 1.5\n",
                               "[campaign]\ninitial = -1\n",
                               "[campaign]\nname = 3\n",
                               "[target]\nkind = \"complex\"\n",
                               "[target]\nclasses = [\"a\", \"b\"]\n",
                               "[model]\nlengthscale = []\n",
                               "[model]\nlengthscale = [1, -1]\n",
                               "[model]\nlengthscale = 0\n",
                               "[model]\namplitude = inf\n",
                               "[model]\namplitude = 1e200\n",
                               "[model]\namplitude = 1e-200\n",
                               "[model]\nmean = \"average\"\n",
                               "[model]\nfit = 0\n",
                               "[model]\nrestarts = -1\n",
                               "[acquisition]\ninformation = \"entropy\"\n",
                               "[acquisition]\ngraph = \"a\"\n",
                               "[acquisition]\napproximation = \"taylor\"\n",
                               "[annotator]\ncomand = \"x\"\n",
                               "[annotator]\ncommand = \" \"\n",
                               "[annotator]\ncommand = \"x\"\nsimulated = \"sine\"\n",
                               "[annotator]\nsimulated = \"cosine\"\n",
                               "[annotator]\nsimulated = \"sine\"\ntruth = \"t.csv\"\n",
                               "[annotator]\nworkers = 0\n",
                               "[annotator]\ntimeout = 30\n",
                               "[annotator]\ntimeout = \"soon\"\n",
                               "[annotator]\ntimeout = \"0s\"\n",
                               "[annotator]\ntimeout = { coarse = \"1h\" }\n",
                               "[annotator]\nretries = -1\n",
                               "[annotator]\non_fail = \"ignore\"\n",
                               "[annotator]\nmax_failures = 0\n",
                               "[annotator]\nfailures = \"forget\"\n",
                               "[annotator]\nprotocol = \"telepathy\"\n",
                               "[campaign]\ninitial = { file = \"\" }\n",
                               "[stop]\nnever = true\n",
                               "[stop]\npredictive_sd = 0\n",
                               "[stop]\ninformation_per_cost = inf\n",
                               "[stop]\nwall_clock = \"36 hours\"\n",
                               "[[level]]\nname = \"a\"\nnoise_sd = 1\ncost = 1\n"})
    EXPECT_FALSE(complaint(study + addition).empty()) << addition;
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"alpha", "[0.5, 1]"},
           {"alpha", "[1, 1]"},
           {"alpha", "[]"},
           {"alpha", "{ from = 0, to = 2, count = 3 }"},
           {"alpha", "{ from = 3, to = 2, count = 3 }"},
           {"alpha", "{ from = 1, to = 2, count = 1 }"},
           {"alpha", "{ from = 1, to = inf, count = 3, spacing = \"linear\" }"},
           {"alpha", "{ from = 1, to = 2 }"},
           {"alpha", "{ from = 1, to = 2, count = 3, steps = 2 }"},
           {"alpha", "\"all\""},
           {"gamma", "-0.1"},
           {"gamma", "0"},
           {"cost", "{ form = \"cubic\" }"},
           {"cost", "{ form = \"power\", c = 9 }"},
           {"cost", "{ form = \"power\", c = 9, q = -1 }"},
           {"cost", "{ form = \"linear\", b = 1 }"},
           {"cost", "-2"},
           {"cost", "0"},
           {"cost", "true"},
           {"variance", "-0.1"},
           {"variance", "inf"},
           {"variance", "{ columm = \"s\" }"},
           {"variance", "true"},
           {"file", "3"}})
    EXPECT_FALSE(complaint(with(study, key, value)).empty()) << key << " = " << value;
}

TEST(StudyFile, RefusesPriceListsThatAreNone) {
  const auto list = [](const std::string& levels) { return "[pool]\nfile = \"pool.csv\"\n" + levels; };
  const std::string good = "[[level]]\nname = \"a\"\nnoise_sd = 1\ncost = 1\n";
  EXPECT_EQ(complaint(list(good)), "");
  EXPECT_NE(complaint(list(good + good)).find("level 2.name is \"a\", must be unique"), std::string::npos);
  for (const char* level :
       {"[[level]]\nnoise_sd = 1\ncost = 1\n", "[[level]]\nname = \"a\"\ncost = 1\n",
        "[[level]]\nname = \"a\"\nnoise_sd = 1\n", "[[level]]\nname = \"a\"\nnoise_sd = -1\ncost = 1\n",
        "[[level]]\nname = \"a\"\nnoise_sd = 1\ncost = 0\n",
        "[[level]]\nname = \"a\"\nnoise_sd = 1e200\ncost = 1\n",
        "[[level]]\nname = \"a\"\nnoise_sd = 1e-200\ncost = 1\n",
        "[[level]]\nname = \"a\"\nnoise_sd = 1\ncost = -2\n",
        "[[level]]\nname = \"a\"\nnoise_sd = 1\ncost = inf\n",
        "[[level]]\nname = \"a\"\nnoise_sd = 1\ncost = { per = 0, units = 3 }\n",
        "[[level]]\nname = \"a\"\nnoise_sd = 1\ncost = 1\naccuracy = 0.9\n",
        "[[level]]\nname = \"a\"\nnoise_sd = 1\ncost = 1\nexact = true\n",
        "[[level]]\nname = \"a\"\nnoise_sd = 1\ncost = 1\nrepeat = \"never\"\n",
        "[level]\nname = \"a\"\nnoise_sd = 1\ncost = 1\n", ""})
    EXPECT_FALSE(complaint(list(level)).empty()) << level;
}

TEST(StudyFile, KeysOfTheOtherKindAreNamedAsSuch) {
  EXPECT_EQ(complaint(ladder_study() + "kappa = 0.8\n"),
            ": precision.kappa is for binary targets, target.kind is \"real\"");
  EXPECT_EQ(complaint("[target]\nkind = \"binary\"\n" + ladder_study()),
            ": noise is for real targets, target.kind is \"binary\"");
  EXPECT_EQ(complaint("[target]\nkind = \"binary\"\n[[level]]\nnoise_sd = 1\n"),
            ": level 1.noise_sd is for real targets, target.kind is \"binary\"");
  EXPECT_EQ(complaint("[target]\nkind = \"binary\"\n[[level]]\nexact = true\n"),
            ": level 1.exact is for real targets, target.kind is \"binary\"");
  EXPECT_EQ(complaint("[[level]]\naccuracy = 0.9\n"),
            ": level 1.accuracy is for binary targets, target.kind is \"real\"");
  EXPECT_EQ(complaint("[target]\nclasses = [\"a\", \"b\"]\n"),
            ": target.classes is for binary targets, target.kind is \"real\"");
}

TEST(StudyFile, BinaryStudiesHaveTheirOwnPrecisions) {
  const std::string ladder =
      "[pool]\nfile = \"p\"\n[target]\nkind = \"binary\"\nclasses = [\"no\", \"yes\"]\n"
      "[precision]\nalpha = { from = 0, to = 1, count = 3 }\ngamma = 0.2\nkappa = 0.8\ncost = { form = "
      "\"linear\", b = 0.1, c = 0.9 }\n";
  const StudyFile study = read(ladder);
  EXPECT_TRUE(study.binary());
  EXPECT_EQ(study.target->class_names()[1], "yes");
  EXPECT_EQ(study.ladder->rungs[1].alpha, 0.5);
  EXPECT_EQ(study.ladder->law.kappa, 0.8);
  EXPECT_EQ(study.acquisition.target.graph, TargetGraph::b);
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"kappa", "0.4"},
           {"kappa", "0.9"},
           {"kappa", "1.1"},
           {"gamma", "-1"},
           {"alpha", "[0, 2]"},
           {"alpha", "[-0.5]"},
           {"alpha", "{ from = 0, to = 1, count = 3, spacing = \"inverse\" }"},
           {"classes", "[\"a\"]"},
           {"classes", "[\"a\", \"a\"]"},
           {"classes", "[\"a\", \"b\", \"c\"]"}})
    EXPECT_NE(complaint(with(ladder, key, value)), "") << key << " = " << value;
  EXPECT_NE(complaint(ladder + "[model]\nmean = 1.0\n").find("must be 0 for binary"), std::string::npos);
  EXPECT_TRUE(read(ladder + "[model]\nfit_noise = true\n").fit.noise);
  EXPECT_EQ(
      complaint(ladder + "[model]\nfit_noise = true\noptimiser = \"adam\"\n"),
      ": model.fit_noise is true, must be false for binary targets with optimiser \"adam\": kappa and gamma "
      "have bounds, which the paper's rule does not know");
  const std::string list =
      "[pool]\nfile = \"p\"\n[target]\nkind = \"binary\"\n[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost "
      "= 1\n";
  EXPECT_EQ(std::get<FlipChannel>(read(list).price_list[0].channel).accuracy(), 0.8);
  EXPECT_NE(complaint(with(list, "accuracy", "0.4")), "");
  EXPECT_NE(complaint(with(list, "accuracy", "1.5")), "");
  EXPECT_EQ(
      complaint(list + "[model]\nfit_noise = true\n"),
      ": model.fit_noise is true, must be false for binary targets with [[level]]: accuracies are as given, "
      "there is no kappa and no gamma to learn");
}

TEST(StudyFile, FitSchedulesAreNeverEveryOrANumber) {
  const auto every = [](const std::string& fit) {
    return read(ladder_study() + "[model]\nfit = " + fit + "\n").fit.every;
  };
  EXPECT_EQ(every("\"never\"\namplitude = 1\nlengthscale = 1"), 0);
  EXPECT_EQ(every("\"every\""), 1);
  EXPECT_EQ(every("5"), 5);
  const StudyFile study =
      read(ladder_study() + "[model]\noptimiser = \"adam\"\nrestarts = 7\nfit_noise = true\n");
  EXPECT_EQ(study.fit.optimiser, Optimiser::adam);
  EXPECT_EQ(study.fit.restarts, 7);
  EXPECT_TRUE(study.fit.noise);
}

TEST(StudyFile, AContinuousLadderHasTwoEndsAndNothingBetween) {
  const StudyFile study = read(with(ladder_study(), "alpha", "{ from = 1, to = inf, continuous = true }"));
  EXPECT_TRUE(study.ladder->continuous);
  ASSERT_EQ(study.ladder->rungs.size(), 2U);
  EXPECT_EQ(study.ladder->rungs[1].inverse, 0.0);
  EXPECT_FALSE(read(ladder_study()).ladder->continuous);
  EXPECT_NE(complaint(with(ladder_study(), "alpha", "{ from = 1, to = inf, continuous = true, count = 3 }")),
            "");
}

}  // namespace
}  // namespace acuity::study_file_test
