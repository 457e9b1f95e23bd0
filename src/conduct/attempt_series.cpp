#include "conduct/attempt_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "annotation/file_end.hpp"
#include "annotation/reply.hpp"
#include "base/text.hpp"
#include "campaign/answer_check.hpp"

namespace acuity {

namespace {

using AttemptKind = AttemptOutcome::Kind;

constexpr double first_wait = 0.5, longest_wait = 60.0;  // seconds

// The last lines of output of a program, to show why it failed.
std::string last_lines(const std::filesystem::path& folder) {
  std::string indented;
  for (const std::string& line : last_output_lines(folder)) indented += "\n  | " + line;
  return indented;
}

void retry_later(AttemptSeries& series) {
  const double wait = std::min(longest_wait, first_wait * std::exp2(series.waits++));
  series.start_at = AttemptSeries::Clock::now() + std::chrono::duration_cast<AttemptSeries::Clock::duration>(
                                                      std::chrono::duration<double>(wait));
}

}  // namespace

std::optional<Outcome> AttemptRules::conclude(AttemptSeries& series, const AttemptOutcome& attempt,
                                              const std::filesystem::path& folder) {
  if (series.unwanted) {
    if (attempt.kind != AttemptKind::answered) return std::nullopt;
    Outcome late = answered(series, attempt);
    return late.kind == Outcome::Kind::answered ? std::optional(std::move(late)) : std::nullopt;
  }
  switch (attempt.kind) {
    case AttemptKind::answered: {
      Outcome outcome = answered(series, attempt);
      if (outcome.kind == Outcome::Kind::answered) {
        failed_in_a_row_.clear();
        return outcome;
      }
      return conclude(series, {.kind = AttemptKind::failed, .answer = {}, .reason = outcome.reason}, folder);
    }
    case AttemptKind::never:
      series.lost += failure_cost(folder).value_or(0.0);
      return Outcome{.kind = Outcome::Kind::never,
                     .id = series.suggestion.id,
                     .answer = {},
                     .reason = attempt.reason,
                     .cost = series.lost};
    case AttemptKind::failed:
      series.lost += failure_cost(folder).value_or(0.0);
      note_failure(series, attempt.reason, folder);
      if (++series.failures > study_.file().annotator.retries) {
        failed_in_a_row_.insert(series.suggestion.row);
        return Outcome{.kind = Outcome::Kind::failed,
                       .id = series.suggestion.id,
                       .answer = {},
                       .reason = attempt.reason,
                       .cost = series.lost};
      }
      retry_later(series);
      return std::nullopt;
    case AttemptKind::later:
      retry_later(series);
      return std::nullopt;
    case AttemptKind::ended:  // ended by a crash or by us, not a failure: repeat without waiting
      series.start_at = AttemptSeries::Clock::now();
      return std::nullopt;
  }
  return std::nullopt;
}

void AttemptRules::count_failed(const SuggestionRecord& record) {
  if (failed_in_a_row_.empty())
    last_failure_ = one_line(fmt::format("suggestion {}, {}", record.asked.id, record.reason));
  failed_in_a_row_.insert(record.asked.row);
}

void AttemptRules::count_earlier(AttemptSeries& series, const AttemptOutcome& attempt,
                                 const std::filesystem::path& folder) {
  // If an attempt answered and was followed by another one, its answer was invalid.
  series.failures += attempt.kind == AttemptKind::failed || attempt.kind == AttemptKind::answered ? 1 : 0;
  if (attempt.kind == AttemptKind::failed) series.lost += failure_cost(folder).value_or(0.0);
}

Outcome AttemptRules::answered(const AttemptSeries& series, const AttemptOutcome& attempt) const {
  Outcome outcome{.kind = Outcome::Kind::answered, .id = series.suggestion.id, .answer = {}, .reason = {}};
  const std::variant<double, std::string> value = told_value(*attempt.answer, study_.file());
  if (const auto* problem = std::get_if<std::string>(&value)) {
    outcome.kind = Outcome::Kind::failed;
    outcome.reason = *problem;
    return outcome;
  }
  try {
    require_values(study_, {std::get<double>(value)}, "y");
  } catch (const InputError& error) {
    outcome.kind = Outcome::Kind::failed;
    outcome.reason = error.what();
    return outcome;
  }
  outcome.answer.id = series.suggestion.id;
  outcome.answer.values = {std::get<double>(value)};
  outcome.answer.cost = attempt.answer->cost;
  // What failed attempts have cost was paid for this answer.
  if (series.lost > 0.0)
    outcome.answer.cost = outcome.answer.cost.value_or(series.suggestion.cost) + series.lost;
  if (attempt.answer->noise_sd)  // told_value() has checked that the target has noise
    outcome.answer.channel =
        study_.file().target->reported_channel(*attempt.answer->noise_sd, outcome.answer.values);
  return outcome;
}

void AttemptRules::note_failure(const AttemptSeries& series, const std::string& reason,
                                const std::filesystem::path& folder) {
  last_failure_ =
      one_line(fmt::format("suggestion {}, {} ({})", series.suggestion.id, reason, folder.string())) +
      last_lines(folder);
}

}  // namespace acuity
