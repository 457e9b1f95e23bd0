#include "explain/replay_on_subset.hpp"

#include <limits>
#include <map>
#include <utility>

#include "campaign/choose_next.hpp"
#include "campaign/initial_events.hpp"
#include "campaign/state_queries.hpp"

namespace acuity {

namespace {

/// Converts events on the whole pool to events on a subset of it.
class SubsetReplay {
 public:
  SubsetReplay(const Study& study, const std::vector<Index>& rows) : study_(study) {
    for (std::size_t k = 0; k < rows.size(); ++k) row_of_.emplace(rows[k], static_cast<Index>(k));
  }

  void take(const Event& event) {
    std::visit([this](const auto& one) { add(one); }, event);
  }

  // The events since the last call.
  std::vector<Event> converted() { return std::exchange(events_, {}); }

  std::vector<Event> finish() {
    for (const std::int64_t id : state_of(events_).pending())
      events_.emplace_back(Released{id, "not answered yet"});
    return std::move(events_);
  }

 private:
  template <typename Other>
  void add(const Other& event) {
    events_.emplace_back(event);
  }

  void add(Asked event) {
    asked_at_.push_back(event.row);
    event.row = part(event.row).value_or(-1);
    events_.emplace_back(std::move(event));
  }

  void add(Told event) {
    if (event.unasked) asked_at_.push_back(event.row.value_or(-1));
    const Index done = event.row.value_or(asked_at_[static_cast<std::size_t>(event.id - 1)]);
    if (!event.inputs && done >= 0) {
      event.row = part(done);
      if (!event.row) {
        const double* inputs = study_.pool().point(done);
        event.inputs.emplace(inputs, inputs + study_.pool().inputs().size());
        event.base_noise = study_.offer().base_noise(done);
        if (event.unasked) event.unasked->point.clear();
      }
    }
    events_.emplace_back(std::move(event));
  }

  void add(Amended event) {
    if (event.row) {
      const Index done = *event.row;
      event.row = part(done);
      if (!event.row) {
        const double* inputs = study_.pool().point(done);
        event.inputs.emplace(inputs, inputs + study_.pool().inputs().size());
        event.base_noise = study_.offer().base_noise(done);
      }
    }
    events_.emplace_back(std::move(event));
  }

  void add(Excluded event) {
    const std::optional<Index> row = part(event.row);
    if (!row) return;
    event.row = *row;
    events_.emplace_back(std::move(event));
  }

  void add(const OwnerChanged&) {}

  std::optional<Index> part(Index row) const {
    const auto found = row_of_.find(row);
    return found == row_of_.end() ? std::nullopt : std::optional(found->second);
  }

  const Study& study_;
  std::map<Index, Index> row_of_;
  std::vector<Index> asked_at_;  // by id - 1, in the whole pool
  std::vector<Event> events_;
};

}  // namespace

std::vector<Event> replay_on_subset(const Campaign& campaign, const std::vector<Index>& rows) {
  SubsetReplay replay(campaign.study(), rows);
  for (const StoredEvent& stored : campaign.events()) replay.take(stored.event);
  return replay.finish();
}

std::vector<StoredEvent> log_on_subset(const Campaign& campaign, const std::vector<Index>& rows) {
  SubsetReplay replay(campaign.study(), rows);
  std::vector<StoredEvent> log;
  for (const StoredEvent& stored : campaign.events()) {
    replay.take(stored.event);
    for (Event& event : replay.converted())
      log.push_back({static_cast<std::int64_t>(log.size()) + 1, stored.time, std::move(event)});
  }
  return log;
}

std::vector<Event> initial_events_on_subset(const Study& study, const std::vector<Index>& rows) {
  Created created;
  created.version = ACUITY_VERSION;
  created.name = study.file().name;
  created.unit = study.file().unit;
  created.budget = study.file().budget.value_or(std::numeric_limits<double>::infinity());
  SubsetReplay replay(study, rows);
  const std::vector<Event> events = initial_events(study, std::move(created));
  for (const Event& event : events) replay.take(event);
  // Learn once here; otherwise every trial would start by learning the same.
  const State state = state_of(events);
  if (const std::int64_t used = StudyLearner(study).learns_from(state.annotations());
      used > 0 && !in_initial_phase(study, state)) {
    std::vector<Annotation> annotations = annotations_of(study, state);
    annotations.erase(annotations.begin() + used, annotations.end());
    replay.take(fitted_of(study, StudyLearner(study).learn_from(annotations), used));
  }
  return replay.finish();
}

State state_of(const std::vector<Event>& events) {
  State state;
  for (const Event& event : events) state.apply({state.sequence() + 1, 0.0, event});
  return state;
}

}  // namespace acuity
