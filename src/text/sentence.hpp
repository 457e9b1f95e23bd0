#pragma once

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

}  // namespace acuity
