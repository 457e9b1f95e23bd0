#include "study/noise_law.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/data/pool_file.hpp"
#include "acuity/data/table.hpp"

namespace acuity {

namespace {

// Whether the formula has the name as a word.
bool mentions(const std::string& formula, const std::string& name) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t at = formula.find(name); at != std::string::npos; at = formula.find(name, at + 1))
    if ((at == 0 || !is_part(formula[at - 1])) &&
        (at + name.size() == formula.size() || !is_part(formula[at + name.size()])))
      return true;
  return false;
}

}  // namespace

NoiseLaw::NoiseLaw(const StudyFile& study, const std::vector<Input>& inputs) : setting_(study.noise) {
  if (const auto* text = std::get_if<std::string>(&setting_)) {
    for (const Input& input : inputs)
      if (input.is_named() && mentions(*text, input.name))
        study.complain(
            fmt::format("noise.variance is \"{}\" and input \"{}\" has names, not numbers; must be a "
                        "formula in the other inputs, or a column of the pool",
                        *text, input.name));
    try {
      formula_.emplace(*text, names_of(inputs));
    } catch (const InputError& error) {
      study.complain(std::string("noise.variance: ") + error.what());
    }
  }
}

template <typename Rows>
double NoiseLaw::operator()(const double* x, const Rows& table, Index row) const {
  if (const double* number = std::get_if<double>(&setting_)) return *number;
  if (const auto* named = std::get_if<NoiseColumn>(&setting_)) {
    const Index column = table.column(named->name, "noise.variance");
    const double variance = table.number(row, column);
    if (variance < 0.0) table.complain(row, column, "0 or more");
    return variance;
  }
  const double variance = (*formula_)(x);
  if (!(std::isfinite(variance) && variance >= 0.0))
    throw InputError(table.where(row) + ": " + wrong(variance));
  return variance;
}

double NoiseLaw::outside_of_tables(const double* x) const {
  if (const double* number = std::get_if<double>(&setting_)) return *number;
  if (const auto* named = std::get_if<NoiseColumn>(&setting_))
    throw InputError(
        fmt::format("the point is not in a table, so it has no \"{}\", the study's noise.variance; must be "
                    "a point of the pool",
                    named->name));
  const double variance = (*formula_)(x);
  if (!(std::isfinite(variance) && variance >= 0.0)) throw InputError(wrong(variance));
  return variance;
}

std::string NoiseLaw::wrong(double variance) const {
  return fmt::format("noise.variance \"{}\" is {} at this point, must be a finite number, 0 or more",
                     formula_->text(), variance);
}

template double NoiseLaw::operator()(const double*, const Table&, Index) const;
template double NoiseLaw::operator()(const double*, const PoolFile&, Index) const;

std::optional<double> NoiseLaw::constant() const {
  const double* number = std::get_if<double>(&setting_);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

Vector noise_at_points(const NoiseLaw& law, const Pool& pool) {
  Vector variances(pool.size());
  for (Index row = 0; row < pool.size(); ++row) {
    try {
      variances(row) = law.outside_of_tables(pool.point(row));
    } catch (const InputError& error) {
      throw InputError(pool.where(row) + ": " + error.what());
    }
  }
  return variances;
}

}  // namespace acuity
