#pragma once

#include <string>
#include <vector>

#include "acuity/model/structure.hpp"

namespace acuity {

/// What the answers say of f, for people: "mostly additive (62 %): inputs act separately; plain 20 %, ranked
/// 18 %". Empty if there are no structures.
std::string structure_text(const std::vector<LearnedStructure>& structures);

}  // namespace acuity
