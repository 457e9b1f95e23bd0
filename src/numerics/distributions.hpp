#pragma once

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace acuity::numerics {

/// Results beyond the largest number are infinite, not exceptions. The library computes some values when the
/// program starts, among them one that only numbers of 80 bits can have: valgrind computes with 64, and the
/// exception would end the program there. Results are the same.
using InfiniteOnOverflow =
    boost::math::policies::policy<boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;

using NormalDistribution = boost::math::normal_distribution<double, InfiniteOnOverflow>;
using BinomialDistribution = boost::math::binomial_distribution<double, InfiniteOnOverflow>;
using ChiSquaredDistribution = boost::math::chi_squared_distribution<double, InfiniteOnOverflow>;
using StudentsTDistribution = boost::math::students_t_distribution<double, InfiniteOnOverflow>;

}  // namespace acuity::numerics
