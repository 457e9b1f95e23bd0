#pragma once

#include <memory>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/level_bias.hpp"
#include "acuity/model/kernel.hpp"
#include "acuity/model/level_chain.hpp"
#include "acuity/model/scaling.hpp"

namespace acuity ACUITY_PUBLIC {

/// The prior of f. learn() returns a new one.
struct Prior {
  std::shared_ptr<const Kernel> kernel = std::make_shared<StationaryKernel>();
  double mean = 0.0;
  Scaling scaling;  ///< applied to every input before the kernel sees it
  /// Of levels whose answers differ from f besides noise; a channel refers to one by its number, from 1 on.
  /// Real values only.
  std::vector<LevelBias> biases = {};
  /// If the levels with bias are a chain that ends at f (docs/math.md 12.7): the kernel and the biases do not
  /// count then. Null: they differ from f as the biases say.
  std::shared_ptr<const LevelChain> chain = nullptr;

  bool has_bias() const { return !biases.empty(); }
};

}  // namespace acuity ACUITY_PUBLIC
