// What the picture says pays, held against the selection and against looking at every precision.
#include "explain/break_even_view.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "acuity/acquisition/classification_information.hpp"
#include "acuity/acquisition/regression_information.hpp"
#include "acuity/selection/full_scan.hpp"
#include "numerics/random.hpp"
#include "support/campaigns.hpp"
#include "support/memory_campaigns.hpp"
#include "text/level_text.hpp"

namespace acuity::break_even_view_test {
namespace {

using testing::MemoryCampaign;

std::optional<BreakEven> view_of(MemoryCampaign& campaign) {
  return break_even_view(campaign->study(), CampaignModel(campaign->study(), campaign->state()));
}

// What would be asked for at a point that is known so well.
Level bought_at(MemoryCampaign& campaign, double mean, double sd, double base_noise) {
  const StudyModel model = campaign->model();
  const Offer offer{.levels = model.offer.levels, .base_noise = Vector::Constant(1, base_noise)};
  const Marginals belief{Vector::Constant(1, mean), Vector::Constant(1, sd * sd)};
  return level_of(*select_by_full_scan(belief, offer, model.acquisition, Candidates(offer)), offer,
                  model.acquisition);
}

std::string price_list(numerics::Draws& draws, int count, const std::string& information) {
  std::string text = "[pool]\nfile = \"pool.csv\"\n[acquisition]\ninformation = \"" + information +
                     "\"\n[noise]\nvariance = \"0.01 * (1 + x)\"\n";
  double noise = draws.uniform(0.8, 2.0), cost = 1.0;
  for (int k = 0; k < count; ++k) {
    text += fmt::format("[[level]]\nname = \"l{}\"\nnoise_sd = {}\ncost = {}\n", k, noise, cost);
    noise *= draws.uniform(0.4, 0.8);
    cost *= draws.uniform(1.2, 3.0);
  }
  return text;
}

TEST(BreakEvenView, TheChoiceFlipsAtEveryCrossing) {
  int crossings = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    numerics::Draws draws(11, numerics::Purpose::data, seed);
    MemoryCampaign campaign(price_list(draws, 5, seed % 2 == 0 ? "model" : "target"),
                            testing::pool_on_a_line(7, 3.0));
    const BreakEven found = *view_of(campaign);
    ASSERT_FALSE(found.intervals.empty());
    EXPECT_EQ(found.intervals.front().from_sd, 0.0);
    EXPECT_DOUBLE_EQ(found.intervals.back().to_sd, 1.0);
    for (std::size_t k = 0; k + 1 < found.intervals.size(); ++k, ++crossings) {
      const double at = found.intervals[k].to_sd;
      EXPECT_EQ(found.intervals[k + 1].from_sd, at);
      EXPECT_EQ(bought_at(campaign, 0.0, at * (1 - 1e-6), found.base_noise).name, found.intervals[k].level)
          << seed << ": " << at;
      EXPECT_EQ(bought_at(campaign, 0.0, at * (1 + 1e-6), found.base_noise).name,
                found.intervals[k + 1].level)
          << seed << ": " << at;
    }
  }
  EXPECT_GT(crossings, 40);
}

TEST(BreakEvenView, ManyWinnersAreStairsThatTheSelectionClimbs) {
  const std::string pool = "[pool]\nfile = \"pool.csv\"\n";
  std::string list = pool;
  for (int k = 0; k < 16; ++k)
    list += fmt::format("[[level]]\nname = \"l{}\"\nnoise_sd = {}\ncost = {}\n", k, 1.2 * std::pow(0.78, k),
                        std::pow(1.55, k));
  const std::string ladder =
      pool +
      "[noise]\nvariance = 0.01\n[precision]\nalpha = { from = 1, to = inf, count = 60 }\n"
      "gamma = 0.09\ncost = { form = \"power\", c = 9.0, q = 0.6 }\n";
  for (const std::string& study : {list, ladder}) {
    MemoryCampaign campaign(study, testing::pool_on_a_line(7, 3.0));
    const BreakEven found = *view_of(campaign);
    ASSERT_TRUE(found.course);
    EXPECT_TRUE(found.intervals.empty());
    ASSERT_GT(found.course->sd.size(), 20U);
    const Level today = bought_at(campaign, 0.0, found.pool_sd.front(), found.base_noise);  // as all others
    EXPECT_EQ(found.today, describe(today));
    for (std::size_t k = 0; k + 1 < found.course->sd.size(); k += 2) {
      const double from = found.course->sd[k], to = found.course->sd[k + 1];
      ASSERT_EQ(found.course->best[k], found.course->best[k + 1]);
      for (const double share : {1e-4, 0.5, 1 - 1e-4}) {
        const Level level = bought_at(campaign, 0.0, from + share * (to - from), found.base_noise);
        EXPECT_DOUBLE_EQ(level.alpha ? 1.0 / *level.alpha : std::sqrt(noise_variance(level.channel)),
                         found.course->best[k])
            << from << " to " << to;
      }
    }
  }
}

struct ContinuousLadder {
  double q, c, gamma, noise;
  bool target;

