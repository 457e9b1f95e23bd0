#include "experiments/problem.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/data/observation.hpp"
#include "experiments/sine_data.hpp"
#include "experiments/table_data.hpp"
#include "experiments/toy_data.hpp"
#include "support/program.hpp"

namespace acuity::problem_test {
namespace {

Suggestion asking(const Problem& problem, Index row, const Channel& channel) {
  Suggestion asked;
  asked.row = row;
  const Points x = problem.points.points().row(row);
  asked.inputs.assign(x.data(), x.data() + x.size());
  asked.channel = channel;
  return asked;
}

// math.md 10
TEST(SineData, IsThePapers) {
  const Problem uniform = sine_problem({}, Precisions::ladder, {4000, 2000}, {});
  const Problem skewed = sine_problem({.skewed = true}, Precisions::ladder, {4000, 2000}, {});
  const auto in_first_half = [](const Problem& problem, Index begin, Index count) {
    const Points x = problem.points.points().middleRows(begin, count);
    return static_cast<double>((x.array() < 2.5).count()) / static_cast<double>(count);
  };
  EXPECT_NEAR(in_first_half(uniform, 0, 4000), 0.5, 0.03);
  EXPECT_NEAR(in_first_half(skewed, 0, 4000), 0.9, 0.02);
  EXPECT_NEAR(in_first_half(skewed, 4000, 2000), 0.5, 0.04) << "the test set is uniform";
  ASSERT_EQ(uniform.offer.levels.size(), 100U);
  EXPECT_DOUBLE_EQ(uniform.offer.levels.front().cost, 0.1);
  EXPECT_EQ(uniform.offer.levels.back().cost, 1.0);
  EXPECT_DOUBLE_EQ(noise_variance(uniform.offer.levels.front().channel), 0.09);
  double squares = 0.0;  // of the test answers' noise: 0.01 (1 + 1/3) on average
  for (Index i = 0; i < 2000; ++i) {
    const double x = uniform.points.points()(4000 + i, 0);
    squares += std::pow(uniform.test_values(i) - 0.2 * x * std::sin(3.0 * x), 2);
  }
  EXPECT_NEAR(squares / 2000, 0.01333, 0.0015);
}

TEST(SineData, OffersAnyPrecisionOnlyWhereOneBetweenTheEndsCanWin) {
  const auto offer = [](double q, Precisions precisions) {
    return sine_problem({.q = q}, precisions, {50, 10}, {});
  };
  EXPECT_TRUE(offer(0.8, Precisions::any).continuous);
  EXPECT_FALSE(offer(1.0, Precisions::any).continuous) << "math.md 5.3: the ends";
  EXPECT_EQ(offer(1.0, Precisions::any).offer.levels.size(), 2U);
  EXPECT_FALSE(offer(0.8, Precisions::ladder).continuous);
}

TEST(ToyData, HasItsBlocks) {
  const auto share_in = [](const Problem& problem, double low, double high) {
    const Points x = problem.points.points().topRows(problem.pool);
    Index inside = 0;
    for (Index i = 0; i < x.rows(); ++i)
      inside += x(i, 0) >= low && x(i, 0) < high && x(i, 1) >= low && x(i, 1) < high;
    return static_cast<double>(inside) / static_cast<double>(x.rows());
  };
  const auto problem = [](ToySet set) {
    return toy_problem({.set = set}, Precisions::ladder, {4000, 500}, {});
  };
  EXPECT_NEAR(share_in(problem(ToySet::noisy_block), -0.3, 0.3), 0.8, 0.02);
  EXPECT_NEAR(share_in(problem(ToySet::far_block), -2.0, -1.5), 0.8, 0.02);
  const Problem checkers = problem(ToySet::checkers);
  for (Index i = 0; i < checkers.pool; ++i)
    for (Index k = 0; k < 2; ++k) {
      const double x = checkers.points.points()(i, k), in_block = x - std::floor(x);
      EXPECT_LT(in_block, 0.5);
      EXPECT_LT(x, 1.5);
    }
}

TEST(ToyData, ClassesAreThePapers) {
  EXPECT_EQ(clean_class(ToySet::noisy_block, -0.1, 1.9), 1.0);
  EXPECT_EQ(clean_class(ToySet::far_block, 0.1, -1.9), -1.0);
  EXPECT_EQ(clean_class(ToySet::checkers, -1.9, -1.6), 1.0);
  EXPECT_EQ(clean_class(ToySet::checkers, -1.9, -0.9), -1.0);
  EXPECT_EQ(clean_class(ToySet::checkers, -1.9, 0.2), 1.0);
  EXPECT_EQ(clean_class(ToySet::checkers, 1.2, -1.7), -1.0);
}

TEST(ToyData, AnswersAreFlippedAsOftenAsTheChannelSays) {
  const Problem problem = toy_problem({.set = ToySet::far_block}, Precisions::ladder, {2000, 10}, {});
  numerics::Draws draws(1, numerics::Purpose::answer);
  int right = 0;
  for (Index row = 0; row < 2000; ++row) {
    const Suggestion asked = asking(problem, row, FlipChannel{0.8});
    right += problem.answer(asked, draws) == clean_class(ToySet::far_block, asked.inputs[0], asked.inputs[1]);
  }
  EXPECT_NEAR(right / 2000.0, 0.8, 0.03);
  EXPECT_EQ(std::get<FlipChannel>(problem.offer.levels.front().channel).accuracy(), 0.8);
  EXPECT_EQ(std::get<FlipChannel>(problem.offer.levels.back().channel).accuracy(), 1.0);
}

TEST(ToyData, TheMiddleBlockIsNearlyACoin) {
  const Problem problem = toy_problem({.set = ToySet::noisy_block}, Precisions::any, {4000, 10}, {});
  numerics::Draws draws(1, numerics::Purpose::answer);
  int plus = 0, inside = 0;
  for (Index row = 0; row < 4000; ++row) {
    const Suggestion asked = asking(problem, row, FlipChannel{1.0});
    if (std::abs(asked.inputs[0]) >= 0.3 || std::abs(asked.inputs[1]) >= 0.3) continue;
    ++inside;
    plus += problem.answer(asked, draws) > 0.0;
  }
  EXPECT_NEAR(static_cast<double>(plus) / inside, 0.6, 0.03);
}

std::string rows(int count) {
  std::string text = "cement,a,b,c,d,e,f,g,strength\n";
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < 8; ++k) text += std::to_string(i * 10 + k) + ",";
    text += std::to_string(1000 + i) + "\n";
  }
  return text;
}

