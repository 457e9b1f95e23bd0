#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "data/mapped_file.hpp"

namespace acuity {

/// Bytes that only save time: what one process has computed, for the next one. They may be deleted at any
/// time, and whoever reads them must be able to do without.
struct CachedParts {
  std::shared_ptr<const MappedFile> file;  ///< keeps the parts alive
  std::vector<std::string_view> parts;     ///< addresses are multiples of 64
};

/// What `write_cache` wrote under this key. Nothing if there is no such file, if it has another key, or if a
/// byte of it is not as it was written.
std::optional<CachedParts> read_cache(const std::filesystem::path& file, std::uint64_t key);

/// Writes the file as a whole or not at all, in a folder that is made if necessary, and removes what writers
/// that were ended have left there. False if that is not possible: the disk is full, the folder is
/// read-only. At most `most_cached_parts` parts.
bool write_cache(const std::filesystem::path& file, std::uint64_t key,
                 const std::vector<std::string_view>& parts) noexcept;

inline constexpr std::size_t most_cached_parts = 12;

/// Where a campaign keeps such files: in the folder of the copy of its pool.
std::filesystem::path cache_folder(const std::filesystem::path& pool_file);

/// The bytes of some numbers.
template <typename Value>
std::string_view bytes_of(const Value* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(Value)};
}

/// The numbers in a part, which must hold whole ones.
template <typename Value>
const Value* numbers_in(std::string_view part) {
  return reinterpret_cast<const Value*>(part.data());
}

}  // namespace acuity
