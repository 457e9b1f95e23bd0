#include "numerics/random.hpp"

#include <Random123/philox.h>

#include <Random123/MicroURNG.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <numeric>
#include <utility>

namespace acuity::numerics {

namespace {

using Philox = r123::Philox4x32;

// The engine's own words, taken two at a time: 64 random bits.
class PhiloxEngine {
 public:
  using result_type = std::uint64_t;

  PhiloxEngine(std::uint64_t seed, std::uint32_t purpose, std::uint32_t first, std::uint32_t second)
      : key_{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}},
        counter_{{0, purpose, first, second}} {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  result_type operator()() {
    if (used_ == 2) {
      block_ = Philox()(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    const std::size_t at = 2 * static_cast<std::size_t>(used_++);
    return static_cast<std::uint64_t>(block_[at]) << 32 | block_[at + 1];
  }

 private:
  Philox::key_type key_;
  Philox::ctr_type counter_;
  Philox::ctr_type block_{};
  int used_ = 2;
};

}  // namespace

struct Draws::Engine {
  PhiloxEngine bits;
  boost::random::normal_distribution<double> normal{0.0, 1.0};
};

Draws::Draws(std::uint64_t seed, Purpose purpose, std::uint32_t first, std::uint32_t second)
    : engine_(std::make_unique<Engine>(
          Engine{PhiloxEngine(seed, static_cast<std::uint32_t>(purpose), first, second)})) {}
Draws::~Draws() = default;
Draws::Draws(Draws&&) noexcept = default;
Draws& Draws::operator=(Draws&&) noexcept = default;

double Draws::uniform() {
  return boost::random::uniform_01<double>()(engine_->bits);
}
double Draws::normal() {
  return engine_->normal(engine_->bits);
}
std::int64_t Draws::below(std::int64_t count) {
  return boost::random::uniform_int_distribution<std::int64_t>(0, count - 1)(engine_->bits);
}

std::vector<std::int64_t> Draws::permutation(std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t i = count - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(below(i + 1))]);
  return order;
}

std::uint64_t draw_key(std::uint64_t seed, Purpose purpose, std::uint64_t step, std::uint64_t item) {
  const Philox::key_type key{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  const Philox::ctr_type counter{{static_cast<std::uint32_t>(item), static_cast<std::uint32_t>(item >> 32),
                                  static_cast<std::uint32_t>(step), ~static_cast<std::uint32_t>(purpose)}};
  const Philox::ctr_type block = Philox()(counter, key);
  return static_cast<std::uint64_t>(block[0]) << 32 | block[1];
}

}  // namespace acuity::numerics
