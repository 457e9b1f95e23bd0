#include "judgement/held_out_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace acuity {

namespace {

// Of an answer at a level: its noise, and its bias if it has one.
double error_variance(const StudyModel& model, std::size_t level) {
  const double noise = noise_variance(model.offer.levels[level].channel);
  if (level >= model.prior.biases.size()) return noise;
  const LevelBias& bias = model.prior.biases[level];
  return noise + bias.offset_sd * bias.offset_sd + bias.smooth_sd * bias.smooth_sd;
}

// What the values of the table are compared with: f, or the answer of their level if that has a bias.
Marginals predicted_answers(const Study& study, const CampaignModel& model, const Marginals& f,
                            const HeldOut& test) {
  Marginals answers{f.mean, f.variance};
  if (test.noise != HeldOut::Noise::given) return answers;
  std::map<int, std::vector<Index>> rows;  // by bias
  for (std::size_t i = 0; i < test.annotations.size(); ++i)
    rows[bias_of(StudyLearner(study).channel_of(test.annotations[i], model.study_model()))].push_back(
        static_cast<Index>(i));
  for (const auto& [bias, some] : rows) {
    if (bias == 0) continue;
    const Marginals there = model.posterior().predict_part(Points(test.points(some, Eigen::all)), bias);
    answers.mean(some) = there.mean;
    answers.variance(some) = there.variance;
  }
  return answers;
}

// Real targets: noise variance of every value, the nugget not included.
Vector noise_of(const Study& study, const StudyModel& model, const HeldOut& test, TableNoise unknown) {
  const Index n = test.values.size();
  if (test.noise == HeldOut::Noise::given) {
    Vector noise(n);
    for (Index i = 0; i < n; ++i)
      noise(i) = noise_variance(
                     StudyLearner(study).channel_of(test.annotations[static_cast<std::size_t>(i)], model)) -
                 model.nugget;
    return noise.cwiseMax(0.0);
  }
  if (test.noise == HeldOut::Noise::exact || unknown == TableNoise::none) return Vector::Zero(n);
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (std::size_t k = 0; k < model.offer.levels.size(); ++k) {
    const double error = error_variance(model, k);
    least = std::min(least, error);
    most = std::max(most, error);
  }
  const double base_scale = model.learned && study.file().fit.noise ? model.learned->base_scale : 1.0;
  const Vector base = test.base_noise.size() == n ? Vector(base_scale * test.base_noise) : Vector::Zero(n);
  return base.array() + (unknown == TableNoise::finest ? least : most);
}

double mean_square(const Vector& error, const Vector& variance) {
  return (error.array().square() / variance.array()).mean();
}

// The share of the nugget with which the mean square of the scores is closest to 1.
double best_share(const Vector& error, const Vector& variance, double nugget) {
  const auto score = [&](double share) {
    return mean_square(error, Vector(variance.array() + share * nugget));
  };
  if (nugget <= 0.0 || score(0.0) <= 1.0) return 0.0;
  if (score(1.0) >= 1.0) return 1.0;
  double low = 0.0, high = 1.0;
  for (int k = 0; k < 40; ++k) (score(0.5 * (low + high)) > 1.0 ? low : high) = 0.5 * (low + high);
  return high;
}

}  // namespace

std::vector<double> HeldOutScores::z() const {
  const Vector scores = error.array() / variance.array().sqrt();
  return {scores.begin(), scores.end()};
}

std::vector<double> HeldOutScores::z_of_f() const {
  const Vector scores = error.array() / (variance.array() - nugget).sqrt();
  return {scores.begin(), scores.end()};
}

double HeldOutScores::error_size() const {
  return std::sqrt(error.squaredNorm() / static_cast<double>(error.size()));
}

double HeldOutScores::claimed_size() const {
  return std::sqrt(variance.mean());
}

HeldOutScores held_out_scores(const Study& study, const CampaignModel& model, const Marginals& belief,
                              const HeldOut& test, TableNoise unknown) {
  const StudyModel& now = model.study_model();
  // What is known exactly is known to rounding.
  const double least = 1e-10 * now.prior.kernel->diagonal(test.points.topRows(1))(0);
  const Marginals answers = predicted_answers(study, model, belief, test);
  HeldOutScores scores{.error = test.values - answers.mean,
                       .variance = (answers.variance + noise_of(study, now, test, unknown)).cwiseMax(least)};
  // Values of a level that gives the same answer again contain no noise that is learned from others.
  const Level& finest = now.offer.levels[static_cast<std::size_t>(now.offer.finest())];
  const bool is_deterministic = finest.repeats_itself || finest.exact;
  const double share = is_deterministic ? 0.0 : best_share(scores.error, scores.variance, now.nugget);
  scores.nugget = share * now.nugget;
  scores.variance.array() += scores.nugget;
  return scores;
}

double independent_points(const CampaignModel& model, const HeldOut& test, const HeldOutScores& scores) {
  constexpr Index most = 250;
  const Index n = scores.error.size(), m = std::min(n, most);
  if (m < 2) return static_cast<double>(n);
  std::vector<Index> rows;
  for (Index k = 0; k < m; ++k) rows.push_back(k * n / m);
  const Matrix covariance = model.posterior().covariance(Points(test.points(rows, Eigen::all)));
  double squares = 0.0;  // mean of squared correlations between two different points
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < i; ++j)
      squares += covariance(i, j) * covariance(i, j) /
                 (scores.variance(rows[static_cast<std::size_t>(i)]) *
                  scores.variance(rows[static_cast<std::size_t>(j)]));
  squares /= 0.5 * static_cast<double>(m) * static_cast<double>(m - 1);
  const auto count = static_cast<double>(n);
  return count / (1.0 + (count - 1.0) * std::min(squares, 1.0));
}

}  // namespace acuity
