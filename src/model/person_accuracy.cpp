#include "model/person_accuracy.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

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

double within_range(double accuracy) {
  return std::clamp(accuracy, 0.5, largest_accuracy);
}
Vector logits_of(const Vector& accuracy) {
  return accuracy.unaryExpr([](double one) { return logit(one); });
}
Vector accuracies_of(const Vector& logits) {
  return logits.unaryExpr([](double one) { return logistic(one); });
}

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

// One site for every item, or for every answer.
struct AccuracyProblem::MergedSites {
  Points points;
  Vector values;
  std::vector<Channel> channels;
  double log_factor = 0.0;  // the rest of the likelihood
};

AccuracyProblem::MergedSites AccuracyProblem::merged_sites(const Vector& accuracy) const {
  const auto n = static_cast<Index>(sites_.size());
  MergedSites result{.points = Points(n, points_.cols()), .values = Vector(n), .channels = {}};
  for (Index i = 0; i < n; ++i) {
    const std::vector<std::size_t>& answers = sites_[static_cast<std::size_t>(i)];
    std::vector<double> ys, accuracies;
    for (const std::size_t k : answers) {
      ys.push_back(answers_[k].y);
      accuracies.push_back(answers_[k].group < 0 ? answers_[k].accuracy : accuracy(answers_[k].group));
    }
    const MergedAnswer merged = merge_answers(ys, accuracies);
    result.points.row(i) = points_.row(answers_[answers.front()].item);
    result.values(i) = merged.y;
    result.channels.emplace_back(FlipChannel{merged.accuracy});
    if (ys.size() > 1) result.log_factor += merged.log_factor;
  }
  return result;
}

// `agrees`: the probability that the class of the site is `y`. With the probability r that an answer is
// right, given all the others, the gradient of a mixture over the class is r / omega - (1 - r) / (1 - omega).
void AccuracyProblem::add_answers(Index site, double y, double agrees, const Vector& accuracy,
                                  Evaluation& result) const {
  for (const std::size_t k : sites_[static_cast<std::size_t>(site)]) {
    const ItemAnswer& answer = answers_[k];
    if (answer.group < 0) continue;
    const double right = answer.y == y ? agrees : 1.0 - agrees;
    const double own = accuracy(answer.group);
    result.right(answer.group) += right;
    result.count(answer.group) += 1.0;
    result.objective.evidence_gradient(answer.group) += right / own - (1.0 - right) / (1.0 - own);
  }
}

void AccuracyProblem::add_evidence(MergedSites merged, const Vector& accuracy, const Sites* start,
                                   Evaluation& result) const {
  EpOptions options;
  if (start != nullptr) options.start = *start;
  const EpPosterior posterior(prior_, Observations(std::move(merged.points), merged.values, merged.channels),
                              options);
  result.objective.log_evidence += posterior.log_evidence();
  result.objective.converged = posterior.converged() && posterior.policy() == SitePolicy::full;
  result.sites = posterior.sites();
  for (Index i = 0; i < merged.values.size(); ++i) {
    const double omega = std::get<FlipChannel>(merged.channels[static_cast<std::size_t>(i)]).accuracy;
    const double z =
        merged.values(i) * posterior.cavities().mean(i) / std::sqrt(1.0 + posterior.cavities().variance(i));
    const double share = numerics::normal_cdf(z), other = numerics::normal_cdf(-z);
    const double agrees = omega * share / (omega * share + (1.0 - omega) * other);
    add_answers(i, merged.values(i), agrees, accuracy, result);
  }
}

void AccuracyProblem::add_guesses(const Vector& accuracy, AccuracyObjective& found) const {
  found.value = found.log_evidence;
  found.gradient = found.evidence_gradient;
  for (Index p = 0; p < groups(); ++p) {
    const AccuracyGuess& guess = guesses_[static_cast<std::size_t>(p)];
    found.value += guess.right() * std::log(accuracy(p)) + guess.wrong() * std::log1p(-accuracy(p));
    found.gradient(p) += guess.right() / accuracy(p) - guess.wrong() / (1.0 - accuracy(p));
  }
}

// math.md eq. (15.2), math.md eq. (15.6).
AccuracyProblem::Evaluation AccuracyProblem::evaluate(const Vector& accuracy, const Sites* start) const {
  MergedSites merged = merged_sites(accuracy);
  Evaluation result;
  result.objective.log_evidence = merged.log_factor;
  result.objective.converged = true;
  result.right = result.count = result.objective.evidence_gradient = Vector::Zero(groups());
  if (!sites_.empty()) add_evidence(std::move(merged), accuracy, start, result);
  add_guesses(accuracy, result.objective);
  return result;
}

AccuracyObjective AccuracyProblem::at(const Vector& accuracy) const {
  return evaluate(accuracy, nullptr).objective;
}

// Steps of expectation maximisation, omega = (A + sum r) / (A + B + n), climb from any start; Newton's method
// in the logits ends the climb, which EM would approach ever more slowly. Invariant: `now_` is the evaluation
// at `accuracy_`, and `sites_` are the last sites, from which the next evaluation starts.
class AccuracyProblem::Climb {
 public:
  Climb(const AccuracyProblem& problem, const Vector& start)
      : problem_(problem), right_(problem.groups()), wrong_(problem.groups()), accuracy_(problem.groups()) {
    for (Index p = 0; p < problem_.groups(); ++p) {
      const AccuracyGuess& guess = problem_.guesses_[static_cast<std::size_t>(p)];
      right_(p) = guess.right();
      wrong_(p) = guess.wrong();
      accuracy_(p) = start.size() == problem_.groups() ? start(p) : right_(p) / (right_(p) + wrong_(p));
    }
    accuracy_ = accuracy_.unaryExpr(&within_range);
    now_ = evaluated(accuracy_);
    is_exact_ = problem_.groups() == 0;
  }

