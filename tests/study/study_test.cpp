#include "acuity/study/study.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "acuity/base/errors.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::study_test {
namespace {

using testing::Folder;
using testing::ladder_study;
using testing::price_list_study;
using testing::with;

struct Desk {
  Folder folder;

  Study open(const std::string& study, const std::string& pool) const {
    folder.write("pool.csv", pool);
    return Study::open(folder.write("study.toml", testing::with_given_model(study)));
  }
  std::string complaint(const std::string& study, const std::string& pool) const {
    try {
      open(study, pool);
    } catch (const InputError& error) {
      std::string message = error.what();
      const std::string prefix = folder.path().string() + "/";
      EXPECT_TRUE(message.starts_with(prefix)) << message;
      for (std::size_t at = 0; (at = message.find(prefix)) != std::string::npos;)
        message.erase(at, prefix.size());
      return message;
    }
    return "";
  }
};

TEST(Study, ResolvesNoiseLevelsAndCosts) {
  const Desk desk;
  const Study study = desk.open(ladder_study(), "x\n0\n5\n");
  EXPECT_NEAR(study.offer().base_noise(0), 0.01, 1e-17);
  EXPECT_NEAR(study.offer().base_noise(1), 0.02, 1e-17);
  ASSERT_EQ(study.offer().levels.size(), 5U);
  EXPECT_EQ(study.offer().levels[0].alpha, 1.0);
  EXPECT_NEAR(study.offer().levels[0].cost, std::pow(10.0, -0.8), 1e-15);
  EXPECT_TRUE(std::isinf(*study.offer().levels[4].alpha));
  EXPECT_EQ(study.offer().levels[4].cost, 1.0);
  EXPECT_NEAR(noise_variance(study.offer().channel(1, 0)), 0.11, 1e-16);
}

TEST(Study, InputsAreEveryNumericColumnButTheId) {
  const Desk desk;
  const std::string study = with(ladder_study(), "file", "\"pool.csv\"\nid = \"case\"");
  const Study opened = desk.open(study, "case,x,note,z\n10,1,wet,2\n11,3,dry,4\n");
  EXPECT_EQ(opened.pool().inputs(), (std::vector<std::string>{"x", "z"}));
  EXPECT_EQ(opened.pool().id(1), "11");
  EXPECT_EQ(opened.pool().points()(1, 1), 4.0);
}

TEST(Study, OneBadCellIsNotSilentlyAMissingInput) {
  const Desk desk;
  EXPECT_EQ(desk.complaint(ladder_study(), "x,z\n1,2\n2,oops\n3,4\n"),
            "pool.csv:3: column \"z\" is \"oops\", must be a finite number");
  EXPECT_EQ(desk.complaint(ladder_study(), "x\nnan\n1\n2\n"),
            "pool.csv:2: column \"x\" is \"nan\", must be a finite number");
}

TEST(Study, NoiseMayComeFromAColumn) {
  const Desk desk;
  const std::string study =
      with(with(ladder_study(), "variance", "{ column = \"s2\" }"), "file", "\"pool.csv\"\ninputs = [\"x\"]");
  EXPECT_EQ(desk.open(study, "x,s2\n1,0.5\n2,0.25\n").offer().base_noise(1), 0.25);
  EXPECT_EQ(desk.complaint(study, "x,s2\n1,0.5\n2,-1\n"),
            "pool.csv:3: column \"s2\" is \"-1\", must be 0 or more");
  EXPECT_EQ(desk.complaint(study, "x\n1\n"),
            "pool.csv:1: column \"s2\" is missing, must be there for noise.variance; the header has \"x\"");
  const std::string unlisted = with(ladder_study(), "variance", "{ column = \"s2\" }");
  EXPECT_EQ(desk.open(unlisted, "x,s2\n1,0.5\n").remarks().size(), 1U) << "the noise column became an input";
}

TEST(Study, AFormulaThatGoesWrongNamesKeyFileAndLine) {
  const Desk desk;
  EXPECT_EQ(desk.complaint(with(ladder_study(), "variance", "\"x - 1\""), "x\n2\n0.5\n"),
            "pool.csv:3: noise.variance \"x - 1\" is -0.5 at this point, must be a finite number, 0 or more");
  EXPECT_EQ(desk.complaint(with(ladder_study(), "variance", "\"1/x\""), "x\n2\n0\n"),
            "pool.csv:3: noise.variance \"1/x\" is inf at this point, must be a finite number, 0 or more");
  EXPECT_EQ(desk.complaint(with(ladder_study(), "variance", "\"1 + velocity\""), "x\n2\n"),
            "study.toml: noise.variance: expression \"1 + velocity\" names \"velocity\", must use x only");
  EXPECT_EQ(desk.complaint(with(ladder_study(), "cost", "\"alpha\""), "x\n2\n"),
            "study.toml: precision.cost is inf at alpha = inf, must be a finite number above 0");
  EXPECT_EQ(desk.complaint(with(ladder_study(), "cost", "\"2 - 4 / alpha\""), "x\n2\n"),
            "study.toml: precision.cost is -2 at alpha = 1, must be a finite number above 0");
}

TEST(Study, ATotalNoiseOfZeroMustBeMeant) {
  const Desk desk;
  EXPECT_EQ(desk.complaint(with(ladder_study(), "variance", "0"), "x\n2\n"),
            "study.toml: the total noise of alpha = inf is 0 at pool.csv:2, must be above 0");
  EXPECT_EQ(desk.complaint(with(with(ladder_study(), "variance", "0"), "alpha", "[1, 2]"), "x\n2\n"), "");
  EXPECT_NE(desk.complaint(with(price_list_study(), "noise_sd", "0"), "x\n2\n").find("(or say exact = true)"),
            std::string::npos);
  const std::string exact = with(price_list_study(), "noise_sd", "0\nexact = true");
  EXPECT_EQ(desk.open(exact, "x\n2\n").remarks().size(), 1U) << "infinite information ties everywhere";
}

TEST(Study, GraphBAndInfinitePrecisionMustBeResolved) {
  const Desk desk;
  const std::string target = ladder_study() + "[acquisition]\ninformation = \"target\"\ngraph = \"b\"\n";
  EXPECT_NE(desk.complaint(target, "x\n2\n").find("acquisition.infinite is \"refuse\""), std::string::npos);
  EXPECT_EQ(desk.complaint(target + "infinite = \"first\"\n", "x\n2\n"), "");
  EXPECT_EQ(desk.complaint(with(target, "alpha", "[1, 2]"), "x\n2\n"), "");
}

TEST(Study, RefusesPoolsThatAreNone) {
  const Desk desk;
  EXPECT_EQ(desk.complaint(ladder_study(), ""), "pool.csv:1: the file is empty, must have a header row");
  EXPECT_EQ(desk.complaint(ladder_study(), "x\n"),
            "pool.csv:1: the pool has no rows, must have at least one");
  EXPECT_EQ(desk.complaint(ladder_study(), "name\nanna\n"),
            "pool.csv:1: no column is numeric, must be at least one");
  EXPECT_NE(desk.complaint(ladder_study(), ",x\n0,1\n").find("column 1 has no name"), std::string::npos);
  EXPECT_NE(
      desk.complaint(ladder_study() + "[model]\nlengthscale = [1, 2]\n", "x\n1\n").find("has 2 entries"),
      std::string::npos);
  const std::string with_id = with(ladder_study(), "file", "\"pool.csv\"\nid = \"case\"");
  EXPECT_EQ(desk.complaint(with_id, "case,x\na,1\na,2\n").find("pool.csv:3: id \"a\" is already used at"),
            0U);
  EXPECT_EQ(desk.complaint(with_id, "case,x\na,1\n,2\n"),
            "pool.csv:3: column \"case\" is empty, must be an id");
}

TEST(Study, CandidatesAreWhatIsLeftAndCanBePaid) {
  const Desk desk;
  const Study study = desk.open("[campaign]\nbudget = 12\n" + price_list_study(), "x\n1\n2\n1\n");
  const Candidates all = study.candidates_after({});
  EXPECT_EQ(all.remaining(), 12.0);
  EXPECT_EQ(all.largest_cost(), 12.0 + 1.2e-8);
  const Candidates by_id = study.candidates_after(
      {{.place = 0, .value = 0, .channel = GaussianChannel{1}, .level = 1, .cost = 10}});
  EXPECT_EQ(by_id.remaining(), 2.0);
  EXPECT_EQ(by_id.open(), (std::vector<char>{0, 1, 1})) << "by id, only that row";
  const Candidates by_inputs = study.candidates_after(
      {{.place = Place(Vector::Constant(1, 1.0)), .value = 0, .channel = GaussianChannel{1}, .cost = 1}});
  EXPECT_EQ(by_inputs.open(), (std::vector<char>{0, 1, 0})) << "by inputs, every row that has them";
  EXPECT_EQ(study.candidates_after({}, 3.0).remaining(), 3.0);
}

TEST(Study, RepeatsAreAllowedWhereTheAnswerWouldBeNew) {
  const Desk desk;
  const std::string repeat = with(price_list_study(), "file", "\"pool.csv\"\nrepeat = true");
  const Study study = desk.open(with(repeat, "noise_sd", "0.5\nrepeat = \"same\""), "x\n1\n2\n");
  const Candidates after = study.candidates_after(
      {{.place = 1, .value = 0, .channel = GaussianChannel{1}, .level = 0, .cost = 1},
       {.place = 0, .value = 0, .channel = GaussianChannel{1}, .level = 1, .cost = 1}});
  EXPECT_TRUE(after.is_open(0, 0) && after.is_open(0, 1) && after.is_open(1, 1));
  EXPECT_FALSE(after.is_open(1, 0));
  EXPECT_EQ(after.partly_open(), std::set<Index>{1});
}

TEST(Study, ALevelThatRepeatsItsAnswerLeavesTheOthersOpenAlsoWithoutRepeats) {
  const Desk desk;
  const Study study =
      desk.open(with(price_list_study(), "noise_sd", "0.5\nrepeat = \"same\""), "x\n1\n2\n1\n");
  const Candidates coarse = study.candidates_after(
      {{.place = Place(Vector::Constant(1, 1.0)), .channel = GaussianChannel{1}, .level = 0, .cost = 1}});
  for (const Index row : {0, 1, 2}) EXPECT_TRUE(coarse.is_open(row, 1)) << row;
  EXPECT_EQ(coarse.partly_open(), (std::set<Index>{0, 2})) << "every row that has these inputs";
  const Candidates fine =
      study.candidates_after({{.place = 0, .channel = GaussianChannel{1}, .level = 1, .cost = 1}});
  EXPECT_EQ(fine.open(), (std::vector<char>{0, 1, 1}));
}

TEST(Study, ContinuousPrecisionIsHandedToTheAcquisition) {
  const Desk desk;
  const Study study =
      desk.open(with(ladder_study(), "alpha", "{ from = 2, to = inf, continuous = true }"), "x\n1\n");
  ASSERT_TRUE(study.acquisition().continuous);
  EXPECT_EQ(study.acquisition().continuous->sharpest.inverse, 0.0);
  EXPECT_EQ(study.acquisition().continuous->vaguest.inverse, 0.5);
  EXPECT_EQ(study.acquisition().continuous->law.gamma, 0.09);
  EXPECT_FALSE(study.acquisition().continuous->law.kappa);
  const Study binary = desk.open(
      "[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n[precision]\n"
      "alpha = { from = 0, to = 0.9, continuous = true }\ngamma = 0.2\nkappa = 0.7\ncost = 1\n",
      "x\n1\n");
  ASSERT_TRUE(binary.acquisition().continuous);
  EXPECT_EQ(binary.acquisition().continuous->vaguest.alpha, 0.0);
  EXPECT_EQ(binary.acquisition().continuous->sharpest.alpha, 0.9);
  EXPECT_EQ(binary.acquisition().continuous->law.kappa, 0.7);
  EXPECT_DOUBLE_EQ(std::get<FlipChannel>(binary.acquisition().continuous->law(Precision::of(0.5))).accuracy(),
                   0.8);
}

TEST(Study, AVariantKeepsAllButWhatIsDifferent) {
  const Desk desk;
  const std::string text = with(ladder_study(), "file", "\"pool.csv\"\nstandardise = \"pool\"");
  const Study study = desk.open("[campaign]\nbudget = 9\nseed = 3\n" + text, "x\n0\n5\n10\n20\n");
  StudyVariant different;
  different.seed = 8;
  different.information = AcquisitionSetting::Kind::random;
  different.rows = {1, 3};
  const Study variant = study.variant(different);
  EXPECT_EQ(variant.file().seed, 8U);
  EXPECT_EQ(variant.acquisition().seed, 8U);
  EXPECT_EQ(variant.acquisition().ranking, Ranking::random);
  EXPECT_EQ(variant.file().budget, 9.0);
  EXPECT_EQ(variant.pool().size(), 2);
  EXPECT_EQ(variant.pool().id(1), "3");
  EXPECT_EQ(variant.pool().find("1"), 0);
  EXPECT_FALSE(variant.pool().find("2"));
  EXPECT_EQ(variant.pool().point(1)[0], 20.0);
  EXPECT_EQ(variant.offer().base_noise, (Vector{{study.offer().base_noise(1), study.offer().base_noise(3)}}));
  EXPECT_EQ(variant.input_scaling(), study.input_scaling());
  // And the study itself is as it was.
  EXPECT_EQ(study.pool().size(), 4);
  EXPECT_EQ(study.acquisition().ranking, Ranking::information_per_cost);
}

TEST(Study, AVariantOfOneLevelHasTheOthersInItsOffer) {
  const Desk desk;
  const Study study = desk.open(price_list_study(), "x\n0\n5\n");
  StudyVariant different;
  different.only_level = 0;
  const Study variant = study.variant(different);
  EXPECT_EQ(levels_in_play(variant.offer(), variant.acquisition(), Candidates(variant.offer())),
            std::vector<Index>{0});
  EXPECT_EQ(variant.level_named("fine").cost, 10.0);
  const Candidates poor(variant.offer(), {.budget = 0.5});
  EXPECT_TRUE(levels_in_play(variant.offer(), variant.acquisition(), poor).empty());
}

}  // namespace
}  // namespace acuity::study_test
