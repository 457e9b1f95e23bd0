#include "campaign/event_rules.hpp"
#include "campaign/fitted_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "acuity/study/study_learner.hpp"
#include "model/structures.hpp"

namespace acuity {

EventRules::EventRules(const Study& study, std::size_t changes)
    : study_(study), kernel_(StudyLearner(study).prior_given({}).kernel), changes_(changes) {
  for (const Level& level : study.offer().levels) {
    if (level.alpha)
      alphas_.insert(*level.alpha);
    else
      names_.insert(level.name);
  }
}

void EventRules::require(const Event& event, const State& state) const {
  std::visit([&](const auto& one) { check(one, state); }, event);
}

void EventRules::require_answerable(const State& state) const {
  for (const std::int64_t id : state.pending()) {
    const SuggestionRecord& record = *state.find(id);
    if (record.asked.row < 0)
      throw InputError(
          fmt::format("suggestion {} is pending and not a point of the pool, must be one", record.asked.id));
    if (record.asked.level.empty() && !record.asked.alpha)
      throw InputError(
          fmt::format("suggestion {} is pending and has no level, must have one", record.asked.id));
  }
}

void EventRules::require_row(Index row, Index lowest) const {
  if (row < lowest || row >= study_.pool().size())
    throw InputError(fmt::format("the pool row is {}, must be from {} to {}: the pool has {} rows", row,
                                 lowest, study_.pool().size() - 1, study_.pool().size()));
}

// Levels that are not on offer are allowed, too: an annotator may use another level than was asked for, on a
// ladder any precision of its range.
void EventRules::require_level(const State& state, const std::string& level,
                               std::optional<double> alpha) const {
  if (!level.empty() && !names_.contains(level)) study_.level_named(level);  // throws
  if (!alpha || alphas_.contains(*alpha) || is_former(state)) return;
  study_.level_of(*alpha);
  if (alphas_.size() < 2'000'000) alphas_.insert(*alpha);
}

void EventRules::require_channel(const Channel& channel) const {
  const Target& target = *study_.file().target;
  if (!target.fits(channel)) throw InputError(std::string(target.misfit()));
}

void EventRules::require_values(const std::vector<double>& values) const {
  for (const double value : values)
    if (!study_.file().target->accepts(value))
      refuse_value("a value of the answer", value, std::string(study_.file().target->value_requirement()));
}

void EventRules::check(const Created&, const State&) const {}

void EventRules::check(const Asked& event, const State& state) const {
  require_row(event.row, -1);
  if (event.row >= 0 && event.point != study_.pool().id(event.row))
    throw InputError(fmt::format("the point is \"{}\", must be \"{}\", that of pool row {}",
                                 printable(event.point, 60), printable(study_.pool().id(event.row), 60),
                                 event.row));
  require_level(state, event.level, event.alpha);
  require_channel(event.channel);
  if (event.gold && !is_former(state) && !study_.gold().empty() && !study_.gold_class(event.row))
    throw InputError("it is a gold item, must be one of people.gold");
  if (event.replaces && !is_former(state) && (event.alpha || !study_.level_named(event.level).tops_up))
    throw InputError(fmt::format(
        "it replaces the answer to {}, must replace none: its level continues no runs", *event.replaces));
}

void EventRules::check(const Told& event, const State& state) const {
  require_values(event.values);
  if (event.channel) {
    require_channel(*event.channel);
    const auto* gaussian = std::get_if<GaussianChannel>(&*event.channel);
    if (gaussian != nullptr && !(gaussian->noise_variance > 0.0))
      refuse_value("the noise variance", gaussian->noise_variance, "above 0 if it was reported");
  }
  if (event.row) require_row(*event.row, 0);
  if (event.inputs && event.inputs->size() != study_.pool().inputs().size())
    throw InputError(fmt::format("the answer has {} inputs, must have {}", event.inputs->size(),
                                 study_.pool().inputs().size()));
  require_level(state, event.level, event.alpha);
  if (event.unasked) return check_unasked(event);
  const SuggestionRecord* record = state.find(event.id);
  if (record == nullptr) return;  // rejected by State::require()
  if (record->asked.row < 0 && !event.row && !event.inputs)
    throw InputError("the answer has no inputs, must have them: its suggestion is not a point of the pool");
  const bool has_level =
      !event.level.empty() || event.alpha || !record->asked.level.empty() || record->asked.alpha;
  if (!has_level && !event.channel)
    throw InputError("the answer has neither a level nor a noise or accuracy of its own, must have one");
}

void EventRules::check_unasked(const Told& event) const {
  if (event.row.has_value() == event.inputs.has_value())
    throw InputError("the answer was not asked for and must have either a pool row or inputs");
  const std::string point = event.row ? study_.pool().id(*event.row) : "";
  if (event.unasked->point != point)
    throw InputError(fmt::format("the point is \"{}\", must be \"{}\"", printable(event.unasked->point, 60),
                                 printable(point, 60)));
  require_channel(event.unasked->channel);
  if (event.level.empty() && !event.alpha && !event.channel)
    throw InputError("the answer has neither a level nor a noise or accuracy of its own, must have one");
}

void EventRules::check(const Excluded& event, const State& state) const {
  require_row(event.row, 0);
  require_level(state, event.level, event.alpha);
}

void EventRules::check(const Amended& event, const State& state) const {
  require_values(event.values);
  if (event.channel) require_channel(*event.channel);
  if (event.row) require_row(*event.row, 0);
  if (event.inputs && event.inputs->size() != study_.pool().inputs().size())
    throw InputError(fmt::format("the answer has {} inputs, must have {}", event.inputs->size(),
                                 study_.pool().inputs().size()));
  require_level(state, event.level, event.alpha);
}

void EventRules::check(const PersonAdded& event, const State& state) const {
  if (is_former(state)) return;
  for (const std::string& level : event.levels) {
    if (study_.is_ladder())
      throw InputError(fmt::format("the level is \"{}\", must be empty: the study has a ladder of precisions",
                                   printable(level, 60)));
    require_level(state, level, std::nullopt);
  }
}

void EventRules::check(const StudyChanged& event, const State&) const {
  for (const std::string& level : event.kept_levels)
    if (!names_.contains(level)) study_.level_named(level);  // throws
}

void EventRules::check(const Planned& event, const State& state) const {
  if (is_former(state)) return;
  if (!study_.file().acquisition.plan)
    throw InputError("the budget was planned, must not be: the study has no plan");
  for (const std::vector<double>* counts : {&event.purchases, &event.purchases_ratio})
    if (!counts->empty() && counts->size() != study_.offer().levels.size())
      throw InputError(
          fmt::format("it plans for {} levels, must be {}", counts->size(), study_.offer().levels.size()));
  if (!event.costs.empty() && event.costs.size() != study_.offer().levels.size())
    throw InputError(fmt::format("it has the costs of {} levels, must be {}", event.costs.size(),
                                 study_.offer().levels.size()));
  if (event.purchases.size() != event.purchases_ratio.size())
    throw InputError("it has numbers of purchases for one course, must have them for both or none");
}

std::size_t EventRules::parameters_of(const FittedStructure& one) const {
  const std::optional<Structure> structure = structure_named(one.name);
  const std::shared_ptr<const Kernel> sum = structure ? sum_of(*structure, *kernel_) : nullptr;
  return static_cast<std::size_t>((sum ? sum : kernel_)->log_parameters().size());
}

void EventRules::check(const Fitted& event, const State& state) const {
  if (event.annotations < 1 || event.annotations > state.annotations())
    throw InputError(
        fmt::format("it learned from {} annotations, must be from 1 to {}, as many as there were",
                    event.annotations, state.annotations()));
  if (is_former(state)) return;
  const auto parameters = static_cast<std::size_t>(kernel_->log_parameters().size());
  if (event.log_parameters.size() != parameters)
    throw InputError(
        fmt::format("it has {} hyperparameters, must have {}", event.log_parameters.size(), parameters));
  for (const FittedStructure& one : event.structures) {
    const std::size_t wanted = parameters_of(one);
    if (one.log_parameters.size() != wanted)
      throw InputError(fmt::format("it has {} hyperparameters of the structure \"{}\", must have {}",
                                   one.log_parameters.size(), one.name, wanted));
  }
  // The prior variance is the square of the first parameter.
  if (!std::isnormal(std::exp(2.0 * event.log_parameters.front())))
    refuse_value("the logarithm of the amplitude", event.log_parameters.front(),
                 "that of a number with a square");
  if ((event.kappa || event.gamma) && study_.file().target->has_noise())
    throw InputError("it has kappa or gamma of classes, must have none: the study's answers are numbers");
  if (!event.level_scales.empty() && event.level_scales.size() != study_.offer().levels.size())
    throw InputError(fmt::format("it has {} scales of levels, must have {}, one per level",
                                 event.level_scales.size(), study_.offer().levels.size()));
  if (event.smooth_sd.size() != (study_.file().learns_bias() ? study_.offer().levels.size() : 0) ||
      event.bias_lengthscale.size() != event.smooth_sd.size())
    throw InputError(fmt::format("it has {} standard deviations of biases, must have {}",
                                 event.smooth_sd.size(),
                                 study_.file().learns_bias() ? "one per level" : "none"));
  if (!event.chain.empty() && !chain_of(study_, event))
    throw InputError(
        "its chain is not one of the study, must have levels with a bias and a length scale per input");
  if (event.mesh_order.has_value() != study_.file().has_meshes())
    throw InputError(fmt::format("it has {} order of convergence, must have {}",
                                 event.mesh_order ? "an" : "no",
                                 study_.file().has_meshes() ? "one: levels have h" : "none: no level has h"));
  if (!event.level_accuracy.empty() && event.level_accuracy.size() != study_.offer().levels.size())
    throw InputError(fmt::format("it has {} accuracies of levels, must have {}, one per level",
                                 event.level_accuracy.size(), study_.offer().levels.size()));
  if ((!event.level_accuracy.empty() || !event.people.empty()) && study_.file().target->has_noise())
    throw InputError("it has accuracies of classes, must have none: the study's answers are numbers");
  for (const std::string& level : event.people_levels)
    if (!names_.contains(level)) study_.level_named(level);  // throws
  if (event.nugget && study_.file().nugget)
    throw InputError("it has a nugget, must have none: the study does not learn one");
  if (event.kappa.has_value() != event.gamma.has_value())
    throw InputError("it has one of kappa and gamma, must have both or none");
  if (event.kappa && *event.kappa + *event.gamma > 1.0 + 1e-9)
    refuse_value("kappa + gamma", *event.kappa + *event.gamma, "at most 1");
}

void require_replayable(const StoredEvent& stored, const EventRules& rules, const State& state) {
  try {
    require_valid_time(stored.time);
    require_valid(stored.event);
    rules.require(stored.event, state);
  } catch (const InputError& error) {
    throw DamagedError(fmt::format("event {} of the log, \"{}\": {}", stored.sequence,
                                   event_name(stored.event), error.what()));
  }
  state.require(stored);
}

std::size_t changes_in(const std::vector<StoredEvent>& events) {
  return static_cast<std::size_t>(std::count_if(events.begin(), events.end(), [](const StoredEvent& stored) {
    return std::holds_alternative<StudyChanged>(stored.event);
  }));
}

State replay(const std::vector<StoredEvent>& events, const EventRules& rules) {
  State state;
  for (const StoredEvent& stored : events) {
    require_replayable(stored, rules, state);
    state.apply(stored);
  }
  try {
    rules.require_answerable(state);
  } catch (const InputError& error) {
    throw DamagedError(fmt::format("after event {} of the log {}", state.sequence(), error.what()));
  }
  return state;
}

}  // namespace acuity
