#include "selection/tile_bounds.hpp"

#include <algorithm>
#include <cstring>

#include "data/as_size.hpp"
#include "numerics/infinite.hpp"

namespace acuity {

namespace {

// A lambda, so that sorting inlines it.
const auto is_higher = [](const TileBounds::Entry& a, const TileBounds::Entry& b) {
  return a.bound > b.bound || (a.bound == b.bound && a.tile < b.tile);
};

}  // namespace

bool TileBounds::fit(const LaggingPool& pool) const {
  return pool.epoch() == epoch_ && pool.so_far().variance.size() == pool_size_ && pool.tile_width() == width_;
}

void TileBounds::start(const LaggingPool& pool, const std::vector<char>& open) {
  epoch_ = pool.epoch();
  pool_size_ = pool.so_far().variance.size();
  width_ = pool.tile_width();
  entries_.clear();
  for (Index tile = 0; tile < (pool_size_ + width_ - 1) / width_; ++tile)
    entries_.push_back({infinite, tile});
  open_ = open.empty() ? std::vector<char>(at(pool_size_), 1) : open;
}

void TileBounds::set_open(const std::vector<char>& open) {
  const std::vector<char> opened =
      open.empty() ? opened_tiles(std::vector<char>(at(pool_size_), 1)) : opened_tiles(open);
  if (opened.empty()) return;
  for (Entry& entry : entries_)
    if (opened[at(entry.tile)] != 0) entry.bound = infinite;
  restore_order(entries_.size());
}

// By tile; empty if no point was opened. Usually one point was closed since the last call, so that nearly all
// blocks are equal.
std::vector<char> TileBounds::opened_tiles(const std::vector<char>& open) {
  std::vector<char> opened;
  const auto compare = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (open[i] != 0 && open_[i] == 0) {
        opened.resize(entries_.size(), 0);
        opened[i / at(width_)] = 1;
      }
      open_[i] = open[i];
    }
  };
  const auto differ = [&](std::size_t begin, std::size_t end) {
    return std::memcmp(&open[begin], &open_[begin], end - begin) != 0;
  };
  constexpr std::size_t many = 4096, few = 64;
  for (std::size_t block = 0; block < open.size(); block += many) {
    const std::size_t block_end = std::min(open.size(), block + many);
    if (!differ(block, block_end)) continue;
    for (std::size_t begin = block; begin < block_end; begin += few) {
      const std::size_t end = std::min(block_end, begin + few);
      if (differ(begin, end)) compare(begin, end);
    }
  }
  return opened;
}

void TileBounds::forget() {
  for (Entry& entry : entries_) entry.bound = infinite;
}

void TileBounds::restore_order(std::size_t count) {
  const auto changed = entries_.begin() + static_cast<std::ptrdiff_t>(count);
  std::sort(entries_.begin(), changed, is_higher);
  std::inplace_merge(entries_.begin(), changed, entries_.end(), is_higher);
}

}  // namespace acuity
