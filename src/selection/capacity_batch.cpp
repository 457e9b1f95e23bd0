#include "acuity/selection/capacity_batch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "acuity/base/errors.hpp"
#include "acuity/selection/selector.hpp"
#include "data/as_size.hpp"
#include "selection/temporary_pending.hpp"

namespace acuity {

namespace {

// How many annotations of each size, by size.
using Mixture = std::map<std::int64_t, std::int64_t>;

// All mixtures of sizes that leave no room for another annotation.
class Mixtures {
 public:
  Mixtures(std::vector<std::int64_t> sizes, std::int64_t capacity, std::int64_t most)
      : sizes_(std::move(sizes)) {
    std::sort(sizes_.rbegin(), sizes_.rend());
    add(0, capacity, most, {});
  }

  // At most `count` of them, evenly spaced.
  std::vector<Mixture> some(std::size_t count) const {
    std::vector<Mixture> spread;
    count = std::min(count, all_.size());
    for (std::size_t i = 0; i < count; ++i)
      spread.push_back(all_[count == 1 ? 0 : i * (all_.size() - 1) / (count - 1)]);
    return spread;
  }

 private:
  // Large sizes first; the smallest size takes what is left. Of large numbers not every one is tried.
  void add(std::size_t k, std::int64_t capacity, std::int64_t most, Mixture mixture) {
    constexpr std::size_t enough = 100'000;
    constexpr std::int64_t most_numbers = 64;
    const std::int64_t size = sizes_[k], largest = std::min(capacity / size, most);
    if (k + 1 == sizes_.size()) {
      if (largest > 0) mixture[size] = largest;
      if (!mixture.empty()) all_.push_back(std::move(mixture));
      return;
    }
    const std::int64_t step = largest / most_numbers + 1;
    for (std::int64_t count = largest; count >= 0 && all_.size() < enough; count -= step) {
      if (count > 0)
        mixture[size] = count;
      else
        mixture.erase(size);
      add(k + 1, capacity - count * size, most - count, mixture);
    }
  }

  std::vector<std::int64_t> sizes_;
  std::vector<Mixture> all_;
};

struct Batch {
  std::vector<Score> scores;
  double information = 0.0, cost = 0.0;
};

class CapacitySearch {
 public:
  CapacitySearch(PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
                 const Candidates& candidates, const CapacityOptions& options)
      : belief_(belief),
        offer_(offer),
        acquisition_(acquisition),
        by_information_(acquisition),
        candidates_(candidates),
        options_(options) {
    by_information_.price_weight = 0.0;
  }

  Batch best() {
    std::set<std::int64_t> sizes;
    for (const Index level : levels_in_play(offer_, acquisition_, candidates_))
      if (units(level) <= options_.capacity) sizes.insert(units(level));
    std::vector<Batch> batches{fill({}, acquisition_)};
    const bool ranks_by_worth = acquisition_.ranking != Ranking::random;
    if (sizes.size() < 2 || !ranks_by_worth || !std::isfinite(batches.front().information))
      return batches.front();
    const auto steps = static_cast<Index>(
        std::min<std::int64_t>(options_.most, std::max<std::int64_t>(1, options_.capacity / *sizes.begin())));
    const auto affordable = std::max<Index>(options_.most_steps / (2 * steps), 2);
    const Mixtures mixtures({sizes.begin(), sizes.end()}, options_.capacity, options_.most);
    for (const Mixture& mixture : mixtures.some(at(affordable))) {
      batches.push_back(fill(mixture, acquisition_));
      if (acquisition_.ranking == Ranking::information_per_cost)
        batches.push_back(fill(mixture, by_information_));
    }
    return best_of(batches);
  }

 private:
  std::int64_t units(Index level) const { return offer_.levels[at(level)].units; }

  // First the mixture, as far as it can be bought, then whatever fits.
  Batch fill(Mixture mixture, const Acquisition& rule) {
    Batch batch;
    std::int64_t room = options_.capacity;
    Candidates candidates = candidates_;
    Selector selector(offer_, rule, options_.threads);
    TemporaryPending pending(belief_);
    while (room > 0 && static_cast<Index>(batch.scores.size()) < options_.most) {
      Candidates fitting = candidates;
      for (Index level = 0; level < static_cast<Index>(offer_.levels.size()); ++level)
        if (units(level) > room || (!mixture.empty() && !mixture.contains(units(level))))
          fitting.close_level(level);
      const std::optional<Score> best = selector.choose(belief_, fitting);
      if (!best && mixture.empty()) break;
      if (!best) {
        mixture.clear();
        continue;
      }
      const Level level = level_of(*best, offer_, rule);
      if (const auto size = mixture.find(level.units); size != mixture.end() && --size->second == 0)
        mixture.erase(size);
      room -= level.units;
      pending.add(best->point, channel_at(level, offer_.base_noise(best->point)));
      candidates.buy(best->point, best->precision ? std::nullopt : std::optional(best->level),
                     std::max(best->cost, level.reserve));
      if (!options_.repeat_points) candidates.close(best->point);
      batch.information += best->information;
      batch.cost += best->cost;
      batch.scores.push_back(*best);
    }
    pending.cancel_all();
    return batch;
  }

  // The rule of choice for whole batches. The first one wins a tie.
  Batch best_of(const std::vector<Batch>& batches) const {
    double best_ratio = 0.0;
    for (const Batch& batch : batches)
      if (!batch.scores.empty()) best_ratio = std::max(best_ratio, batch.information / batch.cost);
    const double price =
        acquisition_.ranking == Ranking::information_per_cost ? acquisition_.price_weight * best_ratio : 0.0;
    const auto value = [&](const Batch& batch) { return batch.information - price * batch.cost; };
    const Batch* best = &batches.front();
    for (const Batch& batch : batches)
      if (value(batch) > value(*best) + tie_tolerance * (std::abs(value(*best)) + price * best->cost))
        best = &batch;
    return *best;
  }

  PoolBelief& belief_;
  const Offer& offer_;
  const Acquisition& acquisition_;
  Acquisition by_information_;
  const Candidates& candidates_;
  const CapacityOptions& options_;
};

}  // namespace

std::vector<Score> select_batch_within(PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
                                       const Candidates& candidates, const CapacityOptions& options) {
  require(options.capacity >= 1, "select_batch_within", "capacity", static_cast<double>(options.capacity),
          "at least 1");
  require(options.most >= 1, "select_batch_within", "most", static_cast<double>(options.most), "at least 1");
  return CapacitySearch(belief, offer, acquisition, candidates, options).best().scores;
}

}  // namespace acuity
