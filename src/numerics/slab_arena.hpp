#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace acuity::numerics {

/// Memory in equal pieces, taken and given back by any thread. Large blocks behind it: a million pieces cost
/// few page faults, and giving all of them back at the end costs nothing.
class SlabArena {
 public:
  explicit SlabArena(std::size_t slab_bytes) : slab_bytes_(slab_bytes) {}

  /// Aligned to 64 bytes, contents not set.
  void* take();
  void give_back(void* slab);
  /// Everything that was taken is given back, and the memory with it.
  void clear();

 private:
  struct Free {
    std::size_t bytes = 0;
    void operator()(std::byte* block) const;
  };

  std::mutex mutex_;
  std::size_t slab_bytes_;
  std::vector<std::unique_ptr<std::byte, Free>> blocks_;
  std::vector<void*> free_;
};

}  // namespace acuity::numerics
