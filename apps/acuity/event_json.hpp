#pragma once

#include <string>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// An event as one line of JSON, as `export --events` prints it. `state` is that after the event.
std::string event_json(const StoredEvent& stored, const State& state, const Study& study);

}  // namespace acuity
