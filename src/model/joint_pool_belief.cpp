#include "acuity/model/joint_pool_belief.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>

#include "acuity/model/gp_pool_belief.hpp"
#include "base/parallel.hpp"
#include "data/as_size.hpp"
#include "model/answer_kernel.hpp"
#include "model/goal_covariances.hpp"
#include "model/goal_shares.hpp"
#include "model/pool_belief_internals.hpp"
#include "model/tiled_posterior.hpp"
#include "model/usable_prior.hpp"
#include "numerics/denormals.hpp"
#include "numerics/dispatch.hpp"

namespace acuity {

namespace {

constexpr Index width = PoolTiles::width;

// Of the prior variance: keeps the information about answers without noise finite.
constexpr double smallest_goal_noise = 1e-9;

Index whole_tiles(Index points) {
  return (points + width - 1) / width * width;
}

// Numbers that are not initialised. In large pages, where there are any: the first write to a small page
// costs more than all that is computed for it.
class LargeArray {
 public:
  explicit LargeArray(Index size) {
    constexpr std::size_t page = std::size_t{1} << 21;
    const std::size_t bytes = (at(size) * sizeof(double) + page - 1) / page * page;
    if (bytes == 0) return;
    data_.reset(static_cast<double*>(std::aligned_alloc(page, bytes)));
    if (!data_) throw std::bad_alloc();
    madvise(data_.get(), bytes, MADV_HUGEPAGE);  // advice: it does not matter if it is not taken
  }
  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(double* data) const { std::free(data); }
  };
  std::unique_ptr<double, Free> data_;
};

// Copies `points` into the rows from `begin` on; the rest of the last tile repeats the last of them.
void fill_tiles(Points& all, Index begin, const Points& points) {
  for (Index i = 0; i < whole_tiles(points.rows()); ++i)
    all.row(begin + i) = points.row(std::min(i, points.rows() - 1));
}

}  // namespace

// One belief about a long list of quantities: f at every pool point, every error at every pool point, f at
// every goal point, each part in whole tiles.
struct JointPoolBelief::State final {
  class Covariances;

  State(const Prior& given, const PointsRef& pool, std::shared_ptr<const Goal> wanted,
        const std::vector<Observation>& observations, const JointPoolOptions& options)
      : prior(given),
        goal(std::move(wanted)),
        threads(options.threads > 0 ? options.threads : base::default_threads()),
        size(pool.rows()),
        inputs(pool.cols()) {
    for (std::size_t k = 0; k < prior.biases.size(); ++k)
      if (prior.biases[k].any()) errors.push_back(static_cast<int>(k) + 1);
    with_bias = !errors.empty();
    const Index part = whole_tiles(size), goals = goal ? goal->size() : 0;
    goal_begin = part * (1 + static_cast<Index>(errors.size()));
    Points all(goal_begin + whole_tiles(goals), inputs + (with_bias ? 1 : 0));
    const auto as = [&](const PointsRef& some, const Quantity& quantity) {
      return with_bias ? with_quantity(some, quantity) : Points(some);
    };
    fill_tiles(all, 0, as(pool, {}));
    for (std::size_t e = 0; e < errors.size(); ++e)
      fill_tiles(all, part * (1 + static_cast<Index>(e)), as(pool, Quantity::error(errors[e])));
    if (goals > 0) fill_tiles(all, goal_begin, as(goal->points, {}));
    points = pool;
    joint_prior = with_bias ? answer_prior(prior) : prior;
    joint_prior.biases.clear();
    std::vector<Observation> translated;
    for (const Observation& o : observations)
      translated.push_back(
          {place_of(o.place, o.channel), o.value, GaussianChannel{noise_variance(o.channel)}});
    joint = std::make_unique<GpPoolBelief>(joint_prior, all, translated, threads);
    PoolBeliefInternals::posterior(*joint).keep_all_tiles();
    if (goal) {
      goal_noise = smallest_goal_noise * prior.kernel->diagonal(prior.scaling.apply(goal->points));
      if (goal->noise.size() > 0) goal_noise = goal_noise.cwiseMax(goal->noise);
    }
    known_variance = smallest_goal_noise * prior.kernel->diagonal(prior.scaling.apply(points.topRows(1)))(0);
    if (goal && goal->leading > 0) {
      leading.resize(at(std::min(goal->leading, most_leading(options))));
      std::iota(leading.begin(), leading.end(), Index{0});
      thinned = some_points(leading);
    } else if (goal) {
      thinned = thin(goal->weights, most_goals(options));
    }
    reset();
  }

