#include "acuity/model/ep_pool_belief.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/parallel.hpp"
#include "data/as_size.hpp"
#include "model/ep_goal.hpp"
#include "model/ep_predictor.hpp"
#include "model/ep_sketch.hpp"
#include "model/goal_covariances.hpp"
#include "model/item_class.hpp"
#include "model/low_rank_covariances.hpp"
#include "model/person_accuracy.hpp"
#include "model/pool_belief_internals.hpp"
#include "model/tilted_moments.hpp"
#include "model/usable_prior.hpp"
#include "numerics/normal.hpp"

namespace acuity {

namespace {

const FlipChannel& flips_of(const Channel& channel) {
  const auto is_probability = [](double p) { return p >= 0.0 && p <= 1.0; };
  const auto* flip = std::get_if<FlipChannel>(&channel);
  if (flip == nullptr || !is_probability(flip->yes) || !is_probability(flip->no))
    throw std::invalid_argument(
        "EpPoolBelief: the channel has no probability of being right, must have one from 0 to 1");
  return *flip;
}

void check_answer(double value) {
  if (value != 1.0 && value != -1.0)
    throw std::invalid_argument("EpPoolBelief: the answer is " + std::to_string(value) + ", must be -1 or 1");
}

// What F may leave of a prior variance. Beliefs are then known to some four digits, which tells all but a few
// points from the best; more digits take more rows.
constexpr double rough_tolerance = 3e-5;
// Fewer points are predicted so quickly that a rough look first would not save anything.
constexpr Index least_rough_pool = 500;

// expected_reduction() for a point that has answers about the same class, averaged over those still to come:
// E[f | answer] has the variance (c Cov(f, pi))^2 / (p q), which for pi = Phi is the former.
double expected_reduction(double mean, double variance, const EarlierAnswers& earlier,
                          const FlipChannel& channel) {
  if (variance == 0.0) return 0.0;
  const double c = channel.gain();
  double sum = 0.0;
  for (const ItemClass& item : possible_item_classes(mean, variance, earlier)) {
    if (item.is_known()) continue;
    const double p = channel.yes * item.positive() + (1.0 - channel.no) * item.negative(),
                 q = channel.no * item.negative() + (1.0 - channel.yes) * item.positive();
    const double slope = c * item.covariance() / variance;
    sum += item.weight() * (slope / p) * (slope / q);
  }
  return sum;
}

}  // namespace

struct EpPoolBelief::State {
  struct Annotation {
    Index handle;
    Points x;                  // one row, as given
    std::optional<Index> row;  // of the pool
    Channel channel;
    std::optional<double> answer;
    std::vector<double> covariances = {};  // with every pool point; empty if they are not kept
    Vector column = {};                    // of F
  };

  Prior prior;
  Points pool;
  Points scaled_pool;
  Vector prior_variance;  // of every pool point
  int threads;
  bool one_class_per_point = false;
  Index most_kept;                      // covariances
  std::vector<Annotation> annotations;  // by handle
  Index next_handle = 0;
  std::unique_ptr<EpPosterior> posterior;
  Index cold_starts = 0;

  // Computed when they are needed.
  std::unique_ptr<EpPredictor> predictor;
  std::optional<Marginals> known;      // of the pool, given the answers
  std::optional<Marginals> marginals;  // pending annotations included
  std::optional<RoughMarginals> rough;

  // The goal, if there is one, and what is used of it for the whole pool.
  struct GoalPart {
    std::vector<Index> points;  // of the goal
    Points x;
    Vector weights, noise;
    std::unique_ptr<EpGoal> given_answers = nullptr;  // computed when it is needed
  };
  std::optional<GoalPart> whole_goal, some_goal;  // no some_goal: it is the whole
  std::shared_ptr<const Matrix> with_pool;  // covariances of used_goal() with the pool, given the answers
  // What the pending labels take off, with every goal point: see EpGoalCovariances.
  Matrix pending_of_pool, pending_of_goal;
  Vector pending_of_goal_variance;

  std::unique_ptr<LowRankCovariances> low_rank;
  Index next_try = 0;  // answers from which on a low rank is looked for again

