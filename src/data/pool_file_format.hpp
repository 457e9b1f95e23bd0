#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.hpp"

// The binary format of a pool file (docs/formats.md), shared by reader and writer.

namespace acuity::pool_format {

static_assert(std::endian::native == std::endian::little,
              "pool files are little endian and mapped as they are");

/// The first byte is not ASCII and the last is a line end, so that text-mode transfers are detected.
constexpr std::string_view magic{
    "\x89"
    "ACPOOL\n",
    8};
/// Version 1 has another checksum and is still read.
constexpr std::uint32_t version = 2;
/// Values and ids begin at multiples of this.
constexpr std::uint64_t alignment = 64;

/// Followed by the names of the columns and, if there are ids, of the id column; each is a length (4 bytes)
/// and its text. Padded with zeros to header_bytes.
struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t value_bytes;  // 8: double, 4: float
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t header_bytes;     // names included: where the values begin
  std::uint64_t id_bytes;         // 0: row numbers are the ids
  std::uint64_t data_checksum;    // of everything after the header
  std::uint64_t header_checksum;  // of the header with 0 in this field
};
static_assert(sizeof(Header) == 64);

inline std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// The checksum of a file of the given version: XXH3, in version 1 a hash of words of 8 bytes.
class Checksum {
 public:
  explicit Checksum(std::uint32_t file_version = version) : by_words_(file_version == 1) {}

  /// A multiple of 8 bytes.
  void add(const char* data, std::uint64_t bytes) {
    if (!by_words_) return sum_.take({data, static_cast<std::size_t>(bytes)});
    for (std::uint64_t at = 0; at < bytes; at += 8) {
      std::uint64_t word;
      std::memcpy(&word, data + at, 8);
      words_ = (words_ ^ word) * 0x9E3779B97F4A7C15ULL;
      words_ ^= words_ >> 32;
    }
  }
  std::uint64_t value() const { return by_words_ ? words_ : sum_.value(); }

 private:
  bool by_words_;
  std::uint64_t words_ = 0xACACACACACACACACULL;
  base::Checksum sum_;
};

}  // namespace acuity::pool_format
