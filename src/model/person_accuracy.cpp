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

constexpr double least_accuracy = 1e-6, largest_accuracy = 1.0 - least_accuracy;

double logit(double probability) {
  return std::log(probability) - std::log1p(-probability);
}
double logistic(double t) {
  return 1.0 / (1.0 + std::exp(-t));
}

const double largest_logit = logit(largest_accuracy);

Vector logits_of(const Vector& accuracy) {
  return accuracy.unaryExpr([](double one) { return logit(one); });
}
Vector accuracies_of(const Vector& logits) {
  return logits.unaryExpr([](double one) { return logistic(one); });
}

}  // namespace

// In logarithms: products of many accuracies underflow.
MergedAnswer merge_answers(const std::vector<double>& answers, const std::vector<FlipChannel>& channels) {
  double plus = 0.0, minus = 0.0;  // log alpha, log alpha'
  for (std::size_t k = 0; k < answers.size(); ++k) {
    const bool is_yes = answers[k] > 0.0;
    plus += is_yes ? std::log(channels[k].yes) : std::log1p(-channels[k].yes);
    minus += is_yes ? std::log1p(-channels[k].no) : std::log(channels[k].no);
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

AccuracyInterval class_accuracy_interval(double accuracy, double logit_sd) {
  constexpr double quantile = 1.959963984540054;  // of 97.5 %
  if (!std::isfinite(logit_sd)) return {.low = 0.0, .high = 1.0};
  const double t = logit(std::clamp(accuracy, least_accuracy, largest_accuracy));
  return {.low = logistic(t - quantile * logit_sd), .high = logistic(t + quantile * logit_sd)};
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
  for (const AccuracyGuess& guess : guesses_)
    if (guess.of_no && (*guess.of_no < 0 || *guess.of_no >= groups()))
      throw std::invalid_argument("AccuracyProblem: the accuracy of the other class is no group");
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
  Vector right;          // expected number of right answers of every group, besides what is known of it
  Vector count;          // answers of every group
  Vector positive = {};  // the probability of the class +1 of every site
  Sites sites;
};

// One site for every item, or for every answer.
struct AccuracyProblem::MergedSites {
  Points points;
  Vector values;
  std::vector<Channel> channels;
  double log_factor = 0.0;  // the rest of the likelihood
};

FlipChannel AccuracyProblem::channel_of(const ItemAnswer& answer, const Vector& accuracy) const {
  if (answer.group < 0) return answer.accuracy;
  const std::optional<Index> of_no = guesses_[static_cast<std::size_t>(answer.group)].of_no;
  return {accuracy(answer.group), accuracy(of_no.value_or(answer.group))};
}

AccuracyProblem::MergedSites AccuracyProblem::merged_sites(const Vector& accuracy) const {
  const auto n = static_cast<Index>(sites_.size());
  MergedSites result{.points = Points(n, points_.cols()), .values = Vector(n), .channels = {}};
  for (Index i = 0; i < n; ++i) {
    const std::vector<std::size_t>& answers = sites_[static_cast<std::size_t>(i)];
    std::vector<double> ys;
    std::vector<FlipChannel> channels;
    for (const std::size_t k : answers) {
      ys.push_back(answers_[k].y);
      channels.push_back(channel_of(answers_[k], accuracy));
    }
    const MergedAnswer merged = merge_answers(ys, channels);
    result.points.row(i) = points_.row(answers_[answers.front()].item);
    result.values(i) = merged.y;
    result.channels.emplace_back(FlipChannel{merged.accuracy});
    if (ys.size() > 1 || !channels.front().is_symmetric()) result.log_factor += merged.log_factor;
  }
  return result;
}

// `agrees`: the probability that the class of the site is `y`. With the probability r that an answer is
// right, given all the others, the gradient of a mixture over the class is r / omega - (1 - r) / (1 - omega).
// Of accuracies by class each counts as far as the item is of its class, math.md eq. (15.13).
void AccuracyProblem::add_answers(Index site, double y, double agrees, const Vector& accuracy,
                                  Evaluation& result) const {
  for (const std::size_t k : sites_[static_cast<std::size_t>(site)]) {
    const ItemAnswer& answer = answers_[k];
    if (answer.group < 0) continue;
    const double right = answer.y == y ? agrees : 1.0 - agrees;
    const auto add = [&](Index group, double is_right, double is_wrong, double counted) {
      const double own = accuracy(group);
      result.right(group) += is_right;
      result.count(group) += counted;
      result.objective.evidence_gradient(group) += is_right / own - is_wrong / (1.0 - own);
    };
    const std::optional<Index> of_no = guesses_[static_cast<std::size_t>(answer.group)].of_no;
    if (!of_no) {
      add(answer.group, right, 1.0 - right, 1.0);
    } else if (answer.y > 0.0) {
      add(answer.group, right, 0.0, right);
      add(*of_no, 0.0, 1.0 - right, 1.0 - right);
    } else {
      add(answer.group, 0.0, 1.0 - right, 1.0 - right);
      add(*of_no, right, 0.0, right);
    }
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
  result.positive.resize(merged.values.size());
  for (Index i = 0; i < merged.values.size(); ++i) {
    const double omega = std::get<FlipChannel>(merged.channels[static_cast<std::size_t>(i)]).yes;
    const double z =
        merged.values(i) * posterior.cavities().mean(i) / std::sqrt(1.0 + posterior.cavities().variance(i));
    const double share = numerics::normal_cdf(z), other = numerics::normal_cdf(-z);
    const double agrees = omega * share / (omega * share + (1.0 - omega) * other);
    result.positive(i) = merged.values(i) > 0.0 ? agrees : 1.0 - agrees;
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

Vector AccuracyProblem::classes_by_others(const Vector& accuracy) const {
  const Evaluation all = evaluate(accuracy, nullptr);
  Vector found = Vector::Constant(static_cast<Index>(answers_.size()), 0.5);
  for (std::size_t site = 0; site < sites_.size(); ++site)
    for (const std::size_t k : sites_[site]) {
      const double plus = all.positive(static_cast<Index>(site)), y = answers_[k].y;
      const FlipChannel own = channel_of(answers_[k], accuracy);
      const double if_plus = plus * own.given(y, -1.0), if_minus = (1.0 - plus) * own.given(y, 1.0);
      if (if_plus + if_minus > 0.0) found(static_cast<Index>(k)) = if_plus / (if_plus + if_minus);
    }
  return found;
}

// Steps of expectation maximisation, omega = (A + sum r) / (A + B + n), climb from any start; Newton's method
// in the logits ends the climb, which EM would approach ever more slowly. Invariant: `now_` is the evaluation
// at `accuracy_`, and `sites_` are the last sites, from which the next evaluation starts.
class AccuracyProblem::Climb {
 public:
  Climb(const AccuracyProblem& problem, const Vector& start)
      : problem_(problem),
        right_(problem.groups()),
        wrong_(problem.groups()),
        lowest_(Vector::Constant(problem.groups(), 0.5)),
        accuracy_(problem.groups()) {
    for (Index p = 0; p < problem_.groups(); ++p) {
      const AccuracyGuess& guess = problem_.guesses_[static_cast<std::size_t>(p)];
      right_(p) = guess.right();
      wrong_(p) = guess.wrong();
      if (guess.of_no) lowest_(p) = lowest_(*guess.of_no) = least_accuracy;
      accuracy_(p) = start.size() == problem_.groups() ? start(p) : right_(p) / (right_(p) + wrong_(p));
    }
    accuracy_ = within_range(accuracy_, right_, right_ + wrong_);
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
  static constexpr double edge = 1e-9;  // of the sum of the logits of two classes
  static constexpr double close = 1e-3, exact_by_em = 1e-9, exact = 1e-11, step = 1e-4;

  Evaluation evaluated(const Vector& where) {
    check_interruption();
    Evaluation found = problem_.evaluate(where, sites_.precision.size() > 0 ? &sites_ : nullptr);
    sites_ = found.sites;
    ++evaluations_;
    return found;
  }

  std::optional<Index> of_no(Index p) const { return problem_.guesses_[static_cast<std::size_t>(p)].of_no; }
  double lowest_logit(Index p) const { return lowest_(p) < 0.5 ? -largest_logit : 0.0; }

  // Of `all` answers of every group so many are right. Where two classes would have a sum below 1, the best
  // of those with a sum of 1: the frequency of the answer +1, whatever the class.
  Vector within_range(const Vector& accuracy, const Vector& right, const Vector& all) const {
    Vector inside = accuracy.cwiseMax(lowest_).cwiseMin(largest_accuracy);
    for (Index p = 0; p < problem_.groups(); ++p) {
      const std::optional<Index> q = of_no(p);
      if (!q || accuracy(p) + accuracy(*q) >= 1.0) continue;
      const double yes = (right(p) + all(*q) - right(*q)) / (all(p) + all(*q));
      inside(p) = std::clamp(yes, least_accuracy, largest_accuracy);
      inside(*q) = 1.0 - inside(p);
    }
    return inside;
  }

  // Until a step changes no accuracy by more than this; returns whether that was reached.
  bool climb_by_em(double least_change) {
    for (int k = 0; k < most_steps && !is_exact_; ++k) {
      const Vector right = right_ + now_.right, all = right_ + wrong_ + now_.count;
      const Vector inside = within_range(right.cwiseQuotient(all), right, all);
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

  // The groups of the class +1 whose sum with that of -1 is 1, the edge, and would not grow.
  std::vector<Index> on_edge(const Vector& t, const Vector& gradient) const {
    std::vector<Index> found;
    for (Index p = 0; p < problem_.groups(); ++p)
      if (const std::optional<Index> q = of_no(p);
          q && t(p) + t(*q) <= edge && gradient(p) + gradient(*q) <= 0.0)
        found.push_back(p);
    return found;
  }

  // As columns: that of every group that is not stuck, and those along the edge of the groups that are on it.
  template <typename IsStuck>
  Matrix directions(const std::vector<Index>& along, const IsStuck& is_stuck) const {
    const Index count = problem_.groups();
    Matrix all = Matrix::Zero(count, count);
    Index found = 0;
    for (Index p = 0; p < count; ++p) {
      const bool is_along =
          std::any_of(along.begin(), along.end(), [&](Index yes) { return p == yes || p == of_no(yes); });
      if (!is_along && !is_stuck(p)) all(p, found++) = 1.0;
    }
    for (const Index yes : along) {
      all(yes, found) = 1.0;
      all(*of_no(yes), found++) = -1.0;
    }
    return all.leftCols(found);
  }

  // Groups at an end of their range whose gradient points beyond it stay there.
  Matrix free_directions(const Vector& t, const Vector& gradient) const {
    return directions(on_edge(t, gradient), [&](Index p) {
      return (t(p) <= lowest_logit(p) && gradient(p) <= 0.0) || (t(p) >= largest_logit && gradient(p) >= 0.0);
    });
  }

  // Empty if the curvature is not positive.
  std::optional<Vector> newton_step(const Vector& t, const Matrix& curvature) const {
    const Vector gradient = now_.objective.gradient.array() * accuracy_.array() * (1.0 - accuracy_.array());
    const Matrix free = free_directions(t, gradient);
    Vector next = t;
    if (free.cols() > 0) {
      const Eigen::LLT<Matrix> factor(Matrix(free.transpose() * curvature * free));
      if (factor.info() != Eigen::Success) return std::nullopt;
      next += free * factor.solve(Vector(free.transpose() * gradient));
    }
    for (Index p = 0; p < problem_.groups(); ++p) {
      next(p) = std::clamp(next(p), lowest_logit(p), largest_logit);
      const std::optional<Index> q = of_no(p);
      const double below = q ? std::min(next(p) + next(*q), 0.0) : 0.0;
      next(p) -= 0.5 * below;
      if (q) next(*q) -= 0.5 * below;
    }
    return next;
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
    // Answers that tell nothing are known to do so: two classes on the edge vary along it.
    const std::vector<Index> along = on_edge(logits_of(accuracy_), Vector::Zero(count));
    const Matrix free = directions(along, [](Index) { return false; });
    const Eigen::LLT<Matrix> factor(Matrix(free.transpose() * found.minus_hessian * free));
    found.logit_sd = Vector::Constant(count, std::numeric_limits<double>::infinity());
    if (factor.info() != Eigen::Success) return found;
    found.covariance = free * factor.solve(Matrix(free.transpose()));
    found.logit_sd = found.covariance.diagonal().cwiseSqrt();
    return found;
  }

  const AccuracyProblem& problem_;
  Vector right_, wrong_;  // what is known besides the answers, as numbers of answers
  Vector lowest_;         // the ends of the ranges
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
