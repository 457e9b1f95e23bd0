#include <algorithm>
#include <cmath>

#include "acuity/model/learn.hpp"
#include "model/learning_problem.hpp"

namespace acuity {

namespace {

// Of the variance of the answers: as much as real tables often have.
constexpr double usual_share = 0.05;

double spread_of(const Prior& prior, const Observations& observations) {
  return (observations.values().array() - prior.mean).square().mean();
}

// What learning makes as large as possible, at the values that were learned and a nugget.
double objective_of(const Learned& at, double nugget, const Observations& observations,
                    const LearnOptions& options) {
  LearnOptions here = options;
  here.nugget = nugget;
  if (here.noise) here.noise->start = {at.added_scale, at.base_scale, at.level_scales};
  const LearningProblem problem(at.prior, observations, here);
  return problem.objective_at(problem.start()).value;
}

}  // namespace

// With few answers the likelihood has two summits that differ little in height and much in what they say.
// Learning keeps the higher one; this finds the other, where it can be compared.
NoisierFit noisier_fit(const Learned& learned, const Observations& observations,
                       const LearnOptions& options) {
  const double usual = usual_share * spread_of(learned.prior, observations);
  NoisierFit other{.nugget = usual};
  // With many answers there is one summit only, and a search is dear.
  constexpr Index many = 300;
  if (!options.nugget || observations.size() > many || learned.nugget >= usual) return other;
  LearnOptions given = options;
  given.nugget.reset();
  given.restarts = 0;
  if (given.noise) {
    given.noise->fixed.array() += usual;
    given.noise->start = {learned.added_scale, learned.base_scale, learned.level_scales};
  }
  const Observations noisier = observations.with_noise(observations.noise().array() + usual);
  const Learned found = learn(learned.prior, noisier, given);
  const double difference = objective_of(learned, learned.nugget, observations, options) -
                            objective_of(found, usual, observations, options);
  if (std::isfinite(difference)) other.probability = 1.0 / (1.0 + std::exp(std::min(difference, 700.0)));
  return other;
}

double noise_share(const Learned& learned) {
  if (!learned.noisier || !(learned.noisier->nugget > 0.0)) return 0.0;
  return usual_share * learned.nugget / learned.noisier->nugget;
}

}  // namespace acuity
