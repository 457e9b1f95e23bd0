#include "acuity/data/learned_accuracies.hpp"

#include <algorithm>

namespace acuity {

const PersonAccuracy* LearnedAccuracies::find(const std::string& person, Index level_index) const {
  const auto found = std::find_if(people.begin(), people.end(), [&](const PersonAccuracy& one) {
    return one.level == level_index && one.person == person;
  });
  return found == people.end() ? nullptr : &*found;
}

double LearnedAccuracies::of(const std::string& person, Index level_index) const {
  const PersonAccuracy* own = person.empty() ? nullptr : find(person, level_index);
  return own != nullptr ? own->accuracy : level[static_cast<std::size_t>(level_index)];
}

}  // namespace acuity
