#include "acuity/model/gp_pool_belief.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "model/low_rank_pool.hpp"
#include "model/pool_belief_internals.hpp"
#include "model/same_place.hpp"
#include "model/screened_pool.hpp"
#include "model/tiled_posterior.hpp"
#include "model/usable_prior.hpp"

namespace acuity {

namespace {

// A screen is faster in pools of this size, once there are this many covariances between rows and pool.
constexpr Index large_pool = 8192, many_covariances = 1 << 18;

// With fewer rows merging would save no measurable time.
constexpr std::size_t few_rows = 64;

// A pending row has no value yet; an exact one leaves nothing to average.
bool can_merge(const FactorRow& row) {
  return row.answer && row.noise > 0.0;
}

std::size_t distinct_places(const std::vector<FactorRow>& rows) {
  std::vector<char> seen;  // by place number
  std::size_t distinct = 0;
  for (const FactorRow& row : rows) {
    const auto place = static_cast<std::size_t>(row.place);
    if (place >= seen.size()) seen.resize(place + 1, 0);
    distinct += seen[place] == 0 ? 1 : 0;
    seen[place] = 1;
  }
  return distinct;
}

// Whether at most half of `count` rows would remain; looks no further than it takes to know. `row(i)` is the
// i-th row.
template <typename RowAt>
bool merging_would_halve(std::size_t count, const RowAt& row) {
  std::vector<char> seen(count);  // by place number
  std::size_t remaining = 0;
  for (std::size_t i = 0; i < count; ++i) {
    bool is_new = true;
    if (can_merge(row(i))) {
      const auto place = static_cast<std::size_t>(row(i).place);
      if (place >= seen.size()) seen.resize(place + 1);
      is_new = seen[place] == 0;
      seen[place] = 1;
    }
    remaining += is_new ? 1 : 0;
    if (2 * remaining > count) return false;
  }
  return true;
}

// Rebuilding costs as much as appending about as many rows as remain. It happens when at least as many were
// appended since the last time, so a step costs no more than before, amortised (math.md 8).
template <typename RowAt>
bool worth_merging(std::size_t count, const RowAt& row) {
  return count >= few_rows && merging_would_halve(count, row);
}

// Merges another annotation of the same place into the row (math.md eq. (8.1)).
void absorb(FactorRow& row, const FactorRow& other) {
  const Reading sum =
      combined({.value = *row.answer, .noise = row.noise}, {.value = *other.answer, .noise = other.noise});
  row.answer = sum.value;
  row.noise = sum.noise;
  if (!row.pool_row) row.pool_row = other.pool_row;
}

// Merges rows of one place into the first of them; says for every old row which new one it went into.
std::vector<Index> merge(std::vector<FactorRow>& rows) {
  std::vector<Index> moved_to;
  std::vector<FactorRow> merged;
  std::map<Index, Index> row_of_place;
  for (const FactorRow& row : rows) {
    const Index next = static_cast<Index>(merged.size());
    const Index target = can_merge(row) ? row_of_place.emplace(row.place, next).first->second : next;
    if (target == next)
      merged.push_back(row);
    else
      absorb(merged[static_cast<std::size_t>(target)], row);
    moved_to.push_back(target);
  }
  rows = std::move(merged);
  return moved_to;
}

}  // namespace

struct GpPoolBelief::State : LaggingPool {
  // An annotation as it was given, and the factor row that it is, or is merged into.
  struct Annotation {
    Index handle;
    Index row;
    FactorRow given;
  };

  State(Prior belief, const PointsRef& pool, int threads, const PoolStorage& how)
      : prior(std::move(belief)), storage(how), posterior(prior, pool, threads, how) {}

  Prior prior;
  PoolStorage storage;

  TiledPosterior posterior;
  std::unique_ptr<LowRankPool> low_rank;  // instead of the tiles, if it is faster
  Index next_measurement = 16;            // the rank is measured again with this many rows
  std::unique_ptr<ScreenedPool> screen;   // instead of the tiles, if it is faster
  bool screen_may_help = true;
  Index remembered_rows = 0;            // how many there were when they were last given out as a memory
  Index rows_at_last_marginals = 0;     // when marginals() was last called
  std::vector<Annotation> annotations;  // by handle
  Index next_handle = 0;
  PlaceNumbers place_number;

