#include "views/people_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "campaign/state_queries.hpp"
#include "data/quantile.hpp"
#include "model/person_accuracy.hpp"
#include "study/target_view.hpp"
#include "text/time_text.hpp"

namespace acuity {

namespace {

/// The answers and refusals of one person, in the order in which they were recorded.
struct Work {
  std::vector<const SuggestionRecord*> answers, cannot_tell;
};

std::map<std::string, Work> work_by_name(const State& state) {
  std::map<std::string, Work> work;
  for (const SuggestionRecord& record : state.suggestions()) {
    if (!is_person(record.worker())) continue;
    if (!record.values.empty()) work[record.worker()].answers.push_back(&record);
    if (record.cannot_tell) work[record.worker()].cannot_tell.push_back(&record);
  }
  for (auto& [name, one] : work)
    std::stable_sort(one.answers.begin(), one.answers.end(),
                     [](const auto* a, const auto* b) { return a->told_at < b->told_at; });
  return work;
}

/// Answers of people by row of the pool; gold items are left out.
using Items = std::map<Index, std::vector<const SuggestionRecord*>>;

Items items_of(const std::map<std::string, Work>& work) {
  Items items;
  for (const auto& [name, one] : work)
    for (const SuggestionRecord* record : one.answers)
      if (!record->asked.gold && record->row() >= 0) items[record->row()].push_back(record);
  return items;
}

void count_agreement(const Items& items, const std::string& name, const Work& work, PersonView& view) {
  for (const SuggestionRecord* own : work.answers) {
    const auto item = items.find(own->row());
    if (own->asked.gold || item == items.end()) continue;
    for (const SuggestionRecord* other : item->second)
      if (other->worker() != name)
        ++(other->values.front() == own->values.front() ? view.same : view.different);
  }
}

/// An answer that can be checked: against the class of a gold item, or the majority of the others.
struct Check {
  double time = 0.0;
  bool is_right = false;
};

std::vector<Check> checks_of(const Study& study, const Items& items, const std::string& name,
                             const Work& work) {
  std::vector<Check> checks;
  for (const SuggestionRecord* own : work.answers) {
    if (own->asked.gold) {
      if (const auto known = study.gold_class(own->asked.row))
        checks.push_back({own->told_at, own->values.front() == *known});
      continue;
    }
    const auto item = items.find(own->row());
    if (item == items.end()) continue;
    double majority = 0.0;
    for (const SuggestionRecord* other : item->second)
      if (other->worker() != name) majority += other->values.front();
    if (majority != 0.0) checks.push_back({own->told_at, majority * own->values.front() > 0.0});
  }
  return checks;
}

double log_choose(double n, double k) {
  return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
}

/// Fisher's exact test, one-sided: the probability of so many or fewer right answers in the second half, if
/// the halves do not differ.
double probability_of_decline(double first_right, double first, double second_right, double second) {
  const double right = first_right + second_right;
  double sum = 0.0;
  for (double k = std::max(0.0, right - first); k <= second_right; k += 1.0)
    sum += std::exp(log_choose(second, k) + log_choose(first, right - k) - log_choose(first + second, right));
  return sum;
}

/// The probability of so many or fewer right answers of somebody who is right with this probability.
double probability_of_at_most(double right, double count, double accuracy) {
  double sum = 0.0;
  for (double k = 0.0; k <= right; k += 1.0)
    sum += std::exp(log_choose(count, k) + k * std::log(accuracy) + (count - k) * std::log1p(-accuracy));
  return sum;
}

/// Agreement with others accuses nobody: items that were asked twice are the contested ones, and the other
/// answer is often the wrong one.
bool is_coin_by_gold(const PersonView& view) {
  constexpr double least = 10.0, fair_accuracy = 0.7, level = 0.025;
  const auto right = static_cast<double>(view.gold_right);
  const double count = right + static_cast<double>(view.gold_wrong);
  return count >= least && probability_of_at_most(right, count, fair_accuracy) < level;
}

/// "yes 98 of 98 times"; empty if both answers were given, or few.
std::string remark_on_same_answer(const Study& study, const Work& work) {
  constexpr std::size_t least = 10;
  if (work.answers.size() < least) return "";
  const double first = work.answers.front()->values.front();
  if (std::any_of(work.answers.begin(), work.answers.end(),
                  [&](const SuggestionRecord* one) { return one->values.front() != first; }))
    return "";
  return fmt::format("{} {} of {} times", TargetView::of(*study.file().target)->answer_text(first),
                     work.answers.size(), work.answers.size());
}

std::string remark_on_decline(const std::vector<Check>& checks) {
  constexpr std::size_t least = 20;
  constexpr double level = 0.01;
  const std::size_t n = checks.size(), half = n / 2;
  if (n < least) return "";
  const auto count = [&](std::size_t from, std::size_t to) {
    return static_cast<double>(std::count_if(checks.begin() + static_cast<std::ptrdiff_t>(from),
                                             checks.begin() + static_cast<std::ptrdiff_t>(to),
                                             [](const Check& c) { return c.is_right; }));
  };
  const double p = probability_of_decline(count(0, half), static_cast<double>(half), count(half, n),
                                          static_cast<double>(n - half));
  return p < level ? "worse since " + time_text(checks[half].time) : "";
}

std::optional<double> median_seconds(const Work& work) {
  std::vector<double> seconds;
  for (const SuggestionRecord* record : work.answers)
    if (record->told->seconds) seconds.push_back(*record->told->seconds);
  for (const SuggestionRecord* record : work.cannot_tell)
    if (record->seconds) seconds.push_back(*record->seconds);
  if (seconds.empty()) return std::nullopt;
  return median_of(Eigen::Map<const Vector>(seconds.data(), static_cast<Index>(seconds.size())));
}

/// Of the person at the level, or at that of the last answer if the person has none or several; of the level,
/// without a name, if the person has answered too rarely. Empty if nothing is learned there.
std::optional<PersonAccuracy> accuracy_of(const Study& study, const std::optional<Learned>& learned,
                                          const PersonView& view, const Work& work) {
  if (!learned || !learned->accuracies || work.answers.empty()) return std::nullopt;
  const std::optional<Index> level =
      study.find_level(view.levels.size() == 1 ? view.levels.front() : work.answers.back()->level());
  if (!level || !(study.offer().levels[static_cast<std::size_t>(*level)].accuracy_weight > 0.0))
    return std::nullopt;
  if (const PersonAccuracy* own = learned->accuracies->find(view.name, *level)) return *own;
  const auto at = static_cast<std::size_t>(*level);
  PersonAccuracy others{"", *level, learned->accuracies->level[at], learned->accuracies->level_sd[at]};
  if (at < learned->accuracies->level_by_class.size())
    others.by_class = learned->accuracies->level_by_class[at];
  return others;
}

PersonView::ByClass by_class_of(const ClassAccuracies& learned) {
  const AccuracyInterval yes = class_accuracy_interval(learned.channel.yes, learned.yes_sd),
                         no = class_accuracy_interval(learned.channel.no, learned.no_sd);
  return {learned.channel.yes, yes.low, yes.high, learned.channel.no, no.low, no.high, learned.coin};
}

/// Of somebody with an accuracy of their own. Empty if the answers depend on what is asked.
std::string remark_on_accuracy(const Study& study, const PersonView& view, const Work& work) {
  constexpr double coin_accuracy = 0.6, certain = 0.95, most = 0.8;
  const char* no_better = "no better than a coin";
  if (!view.by_class) return *view.high < coin_accuracy ? no_better : "";
  if (!(view.by_class->coin > certain)) return "";
  const auto yes = static_cast<double>(
      std::count_if(work.answers.begin(), work.answers.end(),
                    [](const SuggestionRecord* one) { return one->values.front() > 0.0; }));
  const double share = yes / static_cast<double>(work.answers.size());
  if (share < most && share > 1.0 - most) return no_better;
  return fmt::format("says {} whatever is asked",
                     TargetView::of(*study.file().target)->answer_text(share < most ? -1.0 : 1.0));
}

ResultTable::Cell cell_or_empty(std::optional<double> value) {
  return value ? ResultTable::Cell(*value) : ResultTable::Cell(std::monostate());
}

Json json_or_null(std::optional<double> value) {
  return value ? json_number(*value) : Json();
}

}  // namespace

std::string levels_text(const std::vector<std::string>& levels) {
  std::string text;
  for (const std::string& level : levels) text += (text.empty() ? "" : ", ") + level;
  return text;
}

std::vector<PersonView> people_view(const Campaign& campaign) {
  const State& state = campaign.state();
  const Study& study = campaign.study();
  const std::map<std::string, Work> work = work_by_name(state);
  std::vector<PersonView> views;
  for (const Person& person : state.people())
    views.push_back({.name = person.name, .levels = person.levels, .active = person.active});
  for (const auto& [name, one] : work)
    if (state.find_person(name) == nullptr) views.push_back({.name = name});
  const bool has_classes = study.file().binary();
  const std::optional<Learned> learned_model = learned_of(study, state);
  const Items items = items_of(work);
  for (PersonView& view : views) {
    const auto found = work.find(view.name);
    if (found == work.end()) continue;
    view.answers = static_cast<std::int64_t>(found->second.answers.size());
    view.cannot_tell = static_cast<std::int64_t>(found->second.cannot_tell.size());
    view.median_seconds = median_seconds(found->second);
    if (!has_classes) continue;
    count_agreement(items, view.name, found->second, view);
    for (const SuggestionRecord* record : found->second.answers)
      if (const auto known = study.gold_class(record->asked.row); known && record->asked.gold)
        ++(record->values.front() == *known ? view.gold_right : view.gold_wrong);
    const std::optional<PersonAccuracy> learned = accuracy_of(study, learned_model, view, found->second);
    if (learned) {
      const AccuracyInterval interval = accuracy_interval(learned->accuracy, learned->logit_sd);
      view.accuracy = learned->accuracy;
      view.low = interval.low;
      view.high = interval.high;
      if (learned->by_class) view.by_class = by_class_of(*learned->by_class);
    }
    view.remark = remark_on_same_answer(study, found->second);
    if (view.remark.empty() && learned && !learned->person.empty())
      view.remark = remark_on_accuracy(study, view, found->second);
    if (view.remark.empty())
      view.remark = is_coin_by_gold(view)
                        ? "no better than a coin"
                        : remark_on_decline(checks_of(study, items, view.name, found->second));
  }
  return views;
}

namespace {

Json by_class_json(const std::optional<PersonView::ByClass>& one) {
  if (!one) return {};
  const auto of = [](double accuracy, double low, double high) {
    return Json{{"accuracy", json_number(accuracy)}, {"low", json_number(low)}, {"high", json_number(high)}};
  };
  return {{"yes", of(one->yes, one->yes_low, one->yes_high)},
          {"no", of(one->no, one->no_low, one->no_high)},
          {"coin", json_number(one->coin)}};
}

}  // namespace

Json people_json(const std::vector<PersonView>& people) {
  Json rows = Json::array();
  for (const PersonView& one : people)
    rows.push_back({{"name", one.name},
                    {"level", levels_text(one.levels)},
                    {"answers", one.answers},
                    {"gold", {{"right", one.gold_right}, {"wrong", one.gold_wrong}}},
                    {"agreement", {{"same", one.same}, {"different", one.different}}},
                    {"accuracy", json_or_null(one.accuracy)},
                    {"low", json_or_null(one.low)},
                    {"high", json_or_null(one.high)},
                    {"by_class", by_class_json(one.by_class)},
                    {"cannot_tell", one.cannot_tell},
                    {"median_seconds", json_or_null(one.median_seconds)},
                    {"remark", one.remark}});
  return rows;
}

std::string people_text(const std::vector<PersonView>& people, Format format) {
  if (format == Format::json) return json_text(Json{{"people", people_json(people)}}) + "\n";
  ResultTable table(
      format, {"name", "level", "answers", "gold_right", "gold_wrong", "same", "different", "accuracy", "low",
               "high", "of_yes", "of_no", "cannot_tell", "median_seconds", "remark"});
  for (const PersonView& one : people)
    table.add({one.name, levels_text(one.levels), one.answers, one.gold_right, one.gold_wrong, one.same,
               one.different, cell_or_empty(one.accuracy), cell_or_empty(one.low), cell_or_empty(one.high),
               cell_or_empty(one.by_class ? std::optional(one.by_class->yes) : std::nullopt),
               cell_or_empty(one.by_class ? std::optional(one.by_class->no) : std::nullopt), one.cannot_tell,
               cell_or_empty(one.median_seconds),
               one.active ? one.remark : std::string("not asked any more")});
  return table.text();
}

}  // namespace acuity