  Index most_goals(const JointPoolOptions& options) const {
    constexpr Index least = 8, screen = 128;
    const Index arrays = 1 + static_cast<Index>(errors.size());
    const Index columns = arrays * whole_tiles(std::max(size, options.whole_pool));
    if (columns <= options.most_covariances / std::max<Index>(1, goal->size())) return goal->size();
    return std::clamp<Index>(options.most_covariances / columns, least, screen);
  }

  // Of a goal whose leading points count: as many as can be searched at every choice. All of them decide
  // between the points that are left.
  Index most_leading(const JointPoolOptions& options) const {
    constexpr Index all_up_to = 16'000'000, some = 512, least = 8;
    const Index arrays = 1 + static_cast<Index>(errors.size());
    const Index columns = arrays * whole_tiles(std::max(size, options.whole_pool));
    if (columns <= std::min(options.most_covariances, all_up_to) / goal->size()) return goal->size();
    return std::min(goal->size(), std::clamp<Index>(options.most_covariances / columns, least, some));
  }

  ThinnedGoal some_points(const std::vector<Index>& which) const {
    ThinnedGoal some{.points = which, .weights = goal->weights(which)};
    some.weights /= some.weights.sum();
    return some;
  }

  // Where the leading points are others than before, everything about them is computed again.
  void follow_leading(const Vector& mean, const Vector& variance) {
    if (leading.empty() || goals() == goal->size()) return;
    leading = leading_points(mean, variance, goals(), goal->lowest_leads);
    if (leading == thinned.points) return;
    thinned = some_points(leading);
    scale_goal();
    std::fill(is_initial.begin(), is_initial.end(), 0);
    some_goal_rows.clear();
    some_rows = 0;
  }

  // The annotation of a level with bias is none of the quantities in the list, but a sum of two.
  Place place_of(const Place& place, const Channel& channel) const {
    const int bias = bias_of(channel);
    if (bias < 0 || bias > static_cast<int>(prior.biases.size()))
      throw std::invalid_argument("JointPoolBelief: a channel has bias " + std::to_string(bias) +
                                  ", must be from 0 to " + std::to_string(prior.biases.size()));
    if (place.pool_row() && (*place.pool_row() < 0 || *place.pool_row() >= size))
      throw std::invalid_argument("JointPoolBelief: pool row is " + std::to_string(*place.pool_row()) +
                                  ", must be below " + std::to_string(size));
    const bool has_error = bias > 0 && prior.biases[static_cast<std::size_t>(bias - 1)].any();
    if (place.pool_row() && !has_error) return place;
    const Vector x =
        place.pool_row() ? Vector(points.row(*place.pool_row()).transpose()) : place.coordinates();
    // An answer about f at a row of another shard is one of the list there.
    const auto like_given = [&](Vector coordinates) {
      const std::optional<Index> row = has_error ? std::nullopt : place.row_elsewhere();
      return row ? Place::in_other_shard(*row, std::move(coordinates)) : Place(std::move(coordinates));
    };
    if (!with_bias) return like_given(x);
    if (x.size() != inputs)
      throw std::invalid_argument("JointPoolBelief: the place has " + std::to_string(x.size()) +
                                  " inputs, must have " + std::to_string(inputs));
    Vector augmented(inputs + 1);
    augmented << x, Quantity::answer(has_error ? bias : 0).code();
    return like_given(augmented);
  }

  Index tiles() const { return whole_tiles(size) / width; }
  Index goals() const { return static_cast<Index>(thinned.points.size()); }
  double* covariances_of(Index array, Index tile) {
    return covariances[at(array)].data() + tile * goals() * width;
  }
  const double* covariances_of(Index array, Index tile) const {
    return covariances[at(array)].data() + tile * goals() * width;
  }

