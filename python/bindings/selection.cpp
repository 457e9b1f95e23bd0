#include <fmt/format.h>

#include <map>

#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/numerics/interruption.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/selector.hpp"
#include "acuity/selection/suggestion.hpp"
#include "bindings.hpp"

namespace acuity::python {

namespace {

// What the model has seen and how its kind is told: noise variances of numbers, accuracies of classes.
struct Seen {
  PointsRef points;
  Vector values;
  Vector channel;
  bool binary;
};

Channel channel_of(bool binary, double number) {
  return binary ? Channel(FlipChannel{number}) : Channel(GaussianChannel{number});
}

std::vector<Observation> observations_of(const Seen& seen) {
  std::vector<Observation> observations;
  for (Index i = 0; i < seen.points.rows(); ++i)
    observations.push_back({Place(Vector(seen.points.row(i).transpose())), seen.values(i),
                            channel_of(seen.binary, seen.channel(i))});
  return observations;
}

std::shared_ptr<const Information> information_of(bool binary, const std::string& kind, TargetGraph graph,
                                                  InfinitePolicy infinite, bool taylor) {
  const bool target = kind == "target";
  if (binary && target) return std::make_shared<ClassTargetInformation>(graph);
  if (binary)
    return std::make_shared<ClassModelInformation>(taylor ? Approximation::taylor : Approximation::exact);
  if (target) return std::make_shared<TargetInformation>(TargetInformationOptions{graph, infinite});
  return std::make_shared<ModelInformation>();
}

// A belief about a pool, what is on offer there, and the choice between them: what acuity.Selector shows.
class Selection {
 public:
  Selection(const std::shared_ptr<Kernel>& kernel, double mean, const PointsRef& pool, const Seen& seen,
            Offer offer, Acquisition acquisition, double budget, bool repeat, int threads,
            bool single_precision)
      : binary_(seen.binary),
        repeat_(repeat),
        threads_(threads),
        pool_(Points(pool), names(pool.cols())),
        offer_(std::move(offer)),
        acquisition_(std::move(acquisition)) {
    const Prior prior{.kernel = kernel, .mean = mean};
    if (binary_)
      belief_ = std::make_unique<EpPoolBelief>(prior, pool_.points(), observations_of(seen), threads);
    else
      belief_ = std::make_unique<GpPoolBelief>(prior, pool_.points(), observations_of(seen), threads,
                                               PoolStorage{.single_precision = single_precision});
    candidates_.remaining = budget;
    candidates_.slack = std::isfinite(budget) ? 1e-9 * budget : 0.0;
    candidates_.open.assign(static_cast<std::size_t>(pool_.size()), 1);
    held_.assign(static_cast<std::size_t>(pool_.size()), 0);
    candidates_.step = static_cast<std::uint64_t>(seen.points.rows());
    selector_.emplace(offer_, acquisition_, threads_);
  }

  std::vector<Suggestion> next(Index count) {
    const Turn::Holder turn(turn_);
    std::vector<Suggestion> suggestions;
    if (count == 1) {
      if (const std::optional<Score> best = selector_->choose(*belief_, candidates_))
        suggestions.push_back(make_suggestion(*best, pool_, offer_, acquisition_, *belief_));
    } else {
      for (const Score& score :
           select_batch(*belief_, offer_, acquisition_, candidates_, count, repeat_, {.threads = threads_}))
        suggestions.push_back(make_suggestion(score, pool_, offer_, acquisition_, *belief_));
    }
    for (Suggestion& suggestion : suggestions) suggestion.id = next_id_++;
    return suggestions;
  }

  // Not the best choice, but somebody's.
  Suggestion at(Index row, Index level) {
    const Turn::Holder turn(turn_);
    checked(row);
    Score score{.point = row, .level = level};
    const Marginals there = belief_->marginals_at({{row}});
    const Offer here{offer_.levels, Vector::Constant(1, offer_.base_noise(row))};
    acquisition_.information->worth(there, here, 0, 1, {{level}}, &score.information);
    score.cost = offer_.levels[static_cast<std::size_t>(level)].cost;
    Suggestion suggestion = make_suggestion(score, pool_, offer_, acquisition_, *belief_);
    suggestion.id = next_id_++;
    return suggestion;
  }

  void close(Index row) {
    const Turn::Holder turn(turn_);
    candidates_.open.at(checked(row)) = 0;
    ++held_.at(checked(row));
  }

  void expect(const Suggestion& suggestion) {
    const Turn::Holder turn(turn_);
    checked(suggestion.row);
    if (find(suggestion) != pending_.end())
      throw std::invalid_argument(
          fmt::format("suggestion {} is pending already, must not be expected twice", suggestion.id));
    const AnnotationHandle handle = take(suggestion, std::nullopt, suggestion.cost);
    pending_[suggestion.id] = {handle, suggestion};
  }