  Index tile_width() const override { return PoolTiles::width; }
  const Marginals& so_far() const override { return posterior.lagging(); }
  void refresh(Index tile) override { posterior.refresh(tile); }
  Index epoch() const override { return posterior.removals(); }
  bool surely_finite() const override { return posterior.surely_finite(); }
  bool has_bounds() const override { return posterior.began_with_bounds(); }
  VarianceError error() const override { return {.absolute = posterior.tiles().error()}; }
  Marginals exact_at(std::span<const Index> rows) const override {
    if (posterior.tiles().error() > 0.0) return posterior.exact_at(rows);
    Marginals some{Vector(static_cast<Index>(rows.size())), Vector(static_cast<Index>(rows.size()))};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      some.mean(static_cast<Index>(k)) = so_far().mean(rows[k]);
      some.variance(static_cast<Index>(k)) = so_far().variance(rows[k]);
    }
    return some;
  }

  // A low-rank factor with a third as many rows as there are annotations, or with few, is soon faster
  // (math.md 6.3). Whether there is one is measured, and again when there are a half more.
  LaggingPool& lagging() {
    if (low_rank && !low_rank->follow()) low_rank.reset();
    if (!low_rank && posterior.size() >= next_measurement && can_be_low_rank()) {
      next_measurement = posterior.size() + posterior.size() / 2;
      low_rank = LowRankPool::make(posterior, prior, most_rows());
      if (low_rank) posterior.forget_tiles();
    }
    follow_with_screen();
    if (low_rank) return *low_rank;
    if (screen) return *screen;
    return *this;
  }

  // A large pool is screened in single precision, until that turns out not to be faster (math.md 6.4). A
  // caller who reads all marginals needs the tiles in double precision anyway.
  void follow_with_screen() {
    const Index rows = posterior.size(), pool = posterior.tiles().size();
    const bool wanted = screen_may_help && !low_rank && !posterior.began_with_bounds() &&
                        !storage.single_precision && pool >= large_pool && rows * pool >= many_covariances &&
                        rows >= 2 * rows_at_last_marginals;
    if (!wanted) {
      screen.reset();
    } else if (screen) {
      screen_may_help = screen->follow();
      if (!screen_may_help) screen.reset();
    } else {
      screen = ScreenedPool::make(posterior, prior, storage.memory);
      if (screen && !screen->tells_points_apart()) screen.reset();
      screen_may_help = screen != nullptr;
      if (screen) posterior.forget_tiles();
    }
  }
  // Bounds that are far from the variances of a low-rank factor would only slow the next process down: it
  // finds that factor again.
  Vector bounds() {
    const LaggingPool& pool = screen ? static_cast<const LaggingPool&>(*screen) : *this;
    if (low_rank || pool.epoch() != posterior.removals() || posterior.tiles().error() > 0.0) return {};
    const VarianceError error = pool.error();
    return pool.so_far().variance.unaryExpr([&](double s) { return error.at_most(s); });
  }

  bool can_be_low_rank() const {
    return !storage.single_precision && posterior.tiles().size() >= 64 && most_rows() > 0;
  }
  Index most_rows() const {
    const Index useful = std::clamp<Index>(posterior.size() / 3, 24, 256);
    if (storage.memory == 0) return useful;
    const auto row = sizeof(double) * static_cast<std::size_t>(posterior.tiles().size());
    return std::min(useful, static_cast<Index>(storage.memory / row));
  }

  FactorRow make_row(const Place& place, const Channel& channel, std::optional<double> answer) {
    FactorRow row = posterior.row(place, channel, answer);
    row.place = place_number(row.x.data(), row.x.size());
    return row;
  }

  AnnotationHandle record(FactorRow given, Index row) {
    annotations.push_back({.handle = next_handle, .row = row, .given = std::move(given)});
    return {next_handle++};
  }

  void move_rows(const std::vector<Index>& moved_to) {
    for (Annotation& a : annotations) a.row = moved_to[static_cast<std::size_t>(a.row)];
  }

