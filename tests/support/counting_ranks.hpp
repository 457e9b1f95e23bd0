#pragma once

#include <cstdint>

#include "acuity/base/ranks.hpp"

namespace acuity {

/// Counts the collective calls of a rank and the bytes that it contributes to them.
class CountingRanks final : public Ranks {
 public:
  explicit CountingRanks(Ranks& ranks) : ranks_(ranks) {}

  int rank() const override { return ranks_.rank(); }
  int count() const override { return ranks_.count(); }
  std::vector<std::string> gather(std::string_view mine) override {
    add(mine.size());
    return ranks_.gather(mine);
  }
  std::string broadcast(std::string_view mine, int from) override {
    add(rank() == from ? mine.size() : 0);
    return ranks_.broadcast(mine, from);
  }
  double highest(double mine) override {
    add(sizeof mine);
    return ranks_.highest(mine);
  }

  std::int64_t calls() const { return calls_; }  ///< collective calls so far
  std::int64_t bytes() const { return bytes_; }  ///< that this rank contributed to them

 private:
  void add(std::size_t bytes) {
    ++calls_;
    bytes_ += static_cast<std::int64_t>(bytes);
  }

  Ranks& ranks_;
  std::int64_t calls_ = 0, bytes_ = 0;
};

}  // namespace acuity
