#include "acuity/selection/batch.hpp"

#include "acuity/numerics/errors.hpp"
#include "acuity/numerics/interruption.hpp"
#include "acuity/selection/selector.hpp"

namespace acuity {

namespace {

// Pending annotations that are cancelled at the end of the scope, newest first, so that no later row has to
// be computed again. Also if the scope ends with an exception, which must stay the only one.
class Assumptions {
 public:
  explicit Assumptions(PoolBelief& belief) : belief_(belief) {}
  ~Assumptions() {
    const Uninterrupted cleaning_up;
    for (; !handles_.empty(); handles_.pop_back()) try {
        belief_.cancel(handles_.back());
      } catch (...) {  // for example a kernel that fails again: the first exception is on its way
      }
  }
  Assumptions(const Assumptions&) = delete;
  Assumptions& operator=(const Assumptions&) = delete;

  void add(const Place& place, const Channel& channel) {
    handles_.push_back(belief_.condition(place, channel, std::nullopt));
  }

  void take_back() {
    const Uninterrupted cleaning_up;
    for (; !handles_.empty(); handles_.pop_back()) belief_.cancel(handles_.back());
  }

 private:
  PoolBelief& belief_;
  std::vector<AnnotationHandle> handles_;
};

}  // namespace

std::vector<Score> select_batch(PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
                                Candidates candidates, Index count, bool repeat_points,
                                const FullScanOptions& options) {
  require(count >= 0, "select_batch", "count", static_cast<double>(count), "zero or more");
  if (candidates.open.empty()) candidates.open.assign(static_cast<std::size_t>(offer.base_noise.size()), 1);
  std::vector<Score> batch;
  Selector selector(offer, acquisition, options.threads);
  Assumptions assumptions(belief);
  while (static_cast<Index>(batch.size()) < count) {
    const std::optional<Score> best =
        options.every_level ? select_by_full_scan(belief.marginals(), offer, acquisition, candidates, options)
                            : selector.choose(belief, candidates);
    if (!best) break;
    batch.push_back(*best);
    const Level level = level_of(*best, offer, acquisition);
    assumptions.add(best->point, channel_at(level, offer.base_noise(best->point)));
    if (!repeat_points)
      candidates.open[static_cast<std::size_t>(best->point)] = 0;
    else if (level.repeats_itself)
      candidates.sold.insert({best->point, best->level});
    candidates.remaining -= best->cost;
    ++candidates.step;
  }
  assumptions.take_back();
  return batch;
}

}  // namespace acuity
