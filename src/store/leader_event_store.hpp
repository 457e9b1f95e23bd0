#pragma once

#include <memory>

#include "acuity/base/job.hpp"
#include "acuity/store/event_store.hpp"
#include "acuity/store/open_event_store.hpp"

namespace acuity {

/// A log that the processes of a job use as one: the leader has `log`, the others have null, and all call the
/// same functions in the same order. Decisions are made in every process, with the same events; those of the
/// leader are written, and all get what was written. The clock is that of the leader.
std::unique_ptr<EventStore> share_event_store(Job job, std::unique_ptr<EventStore> log);

/// Opens a log in the leader, and shares it.
std::unique_ptr<EventStore> open_shared_event_store(const Job& job, const CampaignAddress& address,
                                                    Access access);

}  // namespace acuity
