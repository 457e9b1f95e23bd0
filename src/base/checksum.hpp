#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;  // of libxxhash

namespace acuity::base {

/// A checksum (XXH3, 64 bits) to detect accidental changes, not deliberate ones.
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

/// FNV-1a, 64 bits. It can continue from any value, so it can chain the events of a log. It is kept for
/// formats that do not name their checksum: the log of a campaign, the settings of a reproduction, and the
/// seeds of simulated answers at deterministic levels. Use Checksum for everything else.
class Fnv1a {
 public:
  Fnv1a() = default;
  /// Continues from the value of another hash.
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

}  // namespace acuity::base