  Observations answered() const {
    std::vector<const Annotation*> all;
    for (const Annotation& a : annotations)
      if (a.answer) all.push_back(&a);
    Points x(static_cast<Index>(all.size()), pool.cols());
    Vector values(x.rows());
    std::vector<Channel> channels;
    for (Index i = 0; i < x.rows(); ++i) {
      x.row(i) = all[at(i)]->x;
      values(i) = *all[at(i)]->answer;
      channels.push_back(all[at(i)]->channel);
    }
    return {x, values, channels};
  }

  // A warm start is a guess: if it does not converge, the cold start, which is the definition, decides.
  void refit(EpOptions start) {
    const Observations observations = answered();
    const bool is_warm = start.start || start.before != nullptr;
    if (is_warm) start.damped_sweeps = 0;
    auto found = std::make_unique<EpPosterior>(prior, observations, start);
    if (is_warm && (!found->converged() || found->policy() != SitePolicy::full)) {
      ++cold_starts;
      found = std::make_unique<EpPosterior>(prior, observations);
    }
    posterior = std::move(found);
    predictor.reset();
    known.reset();
    marginals.reset();
    rough.reset();
    if (whole_goal) whole_goal->given_answers.reset();
    if (some_goal) some_goal->given_answers.reset();
    with_pool.reset();
  }

  void set_goal(const Goal& goal, Index most_covariances, Index points) {
    whole_goal = goal_part(goal, {.points = {}, .weights = goal.weights});
    if (goal.size() <= most_covariances / std::max<Index>(1, points)) return;
    constexpr Index least = 8, screen = 128;
    const Index most = std::clamp(most_covariances / std::max<Index>(1, points), least, screen);
    if (most < goal.size()) some_goal = goal_part(goal, thin(goal.weights, most));
  }
  static GoalPart goal_part(const Goal& goal, const ThinnedGoal& some) {
    GoalPart part{.points = some.points, .x = goal.points, .weights = some.weights, .noise = goal.noise};
    if (some.points.empty()) {
      for (Index m = 0; m < goal.size(); ++m) part.points.push_back(m);
      return part;
    }
    part.x = goal.points(some.points, Eigen::all);
    if (goal.noise.size() > 0) part.noise = goal.noise(some.points);
    return part;
  }
  GoalPart& used_goal() { return some_goal ? *some_goal : *whole_goal; }

  const EpGoal& given_answers(GoalPart& part) {
    if (!part.given_answers) part.given_answers = std::make_unique<EpGoal>(*posterior, part.x);
    return *part.given_answers;
  }

  static GoalBelief goal_belief(const GoalPart& part) {
    const Marginals& belief = part.given_answers->belief();
    return {.weights = part.weights, .mean = belief.mean, .variance = belief.variance, .noise = part.noise};
  }

  // Covariances of the goal points with all of the pool, some points at a time.
  std::shared_ptr<const Matrix> covariances_with_pool(GoalPart& part) {
    constexpr Index block = 8 * EpPredictor::width;
    const EpGoal& goal = given_answers(part);
    const std::vector<Annotation*> rows = answered_annotations();
    auto found = std::make_shared<Matrix>(part.x.rows(), pool.rows());
    base::parallel_for((pool.rows() + block - 1) / block, threads, [&](Index task) {
      const Index begin = task * block, count = std::min(block, pool.rows() - begin);
      const Points places = scaled_pool.middleRows(begin, count);
      Matrix k(static_cast<Index>(rows.size()), count);
      for (Index i = 0; i < k.rows(); ++i) {
        const std::vector<double>& kept = rows[at(i)]->covariances;
        if (kept.empty())
          k.row(i) = prior.kernel->cross(places, prior.scaling.apply(rows[at(i)]->x)).transpose();
        else
          k.row(i) = Eigen::Map<const Vector>(kept.data() + begin, count).transpose();
      }
      found->middleCols(begin, count) = goal.covariances(places, k);
    });
    return found;
  }

