#pragma once

#include <functional>

#include "acuity/store/open_event_store.hpp"

// Logs in a PostgreSQL database, in its schema `acuity`. See open_event_store.hpp for what each does.

namespace acuity {

bool has_postgres_event_store(const CampaignAddress& address);
std::unique_ptr<EventStore> open_postgres_event_store(const CampaignAddress& address, Access access);
/// `beginning` gets the time of the server and returns the first events. May be called again.
std::unique_ptr<EventStore> create_postgres_event_store(
    const CampaignAddress& address, const std::function<std::vector<StoredEvent>(double now)>& beginning,
    const FilesByName& files);
std::vector<StoredEvent> intact_postgres_log(const CampaignAddress& address);
LogInspection inspect_postgres_log(const CampaignAddress& address);
std::vector<CampaignListing> list_postgres_campaigns(const DatabaseAddress& database);

}  // namespace acuity