  void tell(const Suggestion& suggestion, double answer, std::optional<double> cost) {
    const Turn::Holder turn(turn_);
    checked(suggestion.row);
    if (!std::isfinite(answer))
      throw std::invalid_argument(fmt::format("y is {}, must be a finite number", answer));
    if (cost && !(std::isfinite(*cost) && *cost >= 0.0))
      throw std::invalid_argument(fmt::format("cost is {}, must be a finite number, 0 or more", *cost));
    const auto found = find(suggestion);
    if (found == pending_.end()) {
      take(suggestion, answer, cost.value_or(suggestion.cost));
      return;
    }
    const Uninterrupted all_or_nothing;
    belief_->answer(found->second.handle, answer);
    pending_.erase(found);
    if (cost) candidates_.remaining -= *cost - suggestion.cost;
  }

  void release(const Suggestion& suggestion) {
    const Turn::Holder turn(turn_);
    const auto found = find(suggestion);
    if (found == pending_.end())
      throw std::invalid_argument(
          fmt::format("suggestion {} is not pending, must be expected before it is released", suggestion.id));
    const Uninterrupted all_or_nothing;
    belief_->cancel(found->second.handle);
    pending_.erase(found);
    // What it relies on does not survive a variance that rises.
    selector_.emplace(offer_, acquisition_, threads_);
    candidates_.remaining += suggestion.cost;
    const std::size_t at = checked(suggestion.row);
    if (--held_[at] == 0) candidates_.open[at] = 1;
    if (const std::optional<Index> once = repeats_itself(suggestion))
      candidates_.sold.erase({suggestion.row, *once});
  }

  Marginals marginals() {
    const Turn::Holder turn(turn_);
    return belief_->marginals();
  }

  std::vector<Score> scores() {
    const Turn::Holder turn(turn_);
    return score_pool(belief_->marginals(), offer_, acquisition_, candidates_, {.threads = threads_});
  }

  double remaining() {
    const Turn::Holder turn(turn_);
    return candidates_.remaining;
  }

 private:
  AnnotationHandle take(const Suggestion& suggestion, std::optional<double> answer, double cost) {
    if (binary_ != std::holds_alternative<FlipChannel>(suggestion.channel))
      throw std::invalid_argument("the suggestion is none of this selector's, must be what next() gave");
    const Uninterrupted all_or_nothing;
    const AnnotationHandle handle = belief_->condition(suggestion.row, suggestion.channel, answer);
    candidates_.remaining -= cost;
    ++candidates_.step;
    const auto at = static_cast<std::size_t>(suggestion.row);
    ++held_[at];
    if (!repeat_) candidates_.open[at] = 0;
    if (const std::optional<Index> once = repeats_itself(suggestion))
      candidates_.sold.emplace(suggestion.row, *once);
    return handle;
  }

  struct Pending {
    AnnotationHandle handle;
    Suggestion suggestion;
  };
  // What is expected under its id; refuses one of another selector that has the same.
  std::map<std::int64_t, Pending>::iterator find(const Suggestion& wanted) {
    const auto found = pending_.find(wanted.id);
    if (found == pending_.end()) return found;
    const Suggestion& own = found->second.suggestion;
    if (own.row != wanted.row || own.level.name != wanted.level.name || own.level.alpha != wanted.level.alpha)
      throw std::invalid_argument("the suggestion is none of this selector's, must be what next() gave");
    return found;
  }
  // The place of its level, where that would only give the same answer again.
  std::optional<Index> repeats_itself(const Suggestion& suggestion) const {
    for (std::size_t i = 0; i < offer_.levels.size(); ++i)
      if (offer_.levels[i].repeats_itself && offer_.levels[i].name == suggestion.level.name)
        return static_cast<Index>(i);
    return std::nullopt;
  }
  static std::vector<std::string> names(Index inputs) {
    std::vector<std::string> all;
    for (Index i = 0; i < inputs; ++i) all.push_back("x" + std::to_string(i + 1));
    return all;
  }
  std::size_t checked(Index row) const {
    if (row < 0 || row >= pool_.size())
      throw std::invalid_argument(fmt::format("the row is {}, must be from 0 to {}", row, pool_.size() - 1));
    return static_cast<std::size_t>(row);
  }

