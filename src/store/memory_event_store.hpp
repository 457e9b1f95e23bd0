#pragma once

#include "acuity/store/event_store.hpp"

namespace acuity {

/// A store in memory that begins with these events.
std::unique_ptr<EventStore> make_memory_event_store(std::vector<StoredEvent> events);

}  // namespace acuity
