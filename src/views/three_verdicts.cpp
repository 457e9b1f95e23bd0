#include "views/three_verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/text.hpp"
#include "campaign/state_queries.hpp"
#include "judgement/error_projection.hpp"
#include "judgement/verdict_parts.hpp"
#include "study/reported_noise.hpp"
#include "text/input_text.hpp"
#include "text/level_text.hpp"
#include "text/number_text.hpp"
#include "text/sentence.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

using Calibration = CalibrationVerdict::Calibration;
using VerdictState = CampaignVerdict::State;

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100.0 * share);
}

// "; it fell by 12 % over the last third of the money", as part of a sentence.
std::string trend_text(const std::vector<SpentError>& course) {
  const std::optional<double> change = recent_change(course);
  if (!change) return "";
  if (std::abs(*change) < 0.02) return "; it hardly changed over the last third of the money";
  return fmt::format("; it {} by {} over the last third of the money", *change < 0.0 ? "fell" : "rose",
                     percent(std::abs(*change)));
}

std::vector<SpentError> typical_errors_of(const CampaignData& data) {
  std::vector<SpentError> found;
  for (const CoursePoint& one : data.course.errors)
    if (one.typical) found.push_back({one.spent, *one.typical});
  return found;
}

std::vector<SpentError> standard_deviations_of(const CampaignData& data) {
  std::vector<SpentError> found;
  for (const CoursePoint& one : data.course.errors)
    if (one.predictive_sd) found.push_back({one.spent, *one.predictive_sd});
  return found;
}

// What reaching the goal will cost beyond what was spent. A wide range says nothing.
std::string projection_text(const std::optional<ProjectedSpending>& projected, const CampaignData& data) {
  constexpr double widest = 5.0;
  const double more = projected ? projected->spent - data.books.spent : 0.0;
  const double least = projected ? projected->low - data.books.spent : 0.0;
  if (!projected || !projected->high || !(least > 0.0) ||
      *projected->high - data.books.spent > widest * least)
    return "how much more it takes cannot be told yet";
  return fmt::format("by its trend it takes about {} more ({} to {})", money(more, data.books.unit),
                     rounded(least, 2), rounded(*projected->high - data.books.spent, 2));
}

std::string projection_advice(const std::optional<ProjectedSpending>& projected, const CampaignData& data) {
  const std::string takes = projection_text(projected, data);
  if (!std::isfinite(data.books.budget)) return takes;
  const double left = data.books.free;
  if (!(left > 0.0))
    return data.books.pending > 0 ? takes : takes + ": raise the budget, or accept this error";
  if (projected && projected->low > data.books.budget)
    return fmt::format("{}: the {} left will not reach it", takes, money(left, data.books.unit));
  if (projected && projected->spent > data.books.budget)
    return fmt::format("{}: the {} left may not reach it", takes, money(left, data.books.unit));
  return takes;
}

// The number with which everything begins, and what was measured if there is something to measure it by.
std::string error_sentence(const CampaignData& data) {
  const std::string expected = data.sought_text.empty()
                                   ? data.typical_error_text
                                   : fmt::format("{}; {}", data.sought_text, data.typical_error_text);
  if (!data.is_held_out) return expected;
  return fmt::format("{}; on {}: {}", expected, data.course_source,
                     data.books.target->error_text(data.course.errors.back().error, std::nullopt));
}

