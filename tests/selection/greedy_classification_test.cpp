// The golden traces of classification, step by step: belief, information, cost and choice together.
#include <gtest/gtest.h>

#include <cmath>

#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/selection/selector.hpp"
#include "support/golden.hpp"

namespace acuity::greedy_classification_test {
namespace {

using testing::close;
using testing::golden;

Acquisition acquisition(const std::string& name) {
  const bool taylor = name.ends_with("taylor");
  Acquisition a{.information = std::make_shared<ClassModelInformation>(taylor ? Approximation::taylor
                                                                              : Approximation::exact)};
  if (name.starts_with("bald")) a.ranking = Ranking::information;
  if (name.starts_with("mi_y"))
    a.information =
        std::make_shared<ClassTargetInformation>(name == "mi_y_b" ? TargetGraph::b : TargetGraph::c);
  return a;
}

Offer offer(const nlohmann::json& g, const nlohmann::json& cost) {
  Offer result{.levels = {}, .base_noise = Vector::Zero(static_cast<Index>(g.at("X_pool").size()))};
  for (std::size_t k = 0; k < g.at("alphas").size(); ++k) {
    const double alpha = g.at("alphas")[k];
    result.levels.push_back(
        {.alpha = alpha,
         .channel = FlipChannel{g.at("w_levels")[k]},
         .cost = cost.at("b").get<double>() +
                 cost.at("c").get<double>() * std::pow(alpha, cost.at("q").get<double>())});
  }
  return result;
}

TEST(GreedyClassification, FollowsTheGoldenTracesStepByStep) {
  const auto& g = golden("greedy_classification");
  const Points pool = testing::points(g.at("X_pool")), initial = testing::points(g.at("X_init"));
  int steps = 0;
  for (const auto& trace : g.at("traces")) {
    SCOPED_TRACE(trace.at("acquisition").get<std::string>() + " " + trace.at("cost").dump() + " " +
                 trace.at("labels").get<std::string>());
    const Prior prior{.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
                          .amplitude = trace.at("a"), .lengthscale = Vector::Constant(1, trace.at("l"))})};
    std::vector<Observation> known;
    for (Index i = 0; i < initial.rows(); ++i)
      known.push_back({.place = Place(initial.row(i).transpose()),
                       .value = g.at("y_init")[static_cast<std::size_t>(i)],
                       .channel = FlipChannel{g.at("w_init")[static_cast<std::size_t>(i)]}});
    EpPoolBelief belief(prior, pool, known);
    const Offer levels = offer(g, trace.at("cost"));
    const Acquisition choice = acquisition(trace.at("acquisition"));
    Selector selector(levels, choice, 1);
    const double budget = trace.at("budget");
    Candidates candidates(levels, {.budget = budget});
    const auto& labels = g.at("y_table_" + trace.at("labels").get<std::string>());
    for (const auto& step : trace.at("steps")) {
      const std::optional<Score> best = select_by_full_scan(belief.marginals(), levels, choice, candidates);
      ASSERT_TRUE(best);
      ASSERT_EQ(best->point, step.at("index").get<Index>());
      ASSERT_EQ(best->level, step.at("level").get<Index>());
      const std::optional<Score> screened = selector.choose(belief, candidates);
      ASSERT_EQ(screened->point, best->point);
      ASSERT_EQ(screened->level, best->level);
      EXPECT_TRUE(close(best->value, step.at("objective"), 1e-10));
      EXPECT_TRUE(close(best->information, step.at("mi"), 1e-10));
      EXPECT_TRUE(close(belief.marginals().mean(best->point), step.at("latent_mean"), 1e-10));
      EXPECT_TRUE(close(belief.marginals().variance(best->point), step.at("latent_var"), 1e-10));
      const double label =
          labels[static_cast<std::size_t>(best->point)][static_cast<std::size_t>(best->level)];
      ASSERT_EQ(label, step.at("label").get<double>());
      belief.condition(best->point, levels.channel(best->point, best->level), label);
      EXPECT_TRUE(close(belief.posterior().log_evidence(), step.at("log_z_after"), 1e-10));
      EXPECT_TRUE(close(belief.posterior().sites().precision.minCoeff(), step.at("min_tau_after"), 1e-10));
      candidates.buy(*best);
      EXPECT_TRUE(close(candidates.remaining(), step.at("remaining"), 1e-10));
      ++steps;
    }
    if (static_cast<int>(trace.at("steps").size()) < trace.at("max_steps").get<int>()) {
      EXPECT_FALSE(select_by_full_scan(belief.marginals(), levels, choice, candidates));
    }
    EXPECT_EQ(belief.cold_starts(), 0);
  }
  EXPECT_EQ(steps, 181);
}

// math.md 5.4: information is convex in the accuracy, so under a linear cost an end of the ladder wins
// everywhere.
TEST(GreedyClassification, UnderALinearCostAnEndOfTheLadderWins) {
  const auto& g = golden("greedy_classification");
  Marginals belief{Vector::LinSpaced(40, -3.0, 3.0), Vector::LinSpaced(40, 0.05, 4.0)};
  const Offer levels = offer(g, {{"b", 0.1}, {"c", 0.9}, {"q", 1.0}});
  for (const std::string name : {"mi_f_exact", "mi_y_b", "mi_y_c"})
    for (const Score& score : score_pool(belief, levels, acquisition(name), Candidates(levels)))
      EXPECT_TRUE(score.level == 0 || score.level == 10) << name << " " << score.point;
}

}  // namespace
}  // namespace acuity::greedy_classification_test
