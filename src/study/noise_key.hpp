#pragma once

#include <string>

#include "acuity/study/target.hpp"

namespace acuity {

/// The key by which levels of a real target state their noise.
inline std::string noise_key(const Target& target) {
  return std::string(target.scale().noise_key());
}

/// After a difference of counts on the model's scale: " in asin sqrt f". Otherwise empty: the difference is
/// one of answers, or a factor.
inline std::string scale_text(const Target& target) {
  return target.is_counted() ? " in " + target.modelled() : "";
}

}  // namespace acuity
