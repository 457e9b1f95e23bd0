#include "acuity/model/chained_pool_belief.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/parallel.hpp"
#include "data/as_size.hpp"
#include "model/chained_posterior.hpp"
#include "model/goal_covariances.hpp"
#include "model/noise_floor.hpp"
#include "model/usable_prior.hpp"

namespace acuity {

namespace {

// The goal with so many points that covariances with them can be stored.
std::shared_ptr<const Goal> storable(const std::shared_ptr<const Goal>& goal, Index pool, std::size_t links,
                                     const JointPoolOptions& options) {
  constexpr Index least = 8, screen = 128;
  if (!goal) return goal;
  const Index columns = static_cast<Index>(links) * std::max(pool, options.whole_pool);
  if (columns <= options.most_covariances / std::max<Index>(1, goal->size())) return goal;
  const ThinnedGoal some =
      thin(goal->weights, std::clamp<Index>(options.most_covariances / columns, least, screen));
  Goal thinned{goal->points(some.points, Eigen::all), some.weights, {}};
  if (goal->noise.size() > 0) thinned.noise = goal->noise(some.points);
  return std::make_shared<const Goal>(std::move(thinned));
}

}  // namespace

struct ChainedPoolBelief::State final {
  class Covariances;

  struct Entry {
    std::size_t link;
    Place place;
    Vector coordinates;
    double noise;
    std::optional<double> value;
    bool is_there = true;
    AnnotationHandle in_link = {};  // as long as the belief of the link is up to date
  };

  State(const Prior& given, const PointsRef& points, std::shared_ptr<const Goal> wanted,
        const JointPoolOptions& chosen)
      : prior(given), pool(points), options(chosen) {
    if (!prior.chain || prior.chain->links.empty())
      throw std::invalid_argument("ChainedPoolBelief: the prior has no chain, must have one");
    goal = storable(wanted, pool.rows(), links(), options);
    beliefs.resize(links());
    options.threads = options.threads > 0 ? options.threads : base::default_threads();
  }

  std::size_t links() const { return prior.chain->links.size(); }
  std::size_t last() const { return links() - 1; }

  Entry entry_of(const Place& place, const Channel& channel, std::optional<double> value) const {
    const std::size_t link = link_of(*prior.chain, bias_of(channel));
    if (link > last())
      throw std::invalid_argument(
          fmt::format("ChainedPoolBelief: a channel has bias {}, must be that of a link", bias_of(channel)));
    const double noise = noise_variance(channel);
    require_valid_noise(noise);
    const std::optional<Index> row = place.pool_row();
    if (row && (*row < 0 || *row >= pool.rows()))
      throw std::invalid_argument(
          fmt::format("ChainedPoolBelief: pool row is {}, must be below {}", *row, pool.rows()));
    Vector x = row ? Vector(pool.row(*row).transpose()) : place.coordinates();
    if (x.size() != pool.cols())
      throw std::invalid_argument(
          fmt::format("ChainedPoolBelief: the place has {} inputs, must have {}", x.size(), pool.cols()));
    return {link, place, std::move(x), noise, value};
  }

  const Entry& require_there(AnnotationHandle handle) const {
    if (handle.number < 0 || handle.number >= static_cast<Index>(entries.size()) ||
        !entries[at(handle.number)].is_there)
      throw std::invalid_argument(fmt::format("ChainedPoolBelief: there is no annotation {}", handle.number));
    return entries[at(handle.number)];
  }

  bool is_current(std::size_t link) const { return link < stale; }
  // The beliefs from this link on have to be made again before they are read.
  void outdate(std::size_t link) { stale = std::min(stale, link); }
  // After an answer of a link came or went. The first has no column, so that its belief follows by itself.
  void outdate_after(std::size_t link) { outdate(std::max<std::size_t>(link, 1)); }

  // The place of an annotation in the belief of its link.
  Place place_in_link(const Entry& entry, const ChainedPoints& there) const {
    if (entry.place.pool_row()) return entry.place;
    Vector inputs = there.inputs[entry.link].row(0).transpose();
    if (const std::optional<Index> row = entry.place.row_elsewhere())
      return Place::in_other_shard(*row, std::move(inputs));
    return Place(std::move(inputs));
  }

  // A pending one, or one of the first link: in a belief that is up to date.
  void take_in(Entry& entry) {
    Points x(1, pool.cols());
    x.row(0) = entry.coordinates.transpose();
    const ChainedPoints there = posterior->at(x);
    const double noise = entry.noise + posterior->noise_of_column(entry.link, there)(0);
    entry.in_link =
        beliefs[entry.link]->condition(place_in_link(entry, there), GaussianChannel{noise}, entry.value);
  }

