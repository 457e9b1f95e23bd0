#pragma once

#include <cstddef>
#include <string>

namespace acuity {

/// The text with a capital first letter, if that is one of a to z.
inline std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// A message, such as that of an error, as a sentence: with a capital letter and a full stop. Empty text
/// stays empty.
inline std::string as_sentence(std::string text) {
  if (text.empty()) return text;
  if (text.back() != '.') text += '.';
  return capitalised(std::move(text));
}

/// The text without the parentheses at its end, if it ends with some: a detail that not everybody wants.
inline std::string without_last_parentheses(std::string text) {
  if (text.empty() || text.back() != ')') return text;
  int depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    depth += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
    if (depth > 0) continue;
    text.erase(at > 0 && text[at - 1] == ' ' ? at - 1 : at);
    break;
  }
  return text;
}

}  // namespace acuity
