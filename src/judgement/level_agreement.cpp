#include "judgement/level_agreement.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>

#include "acuity/model/gp_posterior.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/state_queries.hpp"
#include "judgement/level_biases.hpp"
#include "numerics/distributions.hpp"

namespace acuity {

namespace {

constexpr Index least_answers = 3, most_answers = 300, most_pool_points = 200;
constexpr double seen_factor = 2.0;

// Of every level its last answers, in the order recorded.
struct Answers {
  Points points;
  Vector values;
  std::vector<Channel> channels;
  std::vector<Index> levels;

  Observations of(const std::vector<Index>& rows) const {
    std::vector<Channel> some;
    for (const Index row : rows) some.push_back(channels[static_cast<std::size_t>(row)]);
    return {Points(points(rows, Eigen::all)), Vector(values(rows)), std::move(some)};
  }
};

Answers last_answers_of(const Study& study, const std::vector<Annotation>& annotations,
                        const StudyModel& model) {
  const Observations all(model.observations, study.pool().points());
  std::map<Index, Index> taken;
  std::vector<Index> rows;
  for (Index i = all.size(); i-- > 0;) {
    const Annotation& one = annotations[static_cast<std::size_t>(i)];
    if (one.level && !one.reported && taken[*one.level]++ < most_answers) rows.push_back(i);
  }
  std::reverse(rows.begin(), rows.end());
  Answers answers{Points(all.points()(rows, Eigen::all)), all.values()(rows), {}, {}};
  for (const Index row : rows) {
    answers.channels.push_back(all.channels()[static_cast<std::size_t>(row)]);
    answers.levels.push_back(*annotations[static_cast<std::size_t>(row)].level);
  }
  return answers;
}

// By how much the standard deviation of f over the pool is too small if these answers are off by `shift`.
double factor_of_shift(const Study& study, const StudyModel& model, const Answers& answers,
                       const std::vector<bool>& is_shifted, double shift) {
  Vector values(answers.values.size());
  for (Index i = 0; i < values.size(); ++i) values(i) = is_shifted[static_cast<std::size_t>(i)] ? shift : 0.0;
  Prior prior = model.prior;
  prior.mean = study.file().mean ? 0.0 : values.mean();
  const PointsRef pool = study.pool().points();
  std::vector<Index> rows;
  const Index m = std::min(pool.rows(), most_pool_points);
  for (Index k = 0; k < m; ++k) rows.push_back(k * pool.rows() / m);
  const GpPosterior posterior(prior, Observations(answers.points, values, answers.channels), 1);
  const Marginals moved = posterior.predict(Points(pool(rows, Eigen::all)), {.threads = 1});
  const double variance = moved.variance.mean();
  return variance > 0.0 ? std::sqrt(1.0 + moved.mean.array().square().mean() / variance) : 1.0;
}

// Prior covariance of the error of a level at these points (math.md eq. (12.2)). Given answers of other
// levels it is the same, and independent of f.
Matrix bias_covariance(const Prior& prior, const LevelBias& bias, const Points& points) {
  const Points scaled = prior.scaling.apply(points) / bias.lengthscale;
  const Matrix covariance = prior.kernel->cross(scaled, scaled);
  return (bias.smooth_sd * bias.smooth_sd / covariance(0, 0) * covariance).array() +
         bias.offset_sd * bias.offset_sd;
}

LevelAgreement agreement_of(const Study& study, const StudyModel& model, const Answers& answers, Index level,
                            Index most_used) {
  std::vector<Index> own, others;
  std::vector<bool> is_own;
  for (std::size_t i = 0; i < answers.levels.size(); ++i) {
    is_own.push_back(answers.levels[i] == level);
    (is_own.back() ? own : others).push_back(static_cast<Index>(i));
  }
  const std::vector<Level>& levels = study.offer().levels;
  const auto noise_of = [&](Index k) { return noise_variance(levels[static_cast<std::size_t>(k)].channel); };
  LevelAgreement found{.level = levels[static_cast<std::size_t>(level)].name,
                       .is_finer = noise_of(level) < noise_of(most_used),
                       .answers = static_cast<Index>(own.size())};
  const GpPosterior posterior(model.prior, answers.of(others), 1);
  const Observations told = answers.of(own);
  Matrix covariance = posterior.covariance(told.points(), told.points());
  covariance.diagonal() += told.noise();
  if (model.prior.has_bias())
    covariance +=
        bias_covariance(model.prior, model.prior.biases[static_cast<std::size_t>(level)], told.points());
  covariance.diagonal().array() += 1e-10 * model.prior.kernel->diagonal(told.points().topRows(1))(0);
  const Eigen::LLT<Matrix> factor(covariance);
  if (factor.info() != Eigen::Success) return found;
  const Vector error = factor.matrixL().solve(told.values() - posterior.mean(told.points())),
               one = factor.matrixL().solve(Vector::Ones(told.size()));
  const auto count = static_cast<double>(own.size());
  found.offset = one.dot(error) / one.squaredNorm();
  found.standard_error = 1.0 / one.norm();
  found.factor = std::sqrt(error.squaredNorm() / count);
  found.low =
      std::sqrt(error.squaredNorm() / boost::math::quantile(numerics::ChiSquaredDistribution(count), 0.999));
  std::vector<bool> is_other = is_own;
  is_other.flip();
  found.offset_factor =
      factor_of_shift(study, model, answers, found.is_finer ? is_other : is_own, found.offset);
  found.visible_factor = factor_of_shift(study, model, answers, is_other, 2.0 * found.standard_error);
  return found;
}

}  // namespace

bool LevelAgreement::is_offset() const {
  return std::abs(offset) > 3.5 * standard_error && offset_factor > 1.2;
}

bool LevelEvidence::confirms_too_wide() const {
  return std::any_of(agreements.begin(), agreements.end(),
                     [](const LevelAgreement& one) { return one.factor < 0.8; }) &&
         std::none_of(agreements.begin(), agreements.end(),
                      [](const LevelAgreement& one) { return one.factor > 1.0; });
}

LevelEvidence level_evidence(const Study& study, const State& state) {
  LevelEvidence evidence;
  const std::vector<Level>& levels = study.offer().levels;
  if (!study.file().target->has_noise() || study.is_ladder() || levels.size() < 2) return evidence;
  const std::vector<Annotation> annotations = annotations_of(study, state);
  std::vector<Index> counts(levels.size(), 0);
  Index reported = 0;
  for (const Annotation& one : annotations)
    ++(one.level && !one.reported ? counts[static_cast<std::size_t>(*one.level)] : reported);
  const auto most = std::max_element(counts.begin(), counts.end());
  if (*most < least_answers || 2 * reported > static_cast<Index>(annotations.size())) return evidence;
  const Index most_used = most - counts.begin(), finest = finest_by_error(study);
  evidence.most_used = levels[static_cast<std::size_t>(most_used)].name;
  evidence.finest = levels[static_cast<std::size_t>(finest)].name;
  const StudyModel model = StudyLearner(study).model_given(annotations, learned_of(study, state));
  const Answers answers = last_answers_of(study, annotations, model);
  // Without its answers nothing is known of a level of a chain.
  for (std::size_t k = 0; k < levels.size() && !model.prior.chain; ++k)
    if (static_cast<Index>(k) != most_used && counts[k] >= least_answers)
      evidence.agreements.push_back(agreement_of(study, model, answers, static_cast<Index>(k), most_used));
  const Level& used = levels[static_cast<std::size_t>(most_used)];
  evidence.most_used_is_finest =
      noise_variance(used.channel) <= noise_variance(levels[static_cast<std::size_t>(finest)].channel);
  evidence.most_used_repeats_itself = used.repeats_itself;
  evidence.most_used_has_bias = used.bias.any();
  evidence.is_reference_unknown =
      std::none_of(model.observations.begin(), model.observations.end(),
                   [](const Observation& one) { return bias_of(one.channel) == 0; });
  evidence.is_blind =
      !evidence.most_used_is_finest &&
      std::none_of(evidence.agreements.begin(), evidence.agreements.end(),
                   [](const LevelAgreement& one) { return one.visible_factor < seen_factor; });
  return evidence;
}

double factor_of_offset(const Study& study, const State& state, const std::string& level, double offset) {
  const std::vector<Annotation> annotations = annotations_of(study, state);
  const StudyModel model = StudyLearner(study).model_given(annotations, learned_of(study, state));
  const Answers answers = last_answers_of(study, annotations, model);
  std::vector<bool> is_shifted;
  for (const Index k : answers.levels)
    is_shifted.push_back(study.offer().levels[static_cast<std::size_t>(k)].name == level);
  return factor_of_shift(study, model, answers, is_shifted, offset);
}

}  // namespace acuity
