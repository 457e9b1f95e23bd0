#include "text/level_text.hpp"

#include "text/number_text.hpp"

namespace acuity {

std::string describe(const std::string& name, std::optional<double> alpha) {
  return alpha ? "alpha = " + brief(*alpha) : name;
}

std::string describe(const Level& level) {
  return describe(level.name, level.alpha);
}

std::string describe_in_sentence(const Level& level) {
  return level.alpha ? describe(level) : "level \"" + level.name + "\"";
}

}  // namespace acuity
