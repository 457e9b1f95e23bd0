#include "model/ep_goal.hpp"

#include <algorithm>

namespace acuity {

EpGoal::EpGoal(const EpPosterior& posterior, const Points& points)
    : posterior_(posterior),
      points_(posterior.state().prior.scaling.apply(points)),
      columns_(posterior.state(), posterior.state().prior.kernel->cross(posterior.state().points, points_)),
      belief_(posterior.predict(points)) {}

Matrix EpGoal::covariances(const Points& places, const Matrix& k) const {
  Matrix found = posterior_.state().prior.kernel->cross(points_, places);
  columns_.condition(EpColumns(posterior_.state(), k), found);
  return found;
}

void EpGoalCovariances::at(Index point, int, double* out) const {
  Eigen::Map<Vector> found(out, answered_->rows());
  found = answered_->col(point);
  for (Index t = 0; t < of_goal_.cols(); ++t) found -= of_places_(t, point) * of_goal_.col(t);
}

double EpGoalCovariances::weighted_squares(Index point, int bias) const {
  Vector covariances(answered_->rows());
  at(point, bias, covariances.data());
  return goal_.weights.dot(covariances.cwiseAbs2());
}

}  // namespace acuity
