#include "views/level_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "acuity/data/observation.hpp"
#include "text/level_text.hpp"

namespace acuity {

namespace {

constexpr std::size_t most_names = 8;
constexpr int ranges = 6;

// Smaller is more precise.
double vagueness(const Channel& channel) {
  if (const auto* flip = std::get_if<FlipChannel>(&channel)) return 1.0 - flip->accuracy;
  return noise_variance(channel);
}

std::string name_of(const SuggestionRecord& record) {
  const std::string name = describe(record.level(), record.alpha());
  return name.empty() ? "reported" : name;
}

// Ladders of accuracies are divided by alpha, ladders of noise by 1/alpha.
std::string range_name(const SuggestionRecord& record) {
  if (!record.alpha()) return name_of(record);
  const bool is_accuracy = std::holds_alternative<FlipChannel>(record.asked.channel);
  const double rung = is_accuracy ? 1.0 - *record.alpha() : 1.0 / *record.alpha();  // from 0 to 1
  const int range = std::clamp(static_cast<int>(std::floor(ranges * rung)), 0, ranges - 1);
  const double from = static_cast<double>(range) / ranges, to = (range + 1.0) / ranges;
  return is_accuracy ? fmt::format("α {:.2f} to {:.2f}", 1.0 - to, 1.0 - from)
                     : fmt::format("1/α {:.2f} to {:.2f}", from, to);
}

}  // namespace

LevelGroups level_groups(const State& state) {
  struct Sum {
    double vagueness = 0.0;
    double count = 0.0;
    double mean() const { return vagueness / count; }
  };
  const auto gather = [&](const auto& name) {
    std::map<std::string, Sum> found;
    for (const SuggestionRecord& record : state.suggestions()) {
      Sum& sum = found[name(record)];
      sum.vagueness +=
          vagueness(record.told && record.told->channel ? *record.told->channel : record.asked.channel);
      sum.count += 1.0;
    }
    return found;
  };
  const bool many = gather(name_of).size() > most_names;
  const auto name = [&](const SuggestionRecord& record) {
    return many ? range_name(record) : name_of(record);
  };
  const std::map<std::string, Sum> found = gather(name);
  LevelGroups groups;
  for (const auto& [one, sum] : found) groups.names.push_back(one);
  std::stable_sort(groups.names.begin(), groups.names.end(), [&](const std::string& a, const std::string& b) {
    return found.at(a).mean() < found.at(b).mean();
  });
  for (const SuggestionRecord& record : state.suggestions())
    groups.of_suggestion.push_back(static_cast<std::size_t>(
        std::find(groups.names.begin(), groups.names.end(), name(record)) - groups.names.begin()));
  return groups;
}

}  // namespace acuity
