#include "text/input_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "text/number_text.hpp"

namespace acuity {

std::string input_text(const Input& input, double value, int digits) {
  return input.is_named() ? one_line(input.text(value)) : brief(value, digits);
}

std::string inputs_text(const std::vector<Input>& inputs, const double* values, int digits) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(most, inputs.size()); ++k)
    text += fmt::format("{}{} = {}", k > 0 ? ", " : "", one_line(inputs[k].name),
                        input_text(inputs[k], values[k], digits));
  return inputs.size() > most ? text + ", ..." : text;
}

}  // namespace acuity
