#pragma once

#include <memory>

#include "acuity/model/kernel.hpp"
#include "acuity/model/scaling.hpp"

namespace acuity {

/// The prior of f. learn() returns a new one.
struct Prior {
  std::shared_ptr<const Kernel> kernel = std::make_shared<StationaryKernel>();
  double mean = 0.0;
  Scaling scaling;  ///< applied to every input before the kernel sees it
};

}  // namespace acuity
