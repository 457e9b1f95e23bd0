#include "text/nearest.hpp"

#include <algorithm>
#include <numeric>

namespace acuity {

namespace {

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  const auto found = std::min_element(
      names.begin(), names.end(),
      [&](const std::string& a, const std::string& b) { return edits(word, a) < edits(word, b); });
  return found == names.end() ? std::string() : *found;
}

std::optional<std::string> close_match(std::string_view word, const std::vector<std::string>& names) {
  const std::string found = nearest(word, names);
  const std::size_t distance = edits(word, found);
  if (distance > std::max<std::size_t>(2, word.size() / 3) || distance >= word.size()) return std::nullopt;
  return found;
}

std::string quoted_list(const std::vector<std::string>& names, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? ' ' + std::string(last) + ' ' : ", ";
    text += '"' + names[i] + '"';
  }
  return text;
}

}  // namespace acuity
