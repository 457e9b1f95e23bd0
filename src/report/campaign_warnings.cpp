#include "report/campaign_warnings.hpp"

#include <fmt/format.h>

#include <cmath>

namespace acuity {

namespace {

constexpr Index enough_scores = 10;

// Of several intervals that are off the one that is off most, in sampling errors.
std::string coverage_warning(const ScoreCalibration& all) {
  const Coverage* worst = nullptr;
  const auto off_by = [](const Coverage& one) {
    return std::abs(one.share() - one.nominal) / one.sampling_error();
  };
  for (const Coverage& coverage : all.coverages)
    if (coverage.is_off() && (worst == nullptr || off_by(coverage) > off_by(*worst))) worst = &coverage;
  if (worst == nullptr || worst->count < enough_scores) return "";
  const bool narrow = worst->share() < worst->nominal;
  return fmt::format(
      "The model’s error bars are too {}: of {} answers {:.0f} % lie within the {:.0f} % interval that the "
      "others give (sampling error {:.1f} %). {}",
      narrow ? "narrow" : "wide", worst->count, 100.0 * worst->share(), 100.0 * worst->nominal,
      100.0 * worst->sampling_error(),
      narrow ? "The noise of the levels may be understated, or the kernel too smooth."
             : "The noise of the levels may be overstated, or the amplitude too large.");
}

std::string surprise_warning(const CampaignData& data) {
  const auto count = static_cast<Index>(data.answers.size());
  if (count < enough_scores) return "";
  Vector probabilities(count), labels(count);
  for (Index i = 0; i < count; ++i) {
    probabilities(i) = data.answers[static_cast<std::size_t>(i)].expected;
    labels(i) = data.answers[static_cast<std::size_t>(i)].value;
  }
  const double excess = excess_surprise(probabilities, labels);
  if (std::abs(excess) <= 2.5) return "";
  return fmt::format(
      "The model is too {} of itself: the labels are {} surprising than its probabilities allow, by {:.1f} "
      "sampling errors over {} labels. {}",
      excess > 0.0 ? "sure" : "unsure", excess > 0.0 ? "more" : "less", std::abs(excess), count,
      excess > 0.0
          ? "Levels may be less accurate than the study says."
          : "Classes may be crisper than the amplitude allows, or levels more accurate than the study says.");
}

// Inputs whose length scale is at an edge, by name; "the inputs" where there is one for all.
std::string at_edge(const CampaignData& data, const Vector& ranges, bool (*is_edge)(double share)) {
  const std::vector<double>& lengthscales = data.fits.back().lengthscales;
  if (lengthscales.size() == 1) return is_edge(lengthscales[0] / ranges.maxCoeff()) ? "the inputs" : "";
  std::vector<std::string> names;
  for (std::size_t k = 0; k < lengthscales.size(); ++k)
    if (is_edge(lengthscales[k] / ranges(static_cast<Index>(k)))) names.push_back(data.inputs[k]);
  return fmt::format("{}", fmt::join(names, ", "));
}

// A length scale far beyond the pool says that an input does nothing; far below it, that nothing is learned
// from one point about the next.
void add_edges(const Campaign& campaign, CampaignData& data) {
  const State& state = campaign.state();
  if (!state.fitted()) return;
  if (!state.fitted()->converged)
    data.warnings.push_back(
        fmt::format("The last fit of the hyperparameters did not converge: {}.", state.fitted()->reason));
  const Study& study = campaign.study();
  const Points pool = study.prior_given(campaign.annotations()).scaling.apply(study.pool().points());
  const Vector ranges = pool.colwise().maxCoeff() - pool.colwise().minCoeff();
  const std::string idle = at_edge(data, ranges, [](double share) { return share > 10.0; }),
                    rough = at_edge(data, ranges, [](double share) { return share < 0.01; });
  if (!idle.empty())
    data.warnings.push_back(
        fmt::format("Learned length scales at the upper edge, more than ten times the "
                    "pool’s range: {}. What is there does not seem to matter.",
                    idle));
  if (!rough.empty())
    data.warnings.push_back(
        fmt::format("Learned length scales at the lower edge, less than a hundredth of the "
                    "pool’s range: {}. An answer says next to nothing about other points.",
                    rough));
}

void add_books(CampaignData& data) {
  const double committed = data.spent + data.escrow;
  if (committed > data.budget * (1.0 + 1e-9))
    data.warnings.push_back(
        fmt::format("The budget is overrun by {}: answers have cost more than was in escrow for them.",
                    money_text(committed - data.budget, data.unit)));
  const auto asked = static_cast<double>(data.failed) + static_cast<double>(data.answers.size());
  if (data.failed >= 3 && static_cast<double>(data.failed) > 0.2 * asked)
    data.warnings.push_back(fmt::format("{} suggestions failed and have no answer, beside {} answers.",
                                        data.failed, data.answers.size()));
}

}  // namespace

void add_warnings(const Campaign& campaign, CampaignData& data) {
  if (!data.calibrations.empty())
    if (const std::string warning = coverage_warning(data.calibrations.front()); !warning.empty())
      data.warnings.push_back(warning);
  if (data.binary)
    if (const std::string warning = surprise_warning(data); !warning.empty())
      data.warnings.push_back(warning);
  for (const LevelOffset& offset : data.offsets)
    if (offset.is_bias())
      data.warnings.push_back(to_text(offset) +
                              ". That is more than noise: levels are taken to differ in noise alone.");
  add_edges(campaign, data);
  add_books(data);
}

}  // namespace acuity
