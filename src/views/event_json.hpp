#pragma once

#include <string>

#include "acuity/campaign/state.hpp"
#include "acuity/data/pool.hpp"

namespace acuity {

/// An event as one line of JSON, as `export --events` prints it. `state` is that after the event; without
/// the pool, which names points, the names of the log will do.
std::string event_json(const StoredEvent& stored, const State& state, const Pool* pool);

}  // namespace acuity
