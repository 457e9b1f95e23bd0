#include "acuity/selection/selection_session.hpp"

#include <algorithm>

#include "acuity/acquisition/goal_information.hpp"
#include "acuity/study/study_file.hpp"
#include "acuity/study/target.hpp"
#include "bindings.hpp"

namespace acuity::python {

namespace {

// What the model knows: answers with their noise variances, or classes with their accuracies.
struct Known {
  PointsRef points;
  Vector values;
  Vector channel;
};

std::vector<Observation> observations_of(const Target& target, const Known& known) {
  std::vector<Observation> observations;
  for (Index i = 0; i < known.points.rows(); ++i)
    observations.push_back({Place(Vector(known.points.row(i).transpose())), known.values(i),
                            target.stated_channel(known.channel(i))});
  return observations;
}

std::shared_ptr<const Information> information_of(bool binary, const std::string& kind, TargetGraph graph,
                                                  InfinitePolicy infinite, bool taylor,
                                                  GoalCriterion criterion) {
  const bool target = kind == "target";
  if (binary && kind == "goal") return std::make_shared<ClassGoalInformation>(criterion);
  if (kind == "goal") return std::make_shared<GoalInformation>(criterion);
  if (binary && target) return std::make_shared<ClassTargetInformation>(graph);
  if (binary)
    return std::make_shared<ClassModelInformation>(taylor ? Approximation::taylor : Approximation::exact);
  if (target) return std::make_shared<TargetInformation>(TargetInformationOptions{graph, infinite});
  return std::make_shared<ModelInformation>();
}

// A session that one thread uses at a time.
class Selection {
 public:
  Selection(const Pool& pool, std::unique_ptr<PoolBelief> belief, Offer offer, Acquisition acquisition,
            const SelectionSessionOptions& options)
      : names_(std::make_shared<const std::vector<Input>>(pool.columns())),
        session_(pool, std::move(belief), std::move(offer), std::move(acquisition), options) {}

  const InputNames& names() const { return names_; }

  // Calls a member of the session.
  template <auto member, typename... Arguments>
  auto call(Arguments... arguments) {
    const Turn::Holder turn(turn_);
    return (session_.*member)(arguments...);
  }