  std::string study() const {
    return fmt::format(
        "[pool]\nfile = \"pool.csv\"\n[acquisition]\ninformation = \"{}\"\n[noise]\nvariance = {}\n"
        "[precision]\nalpha = {{ from = 1, to = inf, continuous = true }}\ngamma = {}\n"
        "cost = {{ form = \"power\", c = {}, q = {} }}\n",
        target ? "target" : "model", noise, gamma, c, q);
  }
  double value(double sd, double inverse) const {
    const double added = gamma * inverse;
    return (target ? target_information_c(sd * sd, noise, added) : model_information(sd * sd, noise, added)) *
           std::pow(1.0 + c * inverse, q);
  }
};

TEST(BreakEvenView, TheCurveOfAContinuousLadderIsTheBestOfAll) {
  constexpr int steps = 4000;
  for (const ContinuousLadder& ladder :
       {ContinuousLadder{0.6, 9.0, 0.09, 0.01, false}, ContinuousLadder{0.5, 4.0, 0.5, 0.02, false},
        ContinuousLadder{1.0, 9.0, 0.3, 0.001, false}, ContinuousLadder{2.0, 9.0, 0.3, 0.1, false},
        ContinuousLadder{0.6, 9.0, 0.2, 0.01, true}}) {
    MemoryCampaign campaign(ladder.study(), testing::pool_on_a_line(7, 3.0));
    const BreakEven found = *view_of(campaign);
    ASSERT_TRUE(found.course);
    for (std::size_t k = 0; k < found.course->sd.size(); k += 7) {
      const double sd = found.course->sd[k];
      double best = 0.0;
      for (int i = 0; i <= steps; ++i) best = std::max(best, ladder.value(sd, i / double{steps}));
      EXPECT_GE(ladder.value(sd, found.course->best[k]), best * (1 - 1e-8)) << ladder.q << " at " << sd;
    }
  }
}

TEST(BreakEvenView, AJumpIsDrawnWhereTheChoiceJumps) {
  const ContinuousLadder ladder{1.0, 9.0, 0.3, 0.001, false};
  MemoryCampaign campaign(ladder.study(), testing::pool_on_a_line(7, 3.0));
  const BreakEven::Course course = *view_of(campaign)->course;
  int jumps = 0;
  for (std::size_t k = 1; k < course.sd.size(); ++k) {
    if (course.best[k] - course.best[k - 1] < 0.5) continue;
    ++jumps;
    const double at = course.sd[k];
    EXPECT_LT(at - course.sd[k - 1], 1e-9);
    EXPECT_NEAR(ladder.value(at, 0.0), ladder.value(at, 1.0), 1e-6 * ladder.value(at, 0.0));
    EXPECT_TRUE(std::isinf(*bought_at(campaign, 0.0, at - 1e-6, ladder.noise).alpha));
    EXPECT_EQ(*bought_at(campaign, 0.0, at + 1e-6, ladder.noise).alpha, 1.0);
  }
  EXPECT_EQ(jumps, 1);
}

TEST(BreakEvenView, TheMapOfClassesHasTheWinnerOfEveryPlace) {
  const std::vector<std::pair<double, double>> levels{{0.7, 0.5}, {0.9, 1.5}, {0.99, 2.4}};
  std::string study = "[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n[model]\namplitude = 2\n";
  for (const auto& [accuracy, cost] : levels)
    study +=
        fmt::format("[[level]]\nname = \"right {}\"\naccuracy = {}\ncost = {}\n", accuracy, accuracy, cost);
  MemoryCampaign campaign(study, testing::pool_on_a_line(7, 3.0));
  const BreakEven::Map map = *view_of(campaign)->map;
  EXPECT_EQ(map.winners, (std::vector<std::string>{"right 0.9", "right 0.99"}));
  for (Index row = 0; row < map.best.rows(); row += 3)
    for (Index column = 0; column < map.best.cols(); column += 5) {
      const LatentMarginal latent{map.mean[static_cast<std::size_t>(column)],
                                  std::pow(map.sd[static_cast<std::size_t>(row)], 2)};
      std::string best;
      double most = 0.0;
      for (const auto& [accuracy, cost] : levels)
        if (const double value = class_model_information(latent, accuracy) / cost; value > most)
          most = value, best = fmt::format("right {}", accuracy);
      EXPECT_EQ(map.winners[static_cast<std::size_t>(map.best(row, column))], best)
          << latent.mean << ' ' << latent.variance;
    }
}

TEST(BreakEvenView, TheMapOfALadderOfClassesIsTheBestOfAll) {
  MemoryCampaign campaign(
      "[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n[model]\namplitude = 2\n[precision]\n"
      "alpha = { from = 0, to = 1, continuous = true }\ngamma = 0.2\nkappa = 0.78\n"
      "cost = \"0.3 + 0.7 * alpha^2.5\"\n",
      testing::pool_on_a_line(7, 3.0));
  const BreakEven found = *view_of(campaign);
  ASSERT_TRUE(found.map && found.map->winners.empty());
  EXPECT_EQ(found.scale, "α");
  const auto value = [](const LatentMarginal& latent, double alpha) {
    return class_model_information(latent, 0.78 + 0.2 * alpha) / (0.3 + 0.7 * std::pow(alpha, 2.5));
  };
  for (Index row = 1; row < found.map->best.rows(); row += 10)
    for (Index column = 1; column < found.map->best.cols(); column += 12) {
      const LatentMarginal latent{found.map->mean[static_cast<std::size_t>(column)],
                                  std::pow(found.map->sd[static_cast<std::size_t>(row)], 2)};
      double best = 0.0;
      for (int i = 0; i <= 300; ++i) best = std::max(best, value(latent, i / 300.0));
      EXPECT_GE(value(latent, found.map->best(row, column)), best * (1 - 1e-7));
    }
}

TEST(BreakEvenView, ThePoolStandsWhereItIsBelievedToStand) {
  MemoryCampaign campaign(testing::two_level_study("budget = 60"), testing::pool_on_a_line(9, 8.0));
  const auto largest = [&] {
    const std::vector<double> sd = view_of(campaign)->pool_sd;
    return *std::max_element(sd.begin(), sd.end());
  };
  EXPECT_NEAR(largest(), 1.0, 1e-12);
  campaign.go(5, [](const Suggestion&) { return 0.0; });
  EXPECT_NEAR(largest(), std::sqrt(campaign->belief().marginals().variance.maxCoeff()), 1e-9);
  EXPECT_LT(largest(), 0.99);
}

TEST(BreakEvenView, IsNoneWhereLevelsDoNotCompete) {
  for (const char* information : {"bald", "random"}) {
    MemoryCampaign campaign(
        testing::two_level_study() + "[acquisition]\ninformation = \"" + information + "\"\n",
        testing::pool_on_a_line(5, 3.0));
    EXPECT_FALSE(view_of(campaign)) << information;
  }
  MemoryCampaign one("[pool]\nfile = \"pool.csv\"\n[[level]]\nname = \"only\"\nnoise_sd = 0.1\ncost = 1\n",
                     testing::pool_on_a_line(5, 3.0));
  EXPECT_FALSE(view_of(one));
}

}  // namespace
}  // namespace acuity::break_even_view_test
