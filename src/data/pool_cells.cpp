#include "data/pool_cells.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/as_size.hpp"

namespace acuity {

namespace {

class Cells {
 public:
  Cells(Points points, const std::vector<Index>& rows, Index most)
      : points_(std::move(points)), rows_(rows), order_(rows.size()), scale_(Vector::Zero(points_.cols())) {
    std::iota(order_.begin(), order_.end(), Index{0});
    const Vector variance = variances(0, order_.size());
    for (Index k = 0; k < variance.size(); ++k)
      if (variance(k) > 0.0) scale_(k) = 1.0 / variance(k);
    split(0, order_.size(), most);
  }

  std::vector<std::vector<Index>> take() { return std::move(cells_); }

 private:
  // Relative to the first point, so that equal values have exactly no variance.
  Vector variances(std::size_t begin, std::size_t end) const {
    const Eigen::RowVectorXd origin = points_.row(order_[begin]);
    Vector sum = Vector::Zero(points_.cols()), squares = sum;
    for (std::size_t i = begin; i < end; ++i) {
      const Vector from_origin = (points_.row(order_[i]) - origin).transpose();
      sum += from_origin;
      squares += from_origin.cwiseAbs2();
    }
    const double count = static_cast<double>(end - begin);
    return (squares / count - (sum / count).cwiseAbs2()).cwiseMax(0.0);
  }

  void split(std::size_t begin, std::size_t end, Index cells) {
    Index widest = 0;
    const bool is_one = cells == 1 || end - begin == 1;
    if (is_one || !(variances(begin, end).cwiseProduct(scale_).maxCoeff(&widest) > 0.0)) {
      std::vector<Index>& cell = cells_.emplace_back();
      for (std::size_t i = begin; i < end; ++i) cell.push_back(rows_[at(order_[i])]);
      std::sort(cell.begin(), cell.end());
      return;
    }
    const Index left = cells / 2;
    const std::size_t middle = begin + (end - begin) * at(left) / at(cells);  // in proportion
    const auto first = order_.begin();
    std::nth_element(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(middle),
                     first + static_cast<std::ptrdiff_t>(end), [&](Index a, Index b) {
                       const double u = points_(a, widest), v = points_(b, widest);
                       return u < v || (u == v && a < b);
                     });
    split(begin, middle, left);
    split(middle, end, cells - left);
  }

  const Points points_;
  const std::vector<Index>& rows_;
  std::vector<Index> order_;  // of the rows
  Vector scale_;              // by input: one over the variance of all; 0 if there is none
  std::vector<std::vector<Index>> cells_;
};

}  // namespace

std::vector<std::vector<Index>> cells_of(const PointsRef& points, const std::vector<InputTransform>& inputs,
                                         const std::vector<Index>& rows, Index most) {
  Points some(static_cast<Index>(rows.size()), points.cols());
  for (Index i = 0; i < some.rows(); ++i) some.row(i) = points.row(rows[at(i)]);
  for (Index k = 0; k < some.cols(); ++k)
    if (inputs[at(k)] == InputTransform::log) some.col(k) = some.col(k).array().log();
  return Cells(std::move(some), rows, std::min(most, static_cast<Index>(rows.size()))).take();
}

}  // namespace acuity
