#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace acuity::numerics {

/// An allocator of equal pieces of memory that any thread may take and return. It allocates large blocks, so
/// a million pieces cause few page faults, and freeing all of them at the end is cheap.
class SlabArena {
 public:
  explicit SlabArena(std::size_t slab_bytes) : slab_bytes_(slab_bytes) {}

  /// Returns a piece aligned to 64 bytes, not initialised.
  void* take();
  void give_back(void* slab);
  /// Returns all pieces and frees the memory.
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
