// Numbers at the ends of what is accepted: the report of such a campaign is a page like any other.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <regex>

#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "numerics/random.hpp"
#include "pages/campaign_page.hpp"
#include "pictures/svg_canvas.hpp"
#include "support/memory_campaigns.hpp"
#include "views/campaign_data.hpp"
#include "views/campaign_status.hpp"

namespace acuity::extreme_numbers_test {
namespace {

using testing::MemoryCampaign;

// No coordinate, length or radius of a picture is anything but a number.
void expect_drawable(const std::string& page) {
  static const std::regex wrong("(?:[ \"MLHVhvz,(]|=\")-?(?:nan|inf)", std::regex::icase);
  std::size_t from = 0;
  while ((from = page.find("<svg", from)) != std::string::npos) {
    const std::size_t to = page.find("</svg>", from);
    ASSERT_NE(to, std::string::npos);
    for (std::size_t at = from; (at = page.find('<', at)) < to;) {
      const std::size_t end = page.find('>', at);
      const std::string tag = page.substr(at, end - at);
      std::smatch found;
      const std::size_t begin = tag.find_first_of(" ");
      if (begin != std::string::npos && !tag.starts_with("<style") && !tag.starts_with("<svg")) {
        const std::string attributes = tag.substr(begin);
        EXPECT_FALSE(std::regex_search(attributes, found, wrong)) << tag.substr(0, 300);
      }
      at = end;
    }
    from = to;
  }
  EXPECT_EQ(page.find(">nan<"), std::string::npos);
  EXPECT_EQ(page.find("-nan"), std::string::npos);
}

// False: the numbers are of too different a size for the mathematics, and that was said.
bool expect_page(Campaign& campaign) {
  const auto before = std::chrono::steady_clock::now();
  CampaignData data;
  try {
    data = campaign_data(campaign, std::nullopt);
  } catch (const NumericalError&) {
    return false;
  }
  const std::string page =
      campaign_page(data, campaign_figures(data), {.version = "0", .command = "acuity report"});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - before;
  EXPECT_LT(page.size(), std::size_t{5'000'000});
  EXPECT_LT(taken.count(), 5.0);
  expect_drawable(page);
  EXPECT_FALSE(status_text(campaign).empty());
  EXPECT_FALSE(status_json(campaign).empty());
  return true;
}

Answer answer_to(const Suggestion& asked, double value, double cost) {
  Answer answer;
  answer.id = asked.id;
  answer.values = {value};
  answer.cost = cost;
  return answer;
}

int campaigns() {
  const char* wanted = std::getenv("ACUITY_EXTREME_CAMPAIGNS");
  return wanted == nullptr ? 24 : std::atoi(wanted);
}

double of_any_size(numerics::Draws& draws, double least, double most) {
  switch (draws.below(4)) {
    case 0:
      return least;
    case 1:
      return most;
    case 2:
      return 1.0;
    default:
      return std::exp(draws.uniform(std::log(least), std::log(most)));
  }
}

TEST(ExtremeNumbers, MakeAPageLikeAnyOther) {
  int pages = 0;
  for (int number = 0; number < campaigns(); ++number) {
    SCOPED_TRACE(number);
    numerics::Draws draws(11, numerics::Purpose::data, static_cast<std::uint32_t>(number));
    const bool two_inputs = number % 3 == 2;
    std::string pool = two_inputs ? "x,z\n" : "x\n";
    for (int k = 0; k < 12; ++k)
      pool += two_inputs ? fmt::format("{},{}\n", k, k % 3) : fmt::format("{}\n", k);
    const double price = of_any_size(draws, 1e-300, 1e14), dearer = of_any_size(draws, 1e-300, 1e14);
    const std::string levels = fmt::format(
        "[[level]]\nname = \"coarse\"\nnoise_sd = {}\ncost = {}\n[[level]]\nname = \"fine\"\nnoise_sd = "
        "{}\ncost = "
        "{}\n",
        of_any_size(draws, 1e-150, 1e150), price, of_any_size(draws, 1e-150, 1e150), dearer);
    MemoryCampaign campaign("[campaign]\n[pool]\nfile = \"pool.csv\"\n" + levels, pool);
    const std::int64_t asked = 1 + draws.below(9);
    const double equal = of_any_size(draws, 1e-300, 1e150);
    AskResult result;
    try {
      result = campaign->ask({.count = asked, .worker = {}});
    } catch (const NumericalError&) {
      continue;
    }
    for (const Suggestion& one : result.suggestions) {
      if (draws.below(4) == 0) continue;  // stays pending
      const double size = number % 4 == 0 ? equal : of_any_size(draws, 1e-300, 1e150);
      Answer answer = answer_to(one, number % 4 == 0 || draws.below(2) == 0 ? size : -size,
                                of_any_size(draws, 1e-300, 0.05 * largest_amount));
      if (draws.below(3) == 0)
        answer.channel = GaussianChannel{std::pow(of_any_size(draws, 1e-150, 1e149), 2.0)};
      campaign->tell({answer});
    }
    pages += expect_page(*campaign) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GE(pages, campaigns() / 3);
}

// What the attack found: one answer of 1e17 made an axis whose ticks never ended.
TEST(ExtremeNumbers, OfOneAnswerAlone) {
  for (const double cost : {1e-300, 1.0, 0.9 * largest_amount}) {
    MemoryCampaign campaign(testing::two_level_study(), testing::pool_on_a_line(10, 3.0));
    campaign->tell({answer_to(campaign->ask().suggestions.at(0), 0.5, cost)});
    EXPECT_TRUE(expect_page(*campaign));
  }
}

TEST(ExtremeNumbers, SpendingThatDiffersByTheLastDigit) {
  MemoryCampaign campaign(testing::two_level_study(), testing::pool_on_a_line(10, 3.0));
  campaign->tell({answer_to(campaign->ask().suggestions.at(0), 0.5, 0.9 * largest_amount)});
  for (int k = 0; k < 5; ++k)
    campaign->tell({answer_to(campaign->ask().suggestions.at(0), 1.0 + 1e-16, 0.125)});
  EXPECT_TRUE(expect_page(*campaign));
}

TEST(ExtremeNumbers, OfABudgetOfNothing) {
  MemoryCampaign campaign(testing::two_level_study("budget = 0"), testing::pool_on_a_line(10, 3.0));
  EXPECT_NE(status_text(*campaign).find("0 of 0 spent"), std::string::npos);
  EXPECT_TRUE(expect_page(*campaign));
}

TEST(ExtremeNumbers, AsTicksAreFew) {
  const std::vector<double> ends{-1e308, -1e150, -1.0, 0.0,  5e-324, 1e-310, 1e-300, 0.1,
                                 1.0,    1e15,   1e16, 1e17, 1e150,  1e300,  1.7e308};
  for (const double low : ends)
    for (const double high : ends)
      for (const double further : {0.0, 1e-16, 0.5}) {
        const double to = high + further * std::abs(high);
        if (!std::isfinite(to)) continue;
        const Axis linear = Axis::linear(low, to, 10.0, 90.0);
        for (const int about : {1, 6, 8}) EXPECT_LE(linear.ticks(about).size(), 40U) << low << " " << to;
        EXPECT_LE(ticks_side_by_side(linear).size(), 40U);
        const Axis logarithmic = Axis::logarithmic(low, to, 10.0, 90.0);
        EXPECT_LE(logarithmic.ticks().size(), 60U) << low << " " << to;
        for (const Axis& axis : {linear, logarithmic}) {
          for (const double value : {low, to, 1.0, std::nan("")}) {
            EXPECT_GE(axis.at(value), 10.0 - 1e-6) << low << " " << to << " " << value;
            EXPECT_LE(axis.at(value), 90.0 + 1e-6) << low << " " << to << " " << value;
          }
          for (const double tick : axis.ticks()) EXPECT_FALSE(tick_text(tick).empty());
        }
      }
}

}  // namespace
}  // namespace acuity::extreme_numbers_test
