#include "acuity/store/open_event_store.hpp"

#include <fmt/format.h>

#include "acuity/base/errors.hpp"
#include "acuity/store/sqlite_event_store.hpp"
#include "base/clock.hpp"
#include "store/libpq.hpp"
#include "store/postgres_event_store.hpp"

namespace acuity {

namespace {

std::filesystem::path log_file_at(const CampaignAddress& address) {
  return address.folder() / "events.sqlite";
}

std::vector<StoredEvent> numbered(const std::vector<Event>& events, double time) {
  std::vector<StoredEvent> stored;
  for (const Event& event : events)
    stored.push_back({static_cast<std::int64_t>(stored.size()) + 1, time, event});
  return stored;
}

void require_no_files(const CampaignAddress& address, const FilesByName& files) {
  if (!files.empty())
    throw std::logic_error(fmt::format("{}: the files of a folder are not in its log", address.text()));
}

}  // namespace

bool has_event_store(const CampaignAddress& address) {
  if (address.is_in_database()) return has_postgres_event_store(address);
  return std::filesystem::exists(log_file_at(address));
}

std::unique_ptr<EventStore> open_event_store(const CampaignAddress& address, Access access) {
  if (address.is_in_database()) return open_postgres_event_store(address, access);
  return SqliteEventStore::open(log_file_at(address), access);
}

std::unique_ptr<EventStore> create_event_store(const CampaignAddress& address, std::vector<Event> beginning,
                                               const FilesByName& files) {
  if (address.is_in_database())
    return create_postgres_event_store(
        address, [&](double time) { return numbered(beginning, time); }, files);
  require_no_files(address, files);
  return SqliteEventStore::create(log_file_at(address), numbered(beginning, now()));
}

std::unique_ptr<EventStore> create_event_store(const CampaignAddress& address,
                                               const std::vector<StoredEvent>& events,
                                               const FilesByName& files) {
  if (address.is_in_database())
    return create_postgres_event_store(address, [&](double) { return events; }, files);
  require_no_files(address, files);
  return SqliteEventStore::create(log_file_at(address), events);
}

std::vector<StoredEvent> intact_log(const CampaignAddress& address) {
  if (address.is_in_database()) return intact_postgres_log(address);
  return SqliteEventStore::intact(log_file_at(address));
}

LogInspection inspect_log(const CampaignAddress& address) {
  if (address.is_in_database()) return inspect_postgres_log(address);
  return SqliteEventStore::inspect(log_file_at(address));
}

std::vector<CampaignListing> list_campaigns(const DatabaseAddress& database) {
  return list_postgres_campaigns(database);
}

std::string postgresql_client_version() {
  const libpq::Functions* pq = libpq::functions_if_installed();
  if (pq == nullptr) return "";
  const int version = pq->libVersion();  // 150014 is 15.14, 90624 was 9.6.24
  if (version >= 100000) return fmt::format("{}.{}", version / 10000, version % 10000);
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace acuity
