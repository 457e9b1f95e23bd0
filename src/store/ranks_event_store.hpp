#pragma once

#include <memory>

#include "acuity/base/ranks.hpp"
#include "acuity/store/event_store.hpp"

namespace acuity {

/// A log that several ranks use as one: the first has `log`, the others have null, and all call the same
/// functions in the same order. Decisions are made on every rank, with the same events; those of the first
/// are written, and all get what was written. The clock is that of the first.
std::unique_ptr<EventStore> share_event_store(std::shared_ptr<Ranks> ranks, std::unique_ptr<EventStore> log);

}  // namespace acuity
