#pragma once

#include <memory>

#include "acuity/model/kernel.hpp"
#include "acuity/model/scaling.hpp"

namespace acuity {

/// What is believed about f before anything is observed. A value: learning gives another one.
struct Prior {
  std::shared_ptr<const Kernel> kernel = std::make_shared<StationaryKernel>();
  double mean = 0.0;
  Scaling scaling;  ///< applied to every input before the kernel sees it
};

}  // namespace acuity
