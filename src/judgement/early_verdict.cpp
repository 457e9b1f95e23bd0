#include "judgement/early_verdict.hpp"

#include <limits>

#include "campaign/initial_design.hpp"
#include "judgement/calibration_verdict.hpp"
#include "judgement/prequential.hpp"

namespace acuity {

namespace {

bool is_early(const Campaign& campaign) {
  const std::int64_t answers = campaign.state().annotations(),
                     first = initial_design(campaign.study()).count();
  return answers >= 3 && answers <= first + 15 && !campaign.study().file().binary();
}

// How many answers were known when somebody asked before this.
std::int64_t answers_at_ask_before(const Campaign& campaign, const std::vector<Suggestion>& now) {
  const std::int64_t first = now.empty() ? std::numeric_limits<std::int64_t>::max() : now.front().id;
  std::int64_t answers = 0, known = 0;
  for (const StoredEvent& stored : campaign.events()) {
    if (const auto* told = std::get_if<Told>(&stored.event))
      answers += static_cast<std::int64_t>(told->values.size());
    if (const auto* asked = std::get_if<Asked>(&stored.event); asked != nullptr && asked->id < first)
      known = answers;
  }
  return known;
}

}  // namespace

std::string early_verdict(const Campaign& campaign, std::int64_t said_at) {
  if (!is_early(campaign)) return "";
  const auto is_far_off = [](const CalibrationVerdict& verdict) {
    return verdict.calibration == CalibrationVerdict::Calibration::too_narrow && verdict.low >= 3.0;
  };
  const CalibrationVerdict verdict = verdict_on_predictions(campaign);
  if (!is_far_off(verdict)) return "";
  std::vector<double> earlier;
  for (const PrequentialScore& score : prequential_scores(campaign))
    if (score.before < said_at) earlier.push_back(score.z());
  if (is_far_off(verdict_on(earlier))) return "";
  return "the first answers are far from their predictions; " + verdict.text();
}

std::string early_verdict_at_ask(const Campaign& campaign, const std::vector<Suggestion>& suggestions) {
  if (!is_early(campaign)) return "";
  return early_verdict(campaign, answers_at_ask_before(campaign, suggestions));
}

}  // namespace acuity
