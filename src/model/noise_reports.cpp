#include "acuity/model/noise_reports.hpp"

#include <cmath>

namespace acuity {

namespace {

// math.md eq. (11.9) in the logarithms of the factors: that of sigma^2(x) first, then those of the levels.
class ReportFit {
 public:
  ReportFit(const std::vector<NoiseReport>& reports, Index levels) : reports_(reports), levels_(levels) {}

  double objective(const Vector& logs) const {
    double sum = declared_noise_weight * logs.squaredNorm();
    for (const NoiseReport& report : reports_) {
      const double lack = std::log(report.reported) - std::log(base(report, logs) + added(report, logs));
      sum += lack * lack;
    }
    return 0.5 * sum;
  }

  // Downhill, and the whole way to the lowest point where sigma^2(x) is 0. Levels meet in the factor of
  // sigma^2(x) only, so they are eliminated one by one.
  Vector gauss_newton_step(const Vector& logs) const {
    Vector curvature = Vector::Constant(levels_ + 1, declared_noise_weight);
    Vector with_base = Vector::Zero(levels_ + 1);
    Vector slope = declared_noise_weight * logs;
    for (const NoiseReport& report : reports_) {
      const double total = base(report, logs) + added(report, logs);
      const double by_base = base(report, logs) / total, by_level = added(report, logs) / total;
      const double lack = std::log(report.reported) - std::log(total);
      const Index level = 1 + report.level;
      curvature(0) += by_base * by_base;
      curvature(level) += by_level * by_level;
      with_base(level) += by_base * by_level;
      slope(0) -= by_base * lack;
      slope(level) -= by_level * lack;
    }
    const Vector share = with_base.cwiseQuotient(curvature);
    Vector step(levels_ + 1);
    step(0) = -(slope(0) - share.dot(slope)) / (curvature(0) - share.dot(with_base));
    step.tail(levels_) = -(slope + step(0) * with_base).tail(levels_).cwiseQuotient(curvature.tail(levels_));
    return step;
  }

 private:
  static double base(const NoiseReport& report, const Vector& logs) {
    return std::exp(logs(0)) * report.base;
  }
  static double added(const NoiseReport& report, const Vector& logs) {
    return std::exp(logs(1 + report.level)) * report.added;
  }

  const std::vector<NoiseReport>& reports_;
  Index levels_;
};

}  // namespace

NoiseScales scales_from_reports(const std::vector<NoiseReport>& reports, Index levels) {
  constexpr int most_steps = 100;
  constexpr double smallest_step = 1e-10;
  const ReportFit fit(reports, levels);
  Vector logs = Vector::Zero(levels + 1);
  double lowest = fit.objective(logs);
  for (int k = 0; k < most_steps && !reports.empty(); ++k) {
    Vector step = fit.gauss_newton_step(logs);
    double reached = fit.objective(logs + step);
    while (!(reached <= lowest) && step.cwiseAbs().maxCoeff() > smallest_step) {
      step *= 0.5;
      reached = fit.objective(logs + step);
    }
    if (!(reached <= lowest)) break;
    logs += step;
    lowest = reached;
    if (step.cwiseAbs().maxCoeff() <= smallest_step) break;
  }
  NoiseScales scales{.base = std::exp(logs(0)), .levels = {}};
  for (Index level = 0; level < levels; ++level) scales.levels.push_back(std::exp(logs(1 + level)));
  return scales;
}

}  // namespace acuity
