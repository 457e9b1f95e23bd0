#include "settings/input_settings.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/study/study_learner.hpp"
#include "support/program.hpp"

namespace acuity::input_settings_test {
namespace {

using testing::Folder;

const char* const four_inputs = R"(
[[input]]
name = "solvent"
type = "category"
[[input]]
name = "c"
scale = "log"
unit = "mol/l"
[[input]]
name = "dose"
type = "category"
levels = ["low", "mid", "high"]
[[input]]
name = "stirred"
type = "yes-no"
similarity = 0.4
)";

const char* const pool = R"(id,solvent,c,dose,stirred
p1,THF,0.001,mid,yes
p2,DMF,0.1,low,No
p3,THF,1,high,TRUE
p4,"acetic acid",0.01,mid,0
)";

std::string study_text(const std::string& inputs, const std::string& more = "") {
  return "[campaign]\nbudget = 20\n[pool]\nfile = \"pool.csv\"\nid = \"id\"\n" + more +
         "[[level]]\nname = \"once\"\ncost = 1\nnoise_sd = 0.1\n" + inputs;
}

Study opened(const Folder& folder, const std::string& inputs = four_inputs, const std::string& table = pool,
             const std::string& more = "") {
  folder.write("pool.csv", table);
  return Study::open(folder.write("study.toml", study_text(inputs, more)));
}

// The sentence without the folder.
std::string complaint(const std::string& inputs, const std::string& table = pool,
                      const std::string& more = "") {
  const Folder folder;
  try {
    opened(folder, inputs, table, more);
  } catch (const InputError& error) {
    std::string message = error.what();
    const std::string prefix = folder.path().string() + "/";
    EXPECT_TRUE(message.starts_with(prefix)) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
    return message.substr(std::min(prefix.size(), message.size()));
  }
  return "";
}

std::string one(const std::string& keys) {
  return "[[input]]\nname = \"solvent\"\n" + keys + "\n";
}

TEST(InputSettings, AreReadWithTheValuesOfThePool) {
  const Folder folder;
  const Study study = opened(folder);
  const std::vector<Input>& inputs = study.pool().columns();
  ASSERT_EQ(inputs.size(), 4U);
  EXPECT_EQ(inputs[0].values, (std::vector<std::string>{"THF", "DMF", "acetic acid"})) << "as they appear";
  EXPECT_TRUE(inputs[1].log);
  EXPECT_EQ(inputs[1].label(), "c (mol/l)");
  EXPECT_TRUE(inputs[2].ordered);
  EXPECT_FALSE(inputs[2].is_category());
  EXPECT_EQ(inputs[3].similarity, 0.4);
  Points wanted(4, 4);
  wanted << 0, 0.001, 1, 1, 1, 0.1, 0, 0, 0, 1, 2, 1, 2, 0.01, 1, 0;
  EXPECT_EQ(Points(study.pool().points()), wanted);
  EXPECT_EQ(study.pool().input_text(3, 0), "acetic acid");
  EXPECT_EQ(study.pool().input_text(0, 1), "0.001");
  EXPECT_EQ(study.pool().input_text(2, 2), "high");
  EXPECT_EQ(study.pool().input_text(3, 3), "no");
}

TEST(InputSettings, GiveTheKernelItsCategoriesAndTheScalingItsLogarithms) {
  const Folder folder;
  const Study study = opened(folder);
  const Prior prior = StudyLearner(study).prior_given({});
  const StationaryKernelOptions& kernel = dynamic_cast<const StationaryKernel&>(*prior.kernel).options();
  ASSERT_EQ(kernel.categories.size(), 2U);
  EXPECT_EQ(kernel.categories[0], (CategoryFactor{.input = 0, .lengthscale = 4.0, .learned = true}));
  EXPECT_EQ(kernel.categories[1].input, 3);
  EXPECT_FALSE(kernel.categories[1].learned);
  EXPECT_NEAR(kernel.categories[1].similarity(), 0.4, 1e-15);
  EXPECT_EQ(kernel.lengthscale.size(), 2);
  EXPECT_EQ(kernel.lengthscale(0), 2.0);
  const Points scaled = prior.scaling.apply(study.pool().points());
  EXPECT_EQ(scaled.col(0), study.pool().points().col(0));
  EXPECT_NEAR(scaled.col(1).mean(), 0.0, 1e-15);
  EXPECT_NEAR(scaled(2, 1) - scaled(1, 1), scaled(1, 1) - scaled(3, 1), 1e-14) << "decades";
}

