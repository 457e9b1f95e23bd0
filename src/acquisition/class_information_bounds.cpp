#include "acquisition/class_information_bounds.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "numerics/dispatch.hpp"
#include "numerics/entropy.hpp"
#include "numerics/infinite.hpp"
#include "numerics/normal.hpp"

namespace acuity {

namespace {

// Steps 0.4, 0.2, ... (math.md 4.3: at most 0.4 standard deviations). What is tabulated is nothing beyond the
// window.
constexpr double widest_step = 0.4, window = 8.0;
constexpr int tables = 6, interpolated = 4;
constexpr Index halvings = Index{1} << (tables - 1);
constexpr double finest_step = widest_step / static_cast<double>(halvings);
constexpr Index finest_nodes = 2 * static_cast<Index>(window / widest_step) * halvings + 1;
constexpr Index spare = 8;                       // the widest vector
constexpr double narrowest = 2.5 * finest_step;  // deviation

// hbar(c) - hbar(c erf(f / sqrt 2)); by class math.md eq. (15.12), which also ends at 0 on either side.
double gap(const FlipChannel& channel, double f) {
  const double gain = channel.gain(), odd = gain * std::erf(f / std::numbers::sqrt2);
  if (channel.is_symmetric()) return numerics::capacity_bits(gain) - numerics::capacity_bits(odd);
  return numerics::normal_cdf(f) * numerics::capacity_bits(2.0 * channel.yes - 1.0) +
         numerics::normal_cdf(-f) * numerics::capacity_bits(2.0 * channel.no - 1.0) -
         numerics::capacity_bits(channel.yes - channel.no + odd);
}

// At all nodes of the finest table. That of one accuracy is the same on either side.
std::vector<double> gaps_of(const FlipChannel& channel) {
  constexpr Index half = finest_nodes / 2;
  std::vector<double> gaps(static_cast<std::size_t>(finest_nodes));
  for (Index i = 0; i <= half; ++i) {
    const double f = static_cast<double>(i) * finest_step;
    gaps[static_cast<std::size_t>(half + i)] = gap(channel, f);
    gaps[static_cast<std::size_t>(half - i)] = gap(channel, channel.is_symmetric() ? f : -f);
  }
  return gaps;
}

}  // namespace

ClassInformationBounds::ClassInformationBounds(const std::vector<FlipChannel>& channels)
    : levels_(static_cast<Index>(channels.size())) {
  std::vector<std::vector<double>> gaps;
  for (const FlipChannel& channel : channels) gaps.push_back(gaps_of(channel));
  std::vector<Index> begins;
  for (int t = 0; t < tables; ++t) {
    const Index every = halvings >> t, nodes = (finest_nodes - 1) / every + 1, stride = nodes + spare;
    begins.push_back(static_cast<Index>(values_.size()));
    tables_.push_back({-window, finest_step * static_cast<double>(every), nodes, stride, nullptr});
    for (Index k = 0; k < levels_; ++k) {
      for (Index i = 0; i < nodes; ++i)
        values_.push_back(gaps[static_cast<std::size_t>(k)][static_cast<std::size_t>(i * every)]);
      values_.resize(values_.size() + spare, 0.0);
    }
  }
  for (std::size_t t = 0; t < tables_.size(); ++t) tables_[t].values = values_.data() + begins[t];
}

void ClassInformationBounds::at(const Marginals& belief, Index begin, Index end, double* low,
                                double* high) const {
  const numerics::NodeTables all{tables_.data(), tables, levels_, interpolated};
  numerics::kernels().expected_drop(all, belief.mean.data() + begin, belief.variance.data() + begin,
                                    end - begin, low);
  for (Index i = begin; i < end; ++i, low += levels_, high += levels_) {
    if (belief.earlier_at(i) != nullptr) {  // another formula (math.md 15.2), for few points
      std::fill_n(low, levels_, -infinite);
      std::fill_n(high, levels_, infinite);
      continue;
    }
    const double variance = belief.variance(i);
    if (!std::isfinite(belief.mean(i)) || !std::isfinite(variance) || variance < 0.0) {
      std::fill_n(low, levels_, -infinite);
      std::fill_n(high, levels_, infinite);
    } else if (variance < narrowest * narrowest) {
      // An answer is at best the sign of f plus unit noise, and carries no more information than that sum.
      std::fill_n(low, levels_, 0.0);
      std::fill_n(high, levels_, 0.5 * std::log1p(variance) / std::numbers::ln2 + margin);
    } else {
      for (Index k = 0; k < levels_; ++k) {
        high[k] = low[k] + margin;
        low[k] -= margin;
      }
    }
  }
}

}  // namespace acuity