  // Makes sure that record() will not have to allocate.
  void make_room() {
    if (annotations.size() == annotations.capacity()) annotations.reserve(2 * annotations.size() + 16);
  }

  // The rows of the factor after `changed` took the place of row `index`, or of none if it is the next index.
  // Merged if that is worth it: then the factor has become that of the merged rows, and the result says which
  // row each of them went into.
  std::optional<std::vector<Index>> merge_if_worth_it(const FactorRow& changed, Index index) {
    const std::vector<FactorRow>& old = posterior.rows();
    const auto place = static_cast<std::size_t>(index), count = std::max(old.size(), place + 1);
    const auto row = [&](std::size_t i) -> const FactorRow& { return i == place ? changed : old[i]; };
    if (!worth_merging(count, row)) return std::nullopt;
    std::vector<FactorRow> rows;
    for (std::size_t i = 0; i < count; ++i) rows.push_back(row(i));
    std::vector<Index> moved_to = merge(rows);
    posterior.replace_from(0, rows);
    return moved_to;
  }

  std::vector<Annotation>::iterator find(AnnotationHandle handle) {
    const auto found = std::lower_bound(annotations.begin(), annotations.end(), handle.number,
                                        [](const Annotation& a, Index number) { return a.handle < number; });
    if (found != annotations.end() && found->handle == handle.number) return found;
    const bool existed = handle.number >= 0 && handle.number < next_handle;
    throw std::invalid_argument("GpPoolBelief: annotation " + std::to_string(handle.number) +
                                (existed ? " was cancelled" : " does not exist") +
                                ", must be one that condition() returned and that is still there");
  }
};

// Rows are merged when appending one by one would have merged them, but before anything is factored: the
// result is the same bit for bit, and every place costs one row.
GpPoolBelief::GpPoolBelief(Prior prior, const PointsRef& pool, const std::vector<Observation>& observations,
                           int threads, const PoolStorage& storage)
    : state_(
          std::make_unique<State>(usable(std::move(prior), pool, "GpPoolBelief"), pool, threads, storage)) {
  std::vector<FactorRow> rows;
  for (const Observation& o : observations) {
    rows.push_back(state_->make_row(o.place, o.channel, o.value));
    state_->record(rows.back(), static_cast<Index>(rows.size()) - 1);
    const auto row = [&](std::size_t i) -> const FactorRow& { return rows[i]; };
    if (worth_merging(rows.size(), row)) state_->move_rows(merge(rows));
  }
  state_->posterior.begin_with(rows, RememberedBelief::current());
}

GpPoolBelief::~GpPoolBelief() = default;
GpPoolBelief::GpPoolBelief(GpPoolBelief&&) noexcept = default;
GpPoolBelief& GpPoolBelief::operator=(GpPoolBelief&&) noexcept = default;

const Marginals& GpPoolBelief::marginals() const {
  state_->rows_at_last_marginals = state_->posterior.size();
  return state_->posterior.marginals();
}
LaggingPool* PoolBeliefInternals::lagging(PoolBelief& belief) {
  if (auto* regression = dynamic_cast<GpPoolBelief*>(&belief)) return &regression->state_->lagging();
  return dynamic_cast<LaggingPool*>(&belief);
}
std::optional<BeliefMemory> PoolBeliefInternals::memory(PoolBelief& belief) {
  auto* regression = dynamic_cast<GpPoolBelief*>(&belief);
  if (regression == nullptr) return std::nullopt;
  GpPoolBelief::State& state = *regression->state_;
  const Index rows = state.posterior.size();
  constexpr Index few = 512;      // computed again in no time
  constexpr Index many = 11'000;  // half a gigabyte
  const Index known = std::max(state.remembered_rows, state.posterior.recalled());
  if (rows < few || rows > many || rows - known < std::max<Index>(32, rows / 32)) return std::nullopt;
  state.remembered_rows = rows;
  BeliefMemory memory = state.posterior.memory();
  const auto bounds =
      std::make_shared<std::pair<std::shared_ptr<const void>, Vector>>(memory.owner, state.bounds());
  memory.owner = bounds;
  if (bounds->second.size() > 0) memory.bounds = bounds->second.data();
  return memory;
}
TiledPosterior& PoolBeliefInternals::posterior(GpPoolBelief& belief) {
  return belief.state_->posterior;
}
Index GpPoolBelief::size() const {
  return static_cast<Index>(state_->annotations.size());
}
Index GpPoolBelief::jittered() const {
  return state_->posterior.jittered();
}
Index GpPoolBelief::rows() const {
  return state_->posterior.size();
}
Index GpPoolBelief::distinct() const {
  return static_cast<Index>(distinct_places(state_->posterior.rows()));
}

