#include "explain/break_even_criterion.hpp"

#include <memory>

#include "acuity/acquisition/goal_information.hpp"

namespace acuity {

namespace {

// The fall of the variance of f at the point itself. At other points it falls by this times a factor that
// does not depend on the level.
class VarianceFall final : public Information {
 public:
  std::string_view unit() const override { return "variance"; }
  void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
             std::span<const Index> levels, double* out) const override {
    for (Index point = begin; point < end; ++point)
      for (const Index level : levels) {
        const double variance = belief.variance(point),
                     total = variance + noise_variance(offer.channel(point, level));
        *out++ = total > 0.0 ? variance * (variance / total) : 0.0;
      }
  }
};

const GoalInformation* goal_information(const Acquisition& acquisition) {
  return dynamic_cast<const GoalInformation*>(acquisition.information.get());
}

}  // namespace

std::string why_no_break_even(const Study& study, const StudyModel& model) {
  if (study.file().has_bias())
    return "levels with bias have no break-even by the standard deviation of f: what an answer is worth "
           "depends "
           "on what is known about the bias of its level";
  if (study.file().learns_accuracy())
    return "who answers decides about the level: accuracies differ between people, and are learned";
  const bool is_by_goal = study.file().acquisition.kind == AcquisitionSetting::Kind::goal;
  if (!is_by_goal) return "";
  if (study.file().chosen_for() != nullptr)
    return "which level is best depends on what is known about f everywhere, not only on its standard "
           "deviation, "
           "where a contour or the best point is sought";
  const auto* information = goal_information(model.acquisition);
  if (information == nullptr || information->criterion() != GoalCriterion::variance)
    return "which level is best depends on the goal, not only on the standard deviation of f, if the "
           "criterion "
           "is \"prediction\"";
  if (study.acquisition().continuous)
    return "the best of all precisions of a ladder is not tabulated for a goal";
  return "";
}

StudyModel compared_model(const StudyModel& model) {
  StudyModel compared = model;
  if (goal_information(model.acquisition) != nullptr)
    compared.acquisition.information = std::make_shared<VarianceFall>();
  return compared;
}

}  // namespace acuity
