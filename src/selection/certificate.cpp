#include "acuity/selection/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "acuity/data/observation.hpp"
#include "data/as_size.hpp"
#include "numerics/infinite.hpp"

namespace acuity {

namespace {

// With more levels their sets are too many; any number of purchases is then assumed to be allowed.
constexpr std::size_t most_levels_in_sets = 8;

// A set of purchases at one point.
struct Option {
  double cost, information;
};

// A step from one set of purchases at a point to a better one: information per cost falls from step to step.
struct Step {
  double cost, information;

  double ratio() const { return information / cost; }
};

double information_of(double variance, double precision) {
  return variance > 0.0 ? 0.5 * std::log1p(variance * precision) : 0.0;
}

// The corners of the concave hull of (0, 0) and the options, as steps.
void append_hull(std::vector<Option>& options, std::vector<Step>& steps) {
  std::sort(options.begin(), options.end(), [](const Option& a, const Option& b) {
    return a.cost < b.cost || (a.cost == b.cost && a.information > b.information);
  });
  std::vector<Option> corners{{0.0, 0.0}};
  const auto slope = [](const Option& a, const Option& b) {
    return (b.information - a.information) / (b.cost - a.cost);
  };
  for (const Option& option : options) {
    if (option.information <= corners.back().information) continue;
    while (corners.size() > 1 &&
           slope(corners[corners.size() - 2], corners.back()) <= slope(corners.back(), option))
      corners.pop_back();
    corners.push_back(option);
  }
  for (std::size_t i = 1; i < corners.size(); ++i)
    steps.push_back(
        {corners[i].cost - corners[i - 1].cost, corners[i].information - corners[i - 1].information});
}

// The minimum over lambda in eq. (17.5) is by duality the most that fractions of the steps can bring.
double fill(std::vector<Step> steps, double budget) {
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.ratio() > b.ratio(); });
  double information = 0.0;
  for (const Step& step : steps) {
    if (step.cost >= budget) return information + budget * step.ratio();
    information += step.information;
    budget -= step.cost;
  }
  return information;
}

// math.md eq. (17.6). `prices`: r of every point, the money that buys as much precision as f has there.
double fill_with_water(std::vector<double> prices, double budget) {
  std::sort(prices.begin(), prices.end());
  double sum = 0.0;
  for (std::size_t m = 1; m <= prices.size(); ++m) {
    sum += prices[m - 1];
    const double lambda = static_cast<double>(m) / (2.0 * (budget + sum));
    if (m < prices.size() && lambda < 1.0 / (2.0 * prices[m])) continue;
    double information = 0.0;
    for (std::size_t i = 0; i < m; ++i) information += 0.5 * std::log(1.0 / (2.0 * lambda * prices[i]));
    return information;
  }
  return 0.0;
}

class Bound {
 public:
  Bound(const Vector& variance, const Offer& offer, const std::vector<Purchase>& bought, double budget)
      : variance_(variance), offer_(offer), budget_(budget) {
    for (const Purchase& one : bought) bought_.emplace(one.point, one.level);
    for (std::size_t k = 0; k < offer.levels.size(); ++k)
      if (offer.levels[k].cost <= budget + budget_slack(budget)) affordable_.push_back(k);
  }

  bool any_level_without_noise() const {
    for (const std::size_t k : affordable_)
      for (Index j = 0; j < variance_.size(); ++j)
        if (variance_(j) > 0.0 && !(noise(j, k) > 0.0)) return true;
    return false;
  }

  double one_per_point() const {
    std::vector<Step> steps;
    std::vector<Option> options;
    for (Index j = 0; j < variance_.size(); ++j) {
      options.clear();
      for (const std::size_t k : affordable_)
        if (!is_bought(j, k)) options.push_back({cost(k), information_of(variance_(j), 1.0 / noise(j, k))});
      append_hull(options, steps);
    }
    return fill(std::move(steps), budget_);
  }

  double one_per_level() const {
    if (affordable_.size() > most_levels_in_sets) return any_number();
    std::vector<Step> steps;
    std::vector<Option> options;
    std::vector<std::size_t> open;
    for (Index j = 0; j < variance_.size(); ++j) {
      open.clear();
      options.clear();
      for (const std::size_t k : affordable_)
        if (!is_bought(j, k)) open.push_back(k);
      for (unsigned set = 1; set < 1U << open.size(); ++set) {
        double price = 0.0, precision = 0.0;
        for (std::size_t i = 0; i < open.size(); ++i)
          if ((set >> i & 1U) != 0) price += cost(open[i]), precision += 1.0 / noise(j, open[i]);
        if (price <= budget_ + budget_slack(budget_))
          options.push_back({price, information_of(variance_(j), precision)});
      }
      append_hull(options, steps);
    }
    return fill(std::move(steps), budget_);
  }

  double any_number() const {
    std::vector<double> prices;
    for (Index j = 0; j < variance_.size(); ++j) {
      double lowest = infinite;
      for (const std::size_t k : affordable_) lowest = std::min(lowest, noise(j, k) * cost(k));
      if (variance_(j) > 0.0 && lowest < infinite) prices.push_back(lowest / variance_(j));
    }
    return fill_with_water(std::move(prices), budget_);
  }

 private:
  double cost(std::size_t level) const { return offer_.levels[level].cost; }
  double noise(Index point, std::size_t level) const {
    return offer_.base_noise(point) + noise_variance(offer_.levels[level].channel);
  }
  bool is_bought(Index point, std::size_t level) const {
    return bought_.contains({point, static_cast<Index>(level)});
  }

  const Vector& variance_;
  const Offer& offer_;
  double budget_;
  std::set<std::pair<Index, Index>> bought_;
  std::vector<std::size_t> affordable_;
};

}  // namespace

PurchaseRule purchase_rule(const Offer& offer, bool repeat_points) {
  const auto once = [](const Level& level) { return level.repeats_itself || level.bias.any(); };
  const bool any_once = std::any_of(offer.levels.begin(), offer.levels.end(), once);
  const bool all_once = std::all_of(offer.levels.begin(), offer.levels.end(), once);
  if (repeat_points && !all_once) return PurchaseRule::any_number;
  return any_once ? PurchaseRule::one_per_level : PurchaseRule::one_per_point;
}

double most_additional_information(const Vector& variance, const Offer& offer, PurchaseRule rule,
                                   const std::vector<Purchase>& bought, double budget) {
  const Bound bound(variance, offer, bought, budget);
  if (bound.any_level_without_noise()) return infinite;
  if (rule == PurchaseRule::one_per_point) return bound.one_per_point();
  if (rule == PurchaseRule::one_per_level) return bound.one_per_level();
  return bound.any_number();
}

}  // namespace acuity
