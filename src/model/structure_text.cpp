#include "model/structure_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace acuity {

std::string structure_text(const std::vector<LearnedStructure>& structures) {
  if (structures.empty()) return "";
  const Vector weights = weights_of(structures);
  std::vector<std::size_t> order(structures.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return weights(static_cast<Index>(a)) > weights(static_cast<Index>(b));
  });
  const auto share = [&](std::size_t k) {
    return fmt::format("{:.0f} %", 100.0 * weights(static_cast<Index>(k)));
  };
  const Structure first = structures[order.front()].structure;
  const bool is_clear = weights(static_cast<Index>(order.front())) > 0.5;
  if (structures.size() == 1) return fmt::format("{}: {}", name_of(first), meaning_of(first));
  std::string text =
      is_clear ? fmt::format("mostly {} ({}): {}; ", name_of(first), share(order.front()), meaning_of(first))
               : "no structure of f stands out: ";
  for (std::size_t k = is_clear ? 1 : 0; k < order.size(); ++k)
    text += fmt::format("{} {}{}", name_of(structures[order[k]].structure), share(order[k]),
                        k + 1 < order.size() ? ", " : "");
  return text;
}

}  // namespace acuity