 private:
  Turn turn_;
  InputNames names_;
  SelectionSession session_;
};

std::vector<Level> levels_of(const Target& target, const py::list& list) {
  std::vector<Level> levels;
  for (const py::handle& item : list) {
    const auto fields = item.cast<py::dict>();
    Level level;
    if (!fields["name"].is_none()) level.name = fields["name"].cast<std::string>();
    if (!fields["alpha"].is_none()) level.alpha = fields["alpha"].cast<double>();
    level.channel = target.stated_channel(fields["channel"].cast<double>());
    level.cost = fields["cost"].cast<double>();
    level.repeats_itself = fields["repeats_itself"].cast<bool>();
    level.exact = fields["exact"].cast<bool>();
    if (const py::object bias = fields["bias"]; !bias.is_none()) {
      const auto [offset_sd, smooth_sd, lengthscale] = bias.cast<std::tuple<double, double, double>>();
      level.bias = {.offset_sd = offset_sd, .smooth_sd = smooth_sd, .lengthscale = lengthscale};
      std::get<GaussianChannel>(level.channel).bias = static_cast<int>(levels.size()) + 1;
    }
    if (level.alpha)
      level.value = *level.alpha;
    else
      level.value = level.name;
    levels.push_back(std::move(level));
  }
  return levels;
}

// What the levels of a study say about their bias, with the defaults of study files: (offset_sd, smooth_sd,
// lengthscale, whether it is learned), or None.
py::list level_biases(const std::string& settings) {
  py::list biases;
  for (const Level& level : read_study_text(settings).price_list) {
    const LevelBias& bias = level.bias;
    if (bias.any())
      biases.append(py::make_tuple(bias.offset_sd, bias.smooth_sd, bias.lengthscale, bias.learned()));
    else
      biases.append(py::none());
  }
  return biases;
}

// Where the model must be good, if the acquisition is by a goal. Noise that is 0 makes the information about
// an answer there infinite (docs/math.md 13.1).
std::shared_ptr<const Goal> goal_of(const Kernel& kernel, const PointsRef& points, const Vector& weights,
                                    const Vector& noise) {
  if (points.rows() == 0) return nullptr;
  constexpr double least_noise = 1e-9;
  return std::make_shared<const Goal>(
      Goal{Points(points), weights / weights.sum(), noise.cwiseMax(least_noise * kernel.diagonal(points))});
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
      wanted["approximation"].cast<std::string>() == "taylor",
      wanted["criterion"].cast<std::string>() == "variance" ? GoalCriterion::variance
                                                            : GoalCriterion::prediction);
  acquisition.ranking = kind == "bald"     ? Ranking::information
                        : kind == "random" ? Ranking::random
                                           : Ranking::information_per_cost;
  acquisition.seed = wanted["seed"].cast<std::uint64_t>();
  acquisition.price_weight = wanted["price_weight"].cast<double>();
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

std::unique_ptr<Selection> selection_of(const std::shared_ptr<Kernel>& kernel, double mean,
                                        const PointsRef& pool, const PointsRef& points, const Vector& values,
                                        const Vector& channel, bool binary, const py::list& levels,
                                        const Vector& base_noise, const py::dict& acquisition,
                                        const PointsRef& goal, const Vector& goal_weights,
                                        const Vector& goal_noise, double budget, bool repeat, int threads,
                                        bool single_precision, std::vector<std::string> inputs) {
  const std::shared_ptr<const Target> target = binary ? Target::classes() : Target::real();
  Offer offer{levels_of(*target, levels), base_noise};
  Acquisition wanted = acquisition_of(binary, acquisition);
  Prior prior{.kernel = kernel, .mean = mean};
  const auto is_biased = [](const Level& level) { return level.bias.any(); };
  if (std::any_of(offer.levels.begin(), offer.levels.end(), is_biased))
    for (const Level& level : offer.levels) prior.biases.push_back(level.bias);
  const Released unlocked;
  const Pool points_of_pool(Points(pool), std::move(inputs));
  return std::make_unique<Selection>(
      points_of_pool,
      target->belief(prior, points_of_pool.points(), goal_of(*kernel, goal, goal_weights, goal_noise),
                     observations_of(*target, {points, values, channel}), threads,
                     {.single_precision = single_precision}, false),
      std::move(offer), std::move(wanted),
      SelectionSessionOptions{.budget = budget, .repeat_points = repeat, .threads = threads});
}

// (weight of prices, what the plan and information per cost are expected to reach, note).
py::tuple plan_of(Selection& selection, double seconds) {
  BudgetPlan plan;
  {
    const Released unlocked;
    plan = selection.call<&SelectionSession::plan>(seconds);
  }
  const double none = std::numeric_limits<double>::quiet_NaN();
  const bool is_planned = !plan.courses.empty();
  return py::make_tuple(plan.price_weight, is_planned ? plan.best().expected : none,
                        is_planned ? plan.courses.front().expected : none, plan.note);
}

// One array per column.
py::tuple scores_of(Selection& selection) {
  std::vector<Score> scores;
  {
    const Released unlocked;
    scores = selection.call<&SelectionSession::scores>();
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
}

}  // namespace

void bind_selection(py::module_& module) {
  module.def("level_biases", &level_biases);
  module.attr("assumed_white_share") = LevelBias::assumed_white_share;
  py::class_<Selection>(module, "Selection")
      .def(py::init(&selection_of))
      .def(
          "next",
          [](Selection& selection, Index count) {
            return with_names(
                selection.call<static_cast<std::vector<Suggestion> (SelectionSession::*)(Index)>(
                    &SelectionSession::next)>(count),
                selection.names());
          },
          Unlocked())
      .def("plan", &plan_of)
      .def(
          "at",
          [](Selection& selection, Index row, Index level) {
            return NamedSuggestion{selection.call<&SelectionSession::at>(row, level), selection.names()};
          },
          Unlocked())
      .def("close", &Selection::call<&SelectionSession::close, Index>, Unlocked())
      .def("expect", &Selection::call<&SelectionSession::expect, const Suggestion&>, Unlocked())
      .def("tell",
           &Selection::call<&SelectionSession::tell, const Suggestion&, double, std::optional<double>>,
           Unlocked())
      .def("release", &Selection::call<&SelectionSession::release, const Suggestion&>, Unlocked())
      .def("marginals",
           [](Selection& selection) {
             Marginals marginals;
             {
               const Released unlocked;
               marginals = selection.call<&SelectionSession::marginals>();
             }
             return mean_and_variance(std::move(marginals));
           })
      .def("scores", &scores_of)
      .def_property_readonly("remaining", [](Selection& selection) {
        const Released unlocked;  // it may wait for another thread that needs the interpreter
        return selection.call<&SelectionSession::remaining>();
      });
}

}  // namespace acuity::python