  void rebuild() {
    std::vector<Observation> answered;
    for (const Entry& entry : entries)
      if (entry.is_there && entry.value)
        answered.push_back({Place(entry.coordinates), *entry.value,
                            GaussianChannel{entry.noise, prior.chain->links[entry.link].bias}});
    posterior.emplace(prior, Observations(answered, pool), options.threads);
    pool_points = posterior->at(pool);
    if (goal) goal_points = posterior->at(goal->points);
    for (std::size_t link = stale; link < links(); ++link) build(link);
    stale = links();
    for (Entry& entry : entries)
      if (entry.is_there && !entry.value && entry.in_link.number < 0) take_in(entry);
  }

  // With the answers alone; what is pending follows.
  void build(std::size_t link) {
    const Observations& answers = posterior->answers_of(link);
    const Vector noise = answers.noise();
    std::vector<Observation> known;
    for (Entry& entry : entries) {
      if (!entry.is_there || entry.link != link) continue;
      entry.in_link = {};
      if (!entry.value) continue;
      const auto row = static_cast<Index>(known.size());
      entry.in_link = {row};
      Place place = entry.place;
      if (!place.pool_row()) {
        Vector inputs = answers.points().row(row).transpose();
        place = place.row_elsewhere() ? Place::in_other_shard(*place.row_elsewhere(), std::move(inputs))
                                      : Place(std::move(inputs));
      }
      known.push_back({std::move(place), *entry.value, GaussianChannel{noise(row)}});
    }
    std::shared_ptr<const Goal> here;
    if (goal) here = std::make_shared<const Goal>(Goal{goal_points.inputs[link], goal->weights, goal->noise});
    JointPoolOptions all = options;
    all.most_covariances = std::numeric_limits<Index>::max();  // the goal is thinned already
    beliefs[link] = std::make_unique<JointPoolBelief>(posterior->prior_of(link), pool_points.inputs[link],
                                                      std::move(here), known, all);
  }

  void update() {
    if (stale < links()) rebuild();
    publish();
  }

  // The derivative of f by what a link adds.
  Vector effect(std::size_t link, const ChainedPoints& x) const {
    Vector product = Vector::Ones(x.inputs.front().rows());
    for (std::size_t k = link + 1; k < links(); ++k) product = product.cwiseProduct(x.slopes[k]);
    return product;
  }

  // math.md eq. (12.17) for every link; `own` are the variances given the column.
  std::vector<Vector> variances(const ChainedPoints& x, const std::vector<const Vector*>& own) const {
    std::vector<Vector> all{*own.front()};
    for (std::size_t k = 1; k < links(); ++k)
      all.push_back(*own[k] + x.slopes[k].cwiseAbs2().cwiseProduct(all.back()));
    return all;
  }

  void publish() {
    std::vector<const Marginals*> own;
    std::vector<const Vector*> variance, at_goal;
    for (const auto& belief : beliefs) {
      own.push_back(&belief->marginals());
      variance.push_back(&own.back()->variance);
      if (goal) at_goal.push_back(&own.back()->goal->variance());
    }
    const std::vector<Vector> whole = variances(pool_points, variance);
    marginals.mean = own.back()->mean;
    marginals.variance = whole.back();
    marginals.known_variance = own.back()->known_variance;
    const Vector none = Vector::Zero(pool.rows());
    marginals.errors.assign(prior.biases.size(), {none, none, none});
    for (std::size_t link = 0; link < last(); ++link) {
      const auto bias = at(prior.chain->links[link].bias - 1);
      const Vector shared = effect(link, pool_points).cwiseProduct(whole[link]);
      if (bias < marginals.errors.size())
        marginals.errors[bias] = {.mean = own[link]->mean - own.back()->mean,
                                  .variance = (whole[link] + whole.back() - 2.0 * shared).cwiseMax(0.0),
                                  .covariance = shared - whole.back()};
    }
    if (!goal) return;
    goal_covariances.clear();
    effects.clear();
    for (std::size_t link = 0; link < links(); ++link) {
      goal_covariances.push_back(own[link]->goal.get());
      effects.push_back(effect(link, goal_points));
    }
    goal_variance = variances(goal_points, at_goal).back();
  }

  Prior prior;
  Points pool;
  std::shared_ptr<const Goal> goal;
  JointPoolOptions options;
  std::vector<Entry> entries;
  Index there = 0;

  std::size_t stale = 0;                      // the first link whose belief has to be made again
  std::optional<ChainedPosterior> posterior;  // of what was answered
  ChainedPoints pool_points, goal_points;
  std::vector<std::unique_ptr<JointPoolBelief>> beliefs;

  bool is_published = false;
  Marginals marginals;
  std::vector<const GoalCovariances*> goal_covariances;  // by link, given the column
  std::vector<Vector> effects;                           // by link, at the goal points
  Vector goal_variance;
};

// A view of the state: valid as long as the belief does not change. math.md eq. (12.18).
class ChainedPoolBelief::State::Covariances final : public GoalCovariances {
 public:
  explicit Covariances(const State& state) : state_(state) {}

