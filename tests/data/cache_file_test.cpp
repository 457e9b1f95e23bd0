// Files that only save time: what was written comes back whole, and nothing else ever does.
#include "data/cache_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "support/program.hpp"

namespace acuity::cache_file_test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t key = 17;

struct Cache {
  testing::Folder folder;
  fs::path file = folder.path() / "cache" / "thing";
  const std::vector<double> numbers{1.0, -2.5, 1e300};
  const std::string text = "some text";

  Cache() { EXPECT_TRUE(write_cache(file, key, parts())); }
  std::vector<std::string_view> parts() const {
    return {bytes_of(numbers.data(), numbers.size()), std::string_view(), text};
  }
  std::string bytes() const { return folder.read("cache/thing"); }
};

TEST(CacheFile, GivesBackWhatWasWritten) {
  const Cache cache;
  const std::optional<CachedParts> read = read_cache(cache.file, key);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->parts.size(), 3);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(read->parts[k], cache.parts()[k]);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read->parts[0].data()) % 64, 0);
  EXPECT_EQ(numbers_in<double>(read->parts[0])[2], 1e300);
}

TEST(CacheFile, IsNothingUnderAnotherKeyOrIfItIsNotThere) {
  const Cache cache;
  EXPECT_FALSE(read_cache(cache.file, key + 1));
  EXPECT_FALSE(read_cache(cache.folder.path() / "none", key));
  EXPECT_FALSE(read_cache(cache.folder.path(), key)) << "a folder";
}

TEST(CacheFile, IsNothingIfAnyByteDiffersOrIsMissing) {
  const Cache cache;
  const std::string whole = cache.bytes();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    cache.folder.write("cache/thing", damaged);
    EXPECT_FALSE(read_cache(cache.file, key)) << at;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, whole.size() / 2, whole.size() - 1}) {
    cache.folder.write("cache/thing", whole.substr(0, size));
    EXPECT_FALSE(read_cache(cache.file, key)) << size;
  }
  cache.folder.write("cache/thing", whole + '\0');
  EXPECT_FALSE(read_cache(cache.file, key));
  cache.folder.write("cache/thing", whole);
  EXPECT_TRUE(read_cache(cache.file, key));
}

TEST(CacheFile, ThatCannotBeWrittenIsNoError) {
  const Cache cache;
  EXPECT_FALSE(write_cache("/proc/cache/thing", key, {}));
  EXPECT_FALSE(write_cache(cache.folder.path() / "cache" / "thing" / "below", key, {}));
  EXPECT_FALSE(write_cache("/dev/full", key, {})) << "a device";
}

TEST(CacheFile, RemovesWhatEndedWritersHaveLeft) {
  const Cache cache;
  const fs::path old = cache.folder.write("cache/thing.partial-0011", "old");
  const fs::path young = cache.folder.write("cache/other.partial-0022", "young");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(3));
  EXPECT_TRUE(write_cache(cache.file, key, cache.parts()));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young)) << "its writer may be at work";
}

}  // namespace
}  // namespace acuity::cache_file_test
