#include "views/campaign_warnings.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "acuity/selection/candidates.hpp"
#include "acuity/study/study_learner.hpp"
#include "base/text.hpp"
#include "campaign/reported_cost.hpp"
#include "judgement/level_biases.hpp"
#include "study/reported_noise.hpp"
#include "text/number_text.hpp"
#include "text/sentence.hpp"

namespace acuity {

namespace {

// Names of the inputs whose length scale is at an edge; "the inputs" if there is one length scale for all.
std::string at_edge(const CampaignData& data, const Vector& ranges, bool (*is_edge)(double share)) {
  const std::vector<double>& lengthscales = data.course.fits.back().lengthscales;
  std::vector<std::string> names;
  std::size_t next = 0;
  double widest = 0.0;
  for (std::size_t k = 0; k < data.books.columns.size(); ++k) {
    if (data.books.columns[k].is_category()) continue;
    widest = std::max(widest, ranges(static_cast<Index>(k)));
    if (lengthscales.size() > 1 && is_edge(lengthscales[next++] / ranges(static_cast<Index>(k))))
      names.push_back(data.books.inputs[k]);
  }
  if (lengthscales.size() == 1) return is_edge(lengthscales[0] / widest) ? "the inputs" : "";
  return fmt::format("{}", fmt::join(names, ", "));
}

// A length scale far below the range of the pool means that points say nothing about each other. One far
// beyond the pool's range is not a problem in itself: with a large amplitude it describes a straight line.
void add_edges(const Campaign& campaign, const CampaignData& data, std::vector<std::string>& warnings) {
  const State& state = campaign.state();
  if (!state.fitted()) return;
  if (!state.fitted()->converged)
    warnings.push_back(
        fmt::format("The last fit of the hyperparameters did not converge: {}.", state.fitted()->reason));
  const Study& study = campaign.study();
  const Points pool =
      StudyLearner(study).prior_given(campaign.annotations()).scaling.apply(study.pool().points());
  const Vector ranges = pool.colwise().maxCoeff() - pool.colwise().minCoeff();
  const std::string rough = at_edge(data, ranges, [](double share) { return share < 0.01; });
  if (!rough.empty())
    warnings.push_back(
        fmt::format("Learned length scales at the lower edge, less than a hundredth of the "
                    "pool’s range: {}. An answer says next to nothing about other points.",
                    rough));
}

void add_biases(const Campaign& campaign, std::vector<std::string>& warnings) {
  const Study& study = campaign.study();
  if (!study.file().has_bias()) return;
  const StudyModel model = campaign.model();
  for (const EstimatedBias& bias : level_biases(study, model))
    if (const std::string useless = useless_text(bias); !useless.empty())
      warnings.push_back(as_sentence(useless));
  if (const std::string assumed = assumption_text(study, model); !assumed.empty())
    warnings.push_back(as_sentence(assumed));
}

void add_books(const CampaignData& data, std::vector<std::string>& warnings) {
  const double committed = data.books.spent + data.books.escrow;
  if (committed > data.books.budget + budget_slack(data.books.budget))
    warnings.push_back(
        fmt::format("The budget is overrun by {}: answers have cost more than was reserved for them.",
                    money(committed - data.books.budget, data.books.unit)));
  const auto asked = static_cast<double>(data.books.failed) + static_cast<double>(data.answers.all.size());
  if (data.books.failed >= 3 && static_cast<double>(data.books.failed) > 0.2 * asked)
    warnings.push_back(fmt::format("{} suggestions failed and have no answer, beside {}.", data.books.failed,
                                   counted(static_cast<std::int64_t>(data.answers.all.size()), "answer")));
}

}  // namespace

std::vector<std::string> campaign_warnings(const Campaign& campaign, const CampaignData& data) {
  std::vector<std::string> warnings;
  const std::string advice = without_last_parentheses(data.verdict.advice),
                    what_to_do = advice.empty() ? "" : fmt::format(" What to do: {}.", advice);
  if (data.verdict.is_bad())
    warnings.push_back(fmt::format("The model’s {} are {}: {}.{}", data.books.target->judged(),
                                   data.verdict.words(), data.verdict.reason, what_to_do));
  else if (data.is_held_out && data.verdict.factor > 1.5)  // classes have no factor: it stays 1
    warnings.push_back(fmt::format("It is not known whether the model’s {} are right: {}.{}",
                                   data.books.target->judged(), data.verdict.reason, what_to_do));
  for (const LevelOffset& offset : data.offsets)
    if (offset.is_unexplained())
      warnings.push_back(to_text(offset) +
                         ". That is more than noise: levels are taken to differ in noise alone.");
  add_biases(campaign, warnings);
  const std::vector<ReportedCost> costs = reported_costs(campaign.study(), campaign.state());
  for (const std::string& sentence : reported_cost_warnings(campaign.study(), costs))
    warnings.push_back("Costs that answers report: " + sentence + ".");
  const std::vector<ReportedNoise> reports =
      reported_noise(campaign.study(), campaign.model(), campaign.annotations());
  for (const std::string& sentence : reported_noise_warnings(campaign.study(), reports))
    warnings.push_back("Noise that answers report: " + sentence + ".");
  add_edges(campaign, data, warnings);
  add_books(data, warnings);
  return warnings;
}

}  // namespace acuity