  // Covariances as they are before any annotation.
  void reset() {
    seen.assign(at(tiles()), 0);
    is_initial.assign(at(tiles()), 0);
    squares.assign(errors.size() + 1, Vector::Zero(whole_tiles(size)));
    with_f.assign(errors.size(), Vector::Zero(whole_tiles(size)));
    shares.resize(errors.size() + 1);
    covariances.clear();
    for (std::size_t array = 0; array <= errors.size(); ++array)
      covariances.emplace_back(tiles() * width * goals());
    if (goal && scaled_goal.rows() == 0) scale_goal();
    goal_rows.resize(0);
    rows = some_rows = 0;
  }

  void scale_goal() {
    Points some(goals(), inputs);
    for (Index m = 0; m < goals(); ++m) some.row(m) = goal->points.row(thinned.points[at(m)]);
    scaled_goal = prior.scaling.apply(some);
  }

  // The prior covariance of an error with f is 0.
  void begin_tile(Index tile) {
    for (Index array = size - tile * width < width ? 0 : 1; array < static_cast<Index>(covariances.size());
         ++array)
      std::fill_n(covariances_of(array, tile), goals() * width, 0.0);
    for (Vector& one : with_f) one.segment(tile * width, width).setZero();
    if (goals() > 0) {
      const Index begin = tile * width, count = std::min(width, size - begin);
      const Points x = prior.scaling.apply(points.middleRows(begin, count));
      const Matrix k = prior.kernel->cross(x, scaled_goal);
      double* c = covariances_of(0, tile);
      for (Index m = 0; m < goals(); ++m)
        for (Index j = 0; j < count; ++j) c[m * width + j] = k(j, m);
    }
    seen[at(tile)] = 0;
    is_initial[at(tile)] = 1;
  }

  void update() {
    TiledPosterior& posterior = PoolBeliefInternals::posterior(*joint);
    if (removals != posterior.removals()) {
      // Rows were removed: what they took away cannot be added back without rounding.
      std::fill(is_initial.begin(), is_initial.end(), 0);
      goal_rows.clear();
      rows = some_rows = 0;
      removals = posterior.removals();
    }
    const Index n = posterior.size();
    const Marginals& all = joint->marginals();  // all tiles are up to date now
    const Index every = goal ? goal->size() : 0;
    if (goal) follow_leading(all.mean.segment(goal_begin, every), all.variance.segment(goal_begin, every));
    goal_rows.resize(at(n * every));
    for (Index i = rows; i < n; ++i)
      for (Index m = 0; m < every; m += width)
        std::copy_n(posterior.tiles().row_of((goal_begin + m) / width, i), std::min(width, every - m),
                    goal_rows.data() + i * every + m);
    some_goal_rows.resize(at(n * goals()));
    for (Index i = goals() == every ? n : some_rows; i < n; ++i)
      for (Index m = 0; m < goals(); ++m)
        some_goal_rows[at(i * goals() + m)] = goal_rows[at(i * every + thinned.points[at(m)])];
    used_rows = goals() == every ? goal_rows.data() : some_goal_rows.data();
    pack_goal_rows(n);
    rows = some_rows = n;
    has_shares = goal && wants_shares.load();
    if (has_shares)
      for (std::vector<double>& one : shares) one.resize(at(3 * tiles() * width));
    if (goal)
      share_scale = (all.variance.segment(goal_begin, every)(thinned.points) + goal_noise(thinned.points))
                        .cwiseInverse();

    constexpr Index together = 16;
    base::parallel_for((tiles() + together - 1) / together, threads, [&](Index group) {
      const numerics::FlushDenormals flush;
      for (Index tile = group * together; tile < std::min(tiles(), (group + 1) * together); ++tile)
        update_tile(tile, posterior, n);
    });
    packed_rows = {};
    publish(all);
  }

  // Tiles that have many rows to catch up on read the goal's in blocks of some goal points: those of one row
  // are next to those of the row before, instead of a page away.
  void pack_goal_rows(Index n) {
    constexpr Index few = 8;
    packed_rows.clear();
    Index most = 0;
    for (Index tile = 0; tile < tiles(); ++tile)
      most = std::max(most, is_initial[at(tile)] == 0 ? n : n - seen[at(tile)]);
    if (most < few) return;
    packed_rows.resize(at((goals() + goal_block - 1) / goal_block * goal_block * n));
    for (Index first = 0; first < goals(); first += goal_block)
      for (Index i = 0; i < n; ++i)
        std::copy_n(used_rows + i * goals() + first, std::min(goal_block, goals() - first),
                    packed_rows.data() + first * n + i * goal_block);
  }