  Turn turn_;
  bool binary_, repeat_;
  int threads_;
  Pool pool_;
  Offer offer_;
  Acquisition acquisition_;
  std::unique_ptr<PoolBelief> belief_;
  Candidates candidates_;
  std::optional<Selector> selector_;
  std::int64_t next_id_ = 1;
  std::map<std::int64_t, Pending> pending_;  // by suggestion
  std::vector<int> held_;  // per pool point: what was taken there; one more where it was closed
};

std::vector<Level> levels_of(bool binary, const py::list& list) {
  std::vector<Level> levels;
  for (const py::handle& item : list) {
    const auto fields = item.cast<py::dict>();
    Level level;
    if (!fields["name"].is_none()) level.name = fields["name"].cast<std::string>();
    if (!fields["alpha"].is_none()) level.alpha = fields["alpha"].cast<double>();
    level.channel = channel_of(binary, fields["channel"].cast<double>());
    level.cost = fields["cost"].cast<double>();
    level.repeats_itself = fields["repeats_itself"].cast<bool>();
    level.exact = fields["exact"].cast<bool>();
    if (level.alpha)
      level.value = *level.alpha;
    else
      level.value = level.name;
    levels.push_back(std::move(level));
  }
  return levels;
}

Acquisition acquisition_of(bool binary, const py::dict& wanted) {
  const auto kind = wanted["information"].cast<std::string>();
  const auto infinite = wanted["infinite"].cast<std::string>();
  Acquisition acquisition;
  acquisition.information = information_of(
      binary, kind, wanted["graph"].cast<std::string>() == "b" ? TargetGraph::b : TargetGraph::c,
      infinite == "refuse"  ? InfinitePolicy::refuse
      : infinite == "limit" ? InfinitePolicy::limit
                            : InfinitePolicy::first,
      wanted["approximation"].cast<std::string>() == "taylor");
  acquisition.ranking = kind == "bald"     ? Ranking::information
                        : kind == "random" ? Ranking::random
                                           : Ranking::information_per_cost;
  acquisition.seed = wanted["seed"].cast<std::uint64_t>();
  if (!wanted["continuous"].is_none()) {
    const auto range = wanted["continuous"].cast<py::dict>();
    ContinuousPrecision continuous;
    const auto low = range["low"].cast<double>(), high = range["high"].cast<double>();
    continuous.vaguest = Precision::of(low);
    continuous.sharpest = Precision::of(high);
    continuous.law.gamma = range["gamma"].cast<double>();
    if (!range["kappa"].is_none()) continuous.law.kappa = range["kappa"].cast<double>();
    continuous.cost = range["cost"].cast<std::shared_ptr<CostFunction>>();
    acquisition.continuous = continuous;
  }
  return acquisition;
}

}  // namespace

void bind_selection(py::module_& module) {
  py::class_<Selection>(module, "Selection")
      .def(py::init([](const std::shared_ptr<Kernel>& kernel, double mean, const PointsRef& pool,
                       const PointsRef& points, const Vector& values, const Vector& channel, bool binary,
                       const py::list& levels, const Vector& base_noise, const py::dict& acquisition,
                       double budget, bool repeat, int threads, bool single_precision) {
        Offer offer{levels_of(binary, levels), base_noise};
        Acquisition wanted = acquisition_of(binary, acquisition);
        const Released unlocked;
        return std::make_unique<Selection>(kernel, mean, pool, Seen{points, values, channel, binary},
                                           std::move(offer), std::move(wanted), budget, repeat, threads,
                                           single_precision);
      }))
      .def("next", &Selection::next, Unlocked())
      .def("at", &Selection::at, Unlocked())
      .def("close", &Selection::close, Unlocked())
      .def("expect", &Selection::expect, Unlocked())
      .def("tell", &Selection::tell, Unlocked())
      .def("release", &Selection::release, Unlocked())
      .def("marginals",
           [](Selection& selection) {
             Marginals marginals;
             {
               const Released unlocked;
               marginals = selection.marginals();
             }
             return py::make_tuple(std::move(marginals.mean), std::move(marginals.variance));
           })
      .def("scores",
           [](Selection& selection) {
             std::vector<Score> scores;
             {
               const Released unlocked;
               scores = selection.scores();
             }
             const Index count = static_cast<Index>(scores.size());
             Eigen::Matrix<Index, Eigen::Dynamic, 1> rows(count), levels(count);
             Vector information(count), cost(count), value(count);
             for (Index i = 0; i < count; ++i) {
               const Score& score = scores[static_cast<std::size_t>(i)];
               rows(i) = score.point, levels(i) = score.level, information(i) = score.information;
               cost(i) = score.cost, value(i) = score.value;
             }
             return py::make_tuple(rows, levels, information, cost, value);
           })
      .def_property_readonly("remaining", &Selection::remaining);
}

}  // namespace acuity::python
