#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/points.hpp"

namespace acuity ACUITY_PUBLIC {

/// A number for every point of a pool, such as its noise. Copies and parts share the numbers. One that is the
/// same at all points is stored once. The numbers of a part of the pool may be stored, and those of other
/// points computed when they are read.
class PointValues {
 public:
  PointValues() = default;  ///< of no points
  PointValues(Vector values);
  template <typename Derived>
  PointValues(const Eigen::DenseBase<Derived>& values) : PointValues(Vector(values.derived())) {}
  static PointValues constant(Index points, double value);

  /// The lowest and the highest number, and the first point that has the lowest.
  struct Extremes {
    double lowest = 0.0, highest = 0.0;
    Index lowest_at = 0;
  };
  /// Of `whole` points: `values` are the numbers of consecutive points from `first` on, `elsewhere(point)` is
  /// the number of any other point, and `extremes` are those of all points.
  static PointValues of_part(Index first, Index whole, Vector values, std::function<double(Index)> elsewhere,
                             const Extremes& extremes);

  Index size() const { return size_; }
  double operator()(Index point) const {
    if (is_constant()) return extremes_.lowest;
    const Index i = point - first_;
    return i >= 0 && i < stored_ ? data_[i] : (*elsewhere_)(point);
  }
  Vector operator()(const std::vector<Index>& points) const;
  /// Those of all points, computed if they are not stored.
  Vector all() const;
  /// Consecutive points as a separate pool.
  PointValues part(Index first, Index count) const;
  /// Those of consecutive points, all of which must be stored; `room` for so many is used if all numbers are
  /// the same.
  const double* run(Index first, Index count, double* room) const;

  bool is_constant() const { return is_constant_; }
  double lowest() const { return extremes_.lowest; }
  double highest() const { return extremes_.highest; }
  Index lowest_at() const { return extremes_.lowest_at; }
  /// How many numbers are stored.
  Index stored() const { return stored_; }

  /// f of every number; f must not fall.
  template <typename Function>
  PointValues mapped(const Function& f) const {
    PointValues result;
    if (!is_constant()) result = PointValues(Vector(Eigen::Map<const Vector>(data_, stored_).unaryExpr(f)));
    result.size_ = size_;
    result.first_ = first_;
    result.extremes_ = {f(extremes_.lowest), f(extremes_.highest), extremes_.lowest_at};
    if (elsewhere_ != nullptr)
      result.elsewhere_ = std::make_shared<const std::function<double(Index)>>(
          [f, elsewhere = elsewhere_](Index point) { return f((*elsewhere)(point)); });
    return result;
  }

  friend bool operator==(const PointValues& a, const PointValues& b) {
    return a.size() == b.size() && a.all() == b.all();
  }

 private:
  Index size_ = 0, first_ = 0, stored_ = 0;  // numbers of points first_, first_ + 1, ... are stored
  const double* data_ = nullptr;
  bool is_constant_ = true;  // all numbers are extremes_.lowest
  std::shared_ptr<const Vector> owner_;
  std::shared_ptr<const std::function<double(Index)>> elsewhere_;  // null if all are stored
  Extremes extremes_;
};

}  // namespace acuity ACUITY_PUBLIC
