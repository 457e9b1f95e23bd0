#include "acuity/data/learned_accuracies.hpp"

#include <algorithm>

namespace acuity {

const PersonAccuracy* LearnedAccuracies::find(const std::string& person, Index level_index) const {
  const auto found = std::find_if(people.begin(), people.end(), [&](const PersonAccuracy& one) {
    return one.level == level_index && one.person == person;
  });
  return found == people.end() ? nullptr : &*found;
}

FlipChannel LearnedAccuracies::channel(const std::string& person, Index level_index) const {
  const PersonAccuracy* own = person.empty() ? nullptr : find(person, level_index);
  return own != nullptr ? own->channel() : channel_of_level(level_index);
}

FlipChannel LearnedAccuracies::channel_of_level(Index level_index) const {
  const auto at = static_cast<std::size_t>(level_index);
  if (at < level_by_class.size() && level_by_class[at]) return level_by_class[at]->channel;
  return level[at];
}

}  // namespace acuity
