#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace acuity::numerics {

/// Asks for large pages for memory that is about to be filled: where it is some hundred MB, the first touch
/// of every small page and looking them up cost several percent of a factorisation. A wish, nothing depends
/// on it.
inline void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = 4096, worthwhile = std::uintptr_t{32} << 20;
  if (bytes < worthwhile) return;
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (address + page - 1) / page * page, end = (address + bytes) / page * page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace acuity::numerics
