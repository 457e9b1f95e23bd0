#pragma once

#include <memory>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/model/kernel.hpp"

namespace acuity ACUITY_PUBLIC {

/// One level of a chain: a Gaussian process over the inputs and, but for the first link, one more column,
/// which is what the link before predicts there.
struct ChainLink {
  int bias = 0;                          ///< of the channels of its answers; 0: they are answers about f
  std::shared_ptr<const Kernel> kernel;  ///< of the scaled inputs, and the column
  double mean = 0.0;                     ///< of its answers
  double nugget = 0.0;                   ///< in the noise of its channels, too
  /// What the next link sees of a value v of this one is (v - centre) / spread, within low and high.
  double centre = 0.0, spread = 1.0;
  double low = 0.0, high = 0.0;
};

/// Levels whose answers may be any function of the inputs and of the answers of the level before
/// (docs/math.md 12.7): from the coarsest to f.
struct LevelChain {
  std::vector<ChainLink> links;
};

/// What was learned of levels as a chain.
struct LearnedChain {
  std::shared_ptr<const LevelChain> chain;
  /// Beside the model of differences, which has the rest.
  double weight = 1.0;

  /// Whether choices and predictions are made with the chain.
  bool leads() const { return weight > 0.5; }
};

}  // namespace acuity ACUITY_PUBLIC
