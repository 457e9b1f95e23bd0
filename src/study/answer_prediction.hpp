#pragma once

#include "acuity/model/averaged_model.hpp"
#include "acuity/study/study_learner.hpp"

namespace acuity {

/// What `predict` says of some points, the same for the program, over HTTP and in Python. One value per
/// point.
struct AnswerPredictions {
  Vector middle;             ///< the mean, or on a scale of its own the median, on the scale of answers
  Vector mean, variance;     ///< of f, on the scale of the model
  Vector sd;                 ///< the square root of the variance
  Vector low, median, high;  ///< quantiles of f on the scale of answers
  Vector noise;              ///< variance of an answer besides f and its level; not a number: not known there
  Vector answer_sd;          ///< of an answer, with this noise; not a number: not known there
  Vector probability;        ///< classes: of the class +1, instead of noise and answer_sd; otherwise empty
};

/// The variance sigma^2(x) at points that are in no table. Not a number if the study gives it by a column.
Vector base_noise_outside_of_tables(const Study& study, const PointsRef& points);

/// The belief `f` at some points as predictions of answers; `base_noise` is sigma^2(x) there.
AnswerPredictions answer_predictions(const Study& study, const StudyModel& model, AveragedMarginals f,
                                     const Vector& base_noise);

}  // namespace acuity
