#include "model/people_accuracies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "model/coin_probability.hpp"
#include "model/person_accuracy.hpp"

namespace acuity {

namespace {

// People with fewer answers share the accuracy of their level.
constexpr double least_answers = 5.0;

// The answers that share one accuracy, or one for each class: of a person at a level, or, without a name, of
// the others at the level.
struct Group {
  Index level = 0;
  std::string person;
  bool by_class = false;
  std::size_t first = 0;  // of its guesses; by class that of +1, and the next one of -1
  double answers = 0.0;

  bool is_of_level() const { return person.empty(); }
};

// Invariant: the groups of the levels come first, in the order of the levels; then people, by level and name.
class AccuracyGroups {
 public:
  AccuracyGroups(const std::vector<PersonAnswer>& answers, const std::vector<GoldAnswer>& gold,
                 const std::vector<LevelAccuracy>& levels)
      : levels_(levels), gold_(gold) {
    make_groups(answers);
    for (const GoldAnswer& answer : gold) count(answer);
    for (const PersonAnswer& answer : answers) count(answer);
  }

  LearnedAccuracies learn(const Prior& prior, const Points& points) {
    AccuracyEstimate found = AccuracyProblem(prior, points, answers_, guesses_).maximise();
    if (move_guesses(found.accuracy))
      found = AccuracyProblem(prior, points, answers_, guesses_).maximise(found.accuracy);
    if (has_classes())
      by_others_ = AccuracyProblem(prior, points, answers_, guesses_).classes_by_others(found.accuracy);
    return accuracies(found);
  }

 private:
  using Key = std::pair<Index, std::string>;

  const LevelAccuracy& declared(Index level) const { return levels_[static_cast<std::size_t>(level)]; }
  bool is_learned(Index level) const { return declared(level).weight > 0.0; }

  void make_groups(const std::vector<PersonAnswer>& answers) {
    std::map<Key, double> counts;
    for (const PersonAnswer& answer : answers)
      if (answer.level) ++counts[{*answer.level, answer.person}];
    for (const GoldAnswer& answer : gold_) ++counts[{answer.level, answer.person}];
    for (Index level = 0; level < static_cast<Index>(levels_.size()); ++level)
      if (is_learned(level)) add_group({level, ""});
    for (const auto& [key, count] : counts)
      if (!key.second.empty() && count >= least_answers && is_learned(key.first)) add_group(key);
  }

  void add_group(const Key& key) {
    const auto& [guess, weight, by_class] = declared(key.first);
    group_of_.emplace(key, groups_.size());
    groups_.push_back(
        {.level = key.first, .person = key.second, .by_class = by_class, .first = guesses_.size()});
    if (!by_class) {
      guesses_.push_back({.guess = guess.accuracy(), .weight = weight});
      return;
    }
    guesses_.push_back({.guess = guess.yes, .weight = 0.5 * weight});
    guesses_.back().of_no = static_cast<Index>(guesses_.size());
    guesses_.push_back({.guess = guess.no, .weight = 0.5 * weight});
  }

  Group& group(Index level, const std::string& person) {
    const auto own = group_of_.find({level, person});
    return groups_[own != group_of_.end() ? own->second : group_of_.at({level, ""})];
  }

  void count(const GoldAnswer& answer) {
    if (!is_learned(answer.level)) return;
    Group& own = group(answer.level, answer.person);
    const bool is_positive = answer.is_right == (answer.y > 0.0);
    AccuracyGuess& guess = guesses_[own.first + (own.by_class && !is_positive ? 1 : 0)];
    (answer.is_right ? guess.gold_right : guess.gold_wrong) += 1.0;
    own.answers += 1.0;
  }

  void count(const PersonAnswer& answer) {
    ItemAnswer counted{.item = answer.item, .y = answer.y, .group = -1, .accuracy = answer.accuracy};
    if (answer.level) {
      Group& own = group(*answer.level, answer.person);
      counted.group = static_cast<Index>(own.first);
      own.answers += 1.0;
    }
    answers_.push_back(counted);
  }

  // Moves the guess of every level towards its people. Returns whether an accuracy depends on a moved guess:
  // people who share the accuracy of the level must have answered.
  bool move_guesses(const Vector& accuracy) {
    bool is_moved = false;
    for (const Group& level : groups_) {
      if (!level.is_of_level()) continue;
      for (std::size_t k = 0; k < (level.by_class ? 2U : 1U); ++k) {
        AccuracyGuess& guess = guesses_[level.first + k];
        double sum = guess.guess * guess.weight, weight = guess.weight;
        for (const Group& one : groups_) {
          if (one.level != level.level || one.is_of_level()) continue;
          const double counted = level.by_class ? 0.5 * one.answers : one.answers;
          sum += counted * accuracy(static_cast<Index>(one.first + k));
          weight += counted;
          is_moved = is_moved || level.answers > 0.0;
        }
        guess.guess = sum / weight;
      }
    }
    return is_moved;
  }

