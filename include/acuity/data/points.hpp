#pragma once

#include <Eigen/Core>

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Inputs, one per row. Row-major, so that a NumPy array or a block of a table maps in without a copy.
using Points = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A reference to points stored elsewhere: a Points, some of its rows, or a mapped array.
using PointsRef = Eigen::Ref<const Points>;

}  // namespace acuity ACUITY_PUBLIC
