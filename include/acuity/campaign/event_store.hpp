#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "acuity/campaign/event.hpp"

namespace acuity {

/// An event as it is stored in the log.
struct StoredEvent {
  std::int64_t sequence = 0;  ///< 1, 2, 3, ... without gaps
  double time = 0.0;          ///< seconds since 1970
  Event event;
};

/// Gets the events added since the caller last read the log, and returns the events to add.
using Decision = std::function<std::vector<Event>(const std::vector<StoredEvent>& news)>;

/// The log of a campaign: events in order, added at the end, never changed. Several processes may have it
/// open at the same time.
class EventStore {
 public:
  virtual ~EventStore() = default;

  /// All events after number `after`, in order. Never waits for a writer.
  virtual std::vector<StoredEvent> read(std::int64_t after) = 0;

  /// One write transaction: calls `decide` with all events after number `after`, and adds the events it
  /// returns. No other process can add events in between. On return the events are durable; if add() or
  /// `decide` throws, nothing was added. Returns the added events.
  virtual std::vector<StoredEvent> add(std::int64_t after, const Decision& decide) = 0;
};

/// A log in memory, for campaigns without a folder.
std::unique_ptr<EventStore> make_memory_event_store();

}  // namespace acuity
