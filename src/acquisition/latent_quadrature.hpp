#pragma once

#include <vector>

#include "acquisition/class_belief.hpp"

namespace acuity {

/// The belief about f at one point and the trapezoid rule of math.md 4.3 over it: all that informations of
/// different accuracies share there. Accuracies are not checked again here.
class LatentQuadrature {
 public:
  explicit LatentQuadrature(const LatentMarginal& latent);

  double model_information(const FlipChannel& channel) const;
  /// Of the former, per unit of accuracy.
  double model_information_slope(double accuracy) const;
  double clean_variance() const;
  /// `clean_variance` as above.
  double target_information_c(double clean_variance, double accuracy, double top_accuracy) const;

 private:
  struct Change {
    double weight, f, change;  // Phi(f) - E Phi(f)
  };
  struct Inside {
    double weight;
    ClassProbabilities clean;
  };

  std::vector<Change> changes(double step) const;
  std::vector<Inside> window(double step, double half_width) const;
  double slope_by_changes(double accuracy) const;
  double slope_by_window(double accuracy) const;
  double slope_without_flips() const;

  TurnedBelief belief_;
  bool is_turned_ = false;
  std::vector<Change> changes_;
  std::vector<Inside> window_;
};

}  // namespace acuity
