#include "model/person_accuracy.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "acuity/base/errors.hpp"
#include "acuity/base/interruption.hpp"
#include "numerics/normal.hpp"

namespace acuity {

namespace {

constexpr double largest_accuracy = 1.0 - 1e-6;

double logit(double probability) {
  return std::log(probability) - std::log1p(-probability);
}
double logistic(double t) {
  return 1.0 / (1.0 + std::exp(-t));
}

const double largest_logit = logit(largest_accuracy);

}  // namespace

// In logarithms: products of many accuracies underflow.
MergedAnswer merge_answers(const std::vector<double>& answers, const std::vector<double>& accuracies) {
  double plus = 0.0, minus = 0.0;  // log alpha, log alpha'
  for (std::size_t k = 0; k < answers.size(); ++k) {
    const double right = std::log(accuracies[k]), wrong = std::log1p(-accuracies[k]);
    plus += answers[k] > 0.0 ? right : wrong;
    minus += answers[k] > 0.0 ? wrong : right;
  }
  // Two answers that are never wrong and contradict each other: nothing is known.
  if (std::isinf(plus) && std::isinf(minus)) return {.y = 1.0, .accuracy = 0.5, .log_factor = 0.0};
  const double higher = std::max(plus, minus), lower = std::min(plus, minus);
  return {.y = plus >= minus ? 1.0 : -1.0,
          .accuracy = 1.0 / (1.0 + std::exp(lower - higher)),
          .log_factor = higher + std::log1p(std::exp(lower - higher))};
}

AccuracyInterval accuracy_interval(double accuracy, double logit_sd) {
  constexpr double quantile = 1.959963984540054;  // of 97.5 %
  if (!std::isfinite(logit_sd)) return {};
  const double t = logit(std::min(accuracy, largest_accuracy));
  return {.low = std::max(0.5, logistic(t - quantile * logit_sd)),
          .high = std::max(0.5, logistic(t + quantile * logit_sd))};
}

AccuracyProblem::AccuracyProblem(Prior prior, Points points, std::vector<ItemAnswer> answers,
                                 std::vector<AccuracyGuess> guesses, bool merge)
    : prior_(std::move(prior)),
      points_(std::move(points)),
      answers_(std::move(answers)),
      guesses_(std::move(guesses)),
      merge_(merge) {
  for (const AccuracyGuess& guess : guesses_)
    if (!(guess.right() > 0.0 && guess.wrong() > 0.0))
      throw std::invalid_argument(
          "AccuracyProblem: a guess must be above 0 and below 1, with a weight above 0");
  std::map<Index, std::size_t> site_of;
  for (std::size_t k = 0; k < answers_.size(); ++k) {
    const ItemAnswer& answer = answers_[k];
    if (answer.item < 0 || answer.item >= points_.rows() || answer.group < -1 || answer.group >= groups())
      throw std::invalid_argument("AccuracyProblem: an answer is to no item or of no group");
    const auto [found, is_new] = site_of.emplace(answer.item, sites_.size());
    if (is_new || !merge_)
      sites_.push_back({k});
    else
      sites_[found->second].push_back(k);
  }
}

struct AccuracyProblem::Evaluation {
  AccuracyObjective objective;
  Vector right;  // expected number of right answers of every group, besides what is known of it
  Vector count;  // answers of every group
  Sites sites;
};

// math.md eq. (15.2), math.md eq. (15.6). The gradient is that of a mixture over the class of an item: with
// the probability r that an answer is right, given all the others, it is r / omega - (1 - r) / (1 - omega).
AccuracyProblem::Evaluation AccuracyProblem::evaluate(const Vector& accuracy, const Sites* start) const {
  const auto n = static_cast<Index>(sites_.size());
  Points points(n, points_.cols());
  Vector values(n);
  std::vector<Channel> channels;
  Evaluation result;
  AccuracyObjective& found = result.objective;
  const auto accuracy_of = [&](const ItemAnswer& answer) {
    return answer.group < 0 ? answer.accuracy : accuracy(answer.group);
  };
  for (Index i = 0; i < n; ++i) {
    std::vector<double> ys, accuracies;
    for (const std::size_t k : sites_[static_cast<std::size_t>(i)]) {
      ys.push_back(answers_[k].y);
      accuracies.push_back(accuracy_of(answers_[k]));
    }
    const MergedAnswer merged = merge_answers(ys, accuracies);
    points.row(i) = points_.row(answers_[sites_[static_cast<std::size_t>(i)].front()].item);
    values(i) = merged.y;
    channels.emplace_back(FlipChannel{merged.accuracy});
    if (ys.size() > 1) found.log_evidence += merged.log_factor;
  }
  result.right = result.count = found.evidence_gradient = Vector::Zero(groups());
  found.converged = true;
  if (n > 0) {
    EpOptions options;
    if (start != nullptr) options.start = *start;
    const EpPosterior posterior(prior_, Observations(std::move(points), values, channels), options);
    found.log_evidence += posterior.log_evidence();
    found.converged = posterior.converged() && posterior.policy() == SitePolicy::full;
    result.sites = posterior.sites();
    for (Index i = 0; i < n; ++i) {
      const double omega = std::get<FlipChannel>(channels[static_cast<std::size_t>(i)]).accuracy;
      const double z =
          values(i) * posterior.cavities().mean(i) / std::sqrt(1.0 + posterior.cavities().variance(i));
      const double share = numerics::normal_cdf(z), other = numerics::normal_cdf(-z);
      // The probability that the class is that of the site.
      const double agrees = omega * share / (omega * share + (1.0 - omega) * other);
      for (const std::size_t k : sites_[static_cast<std::size_t>(i)]) {
        const ItemAnswer& answer = answers_[k];
        if (answer.group < 0) continue;
        const double right = answer.y == values(i) ? agrees : 1.0 - agrees;
        const double own = accuracy(answer.group);
        result.right(answer.group) += right;
        result.count(answer.group) += 1.0;
        found.evidence_gradient(answer.group) += right / own - (1.0 - right) / (1.0 - own);
      }
    }
  }
  found.value = found.log_evidence;
  found.gradient = found.evidence_gradient;
  for (Index p = 0; p < groups(); ++p) {
    const AccuracyGuess& guess = guesses_[static_cast<std::size_t>(p)];
    found.value += guess.right() * std::log(accuracy(p)) + guess.wrong() * std::log1p(-accuracy(p));
    found.gradient(p) += guess.right() / accuracy(p) - guess.wrong() / (1.0 - accuracy(p));
  }
  return result;
}

AccuracyObjective AccuracyProblem::at(const Vector& accuracy) const {
  return evaluate(accuracy, nullptr).objective;
}

Vector AccuracyProblem::logit_gradient(const Vector& t, Sites& sites) const {
  const Vector accuracy = t.unaryExpr([](double one) { return logistic(one); });
  Evaluation found = evaluate(accuracy, &sites);
  sites = std::move(found.sites);
  return (found.objective.gradient.array() * accuracy.array() * (1.0 - accuracy.array())).matrix();
}

// Steps of expectation maximisation, omega = (A + sum r) / (A + B + n), climb from any start; Newton's method
// in the logits ends the climb, which EM would approach ever more slowly.
AccuracyEstimate AccuracyProblem::maximise(const Vector& start) const {
  constexpr int most_steps = 200, most_newton = 8;
  constexpr double close = 1e-3, exact = 1e-11, step = 1e-4;
  const Index count = groups();
  AccuracyEstimate estimate;
  Vector accuracy(count), right(count), wrong(count);
  for (Index p = 0; p < count; ++p) {
    right(p) = guesses_[static_cast<std::size_t>(p)].right();
    wrong(p) = guesses_[static_cast<std::size_t>(p)].wrong();
    accuracy(p) = start.size() == count ? start(p) : right(p) / (right(p) + wrong(p));
  }
  const auto within = [](double value) { return std::clamp(value, 0.5, largest_accuracy); };
  accuracy = accuracy.unaryExpr(within);
  Sites sites;
  const auto evaluated = [&](const Vector& where) {
    check_interruption();
    Evaluation found = evaluate(where, sites.precision.size() > 0 ? &sites : nullptr);
    sites = found.sites;
    ++estimate.evaluations;
    return found;
  };
  const auto em_step = [&](const Evaluation& found) {
    Vector next = (right + found.right).cwiseQuotient(right + wrong + found.count);
    return Vector(next.unaryExpr(within));
  };
  Evaluation now = evaluated(accuracy);
  bool is_exact = count == 0;
  for (int k = 0; k < most_steps && !is_exact; ++k) {
    const Vector next = em_step(now);
    const double change = (next - accuracy).cwiseAbs().maxCoeff();
    accuracy = next;
    now = evaluated(accuracy);
    if (change < close) break;
  }
  // Groups at 1/2 whose gradient points below stay there.
  const auto logits = [&] { return Vector(accuracy.unaryExpr([](double one) { return logit(one); })); };
  const auto gradient_of = [&](const Evaluation& found, const Vector& where) {
    return Vector(found.objective.gradient.array() * where.array() * (1.0 - where.array()));
  };
  const auto hessian_at = [&](const Vector& t) {
    Matrix hessian(count, count);
    for (Index p = 0; p < count; ++p) {
      check_interruption();
      Vector up = t, down = t;
      up(p) += step, down(p) -= step;
      Sites near = sites;
      const Vector high = logit_gradient(up, near);
      near = sites;
      hessian.col(p) = (high - logit_gradient(down, near)) / (2.0 * step);
      estimate.evaluations += 2;
    }
    return Matrix(-0.5 * (hessian + hessian.transpose()));
  };
  Matrix curvature = Matrix::Zero(count, count);
  for (int k = 0; k < most_newton && !is_exact; ++k) {
    const Vector t = logits(), gradient = gradient_of(now, accuracy);
    if (k == 0) curvature = hessian_at(t);
    std::vector<Index> moving;
    for (Index p = 0; p < count; ++p)
      if (!(t(p) <= 0.0 && gradient(p) <= 0.0) && !(t(p) >= largest_logit && gradient(p) >= 0.0))
        moving.push_back(p);
    Vector next = t;
    if (!moving.empty()) {
      const Eigen::LLT<Matrix> factor(Matrix(curvature(moving, moving)));
      if (factor.info() != Eigen::Success) break;
      next(moving) += factor.solve(Vector(gradient(moving)));
    }
    next = next.cwiseMax(0.0).cwiseMin(largest_logit);
    const double change = (next - t).cwiseAbs().maxCoeff();
    const Vector trial = next.unaryExpr([](double one) { return logistic(one); });
    Evaluation there = evaluated(trial);
    is_exact = change < exact;
    if (!(there.objective.value >= now.objective.value - 1e-9)) break;
    accuracy = trial;
    now = std::move(there);
    if (change > 1e-2) curvature = hessian_at(next);
  }
  for (int k = 0; k < most_steps && !is_exact; ++k) {  // where Newton's method does not apply
    const Vector next = em_step(now);
    is_exact = (next - accuracy).cwiseAbs().maxCoeff() < 1e-9;
    accuracy = next;
    now = evaluated(accuracy);
  }
  estimate.accuracy = accuracy;
  estimate.objective = now.objective.value;
  estimate.converged = is_exact && now.objective.converged;
  estimate.minus_hessian = hessian_at(logits());
  const Eigen::LLT<Matrix> factor(estimate.minus_hessian);
  estimate.logit_sd = Vector::Constant(count, std::numeric_limits<double>::infinity());
  if (factor.info() == Eigen::Success)
    estimate.logit_sd = factor.solve(Matrix::Identity(count, count)).diagonal().cwiseSqrt();
  return estimate;
}

}  // namespace acuity
