#include "campaign/answer_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "acuity/acquisition/classification_information.hpp"
#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "campaign/answer_noise.hpp"
#include "campaign/answer_rules.hpp"
#include "campaign/event_rules.hpp"
#include "campaign/initial_design.hpp"
#include "campaign/state_queries.hpp"
#include "numerics/distributions.hpp"

namespace acuity {

namespace {

std::string listed(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + shortest(value);
  return text;
}

Told event_of(const Study& study, const SuggestionRecord& record, const Answer& answer) {
  Told event{.id = answer.id,
             .values = answer.values,
             .cost = 0.0,
             .channel = answer.channel,
             .row = {},
             .inputs = answer.inputs,
             .base_noise = {},
             .level = {},
             .alpha = {},
             .queue_seconds = answer.queue_seconds,
             .run_seconds = answer.run_seconds,
             .worker = answer.worker,
             .seconds = answer.seconds,
             .note = answer.note};
  if (answer.row && answer.row != record.asked.row) event.row = answer.row;
  require_no_other_gold(study, &record, event.row, event.row || event.inputs, "it");
  if (answer.inputs) event.base_noise = study.base_noise_at(*answer.inputs);
  if (answer.level &&
      (answer.level->name != record.asked.level || answer.level->alpha != record.asked.alpha)) {
    event.level = answer.level->name;
    event.alpha = answer.level->alpha;
  }
  const bool another_level = !event.level.empty() || event.alpha;
  double each = another_level ? answer.level->cost : record.asked.cost;
  // A run that was continued to another level than asked for costs the difference to that one.
  if (another_level && record.asked.replaces)
    each = std::max(0.0, record.asked.cost + answer.level->cost - study.level_named(record.asked.level).cost);
  event.cost = answer.cost.value_or(each * static_cast<double>(answer.values.size()));
  return event;
}

// The record as it will be once the event has been added.
SuggestionRecord record_after(const SuggestionRecord& record, const Told& event) {
  SuggestionRecord after = record;
  after.told = event;
  after.values = event.values;
  return after;
}

// Several counts are one answer of all their trials; so is one of another number of trials than the level's.
void add_up_counts(const Study& study, const SuggestionRecord& record, const Answer& answer, Told& event) {
  if (!study.file().target->is_counted() || (answer.trials.empty() && answer.values.size() < 2)) return;
  if (answer.channel)
    throw InputError("it has a noise of its own, must be left out with several counts or with k/n");
  const AddedCounts added = added_counts(answer.values, answer.trials,
                                         expected_annotation(study, record_after(record, event)).channel);
  event.values = {added.value};
  event.channel = added.channel;
}

// Of the first value, by the prediction recorded when it was asked for.
std::optional<double> surprise_of(const Study& study, const SuggestionRecord& record, const Told& event) {
  const Asked& asked = record.asked;
  if (event.row || event.inputs || asked.row < 0) return std::nullopt;
  if (asked.replaces) return std::nullopt;  // most of the answer is known already
  // What another level would answer there was not predicted if levels have biases.
  if (study.file().has_bias() && (!event.level.empty() || event.alpha)) return std::nullopt;
  const LatentMarginal predicted{asked.answer_mean.value_or(asked.mean),
                                 asked.answer_variance.value_or(asked.variance)};
  const Target& target = *study.file().target;
  return target.surprise(predicted, event.channel.value_or(asked.channel),
                         told_annotation(study, record_after(record, event)).value);
}

// False for answers of the initial design: their scale was not known when they were asked for.
bool was_expected(const Study& study, const State& state, const Asked& asked) {
  if (study.file().knows_scale()) return true;
  return state.fitted().has_value() && asked.id > initial_design(study).count_at_first();
}

bool is_same_place(const Told& told, const Answer& answer, const Told& event) {
  if (answer.inputs) return told.inputs && is_same(*answer.inputs, *told.inputs);
  return !answer.row || (!told.inputs && event.row == told.row);
}

// The rules for every answer, whether it was asked for or not.
void require_usable(const Study& study, const Answer& answer) {
  try {
    require_values(study, answer.values, subject(answer));
  } catch (const InputError& error) {
    refuse(answer, error.what());
  }
  if (answer.cost && !(std::isfinite(*answer.cost) && *answer.cost >= 0.0))
    refuse(answer, fmt::format("the cost of {} is {}, must be a finite number, 0 or more", whose(answer),
                               std::isnan(*answer.cost) ? "not a number" : shortest(*answer.cost)));
  if (answer.seconds && !(std::isfinite(*answer.seconds) && *answer.seconds >= 0.0))
    refuse(answer,
           fmt::format("the time of {} is {}, must be a finite number of seconds, 0 or more", whose(answer),
                       std::isnan(*answer.seconds) ? "not a number" : shortest(*answer.seconds)));
  require_channel(study, answer);
  require_place(study, answer);
}

void require_payable(const Answer& answer, double cost) {
  if (cost > largest_amount)
    refuse(answer, fmt::format("the cost of {} is {}, must be at most {}", whose(answer), shortest(cost),
                               largest_amount_text));
}

void require_replicable(const Study& study, const SuggestionRecord& after, const Answer& answer) {
  if (const std::string why = why_not_several(study, after, answer.values.size()); !why.empty())
    refuse(answer, why);
}

// The pool point with exactly these inputs.
std::optional<Index> row_with(const Pool& pool, const std::vector<double>& inputs) {
  for (Index row = 0; row < pool.size(); ++row)
    if (std::equal(inputs.begin(), inputs.end(), pool.point(row))) return row;
  return std::nullopt;
}

// True if the answer equals the recorded one, or the amended one. Omitted fields match anything.
bool repeats(const SuggestionRecord& record, const Told& told, const Answer& answer, const Told& event) {
  if (!is_same(answer.values, told.values) && !is_same(answer.values, record.values)) return false;
  if (answer.cost && !is_same(*answer.cost, told.cost)) return false;
  if (answer.channel && !is_same(answer.channel, told.channel)) return false;
  if (!is_same_place(told, answer, event)) return false;
  return !answer.level || (event.level == told.level && event.alpha == told.alpha);
}
bool repeats(const SuggestionRecord& record, const Answer& answer, const Told& event) {
  return repeats(record, *record.told, answer, event) ||
         (record.first_told && repeats(record, *record.first_told, answer, event));
}

}  // namespace

void require_values(const Study& study, const std::vector<double>& values, const std::string& whose) {
  for (const double value : values) {
    if (!study.file().target->accepts(value))
      throw InputError(fmt::format("{} is {}, must be {}", whose,
                                   std::isnan(value) ? "not a number" : shortest(value),
                                   study.file().target->value_requirement()));
    // The square of an answer must be finite, or the model could not compute with it.
    if (std::abs(value) > largest_answer)
      throw InputError(
          fmt::format("{} is {}, too large to compute with; must be rescaled", whose, shortest(value)));
  }
  if (values.empty()) throw InputError(whose + " is missing, must be a number");
  if (values.size() > most_replicates)
    throw InputError(
        fmt::format("{} has {} values, must have at most {}", whose, values.size(), most_replicates));
}

void require_recordable(const Study& study, const Answer& answer) {
  require_usable(study, answer);
  if (answer.cost) require_payable(answer, *answer.cost);
}

std::string no_such_suggestion(const State& state, std::int64_t id) {
  if (state.suggestions().empty())
    return fmt::format("there is no suggestion {}, nothing was asked for yet", id);
  return fmt::format("there is no suggestion {}, must be one of 1 to {}", id, state.suggestions().size());
}

std::string too_much_spent(std::int64_t id, double in_all) {
  return fmt::format("with the cost of {} the total spent would be {}, must be at most {}", id,
                     shortest(in_all), largest_amount_text);
}

std::string why_not_several(const Study& study, const SuggestionRecord& record, std::size_t values) {
  if (values < 2 || (record.told && record.told->channel)) return "";
  const Level level = level_of(study, record);
  if (!level.repeats_itself) return "";
  return fmt::format(
      "the answer to {} has {} replicates, must have one: level \"{}\" gives the same answer every time",
      record.asked.id, values, level.name);
}

CheckedAnswer check_answer(const Study& study, const State& state, const Answer& answer) {
  const SuggestionRecord* record = state.find(answer.id);
  if (record == nullptr) refuse(answer, no_such_suggestion(state, answer.id));
  require_usable(study, answer);
  CheckedAnswer checked;
  try {
    checked.event = event_of(study, *record, answer);
    add_up_counts(study, *record, answer, checked.event);
  } catch (const InputError& error) {
    refuse(answer, fmt::format("the answer to {}: {}", answer.id, error.what()));
  }
  require_payable(answer, checked.event.cost);
  checked.result = {.id = answer.id,
                    .changes = true,
                    .charge = checked.event.cost,
                    .surprise = was_expected(study, state, record->asked)
                                    ? surprise_of(study, *record, checked.event)
                                    : std::nullopt};
  if (record->status == SuggestionStatus::told) {
    const Told& first = record->first_told ? *record->first_told : *record->told;
    Answer recorded = answer;
    if (study.file().target->is_counted()) {
      recorded.values = checked.event.values;
      recorded.channel = checked.event.channel;
    }
    if (!repeats(*record, recorded, checked.event))
      refuse(answer,
             fmt::format("suggestion {} already has the answer {}{}; found {}; to correct it use amend",
                         answer.id, listed(first.values), record->retracted ? " (retracted)" : "",
                         is_same(answer.values, first.values) ? "another cost, noise, point or level"
                                                              : listed(answer.values)));
    checked.result.changes = false;
    checked.result.charge = 0.0;
    return checked;
  }
  const SuggestionRecord after = record_after(*record, checked.event);
  require_replicable(study, after, answer);
  if (const std::string why = why_no_noise(study, after, whose(answer)); !why.empty()) refuse(answer, why);
  return checked;
}

namespace {

// Counts with their trials need no noise besides. Returns how many answers it was that are paid for.
std::size_t add_up_unasked(const Study& study, Answer& answer) {
  const std::size_t count = answer.values.size();
  if (!study.file().target->is_counted() || (answer.trials.empty() && count < 2)) return count;
  if (answer.channel) refuse(answer, "the unasked answer has a noise of its own, must be left out with k/n");
  try {
    require_values(study, answer.values, subject(answer));
    AddedCounts added = added_counts(answer.values, answer.trials,
                                     answer.level ? std::optional(answer.level->channel) : std::nullopt);
    answer.values = {added.value};
    answer.channel = added.channel;
  } catch (const InputError& error) {
    refuse(answer, error.what());
  }
  return count;
}

}  // namespace

CheckedAnswer check_unasked(const Study& study, const State& state, Answer answer) {
  answer.id = 0;
  const std::size_t paid_answers = add_up_unasked(study, answer);
  if (answer.row.has_value() == answer.inputs.has_value())
    refuse(answer, fmt::format("the unasked answer has {}, must have one of them",
                               answer.row ? "a point and inputs" : "neither a point nor inputs"));
  if (!answer.level && !answer.channel)
    refuse(answer,
           fmt::format("the unasked answer has neither {} nor {}, must have one of them",
                       study.is_ladder() ? "an alpha" : "a level", study.file().target->channel_noun()));
  require_usable(study, answer);
  if (answer.inputs) answer.row = row_with(study.pool(), *answer.inputs);
  if (answer.row) answer.inputs.reset();
  try {
    require_no_other_gold(study, nullptr, answer.row, false, "the unasked answer");
  } catch (const InputError& error) {
    refuse(answer, error.what());
  }
  CheckedAnswer checked;
  Told& event = checked.event;
  event.id = state.next_id();
  event.values = answer.values;
  event.channel = answer.channel;
  event.worker = answer.worker;
  event.seconds = answer.seconds;
  event.note = answer.note;
  event.row = answer.row;
  event.inputs = answer.inputs;
  double base_noise = answer.row ? study.offer().base_noise(*answer.row) : 0.0;
  const bool only_in_tables = std::holds_alternative<NoiseColumn>(study.file().noise);
  if (answer.inputs && !(answer.channel && only_in_tables)) {
    try {
      base_noise = study.base_noise_at(*answer.inputs);
    } catch (const InputError& error) {
      refuse(answer, fmt::format("the unasked answer: {}", error.what()));
    }
    event.base_noise = base_noise;
  }
  if (answer.level) event.level = answer.level->name, event.alpha = answer.level->alpha;
  const double price = answer.level ? answer.level->cost : 0.0;
  event.cost = answer.cost.value_or(price * static_cast<double>(paid_answers));
  require_payable(answer, event.cost);
  Channel expected = answer.level ? channel_at(*answer.level, base_noise) : *answer.channel;
  if (auto* gaussian = std::get_if<GaussianChannel>(&expected)) gaussian->bias = 0;
  event.unasked = Unasked{answer.row ? study.pool().id(*answer.row) : "", expected, price};
  SuggestionRecord after{.asked = asked_by_itself(event), .told = event, .values = {}, .reason = {}};
  require_replicable(study, after, answer);
  if (const std::string why = why_no_noise(study, after, whose(answer)); !why.empty()) refuse(answer, why);
  if (answer.level && answer.level->repeats_itself && answer.row && !answer.channel)
    for (const std::int64_t id : state.answered())
      if (const SuggestionRecord& known = *state.find(id);
          known.row() == *answer.row && known.level() == answer.level->name)
        refuse(answer, fmt::format("level \"{}\" gives the same answer every time and has one at point {}, "
                                   "that of {}; to correct it use amend",
                                   answer.level->name, event.unasked->point, id));
  checked.result = {.id = event.id, .changes = true, .charge = event.cost, .surprise = std::nullopt};
  return checked;
}

// ---- Answers before anything was predicted: judged by the others (math.md 22.4) ---------------------------

namespace {

constexpr std::size_t fewest_others = 3;

// As the model will see the answer. Empty if it is not one to compare: of a class, elsewhere, or repeated.
std::optional<Annotation> first_annotation(const Study& study, const State& state,
                                           const CheckedAnswer& answer) {
  const Told& event = answer.event;
  const SuggestionRecord* record = state.find(event.id);
  if (!answer.result.changes || record == nullptr || event.row || event.inputs || record->asked.row < 0)
    return std::nullopt;
  SuggestionRecord after = *record;
  after.told = event;
  after.values = event.values;
  return told_annotation(study, after);
}

}  // namespace

// math.md eq. (22.5).
std::optional<double> deviation_from(const std::vector<double>& others, double value, double noise) {
  if (others.size() < fewest_others) return std::nullopt;
  const auto count = static_cast<double>(others.size());
  double mean = 0.0, squares = 0.0;
  for (const double other : others) mean += other / count;
  for (const double other : others) squares += (other - mean) * (other - mean);
  const double variance = std::max(squares / (count - 1.0), noise);
  if (!(variance > 0.0) || !std::isfinite(variance)) return std::nullopt;
  const double t = (value - mean) / std::sqrt(variance * (1.0 + 1.0 / count));
  const double tail =
      boost::math::cdf(boost::math::complement(numerics::StudentsTDistribution(count - 1.0), std::abs(t)));
  const double least = std::numeric_limits<double>::min();
  const double z =
      boost::math::quantile(boost::math::complement(numerics::NormalDistribution(), std::max(tail, least)));
  return t < 0.0 ? -z : z;
}

void compare_with_others(const Study& study, const State& state, std::vector<CheckedAnswer>& checked) {
  const auto lacks = [](const CheckedAnswer& one) { return one.result.changes && !one.result.surprise; };
  // Of classes the size of answers is always known.
  if (study.file().knows_scale() || state.fitted()) return;
  if (std::none_of(checked.begin(), checked.end(), lacks)) return;
  std::vector<double> values;
  for (const Annotation& annotation : annotations_of(study, state)) values.push_back(annotation.value);
  const std::size_t recorded = values.size();
  std::vector<std::optional<Annotation>> fresh;
  std::vector<std::size_t> place;
  for (const CheckedAnswer& one : checked) {
    fresh.push_back(first_annotation(study, state, one));
    place.push_back(values.size());
    if (fresh.back()) values.push_back(fresh.back()->value);
  }
  if (values.size() <= recorded) return;
  for (std::size_t k = 0; k < checked.size(); ++k) {
    if (!fresh[k] || !lacks(checked[k])) continue;
    std::vector<double> others = values;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(place[k]));
    checked[k].result.surprise = deviation_from(others, fresh[k]->value, noise_variance(fresh[k]->channel));
    checked[k].result.beside_others = checked[k].result.surprise.has_value();
  }
}

}  // namespace acuity
