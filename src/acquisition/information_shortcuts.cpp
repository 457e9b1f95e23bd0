#include "acquisition/information_shortcuts.hpp"

#include <limits>

#include "acquisition/class_information_bounds.hpp"
#include "acquisition/goal_information_bounds.hpp"
#include "acquisition/level_accuracies.hpp"
#include "acuity/acquisition/goal_information.hpp"

namespace acuity {

namespace {

// A point about which nothing can be learned has a flat line, and so has one whose line would leave the range
// of doubles.
void set_line(double at_zero, double rise, double& intercept, double& slope) {
  constexpr double most = std::numeric_limits<double>::max();
  const bool usable = (at_zero <= most) & (rise <= most);  // no branch: this is for thousands of points
  intercept = usable ? at_zero : std::numeric_limits<double>::infinity();
  slope = usable ? rise : 0.0;
}

class ModelLines : public InformationLines {
 public:
  void at(const double* variance, const double* base_noise, Index count, double* intercept,
          double* slope) const override {
    for (Index i = 0; i < count; ++i) {
      const double rise = 1.0 / variance[i];
      set_line(base_noise[i] * rise, rise, intercept[i], slope[i]);
    }
  }
};

class TargetLines : public InformationLines {
 public:
  explicit TargetLines(TargetGraph graph) : graph_(graph) {}

  void at(const double* variance, const double* base_noise, Index count, double* intercept,
          double* slope) const override {
    for (Index i = 0; i < count; ++i) {
      if (graph_ == TargetGraph::b) {
        set_line(0.0, 1.0 / (variance[i] + base_noise[i]), intercept[i], slope[i]);
      } else {
        const double base = base_noise[i] / variance[i];
        set_line(base * (2.0 + base), (1.0 + base) / variance[i], intercept[i], slope[i]);
      }
    }
  }

 private:
  TargetGraph graph_;
};

template <typename Kind>
const Kind* as(const Information& information) {
  return dynamic_cast<const Kind*>(&information);
}

}  // namespace

std::unique_ptr<const InformationLines> lines_of(const Information& information) {
  if (as<ModelInformation>(information) != nullptr) return std::make_unique<ModelLines>();
  if (const auto* target = as<TargetInformation>(information))
    return std::make_unique<TargetLines>(target->options().graph);
  return nullptr;
}

std::unique_ptr<const InformationBounds> bounds_of(const Information& information, const Offer& offer,
                                                   std::span<const Index> levels) {
  if (const auto* goal = as<GoalInformation>(information))
    return goal->criterion() == GoalCriterion::prediction
               ? std::make_unique<GoalInformationBounds>(offer, levels)
               : nullptr;
  const auto* model = as<ClassModelInformation>(information);
  if (model == nullptr || model->approximation() != Approximation::exact) return nullptr;
  return std::make_unique<ClassInformationBounds>(flips_of(offer, levels));
}

bool is_convex_in_accuracy(const Information& information) {
  if (const auto* model = as<ClassModelInformation>(information))
    return model->approximation() == Approximation::exact;
  return as<ClassTargetInformation>(information) != nullptr ||
         as<ClassGoalInformation>(information) != nullptr ||
         dynamic_cast<const ConvexInAccuracy*>(&information) != nullptr;
}

bool is_pointwise(const Information& information) {
  return as<ModelInformation>(information) != nullptr || as<TargetInformation>(information) != nullptr ||
         as<ClassModelInformation>(information) != nullptr ||
         as<ClassTargetInformation>(information) != nullptr;
}

}  // namespace acuity
