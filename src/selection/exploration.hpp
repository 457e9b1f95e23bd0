#pragma once

namespace acuity {

/// Which choices are for accuracy over the goal where something is sought (goal.explore): such that their
/// share of the money stays as near to the one that is wanted as whole answers allow. A function of the costs
/// of the choices before, so that a log says which they were.
class Exploration {
 public:
  explicit Exploration(double share) : share_(share) {}

  /// Whether the next choice is one, at the average cost of those before.
  bool is_due() const {
    if (!(share_ > 0.0)) return false;
    if (share_ >= 1.0) return true;
    const double next = choices_ > 0.0 ? spent_ / choices_ : 0.0;
    return choices_ > 0.0 && explored_ + next <= share_ * (spent_ + next) * (1.0 + rounding);
  }
  /// Counts the next choice at its cost.
  void take(double cost) {
    if (is_due()) explored_ += cost;
    spent_ += cost;
    ++choices_;
  }

 private:
  static constexpr double rounding = 1e-12;
  double share_;
  double choices_ = 0.0, spent_ = 0.0, explored_ = 0.0;
};

}  // namespace acuity
