#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "acuity/data/points.hpp"

// The data of the workloads W1 to W6. workload_data.py makes the same bit for bit: only operations that IEEE
// 754 rounds correctly are used (no sin, no exp), in the same order.

namespace acuity::workloads {

constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15U;

/// The finaliser of splitmix64.
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// Number `index`, counting from 0, of the splitmix64 stream with this seed, as a number in [0, 1).
inline double uniform(std::uint64_t seed, std::uint64_t index) {
  return std::ldexp(static_cast<double>(mix(seed + (index + 1) * golden_ratio) >> 11U), -53);
}

/// Points uniform in [low, low + side]^inputs, row by row.
inline Points box(std::uint64_t seed, Index rows, Index inputs, double low, double side) {
  Points points(rows, inputs);
  for (Index i = 0; i < points.size(); ++i)
    points.data()[i] = low + side * uniform(seed, static_cast<std::uint64_t>(i));
  return points;
}

/// A smooth function in which every further input matters less.
template <typename Row>
double smooth(const Row& x) {
  double sum = 0.0;
  for (Index k = 0; k < x.size(); ++k)
    sum += 2.0 / static_cast<double>(k + 1) * (x(k) - 1.0) / (1.0 + x(k) * x(k));
  return sum;
}

/// smooth() plus nearly normal noise (twelve uniforms, less 6) of this deviation.
inline Vector noisy_values(std::uint64_t seed, const Points& x, double deviation) {
  Vector values(x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    double noise = -6.0;
    for (Index k = 0; k < 12; ++k) noise += uniform(seed, static_cast<std::uint64_t>(12 * i + k));
    values(i) = smooth(x.row(i)) + deviation * noise;
  }
  return values;
}

/// Classes of a checker board with fields of side 1.
inline Vector checker_board(const Points& x) {
  Vector classes(x.rows());
  for (Index i = 0; i < x.rows(); ++i)
    classes(i) = std::fmod(std::floor(x(i, 0)) + std::floor(x(i, 1)), 2.0) == 0.0 ? 1.0 : -1.0;
  return classes;
}

/// Depends on every bit and every position.
inline std::uint64_t hash_of(const double* values, Index count) {
  std::uint64_t sum = 0;
  for (Index i = 0; i < count; ++i)
    sum += mix(std::bit_cast<std::uint64_t>(values[i]) + (static_cast<std::uint64_t>(i) + 1U) * golden_ratio);
  return sum;
}

/// Of the inputs and what belongs to them.
inline std::uint64_t hash_of(const Points& x, const Vector& values) {
  return mix(hash_of(x.data(), x.size())) ^ hash_of(values.data(), values.size());
}

}  // namespace acuity::workloads
