#include "acuity/selection/batch.hpp"

#include "acuity/numerics/errors.hpp"
#include "acuity/numerics/interruption.hpp"
#include "acuity/selection/selector.hpp"

namespace acuity {

namespace {

// Pending annotations that are cancelled at the end of the scope, newest first, so that no later one has to
// be recomputed. If the scope ends with an exception, errors of the cancelling itself are dropped.
class TemporaryPending {
 public:
  explicit TemporaryPending(PoolBelief& belief) : belief_(belief) {}
  ~TemporaryPending() {
    const Uninterrupted cleaning_up;
    for (; !handles_.empty(); handles_.pop_back()) try {
        belief_.cancel(handles_.back());
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
    for (; !handles_.empty(); handles_.pop_back()) belief_.cancel(handles_.back());
  }

 private:
  PoolBelief& belief_;
  std::vector<AnnotationHandle> handles_;
};

}  // namespace

std::vector<Score> select_batch(PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
                                Candidates candidates, Index count, const FullScanOptions& options) {
  require(count >= 0, "select_batch", "count", static_cast<double>(count), "zero or more");
  std::vector<Score> batch;
  Selector selector(offer, acquisition, options.threads);
  TemporaryPending pending(belief);
  while (static_cast<Index>(batch.size()) < count) {
    const std::optional<Score> best =
        options.every_level ? select_by_full_scan(belief.marginals(), offer, acquisition, candidates, options)
                            : selector.choose(belief, candidates);
    if (!best) break;
    batch.push_back(*best);
    const Level level = level_of(*best, offer, acquisition);
    pending.add(best->point, channel_at(level, offer.base_noise(best->point)));
    candidates.buy(*best);
  }
  pending.cancel_all();
  return batch;
}

}  // namespace acuity
