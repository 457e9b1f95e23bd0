#include "acuity/model/structure.hpp"

#include <array>
#include <cmath>

namespace acuity {

namespace {

struct Words {
  std::string_view name, meaning;
};

// In the order of the enumeration.
constexpr std::array<Words, 5> words{
    {{"plain", "inputs act together, on the scales given"},
     {"ranked", "what counts is an input's rank in the pool"},
     {"additive", "inputs act separately"},
     {"transformed", "f is simpler on another scale of answers"},
     {"smooth", "f is smooth, and inputs act separately, in pairs or together"}}};

}  // namespace

std::string_view name_of(Structure structure) {
  return words[static_cast<std::size_t>(structure)].name;
}

std::optional<Structure> structure_named(std::string_view name) {
  for (std::size_t k = 0; k < words.size(); ++k)
    if (words[k].name == name) return static_cast<Structure>(k);
  return std::nullopt;
}

std::string_view meaning_of(Structure structure) {
  return words[static_cast<std::size_t>(structure)].meaning;
}

// Sharp weights believe the luck of few answers: the eighth root keeps the loss small where all structures
// are alike, and nearly all of the gain where one is right.
Vector weights_of(const std::vector<LearnedStructure>& structures) {
  constexpr double tempering = 1.0 / 8.0;
  Vector weights(static_cast<Index>(structures.size()));
  for (std::size_t k = 0; k < structures.size(); ++k)
    weights(static_cast<Index>(k)) = tempering * structures[k].objective;
  if (weights.size() == 0) return weights;
  weights = (weights.array() - weights.maxCoeff()).exp();
  return weights / weights.sum();
}

}  // namespace acuity
