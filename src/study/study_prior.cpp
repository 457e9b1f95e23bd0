#include "study/study_prior.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"

namespace acuity {

namespace {

// Inputs of a kernel: numbers have length scales, categories have similarities.
struct KernelInputs {
  explicit KernelInputs(const std::vector<Input>& columns) {
    const auto count = static_cast<Index>(columns.size());
    for (Index k = 0; k < count; ++k) {
      const Input& input = columns[static_cast<std::size_t>(k)];
      if (!input.is_category())
        numeric.push_back(k);
      else if (input.similarity)
        categories.push_back({k, CategoryFactor::lengthscale_of(*input.similarity), false});
      else
        categories.push_back({k, static_cast<double>(count), true});  // the centre of math.md eq. (14.4)
    }
  }

  std::vector<Index> numeric;
  std::vector<CategoryFactor> categories;
};

double mean_of(const StudyFile& file, const Vector& values) {
  if (file.mean) return *file.mean;
  return values.size() == 0 ? 0.0 : values.mean();
}

// If squares of the residuals overflow, all predictions would be NaN.
void require_finite_residuals(const StudyFile& file, const Vector& values, double mean) {
  for (const double value : values)
    if (!std::isfinite((value - mean) * (value - mean)))
      throw NumericalError(file.located(
          fmt::format("an annotation is {} and the mean {}, too far apart to compute with; must be rescaled",
                      value, mean)));
}

// Learned amplitudes start from the spread of the answers.
double amplitude_of(const StudyFile& file, const Vector& values, double mean) {
  if (file.amplitude) return *file.amplitude;
  const std::optional<double> assumed = file.target->defaults().amplitude;
  if (assumed || values.size() == 0) return assumed.value_or(1.0);
  const double spread = std::sqrt((values.array() - mean).square().mean());
  return std::isnormal(spread * spread) ? spread : 1.0;
}

// Learned length scales start from the spread of the inputs.
Vector lengthscale_of(const Study& study, const std::vector<Index>& numeric) {
  const StudyFile& file = study.file();
  const auto numbers = static_cast<Index>(numeric.size());
  if (!file.lengthscale.empty() && numbers > 0)
    return Eigen::Map<const Vector>(file.lengthscale.data(), static_cast<Index>(file.lengthscale.size()));
  Vector lengthscale = Vector::Constant(file.lengthscale_per_input ? numbers : std::min<Index>(1, numbers),
                                        std::sqrt(static_cast<double>(study.pool().points().cols())));
  if (study.input_spread().size() == 0 || numbers == 0) return lengthscale;
  const Vector spread = study.input_spread()(numeric);
  if (file.lengthscale_per_input) return lengthscale.cwiseProduct(spread);
  return lengthscale * (spread.norm() / std::sqrt(static_cast<double>(numbers)));
}

}  // namespace

Prior prior_for(const Study& study, const Points& points, const Vector& values) {
  const StudyFile& file = study.file();
  const std::vector<Input>& columns = study.pool().columns();
  Prior prior;
  prior.scaling = file.standardise == Standardise::annotations
                      ? Scaling::standardise(points, transforms_of(columns))
                      : study.input_scaling();
  prior.mean = mean_of(file, values);
  require_finite_residuals(file, values, prior.mean);
  KernelInputs inputs(columns);
  prior.kernel = std::make_shared<StationaryKernel>(
      StationaryKernelOptions{.family = file.kernel,
                              .amplitude = amplitude_of(file, values, prior.mean),
                              .lengthscale = lengthscale_of(study, inputs.numeric),
                              .categories = std::move(inputs.categories)});
  if (file.has_bias())
    for (const Level& level : study.offer().levels) prior.biases.push_back(level.bias);
  return prior;
}

}  // namespace acuity
