#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "acuity/model/learn.hpp"

namespace acuity {

struct ChainLearning {
  std::vector<int> biases;     ///< of the levels, from the coarsest on; f follows
  std::optional<double> mean;  ///< of f, if it is given; that of a level is the mean of its answers
  /// Of those whose answers repeat themselves (0: the reference): a code that scatters is an exception.
  std::vector<int> repeating;
  /// If nuggets are not learned: in the noise of the observations already.
  std::optional<double> nugget;
  /// Of the model of differences. Scales of noise are not learned again.
  LearnOptions options;
};

/// Learns a chain of levels, link by link (docs/math.md 12.7). Under `prior` only its scaling and the family
/// and categories of its kernel count. `observations` have all noise but a nugget that is learned. With
/// `before` the search starts from its values, too. Empty if a level has fewer than four answers, all its
/// answers are the same, or no optimum can be used.
std::optional<LevelChain> learn_chain(const Prior& prior, const Observations& observations,
                                      const ChainLearning& learning, const LevelChain* before = nullptr);

/// A kernel of this family and with these categories for a link, with a length scale per input; null if it is
/// not one of the library's.
std::shared_ptr<const StationaryKernel> kernel_of_link(const Kernel& like, Index inputs, bool has_column);

/// The logarithm of the density of the answers without bias, each predicted from all others.
double left_out_density(const Prior& prior, const Observations& observations);

/// The weight of a chain beside the model of differences, by these densities (docs/math.md eq. (12.20)).
double weight_of_chain(double of_chain, double of_differences);

}  // namespace acuity
