#include "conduct/attempt_series.hpp"

#include <fmt/format.h>

#include "acuity/base/errors.hpp"
#include "annotation/file_end.hpp"
#include "annotation/reply.hpp"
#include "base/text.hpp"
#include "campaign/answer_check.hpp"
#include "conduct/failure_policy.hpp"

namespace acuity {

namespace {

using AttemptKind = AttemptOutcome::Kind;

// Why an attempt failed, and the last lines of its output.
std::string report_on(const AttemptSeries& series, const std::string& reason,
                      const std::filesystem::path& folder) {
  std::string report =
      one_line(fmt::format("suggestion {}, {} ({})", series.suggestion.id, reason, folder.string()));
  for (const std::string& line : last_output_lines(folder)) report += "\n  | " + line;
  return report;
}

void retry_later(AttemptSeries& series) {
  const double wait = FailurePolicy::wait_before_attempt(series.waits++);
  series.start_at = AttemptSeries::Clock::now() + std::chrono::duration_cast<AttemptSeries::Clock::duration>(
                                                      std::chrono::duration<double>(wait));
}

}  // namespace

std::optional<Outcome> AttemptRules::conclude(AttemptSeries& series, const AttemptOutcome& attempt,
                                              const std::filesystem::path& folder) const {
  if (series.unwanted) {
    if (attempt.kind != AttemptKind::answered) return std::nullopt;
    Outcome late = answered(series, attempt);
    return late.kind == Outcome::Kind::answered ? std::optional(std::move(late)) : std::nullopt;
  }
  switch (attempt.kind) {
    case AttemptKind::answered: {
      Outcome outcome = answered(series, attempt);
      if (outcome.kind == Outcome::Kind::answered) return outcome;
      return conclude(
          series, {.kind = AttemptKind::failed, .answer = {}, .reason = outcome.reason, .inconclusive = true},
          folder);
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
      if (!FailurePolicy::tries_again(++series.failures, study_.file().annotator.retries))
        return Outcome{.kind = Outcome::Kind::failed,
                       .id = series.suggestion.id,
                       .answer = {},
                       .reason = attempt.reason,
                       .cost = series.lost,
                       .report = report_on(series, attempt.reason, folder),
                       .inconclusive = attempt.inconclusive};
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

void AttemptRules::count_earlier(AttemptSeries& series, const AttemptOutcome& attempt,
                                 const std::filesystem::path& folder) {
  // If an attempt answered and was followed by another one, its answer was invalid.
  series.failures += attempt.kind == AttemptKind::failed || attempt.kind == AttemptKind::answered ? 1 : 0;
  if (attempt.kind == AttemptKind::failed) series.lost += failure_cost(folder).value_or(0.0);
}

Outcome AttemptRules::answered(const AttemptSeries& series, const AttemptOutcome& attempt) const {
  Outcome outcome{.kind = Outcome::Kind::answered,
                  .id = series.suggestion.id,
                  .answer = {},
                  .reason = {},
                  .cost = series.lost};
  try {
    outcome.answer = answer_in(*attempt.answer, series);
  } catch (const InputError& error) {
    outcome.kind = Outcome::Kind::failed;
    outcome.reason = error.what();
  }
  return outcome;
}

// Throws InputError if no campaign of this study could record it: the attempt has failed then, and counts.
Answer AttemptRules::answer_in(const Reply& reply, const AttemptSeries& series) const {
  const std::variant<WrittenAnswer, std::string> value = told_value(reply, study_.file());
  if (const auto* problem = std::get_if<std::string>(&value)) throw InputError(*problem);
  const auto& written = std::get<WrittenAnswer>(value);
  require_values(study_, {written.value}, "y");
  Answer answer;
  answer.id = series.suggestion.id;
  answer.values = {written.value};
  if (written.trials) answer.trials = {*written.trials};
  answer.cost = reply.cost;
  // What failed attempts have cost was paid for this answer.
  if (series.lost > 0.0) answer.cost = answer.cost.value_or(series.suggestion.cost) + series.lost;
  if (reply.noise_sd)  // told_value() has checked that the target has noise
    answer.channel = study_.file().target->reported_channel(*reply.noise_sd, answer.values);
  require_recordable(study_, answer);
  return answer;
}

}  // namespace acuity
