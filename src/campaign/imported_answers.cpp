#include "campaign/imported_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "campaign/answer_check.hpp"
#include "campaign/state_queries.hpp"
#include "settings/study_keys.hpp"
#include "study/noise_key.hpp"
#include "text/nearest.hpp"

namespace acuity {

namespace {

// The guess of the size of the error, by the standard deviation of the answers. Half is between "the same"
// and "nothing in common", and the prior of the size is wide (docs/math.md eq. (12.14)).
constexpr double assumed_share_of_spread = 0.5;

class Correspondence {
 public:
  Correspondence(const Campaign& earlier, const Study& study) : earlier_(earlier), study_(study) {
    require_targets();
    const std::vector<Input>&from = earlier.study().pool().columns(), &to = study.pool().columns();
    for (const Input& input : to) columns_.push_back(require_input(input, from));
    for (const Input& input : from)
      if (!find(input.name, to))
        refuse(fmt::format("its input \"{}\" is none of this campaign, must be one: its answers depend on it",
                           input.name));
  }

  /// The inputs of an answer, by the columns of the study; empty if a category is not known there.
  std::vector<double> inputs(const SuggestionRecord& record) const {
    const double* point =
        record.told->inputs ? record.told->inputs->data() : earlier_.study().pool().point(record.row());
    std::vector<double> found;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const Input &from = earlier_.study().pool().columns()[columns_[k]], &to = study_.pool().columns()[k];
      double value = point[columns_[k]];
      if (to.is_named()) {
        const std::optional<double> code = to.value(from.text(value));
        if (!code) return {};
        value = *code;
      }
      if (!to.accepts(value))
        refuse(fmt::format("{} of its answer {} is {}, must be {}", to.name, record.asked.id,
                           from.text(value), to.requirement()));
      found.push_back(value);
    }
    return found;
  }

 private:
  [[noreturn]] void refuse(const std::string& sentence) const {
    throw InputError(earlier_.address().text() + ": " + sentence);
  }
  static std::optional<std::size_t> find(const std::string& name, const std::vector<Input>& among) {
    for (std::size_t k = 0; k < among.size(); ++k)
      if (among[k].name == name) return k;
    return std::nullopt;
  }

  void require_targets() const {
    const Target &from = *earlier_.study().file().target, &to = *study_.file().target;
    if (!from.defaults().has_biases || !to.defaults().has_biases)
      refuse("answers of classes cannot be imported: a level of classes has no bias; must be numbers");
    if (from.scale().kind() != to.scale().kind())
      refuse(fmt::format("its target.scale is \"{}\", must be \"{}\" as in this campaign",
                         from.scale().name(), to.scale().name()));
    // The error of the level would have to be a number of trials, which it is not.
    if (to.is_counted())
      refuse(
          fmt::format("answers of target.scale \"{}\" cannot be imported, must be of \"linear\" or \"log\"",
                      to.scale().name()));
    require_unit("its answers are", from.label().unit, to.label().unit);
  }

  // The number of the input among those of the earlier campaign.
  std::size_t require_input(const Input& input, const std::vector<Input>& among) const {
    const std::optional<std::size_t> number = find(input.name, among);
    if (!number)
      refuse(fmt::format("it has no input \"{}\", must have all of this campaign; it has {}", input.name,
                         quoted_list(names_of(among))));
    const Input& from = among[*number];
    if (from.is_named() != input.is_named())
      refuse(fmt::format("its input \"{}\" has {}, must have {} as in this campaign", input.name,
                         from.is_named() ? "names" : "numbers", input.is_named() ? "names" : "numbers"));
    if (from.log != input.log)
      refuse(fmt::format("the scale of its input \"{}\" is \"{}\", must be \"{}\" as in this campaign",
                         input.name, scale_text(from.log), scale_text(input.log)));
    require_unit(fmt::format("its input \"{}\" is", input.name), from.unit, input.unit);
    return *number;
  }
  static const char* scale_text(bool is_log) { return is_log ? "log" : "linear"; }

  // A unit that is not stated may be any.
  void require_unit(const std::string& what, const std::string& from, const std::string& to) const {
    if (from == to || from.empty() || to.empty()) return;
    refuse(fmt::format("{} in {}, must be in {} as in this campaign", what, from, to));
  }

