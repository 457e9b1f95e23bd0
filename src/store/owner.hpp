#pragma once

#include <memory>

#include "acuity/store/campaign_address.hpp"
#include "acuity/store/event_store.hpp"
#include "base/clock.hpp"

namespace acuity {

// Times are those of the log's clock (EventStore::now), seconds since 1970.

/// The event that makes this process the owner for `lease` seconds from now on.
OwnerChanged this_process(double lease = 300.0, double now = acuity::now());

/// Whether the process of an owner can be looked at: it is on this host, in this container.
bool is_here(const OwnerChanged& owner);

/// False if the owner has certainly ended, or is elsewhere and its lease has ended.
bool may_be_alive(const OwnerChanged& owner, double now = acuity::now());

/// Who runs the campaign, where and since when, when the lease ends and what to do: the message of exit 7.
/// `since` and `seen`: the times of its first and last event. `is_connected`: its store knows that it is
/// running (EventStore::has_tenure), wherever it is.
std::string owned_sentence(const CampaignAddress& address, const OwnerChanged& owner, double since,
                           double seen, double now, bool is_connected);

/// Renews the lease of an owner three times per lease, from a thread of its own with its own connection to
/// the log, so that long computations do not let it lapse. Ends itself if another process has taken over.
/// A tenure, which must outlive it, is restored if its connection is lost.
class Heartbeat {
 public:
  Heartbeat(CampaignAddress log, OwnerChanged owner, double lease, Tenure* tenure = nullptr);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  struct Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace acuity
