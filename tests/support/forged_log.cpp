#include "support/forged_log.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <bit>

#include "base/checksum.hpp"

namespace acuity::testing {

std::vector<RawEvent> raw_events(const std::filesystem::path& log) {
  SQLite::Database database(log.string(), SQLite::OPEN_READONLY);
  SQLite::Statement query(database, "SELECT time, event, body FROM events ORDER BY sequence");
  std::vector<RawEvent> events;
  while (query.executeStep())
    events.push_back(
        {query.getColumn(0).getDouble(), query.getColumn(1).getString(), query.getColumn(2).getString()});
  return events;
}

void forge_log(const std::filesystem::path& log, const std::vector<RawEvent>& events) {
  SQLite::Database database(log.string(), SQLite::OPEN_READWRITE);
  SQLite::Transaction transaction(database);
  std::string trigger;
  {
    SQLite::Statement made(database, "SELECT sql FROM sqlite_schema WHERE name = 'never_DELETE'");
    if (made.executeStep()) trigger = made.getColumn(0).getString();
  }
  database.exec("DROP TRIGGER IF EXISTS never_DELETE");
  database.exec("DELETE FROM events");
  if (!trigger.empty()) database.exec(trigger);
  std::uint64_t chain = base::Fnv1a().value();
  std::int64_t sequence = 0;
  for (const RawEvent& event : events) {
    base::Fnv1a sum(chain);
    sum.take(fmt::format("{} {} {} ", ++sequence, std::bit_cast<std::uint64_t>(event.time), event.name));
    sum.take(event.body);
    chain = sum.value();
    SQLite::Statement insert(database, "INSERT INTO events VALUES (?, ?, ?, ?, ?)");
    insert.bind(1, sequence);
    insert.bind(2, event.time);
    insert.bind(3, event.name);
    insert.bind(4, event.body);
    insert.bind(5, std::bit_cast<std::int64_t>(chain));
    insert.exec();
  }
  SQLite::Statement head(database, "UPDATE head SET count = ?, chain = ?");
  head.bind(1, sequence);
  head.bind(2, std::bit_cast<std::int64_t>(chain));
  head.exec();
  transaction.commit();
  database.exec("VACUUM");  // a long event that is gone leaves no long file behind
}

void change_log(const std::filesystem::path& log, const std::string& statement) {
  SQLite::Database(log.string(), SQLite::OPEN_READWRITE).exec(statement);
}

}  // namespace acuity::testing
