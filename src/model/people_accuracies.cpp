#include "model/people_accuracies.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "model/person_accuracy.hpp"

namespace acuity {

namespace {

// People with fewer answers share the accuracy of their level.
constexpr double least_answers = 5.0;

// The answers that share one accuracy: of a person at a level, or, without a name, of the others at the
// level.
struct Group {
  Index level = 0;
  std::string person;
  double answers = 0.0;
  AccuracyGuess guess;

  bool is_of_level() const { return person.empty(); }
};

// Invariant: the groups of the levels come first, in the order of the levels; then people, by level and name.
class AccuracyGroups {
 public:
  AccuracyGroups(const std::vector<PersonAnswer>& answers, const std::vector<GoldAnswer>& gold,
                 const std::vector<LevelAccuracy>& levels)
      : levels_(levels) {
    make_groups(answers, gold);
    for (const GoldAnswer& answer : gold) count(answer);
    for (const PersonAnswer& answer : answers) count(answer);
  }

  LearnedAccuracies learn(const Prior& prior, const Points& points) {
    AccuracyEstimate found = AccuracyProblem(prior, points, answers_, guesses()).maximise();
    if (move_guesses(found.accuracy))
      found = AccuracyProblem(prior, points, answers_, guesses()).maximise(found.accuracy);
    return accuracies(found);
  }

 private:
  using Key = std::pair<Index, std::string>;

  bool is_learned(Index level) const { return levels_[static_cast<std::size_t>(level)].weight > 0.0; }

  void make_groups(const std::vector<PersonAnswer>& answers, const std::vector<GoldAnswer>& gold) {
    std::map<Key, double> counts;
    for (const PersonAnswer& answer : answers)
      if (answer.level) ++counts[{*answer.level, answer.person}];
    for (const GoldAnswer& answer : gold) ++counts[{answer.level, answer.person}];
    for (Index level = 0; level < static_cast<Index>(levels_.size()); ++level)
      if (is_learned(level)) add_group({level, ""});
    for (const auto& [key, count] : counts)
      if (!key.second.empty() && count >= least_answers && is_learned(key.first)) add_group(key);
  }

  void add_group(const Key& key) {
    const LevelAccuracy& declared = levels_[static_cast<std::size_t>(key.first)];
    group_of_.emplace(key, static_cast<Index>(groups_.size()));
    groups_.push_back({.level = key.first,
                       .person = key.second,
                       .guess = {.guess = declared.accuracy, .weight = declared.weight}});
  }

  Index group(Index level, const std::string& person) const {
    const auto own = group_of_.find({level, person});
    return own != group_of_.end() ? own->second : group_of_.at({level, ""});
  }

  void count(const GoldAnswer& answer) {
    if (!is_learned(answer.level)) return;
    Group& own = groups_[static_cast<std::size_t>(group(answer.level, answer.person))];
    (answer.is_right ? own.guess.gold_right : own.guess.gold_wrong) += 1.0;
    own.answers += 1.0;
  }

  void count(const PersonAnswer& answer) {
    ItemAnswer counted{.item = answer.item, .y = answer.y, .group = -1, .accuracy = answer.accuracy};
    if (answer.level) {
      counted.group = group(*answer.level, answer.person);
      groups_[static_cast<std::size_t>(counted.group)].answers += 1.0;
    }
    answers_.push_back(counted);
  }

  std::vector<AccuracyGuess> guesses() const {
    std::vector<AccuracyGuess> all;
    for (const Group& one : groups_) all.push_back(one.guess);
    return all;
  }

  // Moves the guess of every level towards its people. Returns whether an accuracy depends on a moved guess:
  // people who share the accuracy of the level must have answered.
  bool move_guesses(const Vector& accuracy) {
    bool is_moved = false;
    for (Group& level : groups_) {
      if (!level.is_of_level()) continue;
      double sum = level.guess.guess * level.guess.weight, weight = level.guess.weight;
      for (std::size_t p = 0; p < groups_.size(); ++p) {
        if (groups_[p].level != level.level || groups_[p].is_of_level()) continue;
        sum += groups_[p].answers * accuracy(static_cast<Index>(p));
        weight += groups_[p].answers;
        is_moved = is_moved || level.answers > 0.0;
      }
      level.guess.guess = sum / weight;
    }
    return is_moved;
  }

  LearnedAccuracies accuracies(const AccuracyEstimate& found) const {
    LearnedAccuracies learned;
    for (const LevelAccuracy& level : levels_) {
      learned.level.push_back(level.accuracy);
      learned.level_sd.push_back(0.0);
    }
    for (std::size_t k = 0; k < groups_.size(); ++k) {
      const Group& one = groups_[k];
      const auto at = static_cast<std::size_t>(one.level);
      const double accuracy = found.accuracy(static_cast<Index>(k)),
                   sd = found.logit_sd(static_cast<Index>(k));
      if (!one.is_of_level()) {
        learned.people.push_back({one.person, one.level, accuracy, sd});
        continue;
      }
      // If all people have an accuracy of their own, no answer says more about the level than the guess.
      learned.level[at] = one.answers > 0.0 ? accuracy : std::max(0.5, one.guess.guess);
      learned.level_sd[at] = sd;
    }
    return learned;
  }

  const std::vector<LevelAccuracy>& levels_;
  std::vector<Group> groups_;
  std::map<Key, Index> group_of_;
  std::vector<ItemAnswer> answers_;
};

}  // namespace

LearnedAccuracies learn_accuracies(const Prior& prior, const Points& points,
                                   const std::vector<PersonAnswer>& answers,
                                   const std::vector<GoldAnswer>& gold,
                                   const std::vector<LevelAccuracy>& levels) {
  return AccuracyGroups(answers, gold, levels).learn(prior, points);
}

}  // namespace acuity