  // With every goal point, pending labels included if with_pending() was called.
  std::shared_ptr<const GoalCovariances> goal_covariances_at(std::span<const Index> rows) {
    Points places(static_cast<Index>(rows.size()), pool.cols());
    for (std::size_t i = 0; i < rows.size(); ++i)
      places.row(static_cast<Index>(i)) = scaled_pool.row(rows[i]);
    const EpGoal& goal = given_answers(*whole_goal);
    const Matrix k = prior.kernel->cross(posterior->state().points, places);
    auto covariances = std::make_shared<const Matrix>(goal.covariances(places, k));
    GoalBelief belief = goal_belief(*whole_goal);
    if (!any_pending()) return std::make_shared<EpGoalCovariances>(std::move(belief), covariances);
    belief.variance = (belief.variance - pending_of_goal_variance).cwiseMax(0.0);
    Matrix of_places(pending_of_pool.rows(), places.rows());
    for (Index i = 0; i < places.rows(); ++i) of_places.col(i) = pending_of_pool.col(rows[at(i)]);
    return std::make_shared<EpGoalCovariances>(std::move(belief), covariances, std::move(of_places),
                                               pending_of_goal);
  }

  // The answered annotations, in their order.
  std::vector<Annotation*> answered_annotations() {
    std::vector<Annotation*> found;
    for (Annotation& a : annotations)
      if (a.answer) found.push_back(&a);
    return found;
  }
  // The answers received, by pool row, if what a further one is worth depends on them.
  std::map<Index, EarlierAnswers> earlier_answers() const {
    std::map<Index, EarlierAnswers> found;
    if (!one_class_per_point) return found;
    std::map<Index, std::pair<std::vector<double>, std::vector<FlipChannel>>> by_row;
    for (const Annotation& a : annotations) {
      if (!a.row || !a.answer) continue;
      auto& [values, channels] = by_row[*a.row];
      values.push_back(*a.answer);
      channels.push_back(flips_of(a.channel));
    }
    for (const auto& [row, answers] : by_row) {
      const MergedAnswer merged = merge_answers(answers.first, answers.second);
      found[row].accuracy = merged.y > 0.0 ? merged.accuracy : 1.0 - merged.accuracy;
    }
    return found;
  }
  bool any_pending() const {
    return std::any_of(annotations.begin(), annotations.end(), [](const Annotation& a) { return !a.answer; });
  }

  const EpPredictor& exact() {
    if (!predictor) predictor = std::make_unique<EpPredictor>(*posterior);
    return *predictor;
  }

  // An annotation's covariances with the pool never change: as many as most_kept allows are kept.
  void keep_covariances() {
    Index room = most_kept / std::max<Index>(pool.rows(), 1);
    for (Annotation& a : annotations) {
      if (a.covariances.empty() && a.answer && room > 0) {
        const Matrix k = prior.kernel->cross(scaled_pool, prior.scaling.apply(a.x));
        a.covariances.assign(k.data(), k.data() + k.size());
      }
      if (!a.covariances.empty()) --room;
    }
  }

  // Calls task(begin, count, buffer) for all tiles of the pool; the buffer has `size` numbers, zero at first.
  template <typename Task>
  void for_each_tile(std::size_t size, const Task& task) const {
    constexpr Index width = EpPredictor::width, together = 16;  // tiles that go to one thread
    const Index tiles = (pool.rows() + width - 1) / width;
    base::parallel_for((tiles + together - 1) / together, threads, [&](Index group) {
      std::vector<double> buffer(size, 0.0);
      for (Index t = group * together; t < std::min(tiles, (group + 1) * together); ++t)
        task(t * width, std::min(width, pool.rows() - t * width), buffer.data());
    });
  }

  const Marginals& predict_pool() {
    if (known) return *known;
    constexpr Index width = EpPredictor::width;
    keep_covariances();
    const EpPredictor& all_pool = exact();
    const std::vector<Annotation*> all = answered_annotations();
    std::vector<const Annotation*> rows;
    for (const Index i : all_pool.order()) rows.push_back(all[at(i)]);
    Marginals found{Vector(pool.rows()), Vector(pool.rows())};
    for_each_tile(rows.size() * width, [&](Index begin, Index count, double* tile) {
      double mean[width], explained[width];
      copy_covariances(rows, begin, count, tile);
      all_pool.predict(tile, mean, explained);
      for (Index j = 0; j < count; ++j) {
        found.mean(begin + j) = mean[j];
        found.variance(begin + j) = std::max(prior_variance(begin + j) - explained[j], 0.0);
      }
    });
    if (whole_goal) {
      with_pool = covariances_with_pool(used_goal());
      found.goal = std::make_shared<EpGoalCovariances>(goal_belief(used_goal()), with_pool);
    }
    found.earlier = earlier_answers();
    return known.emplace(std::move(found));
  }

