#pragma once

#include <vector>

#include "acuity/data/observation.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/leave_one_out.hpp"
#include "acuity/model/prior.hpp"

namespace acuity {

/// Points as the links of a chain see them.
struct ChainedPoints {
  std::vector<Points> inputs;  ///< by link: scaled inputs and, but for the first link, the column
  /// By link: the derivative of its mean by the value of the link before; 0 for the first.
  std::vector<Vector> slopes;
};

/// The posterior of a prior with a chain (docs/math.md 12.7). Answers of a link have, besides their own
/// noise, the noise that the uncertainty of their column makes.
class ChainedPosterior {
 public:
  /// Channels of the observations are of levels of the chain.
  ChainedPosterior(Prior prior, const Observations& observations, int threads = 0);

  const LevelChain& chain() const { return *prior_.chain; }
  std::size_t last() const { return chain().links.size() - 1; }
  /// The prior of a link on its own; its inputs are those of ChainedPoints.
  Prior prior_of(std::size_t link) const;
  /// The answers of a link with all noise, at its inputs.
  const Observations& answers_of(std::size_t link) const { return links_[link].answers; }

  /// Mean and variance of the answers of a link, without noise: those of the mixture over what the link
  /// before may be.
  Marginals predict(const PointsRef& x, std::size_t link, int threads = 0) const;
  /// As GpPosterior has it; all that differs from f is the smooth part.
  Marginals predict_part(const PointsRef& x, int bias, AnswerPart part) const;
  /// f where the answers of the link before it would be these.
  Marginals predict_after(const PointsRef& x, const Vector& answers) const;
  /// To first order: means, and covariances between levels.
  JointPrediction predict_answers(const Observations& answers) const;
  /// Of f, to first order.
  Matrix covariance(const PointsRef& a, const PointsRef& b) const;
  /// Every answer by the others of its link.
  LeaveOneOut leave_one_out() const;
  ChainedPosterior given(const Observations& more) const;

  double log_marginal_likelihood() const;
  double log_determinant() const;
  double quadratic_form() const;
  Index jittered() const;

  ChainedPoints at(const PointsRef& x) const;
  /// What a link after the last one would see.
  Points inputs_after(const PointsRef& x) const;
  /// The variance of the answers of a link, without noise, to first order.
  Vector variance_of(std::size_t link, const ChainedPoints& x) const;
  /// What the uncertainty of the column adds to the noise of answers of a link.
  Vector noise_of_column(std::size_t link, const ChainedPoints& x) const;

 private:
  struct Link {
    Observations answers;
    std::vector<Index> rows;  // of the observations given
    GpPosterior posterior;
  };
  void add_link(std::size_t link, int threads);
  Points scaled(const PointsRef& x) const { return prior_.scaling.apply(x); }
  // As far as `links` links.
  ChainedPoints at(const PointsRef& x, std::size_t links) const;

  Prior prior_;
  Observations observations_;
  std::vector<Link> links_;
};

/// The number of links of a chain if it has none of this bias.
std::size_t link_of(const LevelChain& chain, int bias);

/// What the next link sees of values of this one.
Vector column_of(const ChainLink& link, const Vector& values);
/// The same points with one more column.
Points with_column(const Points& points, const Vector& column);
/// The derivative of a mean by the value of the link before it: a central difference over the column.
Vector slopes_by_column(const GpPosterior& posterior, const Points& inputs, const ChainLink& before);

}  // namespace acuity
