// The keys of [[level]] about bias, and [goal].
#include <gtest/gtest.h>

#include <fstream>

#include "acuity/base/errors.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/study/study_learner.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::level_settings_test {
namespace {

using Kind = AcquisitionSetting::Kind;
using testing::Folder;
using testing::ladder_study;
using testing::price_list_study;

// Levels from vague to sharp with these keys each.
std::string levels(const std::vector<std::string>& keys) {
  std::string text;
  double sd = 0.5, cost = 1.0;
  for (const std::string& key : keys) {
    text += "[[level]]\nname = \"" + std::string(1, static_cast<char>('a' + text.size() % 7)) +
            std::to_string(cost) + "\"\nnoise_sd = " + std::to_string(sd) +
            "\ncost = " + std::to_string(cost) + "\n" + key + "\n";
    sd /= 2.0, cost *= 4.0;
  }
  return text;
}

const std::string same = "repeat = \"same\"";
const std::string learn = "bias = \"learn\"";

// "learn", "none" or "given", one per level.
std::vector<std::string> biases(const StudyFile& study) {
  std::vector<std::string> found;
  for (const Level& level : study.price_list)
    found.emplace_back(level.bias.learned() ? "learn" : level.bias.any() ? "given" : "none");
  return found;
}

std::string complaint(const std::string& text) {
  try {
    read_study_text(text);
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

using Words = std::vector<std::string>;

TEST(LevelSettings, LevelsThatRepeatThemselvesHaveABiasExceptTheReference) {
  EXPECT_EQ(biases(read_study_text(levels({same, same, same}))), (Words{"learn", "learn", "none"}));
  EXPECT_EQ(biases(read_study_text(levels({same, "", ""}))), (Words{"learn", "none", "none"}));
  EXPECT_EQ(biases(read_study_text(levels({"", "", ""}))), (Words{"none", "none", "none"}));
  EXPECT_EQ(biases(read_study_text(levels({same + "\nbias = \"none\"", same, same}))),
            (Words{"none", "learn", "none"}));
  EXPECT_EQ(biases(read_study_text(levels({same, same + "\nreference = true", same}))),
            (Words{"learn", "none", "learn"}));
  EXPECT_EQ(biases(read_study_text(levels({learn, "", ""}))), (Words{"learn", "none", "none"}));
  EXPECT_EQ(biases(read_study_text(levels({"", "", learn}))), (Words{"none", "none", "learn"}))
      << "the reference is the level of least noise that states no bias";
  EXPECT_EQ(biases(read_study_text(levels({"bias = { offset_sd = 0.2 }", "", ""}))),
            (Words{"given", "none", "none"}));
  EXPECT_EQ(biases(read_study_text(levels({"bias = { offset_sd = 0 }", ""}))), (Words{"none", "none"}));
}

TEST(LevelSettings, OfTwoLevelsOfLeastNoiseTheReferenceIsTheDearerOne) {
  const std::string text =
      "[[level]]\nname = \"a\"\nnoise_sd = 0.1\ncost = 9\nrepeat = \"same\"\n"
      "[[level]]\nname = \"b\"\nnoise_sd = 0.1\ncost = 2\nrepeat = \"same\"\n";
  EXPECT_EQ(biases(read_study_text(text)), (Words{"none", "learn"}));
}

TEST(LevelSettings, NoBiasIsImpliedWithoutAnErrorOrWithThePapersRule) {
  const std::string exact =
      "[[level]]\nname = \"a\"\nexact = true\ncost = 2\nrepeat = \"same\"\n"
      "[[level]]\nname = \"b\"\nexact = true\ncost = 9\nrepeat = \"same\"\n";
  EXPECT_EQ(biases(read_study_text(exact)), (Words{"none", "none"}));
  const std::string adam = "[model]\noptimiser = \"adam\"\n";
  const StudyFile plain = read_study_text(adam + levels({same, same}));
  EXPECT_EQ(biases(plain), (Words{"none", "none"}));
  EXPECT_EQ(plain.acquisition.kind, Kind::model);
  EXPECT_EQ(complaint(adam + levels({learn, same})),
            "model.optimiser is \"adam\", must be \"lbfgs\" where the bias of a level is learned");
  EXPECT_EQ(complaint(adam + levels({"bias = { offset_sd = 1 }", same})), "");
}

TEST(LevelSettings, ABiasThatIsLearnedBeginsWithTheDeclaredError) {
  const Level coarse = read_study_text(levels({same, same})).price_list[0];
  EXPECT_EQ(coarse.bias.offset_sd, 1.0);
  EXPECT_EQ(coarse.bias.smooth_sd, 0.5);
  EXPECT_EQ(coarse.bias.declared, 0.5);
  EXPECT_EQ(noise_variance(coarse.channel), 0.25);
  const Study study = Study::make(read_study_text(levels({same, same})), Pool(Points::Random(5, 1), {"x"}));
  const StudyModel model = StudyLearner(study).model_given(std::vector<Annotation>());
  EXPECT_NEAR(noise_variance(model.offer.levels[0].channel), 0.25 * LevelBias::assumed_white_share, 1e-15);
  EXPECT_EQ(noise_variance(model.offer.levels[1].channel), 0.0625) << "the reference has no other error";
  EXPECT_EQ(model.prior.biases.size(), 2U);
}

TEST(LevelSettings, ComplaintsAboutABias) {
  const std::string required = "must be \"learn\", \"none\" or { offset_sd = ..., smooth_sd = ... }";
  EXPECT_EQ(complaint(levels({"bias = \"some\"", ""})), "level 1.bias is \"some\", " + required);
  EXPECT_EQ(complaint(levels({"bias = 3", ""})), "level 1.bias is 3, " + required);
  EXPECT_EQ(complaint(levels({"bias = { offset = 1 }", ""})),
            "key \"level 1.bias.offset\" is not known, must be one of \"offset_sd\", \"smooth_sd\" or "
            "\"lengthscale\" (nearest: \"level 1.bias.offset_sd\")");
  EXPECT_EQ(complaint(levels({"bias = { offset_sd = -1 }", ""})),
            "level 1.bias.offset_sd is -1, must be a finite number, 0 or more");
  EXPECT_EQ(complaint(levels({"bias = { lengthscale = 0 }", ""})),
            "level 1.bias.lengthscale is 0, must be a finite number above 0");
  EXPECT_NE(complaint(levels({"bias = { smooth_sd = 1e200 }", ""})).find("must be numbers whose squares are"),
            std::string::npos);
  EXPECT_EQ(
      complaint("[[level]]\nname = \"a\"\nexact = true\ncost = 1\nbias = \"learn\"\n" + levels({""})),
      "level 1.bias is \"learn\", must be given as { offset_sd = ..., smooth_sd = ... } where noise_sd is "
      "0: noise_sd is the size of the error that is learned");
}

TEST(LevelSettings, ComplaintsAboutTheReference) {
  EXPECT_EQ(complaint(levels({"reference = true", "reference = true"})),
            "level 2.reference is true, must be true at one level at most");
  EXPECT_EQ(
      complaint(levels({learn + "\nreference = true", ""})),
      "level 1.bias is \"learn\", must be \"none\" at the reference level, which all others differ from");
  EXPECT_EQ(complaint(levels({learn, learn})),
            "every level has a bias, must be one without: the reference that they differ from");
  EXPECT_EQ(complaint(levels({"reference = 1", ""})), "level 1.reference is 1, must be true or false");
}

// "noise", "difference", "any" or "learn", one per level.
std::vector<std::string> relations(const std::string& text) {
  static const char* const names[] = {"noise", "difference", "any", "learn"};
  std::vector<std::string> found;
  for (const Level& level : read_study_text(text).price_list)
    found.emplace_back(names[static_cast<int>(level.relation)]);
  return found;
}

TEST(LevelSettings, LevelsWithABiasHaveOneRelation) {
  const std::string any = "relation = \"any\"", difference = "relation = \"difference\"",
                    none = "relation = \"noise\"";
  EXPECT_EQ(relations(levels({same, same, same})), (Words{"learn", "learn", "noise"}));
  EXPECT_EQ(relations(levels({learn, "", ""})), (Words{"learn", "noise", "noise"}));
  EXPECT_EQ(relations(levels({"bias = { offset_sd = 1 }", ""})), (Words{"learn", "noise"}));
  EXPECT_EQ(relations(levels({"", "", ""})), (Words{"noise", "noise", "noise"}));
  EXPECT_EQ(relations(levels({same + "\n" + any, same, same})), (Words{"any", "any", "noise"}));
  EXPECT_EQ(relations(levels({same + "\n" + difference, same, same})),
            (Words{"difference", "difference", "noise"}));
  EXPECT_EQ(relations(levels({same + "\n" + none, same, same})), (Words{"noise", "learn", "noise"}));
  // Who states a relation states that there is a bias.
  EXPECT_EQ(biases(read_study_text(levels({any, "", ""}))), (Words{"learn", "none", "none"}));
  EXPECT_EQ(relations(levels({any, "", ""})), (Words{"any", "noise", "noise"}));
}

TEST(LevelSettings, ComplaintsAboutTheRelation) {
  const std::string any = "relation = \"any\"", difference = "relation = \"difference\"",
                    none = "relation = \"noise\"";
  EXPECT_NE(complaint(levels({"relation = \"some\"", ""})).find("level 1.relation is \"some\", must be"),
            std::string::npos);
  EXPECT_EQ(complaint(levels({any, difference, ""})),
            "level 2.relation is \"difference\", must be the same at all levels that have one, apart from "
            "\"noise\"");
  EXPECT_EQ(complaint(levels({any, any + "\nreference = true"})),
            "level 2.relation is \"any\", must be left out at the reference level, to which the others are "
            "related");
  EXPECT_EQ(complaint(levels({learn + "\n" + none, ""})),
            "level 1.bias is \"learn\", must be \"none\" where relation = \"noise\"");
  EXPECT_EQ(complaint(levels({"bias = \"none\"\n" + any, ""})),
            "level 1.relation is \"any\", must be \"noise\" at a level without a bias");
  EXPECT_NE(complaint("[[level]]\nname = \"a\"\nexact = true\ncost = 1\n" + any + "\n" + levels({""}))
                .find("noise_sd above 0: it is how far the level is from the reference"),
            std::string::npos);
  const std::string never = "[model]\nfit = \"never\"\namplitude = 1\nlengthscale = 1\n";
  const auto made = [&](const std::string& text) {
    return Study::make(read_study_text(text + never), Pool(Points::Random(5, 1), {"x"}));
  };
  EXPECT_THROW(made(levels({any, ""})), InputError);
  EXPECT_NO_THROW(made(levels({same, ""})));
  EXPECT_EQ(complaint("[target]\nkind = \"binary\"\n[[level]]\nname = \"a\"\naccuracy = 0.9\ncost = 1\n" +
                      any + "\n"),
            "level 1.relation is for real targets, target.kind is \"binary\"");
}

TEST(LevelSettings, ClassesHaveNeitherBiasNorReference) {
  const std::string binary =
      "[target]\nkind = \"binary\"\n[[level]]\nname = \"a\"\naccuracy = 0.9\ncost = 1\n";
  EXPECT_EQ(complaint(binary), "");
  EXPECT_EQ(complaint(binary + "repeat = \"same\"\n"), "");
  EXPECT_EQ(complaint(binary + "bias = \"learn\"\n"),
            "level 1.bias is for real targets, target.kind is \"binary\"");
  EXPECT_EQ(complaint(binary + "reference = true\n"),
            "level 1.reference is for real targets, target.kind is \"binary\"");
}

TEST(LevelSettings, BiasOrGoalMakeTheGoalTheDefaultInformation) {
  // Where nothing is learned; elsewhere it is the default anyway (default_choice_test).
  const std::string never = "[model]\nfit = \"never\"\namplitude = 1\nlengthscale = 1\n";
  EXPECT_EQ(read_study_text(levels({"", ""}) + never).acquisition.kind, Kind::model);
  EXPECT_EQ(read_study_text(levels({same, ""}) + never).acquisition.kind, Kind::goal);
  EXPECT_EQ(read_study_text(levels({"", ""}) + "[goal]\n" + never).acquisition.kind, Kind::goal);
  const auto with = [](const std::string& information) {
    return levels({same, ""}) + "[acquisition]\ninformation = \"" + information + "\"\n";
  };
  EXPECT_EQ(read_study_text(with("model")).acquisition.kind, Kind::model);
  EXPECT_EQ(read_study_text(with("bald")).acquisition.kind, Kind::bald);
  EXPECT_EQ(
      complaint(with("target")),
      "acquisition.information is \"target\", must be \"goal\", \"model\", \"bald\" or \"random\" where a "
      "level has a bias (one with repeat = \"same\" does unless it says bias = \"none\")");
  EXPECT_EQ(read_study_text(levels({"", ""}) + "[goal]\n").acquisition.criterion, GoalCriterion::variance);
}

TEST(GoalSettings, ComplaintsSayWhatIsRequired) {
  const auto goal = [](const std::string& keys) {
    return complaint(levels({"", ""}) + "[goal]\n" + keys + "\n");
  };
  EXPECT_EQ(goal("file = \"w.csv\"\nbox = { x = [0, 1] }"),
            "goal.file and goal.box are both there, must be one of them");
  EXPECT_EQ(goal("file = \"\""), "goal.file is \"\", must be text that is not empty");
  EXPECT_EQ(goal("box = 3"), "goal.box is 3, must be a table such as { x = [0, 2] }");
  EXPECT_NE(goal("box = {}").find("must be a table with at least one input"), std::string::npos);
  const std::string limits = "must be a list of two numbers, the lower limit first";
  for (const char* box : {"box = { x = [1, 0] }", "box = { x = [0] }", "box = { x = [0, 1, 2] }"})
    EXPECT_NE(goal(box).find("goal.box.x is ["), std::string::npos) << box;
  EXPECT_NE(goal("box = { x = [1, 0] }").find(limits), std::string::npos);
  EXPECT_NE(goal("box = { x = 3 }"), "");
  EXPECT_NE(goal("box = { x = [0, inf] }"), "");
  EXPECT_EQ(goal("points = 0"), "goal.points is 0, must be a whole number, 1 or more");
  EXPECT_EQ(goal("points = 100001"), "goal.points is 100001, must be 100000 at most");
  EXPECT_EQ(goal("criterion = \"both\""),
            "goal.criterion is \"both\", must be \"variance\" or \"prediction\"");
  EXPECT_EQ(goal("weights = [1]"),
            "key \"goal.weights\" is not known, must be one of \"file\", \"box\", \"criterion\", \"points\", "
            "\"contour\", "
            "\"find\" or \"explore\" (nearest: \"goal.points\")");
}

// A study with the points 0 to 3 that reads its goal from a folder.
struct Desk {
  std::string complaint_of(const std::string& study, const std::string& wanted) const {
    folder.write("wanted.csv", wanted);
    try {
      open(study);
    } catch (const InputError& error) {
      const std::string message = error.what(), prefix = folder.path().string() + "/";
      return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
    }
    return "";
  }
  Study open(const std::string& study) const { return Study::open(folder.write("study.toml", study)); }

  Folder folder;
  std::filesystem::path pool = folder.write("pool.csv", "x,s2\n0,0.1\n1,0.2\n2,0.3\n3,0.4\n");
};

const std::string by_file = "[pool]\nfile = \"pool.csv\"\ninputs = [\"x\"]\n[goal]\nfile = \"wanted.csv\"\n";

TEST(GoalSettings, APointOfTheTableHasItsWeight) {
  const Desk desk;
  desk.folder.write("wanted.csv", "name,x,weight\na,0.5,1\nb,7,3\n");
  const Study study = desk.open(by_file + levels({"", ""}));
  ASSERT_NE(study.goal(), nullptr);
  EXPECT_EQ(study.goal()->points, (Points(2, 1) << 0.5, 7.0).finished());
  EXPECT_EQ(study.goal()->weights, (Vector(2) << 0.25, 0.75).finished());
  EXPECT_EQ(study.goal()->noise, Vector::Zero(2)) << "which the criterion does not use";
}

TEST(GoalSettings, ComplaintsAboutTheTable) {
  const Desk desk;
  const std::string study = by_file + levels({"", ""});
  EXPECT_EQ(desk.complaint_of(study, "x\n"), "wanted.csv: has no rows, must have at least one");
  EXPECT_EQ(desk.complaint_of(study, "x,weight\n1,-1\n"),
            "wanted.csv:2: column \"weight\" is \"-1\", must be 0 or more");
  EXPECT_EQ(desk.complaint_of(study, "x,weight\n1,0\n2,0\n"),
            "wanted.csv: the weights add up to 0, must be finite and above 0");
  EXPECT_NE(desk.complaint_of(study, "y\n1\n"), "");
  EXPECT_NE(
      desk.complaint_of("[pool]\nfile = \"pool.csv\"\n[goal]\nfile = \"none.csv\"\n" + levels({""}), ""), "");
}

TEST(GoalSettings, ABoxHasPointsBetweenItsLimits) {
  const Desk desk;
  const std::string box = "[pool]\nfile = \"pool.csv\"\n[goal]\nbox = { x = [2, 2.5] }\npoints = 40\n";
  const Study study = desk.open(box + levels({"", ""}));
  ASSERT_EQ(study.goal()->size(), 40);
  EXPECT_GE(study.goal()->points.col(0).minCoeff(), 2.0);
  EXPECT_LE(study.goal()->points.col(0).maxCoeff(), 2.5);
  EXPECT_GT(study.goal()->points.col(1).maxCoeff(), 0.3) << "an input left out has the limits of the pool";
  EXPECT_EQ(study.goal()->points, desk.open(box + levels({"", ""})).goal()->points) << "drawn by the seed";
  EXPECT_EQ(
      desk.complaint_of("[pool]\nfile = \"pool.csv\"\n[goal]\nbox = { z = [0, 1] }\n" + levels({""}), ""),
      "study.toml: goal.box has \"z\", must have inputs only: \"x\" or \"s2\"");
}

TEST(GoalSettings, WithoutPointsItIsThePoolAndLargeOnesAreDrawn) {
  const Desk desk;
  const std::string pool = "[pool]\nfile = \"pool.csv\"\n";
  EXPECT_EQ(desk.open(pool + levels({"", ""}) + "[acquisition]\ninformation = \"model\"\n").goal(), nullptr);
  EXPECT_EQ(desk.open(pool + levels({same, ""})).goal()->points,
            Points(desk.open(pool + levels({""})).pool().points()));
  const Study some = desk.open(pool + "[goal]\npoints = 2\n" + levels({""}));
  EXPECT_EQ(some.goal()->size(), 2);
  EXPECT_NEAR(some.goal()->weights.sum(), 1.0, 1e-15);
}

TEST(GoalSettings, PredictionsNeedTheNoiseOfAnswersThere) {
  const Desk desk;
  const std::string predicted = by_file + "criterion = \"prediction\"\n" + levels({"", ""});
  const std::string column = predicted + "[noise]\nvariance = { column = \"s2\" }\n";
  EXPECT_EQ(
      desk.complaint_of(column, "x\n1\n"),
      "study.toml: goal.criterion is \"prediction\" and noise.variance a column that the goal does not have, "
      "must be \"variance\" or the column be added");
  EXPECT_EQ(desk.complaint_of(column, "x,s2\n1,0.5\n"), "");
  EXPECT_EQ(desk.open(column).goal()->noise(0), 0.5);
  EXPECT_EQ(desk.open(predicted + "[noise]\nvariance = \"0.1 + x\"\n").goal()->noise(0), 1.1);
}

TEST(GoalSettings, AGoalFromValuesIsCheckedAndHasTheNoiseOfTheStudy) {
  const StudyFile settings = read_study_text(
      levels({"", ""}) + "[goal]\ncriterion = \"prediction\"\n[noise]\nvariance = \"0.1 + x\"\n");
  const auto made = [&](const Goal& goal) {
    return Study::make(settings, Pool(Points::Ones(3, 1), {"x"}), {}, std::make_shared<const Goal>(goal));
  };
  const auto complaint_about = [&](const Goal& goal) -> std::string {
    try {
      made(goal);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const Study study = made({Points::Constant(2, 1, 0.4), Vector(), Vector()});
  EXPECT_EQ(study.goal()->weights, Vector::Constant(2, 0.5));
  EXPECT_EQ(study.goal()->noise, Vector::Constant(2, 0.5));
  EXPECT_EQ(study.given_goal()->size(), 2);
  EXPECT_EQ(complaint_about({Points::Ones(2, 2), Vector(), Vector()}),
            "the goal has 2 points with 2 inputs, must have at least one with 1");
  EXPECT_EQ(complaint_about({Points(0, 1), Vector(), Vector()}),
            "the goal has 0 points with 1 inputs, must have at least one with 1");
  EXPECT_EQ(complaint_about({Points::Constant(1, 1, std::nan("")), Vector(), Vector()}),
            "the goal has numbers that are not finite, must have none");
  EXPECT_EQ(complaint_about({Points::Ones(2, 1), Vector::Ones(3), Vector()}),
            "the goal has 3 weights and 2 points, must have as many of each");
  for (const double weight : {0.0, -1.0, std::nan("")})
    EXPECT_EQ(complaint_about({Points::Ones(2, 1), Vector::Constant(2, weight), Vector()}),
              "the weights of the goal must be 0 or more, with a sum that is finite and above 0");
}

TEST(LevelSettings, ALevelThatIsNeverBoughtNeedsNoPrice) {
  const std::string run = "[[level]]\nname = \"run\"\nexact = true\ncost = 2\n",
                    old = "[[level]]\nname = \"old\"\nnoise_sd = 0.3\nbias = \"learn\"\n";
  const StudyFile study = read_study_text(run + old + "retired = true\n");
  EXPECT_EQ(biases(study), (Words{"none", "learn"}));
  EXPECT_TRUE(study.price_list[0].is_reference);
  EXPECT_EQ(complaint(run + old), "level 2.cost is missing, must be a finite number above 0");
}

// Three meshes of sizes 0.4, 0.2 and 0.1, or with other lines.
std::string meshes(const std::string& coarse = "h = 0.4", const std::string& fine = "h = 0.1") {
  return levels({coarse, "h = 0.2", fine});
}

TEST(LevelSettings, MeshesHaveMultiplesOfOneError) {
  const StudyFile study = read_study_text(meshes());
  EXPECT_EQ(biases(study), (Words{"learn", "learn", "none"})) << "the finest is the reference";
  EXPECT_TRUE(study.has_meshes());
  EXPECT_FALSE(study.limit_is_reference());
  const LevelBias &coarse = study.price_list[0].bias, &medium = study.price_list[1].bias;
  EXPECT_DOUBLE_EQ(coarse.mesh, 1.0);
  EXPECT_DOUBLE_EQ(medium.mesh, 0.5);
  EXPECT_DOUBLE_EQ(medium.mesh_of_reference, 0.25);
  EXPECT_DOUBLE_EQ(coarse.smooth_sd, 0.5) << "noise_sd of the coarsest";
  EXPECT_DOUBLE_EQ(medium.smooth_sd, 0.5 * (0.25 - 0.0625) / (1.0 - 0.0625));
  const StudyFile limit = read_study_text(meshes("h = 0.4", "h = 0.1\nreference = \"limit\""));
  EXPECT_EQ(biases(limit), (Words{"learn", "learn", "learn"}));
  EXPECT_TRUE(limit.limit_is_reference());
  EXPECT_DOUBLE_EQ(limit.price_list[2].bias.smooth_sd, 0.5 * 0.0625);
}

TEST(LevelSettings, MeshesThatCannotBeUsedAreRefused) {
  EXPECT_EQ(complaint(levels({"h = 0.4", "", "h = 0.1"})),
            "level 1.h is given, must come with h at 3 levels or more: 2 have one");
  EXPECT_EQ(complaint(levels({"", "", "reference = \"limit\""})),
            "level 3.reference is \"limit\", must come with h at 3 levels or more: 0 have one");
  EXPECT_NE(complaint(meshes("h = 0.2")).find("must be another number than at the other levels"),
            std::string::npos);
  EXPECT_NE(complaint(meshes("h = 0.4\nreference = true")).find("must be a finer one"), std::string::npos);
  EXPECT_NE(complaint(meshes("h = 0.4\nbias = \"none\"")).find("left out at a level with h"),
            std::string::npos);
  EXPECT_NE(complaint(meshes("h = 0.4\nreference = \"limit\"", "h = 0.1\nreference = true"))
                .find("given at one level at most"),
            std::string::npos);
  EXPECT_NE(complaint(meshes("h = 0.4", "h = 0.1\nreference = \"finest\"")).find("\"limit\""),
            std::string::npos);
  EXPECT_NE(
      complaint(levels({"h = 0.4", "h = 0.2", "h = 0.1", "reference = true"})).find("must be a mesh size"),
      std::string::npos);
}

TEST(LevelSettings, InitialDesignsByLevel) {
  const auto initial = [](const std::string& table) {
    return complaint("[campaign]\ninitial = { " + table + " }\n" + price_list_study().substr(24));
  };
  EXPECT_EQ(initial("fine = 2, coarse = 5, nested = true"), "");
  EXPECT_EQ(initial("fine = 0"), "campaign.initial has no level with points, must have one");
  EXPECT_NE(initial("fine = 2, rough = 3").find("key \"campaign.initial.rough\" is not known"),
            std::string::npos);
  EXPECT_NE(initial("fine = -1"), "");
}

}  // namespace
}  // namespace acuity::level_settings_test
