#include "numerics/slab_arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace acuity::numerics {

void SlabArena::Free::operator()(std::byte* block) const {
  munmap(block, bytes);
}

void* SlabArena::take() {
  std::unique_lock lock(mutex_);
  if (free_.empty()) {
    // The size of blocks grows with the memory in use, so that a small pool stays small. All pages of a block
    // are populated at once, because single page faults, and also huge pages, were measured to be slower.
    // Other threads can take the remaining pieces in the meantime.
    const std::size_t wanted = std::min(std::size_t{4} << 20, std::size_t{1} << (18 + blocks_.size() / 4));
    const std::size_t slabs = std::max<std::size_t>(1, wanted / slab_bytes_), bytes = slabs * slab_bytes_;
    lock.unlock();
    auto* block = static_cast<std::byte*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0));
    if (block == MAP_FAILED) throw std::bad_alloc();
    lock.lock();
    blocks_.emplace_back(block, Free{bytes});
    for (std::size_t slab = slabs; slab > 0; --slab) free_.push_back(block + (slab - 1) * slab_bytes_);
  }
  void* slab = free_.back();
  free_.pop_back();
  return slab;
}

void SlabArena::clear() {
  const std::lock_guard lock(mutex_);
  free_.clear();
  blocks_.clear();
}

void SlabArena::give_back(void* slab) {
  const std::lock_guard lock(mutex_);
  free_.push_back(slab);
}

}  // namespace acuity::numerics