  AccuracyEstimate top() {
    climb_by_em(close);
    climb_by_newton();
    if (!is_exact_) is_exact_ = climb_by_em(exact_by_em);  // where Newton's method does not apply
    return estimate();
  }

 private:
  static constexpr int most_steps = 200, most_newton = 8;
  static constexpr double close = 1e-3, exact_by_em = 1e-9, exact = 1e-11, step = 1e-4;

  Evaluation evaluated(const Vector& where) {
    check_interruption();
    Evaluation found = problem_.evaluate(where, sites_.precision.size() > 0 ? &sites_ : nullptr);
    sites_ = found.sites;
    ++evaluations_;
    return found;
  }

  // Until a step changes no accuracy by more than this; returns whether that was reached.
  bool climb_by_em(double least_change) {
    for (int k = 0; k < most_steps && !is_exact_; ++k) {
      const Vector next = (right_ + now_.right).cwiseQuotient(right_ + wrong_ + now_.count);
      const Vector inside = next.unaryExpr(&within_range);
      const double change = (inside - accuracy_).cwiseAbs().maxCoeff();
      accuracy_ = inside;
      now_ = evaluated(accuracy_);
      if (change < least_change) return true;
    }
    return false;
  }

  void climb_by_newton() {
    Matrix curvature = Matrix::Zero(problem_.groups(), problem_.groups());
    for (int k = 0; k < most_newton && !is_exact_; ++k) {
      const Vector t = logits_of(accuracy_);
      if (k == 0) curvature = curvature_at(t);
      const std::optional<Vector> next = newton_step(t, curvature);
      if (!next) return;
      const double change = (*next - t).cwiseAbs().maxCoeff();
      const Vector trial = accuracies_of(*next);
      Evaluation there = evaluated(trial);
      is_exact_ = change < exact;
      if (!(there.objective.value >= now_.objective.value - 1e-9)) return;
      accuracy_ = trial;
      now_ = std::move(there);
      if (change > 1e-2) curvature = curvature_at(*next);
    }
  }

  // Groups at 1/2 whose gradient points below stay there. Empty if the curvature is not positive.
  std::optional<Vector> newton_step(const Vector& t, const Matrix& curvature) const {
    const Vector gradient = now_.objective.gradient.array() * accuracy_.array() * (1.0 - accuracy_.array());
    std::vector<Index> moving;
    for (Index p = 0; p < problem_.groups(); ++p)
      if (!(t(p) <= 0.0 && gradient(p) <= 0.0) && !(t(p) >= largest_logit && gradient(p) >= 0.0))
        moving.push_back(p);
    Vector next = t;
    if (!moving.empty()) {
      const Eigen::LLT<Matrix> factor(Matrix(curvature(moving, moving)));
      if (factor.info() != Eigen::Success) return std::nullopt;
      next(moving) += factor.solve(Vector(gradient(moving)));
    }
    return next.cwiseMax(0.0).cwiseMin(largest_logit);
  }

  Vector logit_gradient(const Vector& t) const {
    const Vector accuracy = accuracies_of(t);
    const Evaluation found = problem_.evaluate(accuracy, &sites_);
    return (found.objective.gradient.array() * accuracy.array() * (1.0 - accuracy.array())).matrix();
  }

  // Minus the second derivatives by the logits, from differences of gradients.
  Matrix curvature_at(const Vector& t) {
    const Index count = problem_.groups();
    Matrix hessian(count, count);
    for (Index p = 0; p < count; ++p) {
      check_interruption();
      Vector up = t, down = t;
      up(p) += step, down(p) -= step;
      const Vector high = logit_gradient(up);
      hessian.col(p) = (high - logit_gradient(down)) / (2.0 * step);
      evaluations_ += 2;
    }
    return -0.5 * (hessian + hessian.transpose());
  }

  AccuracyEstimate estimate() {
    const Index count = problem_.groups();
    AccuracyEstimate found;
    found.accuracy = accuracy_;
    found.objective = now_.objective.value;
    found.converged = is_exact_ && now_.objective.converged;
    found.minus_hessian = curvature_at(logits_of(accuracy_));
    found.evaluations = evaluations_;
    const Eigen::LLT<Matrix> factor(found.minus_hessian);
    found.logit_sd = Vector::Constant(count, std::numeric_limits<double>::infinity());
    if (factor.info() == Eigen::Success)
      found.logit_sd = factor.solve(Matrix::Identity(count, count)).diagonal().cwiseSqrt();
    return found;
  }

  const AccuracyProblem& problem_;
  Vector right_, wrong_;  // what is known besides the answers, as numbers of answers
  Vector accuracy_;
  Sites sites_;
  Evaluation now_;
  int evaluations_ = 0;
  bool is_exact_ = false;
};

AccuracyEstimate AccuracyProblem::maximise(const Vector& start) const {
  return Climb(*this, start).top();
}

}  // namespace acuity
