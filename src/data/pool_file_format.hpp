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

}  // namespace acuity::pool_format
