#include "text/level_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
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

std::string purchases_list(const std::vector<double>& counts, const std::vector<Level>& levels) {
  std::string text;
  for (std::size_t k = 0; k < counts.size(); ++k)
    if (counts[k] > 0.0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[k], one_line(describe(levels[k])));
  return text;
}

std::string purchases_text(const std::vector<double>& counts, const std::vector<Level>& levels) {
  const std::string text = purchases_list(counts, levels);
  return text.empty() ? "" : " (" + text + ")";
}

}  // namespace acuity
