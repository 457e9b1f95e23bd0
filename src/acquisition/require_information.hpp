#pragma once

#include <stdexcept>
#include <string>

#include "acuity/acquisition/acquisition.hpp"

namespace acuity {

/// Throws std::invalid_argument, which begins with `whom`, if there is no information measure.
inline void require_information(const Acquisition& acquisition, const std::string& whom) {
  if (!acquisition.information)
    throw std::invalid_argument(whom + ": the acquisition has no information (null), must have one");
}

}  // namespace acuity