  const Vector& weights() const override { return f().weights(); }
  const Vector& mean() const override { return f().mean(); }
  const Vector& variance() const override { return state_.goal_variance; }
  const Vector& noise() const override { return f().noise(); }
  void at(Index point, int bias, double* out) const override {
    const std::size_t link = link_of(*state_.prior.chain, bias);
    if (link > state_.last()) {
      std::fill_n(out, weights().size(), 0.0);
      return;
    }
    state_.goal_covariances[link]->at(point, 0, out);
    if (link < state_.last())
      Eigen::Map<Vector>(out, weights().size()).array() *= state_.effects[link].array();
  }
  double weighted_squares(Index point, int bias) const override {
    if (link_of(*state_.prior.chain, bias) == state_.last()) return f().weighted_squares(point, 0);
    thread_local Vector shared;
    shared.resize(weights().size());
    at(point, bias, shared.data());
    return weights().dot(shared.cwiseAbs2());
  }

 private:
  const GoalCovariances& f() const { return *state_.goal_covariances.back(); }

  const State& state_;
};

ChainedPoolBelief::ChainedPoolBelief(const Prior& prior, const PointsRef& pool,
                                     std::shared_ptr<const Goal> goal,
                                     const std::vector<Observation>& observations,
                                     const JointPoolOptions& options) {
  if (pool.rows() == 0)
    throw std::invalid_argument("ChainedPoolBelief: the pool has no points, must have at least one");
  if (goal) check_goal(*goal, pool.cols(), "ChainedPoolBelief");
  state_ = std::make_unique<State>(usable(prior, pool, "ChainedPoolBelief"), pool, std::move(goal), options);
  for (const Observation& one : observations)
    state_->entries.push_back(state_->entry_of(one.place, one.channel, one.value));
  state_->there = static_cast<Index>(observations.size());
  if (state_->goal) state_->marginals.goal = std::make_shared<State::Covariances>(*state_);
}

ChainedPoolBelief::~ChainedPoolBelief() = default;
ChainedPoolBelief::ChainedPoolBelief(ChainedPoolBelief&&) noexcept = default;
ChainedPoolBelief& ChainedPoolBelief::operator=(ChainedPoolBelief&&) noexcept = default;

const Marginals& ChainedPoolBelief::marginals() const {
  if (!state_->is_published) state_->update();
  state_->is_published = true;
  return state_->marginals;
}

AnnotationHandle ChainedPoolBelief::condition(const Place& place, const Channel& channel,
                                              std::optional<double> answer) {
  State& s = *state_;
  State::Entry entry = s.entry_of(place, channel, answer);
  // Before the first reading nothing is there to be kept up to date.
  if (s.is_current(entry.link) && (entry.link == 0 || !answer)) s.take_in(entry);
  if (answer) s.outdate_after(entry.link);
  s.entries.push_back(std::move(entry));
  ++s.there;
  s.is_published = false;
  return {static_cast<Index>(s.entries.size()) - 1};
}

void ChainedPoolBelief::answer(AnnotationHandle annotation, double value) {
  State& s = *state_;
  if (s.require_there(annotation).value)
    throw std::invalid_argument(
        fmt::format("ChainedPoolBelief: annotation {} has an answer already", annotation.number));
  State::Entry& entry = s.entries[at(annotation.number)];
  if (entry.link == 0 && s.is_current(0)) s.beliefs[0]->answer(entry.in_link, value);
  entry.value = value;
  s.outdate_after(entry.link);
  s.is_published = false;
}

void ChainedPoolBelief::cancel(AnnotationHandle annotation) {
  cancel_all(std::span(&annotation, 1));
}

void ChainedPoolBelief::cancel_all(std::span<const AnnotationHandle> annotations) {
  State& s = *state_;
  std::vector<std::vector<AnnotationHandle>> in_links(s.links());
  for (const AnnotationHandle handle : annotations) {
    const State::Entry& entry = s.require_there(handle);
    if (s.is_current(entry.link) && (entry.link == 0 || !entry.value))
      in_links[entry.link].push_back(entry.in_link);
  }
  for (std::size_t link = 0; link < s.links(); ++link) {
    std::sort(in_links[link].begin(), in_links[link].end(),
              [](AnnotationHandle a, AnnotationHandle b) { return a.number < b.number; });
    if (!in_links[link].empty()) s.beliefs[link]->cancel_all(in_links[link]);
  }
  for (const AnnotationHandle handle : annotations) {
    State::Entry& entry = s.entries[at(handle.number)];
    entry.is_there = false;
    --s.there;
    if (entry.value) s.outdate_after(entry.link);
  }
  s.is_published = false;
}

void ChainedPoolBelief::change_prior_mean(double) {}

Index ChainedPoolBelief::size() const {
  return state_->there;
}

}  // namespace acuity
