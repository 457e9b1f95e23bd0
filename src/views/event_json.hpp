#pragma once

#include <string>

#include "acuity/campaign/state.hpp"
#include "acuity/data/pool.hpp"

namespace acuity {

/// An event as one line of JSON, as `export --events` prints it. `state` is the state after the event.
/// Without `pool`, points have the ids of the log. Without `shows_gold` a question about a gold item looks
/// like any other.
std::string event_json(const StoredEvent& stored, const State& state, const Pool* pool,
                       bool shows_gold = true);

}  // namespace acuity
