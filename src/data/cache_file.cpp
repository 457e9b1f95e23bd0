#include "data/cache_file.hpp"

#include <array>
#include <chrono>
#include <cstring>
#include <exception>

#include "base/checksum.hpp"
#include "data/file_writer.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t alignment = 64;
constexpr std::array<char, 8> cache_magic{'\x8A', 'A', 'C', 'K', 'E', 'P', 'T', '1'};

struct CacheHeader {
  std::array<char, 8> magic;
  std::uint64_t key;
  std::uint64_t checksum;  // of the header with 0 in this field, and of everything after it
  std::uint64_t parts;
  std::array<std::uint64_t, most_cached_parts> bytes;
};
static_assert(sizeof(CacheHeader) % alignment == 0);

std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Of the first header, with no checksum in it, and the parts behind it.
std::uint64_t checksum_of(CacheHeader header, std::string_view data) {
  header.checksum = 0;
  base::Checksum sum;
  sum.take(bytes_of(&header, 1));
  sum.take(data);
  return sum.value();
}

// Temporary files of writers that were killed; those of a writer at work are younger.
void remove_leftovers(const fs::path& folder) {
  std::error_code none;
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
    if (entry.path().filename().string().find(".partial-") != std::string::npos &&
        entry.last_write_time(none) < old)
      fs::remove(entry.path(), none);
}

void write_parts(FileWriter& file, CacheHeader header, const std::vector<std::string_view>& parts) {
  static constexpr std::array<char, alignment> zeros{};
  base::Checksum sum;
  const auto put = [&](std::string_view bytes) {
    sum.take(bytes);
    file.write(bytes.data(), bytes.size());
  };
  put(bytes_of(&header, 1));
  for (const std::string_view part : parts) {
    put(part);
    put({zeros.data(), padded(part.size()) - part.size()});
  }
  header.checksum = sum.value();
  file.overwrite_start(&header, sizeof header);
}

}  // namespace

std::optional<CachedParts> read_cache(const fs::path& file, std::uint64_t key) {
  try {
    std::error_code none;
    if (!fs::is_regular_file(file, none)) return std::nullopt;
    CachedParts cached{.file = std::make_shared<const MappedFile>(file), .parts = {}};
    const std::string_view bytes = cached.file->bytes();
    CacheHeader header;
    if (bytes.size() < sizeof header) return std::nullopt;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.magic != cache_magic || header.key != key || header.parts > most_cached_parts)
      return std::nullopt;
    std::uint64_t at = sizeof header;
    for (std::size_t k = 0; k < header.parts; ++k) {
      if (header.bytes[k] > bytes.size() - at) return std::nullopt;
      cached.parts.push_back(bytes.substr(at, header.bytes[k]));
      at = std::min<std::uint64_t>(at + padded(header.bytes[k]), bytes.size());
    }
    if (at != bytes.size() || checksum_of(header, bytes.substr(sizeof header)) != header.checksum)
      return std::nullopt;
    return cached;
  } catch (const std::exception&) {  // it cannot be read, which is as if it were not there
    return std::nullopt;
  }
}

bool write_cache(const fs::path& file, std::uint64_t key,
                 const std::vector<std::string_view>& parts) noexcept {
  try {
    std::error_code none;
    fs::create_directory(file.parent_path(), none);
    remove_leftovers(file.parent_path());
    CacheHeader header{.magic = cache_magic, .key = key, .checksum = 0, .parts = parts.size(), .bytes = {}};
    for (std::size_t k = 0; k < parts.size(); ++k) header.bytes.at(k) = parts[k].size();
    FileWriter writer(file, FileWriter::Streams::refused);
    write_parts(writer, header, parts);
    writer.commit();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

fs::path cache_folder(const fs::path& pool_file) {
  return pool_file.parent_path() / "cache";
}

}  // namespace acuity
