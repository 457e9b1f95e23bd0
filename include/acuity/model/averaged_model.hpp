#pragma once

#include <memory>
#include <string>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/model/answer_map.hpp"
#include "acuity/model/learn.hpp"
#include "acuity/model/marginals.hpp"

namespace acuity ACUITY_PUBLIC {

/// Predictions of f at many points, averaged over hyperparameters (docs/math.md eq. (11.8)).
struct AveragedMarginals {
  Vector mean, variance;
  Vector low, high;  ///< the 2.5 % and 97.5 % quantiles of f
  Vector median;
  Vector probability;  ///< classes: probability of the clean class +1; otherwise empty
  Vector nugget;       ///< mean of the learned nugget; equal at all points unless answers are transformed
};

/// One set of hyperparameters, and the observations with the noise it implies.
struct HyperparameterDraw {
  Prior prior;
  Observations observations;
  double nugget = 0.0;
  double weight = 1.0;
  /// If not null, values of the observations and the nugget are on its scale.
  std::shared_ptr<const AnswerMap> map = nullptr;
};

/// The model that makes predictions: a point estimate of the hyperparameters, or draws around it, so that
/// intervals include the uncertainty about the hyperparameters (docs/math.md 11.3).
class AveragedModel {
 public:
  /// The point estimate alone; the observations carry the noise of the model. `classes`: the values are
  /// classes, which observations say only if there are any.
  static AveragedModel point(const Prior& prior, const Observations& observations, double nugget = 0.0,
                             bool classes = false);
  /// An even number of `draws` around the optimum that learn() has found for this problem: `prior` has the
  /// learned kernel, and `options` start from the learned noise. Uses the point estimate if fewer than two
  /// draws are effective.
  static AveragedModel around(const Prior& prior, const Observations& observations,
                              const LearnOptions& options, int draws);

  /// The draws of several models together; the weights add up to 1.
  static AveragedModel mixture(const std::vector<AveragedModel>& models, const Vector& weights);
  /// The model whose observations and nugget are on the scale of `map`.
  AveragedModel mapped(const AnswerMap& map) const;

  const std::vector<HyperparameterDraw>& draws() const { return draws_; }
  /// Whether the values are classes.
  bool has_classes() const;
  double effective_draws() const { return effective_; }
  /// Why the point estimate is used although more draws were requested; empty otherwise.
  const std::string& note() const { return note_; }

  struct Predicted {
    AveragedMarginals marginals;
    Index jittered = 0;               ///< the largest number over all draws (real values)
    std::string convergence_problem;  ///< classes: of the first draw that has one; see EpPosterior
  };
  Predicted predict(const PointsRef& x, int threads = 0) const;

 private:
  std::vector<HyperparameterDraw> draws_;
  double effective_ = 1.0;
  bool classes_ = false;
  std::string note_;
};

/// The q quantile of a mixture of normal distributions. `maps`: those of transformed values have a map, by
/// which they are taken back; none for the others.
double mixture_quantile(const Vector& weights, const Vector& means, const Vector& variances, double q,
                        const std::vector<const AnswerMap*>& maps = {});

}  // namespace acuity ACUITY_PUBLIC