// The study says what is good enough: [stop] predictive_sd.
CampaignVerdict against_goal(const CampaignData& data, double goal) {
  CampaignVerdict verdict{.question = "Is it good enough?", .answer = {}, .advice = {}};
  const CoursePoint& now = data.course.errors.back();
  const bool is_claimed_low = *now.predictive_sd < goal;
  // Measured on known values, or what is left of the claim if intervals are known to be too narrow.
  double real = *now.predictive_sd;
  if (data.is_held_out && now.error > real)
    real = now.error;
  else if (data.verdict.calibration == Calibration::too_narrow && data.verdict.factor > 1.0)
    real *= data.verdict.factor;
  const std::string wanted =
      fmt::format("; mean standard deviation {}, below {} wanted", rounded(real, 3), rounded(goal, 3));
  if (is_claimed_low && real < goal) {
    verdict.state = VerdictState::good;
    verdict.answer = fmt::format("Yes: {}{}.", data.typical_error_text, wanted);
    verdict.advice = "stop here";
    return verdict;
  }
  verdict.state = VerdictState::bad;
  if (is_claimed_low) {
    verdict.answer = fmt::format("No: {}{}.", error_sentence(data), wanted);
    verdict.advice = without_last_parentheses(data.verdict.advice);
    return verdict;
  }
  verdict.answer = fmt::format("Not yet: {}{}.", data.typical_error_text, wanted);
  verdict.advice = projection_advice(projected_spending(standard_deviations_of(data), goal), data);
  return verdict;
}

CampaignVerdict good_enough(const Study& study, const CampaignData& data) {
  CampaignVerdict verdict{.question = "Is it good enough?", .answer = {}, .advice = {}};
  if (!data.is_complete) {
    verdict.answer = "This is being computed.";
    return verdict;
  }
  const auto answers = static_cast<std::int64_t>(data.answers.all.size());
  if (!data.typical_error || data.course.errors.empty()) {
    verdict.answer = fmt::format("It cannot be told from {}.", counted(answers, "answer"));
    return verdict;
  }
  const std::optional<double> goal = study.file().stop.predictive_sd;
  if (goal && data.course.errors.back().predictive_sd) return against_goal(data, *goal);
  verdict.answer = fmt::format("{}.", capitalised(error_sentence(data)));
  if (!data.failing_text.empty()) verdict.answer += fmt::format(" {}.", capitalised(data.failing_text));
  verdict.advice =
      fmt::format("compare it with the error that you can accept{}", trend_text(typical_errors_of(data)));
  return verdict;
}

CampaignVerdict trusted(const Campaign& campaign, const CampaignData& data) {
  CampaignVerdict verdict{.question = "May it be trusted?", .answer = {}, .advice = {}};
  if (!data.is_complete) {
    verdict.answer = "This is being computed.";
    return verdict;
  }
  if (data.answers.all.empty()) {
    verdict.answer = "It cannot be told without answers.";
    return verdict;
  }
  // Status and the page say the same.
  const std::string finding = finding_about(data.books.target->judged(), data.verdict);
  switch (data.verdict.calibration) {
    case Calibration::good:
      verdict.state = VerdictState::good;
      verdict.answer = fmt::format("Yes: {}.", finding);
      break;
    case Calibration::too_narrow:
    case Calibration::too_wide:
      verdict.state = VerdictState::bad;
      verdict.answer = fmt::format(
          "{}: {}.", data.verdict.calibration == Calibration::too_narrow ? "No" : "Only with care", finding);
      break;
    case Calibration::cannot_tell:
      verdict.answer = as_sentence(finding);
      break;
  }
  verdict.advice = without_last_parentheses(data.verdict.advice);
  std::vector<std::string> details{data.verdict.reason};
  for (const BiasView& view : data.biases)
    if (!view.pairs.empty() || view.estimate.is_useless()) details.push_back(to_text(view.estimate));
  for (const LevelOffset& offset : data.offsets) {
    if (!offset.is_unexplained()) continue;
    details.push_back(to_text(offset) + ", which the model does not contain");
    if (verdict.state == VerdictState::good)
      verdict.answer =
          fmt::format("Not entirely: {} and {} differ by more than noise.", offset.level, offset.other);
    verdict.state = VerdictState::bad;
    if (verdict.advice.empty())
      verdict.advice = "let the model learn the bias of the coarser of the two levels";
  }
  const std::vector<ReportedNoise> reports =
      reported_noise(campaign.study(), campaign.model(), campaign.annotations());
  for (const std::string& sentence : reported_noise_warnings(campaign.study(), reports))
    details.push_back(sentence);
  std::erase(details, std::string());
  verdict.details = as_sentence(fmt::format("{}", fmt::join(details, "; ")));
  return verdict;
}