  // One row per annotation, those of pool points begin ... begin + count - 1.
  void copy_covariances(const std::vector<const Annotation*>& rows, Index begin, Index count,
                        double* tile) const {
    for (const Annotation* a : rows) {
      if (a->covariances.empty()) {
        const Matrix k = prior.kernel->cross(scaled_pool.middleRows(begin, count), prior.scaling.apply(a->x));
        std::copy_n(k.data(), count, tile);
      } else {
        std::copy_n(a->covariances.data() + begin, count, tile);
      }
      tile += EpPredictor::width;
    }
  }

  // F is useful if it has fewer rows than there are answers. If it has not, it is tried again when there are
  // a quarter more. A belief without new answers may never be used again, so it does not try.
  bool find_low_rank() {
    const Index n = posterior->sites().shift.size();
    if (low_rank) return n > low_rank->rank();
    if (n < next_try || pool.rows() < least_rough_pool) return false;
    next_try = n + n / 4;
    low_rank = LowRankCovariances::make(prior.kernel, scaled_pool, rough_tolerance, n * 4 / 5);
    return low_rank != nullptr;
  }

  const RoughMarginals* predict_roughly() {
    if (rough) return &*rough;
    if (known || any_pending() || !find_low_rank()) return nullptr;
    const std::vector<Annotation*> all = answered_annotations();
    Matrix columns(static_cast<Index>(all.size()), low_rank->rank());
    for (Index i = 0; i < columns.rows(); ++i) {
      Annotation& a = *all[at(i)];
      if (a.column.size() == 0) a.column = low_rank->column(prior.scaling.apply(a.x));
      columns.row(i) = a.column;
    }
    const EpSketch sketch(*posterior, columns);
    if (!sketch.is_valid()) return nullptr;
    const Index size = pool.rows();
    RoughMarginals found{{Vector(size), Vector(size)}, Vector(size), Vector(size)};
    for_each_tile(0, [&](Index begin, Index count, double*) {
      double mean[EpPredictor::width], variance[EpPredictor::width];
      sketch.predict(low_rank->tile(begin / EpPredictor::width), mean, variance);
      for (Index j = 0; j < count; ++j) {
        const Index i = begin + j;
        const double rest = low_rank->rest()(i);
        found.belief.mean(i) = mean[j];
        found.belief.variance(i) = variance[j] + rest;
        found.mean_error(i) = sketch.mean_error(rest);
        found.variance_error(i) = sketch.variance_error(rest, prior_variance(i));
      }
    });
    found.belief.earlier = earlier_answers();
    if (!found.belief.mean.allFinite() || !found.belief.variance.allFinite()) return nullptr;
    return &rough.emplace(std::move(found));
  }