  const Campaign& earlier_;
  const Study& study_;
  std::vector<std::size_t> columns_;  // of the study's inputs, among those of the earlier campaign
};

// The level of the earlier campaign whose answers are imported; empty: answers of every precision.
std::string level_of_import(const Campaign& earlier, const ImportOptions& chosen) {
  const Study& study = earlier.study();
  try {
    if (!chosen.level.empty()) return study.level_named(chosen.level).name;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: the {}", earlier.address().text(), error.what()));
  }
  if (study.is_ladder()) return "";
  return study.offer().levels[static_cast<std::size_t>(study.reference_level())].name;
}

// By the spread of the answers on the scale of the model, and their own noise.
double guessed_error(const Study& earlier, const std::vector<Annotation>& annotations) {
  double sum = 0.0, squares = 0.0, noise = 0.0;
  for (const Annotation& one : annotations) {
    sum += one.value;
    noise += noise_variance(one.channel);
  }
  const double count = static_cast<double>(annotations.size()), mean = sum / count;
  for (const Annotation& one : annotations) squares += (one.value - mean) * (one.value - mean);
  const double error =
      std::sqrt(assumed_share_of_spread * assumed_share_of_spread * squares / count + noise / count);
  if (std::isnormal(error * error)) return error;
  earlier.file().complain(
      "its answers are all the same, so that the size of their error cannot be guessed; must be given "
      "(--error-sd)");
}

void require_new_level(const Study& study, const std::string& name) {
  if (study.is_ladder())
    study.file().complain(
        "an import adds a level, so that the study must have [[level]] instead of [precision]");
  if (name.empty()) throw InputError("the name of the level is empty, must be text");
  if (study.find_level(name))
    throw InputError(fmt::format("there is a level \"{}\" already, the name must be another one", name));
}

}  // namespace

ImportedAnswers imported_answers(const Campaign& earlier, const Study& study, const ImportOptions& chosen) {
  require_new_level(study, chosen.as_level);
  const Correspondence correspondence(earlier, study);
  const std::string level = level_of_import(earlier, chosen);
  ImportedAnswers known{.level = chosen.as_level, .answers = {}, .result = {}};
  std::vector<Annotation> annotations;
  for (const std::int64_t id : earlier.state().answered()) {
    const SuggestionRecord& record = *earlier.state().find(id);
    if (!level.empty() && record.level() != level) {
      ++known.result.other_levels;
      continue;
    }
    Answer answer{.values = record.values, .cost = 0.0, .channel = {}, .row = {}, .inputs = {}, .level = {}};
    answer.inputs = correspondence.inputs(record);
    if (answer.inputs->empty()) {
      ++known.result.unknown;
      continue;
    }
    answer.where = fmt::format("{}, answer {}", earlier.address().text(), id);
    answer.note = fmt::format("answer {} of {}", id, earlier.address().text());
    known.answers.push_back(std::move(answer));
    add_annotations(earlier.study(), earlier.state(), id, annotations);
  }
  if (known.answers.empty())
    throw InputError(fmt::format("{}: it has no answer{} that can be imported, must have one",
                                 earlier.address().text(),
                                 level.empty() ? "" : " at level \"" + level + "\""));
  known.result.answers = static_cast<std::int64_t>(known.answers.size());
  known.result.error_sd = chosen.error_sd ? *chosen.error_sd : guessed_error(earlier.study(), annotations);
  if (!(known.result.error_sd > 0.0 && std::isnormal(known.result.error_sd * known.result.error_sd)))
    throw InputError(fmt::format("the error of the level is {}, must be a number above 0",
                                 shortest(known.result.error_sd)));
  return known;
}

StudyComparison comparison_of_import(const ImportedAnswers& known, const Study& study, const State& state,
                                     const std::string& from) {
  require_new_level(study, known.level);
  StudyComparison comparison;
  comparison.file = from;
  try {
    comparison.text =
        with_imported_level(state.created().study, known.level, std::string(noise_key(*study.file().target)),
                            known.result.error_sd);
  } catch (const std::invalid_argument&) {
    study.file().complain("its levels must be [[level]] tables, so that one can be added");
  }
  comparison.differences.push_back(
      {"level " + known.level, "", "added", StudyDifference::Effect::past,
       fmt::format("{} of {} count with a bias that is learned; it is never bought",
                   counted(known.result.answers, "answer"), from)});
  return comparison;
}

std::vector<Event> told_by(ImportedAnswers& known, const Study& next, const State& after) {
  const Level level = next.level_named(known.level);
  State state = after;
  std::vector<Event> events;
  known.result.outside = 0;
  for (Answer answer : known.answers) {
    answer.level = level;
    Told told = check_unasked(next, state, std::move(answer)).event;
    known.result.outside += told.inputs ? 1 : 0;
    events.emplace_back(std::move(told));
    state.apply({state.sequence() + 1, 0.0, events.back()});
  }
  return events;
}

}  // namespace acuity
