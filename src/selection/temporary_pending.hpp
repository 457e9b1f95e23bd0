#pragma once

#include <utility>
#include <vector>

#include "acuity/base/interruption.hpp"
#include "acuity/model/pool_belief.hpp"

namespace acuity {

/// Pending annotations that are cancelled at the end of the scope. If the scope ends with an exception,
/// errors of the cancelling itself are dropped.
class TemporaryPending {
 public:
  explicit TemporaryPending(PoolBelief& belief) : belief_(belief) {}
  ~TemporaryPending() {
    try {
      cancel_all();
    } catch (...) {  // for instance a kernel that fails again: the first failure is the one to report
    }
  }
  TemporaryPending(const TemporaryPending&) = delete;
  TemporaryPending& operator=(const TemporaryPending&) = delete;

  void add(const Place& place, const Channel& channel) {
    handles_.push_back(belief_.condition(place, channel, std::nullopt));
  }

  void cancel_all() {
    const Uninterrupted cleaning_up;
    const std::vector<AnnotationHandle> handles = std::exchange(handles_, {});
    belief_.cancel_all(handles);
  }

 private:
  PoolBelief& belief_;
  std::vector<AnnotationHandle> handles_;
};

}  // namespace acuity
