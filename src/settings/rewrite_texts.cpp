#include "settings/rewrite_texts.hpp"

#include <toml++/toml.h>

#include <sstream>

#include "settings/toml_section.hpp"

namespace acuity {

namespace {

// The byte offset of a line and column of the parser, which counts characters.
std::size_t offset_of(const std::string& text, const toml::source_position& position) {
  std::size_t at = 0;
  if (text.starts_with("\xEF\xBB\xBF")) at = 3;
  for (toml::source_index line = 1; line < position.line && at < text.size(); ++line)
    at = text.find('\n', at) + 1;
  for (toml::source_index column = 1; column < position.column && at < text.size(); ++column)
    for (++at; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;) ++at;
  return at;
}

toml::table& section_of(toml::table& study, const char* name) {
  if (!study.contains(name)) study.insert(name, toml::table{});
  return *study[name].as_table();
}

std::string written(const toml::table& study) {
  std::ostringstream text;
  text << toml::toml_formatter(study) << '\n';
  return text.str();
}

}  // namespace

std::string rewrite_texts(const std::string& toml, const std::map<std::string, std::string>& values) {
  const toml::table table = toml_in(toml);
  std::map<std::size_t, std::pair<std::size_t, std::string>> changes;  // by position
  for (const auto& [key, value] : values) {
    const toml::node* node = table.at_path(key).node();
    if (node == nullptr || !node->is_string()) continue;
    const std::size_t begin = offset_of(toml, node->source().begin),
                      end = offset_of(toml, node->source().end);
    changes[begin] = {end, '"' + value + '"'};
  }
  std::string rewritten;
  std::size_t at = 0;
  for (const auto& [begin, change] : changes) {
    rewritten += toml.substr(at, begin - at) + change.second;
    at = change.first;
  }
  return rewritten + toml.substr(at);
}

std::string with_pool_keys(const std::string& toml, const PoolKeys& keys) {
  toml::table study = toml_in(toml);
  toml::table& pool = section_of(study, "pool");
  toml::array inputs;
  for (const std::string& input : keys.inputs) inputs.push_back(input);
  pool.insert_or_assign("file", keys.file);
  if (!study.contains("input")) pool.insert_or_assign("inputs", std::move(inputs));
  if (!keys.id.empty()) pool.insert_or_assign("id", keys.id);
  if (!keys.noise.empty())
    section_of(study, "noise").insert_or_assign("variance", toml::table{{"column", keys.noise}});
  return written(study);
}

std::string with_drawn_pool(const std::string& toml, const std::string& file, std::uint64_t seed) {
  toml::table study = toml_in(toml);
  toml::table& pool = section_of(study, "pool");
  if (pool.contains("drawn")) return rewrite_texts(toml, {{"pool.drawn.file", file}});
  const std::string all = toml + (toml.ends_with('\n') ? "" : "\n") + "\n[pool.drawn]\nfile = \"" + file +
                          "\"\nseed = " + std::to_string(seed) + "\n";
  try {
    (void)toml_in(all);
    return all;
  } catch (const toml::parse_error&) {  // nothing can be added to an inline table
    pool.is_inline(false);
    pool.insert_or_assign("drawn", toml::table{{"file", file}, {"seed", static_cast<std::int64_t>(seed)}});
    return written(study);
  }
}

std::string with_goal_file(const std::string& toml, const std::string& file) {
  toml::table study = toml_in(toml);
  toml::table& goal = section_of(study, "goal");
  goal.erase("box");
  goal.insert_or_assign("file", file);
  return written(study);
}

}  // namespace acuity