TEST(InputSettings, AnnotationsGoalsAndTablesUseTheNames) {
  const Folder folder;
  const Study study =
      opened(folder, four_inputs, pool, "[goal]\nbox = { solvent = [\"DMF\"], c = [0.01, 1] }\n");
  folder.write("known.csv", "solvent,c,dose,stirred,level,y\nDMF,0.5,high,yes,once,1\n");
  const std::vector<Annotation> known = study.read_annotations(folder.path() / "known.csv");
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known[0].place.coordinates(), (Vector{{1.0, 0.5, 2.0, 1.0}}));
  std::vector<std::vector<std::string>> unseen;
  const Table table = Table::parse(
      "solvent,c,dose,stirred\nwater,1,low,no\nDMF,1,low,no\nwater,1,low,no\noil,1,low,no\n", "t.csv");
  const Points points = study.read_inputs(table, &unseen);
  EXPECT_EQ(points.col(0), (Vector{{3.0, 1.0, 3.0, 4.0}}));
  EXPECT_EQ(unseen[0], (std::vector<std::string>{"water", "oil"}));
  EXPECT_TRUE(unseen[2].empty());
  EXPECT_THROW(study.read_inputs(table), InputError);
  ASSERT_TRUE(study.goal());
  for (Index i = 0; i < study.goal()->size(); ++i) {
    EXPECT_EQ(study.goal()->points(i, 0), 1.0);
    EXPECT_GE(study.goal()->points(i, 1), 0.01);
    EXPECT_EQ(study.goal()->points(i, 2), std::floor(study.goal()->points(i, 2)));
  }
  EXPECT_LT((study.goal()->points.col(1).array() < 0.1).cast<double>().mean() - 0.5, 0.15) << "by decades";
}