  // Pending labels one after the other, each with the variance the earlier ones left (math.md 7). Row t of
  // `reach` is the covariance of every point with the t-th pending one, given those before it; the pending
  // points themselves come first, then the pool, then the goal.
  const Marginals& with_pending() {
    if (marginals) return *marginals;
    std::vector<const Annotation*> pending;
    for (const Annotation& a : annotations)
      if (!a.answer) pending.push_back(&a);
    if (pending.empty()) return predict_pool();
    Marginals found = predict_pool();
    const Index p = static_cast<Index>(pending.size()), goals = whole_goal ? whole_goal->x.rows() : 0,
                all = p + pool.rows() + goals;
    Points places(p, pool.cols());
    for (Index i = 0; i < p; ++i) places.row(i) = pending[at(i)]->x;
    Matrix reach(all, p);
    reach.topRows(p) = posterior->covariance(places, places);
    reach.middleRows(p, pool.rows()) = posterior->covariance(pool, places);
    if (goals > 0) reach.bottomRows(goals) = posterior->covariance(whole_goal->x, places);
    const Vector means = posterior->predict(places).mean;
    Vector reductions(p);
    for (Index t = 0; t < p; ++t) {
      for (Index j = 0; j < t; ++j) reach.col(t) -= reductions(j) * reach(t, j) * reach.col(j);
      const double variance = std::max(reach(t, t), 0.0);
      const FlipChannel& channel = flips_of(pending[at(t)]->channel);
      const std::optional<Index> row = one_class_per_point ? pending[at(t)]->row : std::nullopt;
      const EarlierAnswers* earlier = row ? found.earlier_at(*row) : nullptr;
      reductions(t) = earlier == nullptr ? expected_reduction(means(t), variance, channel)
                                         : expected_reduction(means(t), variance, *earlier, channel);
      if (row) found.earlier[*row].pending.push_back(channel);
      found.variance.array() -= reductions(t) * reach.col(t).segment(p, pool.rows()).array().square();
    }
    found.variance = found.variance.cwiseMax(0.0);
    if (goals > 0) {
      pending_of_goal = reach.bottomRows(goals);
      pending_of_goal_variance = pending_of_goal.cwiseAbs2() * reductions;
      pending_of_pool = (reach.middleRows(p, pool.rows()) * reductions.asDiagonal()).transpose();
      const GoalPart& used = used_goal();
      GoalBelief belief = goal_belief(used);
      belief.variance = (belief.variance - pending_of_goal_variance(used.points)).cwiseMax(0.0);
      found.goal = std::make_shared<EpGoalCovariances>(std::move(belief), with_pool, pending_of_pool,
                                                       pending_of_goal(used.points, Eigen::all));
    }
    return marginals.emplace(std::move(found));
  }

  std::vector<Annotation>::iterator find(AnnotationHandle handle) {
    const auto found = std::find_if(annotations.begin(), annotations.end(),
                                    [&](const Annotation& a) { return a.handle == handle.number; });
    if (found == annotations.end())
      throw std::invalid_argument(
          "EpPoolBelief: annotation " + std::to_string(handle.number) +
          " does not exist, must be one that condition() returned and that is still there");
    return found;
  }