TEST(TableData, SplitsFourToOneAndTellsTheTablesValues) {
  const Table table = Table::parse(rows(100), "table.csv");
  const Problem problem = table_problem(table, Precisions::ladder, {1000, 1000}, {.seed = 1, .number = 2});
  EXPECT_EQ(problem.pool, 80);
  EXPECT_EQ(problem.test(), 20);
  numerics::Draws draws(1, numerics::Purpose::answer);
  for (Index row = 0; row < 80; ++row) {
    const double i = problem.points.points()(row, 0) / 10.0;
    EXPECT_EQ(problem.answer(asking(problem, row, GaussianChannel{1e-3}), draws), 1000.0 + i)
        << "an answer of the highest precision is the table's value";
  }
  EXPECT_NE(problem.answer(asking(problem, 0, GaussianChannel{1.001}), draws),
            1000.0 + problem.points.points()(0, 0) / 10.0);
  const Problem other = table_problem(table, Precisions::ladder, {1000, 1000}, {.seed = 1, .number = 3});
  EXPECT_NE(problem.points.points()(0, 0), other.points.points()(0, 0));
}

TEST(TableData, KnowsATableByItsCells) {
  const std::string text = rows(100);
  std::string other = text;
  other[other.size() - 2] = other[other.size() - 2] == '1' ? '2' : '1';
  const auto checksum = [](const std::string& of) { return table_checksum(Table::parse(of, "table.csv")); };
  EXPECT_EQ(checksum(text), checksum(text));
  EXPECT_NE(checksum(text), checksum(other));
}

TEST(TableData, SaysWhichTableItExpects) {
  const testing::Folder folder;
  const auto complaint = [&] {
    try {
      read_expected_table(concrete_table(), folder.path());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no complaint");
  };
  EXPECT_NE(
      complaint().find("concrete.csv does not exist, must be a CSV file with 1030 rows and 9 columns, the "
                       "first \"cement\", the last \"strength\""),
      std::string::npos)
      << complaint();
  folder.write("concrete.csv", rows(1029));
  EXPECT_NE(complaint().find("has 1029 rows and 9 columns"), std::string::npos) << complaint();
  folder.write("concrete.csv", rows(1030));
  EXPECT_EQ(complaint(), "no complaint");
}

}  // namespace
}  // namespace acuity::problem_test
