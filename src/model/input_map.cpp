#include "acuity/model/input_map.hpp"

#include <algorithm>
#include <cmath>

#include "data/as_size.hpp"
#include "numerics/distributions.hpp"

namespace acuity {

namespace {

// So many nodes at most, evenly spaced in normal scores: tails keep theirs.
constexpr std::size_t most_nodes = 129;
// The weight of the value itself; the rest is that of its rank.
constexpr double own_weight = 0.5;

double normal_score(double share) {
  return boost::math::quantile(numerics::NormalDistribution(), share);
}

// The values that differ, with the normal score of the middle of their ranks.
struct Scores {
  std::vector<double> values, scores;

  explicit Scores(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    const auto count = static_cast<double>(all.size());
    for (std::size_t begin = 0; begin < all.size();) {
      std::size_t end = begin;
      while (end < all.size() && all[end] == all[begin]) ++end;
      values.push_back(all[begin]);
      scores.push_back(normal_score(0.5 * static_cast<double>(begin + end) / count));
      begin = end;
    }
  }

  void thin() {
    if (values.size() <= most_nodes) return;
    Scores kept{std::vector<double>()};
    const double low = scores.front(), high = scores.back();
    std::size_t next = 0;
    for (std::size_t k = 0; k < most_nodes; ++k) {
      const double wanted = low + (high - low) * static_cast<double>(k) / (most_nodes - 1);
      while (next + 1 < scores.size() && scores[next] < wanted) ++next;
      if (!kept.values.empty() && kept.values.back() == values[next]) continue;
      kept.values.push_back(values[next]);
      kept.scores.push_back(scores[next]);
    }
    *this = kept;
  }
};

InputMap map_of(const Vector& column) {
  const double mean = column.mean();
  const double sd = std::sqrt((column.array() - mean).square().mean());
  if (!(sd > 0.0 && std::isfinite(sd)) || column.minCoeff() == column.maxCoeff()) return {};
  Scores scores(std::vector<double>(column.begin(), column.end()));
  scores.thin();
  InputMap map{.from = std::move(scores.values), .to = {}, .slope_beyond = own_weight};
  for (std::size_t k = 0; k < map.from.size(); ++k)
    map.to.push_back(own_weight * map.from[k] + (1.0 - own_weight) * (mean + sd * scores.scores[k]));
  return map;
}

}  // namespace

double InputMap::operator()(double x) const {
  if (is_identity()) return x;
  if (x <= from.front()) return to.front() + slope_beyond * (x - from.front());
  if (x >= from.back()) return to.back() + slope_beyond * (x - from.back());
  const auto k = static_cast<std::size_t>(std::upper_bound(from.begin(), from.end(), x) - from.begin());
  const double share = (x - from[k - 1]) / (from[k] - from[k - 1]);
  return to[k - 1] + share * (to[k] - to[k - 1]);
}

std::vector<InputMap> maps_to_ranks(const PointsRef& points, const std::vector<InputTransform>& transforms) {
  std::vector<InputMap> maps(at(points.cols()));
  if (points.rows() < 2) return maps;
  for (Index k = 0; k < points.cols(); ++k) {
    const InputTransform transform = transforms.empty() ? InputTransform::none : transforms[at(k)];
    if (transform == InputTransform::category) continue;
    const Vector column = points.col(k);
    maps[at(k)] = map_of(transform == InputTransform::log ? Vector(column.array().log()) : column);
  }
  return maps;
}

}  // namespace acuity