void GpPoolBelief::change_prior_mean(double mean) {
  if (!std::isfinite(mean))
    throw std::invalid_argument("GpPoolBelief: the prior mean is not finite, must be a finite number");
  if (mean == state_->prior.mean) return;
  state_->prior.mean = mean;
  state_->posterior.change_prior_mean(mean);
  if (state_->low_rank) state_->low_rank->change_prior_mean(mean);
}

// Only an answer leads to merging: what pending annotations do can then be undone bit for bit. The posterior
// changes first, because its kernel may throw; recording what was done cannot.
AnnotationHandle GpPoolBelief::condition(const Place& place, const Channel& channel,
                                         std::optional<double> answer) {
  FactorRow row = state_->make_row(place, channel, answer);
  const Index next = rows();
  state_->make_room();
  std::optional<std::vector<Index>> moved_to;
  if (answer) moved_to = state_->merge_if_worth_it(row, next);
  if (!moved_to) state_->posterior.append(row);
  const AnnotationHandle handle = state_->record(std::move(row), next);
  if (moved_to) state_->move_rows(*moved_to);
  return handle;
}

void GpPoolBelief::answer(AnnotationHandle annotation, double value) {
  State::Annotation& pending = *state_->find(annotation);
  if (pending.given.answer)
    throw std::invalid_argument("GpPoolBelief: annotation " + std::to_string(annotation.number) +
                                " has an answer, must be pending");
  if (!std::isfinite(value))
    throw std::invalid_argument("GpPoolBelief: the answer is not finite, must be a finite number");
  FactorRow row = state_->posterior.rows()[static_cast<std::size_t>(pending.row)];
  row.answer = value;
  const std::optional<std::vector<Index>> moved_to = state_->merge_if_worth_it(row, pending.row);
  if (!moved_to) state_->posterior.answer(pending.row, value);
  pending.given.answer = value;
  if (moved_to) state_->move_rows(*moved_to);
}

// The rows before the cancelled one keep their bits; those after it are computed again. A merged row is
// computed again from the annotations that remain of it.
void GpPoolBelief::cancel(AnnotationHandle annotation) {
  const auto cancelled = state_->find(annotation);
  const Index row = cancelled->row;
  std::vector<FactorRow> rows;
  for (const State::Annotation& a : state_->annotations) {
    if (a.row != row || a.handle == annotation.number) continue;
    if (rows.empty())
      rows.push_back(a.given);
    else
      absorb(rows.front(), a.given);
  }
  const bool row_remains = !rows.empty();
  const std::vector<FactorRow>& all = state_->posterior.rows();
  rows.insert(rows.end(), all.begin() + row + 1, all.end());
  state_->posterior.replace_from(row, rows);
  state_->annotations.erase(cancelled);
  if (!row_remains)
    for (State::Annotation& a : state_->annotations) a.row -= a.row > row ? 1 : 0;
}

// Pending rows are never merged, so the newest annotations are the last rows: they are cut off at once.
void GpPoolBelief::cancel_all(std::span<const AnnotationHandle> annotations) {
  std::vector<State::Annotation>& all = state_->annotations;
  const std::size_t count = annotations.size();
  if (count == 0) return;
  bool newest_and_pending = count <= all.size();
  for (std::size_t i = 0; newest_and_pending && i < count; ++i) {
    const State::Annotation& one = all[all.size() - count + i];
    newest_and_pending = one.handle == annotations[i].number && !one.given.answer &&
                         one.row == rows() - static_cast<Index>(count - i);
  }
  if (!newest_and_pending) return PoolBelief::cancel_all(annotations);
  state_->posterior.replace_from(rows() - static_cast<Index>(count), {});
  all.resize(all.size() - count);
}

}  // namespace acuity
