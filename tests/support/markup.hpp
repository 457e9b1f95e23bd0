#pragma once

#include <string>
#include <vector>

namespace acuity {

/// How often `part` occurs in `text`.
inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// What keeps `text` from being well-formed as far as tags, quotes and bare < and & go; empty if nothing
/// does. Style sheets and the doctype are passed over.
inline std::string markup_fault(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '&') {
      const std::size_t end = text.find(';', at);
      if (end == std::string::npos || end - at > 6) return "bare & at " + text.substr(at, 20);
    }
    if (text[at] != '<') continue;
    std::size_t end = at + 1;
    for (bool quoted = false; end < text.size() && (quoted || text[end] != '>'); ++end) {
      if (text[end] == '"') quoted = !quoted;
      if (text[end] == '<') return "< inside a tag at " + text.substr(at, 40);
    }
    if (end >= text.size()) return "a tag without end at " + text.substr(at, 40);
    const std::string tag = text.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /\n", 1));
    at = end;
    if (tag.starts_with("!")) continue;
    if (tag.starts_with("/")) {
      if (open.empty() || "/" + open.back() != tag)
        return "</" + tag.substr(1) + "> closes " + (open.empty() ? "nothing" : "<" + open.back() + ">");
      open.pop_back();
    } else if (!tag.ends_with("/")) {
      open.push_back(name);
      if (name == "style") at = text.find("</style>", at) - 1;
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

}  // namespace acuity