  LearnedAccuracies accuracies(const AccuracyEstimate& found) const {
    LearnedAccuracies learned;
    for (const LevelAccuracy& level : levels_) {
      learned.level.push_back(level.accuracy.accuracy());
      learned.level_sd.push_back(0.0);
    }
    if (has_classes()) learned.level_by_class.resize(levels_.size());
    for (const Group& one : groups_) {
      const PersonAccuracy own = one.by_class ? by_class(one, found) : single(one, found);
      if (!one.is_of_level()) {
        learned.people.push_back(own);
        continue;
      }
      const auto at = static_cast<std::size_t>(one.level);
      learned.level[at] = own.accuracy;
      learned.level_sd[at] = own.logit_sd;
      if (one.by_class) learned.level_by_class[at] = own.by_class;
    }
    return learned;
  }

  bool has_classes() const {
    return std::any_of(groups_.begin(), groups_.end(), [](const Group& one) { return one.by_class; });
  }

  // If all people have an accuracy of their own, no answer says more about the level than the guess.
  bool is_guess(const Group& one) const { return one.is_of_level() && !(one.answers > 0.0); }

  PersonAccuracy single(const Group& one, const AccuracyEstimate& found) const {
    const auto at = static_cast<Index>(one.first);
    const double guess = std::max(0.5, guesses_[one.first].guess);
    return {one.person, one.level, is_guess(one) ? guess : found.accuracy(at), found.logit_sd(at)};
  }

  // math.md eq. (15.15): the mean of the two explanations of a person's answers.
  PersonAccuracy by_class(const Group& one, const AccuracyEstimate& found) const {
    const auto yes = static_cast<Index>(one.first), no = yes + 1;
    FlipChannel honest(found.accuracy(yes), found.accuracy(no));
    if (is_guess(one)) honest = {guesses_[one.first].guess, guesses_[one.first + 1].guess};
    ClassAccuracies learned{.channel = honest, .yes_sd = found.logit_sd(yes), .no_sd = found.logit_sd(no)};
    const double spread = spread_of_mean(honest, found, yes);
    double variance = spread * spread;
    if (!one.is_of_level()) {
      const CoinProbability coin = coin_of(one);
      learned.coin = coin.probability;
      const double rest = 1.0 - coin.probability;
      const double positive = rest * honest.yes + coin.probability * coin.positive;
      const double negative = rest * honest.no + coin.probability * (1.0 - coin.positive);
      learned.channel = {positive, std::max(negative, 1.0 - positive)};
      const double gap = honest.accuracy() - 0.5;
      variance = rest * variance + coin.probability * rest * gap * gap;
    }
    const double mean = std::clamp(learned.channel.accuracy(), 0.5, 1.0 - 1e-6);
    return {one.person, one.level, mean, std::sqrt(variance) / (mean * (1.0 - mean)), learned};
  }

  // The standard deviation of the mean of both accuracies.
  static double spread_of_mean(const FlipChannel& channel, const AccuracyEstimate& found, Index yes) {
    if (found.covariance.size() == 0) return std::numeric_limits<double>::infinity();
    const Vector slopes{{0.5 * channel.yes * (1.0 - channel.yes), 0.5 * channel.no * (1.0 - channel.no)}};
    return std::sqrt(std::max(0.0, slopes.dot(found.covariance.block(yes, yes, 2, 2) * slopes)));
  }

  CoinProbability coin_of(const Group& one) const {
    CoinEvidence evidence{.yes = {declared(one.level).accuracy.yes, 0.5 * declared(one.level).weight},
                          .no = {declared(one.level).accuracy.no, 0.5 * declared(one.level).weight},
                          .answers = {},
                          .positive = {}};
    for (std::size_t k = 0; k < answers_.size(); ++k)
      if (answers_[k].group == static_cast<Index>(one.first)) {
        evidence.answers.push_back(answers_[k].y);
        evidence.positive.push_back(by_others_(static_cast<Index>(k)));
      }
    for (const GoldAnswer& answer : gold_)
      if (answer.level == one.level && answer.person == one.person) {
        evidence.answers.push_back(answer.y);
        evidence.positive.push_back(answer.is_right == (answer.y > 0.0) ? 1.0 : 0.0);
      }
    return coin_probability(evidence);
  }

  const std::vector<LevelAccuracy>& levels_;
  const std::vector<GoldAnswer>& gold_;
  std::vector<Group> groups_;
  std::map<Key, std::size_t> group_of_;
  std::vector<AccuracyGuess> guesses_;
  std::vector<ItemAnswer> answers_;
  Vector by_others_;  // of every answer: the probability of its class +1 without it; empty if not needed
};

}  // namespace

LearnedAccuracies learn_accuracies(const Prior& prior, const Points& points,
                                   const std::vector<PersonAnswer>& answers,
                                   const std::vector<GoldAnswer>& gold,
                                   const std::vector<LevelAccuracy>& levels) {
  return AccuracyGroups(answers, gold, levels).learn(prior, points);
}

}  // namespace acuity
