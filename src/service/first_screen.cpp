#include "service/first_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "campaign/initial_design.hpp"
#include "campaign/state_queries.hpp"
#include "explain/reason_text.hpp"
#include "judgement/error_projection.hpp"
#include "judgement/verdict_parts.hpp"
#include "text/level_text.hpp"
#include "text/number_text.hpp"
#include "text/sentence.hpp"
#include "views/campaign_text.hpp"
#include "views/plain_json.hpp"

namespace acuity {

namespace {

using Calibration = CalibrationVerdict::Calibration;
using VerdictState = CampaignVerdict::State;

// A number, or a word in its place, and what it means.
struct Fact {
  std::string value, sentence;
  VerdictState state = VerdictState::unknown;
};

Json fact_json(const Fact& fact) {
  const CampaignVerdict named{.question = {}, .answer = {}, .advice = {}, .state = fact.state};
  return {{"value", fact.value}, {"sentence", fact.sentence}, {"state", named.state_name()}};
}

// ---- The error -----------------------------------------------------------------------------------------

std::string trend_of(const CampaignData& data) {
  std::vector<SpentError> course;
  for (const CoursePoint& one : data.course.errors)
    if (one.typical) course.push_back({one.spent, *one.typical});
  const std::optional<double> change = recent_change(course);
  if (!change) return "";
  if (std::abs(*change) < 0.02) return " It hardly changed over the last third of the money.";
  return fmt::format(" It {} by {:.0f} % over the last third of the money.", *change < 0.0 ? "fell" : "rose",
                     100.0 * std::abs(*change));
}

Fact error_fact(const CampaignData& data, const CampaignVerdict& verdict) {
  if (!data.typical_error) {
    if (!data.is_complete && !data.answers.all.empty()) return {"…", "Being computed."};
    return {"Not known yet",
            data.answers.all.empty() ? "There are no answers yet." : "There are too few answers to tell."};
  }
  const TypicalError& error = *data.typical_error;
  const TargetView& view = *data.books.target;
  Fact fact{view.typical_error_heading(error.expected()),
            view.typical_error_meaning(error.expected(), error.range, error.where()) + trend_of(data),
            verdict.state};
  if (verdict.state == VerdictState::good) fact.sentence += " This is good enough.";
  if (verdict.state == VerdictState::bad) fact.sentence += " Less is wanted.";
  return fact;
}

// ---- Whether it may be trusted -------------------------------------------------------------------------

// The sentence of status and report.
Fact calibrated(const CampaignData& data, const CampaignVerdict& verdict) {
  constexpr std::string_view not_entirely = "Not entirely: ";
  if (verdict.state == VerdictState::bad && verdict.answer.starts_with(not_entirely))
    return {"Not entirely", capitalised(verdict.answer.substr(not_entirely.size())), verdict.state};
  return {"Calibrated", as_sentence(finding_about(data.books.target->judged(), data.verdict)), verdict.state};
}

Fact miscalibrated(const CampaignData& data, const CampaignVerdict& verdict) {
  const bool is_narrow = data.verdict.calibration == Calibration::too_narrow;
  const std::string value = data.verdict.is_of_classes ? capitalised(data.verdict.words())
                            : is_narrow                ? "Too narrow"
                                                       : "Too wide";
  return {value, as_sentence(finding_about(data.books.target->judged(), data.verdict)), verdict.state};
}

Fact trust_fact(const CampaignData& data, const CampaignVerdict& verdict) {
  if (data.answers.all.empty()) return {"Not known yet", "There are no answers yet."};
  if (!data.is_complete) return {"…", "Being computed."};
  switch (data.verdict.calibration) {
    case Calibration::good:
      return calibrated(data, verdict);
    case Calibration::too_narrow:
    case Calibration::too_wide:
      return miscalibrated(data, verdict);
    case Calibration::cannot_tell:
      break;
  }
  return {"Not known yet", as_sentence(finding_about(data.books.target->judged(), data.verdict)),
          verdict.state};
}

// ---- The money -----------------------------------------------------------------------------------------

// What the rest buys by the last plan, which may be a few answers old. Nothing by a plan for less money.
std::string planned_purchases(const Study& study, const State& state, double free) {
  constexpr double slack = 1.05;
  if (!state.planned() || !(slack * state.planned()->remaining > free)) return "";
  std::vector<double> counts = state.planned()->purchases;
  double total = 0.0;
  for (double& count : counts) {
    count = std::round(count * std::min(1.0, free / state.planned()->remaining));
    total += count;
  }
  if (total < 1.0 || counts.size() != study.offer().levels.size()) return "";
  const std::string list = purchases_list(counts, study.offer().levels);
  return fmt::format("It will buy about {}: {}.", counted(static_cast<std::int64_t>(total), "more answer"),
                     list);
}

// By the price of the latest answers.
std::string affordable_answers(const CampaignData& data) {
  constexpr std::size_t latest = 20;
  double paid = 0.0;
  std::int64_t answers = 0;
  const std::vector<ReportedAnswer>& all = data.answers.all;
  for (std::size_t k = all.size() - std::min(latest, all.size()); k < all.size(); ++k) {
    paid += all[k].cost;
    ++answers;
  }
  if (!(paid > 0.0)) return "";
  const double more = data.books.free * static_cast<double>(answers) / paid;
  if (more < 1.0) return "That is less than the latest answers cost on average.";
  return fmt::format("At the price of the latest answers it buys about {}.",
                     counted(std::llround(more), "more answer"));
}

std::string design_price(const Study& study, const std::string& unit) {
  const InitialDesign design = initial_design(study);
  if (design.count() == 0) return "";
  return fmt::format("The first {} cost about {} of it.", counted(design.count(), "answer"),
                     money(design.cost(study), unit));
}

Fact money_fact(const Campaign& campaign, const CampaignData& data, const NextExplanation* next) {
  const std::string& unit = data.books.unit;
  if (next != nullptr && next->result.suggestions.empty() && next->result.status == AskStatus::finished)
    return {"Finished", as_sentence(end_text(campaign.state(), next->result.reason)), VerdictState::unknown};
  if (!std::isfinite(data.books.budget))
    return {money(data.books.spent, unit) + " spent", "There is no limit: somebody has to say when to stop."};
  Fact fact{money(std::max(0.0, data.books.free), unit) + " left", {}};
  if (!(data.books.free > 0.0)) {
    fact.sentence =
        data.books.pending > 0
            ? fmt::format(
                  "{} under way, and then the budget is spent.",
                  data.books.pending == 1 ? "1 answer is" : fmt::format("{} answers are", data.books.pending))
            : "The budget is spent.";
    return fact;
  }
  if (data.answers.all.empty())
    fact.sentence = design_price(campaign.study(), unit);
  else
    fact.sentence = planned_purchases(campaign.study(), campaign.state(), data.books.free);
  if (fact.sentence.empty()) fact.sentence = affordable_answers(data);
  if (fact.sentence.empty()) fact.sentence = "Nothing was bought yet.";
  return fact;
}

// ---- What happens next ---------------------------------------------------------------------------------

// The reason in words for everybody: a variance is the square of an uncertainty.
std::string plain_reason(const Explanation& explanation, const Study& study) {
  constexpr std::string_view term = "the mean variance", plain = "the mean square of the uncertainty";
  std::string why = reason_text(explanation, study);
  if (const std::size_t at = why.find(term); at != std::string::npos) why.replace(at, term.size(), plain);
  while (!why.empty() && why.back() == '\n') why.pop_back();
  return why;
}

Json next_json(const Campaign& campaign, const NextExplanation* next) {
  if (next == nullptr || next->result.suggestions.empty()) return nullptr;
  const Suggestion& chosen = next->result.suggestions.front();
  const Study& study = campaign.study();
  return {{"point", chosen.point},
          {"inputs", plain_inputs(study.pool().columns(), chosen.inputs.data())},
          {"level", describe(chosen.level)},
          {"cost", plain_number(chosen.cost)},
          {"why", next->explanation ? plain_reason(*next->explanation, study) : std::string()}};
}

std::string if_nothing_next(const Campaign& campaign, const NextExplanation* next) {
  if (next == nullptr) return "The next question is being computed.";
  if (!next->result.suggestions.empty()) return "";
  const std::string why = as_sentence(end_text(campaign.state(), next->result.reason));
  return next->result.status == AskStatus::finished ? why : "Nothing can be asked now. " + why;
}

// A campaign without answers: a picture of a belief would show an invention.
Json first_steps(const Campaign& campaign, const CampaignData& data) {
  Json steps = Json::array();
  if (!data.answers.all.empty()) return steps;
  const Study& study = campaign.study();
  const InitialDesign design = initial_design(study);
  if (design.count() > 0) {
    std::vector<double> counts(study.offer().levels.size(), 0.0);
    for (const InitialDesign::Part& part : design.parts)
      counts[static_cast<std::size_t>(part.level)] += static_cast<double>(part.count);
    steps.push_back(fmt::format("First come {} at points {}: {}.", counted(design.count(), "answer"),
                                design.space_filling ? "far apart" : "drawn at random",
                                purchases_list(counts, study.offer().levels)));
    steps.push_back("They show how the answer changes with each input, and what noise there is.");
  }
  steps.push_back("Then every question is the one that tells most for its price.");
  steps.push_back("Predictions, their error and pictures appear here with the first answers.");
  return steps;
}

}  // namespace

Json first_screen(const Campaign& campaign, const CampaignData& data,
                  const std::vector<CampaignVerdict>& verdicts, const NextExplanation* next) {
  return {{"first", first_steps(campaign, data)},
          {"error", fact_json(error_fact(data, verdicts.at(0)))},
          {"trust", fact_json(trust_fact(data, verdicts.at(1)))},
          {"money", fact_json(money_fact(campaign, data, next))},
          {"next", next_json(campaign, next)},
          {"nothing_next", if_nothing_next(campaign, next)}};
}

}  // namespace acuity
