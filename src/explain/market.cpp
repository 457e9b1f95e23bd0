#include "explain/market.hpp"

#include <algorithm>
#include <cmath>

namespace acuity {

namespace {

// The zero of an increasing function between low and high, by bisection; `mean` gives the middle.
double crossing(double low, double high, const std::function<double(double)>& grows) {
  for (int step = 0; step < 200 && high - low > 1e-13 * std::abs(high); ++step) {
    const double middle = low > 0.0 && high / low > 4.0 ? std::sqrt(low * high) : 0.5 * (low + high);
    (grows(middle) > 0.0 ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

Level with_noise(Level level, double variance) {
  level.channel = GaussianChannel{variance, bias_of(level.channel)};
  return level;
}

Level with_accuracy(Level level, double accuracy) {
  level.channel = FlipChannel{accuracy};
  return level;
}

}  // namespace

Market::Market(const StudyModel& model, const Candidates& candidates, const Marginals& belief)
    : model_(model), candidates_(&candidates), belief_(belief) {}

Market::Market(const StudyModel& model, Index point, const Marginals& there)
    : model_(model), belief_(there), only_(point) {}

std::vector<Index> Market::open_points() const {
  std::vector<Index> open;
  if (candidates_ == nullptr) return {only_};
  for (Index row = 0; row < model_.offer.base_noise.size(); ++row)
    if (candidates_->is_open(row)) open.push_back(row);
  return open;
}

Market::Best Market::best_at(Index number, const Level& level) const {
  Offer one{.levels = {level}, .base_noise = model_.offer.base_noise};
  if (candidates_ == nullptr) one.base_noise = Vector::Constant(1, model_.offer.base_noise(only_));
  // Graph b compares with the best accuracy on offer, which must be included.
  if (number >= 0 && std::holds_alternative<FlipChannel>(level.channel)) {
    one.levels = model_.offer.levels;
    one.levels[static_cast<std::size_t>(number)] = level;
  }
  const Index here = one.levels.size() == 1 ? 0 : number;
  const std::vector<Index> wanted{here};
  Vector worth(one.base_noise.size());
  model_.acquisition.information->worth(belief_, one, 0, worth.size(), wanted, worth.data());
  if (candidates_ == nullptr) return {worth(0), only_};
  Best best;
  for (Index row = 0; row < worth.size(); ++row) {
    if (!(number >= 0 ? candidates_->is_open(row, number) : candidates_->is_open(row))) continue;
    if (best.point < 0 || worth(row) > best.information) best = {worth(row), row};
  }
  return best;
}

std::optional<double> noise_for(const Market& market, Index number, const Level& level, double needed) {
  const auto lack = [&](double variance) {
    return needed - market.best_at(number, with_noise(level, variance)).information;
  };
  const double own = std::max(noise_variance(level.channel), 1e-300);
  double low = own, high = own;
  for (int k = 0; k < 400 && lack(low) > 0.0; ++k) low /= 10.0;
  // Without any noise an answer may be worth any amount; what only such an answer would reach is not reached.
  constexpr double least_share = 1e-12;
  if (lack(low) > 0.0 || low < least_share * own) return std::nullopt;
  for (int k = 0; k < 400 && lack(high) <= 0.0; ++k) high *= 10.0;
  if (lack(high) <= 0.0) return std::nullopt;
  return std::sqrt(crossing(low, high, lack));
}

std::optional<double> accuracy_for(const Market& market, Index number, const Level& level, double needed) {
  const auto gain = [&](double accuracy) {
    return market.best_at(number, with_accuracy(level, accuracy)).information - needed;
  };
  if (gain(1.0) < 0.0) return std::nullopt;
  return crossing(0.5, 1.0, gain);
}

bool Rivals::are_beaten_by(double information, double cost) const {
  double ratio = information / cost;
  for (const Other& one : others_) ratio = std::max(ratio, one.information / one.cost);
  const double price = price_weight_ * ratio, value = information - price * cost;
  return std::all_of(others_.begin(), others_.end(),
                     [&](const Other& one) { return one.information - price * one.cost <= value; });
}

std::optional<double> Rivals::highest_price(double information, double affordable) const {
  const double lowest = 1e-12 * affordable;
  if (!(affordable > 0.0) || !are_beaten_by(information, lowest)) return std::nullopt;
  if (are_beaten_by(information, affordable)) return affordable;
  return crossing(lowest, affordable,
                  [&](double price) { return are_beaten_by(information, price) ? -1.0 : 1.0; });
}

std::optional<double> Rivals::least_information(double cost) const {
  double most = 1e-12;
  for (const Other& one : others_) most = std::max(most, one.information);
  for (int step = 0; step < 100 && !are_beaten_by(most, cost); ++step) most *= 2.0;
  if (!are_beaten_by(most, cost) || !std::isfinite(most)) return std::nullopt;
  return crossing(0.0, most,
                  [&](double information) { return are_beaten_by(information, cost) ? 1.0 : -1.0; });
}

}  // namespace acuity
