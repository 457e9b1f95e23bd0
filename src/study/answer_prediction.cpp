#include "study/answer_prediction.hpp"

#include <cmath>
#include <limits>

namespace acuity {

Vector base_noise_outside_of_tables(const Study& study, const PointsRef& points) {
  Vector noise = Vector::Constant(points.rows(), std::numeric_limits<double>::quiet_NaN());
  if (std::holds_alternative<NoiseColumn>(study.file().noise)) return noise;
  for (Index i = 0; i < points.rows(); ++i)
    noise(i) = study.base_noise_at(std::vector<double>(points.row(i).begin(), points.row(i).end()));
  return noise;
}

AnswerPredictions answer_predictions(const Study& study, const StudyModel& model, AveragedMarginals f,
                                     const Vector& base_noise) {
  const Target& target = *study.file().target;
  const auto on_scale_of_answers = [&](const Vector& values) {
    return Vector(values.unaryExpr([&](double value) { return target.to_answer(value); }));
  };
  AnswerPredictions found;
  found.low = on_scale_of_answers(f.low);
  found.median = on_scale_of_answers(f.median);
  found.high = on_scale_of_answers(f.high);
  found.middle = target.is_mapped() ? found.median : on_scale_of_answers(f.mean);
  found.sd = f.variance.cwiseMax(0.0).cwiseSqrt();
  if (target.has_noise()) {
    const double base_scale = model.learned ? model.learned->base_scale : 1.0;
    found.noise = base_scale * base_noise + f.nugget;
    found.answer_sd = (f.variance.cwiseMax(0.0) + found.noise).cwiseSqrt();
  }
  found.mean = std::move(f.mean);
  found.variance = std::move(f.variance);
  found.probability = std::move(f.probability);
  return found;
}

}  // namespace acuity
