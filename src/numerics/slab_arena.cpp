#include "numerics/slab_arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace acuity::numerics {

void SlabArena::Free::operator()(std::byte* block) const {
  munmap(block, bytes);
}

void* SlabArena::take() {
  const std::lock_guard lock(mutex_);
  if (!given_back_.empty()) {
    void* slab = given_back_.back();
    given_back_.pop_back();
    return slab;
  }
  if (next_ == end_) {
    // Blocks grow with what there is, so that a small pool stays small. All of
    // its pages come at once: one fault each would cost more, and huge pages were tried and did.
    const std::size_t wanted = std::min(std::size_t{4} << 20, std::size_t{1} << (18 + blocks_.size() / 4));
    const std::size_t slabs = std::max<std::size_t>(1, wanted / slab_bytes_), bytes = slabs * slab_bytes_;
    auto* block = static_cast<std::byte*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0));
    if (block == MAP_FAILED) throw std::bad_alloc();
    blocks_.emplace_back(block, Free{bytes});
    next_ = block;
    end_ = block + bytes;
  }
  void* slab = next_;
  next_ += slab_bytes_;
  return slab;
}

void SlabArena::clear() {
  const std::lock_guard lock(mutex_);
  given_back_.clear();
  blocks_.clear();
  next_ = end_ = nullptr;
}

void SlabArena::give_back(void* slab) {
  const std::lock_guard lock(mutex_);
  given_back_.push_back(slab);
}

}  // namespace acuity::numerics
