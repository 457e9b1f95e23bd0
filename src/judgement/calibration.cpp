#include "judgement/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace acuity {

namespace {

// Half the width of the central interval of a standard normal.
constexpr std::array<std::pair<double, double>, 3> intervals{
    {{0.50, 0.6744897501960817}, {0.80, 1.2815515655446004}, {0.95, 1.959963984540054}}};

}  // namespace

double Coverage::sampling_error() const {
  return std::sqrt(nominal * (1.0 - nominal) / static_cast<double>(count));
}

bool Coverage::is_off() const {
  return count > 0 && std::abs(share() - nominal) > 2.5 * sampling_error();
}

ScoreCalibration calibration_of(const std::string& level, const std::vector<double>& scores) {
  ScoreCalibration found;
  found.level = level;
  const auto count = static_cast<double>(scores.size());
  double squares = 0.0;
  for (const double score : scores) found.mean += score / count;
  for (const double score : scores) squares += score * score / count;
  found.sd = std::sqrt(std::max(squares - found.mean * found.mean, 0.0));
  for (std::size_t k = 0; k < intervals.size(); ++k) {
    const auto& [nominal, reach] = intervals[k];
    found.coverages[k] = {nominal,
                          std::count_if(scores.begin(), scores.end(),
                                        [reach = reach](double score) { return std::abs(score) <= reach; }),
                          static_cast<Index>(scores.size())};
  }
  return found;
}

std::vector<ReliabilityBin> reliability_of(const Vector& probabilities, const Vector& labels, int bins) {
  std::vector<Index> order(static_cast<std::size_t>(probabilities.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return probabilities(a) < probabilities(b); });
  std::vector<ReliabilityBin> found;
  for (int k = 0; k < bins; ++k) {
    const std::size_t begin = order.size() * static_cast<std::size_t>(k) / static_cast<std::size_t>(bins),
                      end = order.size() * static_cast<std::size_t>(k + 1) / static_cast<std::size_t>(bins);
    if (begin == end) continue;
    ReliabilityBin bin;
    double variance = 0.0;
    bin.count = static_cast<Index>(end - begin);
    const auto count = static_cast<double>(bin.count);
    for (std::size_t i = begin; i < end; ++i) {
      const double p = probabilities(order[i]);
      bin.expected += p / count;
      bin.found += (labels(order[i]) > 0.0 ? 1.0 : 0.0) / count;
      variance += p * (1.0 - p) / (count * count);
    }
    bin.error = std::sqrt(variance);
    found.push_back(bin);
  }
  return found;
}

// Under a calibrated model the log score has the entropy as its mean, and a variance in closed form.
double excess_surprise(const Vector& probabilities, const Vector& labels) {
  double excess = 0.0, variance = 0.0;
  for (Index i = 0; i < probabilities.size(); ++i) {
    const double p = std::clamp(probabilities(i), 1e-12, 1.0 - 1e-12), q = 1.0 - p;
    const double entropy = -p * std::log(p) - q * std::log(q), odds = std::log(p / q);
    excess += -std::log(labels(i) > 0.0 ? p : q) - entropy;
    variance += p * q * odds * odds;
  }
  return variance > 0.0 ? excess / std::sqrt(variance) : 0.0;
}

}  // namespace acuity
