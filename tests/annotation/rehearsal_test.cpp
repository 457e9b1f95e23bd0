#include "annotation/rehearsal.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "acuity/base/errors.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::rehearsal_test {
namespace {

using testing::Folder;
using testing::ladder_study;
using testing::price_list_study;
using testing::with;

const std::string sine_list = price_list_study() + "[annotator]\nsimulated = \"sine\"\n";
const std::string truth_list =
    with(price_list_study(), "file", "\"pool.csv\"\nid = \"case\"") + "[annotator]\nsimulated = \"truth\"\n";
const std::string truth_by_inputs = price_list_study() + "[annotator]\nsimulated = \"truth\"\n";

struct Desk {
  Folder folder;
  Study study;

  explicit Desk(const std::string& text, const std::string& pool = "case,x\na,0\nb,5\nc,3\n")
      : study((folder.write("pool.csv", pool),
               Study::open(folder.write("study.toml", testing::with_given_model(text))))) {}

  Suggestion ask(std::int64_t id, Index row, Index level = 0) const {
    const double* x = study.pool().point(row);
    return {.id = id,
            .row = row,
            .point = study.pool().id(row),
            .inputs = std::vector<double>(x, x + study.pool().inputs().size()),
            .level = study.offer().levels[static_cast<std::size_t>(level)],
            .channel = study.offer().channel(row, level),
            .cost = 1.0};
  }
  std::unique_ptr<Annotator> truth(const std::string& csv) const {
    folder.write("truth.csv", csv);
    return make_rehearsal(study);
  }
  std::string complaint(const std::string& csv) const {
    try {
      truth(csv);
    } catch (const InputError& error) {
      const std::string message = error.what(), prefix = folder.path().string() + "/";
      EXPECT_TRUE(message.starts_with(prefix)) << message;
      return message.substr(prefix.size());
    }
    return "no complaint";
  }
};

// Mean and standard deviation of many answers to the same question.
std::pair<double, double> spread(const Desk& desk, Annotator& annotator, Index row, Index level) {
  constexpr int count = 4000;
  double sum = 0.0, squares = 0.0;
  for (int id = 1; id <= count; ++id) {
    const double y = annotator.annotate(desk.ask(id, row, level));
    sum += y;
    squares += y * y;
  }
  return {sum / count, std::sqrt(squares / count - sum / count * (sum / count))};
}

TEST(Rehearsal, OfTheSineHasTheNoiseOfTheLevel) {
  const Desk desk(with(sine_list, "file", "\"pool.csv\"\ninputs = [\"x\"]"));
  const auto annotator = make_rehearsal(desk.study);
  const double truth = 0.2 * 5.0 * std::sin(15.0);
  const auto [coarse_mean, coarse_sd] = spread(desk, *annotator, 1, 0);
  EXPECT_NEAR(coarse_mean, truth, 5 * 0.5 / std::sqrt(4000.0));
  EXPECT_NEAR(coarse_sd, 0.5, 0.03);
  const auto [fine_mean, fine_sd] = spread(desk, *annotator, 1, 1);
  EXPECT_NEAR(fine_mean, truth, 5 * 0.1 / std::sqrt(4000.0));
  EXPECT_NEAR(fine_sd, 0.1, 0.006);
}

TEST(Rehearsal, DependsOnSeedAndIdAndNotOnTheOrder) {
  const Desk desk(sine_list, "x\n0\n5\n3\n"), same(sine_list, "x\n0\n5\n3\n"),
      other("[campaign]\nseed = 1\n" + sine_list, "x\n0\n5\n3\n");
  const auto annotator = make_rehearsal(desk.study), again = make_rehearsal(same.study);
  const double seventh = annotator->annotate(desk.ask(7, 1)), eighth = annotator->annotate(desk.ask(8, 1));
  EXPECT_NE(seventh, eighth);
  EXPECT_EQ(again->annotate(same.ask(8, 1)), eighth);
  EXPECT_EQ(again->annotate(same.ask(7, 1)), seventh);
  EXPECT_NE(make_rehearsal(other.study)->annotate(other.ask(7, 1)), seventh);
}

TEST(Rehearsal, ALevelThatRepeatsItselfSaysTheSameAgain) {
  const Desk desk(with(with(sine_list, "noise_sd", "0.5\nrepeat = \"same\""), "name", "\"rough\""),
                  "x\n0\n5\n3\n");
  ASSERT_TRUE(desk.study.offer().levels[0].repeats_itself);
  const auto annotator = make_rehearsal(desk.study);
  const double once = annotator->annotate(desk.ask(1, 1));
  EXPECT_EQ(annotator->annotate(desk.ask(2, 1)), once);
  EXPECT_NE(annotator->annotate(desk.ask(2, 0)) - 0.0, once - 0.2 * 5.0 * std::sin(15.0))
      << "other points have noise of their own";
  EXPECT_NE(annotator->annotate(desk.ask(2, 1, 1)), annotator->annotate(desk.ask(3, 1, 1)))
      << "and other levels do not repeat themselves";
}

TEST(Rehearsal, OfTwoClassesIsTheSignRightAsOftenAsTheLevelSays) {
  const Desk desk(
      "[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n"
      "[[level]]\nname = \"crowd\"\naccuracy = 0.75\ncost = 1\n[annotator]\nsimulated = \"sine\"\n",
      "x\n0.5\n1.5\n");
  const auto annotator = make_rehearsal(desk.study);
  EXPECT_NEAR(spread(desk, *annotator, 0, 0).first, 0.5, 0.05);
  EXPECT_NEAR(spread(desk, *annotator, 1, 0).first, -0.5, 0.05);
}

TEST(Rehearsal, OfATableAddsTheNoiseToTheTruth) {
  const Desk desk(truth_list);
  const auto annotator = desk.truth("id,y\nc,30\nextra,1\na,10\nb,20\n");
  EXPECT_NEAR(spread(desk, *annotator, 0, 0).first, 10.0, 0.04);
  const auto [mean, sd] = spread(desk, *annotator, 2, 1);
  EXPECT_NEAR(mean, 30.0, 0.008);
  EXPECT_NEAR(sd, 0.1, 0.006);
}

TEST(Rehearsal, OfATableMayKnowPointsByTheirInputs) {
  const Desk desk(truth_by_inputs, "x\n0\n5\n3\n");
  const auto annotator = desk.truth("y,x\n30,3.0\n20,5e0\n10,-0\n");
  EXPECT_NEAR(annotator->annotate(desk.ask(1, 0, 1)), 10.0, 1.0);
  EXPECT_NEAR(annotator->annotate(desk.ask(1, 1, 1)), 20.0, 1.0);
  EXPECT_NEAR(annotator->annotate(desk.ask(1, 2, 1)), 30.0, 1.0);
}

TEST(Rehearsal, AnswersOfALevelsOwnAreGivenAsTheyStand) {
  const Desk desk(truth_list);
  const auto both = desk.truth("case,y@coarse,y@fine\na,1,1.5\nb,2,2.5\nc,3,3.5\n");
  EXPECT_EQ(both->annotate(desk.ask(1, 1, 0)), 2.0);
  EXPECT_EQ(both->annotate(desk.ask(2, 1, 1)), 2.5);
  const auto one = desk.truth("case,y@coarse,y\na,1,1.5\nb,2,2.5\nc,3,3.5\n");
  EXPECT_EQ(one->annotate(desk.ask(1, 1, 0)), 2.0);
  EXPECT_NE(one->annotate(desk.ask(2, 1, 1)), 2.5);
}

TEST(Rehearsal, OfATableThatLacksSomethingIsRefusedBeforeTheFirstAnswer) {
  const Desk desk(truth_list);
  EXPECT_EQ(desk.complaint("id,y\na,1\nc,3\n"), "truth.csv: no line is about point \"b\" (" +
                                                    (desk.folder.path() / "pool.csv").string() +
                                                    ":3: x = 5), must have one for every point");
  EXPECT_EQ(desk.complaint("id,y\na,1\nb,inf\nc,3\n"),
            "truth.csv:3: column \"y\" is \"inf\", must be a finite number");
  EXPECT_EQ(desk.complaint("id,y\na,1\nb,\nc,3\n"), "no complaint") << "a run that fails";
  EXPECT_EQ(desk.complaint("id,y\na,1\nb,2\nb,2\nc,3\n"),
            "truth.csv:4: is about the same point as line 3, must be one line per point");
  EXPECT_EQ(desk.complaint("id,y@corse,y\na,1,1\n"), "truth.csv: no line is about point \"b\" (" +
                                                         (desk.folder.path() / "pool.csv").string() +
                                                         ":3: x = 5), must have one for every point");
  EXPECT_EQ(desk.complaint("id,y@corse,y\na,1,1\nb,1,1\nc,1,1\n"),
            "truth.csv:1: column \"y@corse\" names no level, must be \"y\" or \"y@coarse\"");
  EXPECT_TRUE(
      desk.complaint("id,y@coarse\na,1\nb,1\nc,1\n").starts_with("truth.csv:1: column \"y\" is missing"));
  const Desk by_inputs(truth_by_inputs, "x\n0\n5\n3\n");
  EXPECT_EQ(
      by_inputs.complaint("x,y\n0,1\n5,1\n3,1\n5,2\n"),
      "truth.csv:5: is about the same point as line 3, must be one line per point (an \"id\" column tells "
      "equal inputs apart)");
}

TEST(Rehearsal, ClassesInATableMayBeNames) {
  const Desk desk(
      "[pool]\nfile = \"pool.csv\"\nid = \"case\"\n[target]\nkind = \"binary\"\nclasses = [\"no\", \"yes\"]\n"
      "[[level]]\nname = \"expert\"\naccuracy = 1\ncost = 1\n[annotator]\nsimulated = \"truth\"\n");
  const auto annotator = desk.truth("id,y\na,no\nb,yes\nc,1\n");
  EXPECT_EQ(annotator->annotate(desk.ask(1, 0)), -1.0);
  EXPECT_EQ(annotator->annotate(desk.ask(1, 1)), 1.0);
  EXPECT_EQ(annotator->annotate(desk.ask(1, 2)), 1.0);
  EXPECT_EQ(desk.complaint("id,y\na,no\nb,maybe\nc,1\n"),
            "truth.csv:3: column \"y\" is \"maybe\", must be \"no\" or \"yes\" (or -1 or 1, or 0 or 1)");
}

TEST(Rehearsal, IsForSimulatedAnnotatorsOnly) {
  const Desk desk(price_list_study(), "x\n0\n");
  EXPECT_THROW(make_rehearsal(desk.study), std::invalid_argument);
}

}  // namespace
}  // namespace acuity::rehearsal_test
