#pragma once

#include <Eigen/Core>

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

// Matrices are freed by the library and by users alike, so both must allocate them in the same way, with and
// without wide vectors (-march=native). CMake's acuity::core and acuity.pc pass the definition on.
static_assert(EIGEN_MAX_ALIGN_BYTES == 64,
              "acuity was built with EIGEN_MAX_ALIGN_BYTES=64, must be defined before Eigen is included: "
              "-DEIGEN_MAX_ALIGN_BYTES=64");

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Inputs, one per row. Row-major, so that a NumPy array or a block of a table maps in without a copy.
using Points = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A reference to points stored elsewhere: a Points, some of its rows, or a mapped array.
using PointsRef = Eigen::Ref<const Points>;

}  // namespace acuity ACUITY_PUBLIC