  void subtract_covariances(const numerics::TileView<double>& v, Index from, Index n, double* c) const {
    const numerics::Kernels& kernels = numerics::kernels();
    if (packed_rows.empty()) return kernels.subtract_covariances(v, from, n, used_rows, goals(), goals(), c);
    for (Index first = 0; first < goals(); first += goal_block)
      kernels.subtract_covariances(v, from, n, packed_rows.data() + first * n, goal_block,
                                   std::min(goal_block, goals() - first), c + first * width);
  }

  void update_tile(Index tile, const TiledPosterior& posterior, Index n) {
    if (is_initial[at(tile)] == 0) begin_tile(tile);
    const Index from = seen[at(tile)];
    const PoolTiles& pool_tiles = posterior.tiles();
    const numerics::Kernels& kernels = numerics::kernels();
    const numerics::TileView<double> f = pool_tiles.view(tile);
    for (std::size_t e = 0; e < errors.size(); ++e) {
      const Index error_tile = tile + (static_cast<Index>(e) + 1) * tiles();
      for (Index i = from; i < n; ++i) {
        const double* of_f = pool_tiles.row_of(tile, i);
        const double* of_error = pool_tiles.row_of(error_tile, i);
        double* covariance = with_f[e].data() + tile * width;
        for (Index j = 0; j < width; ++j) covariance[j] -= of_f[j] * of_error[j];
      }
      if (goals() > 0)
        subtract_covariances(pool_tiles.view(error_tile), from, n,
                             covariances_of(static_cast<Index>(e) + 1, tile));
    }
    if (goals() > 0) {
      subtract_covariances(f, from, n, covariances_of(0, tile));
      for (std::size_t e = 0; e <= errors.size(); ++e)
        kernels.weighted_squares(covariances_of(0, tile),
                                 e == 0 ? nullptr : covariances_of(static_cast<Index>(e), tile),
                                 thinned.weights.data(), goals(), squares[e].data() + tile * width);
      if (has_shares)
        for (std::size_t e = 0; e <= errors.size(); ++e)
          share_sums(e, tile, shares[e].data() + 3 * tile * width);
    }
    seen[at(tile)] = n;
  }

  void share_sums(std::size_t array, Index tile, double* out) const {
    numerics::kernels().share_sums(covariances_of(0, tile),
                                   array == 0 ? nullptr : covariances_of(static_cast<Index>(array), tile),
                                   share_scale.data(), thinned.weights.data(), goals(), out);
  }

  // The parts of the long list, as those who choose see them.
  void publish(const Marginals& all) {
    const Index part = whole_tiles(size);
    marginals.mean = all.mean.head(size);
    marginals.variance = all.variance.head(size);
    marginals.known_variance = known_variance;
    marginals.errors.assign(prior.biases.size(),
                            {Vector::Zero(size), Vector::Zero(size), Vector::Zero(size)});
    for (std::size_t e = 0; e < errors.size(); ++e) {
      const Index begin = part * (1 + static_cast<Index>(e));
      LevelError& error = marginals.errors[static_cast<std::size_t>(errors[e] - 1)];
      error.mean = all.mean.segment(begin, size).array() - joint_prior.mean;
      error.variance = all.variance.segment(begin, size);
      error.covariance = with_f[e].head(size);
    }
    if (!goal) return;
    const Index every = goal->size();
    whole_goal = {.weights = goal->weights,
                  .mean = all.mean.segment(goal_begin, every),
                  .variance = all.variance.segment(goal_begin, every),
                  .noise = goal_noise};
    some_goal = {.weights = thinned.weights,
                 .mean = whole_goal.mean(thinned.points),
                 .variance = whole_goal.variance(thinned.points),
                 .noise = goal_noise(thinned.points)};
  }

