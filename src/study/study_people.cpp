#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "acuity/study/study.hpp"
#include "model/person_accuracy.hpp"
#include "model/same_place.hpp"

// People who answer: items whose class is known, and how good the answers are (docs/math.md 15).

namespace acuity {

namespace {

// Numbers places from 0 in the order of their first annotation.
class ItemNumbers {
 public:
  Index of(const Place& place) {
    if (const std::optional<Index> row = place.pool_row())
      return by_row_.try_emplace(*row, static_cast<Index>(count_)).second ? count_++ : by_row_.at(*row);
    const Vector& x = place.coordinates();
    const std::vector<double> key(x.begin(), x.end());
    return by_inputs_.try_emplace(key, static_cast<Index>(count_)).second ? count_++ : by_inputs_.at(key);
  }
  Index count() const { return count_; }

 private:
  std::map<Index, Index> by_row_;
  std::map<std::vector<double>, Index> by_inputs_;
  Index count_ = 0;
};

// math.md eq. (15.5). The first answer to an item becomes the one site, and the others tell nothing: a site
// of accuracy 1/2 is none. So observations stay in the order of the annotations, one for each.
void merge_items(std::vector<Observation>& observations) {
  ItemNumbers items;
  std::vector<std::vector<std::size_t>> of_item;
  for (std::size_t k = 0; k < observations.size(); ++k) {
    const auto item = static_cast<std::size_t>(items.of(observations[k].place));
    if (item == of_item.size()) of_item.emplace_back();
    of_item[item].push_back(k);
  }
  for (const std::vector<std::size_t>& answers : of_item) {
    if (answers.size() < 2) continue;
    std::vector<double> values, accuracies;
    for (const std::size_t k : answers) {
      values.push_back(observations[k].value);
      accuracies.push_back(std::get<FlipChannel>(observations[k].channel).accuracy);
      observations[k].channel = FlipChannel{0.5};
    }
    const MergedAnswer merged = merge_answers(values, accuracies);
    observations[answers.front()].value = merged.y;
    observations[answers.front()].channel = FlipChannel{merged.accuracy};
  }
}

}  // namespace

std::vector<GoldItem> Study::read_gold() const {
  std::vector<GoldItem> items;
  if (file_.people.gold.empty()) return items;
  const Table table = Table::read(file_.people.gold, file_.reading_of(file_.people.gold));
  std::optional<Index> id = table.find("id");
  if (!id && file_.pool_id) id = table.find(*file_.pool_id);
  if (!id) id = table.column("id", "people.gold: the names of pool points");
  const Index answer = table.column("class", "people.gold: the class of every point");
  std::map<Index, Index> line_of;
  for (Index row = 0; row < table.rows(); ++row) {
    const std::optional<Index> point = pool_.find(table.text(row, *id));
    if (!point) table.complain(row, *id, "the name of a pool point");
    const std::optional<double> value = file_.target->read(table.text(row, answer));
    if (!value) table.complain(row, answer, file_.target->text_requirement());
    if (const auto [known, is_new] = line_of.emplace(*point, row); !is_new)
      table.complain(row, *id, fmt::format("there once, is in line {}, too", table.line(known->second)));
    items.push_back({*point, *value == 0.0 ? -1.0 : *value});
  }
  if (items.empty())
    throw InputError(fmt::format("{}: it has no items, must have at least one", table.source()));
  std::sort(items.begin(), items.end(), [](const GoldItem& a, const GoldItem& b) { return a.row < b.row; });
  return items;
}

std::optional<double> Study::gold_class(Index row) const {
  const auto found = std::lower_bound(gold_.begin(), gold_.end(), row,
                                      [](const GoldItem& item, Index wanted) { return item.row < wanted; });
  if (found == gold_.end() || found->row != row) return std::nullopt;
  return found->value;
}

Offer Study::offer_to(const std::string& person, const StudyModel& model) const {
  Offer offer = model.offer;
  if (!model.learned || !model.learned->accuracies || person.empty()) return offer;
  for (const PersonAccuracy& one : model.learned->accuracies->people)
    if (one.person == person)
      offer.levels[static_cast<std::size_t>(one.level)].channel = FlipChannel{one.accuracy};
  return offer;
}

bool Study::learns_accuracy(const Annotation& annotation) const {
  return annotation.level && !annotation.reported &&
         offer_.levels[static_cast<std::size_t>(*annotation.level)].accuracy_weight > 0.0;
}

// As the model sees them, with accuracies as learned, and one observation per item if the study says so.
std::vector<Observation> Study::observations_under(const std::vector<Annotation>& annotations,
                                                   const Learned* learned) const {
  std::vector<Observation> observations = observations_of(annotations);
  if (!file_.merges_answers()) return observations;
  for (std::size_t k = 0; k < annotations.size(); ++k)
    if (learned != nullptr && learned->accuracies && learns_accuracy(annotations[k]))
      observations[k].channel =
          FlipChannel{learned->accuracies->of(annotations[k].worker, *annotations[k].level)};
  merge_items(observations);
  return observations;
}

// People with few answers share the accuracy of their level. Its guess is that of the study, moved by the
// accuracies of the people who have their own, by the number of their answers.
LearnedAccuracies Study::learn_accuracies(const Prior& prior, const std::vector<Annotation>& annotations,
                                          const std::vector<GoldAnswer>& gold) const {
  constexpr double least_answers = 5.0;
  using Key = std::pair<Index, std::string>;  // level and person; nobody: the others at that level
  std::map<Key, double> answers;
  for (const Annotation& annotation : annotations)
    if (learns_accuracy(annotation)) ++answers[{*annotation.level, annotation.worker}];
  for (const GoldAnswer& answer : gold) ++answers[{answer.level, answer.person}];
  const auto level_of = [&](Index level) -> const Level& {
    return offer_.levels[static_cast<std::size_t>(level)];
  };
  std::map<Key, Index> group_of;
  std::vector<Key> keys;
  std::vector<AccuracyGuess> guesses;
  std::vector<double> counts;
  const auto add_group = [&](const Key& key) {
    group_of.emplace(key, static_cast<Index>(keys.size()));
    keys.push_back(key);
    guesses.push_back({.guess = std::get<FlipChannel>(level_of(key.first).channel).accuracy,
                       .weight = level_of(key.first).accuracy_weight});
    counts.push_back(0.0);
  };
  const auto levels = static_cast<Index>(offer_.levels.size());
  for (Index level = 0; level < levels; ++level)
    if (level_of(level).accuracy_weight > 0.0) add_group({level, ""});
  for (const auto& [key, count] : answers)
    if (!key.second.empty() && count >= least_answers && level_of(key.first).accuracy_weight > 0.0)
      add_group(key);
  const auto group = [&](Index level, const std::string& person) {
    const auto own = group_of.find({level, person});
    return own != group_of.end() ? own->second : group_of.at({level, ""});
  };
  for (const GoldAnswer& answer : gold) {
    if (!(level_of(answer.level).accuracy_weight > 0.0)) continue;
    const auto at = static_cast<std::size_t>(group(answer.level, answer.person));
    (answer.is_right ? guesses[at].gold_right : guesses[at].gold_wrong) += 1.0;
    counts[at] += 1.0;
  }
  ItemNumbers items;
  std::vector<ItemAnswer> item_answers;
  std::vector<Index> first;  // annotation of every item
  for (std::size_t k = 0; k < annotations.size(); ++k) {
    const Annotation& annotation = annotations[k];
    ItemAnswer answer{.item = items.of(annotation.place), .y = annotation.value, .group = -1};
    if (answer.item == static_cast<Index>(first.size())) first.push_back(static_cast<Index>(k));
    if (learns_accuracy(annotation)) {
      answer.group = group(*annotation.level, annotation.worker);
      counts[static_cast<std::size_t>(answer.group)] += 1.0;
    } else {
      answer.accuracy = std::get<FlipChannel>(annotation.channel).accuracy;
    }
    item_answers.push_back(answer);
  }
  const Observations all(observations_of(annotations), pool_.points());
  const Points points = all.points()(first, Eigen::all);
  AccuracyEstimate found = AccuracyProblem(prior, points, item_answers, guesses).maximise();

  bool is_moved = false;
  std::vector<double> centre(keys.size(), 0.0);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (!keys[k].second.empty()) continue;
    double sum = guesses[k].guess * guesses[k].weight, weight = guesses[k].weight;
    for (std::size_t p = 0; p < keys.size(); ++p)
      if (keys[p].first == keys[k].first && !keys[p].second.empty()) {
        sum += counts[p] * found.accuracy(static_cast<Index>(p));
        weight += counts[p];
        is_moved = is_moved || counts[k] > 0.0;
      }
    centre[k] = sum / weight;
    guesses[k].guess = centre[k];
  }
  if (is_moved) found = AccuracyProblem(prior, points, item_answers, guesses).maximise(found.accuracy);

  LearnedAccuracies learned;
  for (const Level& level : offer_.levels) {
    learned.level.push_back(std::get<FlipChannel>(level.channel).accuracy);
    learned.level_sd.push_back(0.0);
  }
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const auto level = static_cast<std::size_t>(keys[k].first);
    const double accuracy = found.accuracy(static_cast<Index>(k)), sd = found.logit_sd(static_cast<Index>(k));
    if (!keys[k].second.empty()) {
      learned.people.push_back({keys[k].second, keys[k].first, accuracy, sd});
    } else if (counts[k] > 0.0) {
      learned.level[level] = accuracy;
      learned.level_sd[level] = sd;
    } else {  // everybody has an accuracy of their own
      learned.level[level] = std::max(0.5, centre[k]);
      learned.level_sd[level] = sd;
    }
  }
  return learned;
}

}  // namespace acuity
