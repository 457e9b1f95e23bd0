#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace acuity::numerics {

/// A checksum that tells whether text is what was written (FNV-1a, 64 bits). It notices accidents, not
/// intentions.
class Checksum {
 public:
  Checksum() = default;
  /// On from where another one stood.
  explicit Checksum(std::uint64_t value) : value_(value) {}

  void take(std::string_view text) {
    for (const char c : text) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  }
  std::uint64_t value() const { return value_; }
  /// Sixteen hexadecimal digits.
  std::string text() const;

 private:
  std::uint64_t value_ = 0xCBF29CE484222325ULL;
};

/// The checksum of one text.
std::string checksum(std::string_view text);

}  // namespace acuity::numerics
