#pragma once

#include <string>
#include <vector>

#include "acuity/data/observation.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/model/marginals.hpp"

namespace acuity {

/// Belief about f at many points, averaged over hyperparameters (docs/math.md eq. (11.8)).
struct AveragedMarginals {
  Vector mean, variance;
  Vector low, high;    ///< the 2.5 and 97.5 % points of f
  Vector probability;  ///< classes: of the clean class +1; else empty
  Vector nugget;       ///< mean of the learned nugget; the same everywhere
};

/// One set of hyperparameters, with the observations as they look under it.
struct HyperparameterDraw {
  Prior prior;
  Observations observations;
  double nugget = 0.0;
  double weight = 1.0;
};

/// What predictions are made from: a point estimate of the hyperparameters, or draws around it, by which
/// intervals admit that hyperparameters are not known either (docs/math.md 11.3).
class AveragedModel {
 public:
  /// The point estimate alone: observations with their noise as the model has it.
  static AveragedModel point(const Prior& prior, const Observations& observations, double nugget = 0.0);
  /// `draws` (even) around the optimum of the same problem that learn() has solved: `prior` has the learned
  /// kernel, and `options` start from the learned noise. Fewer than two effective draws: the point estimate.
  static AveragedModel around(const Prior& prior, const Observations& observations,
                              const LearnOptions& options, int draws);

  const std::vector<HyperparameterDraw>& draws() const { return draws_; }
  double effective_draws() const { return effective_; }
  /// Why there is one draw although more were asked for; empty otherwise.
  const std::string& note() const { return note_; }

  struct Predicted {
    AveragedMarginals marginals;
    Index jittered = 0;               ///< largest of all draws (real values)
    std::string convergence_problem;  ///< classes: of the first draw that has one; see EpPosterior
  };
  Predicted predict(const PointsRef& x, int threads = 0) const;

 private:
  std::vector<HyperparameterDraw> draws_;
  double effective_ = 1.0;
  std::string note_;
};

/// The q quantile of a mixture of normal distributions.
double mixture_quantile(const Vector& weights, const Vector& means, const Vector& variances, double q);

}  // namespace acuity
