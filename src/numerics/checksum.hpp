#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;  // of libxxhash

namespace acuity::numerics {

/// Tells whether bytes are what was written (XXH3, 64 bits). It notices accidents, not intentions.
class Checksum {
 public:
  Checksum();

  void take(std::string_view bytes);
  std::uint64_t value() const;
  /// "xxh3:" and sixteen hexadecimal digits.
  std::string text() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

/// The checksum of one text, in its text form.
std::string checksum(std::string_view text);

/// Whether `recorded` is the checksum of `text`. Campaigns and runs written before version 0.2 have recorded
/// FNV-1a: sixteen hexadecimal digits alone.
bool fits_checksum(std::string_view text, std::string_view recorded);

/// FNV-1a, 64 bits: goes on from any value, so that it can chain the events of a log. Its values are part of
/// formats that do not say which checksum they use: the log of a campaign, the settings of a reproduction,
/// and the seeds of simulated answers that repeat themselves. For everything else there is Checksum.
class Fnv1a {
 public:
  Fnv1a() = default;
  /// Goes on from where another one stopped.
  explicit Fnv1a(std::uint64_t value) : value_(value) {}

  void take(std::string_view text) {
    for (const char c : text) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  }
  std::uint64_t value() const { return value_; }
  /// Sixteen hexadecimal digits.
  std::string text() const;

 private:
  std::uint64_t value_ = 0xCBF29CE484222325ULL;
};

}  // namespace acuity::numerics