// By how many times price, noise or error rate would have to change.
double distance_of(const Explanation::Counterfactual& one, const Explanation& explanation) {
  double nearest = HUGE_VAL;
  double cost = one.level.cost;
  for (const Explanation::LevelMerit& merit : explanation.levels)
    if (merit.level.name == one.level.name && merit.level.alpha == one.level.alpha) cost = merit.cost;
  const auto take = [&](double now, double needed) {
    if (now > 0.0 && needed > 0.0) nearest = std::min(nearest, std::abs(std::log(needed / now)));
  };
  if (one.price) take(cost, *one.price);
  if (one.noise_sd) take(std::sqrt(noise_variance(one.level.channel)), *one.noise_sd);
  return nearest;
}

std::string nearest_change(const Explanation& explanation, const Study& study) {
  const Explanation::Counterfactual* nearest = nullptr;
  for (const Explanation::Counterfactual& one : explanation.counterfactuals)
    if (std::isfinite(distance_of(one, explanation)) &&
        (nearest == nullptr || distance_of(one, explanation) < distance_of(*nearest, explanation)))
      nearest = &one;
  return nearest == nullptr ? "" : counterfactual_text(*nearest, explanation, study);
}

CampaignVerdict what_next(const Campaign& campaign, const NextExplanation* next, VerdictState first) {
  CampaignVerdict verdict{.question = "What next?", .answer = {}, .advice = {}};
  if (next == nullptr) {
    verdict.answer = "The next choice is being computed.";
    return verdict;
  }
  const AskResult& result = next->result;
  if (result.suggestions.empty()) {
    const bool is_finished = result.status == AskStatus::finished;
    verdict.answer = fmt::format("{}: {}.", is_finished ? "Finished" : "Nothing now",
                                 end_text(campaign.state(), result.reason));
    if (!is_finished) {
      verdict.advice = "record or release what is pending";
      return verdict;
    }
    verdict.state = first;
    return verdict;
  }
  const Suggestion& chosen = result.suggestions.front();
  const Study& study = campaign.study();
  verdict.state = VerdictState::good;
  const std::string inputs = inputs_text(study.pool().columns(), chosen.inputs.data(), 4);
  const std::string what =
      fmt::format("Ask about {} ({}) at {}, for {}", chosen.point, inputs, describe_in_sentence(chosen.level),
                  money(chosen.cost, study.file().unit));
  if (!next->explanation) {
    verdict.answer = what + ".";
    return verdict;
  }
  const Explanation& explanation = *next->explanation;
  if (explanation.is_drawn) {
    verdict.answer =
        what + (explanation.in_audit ? ", drawn for the audit." : ", which is part of the initial design.");
    return verdict;
  }
  verdict.answer = what + ".";
  verdict.advice = nearest_change(explanation, study);
  return verdict;
}

}  // namespace

std::string CampaignVerdict::state_name() const {
  switch (state) {
    case State::good:
      return "good";
    case State::bad:
      return "bad";
    case State::unknown:
      break;
  }
  return "unknown";
}

std::vector<CampaignVerdict> three_verdicts(const Campaign& campaign, const CampaignData& data,
                                            const NextExplanation* next, const std::string& note) {
  const CampaignVerdict first = good_enough(campaign.study(), data);
  std::vector<CampaignVerdict> verdicts{first, trusted(campaign, data),
                                        what_next(campaign, next, first.state)};
  if (!note.empty()) verdicts.back().answer += " " + note;
  for (CampaignVerdict& one : verdicts) one.advice = as_sentence(one.advice);
  return verdicts;
}

}  // namespace acuity
