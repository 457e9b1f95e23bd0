#include "acuity/numerics/instruction_set.hpp"

#include "numerics/dispatch.hpp"

namespace acuity {

std::string_view instruction_set() {
  return numerics::kernels().instruction_set;
}

}  // namespace acuity
