#include <gtest/gtest.h>

#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/study/study.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::annotations_test {
namespace {

using testing::Folder;
using testing::ladder_study;
using testing::price_list_study;
using testing::with;

struct Desk {
  Folder folder;
  Study study;

  explicit Desk(const std::string& text, const std::string& pool = "case,x\na,0\nb,5\nc,3\n")
      : study((folder.write("pool.csv", pool),
               Study::open(folder.write("study.toml", testing::with_given_model(text))))) {}

  std::vector<Annotation> read(const std::string& csv) const {
    return study.read_annotations(folder.write("A.csv", csv));
  }
  std::string complaint(const std::string& csv) const {
    try {
      read(csv);
    } catch (const InputError& error) {
      const std::string message = error.what(), prefix = folder.path().string() + "/";
      EXPECT_TRUE(message.starts_with(prefix)) << message;
      return message.substr(prefix.size());
    }
    return "";
  }
};

const std::string named = with(ladder_study(), "file", "\"pool.csv\"\nid = \"case\"");
const std::string named_list = with(price_list_study(), "file", "\"pool.csv\"\nid = \"case\"");

TEST(Annotations, ByIdByInputsAndBothTogether) {
  const Desk desk(named);
  const auto a = desk.read("id,x,y,alpha\na,,1.5,inf\n,4,2.5,1\nb,5,3.5,2\n");
  ASSERT_EQ(a.size(), 3U);
  EXPECT_EQ(a[0].place.pool_row(), 0);
  EXPECT_EQ(a[1].place.pool_row(), std::nullopt);
  EXPECT_EQ(a[1].place.coordinates()(0), 4.0);
  EXPECT_EQ(a[2].place.pool_row(), 1);
  EXPECT_EQ(a[2].value, 3.5);
  EXPECT_NEAR(noise_variance(a[0].channel), 0.01, 1e-16);
  EXPECT_NEAR(noise_variance(a[1].channel), 0.01 * (1 + 0.64) + 0.09, 1e-16);
  EXPECT_NEAR(noise_variance(a[2].channel), 0.02 + 0.045, 1e-16);
  EXPECT_EQ(a[0].cost, 1.0);
  EXPECT_NEAR(a[2].cost, std::pow(5.5, -0.8), 1e-15);
}

TEST(Annotations, ThePoolsOwnIdColumnServesAsWell) {
  const Desk desk(named);
  EXPECT_EQ(desk.read("case,y,alpha\nc,1,1\n")[0].place.pool_row(), 2);
}

TEST(Annotations, WithoutAnIdColumnInThePoolRowsAreNumbers) {
  const Desk desk(ladder_study(), "x\n0\n5\n");
  EXPECT_EQ(desk.read("id,y,alpha\n1,1,1\n")[0].place.pool_row(), 1);
  EXPECT_EQ(desk.complaint("id,y,alpha\n2,1,1\n"),
            "A.csv:2: column \"id\" is \"2\", must be the id of a pool point");
}

TEST(Annotations, LevelsByNameWithTheirCostOrTheCostTold) {
  const Desk desk(named_list);
  const auto a = desk.read("id,y,level,cost\na,1,coarse,\nb,1,fine,12.5\nc,1,fine,0\n");
  EXPECT_EQ(a[0].cost, 1.0);
  EXPECT_EQ(a[0].level, 0);
  EXPECT_EQ(noise_variance(a[0].channel), 0.25);
  EXPECT_EQ(a[1].cost, 12.5);
  EXPECT_EQ(a[2].cost, 0.0);
}

TEST(Annotations, ReportedNoiseIsTheTotalAndCostsNothingUnlessTold) {
  const Desk desk(named);
  const auto a = desk.read("id,y,noise_variance\nb,1,0.5\n");
  EXPECT_EQ(noise_variance(a[0].channel), 0.5);
  EXPECT_EQ(a[0].cost, 0.0);
  EXPECT_EQ(a[0].level, std::nullopt);
  EXPECT_TRUE(a[0].reported);
}

TEST(Annotations, AnExportIsReadWithLevelsAndWithTheNoiseThatWasReported) {
  const Desk desk(named_list);
  const auto a = desk.read(
      "id,point,x,level,y,cost,noise_variance\n"
      "1,b,5,coarse,1,2,0.25\n2,a,0,fine,2,10,0.04\n3,,4,fine,3,0,0.01\n4,c,3,,4,0,0.5\n");
  ASSERT_EQ(a.size(), 4U);
  EXPECT_EQ(a[0].place.pool_row(), 1) << "id is that of a suggestion";
  EXPECT_EQ(a[0].level, 0);
  EXPECT_FALSE(a[0].reported) << "the noise is that of the level";
  EXPECT_EQ(a[0].cost, 2.0);
  EXPECT_EQ(a[1].level, 1);
  EXPECT_TRUE(a[1].reported);
  EXPECT_EQ(noise_variance(a[1].channel), 0.04);
  EXPECT_EQ(a[1].added_noise, 0.1 * 0.1) << "as declared";
  EXPECT_EQ(a[2].place.coordinates()(0), 4.0);
  EXPECT_FALSE(a[2].reported);
  EXPECT_EQ(a[3].level, std::nullopt) << "nobody knows it";
  EXPECT_EQ(noise_variance(a[3].channel), 0.5);
  EXPECT_EQ(desk.complaint("id,point,x,level,y,cost,noise_variance\n2,a,0,fine,2,10,-1\n"),
            "A.csv:2: column \"noise_variance\" is \"-1\", must be a finite number above 0");
}

TEST(Annotations, AnExportOfALadderIsReadWithAlphasAndWithTheNoiseThatWasReported) {
  const Desk desk(named);
  const auto a = desk.read(
      "id,point,x,alpha,y,cost,noise_variance\n1,a,0,inf,1,1,0.01\n2,b,5,2,2,1,0.26\n3,,4,3,3,1,0.0464\n");
  ASSERT_EQ(a.size(), 3U);
  EXPECT_FALSE(a[0].reported);
  EXPECT_TRUE(a[1].reported);
  EXPECT_EQ(a[1].alpha, 2.0);
  EXPECT_NEAR(a[1].base_noise + a[1].added_noise, 0.065, 1e-16);
  EXPECT_EQ(noise_variance(a[1].channel), 0.26);
  EXPECT_FALSE(a[2].reported) << "to nine digits what is declared there";
}

TEST(Annotations, OnlyAnExportHasBothLevelAndNoise) {
  const Desk desk(named_list);
  EXPECT_EQ(
      desk.complaint("id,y,level,noise_variance\na,1,fine,0.04\n"),
      "A.csv:1: columns \"level\" and \"noise_variance\" are all there, must be one column of \"level\" or "
      "\"noise_variance\"");
}

TEST(Annotations, AnExportedPointOutsideOfThePoolHasItsNoiseWithoutANoiseColumn) {
  const Desk desk(
      with(with(named, "variance", "{ column = \"s2\" }"), "file", "\"pool.csv\"\ninputs = [\"x\"]"),
      "case,x,s2\na,0,0.5\n");
  const auto a = desk.read("id,point,x,alpha,y,cost,noise_variance\n1,,3,1,1,1,0.79\n");
  EXPECT_NEAR(a[0].base_noise, 0.7, 1e-15);
  EXPECT_NEAR(noise_variance(a[0].channel), 0.79, 1e-15);
  EXPECT_FALSE(a[0].reported);
}

TEST(Annotations, NoiseColumnIsReadWhereThePointStands) {
  const Desk desk(
      with(with(named, "variance", "{ column = \"s2\" }"), "file", "\"pool.csv\"\ninputs = [\"x\"]"),
      "case,x,s2\na,0,0.5\n");
  EXPECT_EQ(noise_variance(desk.read("id,y,alpha\na,1,inf\n")[0].channel), 0.5);
  EXPECT_EQ(noise_variance(desk.read("x,y,alpha,s2\n3,1,inf,0.75\n")[0].channel), 0.75);
  EXPECT_EQ(desk.complaint("x,y,alpha\n3,1,inf\n").find("A.csv:1: column \"s2\" is missing"), 0U);
}

TEST(Annotations, AnInputCalledLikeOneOfOurColumnsNeedsIds) {
  const Desk desk(with(with(named, "id", "\"case\"\ninputs = [\"x\", \"y\"]"), "variance", "0.1"),
                  "case,x,y\na,0,7\n");
  EXPECT_EQ(
      desk.complaint("x,y,alpha\n0,7,1\n").find("A.csv:1: column \"y\" is an input and a reserved name here"),
      0U);
  const auto a = desk.read("id,y,alpha\na,3,1\n");
  EXPECT_EQ(a[0].value, 3.0);
  EXPECT_EQ(a[0].place.pool_row(), 0);
}

TEST(Annotations, AHeaderAloneIsNone) {
  EXPECT_TRUE(Desk(named).read("id,y,alpha\n").empty());
}

TEST(Annotations, ComplaintsNameFileLineAndColumn) {
  const Desk desk(named);
  EXPECT_EQ(desk.complaint("id,y,alpha\nzz,1,1\n"),
            "A.csv:2: column \"id\" is \"zz\", must be the id of a pool point");
  EXPECT_EQ(desk.complaint("id,x,y,alpha\na,0,1,1\nb,4,1,1\n")
                .find("A.csv:3: column \"x\" is \"4\", must be 5 as at "),
            0U);
  EXPECT_EQ(desk.complaint("id,y,alpha\na,1,1\n,1,1\n"),
            "A.csv:3: column \"id\" is empty, must be the id of a pool point where the inputs are not given");
  EXPECT_EQ(desk.complaint("id,y,alpha\na,1,0.5\n"),
            "A.csv:2: column \"alpha\" is \"0.5\", must be a number of at least 1 (inf is one)");
  EXPECT_EQ(desk.complaint("id,y,alpha\na,1,nan\n"),
            "A.csv:2: column \"alpha\" is \"nan\", must be a number of at least 1 (inf is one)");
  EXPECT_EQ(desk.complaint("id,y,alpha\na,inf,1\n"),
            "A.csv:2: column \"y\" is \"inf\", must be a finite number");
  EXPECT_EQ(desk.complaint("id,y,alpha\na,,1\n"), "A.csv:2: column \"y\" is empty, must be a finite number");
  EXPECT_EQ(desk.complaint("id,y,alpha,cost\na,1,1,-1\n"),
            "A.csv:2: column \"cost\" is \"-1\", must be 0 or more");
  EXPECT_EQ(desk.complaint("id,y,noise_variance\na,1,0\n"),
            "A.csv:2: column \"noise_variance\" is \"0\", must be a finite number above 0");
  EXPECT_EQ(desk.complaint("id,y,noise_variance\na,1,-2\n"),
            "A.csv:2: column \"noise_variance\" is \"-2\", must be a finite number above 0");
  EXPECT_EQ(desk.complaint("y,alpha\n1,1\n").find("A.csv:1: column \"x\" is missing"), 0U);
  EXPECT_EQ(desk.complaint("id,alpha\na,1\n").find("A.csv:1: column \"y\" is missing"), 0U);
  EXPECT_EQ(desk.complaint("id,y\na,1\n"),
            "A.csv:1: no column says how precise the values are, must be one column of \"alpha\" or "
            "\"noise_variance\"");
  EXPECT_NE(desk.complaint("id,y,alpha,noise_variance\n"), "");
  EXPECT_NE(desk.complaint("id,y,level\n"), "");
  EXPECT_NE(desk.complaint("id,y,accuracy\n"), "");
  EXPECT_NE(desk.complaint("0.5,1.2,1\n"), "") << "a file without a header";
}

TEST(Annotations, UnknownLevelsAreAnsweredWithTheKnownOnes) {
  const Desk desk(named_list);
  EXPECT_EQ(desk.complaint("id,y,level\na,1,corse\n"),
            "A.csv:2: column \"level\" is \"corse\", must be one of the levels \"coarse\" or \"fine\"");
  EXPECT_NE(desk.complaint("id,y,alpha\na,1,1\n"), "");
}

TEST(Annotations, APrecisionOffTheLadderIsPricedByTheCost) {
  const Desk desk(with(named, "cost", "\"3 - 2/alpha\""));
  const auto a = desk.read("id,y,alpha\na,1,1.6\n");
  EXPECT_EQ(a[0].cost, 1.75);
  EXPECT_EQ(a[0].level, std::nullopt);
  const Desk falling(with(with(named, "cost", "\"4 - alpha\""), "alpha", "[1, 2]"));
  EXPECT_EQ(falling.complaint("id,y,alpha\na,1,6\n"),
            "A.csv:2: precision.cost is -2 at alpha = 6, must be a finite number above 0");
  EXPECT_EQ(falling.complaint("id,y,alpha,cost\na,1,6,2\n"), "") << "a cost that was told needs no price";
}

TEST(Annotations, ATotalNoiseOfZeroIsRefusedWithItsLine) {
  const Desk desk(with(with(named, "variance", "\"x\""), "alpha", "[1, 2]"));
  EXPECT_EQ(
      desk.complaint("id,y,alpha\nb,1,inf\na,1,inf\n"),
      "A.csv:3: column \"alpha\" is \"inf\", must be a precision whose total noise at this point is above 0");
}

}  // namespace
}  // namespace acuity::annotations_test
