#pragma once

#include <cstdint>
#include <memory>
#include <vector>

// Seeded draws that are the same on every platform and in any order of execution: counter-based (Philox),
// with distributions whose algorithms are fixed. The std:: ones differ between libraries, one even between
// compiler flags.

namespace acuity::numerics {

/// The purpose of a stream of draws, so that no two uses share a stream.
enum class Purpose : std::uint32_t {
  random_choice = 1,
  data = 2,
  initial_design = 3,
  answer = 4,
  resampling = 5,
  restarts = 6,
  annotator_seed = 7,
  repeated_answer = 8,
  repeat = 9,
  prior_truth = 10,
  hyperparameter_draws = 11,
  goal = 12,
  gold = 13,
  audit = 14,
  drawn_pool = 15,
  best_point = 19
};

/// A stream of draws, determined by the seed, the purpose, and up to two counters of the caller.
class Draws {
 public:
  Draws(std::uint64_t seed, Purpose purpose, std::uint32_t first = 0, std::uint32_t second = 0);
  ~Draws();
  Draws(Draws&&) noexcept;
  Draws& operator=(Draws&&) noexcept;

  double uniform();  ///< in [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal();                         ///< mean 0, variance 1
  std::int64_t below(std::int64_t count);  ///< 0, 1, ..., count - 1
  std::vector<std::int64_t> permutation(std::int64_t count);

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

/// A random key of one item, independent of all other draws. Choosing the item with the smallest key is a
/// random choice among any subset of a pool, on any number of threads or machines.
std::uint64_t draw_key(std::uint64_t seed, Purpose purpose, std::uint64_t step, std::uint64_t item);

}  // namespace acuity::numerics
