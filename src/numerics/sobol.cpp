#include "numerics/sobol.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "numerics/random.hpp"

namespace acuity::numerics {

namespace {

constexpr int digits = 64;

// A lower triangular map of binary digits with ones on its diagonal, and a shift: both keep it true that
// points are spread evenly over slices.
class Scrambling {
 public:
  Scrambling(std::uint64_t seed, std::uint64_t input) {
    for (int digit = 0; digit < digits; ++digit) {
      const std::uint64_t own = std::uint64_t{1} << (digits - 1 - digit);
      const std::uint64_t drawn =
          draw_key(seed, Purpose::drawn_pool, input, static_cast<std::uint64_t>(digit));
      columns_[static_cast<std::size_t>(digit)] = own | (drawn & (own - 1));
    }
    shift_ = draw_key(seed, Purpose::drawn_pool, input, digits);
  }

  std::uint64_t operator()(std::uint64_t number) const {
    std::uint64_t scrambled = shift_;
    while (number != 0) {
      const int digit = std::countl_zero(number);
      scrambled ^= columns_[static_cast<std::size_t>(digit)];
      number &= ~(std::uint64_t{1} << (digits - 1 - digit));
    }
    return scrambled;
  }

 private:
  std::array<std::uint64_t, digits> columns_{};
  std::uint64_t shift_ = 0;
};

}  // namespace

struct SobolSequence::Generator {
  boost::random::sobol engine;
  std::vector<Scrambling> scramblings;
  bool is_first = true;
};

SobolSequence::SobolSequence(std::size_t inputs, std::uint64_t seed) {
  if (inputs < 1 || inputs > most_inputs)
    throw std::invalid_argument("a Sobol sequence has 1 to 3667 inputs");
  generator_ = std::make_unique<Generator>(Generator{boost::random::sobol(inputs), {}});
  for (std::size_t input = 0; input < inputs; ++input) generator_->scramblings.emplace_back(seed, input);
}

SobolSequence::~SobolSequence() = default;
SobolSequence::SobolSequence(SobolSequence&&) noexcept = default;
SobolSequence& SobolSequence::operator=(SobolSequence&&) noexcept = default;

void SobolSequence::next(double* point) {
  // The engine leaves out the point 0, without which the blocks of 2^k points are no longer balanced.
  const bool is_first = std::exchange(generator_->is_first, false);
  for (const Scrambling& scrambling : generator_->scramblings) {
    const std::uint64_t number = is_first ? 0 : generator_->engine();
    *point++ = static_cast<double>(scrambling(number) >> 11) * 0x1p-53;
  }
}

double between(double low, double high, double share) {
  return std::clamp(std::fma(high - low, share, low), low, high);
}

// Square roots and products are rounded alike everywhere: low (high/low)^share is the product of low and of
// the roots (high/low)^(1/2), (high/low)^(1/4), ... that the binary digits of the share name.
double between_on_log_scale(double low, double high, double share) {
  double root = std::sqrt(high) / std::sqrt(low), value = low;
  for (auto left = static_cast<std::uint64_t>(share * 0x1p53) << 11; left != 0; left <<= 1) {
    if ((left >> 63) != 0) value *= root;
    root = std::sqrt(root);
  }
  return std::clamp(value, low, high);
}

}  // namespace acuity::numerics