  // Where the array of a bias is; 0 if answers with it are answers about f.
  std::size_t array_of(int bias) const {
    const auto found = std::find(errors.begin(), errors.end(), bias);
    return found == errors.end() ? 0 : static_cast<std::size_t>(found - errors.begin()) + 1;
  }

  // The belief about some points with every goal point.
  Marginals exactly(std::span<const Index> some) const {
    Marginals found = some_of(marginals, some);
    const PoolTiles& pool_tiles = PoolBeliefInternals::posterior(*joint).tiles();
    const Index count = static_cast<Index>(some.size()),
                most = goal->leading > 0 ? goal->leading : goal->size();
    const std::vector<Index> which =
        leading_points(whole_goal.mean, whole_goal.variance, most, goal->lowest_leads);
    const Index every = static_cast<Index>(which.size());
    const bool are_all = every == goal->size();
    Points x(count, inputs);
    for (Index i = 0; i < count; ++i) x.row(i) = points.row(some[at(i)]);
    const Points goal_points = are_all ? goal->points : Points(goal->points(which, Eigen::all));
    const Matrix prior_covariance =
        prior.kernel->cross(prior.scaling.apply(goal_points), prior.scaling.apply(x));
    const Eigen::Map<const Matrix> of_all(goal_rows.data(), goal->size(), rows);
    const Matrix of_goal = are_all ? Matrix(of_all) : Matrix(of_all(which, Eigen::all));
    std::vector<Matrix> all(prior.biases.size() + 1, Matrix(every, count));
    const auto columns = [&](std::size_t array) {
      Matrix v(rows, count);
      for (Index i = 0; i < count; ++i)
        pool_tiles.column(some[at(i)] + static_cast<Index>(array) * whole_tiles(size), v.col(i).data(), rows);
      return v;
    };
    all[0].noalias() = prior_covariance - of_goal * columns(0);
    for (std::size_t b = 1; b < all.size(); ++b) {
      all[b] = all[0];
      if (const std::size_t array = array_of(static_cast<int>(b)); array > 0)
        all[b].noalias() -= of_goal * columns(array);
    }
    found.goal = std::make_shared<StoredGoalCovariances>(are_all ? whole_goal : some_of(whole_goal, which),
                                                         std::move(all));
    return found;
  }

  Prior prior;
  std::shared_ptr<const Goal> goal;
  int threads;
  Index size, inputs;
  Points points;
  std::vector<int> errors;  // numbers of the biases that are not 0
  bool with_bias = false;
  Index goal_begin = 0;
  Prior joint_prior;
  std::unique_ptr<GpPoolBelief> joint;
  Vector goal_noise;  // math.md eq. (13.1)
  ThinnedGoal thinned;
  std::vector<Index> leading;  // the points of `thinned` if they are the leading ones
  Points scaled_goal;
  double known_variance = 0.0;  // math.md 19.2

  // As far as `rows` rows of the factor, once `is_current`.
  bool is_current = false;
  Index rows = 0, some_rows = 0, removals = 0;
  std::vector<double> goal_rows, some_goal_rows;  // V of the goal points, row by row
  const double* used_rows = nullptr;              // one of these
  static constexpr Index goal_block = 12;
  std::vector<double> packed_rows;      // the same in blocks of goal points, while tiles catch up
  std::vector<Index> seen;              // by tile: rows of the factor
  std::vector<char> is_initial;         // by tile: begin_tile() was called
  std::vector<LargeArray> covariances;  // of f, then of every error, with f at the goal; by tile
  std::vector<Vector> with_f;           // of every error with f at the same point
  std::vector<Vector> squares;          // weighted, of the answers with f at the goal
  // GoalShares of the same answers, once somebody has asked for them; by tile, three for each point.
  mutable std::atomic<bool> wants_shares = false;
  bool has_shares = false;
  Vector share_scale;  // by goal point
  std::vector<std::vector<double>> shares;
  Marginals marginals;
  GoalBelief whole_goal, some_goal;
};

// A view of the state: valid as long as the belief does not change.
class JointPoolBelief::State::Covariances final : public GoalCovariances, public HasGoalShares {
 public:
  explicit Covariances(const State& state) : state_(state) {}

