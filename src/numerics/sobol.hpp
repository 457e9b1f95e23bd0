#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace acuity::numerics {

/// A Sobol sequence with the direction numbers of Joe and Kuo, scrambled by a random linear map and a random
/// shift of the binary digits of every input, which the seed determines. The first n points are the same
/// however many are taken. Of every aligned block of 2^k points each of 2^k equal slices of an input has one.
class SobolSequence {
 public:
  static constexpr std::size_t most_inputs = 3667;

  /// Throws std::invalid_argument unless there are 1 to `most_inputs` inputs.
  SobolSequence(std::size_t inputs, std::uint64_t seed);
  ~SobolSequence();
  SobolSequence(SobolSequence&&) noexcept;
  SobolSequence& operator=(SobolSequence&&) noexcept;

  /// Writes the next point, every coordinate in [0, 1) and with at most 53 binary digits.
  void next(double* point);

 private:
  struct Generator;
  std::unique_ptr<Generator> generator_;
};

/// The number that lies at this share, in [0, 1), of the way from `low` to `high`, or of the way between
/// their logarithms. The same bits on every machine: neither depends on a library's logarithm, nor on whether
/// a compiler fuses products and sums.
double between(double low, double high, double share);
double between_on_log_scale(double low, double high, double share);

}  // namespace acuity::numerics