TEST(InputSettings, RefuseWhatDoesNotFitTogether) {
  const std::string here = "study.toml: ";
  EXPECT_EQ(complaint(four_inputs, pool, "inputs = [\"c\"]\n"),
            here + "pool.inputs and [[input]] are both there, must be one of them");
  EXPECT_EQ(complaint(one("type = \"text\"")),
            here + "input 1.type is \"text\", must be \"number\", \"category\" or \"yes-no\"");
  EXPECT_EQ(complaint("[[input]]\ntype = \"category\"\n"),
            here + "input 1.name is missing, must be the name of a column of the pool");
  EXPECT_EQ(complaint(one("type = \"category\"\nscale = \"log\"")),
            here + "input 1.scale is for numbers, but the type of input \"solvent\" is \"category\"");
  EXPECT_EQ(complaint(one("type = \"yes-no\"\nunit = \"K\"")),
            here + "input 1.unit is for numbers, but the type of input \"solvent\" is \"yes-no\"");
  EXPECT_EQ(
      complaint(one("levels = [\"a\", \"b\"]")),
      here + "input 1.levels is for type = \"category\", but the type of input \"solvent\" is \"number\"");
  EXPECT_EQ(complaint(one("similarity = 0.5")),
            here +
                "input 1.similarity is for type = \"category\" and \"yes-no\", but the type of input "
                "\"solvent\" is \"number\"");
  EXPECT_EQ(
      complaint(one("type = \"category\"\nsimilarity = 1")),
      here + "input 1.similarity is 1, must be below 1; leave an input out if its values do not differ");
  EXPECT_EQ(
      complaint(one("type = \"category\"\nlevels = [\"a\", \"a\"]")),
      here + "input 1.levels is [ 'a', 'a' ], must be two names or more in their order, without repetitions");
  EXPECT_EQ(complaint(one("type = \"category\"\nlevels = [\"a\", \"b\"]\nsimilarity = 0.5")),
            here +
                "input 1.similarity is for categories without an order, but input \"solvent\" has levels: it "
                "has a length scale");
  EXPECT_EQ(complaint(one("type = \"category\"") + one("type = \"category\"")),
            here + "input 2.name is \"solvent\", must be a name that no other input has");
  EXPECT_EQ(complaint("[[input]]\nname = \"id\"\n"),
            here + "input 1.name is \"id\", must be another column than pool.id");
  EXPECT_EQ(
      complaint(four_inputs, pool, "[model]\nfit = \"never\"\namplitude = 1\nlengthscale = 1\n"),
      here +
          "model.fit is \"never\" and the similarity of input \"solvent\" is to be learned, must be a number "
          "from 0 to 1 (similarity in its [[input]])");
  EXPECT_EQ(
      complaint(four_inputs, pool, "[model]\nlengthscale = [1, 1, 1, 1]\n"),
      here +
          "model.lengthscale has 4 entries, must be one number or a list of 2, one per input (categories "
          "have a similarity instead)");
  EXPECT_EQ(
      complaint(four_inputs, pool, "[noise]\nvariance = \"0.1 * (1 + solvent)\"\n"),
      here +
          "noise.variance is \"0.1 * (1 + solvent)\" and input \"solvent\" has names, not numbers; must be "
          "a formula in the other inputs, or a column of the pool");
  EXPECT_EQ(complaint(four_inputs, pool, "[noise]\nvariance = \"0.1 * c\"\n"), "");
  EXPECT_EQ(
      complaint(four_inputs, pool, "[goal]\nbox = { solvent = [0, 1] }\n"),
      here + "goal.box.solvent has numbers, must be a list of names: \"THF\", \"DMF\" and \"acetic acid\"");
  EXPECT_EQ(complaint(four_inputs, pool, "[goal]\nbox = { solvent = [\"oil\"] }\n"),
            here + "goal.box.solvent has \"oil\", must have one of \"THF\", \"DMF\", \"acetic acid\"");
  EXPECT_EQ(
      complaint(four_inputs, pool, "[goal]\nbox = { c = [0, 1] }\n"),
      here +
          "goal.box.c begins at 0, must be a finite number above 0, because the input has scale = \"log\"");
}

TEST(InputSettings, ErrorsInTablesHaveFileAndLine) {
  EXPECT_EQ(complaint("[[input]]\nname = \"c\"\nscale = \"log\"\n", "id,c\na,1\nb,0\n"),
            "pool.csv:3: column \"c\" is \"0\", must be a finite number above 0, because the input has scale "
            "= \"log\"");
  EXPECT_EQ(complaint("[[input]]\nname = \"d\"\ntype = \"category\"\nlevels = [\"low\", \"high\"]\n",
                      "id,d\na,low\nb,Low\n"),
            "pool.csv:3: column \"d\" is \"Low\", must be one of \"low\", \"high\"");
  EXPECT_EQ(complaint("[[input]]\nname = \"d\"\ntype = \"yes-no\"\n", "id,d\na,yes\nb,perhaps\n"),
            "pool.csv:3: column \"d\" is \"perhaps\", must be yes or no");
  EXPECT_EQ(complaint("[[input]]\nname = \"d\"\ntype = \"category\"\n", "id,d\na,yes\nb,\n"),
            "pool.csv:3: column \"d\" is empty, must be the name of a value");
  EXPECT_EQ(
      complaint("", "id,x,solvent\na,1,DMF\nb,2,THF\n", "inputs = [\"x\", \"solvent\"]\n"),
      "pool.csv:2: column \"solvent\" is \"DMF\", must be a number; if the column has names, describe every "
      "input by a table instead of pool.inputs, this one by [[input]] name = \"solvent\" type = "
      "\"category\"");
  EXPECT_EQ(complaint("", "id,x\na,1\nb,2\nc,3x\n", "inputs = [\"x\"]\n"),
            "pool.csv:4: column \"x\" is \"3x\", must be a finite number")
      << "one bad cell is no category";
}

}  // namespace
}  // namespace acuity::input_settings_test
