#include "study/study_people.hpp"

#include <map>

#include "model/people_accuracies.hpp"
#include "model/person_accuracy.hpp"

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
    std::vector<double> values;
    std::vector<FlipChannel> channels;
    for (const std::size_t k : answers) {
      values.push_back(observations[k].value);
      channels.push_back(std::get<FlipChannel>(observations[k].channel));
      observations[k].channel = FlipChannel{0.5};
    }
    const MergedAnswer merged = merge_answers(values, channels);
    observations[answers.front()].value = merged.y;
    observations[answers.front()].channel = FlipChannel{merged.accuracy};
  }
}

// The answers, and the points of their items.
struct AnswersByItem {
  AnswersByItem(const Study& study, const std::vector<Annotation>& annotations) {
    ItemNumbers items;
    std::vector<Index> first;  // annotation of every item
    for (std::size_t k = 0; k < annotations.size(); ++k) {
      const Annotation& one = annotations[k];
      PersonAnswer answer{.item = items.of(one.place), .y = one.value, .person = one.worker};
      if (answer.item == static_cast<Index>(first.size())) first.push_back(static_cast<Index>(k));
      if (learns_accuracy(study, one))
        answer.level = one.level;
      else
        answer.accuracy = std::get<FlipChannel>(one.channel);
      answers.push_back(std::move(answer));
    }
    const Observations all(observations_of(annotations), study.pool().points());
    points = all.points()(first, Eigen::all);
  }

  std::vector<PersonAnswer> answers;
  Points points;
};

}  // namespace

bool learns_accuracy(const Study& study, const Annotation& annotation) {
  return annotation.level && !annotation.reported &&
         study.offer().levels[static_cast<std::size_t>(*annotation.level)].accuracy_weight > 0.0;
}

std::vector<Observation> observations_under(const Study& study, const std::vector<Annotation>& annotations,
                                            const Learned* learned) {
  std::vector<Observation> observations = observations_of(annotations);
  if (!study.file().merges_answers()) return observations;
  for (std::size_t k = 0; k < annotations.size(); ++k)
    if (learned != nullptr && learned->accuracies && learns_accuracy(study, annotations[k]))
      observations[k].channel = learned->accuracies->channel(annotations[k].worker, *annotations[k].level);
  merge_items(observations);
  return observations;
}

LearnedAccuracies learn_accuracies(const Study& study, const Prior& prior,
                                   const std::vector<Annotation>& annotations,
                                   const std::vector<GoldAnswer>& gold) {
  std::vector<LevelAccuracy> levels;
  for (const Level& level : study.offer().levels)
    levels.push_back({std::get<FlipChannel>(level.channel), level.accuracy_weight, level.accuracy_by_class});
  const AnswersByItem by_item(study, annotations);
  return learn_accuracies(prior, by_item.points, by_item.answers, gold, levels);
}

}  // namespace acuity