  const Vector& weights() const override { return state_.some_goal.weights; }
  const Vector& mean() const override { return state_.some_goal.mean; }
  const Vector& variance() const override { return state_.some_goal.variance; }
  const Vector& noise() const override { return state_.some_goal.noise; }
  void at(Index point, int bias, double* out) const override {
    const Index tile = point / width, column = point % width;
    const std::size_t array = state_.array_of(bias);
    const double* c = state_.covariances_of(0, tile) + column;
    for (Index m = 0; m < state_.goals(); ++m) out[m] = c[m * width];
    if (array == 0) return;
    const double* d = state_.covariances_of(static_cast<Index>(array), tile) + column;
    for (Index m = 0; m < state_.goals(); ++m) out[m] += d[m * width];
  }
  double weighted_squares(Index point, int bias) const override {
    return state_.squares[state_.array_of(bias)](point);
  }
  void shares(Index begin, Index end, int bias, GoalShares* out) const override {
    const std::size_t array = state_.array_of(bias);
    state_.wants_shares = true;
    double sums[3 * width];
    for (Index tile = begin / width; tile * width < end; ++tile) {
      const double* here = sums;
      if (state_.has_shares)
        here = state_.shares[array].data() + 3 * tile * width;
      else
        state_.share_sums(array, tile, sums);
      for (Index i = std::max(begin, tile * width); i < std::min(end, (tile + 1) * width); ++i) {
        const double* of_point = here + i % width;
        out[i - begin] = {.mean = of_point[0], .squares = of_point[width], .largest = of_point[2 * width]};
      }
    }
  }

 private:
  const State& state_;
};

JointPoolBelief::JointPoolBelief(const Prior& prior, const PointsRef& pool, std::shared_ptr<const Goal> goal,
                                 const std::vector<Observation>& observations,
                                 const JointPoolOptions& options) {
  if (pool.rows() == 0)
    throw std::invalid_argument("JointPoolBelief: the pool has no points, must have at least one");
  if (goal) check_goal(*goal, pool.cols(), "JointPoolBelief");
  state_ = std::make_unique<State>(usable(prior, pool, "JointPoolBelief"), pool, std::move(goal),
                                   observations, options);
  if (state_->goal) state_->marginals.goal = std::make_shared<State::Covariances>(*state_);
}

JointPoolBelief::~JointPoolBelief() = default;
JointPoolBelief::JointPoolBelief(JointPoolBelief&&) noexcept = default;
JointPoolBelief& JointPoolBelief::operator=(JointPoolBelief&&) noexcept = default;

const Marginals& JointPoolBelief::marginals() const {
  if (!state_->is_current) state_->update();
  state_->is_current = true;
  return state_->marginals;
}

Marginals JointPoolBelief::marginals_at(std::span<const Index> rows) {
  marginals();
  return is_thinned() ? state_->exactly(rows) : some_of(state_->marginals, rows);
}

AnnotationHandle JointPoolBelief::condition(const Place& place, const Channel& channel,
                                            std::optional<double> answer) {
  const AnnotationHandle handle = state_->joint->condition(state_->place_of(place, channel),
                                                           GaussianChannel{noise_variance(channel)}, answer);
  state_->is_current = false;
  return handle;
}

void JointPoolBelief::answer(AnnotationHandle annotation, double value) {
  state_->joint->answer(annotation, value);
  state_->is_current = false;
}

void JointPoolBelief::cancel(AnnotationHandle annotation) {
  state_->joint->cancel(annotation);
  state_->is_current = false;
}

void JointPoolBelief::cancel_all(std::span<const AnnotationHandle> annotations) {
  state_->is_current = false;
  state_->joint->cancel_all(annotations);
}

void JointPoolBelief::change_prior_mean(double mean) {
  state_->joint->change_prior_mean(mean);
  state_->prior.mean = state_->joint_prior.mean = mean;
  state_->is_current = false;
}

Index JointPoolBelief::size() const {
  return state_->joint->size();
}

Index JointPoolBelief::jittered() const {
  return state_->joint->jittered();
}

Index JointPoolBelief::rows() const {
  return state_->joint->rows();
}

bool JointPoolBelief::is_thinned() const {
  return state_->goal && state_->goals() < state_->goal->size();
}

}  // namespace acuity
