#include "study/drawn_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/study/study.hpp"
#include "settings/rewrite_texts.hpp"
#include "study/pool_table.hpp"
#include "support/program.hpp"

namespace acuity::drawn_pool_test {
namespace {

using testing::Folder;

const std::string three_inputs =
    "[[input]]\nname = \"speed\"\nrange = [0, 40]\n"
    "[[input]]\nname = \"load\"\nrange = [1, 1000]\nscale = \"log\"\n"
    "[[input]]\nname = \"alloy\"\nvalues = [\"A\", \"B\", \"C\"]\n";

std::string study_text(const std::string& pool, const std::string& inputs = three_inputs,
                       const std::string& rest = "") {
  return "[campaign]\nbudget = 20\nseed = 3\n" + (pool.empty() ? "" : "[pool]\n" + pool) + inputs + rest +
         "[[level]]\nname = \"once\"\ncost = 1\nnoise_sd = 0.1\n";
}

Study opened(const std::string& pool, const std::string& inputs = three_inputs) {
  const Folder folder;
  return Study::open(folder.write("study.toml", study_text(pool, inputs)));
}

// The sentence without the folder.
std::string complaint(const std::string& pool, const std::string& inputs = three_inputs,
                      const std::string& rest = "") {
  const Folder folder;
  folder.write("pool.csv", "speed,load,alloy\n1,1,A\n");
  try {
    Study::open(folder.write("study.toml", study_text(pool, inputs, rest)));
  } catch (const InputError& error) {
    const std::string message = error.what(), prefix = folder.path().string() + "/study.toml: ";
    EXPECT_TRUE(message.starts_with(prefix)) << message;
    return message.substr(prefix.size());
  }
  return "";
}

TEST(DrawnPool, FillsRangesOnTheirScaleAndHasCategoriesInEqualShares) {
  const Study study = opened("");
  const Pool& pool = study.pool();
  ASSERT_EQ(pool.size(), 20'000);
  EXPECT_EQ(pool.inputs(), (std::vector<std::string>{"speed", "load", "alloy"}));
  EXPECT_FALSE(pool.has_ids());
  EXPECT_EQ(pool.columns()[2].values, (std::vector<std::string>{"A", "B", "C"}));
  std::vector<int> speed(64, 0), load(64, 0), alloy(3, 0);
  for (Index row = 0; row < pool.size(); ++row) {
    const double* x = pool.point(row);
    ++speed.at(static_cast<std::size_t>(x[0] / 40.0 * 64.0));
    ++load.at(static_cast<std::size_t>(std::log(x[1]) / std::log(1000.0) * 64.0));
    ++alloy.at(static_cast<std::size_t>(x[2]));
  }
  for (const std::vector<int>& slices : {speed, load})
    for (const int found : slices) EXPECT_NEAR(found, 20'000.0 / 64.0, 1.0);
  for (const int found : alloy) EXPECT_NEAR(found, 20'000.0 / 3.0, 8.0);
}

// Every alloy has speeds and loads everywhere: categories are no cut through the sequence.
TEST(DrawnPool, EveryCategoryFillsTheOtherInputs) {
  const Study study = opened("points = 3072\n");
  const Pool& pool = study.pool();
  std::vector<int> cells(3 * 8 * 8, 0);
  for (Index row = 0; row < pool.size(); ++row) {
    const double* x = pool.point(row);
    const auto speed = static_cast<std::size_t>(x[0] / 5.0);
    const auto load = static_cast<std::size_t>(std::log(x[1]) / std::log(1000.0) * 8.0);
    ++cells.at((static_cast<std::size_t>(x[2]) * 8 + speed) * 8 + load);
  }
  EXPECT_GE(*std::min_element(cells.begin(), cells.end()), 8);
  EXPECT_LE(*std::max_element(cells.begin(), cells.end()), 24);
}

// Fixed for good.
TEST(DrawnPool, IsTheSameForItsSeedEverywhere) {
  const Study study = opened("points = 500\n");
  EXPECT_EQ(study.pool().point(0)[0], 14.888667245469009);
  EXPECT_EQ(study.pool().point(499)[0], 4.4449851351337033);
  EXPECT_EQ(study.pool().point(499)[1], 76.911785326495234);
  EXPECT_EQ(study.pool().input_text(499, 2), "C");
}

TEST(DrawnPool, MorePointsBeginWithTheSameOnes) {
  for (const char* where : {"", "where = \"speed * load < 2000\"\n"}) {
    const Study few = opened(std::string("points = 100\n") + where),
                many = opened(std::string("points = 300\n") + where);
    EXPECT_EQ(many.pool().points().topRows(100), few.pool().points()) << where;
  }
}

TEST(DrawnPool, HasAllItsPointsWhereTheConditionHolds) {
  const Study study = opened("points = 4000\nwhere = \"speed * load < 20000 && speed > 0.01 * load\"\n");
  const Pool& pool = study.pool();
  ASSERT_EQ(pool.size(), 4000);
  for (Index row = 0; row < pool.size(); ++row) {
    const double speed = pool.point(row)[0], load = pool.point(row)[1];
    ASSERT_TRUE(speed * load < 20'000.0 && speed > 0.01 * load) << row;
  }
  const Study narrow = opened("points = 200\nwhere = \"speed < 0.2\"\n");  // one point of 200
  EXPECT_EQ(narrow.pool().size(), 200);
  EXPECT_LT(narrow.pool().points().col(0).maxCoeff(), 0.2);
}

TEST(DrawnPool, ValuesMayBeNumbersLevelsOrYesAndNo) {
  const Study study = opened(
      "points = 1000\n",
      "[[input]]\nname = \"n\"\nvalues = [4, 1, 2]\n[[input]]\nname = \"catalyst\"\nscale = \"log\"\nvalues "
      "= "
      "[0.1, 1]\n[[input]]\nname = \"dose\"\ntype = \"category\"\nlevels = [\"low\", \"high\"]\n"
      "[[input]]\nname = \"stirred\"\ntype = \"yes-no\"\n[[input]]\nname = \"x\"\nrange = [-2, -1.5]\n");
  const Pool& pool = study.pool();
  std::map<double, int> n;
  for (Index row = 0; row < pool.size(); ++row) ++n[pool.point(row)[0]];
  ASSERT_EQ(n.size(), 3U);
  for (const double value : {1.0, 2.0, 4.0}) EXPECT_NEAR(n[value], 333.3, 5.0);
  EXPECT_EQ((pool.points().col(1).array() == 0.1).count(), 500);
  EXPECT_EQ((pool.points().col(2).array() == 1.0).count(), 500);
  EXPECT_EQ(pool.columns()[2].text(1.0), "high");
  EXPECT_EQ((pool.points().col(3).array() == 1.0).count(), 500);
  EXPECT_GE(pool.points().col(4).minCoeff(), -2.0);
  EXPECT_LT(pool.points().col(4).maxCoeff(), -1.5);
}

TEST(DrawnPool, ReadsBackFromItsTable) {
  const Folder folder;
  const Study drawn = Study::open(folder.write("study.toml", study_text("points = 300\n")));
  folder.write("points.csv", write_points(drawn.pool()));
  const std::string kept = with_drawn_pool(study_text("points = 300\n"), "points.csv", 3);
  const Study read = Study::open(folder.write("kept.toml", kept));
  EXPECT_EQ(read.pool().points(), drawn.pool().points());
  EXPECT_EQ(read.pool().columns(), drawn.pool().columns());
  EXPECT_EQ(read.file().drawing->seed, 3U);
}

TEST(DrawnPool, NoiseMayBeAFormulaInItsInputs) {
  const Folder folder;
  const std::string text =
      study_text("points = 50\n", three_inputs, "[noise]\nvariance = \"0.01 * speed\"\n");
  const Study study = Study::open(folder.write("study.toml", text));
  for (const Index row : {0, 7, 49})
    EXPECT_DOUBLE_EQ(study.offer().base_noise(row), 0.01 * study.pool().point(row)[0]);
}

TEST(DrawnPool, ErrorsSayWhatIsMissing) {
  const std::string speed = "[[input]]\nname = \"speed\"\n";
  EXPECT_EQ(
      complaint("", ""),
      "pool.file is missing, must be the name of a table, or every input must be an [[input]] with a range "
      "or values");
  EXPECT_EQ(
      complaint("points = 20\n", ""),
      "pool.file is missing, must be the name of a table, or every input must be an [[input]] with a range "
      "or values");
  EXPECT_EQ(
      complaint("", three_inputs + "[[input]]\nname = \"mood\"\n"),
      "input \"mood\" has neither a range nor values, must have one of them where there is no pool.file");
  EXPECT_EQ(complaint("", "[[input]]\nname = \"c\"\ntype = \"category\"\n"),
            "input \"c\" has neither a range nor values, must have one of them where there is no pool.file");
  EXPECT_EQ(complaint("file = \"pool.csv\"\npoints = 20\n", speed),
            "pool.file and pool.points are both there, must be one of them");
  EXPECT_EQ(complaint("file = \"pool.csv\"\nwhere = \"speed > 1\"\n", speed),
            "pool.file and pool.where are both there, must be one of them");
  EXPECT_EQ(complaint("file = \"pool.csv\"\n", speed + "range = [0, 1]\n"),
            "input 1.range is given, must be left out with pool.file, which has the values");
  EXPECT_EQ(complaint("id = \"case\"\n"),
            "pool.id is given, must come with pool.file: points that are drawn have no ids");
  EXPECT_EQ(complaint("points = 0\n"), "pool.points is 0, must be a whole number, 1 or more");
  EXPECT_EQ(complaint("points = 100000000\n"), "pool.points is 100000000, must be 10000000 at most");
  EXPECT_TRUE(complaint("refine = true\n").starts_with("key \"pool.refine\" is not known"));
}

TEST(DrawnPool, ErrorsOfRangesAndValuesNameThem) {
  const auto of = [](const std::string& lines) { return complaint("", "[[input]]\nname = \"x\"\n" + lines); };
  EXPECT_EQ(of("range = [2, 1]\n"),
            "input 1.range is [ 2, 1 ], must be a list of two numbers, the lower one first");
  EXPECT_EQ(of("range = [1, 1]\n"),
            "input 1.range is [ 1, 1 ], must be a list of two numbers, the lower one first");
  EXPECT_EQ(of("range = 3\n"), "input 1.range is 3, must be a list of two numbers, the lower one first");
  EXPECT_EQ(
      of("range = [0, 10]\nscale = \"log\"\n"),
      "input 1.range is [ 0, 10 ], must be two numbers above 0, the lower one first, as the scale is log");
  EXPECT_EQ(of("range = [0, 10]\nvalues = [1, 2]\n"),
            "input 1.range and input 1.values are both there, must be one of them");
  EXPECT_EQ(of("range = [0, 10]\ntype = \"category\"\n"),
            "input 1.range is for numbers, but the type of input \"x\" is \"category\"");
  EXPECT_EQ(of("values = [1]\n"),
            "input 1.values is [ 1 ], must be two numbers or more, without repetitions");
  EXPECT_EQ(of("values = [1, 2, 1]\n"),
            "input 1.values is [ 1, 2, 1 ], must be two numbers or more, without repetitions");
  EXPECT_EQ(of("values = [0, 1]\nscale = \"log\"\n"),
            "input 1.values is [ 0, 1 ], must be numbers above 0, because the input has scale = \"log\"");
  EXPECT_EQ(of("values = [\"a\", \"a\"]\n"),
            "input 1.values is [ 'a', 'a' ], must be two names or more, without repetitions");
  EXPECT_EQ(of("values = [1, 2]\ntype = \"category\"\n"),
            "input 1.values is [ 1, 2 ], must be a list of names where the type is \"category\"");
  EXPECT_EQ(of("values = [\"a\", \"b\"]\ntype = \"number\"\n"),
            "input 1.values is [ 'a', 'b' ], must be a list of numbers");
  EXPECT_EQ(of("values = [\"no\", \"yes\"]\ntype = \"yes-no\"\n"),
            "input 1.values is for numbers and categories, but the type of input \"x\" is \"yes-no\"");
}

TEST(DrawnPool, ErrorsOfConditions) {
  EXPECT_EQ(
      complaint("where = \"speed * load < 0\"\n"),
      "pool.where \"speed * load < 0\" holds at 0 of 100000 points in the ranges, must hold at 1 of 1000 or "
      "more");
  EXPECT_EQ(complaint("where = \"\"\n"), "pool.where is \"\", must be text that is not empty");
  EXPECT_EQ(complaint("where = \" \"\n"),
            "pool.where is \" \", must be a formula in the inputs, such as \"x < 3\"");
  EXPECT_EQ(complaint("where = \"alloy == 1\"\n"),
            "pool.where: expression \"alloy == 1\" names \"alloy\", must use speed, load only");
  EXPECT_EQ(
      complaint("where = \"speed = 1\"\n"),
      "pool.where: expression \"speed = 1\" assigns with \"=\", must compare with \"==\" or not at all");
  EXPECT_EQ(
      complaint("", three_inputs, "[noise]\nvariance = { column = \"s\" }\n"),
      "noise.variance is { column = 's' }, must be a number or a formula where there is no pool.file that "
      "has a column");
}

TEST(DrawnPool, SettingsInMemoryDrawToo) {
  const Study study = Study::open(read_study_text(study_text("points = 64\n")));
  EXPECT_EQ(study.pool().size(), 64);
  EXPECT_EQ(study.pool().points(), opened("points = 64\n").pool().points());
  Points points(2, 3);
  points << 1, 1, 0, 2, 2, 1;
  EXPECT_THROW(
      Study::make(read_study_text(study_text("points = 64\n")), Pool(points, {"speed", "load", "alloy"})),
      InputError);
}

TEST(DrawnPool, TheTextKeepsItsCommentsWhereItIsKept) {
  EXPECT_EQ(with_drawn_pool("# mine\n[pool]\npoints = 5 # few\n", "pool.csv", 9),
            "# mine\n[pool]\npoints = 5 # few\n\n[pool.drawn]\nfile = \"pool.csv\"\nseed = 9\n");
  EXPECT_EQ(with_drawn_pool("a = 1", "pool.csv", 9),
            "a = 1\n\n[pool.drawn]\nfile = \"pool.csv\"\nseed = 9\n");
  EXPECT_EQ(with_drawn_pool("pool = { points = 5 } # few\n", "pool.csv", 9),
            "[pool]\npoints = 5\n\n    [pool.drawn]\n    file = 'pool.csv'\n    seed = 9\n");
  EXPECT_EQ(with_drawn_pool("[pool.drawn]\nfile = \"old.csv\" # was\nseed = 2\n", "pool.csv", 2),
            "[pool.drawn]\nfile = \"pool.csv\" # was\nseed = 2\n");
}

}  // namespace
}  // namespace acuity::drawn_pool_test
