#include "model/item_class.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/normal.hpp"

namespace acuity {

namespace {

constexpr double reach = 9.0;  // standard deviations
// Up to this variance nodes have equal distances in f, above it in asinh(f), because pi changes around f = 0
// only.
constexpr double widest = 25.0;

// pi is singular where its denominator is 0 in the complex plane, which is pi / F away from the real line, F
// = sqrt(2 log(1 / accuracy)) for the smaller of accuracy and 1 - accuracy.
double step_at(double accuracy) {
  const double rarer = std::min(accuracy, 1.0 - accuracy);
  return std::min(0.2, 0.25 / std::sqrt(-2.0 * std::log(rarer)));
}

// What the answers that are still to come may be: alpha and alpha' of eq. (15.5) for them, the probabilities
// of this outcome given either class. Outcomes of one ratio tell the same and are added.
struct Outcome {
  double plus = 1.0, minus = 1.0;

  double accuracy(double earlier) const {
    return earlier * plus / (earlier * plus + (1.0 - earlier) * minus);
  }
};

std::vector<Outcome> outcomes_of(const std::vector<FlipChannel>& pending) {
  constexpr double tolerance = 1e-13;
  std::vector<Outcome> all{{}};
  for (const FlipChannel& channel : pending) {
    std::vector<Outcome> further;
    for (const Outcome& one : all) {
      further.push_back({one.plus * channel.yes, one.minus * (1.0 - channel.no)});
      further.push_back({one.plus * (1.0 - channel.yes), one.minus * channel.no});
    }
    const auto share = [](const Outcome& one) { return one.plus / (one.plus + one.minus); };
    std::erase_if(further, [](const Outcome& one) { return !(one.plus + one.minus > 0.0); });
    std::sort(further.begin(), further.end(),
              [&](const Outcome& a, const Outcome& b) { return share(a) < share(b); });
    all.clear();
    for (const Outcome& one : further) {
      if (!all.empty() && share(one) - share(all.back()) <= tolerance) {
        all.back().plus += one.plus;
        all.back().minus += one.minus;
      } else {
        all.push_back(one);
      }
    }
  }
  return all;
}

}  // namespace

bool is_evidence(const EarlierAnswers& earlier) {
  const auto tells = [](const FlipChannel& channel) { return channel.gain() != 0.0; };
  return tells(earlier.accuracy) || std::any_of(earlier.pending.begin(), earlier.pending.end(), tells);
}

// math.md eq. (15.7)
ItemClass::ItemClass(double mean, double variance, double accuracy, double weight)
    : accuracy_(accuracy), weight_(weight) {
  positive_ = accuracy, negative_ = 1.0 - accuracy;  // a class that is known
  if (!(accuracy > 0.0 && accuracy < 1.0)) return;
  const double deviation = std::sqrt(variance);
  const auto add = [&](double step, double share) {
    const double f = mean + step;
    const double plus = accuracy * numerics::normal_cdf(f),
                 minus = (1.0 - accuracy) * numerics::normal_cdf(-f);
    nodes_.push_back({share, step, plus / (plus + minus), minus / (plus + minus), 0.0});
  };
  if (variance == 0.0) {
    add(0.0, 1.0);
  } else if (variance <= widest) {
    const double width = step_at(accuracy), dz = std::min(0.2, width / deviation);
    // The ends follow the weight of those f that would explain the class that is unlikely (math.md 4.3).
    const double further = 2.0 * std::abs(mean) * deviation / (1.0 + 2.0 * variance);
    const int first = static_cast<int>(-(reach + (mean > 0.0 ? further : 0.0)) / dz),
              last = static_cast<int>((reach + (mean < 0.0 ? further : 0.0)) / dz);
    nodes_.reserve(static_cast<std::size_t>(last - first) + 1);
    for (int k = first; k <= last; ++k) add(k * dz * deviation, dz * numerics::normal_pdf(k * dz));
  } else {
    const double dt = 0.1 * step_at(accuracy), ends = reach * deviation;
    const double further = 2.0 * std::abs(mean) * variance / (1.0 + 2.0 * variance);
    const int first =
                  static_cast<int>(std::floor(std::asinh(mean - ends - (mean > 0.0 ? further : 0.0)) / dt)),
              last = static_cast<int>(std::ceil(std::asinh(mean + ends + (mean < 0.0 ? further : 0.0)) / dt));
    nodes_.reserve(static_cast<std::size_t>(last - first) + 1);
    for (int k = first; k <= last; ++k) {
      const double step = std::sinh(k * dt) - mean;
      add(step, dt * std::cosh(k * dt) / deviation * numerics::normal_pdf(step / deviation));
    }
  }
  double sum = 0.0;
  positive_ = negative_ = 0.0;
  for (const Node& node : nodes_) {
    sum += node.weight;
    positive_ += node.weight * node.positive;
    negative_ += node.weight * node.negative;
  }
  positive_ /= sum;
  negative_ /= sum;
  for (Node& node : nodes_) {
    node.weight /= sum;
    // As the difference of the smaller of the two probabilities.
    node.change = positive_ < negative_ ? node.positive - positive_ : negative_ - node.negative;
  }
  constexpr double least = std::numeric_limits<double>::min();
  if (variance == 0.0 || positive_ < least || negative_ < least) nodes_.clear();
}

double ItemClass::variance() const {
  double sum = 0.0;
  for (const Node& node : nodes_) sum += node.weight * node.change * node.change;
  return sum;
}

double ItemClass::covariance() const {
  double sum = 0.0;
  for (const Node& node : nodes_) sum += node.weight * node.step * node.change;
  return sum;
}

std::vector<ItemClass> possible_item_classes(double mean, double variance, const EarlierAnswers& earlier) {
  ItemClass now(mean, variance, earlier.accuracy);
  if (earlier.pending.empty() || now.is_known()) return {std::move(now)};
  std::vector<ItemClass> found;
  for (const Outcome& one : outcomes_of(earlier.pending))
    found.emplace_back(mean, variance, one.accuracy(earlier.accuracy),
                       now.positive() * one.plus + now.negative() * one.minus);
  return found;
}

}  // namespace acuity
