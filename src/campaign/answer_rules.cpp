#include "campaign/answer_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "campaign/event_rules.hpp"
#include "campaign/state_queries.hpp"

namespace acuity {

[[noreturn]] void refuse(const Answer& answer, const std::string& sentence) {
  throw InputError(answer.where.empty() ? sentence : answer.where + ": " + sentence);
}

std::string whose(const Answer& answer) {
  return answer.id == 0 ? "the unasked answer" : std::to_string(answer.id);
}
std::string subject(const Answer& answer) {
  return answer.id == 0 ? "the unasked answer" : fmt::format("the answer to {}", answer.id);
}

void require_channel(const Study& study, const Answer& answer) {
  if (!answer.channel) return;
  const Target& target = *study.file().target;
  const auto* flip = std::get_if<FlipChannel>(&*answer.channel);
  if (!target.fits(*answer.channel))
    refuse(answer, fmt::format("{} has {}, must have {}", subject(answer), flip ? "an accuracy" : "a noise",
                               flip ? "a noise: the study's answers are numbers"
                                    : "an accuracy: the study's answers are classes"));
  const double value = flip ? flip->accuracy() : noise_variance(*answer.channel);
  if (!target.accepts(*answer.channel))
    refuse(answer,
           fmt::format("the {} of {} is {}, must be {}", flip ? "accuracy" : "noise variance", whose(answer),
                       std::isnan(value) ? "not a number" : shortest(value), target.channel_requirement()));
}

void require_place(const Study& study, const Answer& answer) {
  if (answer.row && (*answer.row < 0 || *answer.row >= study.pool().size()))
    refuse(answer, fmt::format("{} is about pool row {}, must be one from 0 to {}", subject(answer),
                               *answer.row, study.pool().size() - 1));
  if (!answer.inputs) return;
  const std::vector<std::string>& names = study.pool().inputs();
  if (answer.inputs->size() != names.size())
    refuse(answer, fmt::format("{} has {} inputs, must have {}", subject(answer), answer.inputs->size(),
                               names.size()));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const double value = (*answer.inputs)[i]; !study.pool().columns()[i].accepts(value))
      refuse(answer, fmt::format("the input \"{}\" of {} is {}, must be {}", names[i], subject(answer),
                                 std::isnan(value)   ? "not a number"
                                 : std::isinf(value) ? "infinite"
                                                     : shortest(value),
                                 study.pool().columns()[i].requirement()));
}

void require_no_other_gold(const Study& study, const SuggestionRecord* record,
                           const std::optional<Index>& row, bool moves, const std::string& subject) {
  if (record != nullptr && record->asked.gold && moves)
    throw InputError(
        fmt::format("{} is about another point than was asked for, must be about that", subject));
  if (row && study.gold_class(*row) && (record == nullptr || record->asked.row != *row))
    throw InputError(fmt::format("{} is about point {}, must be about one that is not in people.gold",
                                 subject, study.pool().id(*row)));
}

bool is_same(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-14 * std::max(std::abs(a), std::abs(b));
}
bool is_same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return is_same(x, y); });
}

bool is_same(const std::optional<Channel>& a, const std::optional<Channel>& b) {
  if (a.has_value() != b.has_value() || !a) return a.has_value() == b.has_value();
  if (a->index() != b->index()) return false;
  if (const auto* flip = std::get_if<FlipChannel>(&*a))
    return is_same(flip->yes, std::get<FlipChannel>(*b).yes) &&
           is_same(flip->no, std::get<FlipChannel>(*b).no);
  return is_same(noise_variance(*a), noise_variance(*b));
}

std::string why_no_noise(const Study& study, const SuggestionRecord& record, const std::string& whose) {
  if (record.told->channel || study.file().nugget != 0.0) return "";  // a nugget that is learned is never 0
  const Channel channel = expected_annotation(study, record).channel;
  const auto* gaussian = std::get_if<GaussianChannel>(&channel);
  if (gaussian == nullptr || level_of(study, record).exact || gaussian->noise_variance > 0.0) return "";
  return fmt::format("the total noise of {} is {} at the point that was annotated, must be above 0", whose,
                     gaussian->noise_variance);
}

}  // namespace acuity
