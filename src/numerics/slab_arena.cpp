#include "numerics/slab_arena.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace acuity::numerics {

void SlabArena::Free::operator()(std::byte* block) const {
  std::free(block);
}

void* SlabArena::take() {
  const std::lock_guard lock(mutex_);
  if (!given_back_.empty()) {
    void* slab = given_back_.back();
    given_back_.pop_back();
    return slab;
  }
  if (next_ == end_) {
    // Blocks grow with what there is, so that a small pool stays small. Huge pages were tried: they cost more
    // system time than the faults they save.
    const std::size_t wanted = std::min(std::size_t{4} << 20, std::size_t{1} << (18 + blocks_.size() / 4));
    const std::size_t slabs = std::max<std::size_t>(1, wanted / slab_bytes_), bytes = slabs * slab_bytes_;
    auto* block = static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
    if (block == nullptr) throw std::bad_alloc();
    blocks_.emplace_back(block);
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
