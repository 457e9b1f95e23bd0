// The pool as a goal: what stands for a pool that has more points than a goal may have (docs/math.md 13.4).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "acuity/study/study.hpp"
#include "data/pool_cells.hpp"
#include "numerics/random.hpp"

namespace acuity::goal_of_pool_test {
namespace {

using Cell = std::vector<Index>;

Points cloud(Index rows, Index inputs, std::uint32_t stream = 1) {
  numerics::Draws draws(36, numerics::Purpose::data, stream);
  Points points(rows, inputs);
  for (double& x : points.reshaped()) x = draws.normal();
  for (Index k = 0; k < inputs; ++k) points.col(k) *= std::pow(10.0, static_cast<double>(k));
  return points;
}

Cell all_rows(const Points& points) {
  Cell rows(static_cast<std::size_t>(points.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

double variance_of(const Points& points, const Cell& rows, Index input) {
  double mean = 0.0, squares = 0.0;
  for (const Index row : rows) mean += points(row, input) / static_cast<double>(rows.size());
  for (const Index row : rows) squares += std::pow(points(row, input) - mean, 2);
  return squares / static_cast<double>(rows.size());
}

// The slow twin: sorts whole cells and looks at every input again.
void halve(const Points& points, const Vector& spread, Cell rows, Index cells, std::vector<Cell>& found) {
  Index widest = -1;
  double largest = 0.0;
  for (Index k = 0; k < points.cols(); ++k) {
    bool is_constant = true;
    for (const Index row : rows) is_constant = is_constant && points(row, k) == points(rows.front(), k);
    if (is_constant) continue;
    const double here = variance_of(points, rows, k) / spread(k);
    if (here > largest) largest = here, widest = k;
  }
  if (cells == 1 || rows.size() == 1 || widest < 0) {
    std::sort(rows.begin(), rows.end());
    found.push_back(rows);
    return;
  }
  std::sort(rows.begin(), rows.end(), [&](Index a, Index b) {
    return std::pair(points(a, widest), a) < std::pair(points(b, widest), b);
  });
  const auto left = static_cast<std::ptrdiff_t>(rows.size() * static_cast<std::size_t>(cells / 2) /
                                                static_cast<std::size_t>(cells));
  halve(points, spread, Cell(rows.begin(), rows.begin() + left), cells / 2, found);
  halve(points, spread, Cell(rows.begin() + left, rows.end()), cells - cells / 2, found);
}

std::vector<Cell> cells_by_hand(const Points& points, Index most) {
  Vector spread(points.cols());
  for (Index k = 0; k < points.cols(); ++k) spread(k) = variance_of(points, all_rows(points), k);
  std::vector<Cell> found;
  halve(points, spread, all_rows(points), std::min(most, points.rows()), found);
  return found;
}

std::vector<Cell> cells(const Points& points, Index most, std::vector<InputTransform> inputs = {}) {
  inputs.resize(static_cast<std::size_t>(points.cols()), InputTransform::none);
  return cells_of(points, inputs, all_rows(points), most);
}

TEST(GoalOfPool, CellsAreThoseOfTheSlowTwin) {
  for (const Index inputs : {1, 3, 5})
    for (const Index most : {1, 2, 7, 64, 100, 333, 400}) {
      const Points points = cloud(333, inputs, static_cast<std::uint32_t>(inputs));
      EXPECT_EQ(cells(points, most), cells_by_hand(points, most)) << inputs << " inputs, " << most;
    }
}

TEST(GoalOfPool, EveryPointIsOfOneCellAndCellsAreNearlyEqual) {
  const Points points = cloud(5000, 4);
  const std::vector<Cell> found = cells(points, 300);
  ASSERT_EQ(found.size(), 300U);
  std::set<Index> seen;
  std::size_t smallest = 5000, largest = 0;
  for (const Cell& cell : found) {
    seen.insert(cell.begin(), cell.end());
    smallest = std::min(smallest, cell.size()), largest = std::max(largest, cell.size());
  }
  EXPECT_EQ(seen.size(), 5000U);
  EXPECT_GE(smallest, 15U);
  EXPECT_LE(largest, 18U) << "5000 / 300 is 16.7";
}

TEST(GoalOfPool, AConstantInputDividesNothing) {
  Points points = cloud(200, 2);
  points.col(1).setConstant(0.1);  // its mean is not exactly 0.1
  const std::vector<Cell> found = cells(points, 16);
  EXPECT_EQ(found, cells(Points(points.leftCols(1)), 16));
}

TEST(GoalOfPool, PointsThatAreTheSameShareACell) {
  Points points(60, 2);
  for (Index i = 0; i < 60; ++i) points.row(i) << static_cast<double>(i % 5) * 0.1, 0.3;
  const std::vector<Cell> found = cells(points, 30);
  EXPECT_LE(found.size(), 30U);
  std::set<double> values;
  std::size_t count = 0;
  for (const Cell& cell : found) {
    count += cell.size();
    values.insert(points(cell.front(), 0));
    for (const Index row : cell) {
      EXPECT_EQ(points(row, 0), points(cell.front(), 0)) << "a cell of one point";
    }
  }
  EXPECT_EQ(count, 60U);
  EXPECT_EQ(values.size(), 5U);
  EXPECT_EQ(cells(Points::Ones(40, 3), 10).size(), 1U) << "all the same";
}

TEST(GoalOfPool, ALogarithmicInputIsDividedByItsLogarithm) {
  Points points = cloud(400, 2);
  points.col(1) /= 10.0;
  Points raised = points;
  raised.col(1) = points.col(1).array().exp();
  EXPECT_EQ(cells(raised, 50, {InputTransform::none, InputTransform::log}), cells(points, 50));
  EXPECT_NE(cells(raised, 50), cells(points, 50));
}

Study study(const Points& points, const std::string& more = "", std::vector<Input> inputs = {}) {
  for (Index k = static_cast<Index>(inputs.size()); k < points.cols(); ++k)
    inputs.emplace_back("x" + std::to_string(k));
  return Study::make(read_study_text("[campaign]\nseed = 5\n[[level]]\nname = \"a\"\nnoise_sd = 0.1\ncost = "
                                     "1\n[acquisition]\ninformation = \"goal\"\n" +
                                     more),
                     Pool(points, names_of(inputs)).described(inputs));
}

double distance_to(const Points& goal, const Points& points) {
  double sum = 0.0;
  for (Index i = 0; i < points.rows(); ++i)
    sum += std::sqrt((goal.rowwise() - points.row(i)).rowwise().squaredNorm().minCoeff());
  return sum / static_cast<double>(points.rows());
}

TEST(GoalOfPool, StandsForThePoolWithWeightsThatAddUp) {
  Points points = cloud(2000, 3);
  const Study some = study(points, "[goal]\npoints = 120\n");
  ASSERT_NE(some.goal(), nullptr);
  EXPECT_EQ(some.goal()->size(), 120);
  EXPECT_NEAR(some.goal()->weights.sum(), 1.0, 1e-14);
  EXPECT_GE(some.goal()->weights.minCoeff(), 15.0 / 2000.0);
  EXPECT_LE(some.goal()->weights.maxCoeff(), 18.0 / 2000.0);
  EXPECT_EQ(some.goal()->points, study(points, "[goal]\npoints = 120\n").goal()->points) << "deterministic";
  StudyFile other_seed = some.file();
  other_seed.seed = 6;
  EXPECT_NE(Study::make(other_seed, some.pool()).goal()->points, some.goal()->points);
  for (Index m = 0; m < some.goal()->size(); ++m)
    EXPECT_EQ((points.rowwise() - some.goal()->points.row(m)).rowwise().squaredNorm().minCoeff(), 0.0)
        << "a point of the pool";
  EXPECT_EQ(study(points, "[goal]\npoints = 3000\n").goal()->size(), 2000) << "all of a small pool";
  EXPECT_EQ(study(points, "[goal]\npoints = 3000\n").goal()->weights, Vector::Constant(2000, 1.0 / 2000.0));
}

TEST(GoalOfPool, CoversThePoolBetterThanADraw) {
  Points points = cloud(1500, 3);
  for (Index k = 0; k < 3; ++k) points.col(k) /= std::pow(10.0, static_cast<double>(k));
  const double covered = distance_to(study(points, "[goal]\npoints = 100\n").goal()->points, points);
  numerics::Draws draws(37, numerics::Purpose::data, 2);
  int better = 0;
  for (int trial = 0; trial < 20; ++trial) {
    Points drawn(100, 3);
    for (Index m = 0; m < 100; ++m) drawn.row(m) = points.row(draws.below(1500));
    better += covered < distance_to(drawn, points);
  }
  EXPECT_GE(better, 19);
}

TEST(GoalOfPool, CategoriesAreAllOfIt) {
  Points points = cloud(900, 2);
  for (Index i = 0; i < 900; ++i) points(i, 1) = static_cast<double>(i % 3);
  Input solvent("solvent");
  solvent.type = InputType::category;
  solvent.values = {"DMF", "THF", "water"};
  const Study some = study(points,
                           "[goal]\npoints = 30\n[[input]]\nname = \"x0\"\n[[input]]\nname = "
                           "\"solvent\"\ntype = \"category\"\n",
                           {Input("x0"), solvent});
  Vector shares = Vector::Zero(3);
  for (Index m = 0; m < some.goal()->size(); ++m)
    shares(static_cast<Index>(some.goal()->points(m, 1))) += some.goal()->weights(m);
  EXPECT_GT(shares.minCoeff(), 0.15);
  EXPECT_LT(shares.maxCoeff(), 0.6);
}

}  // namespace
}  // namespace acuity::goal_of_pool_test
