#pragma once

#include <map>
#include <optional>

#include "acuity/base/public.hpp"
#include "acuity/store/campaign_address.hpp"
#include "acuity/store/event_store.hpp"

// The log of the campaign at an address: an SQLite file in a folder, or in a PostgreSQL database.

namespace acuity ACUITY_PUBLIC {

/// Whether there is a log. Throws StoreError if the server cannot be asked.
bool has_event_store(const CampaignAddress& address);

/// Checks the whole log first. Throws DamagedError, without writing to it, if it is damaged or not a log, and
/// InputError if there is no such campaign. With Access::read no permission to write is needed.
std::unique_ptr<EventStore> open_event_store(const CampaignAddress& address, Access access = Access::write);

/// Files by name, for stores that keep them.
using FilesByName = std::map<std::string, std::string>;

/// Creates a log with its first events and its files, or nothing at all. Throws StoreError if there is one
/// already.
std::unique_ptr<EventStore> create_event_store(const CampaignAddress& address, std::vector<Event> beginning,
                                               const FilesByName& files = {});
/// The same for a copy of another log: numbers and times, and so the checksums, are those of the events
/// given.
std::unique_ptr<EventStore> create_event_store(const CampaignAddress& address,
                                               const std::vector<StoredEvent>& events,
                                               const FilesByName& files = {});

/// The usable part of a damaged log: all events before the first one that fails its checksum. Throws nothing
/// but std::bad_alloc.
std::vector<StoredEvent> intact_log(const CampaignAddress& address);
/// Reads the whole log and lists every problem. Throws nothing but std::bad_alloc.
LogInspection inspect_log(const CampaignAddress& address);

/// A campaign of a database.
struct CampaignListing {
  std::string name;
  std::int64_t events = 0;
  std::int64_t bytes = 0;           ///< of events and files
  std::optional<double> last_time;  ///< of the last event, in seconds since 1970
  std::string last_event;           ///< its name, as `told`
};
/// The campaigns of a database by name; none if nothing was ever created in it. Throws StoreError.
std::vector<CampaignListing> list_campaigns(const DatabaseAddress& database);

/// The version of PostgreSQL's client library, such as "15.14"; empty if it is not installed, and databases
/// can therefore not be used.
std::string postgresql_client_version();

}  // namespace acuity ACUITY_PUBLIC