  Annotation annotation(const Place& place, const Channel& channel, std::optional<double> answer) const {
    flips_of(channel);
    if (answer) check_answer(*answer);
    Points x(1, pool.cols());
    if (const std::optional<Index> row = place.pool_row()) {
      if (*row < 0 || *row >= pool.rows())
        throw std::invalid_argument("EpPoolBelief: pool row is " + std::to_string(*row) + ", must be below " +
                                    std::to_string(pool.rows()));
      x = pool.row(*row);
    } else {
      if (place.coordinates().size() != pool.cols())
        throw std::invalid_argument("EpPoolBelief: the place has " +
                                    std::to_string(place.coordinates().size()) + " inputs, must have " +
                                    std::to_string(pool.cols()));
      x = place.coordinates().transpose();
    }
    return {next_handle, x, place.pool_row(), channel, answer};
  }
};

EpPoolBelief::EpPoolBelief(Prior prior, const PointsRef& pool, const std::vector<Observation>& observations,
                           int threads, Index kept, std::shared_ptr<const Goal> goal, Index most_covariances,
                           Index whole_pool, bool one_class_per_point)
    : state_(std::make_unique<State>()) {
  if (prior.mean != 0.0) throw std::invalid_argument("EpPoolBelief: the prior mean is not 0, must be 0");
  state_->prior = usable(std::move(prior), pool, "EpPoolBelief");
  state_->pool = pool;
  state_->scaled_pool = state_->prior.scaling.apply(pool);
  state_->prior_variance = state_->prior.kernel->diagonal(state_->scaled_pool);
  state_->threads = threads > 0 ? threads : base::default_threads();
  state_->most_kept = kept;
  state_->one_class_per_point = one_class_per_point;
  if (goal) {
    check_goal(*goal, pool.cols(), "EpPoolBelief");
    state_->set_goal(*goal, most_covariances, std::max(whole_pool, pool.rows()));
  }
  for (const Observation& o : observations) {
    state_->annotations.push_back(state_->annotation(o.place, o.channel, o.value));
    ++state_->next_handle;
  }
  state_->refit({});
  state_->next_try = static_cast<Index>(observations.size()) + 1;
}

EpPoolBelief::~EpPoolBelief() = default;
EpPoolBelief::EpPoolBelief(EpPoolBelief&&) noexcept = default;
EpPoolBelief& EpPoolBelief::operator=(EpPoolBelief&&) noexcept = default;

const Marginals& EpPoolBelief::marginals() const {
  return state_->with_pending();
}
Marginals EpPoolBelief::marginals_at(std::span<const Index> rows) {
  if (state_->known || state_->any_pending()) {
    Marginals found = PoolBelief::marginals_at(rows);
    if (is_thinned()) found.goal = state_->goal_covariances_at(rows);
    return found;
  }
  Points places(static_cast<Index>(rows.size()), state_->pool.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) places.row(static_cast<Index>(i)) = state_->pool.row(rows[i]);
  Marginals found = state_->exact().predict(places);
  found.earlier = earlier_of(state_->earlier_answers(), rows);
  if (state_->whole_goal) found.goal = state_->goal_covariances_at(rows);
  return found;
}
const RoughMarginals* PoolBeliefInternals::rough_marginals(PoolBelief& belief) {
  auto* classes = dynamic_cast<EpPoolBelief*>(&belief);
  return classes != nullptr ? classes->state_->predict_roughly() : nullptr;
}
Index EpPoolBelief::size() const {
  return static_cast<Index>(state_->annotations.size());
}
const EpPosterior& EpPoolBelief::posterior() const {
  return *state_->posterior;
}
std::string EpPoolBelief::convergence_problem() const {
  return state_->posterior->convergence_problem();
}
Index EpPoolBelief::cold_starts() const {
  return state_->cold_starts;
}
bool EpPoolBelief::is_thinned() const {
  return state_->some_goal.has_value();
}

AnnotationHandle EpPoolBelief::condition(const Place& place, const Channel& channel,
                                         std::optional<double> answer) {
  state_->annotations.push_back(state_->annotation(place, channel, answer));
  try {
    if (answer) state_->refit({.start = state_->posterior->sites(), .before = state_->posterior.get()});
  } catch (...) {
    state_->annotations.pop_back();
    throw;
  }
  state_->marginals.reset();
  state_->rough.reset();
  return {state_->next_handle++};
}

// Sites are in the order of condition() calls, so that of a late answer is inserted in the middle.
void EpPoolBelief::answer(AnnotationHandle annotation, double value) {
  const auto pending = state_->find(annotation);
  if (pending->answer)
    throw std::invalid_argument("EpPoolBelief: annotation " + std::to_string(annotation.number) +
                                " has an answer, must be pending");
  check_answer(value);
  const Index before = std::count_if(state_->annotations.begin(), pending,
                                     [](const State::Annotation& a) { return a.answer.has_value(); });
  pending->answer = value;
  const Sites& old = state_->posterior->sites();
  Sites start{Vector::Zero(old.shift.size() + 1), Vector::Zero(old.shift.size() + 1)};
  for (Index i = 0; i < old.shift.size(); ++i) {
    start.precision(i < before ? i : i + 1) = old.precision(i);
    start.shift(i < before ? i : i + 1) = old.shift(i);
  }
  try {
    state_->refit({.start = start});
  } catch (...) {
    pending->answer.reset();
    throw;
  }
}

void EpPoolBelief::cancel(AnnotationHandle annotation) {
  const auto gone = state_->find(annotation);
  const auto place = gone - state_->annotations.begin();
  State::Annotation cancelled = std::move(*gone);
  state_->annotations.erase(gone);
  try {
    if (cancelled.answer) state_->refit({});
  } catch (...) {
    state_->annotations.insert(state_->annotations.begin() + place, std::move(cancelled));
    throw;
  }
  state_->marginals.reset();
  state_->rough.reset();
}

}  // namespace acuity
