#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "acuity/campaign/event.hpp"

namespace acuity {

/// An event as it stands in the log.
struct StoredEvent {
  std::int64_t sequence = 0;  ///< 1, 2, 3, ... without gaps
  double time = 0.0;          ///< seconds since 1970
  Event event;
};

/// Told of the events that have come since it was last told, decides which ones to add.
using Decision = std::function<std::vector<Event>(const std::vector<StoredEvent>& news)>;

/// The log of a campaign: events in order, added at the end, never changed. Several processes may have the
/// same one open.
class EventStore {
 public:
  virtual ~EventStore() = default;

  /// Everything after `sequence`, in order. Never waits for a writer.
  virtual std::vector<StoredEvent> read(std::int64_t after) = 0;

  /// One write transaction: calls `decide` with what stands after `after`, and adds what it returns. Nobody
  /// else can add in between. When it returns the events are durable; where it throws, or `decide` does,
  /// nothing was added. Gives the events added.
  virtual std::vector<StoredEvent> add(std::int64_t after, const Decision& decide) = 0;
};

/// For experiments and tests: gone with the process.
std::unique_ptr<EventStore> make_memory_event_store();

}  // namespace acuity
