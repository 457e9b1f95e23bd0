#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/points.hpp"
#include "acuity/model/answer_map.hpp"

namespace acuity ACUITY_PUBLIC {

/// A way to see f: a kernel, with fixed increasing maps of the inputs and of the answers (docs/math.md 11.6).
enum class Structure {
  plain,        ///< the study's kernel, inputs and answers as they are
  ranked,       ///< inputs half way to the normal scores of their ranks in the pool
  additive,     ///< functions of one input each, and one of all of them
  transformed,  ///< answers after a power transformation
  smooth        ///< smooth functions of one input each, of pairs, and of all inputs
};

/// "plain", "ranked", "additive", "transformed" or "smooth", as in study files.
std::string_view name_of(Structure structure);
std::optional<Structure> structure_named(std::string_view name);
/// What it says of f, for people: "additive: inputs act separately".
std::string_view meaning_of(Structure structure);

/// What was learned of f under one structure.
struct LearnedStructure {
  Structure structure = Structure::plain;
  Vector log_parameters;         ///< of its kernel
  double nugget = 0.0;           ///< on the scale of `map`, if there is one
  std::optional<AnswerMap> map;  ///< transformed only
  double objective = 0.0;        ///< penalised log likelihood of the answers
};

/// Weights in proportion to the eighth root of exp(objective); they add up to 1 (docs/math.md eq. (11.15)).
Vector weights_of(const std::vector<LearnedStructure>& structures);

}  // namespace acuity ACUITY_PUBLIC
