// Who shares an accuracy with whom: people with few answers have the accuracy of their level.
#include "model/people_accuracies.hpp"

#include <gtest/gtest.h>

#include "acuity/model/kernel.hpp"
#include "model/person_accuracy.hpp"

namespace acuity::people_accuracies_test {
namespace {

constexpr Index items = 12;

Prior prior() {
  return {.kernel = std::make_shared<StationaryKernel>(
              StationaryKernelOptions{.amplitude = 3.0, .lengthscale = Vector::Constant(1, 1.0)})};
}

Points line() {
  Points points(items, 1);
  for (Index i = 0; i < items; ++i) points(i, 0) = 0.4 * static_cast<double>(i);
  return points;
}

// Answers of a person to the first items, every `wrong`-th of them wrong; 0: none.
void answer(std::vector<PersonAnswer>& answers, const std::string& person, Index count, Index wrong) {
  for (Index i = 0; i < count; ++i) {
    const double clean = i < items / 2 ? 1.0 : -1.0;
    const bool is_wrong = wrong > 0 && i % wrong == wrong - 1;
    answers.push_back({.item = i, .y = is_wrong ? -clean : clean, .person = person, .level = 0});
  }
}

TEST(PeopleAccuracies, FiveAnswersGiveAPersonAnAccuracyOfTheirOwn) {
  std::vector<PersonAnswer> answers;
  answer(answers, "anna", items, 0);
  answer(answers, "bert", 5, 0);
  answer(answers, "carl", 4, 0);
  const LearnedAccuracies learned = learn_accuracies(prior(), line(), answers, {}, {{0.8, 20.0}});
  ASSERT_EQ(learned.people.size(), 2U);
  EXPECT_EQ(learned.people[0].person, "anna");
  EXPECT_EQ(learned.people[1].person, "bert");
  EXPECT_EQ(learned.find("carl", 0), nullptr);
  EXPECT_EQ(learned.of("carl", 0), learned.level[0]);
  EXPECT_GT(learned.of("anna", 0), learned.of("bert", 0)) << "she has more right answers";
}

TEST(PeopleAccuracies, OfALevelThatIsGivenStayAsTheyAre) {
  std::vector<PersonAnswer> answers;
  answer(answers, "anna", items, 3);
  for (PersonAnswer& one : answers) one.level.reset(), one.accuracy = 0.7;
  const LearnedAccuracies learned = learn_accuracies(prior(), line(), answers, {}, {{0.7, 0.0}});
  EXPECT_EQ(learned.level, std::vector{0.7});
  EXPECT_EQ(learned.level_sd, std::vector{0.0});
  EXPECT_TRUE(learned.people.empty());
}

TEST(PeopleAccuracies, TheGuessOfALevelMovesTowardsItsPeople) {
  std::vector<PersonAnswer> answers;
  answer(answers, "anna", items, 2);
  const LearnedAccuracies learned = learn_accuracies(prior(), line(), answers, {}, {{0.9, 20.0}});
  // All answers are hers, so the accuracy of the level is the declared one and hers, by their weights.
  const double own = learned.of("anna", 0);
  EXPECT_LT(own, 0.9);
  EXPECT_NEAR(learned.level[0], (20.0 * 0.9 + items * own) / (20.0 + items), 1e-12);
}

TEST(PeopleAccuracies, AnswersToGoldItemsCount) {
  std::vector<PersonAnswer> answers;
  answer(answers, "anna", 6, 0);
  const std::vector<GoldAnswer> wrong(6, {.person = "anna", .level = 0, .is_right = false});
  const std::vector<LevelAccuracy> levels{{0.8, 20.0}};
  EXPECT_LT(learn_accuracies(prior(), line(), answers, wrong, levels).of("anna", 0),
            learn_accuracies(prior(), line(), answers, {}, levels).of("anna", 0));
  // Without other answers gold items are all that is known: eq. (15.1).
  const LearnedAccuracies alone = learn_accuracies(prior(), line().topRows(0), {}, wrong, levels);
  EXPECT_NEAR(alone.of("anna", 0), 0.8 * 20.0 / 26.0, 1e-9);
}

}  // namespace
}  // namespace acuity::people_accuracies_test
