#include "store/postgres_event_store.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include "acuity/base/errors.hpp"
#include "store/crash_point.hpp"
#include "store/event_chain.hpp"
#include "store/event_limits.hpp"
#include "store/postgres_session.hpp"
#include "store/postgres_tenure.hpp"

namespace acuity {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int log_format = 1;
constexpr int queue_key = 0x61637578;                         // of the queue of writers
constexpr int tables_key = 0x61637579;                        // "acuy"
constexpr std::size_t rows_of_a_statement = 500;              // 6 parameters each, at most 65535
constexpr std::int64_t rows_of_a_page = 1000;                 // when a log is read
constexpr std::size_t part_of_a_file = std::size_t{1} << 20;  // of a stored file
constexpr double looking_again = 2.0;  // seconds, while waiting: a notification may be lost

// The tables. Numbers of events come from campaign.count: a sequence has gaps where a transaction failed.
constexpr const char* schema_statements = R"(
CREATE SCHEMA IF NOT EXISTS acuity;
CREATE TABLE IF NOT EXISTS acuity.campaign (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE NOT NULL, format int NOT NULL,
  count bigint NOT NULL, chain bigint NOT NULL, token uuid NOT NULL) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS acuity.event (
  campaign bigint NOT NULL REFERENCES acuity.campaign, sequence bigint NOT NULL, time double precision NOT NULL,
  event text NOT NULL, body text NOT NULL, chain bigint NOT NULL, token uuid NOT NULL,
  PRIMARY KEY (campaign, sequence));
CREATE INDEX IF NOT EXISTS event_token ON acuity.event (campaign, token);
CREATE TABLE IF NOT EXISTS acuity.file (
  campaign bigint NOT NULL REFERENCES acuity.campaign, name text NOT NULL, part int NOT NULL,
  bytes bytea NOT NULL, PRIMARY KEY (campaign, name, part));
ALTER TABLE acuity.file ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE OR REPLACE FUNCTION acuity.never() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the log of a campaign is never changed'; END $$;
DROP TRIGGER IF EXISTS never ON acuity.event;
CREATE TRIGGER never BEFORE UPDATE OR DELETE OR TRUNCATE ON acuity.event
  FOR EACH STATEMENT EXECUTE PROCEDURE acuity.never();
)";

// A random name of a transaction, by which its events are found if the connection is lost at its commit.
std::string random_token() {
  std::random_device device;
  const auto bits = [&] { return static_cast<unsigned>(device()); };
  const unsigned a = bits(), b = bits(), c = bits(), d = bits();
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", a, b >> 16, b & 0xffff, c >> 16, c & 0xffff,
                     d);
}

// Runs while the computer is suspended, and no one sets it.
double seconds_since_boot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

EachRow log_rows(PostgresConnection& connection, std::int64_t campaign, const EventChain& chain) {
  return [&connection, campaign, &chain](std::int64_t after,
                                         const std::function<void(const LogRow&)>& visit) {
    // A damaged row may have any length.
    static const std::string query = fmt::format(
        "SELECT sequence, time, event, CASE WHEN octet_length(body) <= {} THEN body ELSE '' END, chain, "
        "octet_length(body) FROM acuity.event WHERE campaign = $1 AND sequence > $2 ORDER BY sequence LIMIT "
        "{}",
        longest_event, rows_of_a_page);
    for (bool more = true; more;) {
      const SqlResult page = connection.execute(query, {campaign, after});
      for (int row = 0; row < page.rows(); ++row) {
        after = page.number(row, 0);
        chain.require_length(after, page.text(row, 2).size(), static_cast<std::size_t>(page.number(row, 5)));
        visit(LogRow{after, page.real(row, 1), std::string(page.text(row, 2)), std::string(page.text(row, 3)),
                     page.number(row, 4)});
      }
      more = page.rows() == rows_of_a_page;
    }
  };
}

// The row of a campaign.
struct CampaignRow {
  std::int64_t id = 0;
  int format = 0;
  std::int64_t count = 0, chain = 0;
  double clock = 0.0;  // of the server
};

std::optional<CampaignRow> find_campaign(PostgresConnection& connection, const std::string& name) {
  const SqlResult found = connection.execute(
      "SELECT id, format, count, chain, extract(epoch FROM clock_timestamp())::float8 FROM acuity.campaign "
      "WHERE name = $1",
      {name});
  if (found.rows() == 0) return std::nullopt;
  return CampaignRow{found.number(0, 0), static_cast<int>(found.number(0, 1)), found.number(0, 2),
                     found.number(0, 3), found.real(0, 4)};
}

void insert_events(PostgresConnection& connection, std::int64_t campaign, const std::vector<LogRow>& rows,
                   const std::string& token) {
  for (std::size_t begin = 0; begin < rows.size(); begin += rows_of_a_statement) {
    const std::size_t end = std::min(begin + rows_of_a_statement, rows.size());
    std::string statement =
        "INSERT INTO acuity.event (campaign, sequence, time, event, body, chain, token) VALUES ";
    std::vector<SqlValue> values{campaign, token};
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t at = values.size();
      statement += fmt::format("{}($1::bigint, ${}::bigint, ${}::float8, ${}, ${}, ${}::bigint, $2::uuid)",
                               k == begin ? "" : ", ", at + 1, at + 2, at + 3, at + 4, at + 5);
      values.insert(values.end(),
                    {rows[k].sequence, rows[k].time, rows[k].name, rows[k].body, rows[k].chain});
    }
    crash_point();
    connection.execute(statement, values);
    crash_point();
  }
}

// The same as one text, which can be sent together with the commit: while a writer waits for an answer of the
// server, all others wait for its lock.
std::string insert_statement(PostgresConnection& connection, std::int64_t campaign,
                             const std::vector<LogRow>& rows, const std::string& token) {
  std::string statement =
      "INSERT INTO acuity.event (campaign, sequence, time, event, body, chain, token) VALUES ";
  for (const LogRow& row : rows)
    statement += fmt::format("{}({}, {}, '{:.17g}', {}, {}, {}, '{}')", &row == &rows.front() ? "" : ", ",
                             campaign, row.sequence, row.time, connection.literal(row.name),
                             connection.literal(row.body), row.chain, token);
  return statement + ";";
}

void replace_files(PostgresConnection& connection, std::int64_t campaign, const FilesByName& files) {
  for (const auto& [name, bytes] : files) {
    connection.execute("DELETE FROM acuity.file WHERE campaign = $1 AND name = $2", {campaign, name});
    std::size_t begin = 0;
    std::int64_t part = 0;
    do {
      const std::string some = bytes.substr(begin, part_of_a_file);
      connection.execute("INSERT INTO acuity.file (campaign, name, part, bytes) VALUES ($1, $2, $3, $4)",
                         {campaign, name, part++, SqlValue(some, true)});
      begin += some.size();
      crash_point();
    } while (begin < bytes.size());
  }
}

// Throws LostConnection if it is not known whether it was committed.
void commit(PostgresConnection& connection, const std::string& before) {
  crash_point();
  if (connection.execute(before + "COMMIT").command() != "COMMIT")
    throw ServerError{"25P02", "the transaction was rolled back"};
  crash_point();
}

[[noreturn]] void complain_of_missing_campaign(const CampaignAddress& address) {
  throw InputError(fmt::format(
      "{}: there is no campaign \"{}\" in this database, must be one that acuity init has created; "
      "to see those there are: acuity list {}",
      address.text(), printable(address.name(), 100), address.database().text()));
}

class PostgresEventStore : public EventStore {
 public:
  PostgresEventStore(CampaignAddress address, Access access)
      : address_(std::move(address)),
        session_(address_.database(), address_.text(), {.read_only = access == Access::read}),
        chain_(address_.text()) {
    session_.prepare = [this](PostgresConnection& connection) { recognise(connection); };
  }

  // Checks everything, in one moment, even if other processes add events.
  void check() {
    session_.persistently([&](PostgresConnection& connection) {
      chain_ = EventChain(name());
      first_.clear();
      connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      const std::optional<CampaignRow> head = find_campaign(connection, address_.name());
      if (!head) complain_of_missing_campaign(address_);
      chain_.read_into(first_, 0, log_rows(connection, id_, chain_));
      connection.execute("COMMIT");
      if (!chain_.is_head(head->count, head->chain)) chain_.damaged("its end is missing");
    });
  }

  // What can be read, whatever is wrong with the rest.
  void read_intact_into(std::vector<StoredEvent>& events) {
    session_.persistently([&](PostgresConnection& connection) {
      events.clear();
      chain_ = EventChain(name());
      chain_.read_into(events, 0, log_rows(connection, id_, chain_));
    });
  }

  void inspect(LogInspection& found) {
    session_.persistently([&](PostgresConnection& connection) {
      found = {};
      found.is_log = true;
      EventChain chain(name());
      connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      const std::optional<CampaignRow> head = find_campaign(connection, address_.name());
      chain.inspect(found, log_rows(connection, id_, chain));
      connection.execute("COMMIT");
      if (!head || !chain.is_head(head->count, head->chain))
        found.complain(damage_in(name(), "its end is missing"));
    });
  }

  void create(const std::function<std::vector<StoredEvent>(double)>& beginning, const FilesByName& files) {
    const std::string token = random_token();
    bool in_doubt = false;
    session_.prepare = nullptr;
    session_.persistently(
        [&](PostgresConnection& connection) {
          make_tables(connection);
          if (in_doubt && created_by(connection, token)) return;
          create(connection, token, beginning, files, in_doubt);
        },
        [&] {
          return std::string(in_doubt
                                 ? "; the connection was lost while the campaign was created, so there may "
                                   "be one: see acuity list"
                                 : "; nothing was created");
        });
    session_.prepare = [this](PostgresConnection& connection) { recognise(connection); };
    session_.disconnect();
  }

  std::vector<StoredEvent> read(std::int64_t after) override {
    const auto since = [&](std::int64_t last) {
      return session_.persistently(
          [&](PostgresConnection& connection) { return events_since(connection, last); });
    };
    if (after > 0 || first_.empty()) return since(after);
    std::vector<StoredEvent> all = std::exchange(first_, {});
    std::vector<StoredEvent> more = since(all.back().sequence);
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return all;
  }

  // The row of the campaign is locked from lock() to the commit, `decide` included. A lost connection is
  // restored and everything is done again (session_.persistently), so `decide` may be called several times.
  // The one case that needs care is a commit whose answer was lost: `token`, which is written with the
  // events, tells after the next lock whether they are in the log (`in_doubt`), and then they are read
  // instead of written again. `known` is the chain of checksums of what is certainly in the log; chain_ runs
  // ahead of it within a transaction and is set back to it before each attempt and after an exception.
  std::vector<StoredEvent> add(std::int64_t after, const Decision& decide) override {
    const std::string token = random_token();
    bool in_doubt = false;      // a commit was sent, and its answer was lost
    EventChain known = chain_;  // what is in the log, whatever happens here
    try {
      return session_.persistently(
          [&](PostgresConnection& connection) -> std::vector<StoredEvent> {
            chain_ = known;
            const CampaignRow head = lock(connection);
            // The lost transaction had the lock, so it is over now, committed or not.
            if (in_doubt)
              if (const std::int64_t last = last_with(connection, token); last > 0)
                return written_before(connection, known.count(), last);
            in_doubt = false;
            const std::vector<StoredEvent> news = new_events(connection, after, head);
            known = chain_;
            after = std::max(after, known.count());
            return write(connection, decided(decide, news), token, in_doubt);
          },
          [&] {
            return std::string(in_doubt
                                   ? "; the connection was lost while events were written, so they may be in "
                                     "the log: look at it before this is done again"
                                   : "; nothing was changed");
          });
    } catch (...) {
      chain_ = known;
      put_.reset();
      throw;
    }
  }

  double now() override {
    if (clock_offset_ == 0.0) session_.persistently([](PostgresConnection&) {});
    return std::max(seconds_since_boot() + clock_offset_, chain_.last_time());
  }

  bool wait(std::int64_t after, double seconds) override {
    const auto end = SteadyClock::now() + std::chrono::duration<double>(seconds);
    const auto left = [&] { return std::chrono::duration<double>(end - SteadyClock::now()).count(); };
    for (bool first = true; first || left() > 0.0; first = false) {
      double rest = std::min(std::max(left(), 0.0), looking_again);
      try {
        PostgresConnection& connection = session_.connected();
        const bool listens = address_.database().notifies() && listen(connection);
        if (count(connection) > after) return true;
        if (listens) {
          connection.await_notification(rest);
          if (left() <= 0.0) return count(connection) > after;
          continue;
        }
      } catch (const LostConnection&) {
        session_.disconnect();
      } catch (const ServerError&) {  // read() and add() have the sentence for it
        session_.disconnect();
      } catch (const StoreError&) {
      } catch (const InputError&) {
      }
      rest = std::min(std::max(left(), 0.0), looking_again);
      std::this_thread::sleep_for(std::chrono::duration<double>(rest));
    }
    return false;
  }

  const std::string& name() const override { return address_.text(); }

  bool has_tenure() const override { return true; }

  std::unique_ptr<Tenure> try_own() override {
    session_.persistently([](PostgresConnection&) {});  // the number of the campaign
    auto tenure = std::make_unique<PostgresTenure>(address_.database(), name(), id_);
    return tenure->acquire() ? std::move(tenure) : nullptr;
  }

  bool keeps_files() const override { return true; }

  std::vector<KeptFile> files() override {
    return session_.persistently([&](PostgresConnection& connection) {
      const SqlResult rows = connection.execute(
          "SELECT name, sum(octet_length(bytes)) FROM acuity.file WHERE campaign = $1 GROUP BY name ORDER BY "
          "name "
          "COLLATE \"C\"",
          {id_});
      std::vector<KeptFile> kept;
      for (int row = 0; row < rows.rows(); ++row)
        kept.push_back({std::string(rows.text(row, 0)), rows.number(row, 1)});
      return kept;
    });
  }

  void read_file(const std::string& file, const std::function<void(std::string_view)>& take) override {
    const auto read_part = [&](std::int64_t part) {
      return session_.persistently([&](PostgresConnection& connection) {
        // xmin is the transaction that wrote the row.
        const SqlResult row = connection.execute(
            "SELECT xmin::text, bytes FROM acuity.file WHERE campaign = $1 AND name = $2 AND part = $3",
            {id_, file, part}, true);
        using Part = std::pair<std::string, std::string>;
        return row.rows() == 0 ? std::nullopt : std::optional<Part>(Part{row.text(0, 0), row.text(0, 1)});
      });
    };
    const auto first = read_part(0);
    if (!first) return EventStore::read_file(file, take);  // there is none
    const auto require_same = [&](const std::string& transaction) {
      if (transaction != first->first)
        throw StoreError(fmt::format("{}: its file \"{}\" was replaced while it was read, try again", name(),
                                     printable(file, 100)));
    };
    auto part = first;
    for (std::int64_t number = 1; part; part = read_part(number++)) {
      require_same(part->first);
      take(part->second);
    }
    const auto again = read_part(0);
    require_same(again ? again->first : "");
  }

  void put_file(const std::string& file, std::string bytes) override {
    if (!put_) throw std::logic_error("put_file() outside of a decision");
    (*put_)[file] = std::move(bytes);
  }

 private:
  // Of a new connection: the campaign must be there, in a format that this version knows.
  void recognise(PostgresConnection& connection) {
    listening_ = false;
    const std::optional<CampaignRow> row = find_campaign(connection, address_.name());
    if (!row) complain_of_missing_campaign(address_);
    if (row->format > log_format)
      throw NewerVersionError(
          fmt::format("{}: its format is {}, this version ({}) of acuity reads {}: it was written by a newer "
                      "version, which "
                      "must be used for it; nothing was written to it",
                      name(), row->format, ACUITY_VERSION, log_format));
    if (row->format < log_format)
      chain_.damaged(fmt::format("its format is {}, must be {}", row->format, log_format));
    if (id_ != 0 && row->id != id_) chain_.damaged("it was replaced by another campaign of the same name");
    id_ = row->id;
    set_clock(row->clock);
  }

  void set_clock(double server) { clock_offset_ = server - seconds_since_boot(); }

  static void make_tables(PostgresConnection& connection) {
    const auto are_there = [&] {
      return connection.execute("SELECT to_regclass('acuity.file') IS NOT NULL").text(0, 0) == "t";
    };
    if (are_there()) return;
    // IF NOT EXISTS alone fails if two create the tables at the same time.
    connection.execute(fmt::format("BEGIN; SELECT pg_advisory_xact_lock({});", tables_key));
    if (!are_there()) connection.execute(schema_statements);
    connection.execute("COMMIT");
  }

  bool created_by(PostgresConnection& connection, const std::string& token) {
    return connection
               .execute("SELECT 1 FROM acuity.campaign WHERE name = $1 AND token = $2",
                        {address_.name(), token})
               .rows() > 0;
  }

  void create(PostgresConnection& connection, const std::string& token,
              const std::function<std::vector<StoredEvent>(double)>& beginning, const FilesByName& files,
              bool& in_doubt) {
    connection.execute("BEGIN");
    const EventChain empty(name());
    // Waits for another transaction that creates the same, perhaps our own on a connection that was lost.
    const SqlResult made = connection.execute(
        "INSERT INTO acuity.campaign (name, format, count, chain, token) VALUES ($1, $2, 0, $3, $4) ON "
        "CONFLICT "
        "(name) DO NOTHING RETURNING id, extract(epoch FROM clock_timestamp())::float8",
        {address_.name(), std::int64_t{log_format}, empty.value(), token});
    crash_point();
    if (made.rows() == 0) {
      if (in_doubt && created_by(connection, token)) return;
      throw StoreError(fmt::format("{}: it already exists", name()));
    }
    in_doubt = false;
    const std::int64_t id = made.number(0, 0);
    EventChain chain = empty;
    std::vector<LogRow> rows;
    for (const StoredEvent& stored : beginning(made.real(0, 1))) rows.push_back(chain.append(stored));
    replace_files(connection, id, files);
    insert_events(connection, id, rows, token);
    in_doubt = true;
    commit(connection, fmt::format("UPDATE acuity.campaign SET count = {}, chain = {} WHERE id = {};",
                                   chain.count(), chain.value(), id));
    in_doubt = false;
  }

  // Begins a transaction in which no other process can add events. READ COMMITTED: what was committed while
  // this waited for the lock is seen. The advisory lock is a fair queue; of those that wait for a row,
  // newcomers overtake some.
  CampaignRow lock(PostgresConnection& connection) {
    const SqlResult row = connection.execute(fmt::format(
        "BEGIN; SELECT pg_advisory_xact_lock({}, {}); WITH head AS (SELECT count, chain FROM acuity.campaign "
        "WHERE id = {} FOR NO KEY UPDATE) SELECT count, chain, extract(epoch FROM clock_timestamp())::float8 "
        "FROM head",
        queue_key, id_, id_));
    if (row.rows() == 0) complain_of_missing_campaign(address_);
    const CampaignRow head{id_, log_format, row.number(0, 0), row.number(0, 1), row.real(0, 2)};
    set_clock(head.clock);
    crash_point();
    return head;
  }

  std::vector<StoredEvent> events_since(PostgresConnection& connection, std::int64_t after) {
    std::vector<StoredEvent> events;
    const EventChain before = chain_;
    try {
      chain_.read_into(events, after, log_rows(connection, id_, chain_));
    } catch (const DamagedError&) {
      require_end_of(connection, before);
      throw;
    } catch (...) {
      chain_ = before;
      throw;
    }
    return events;
  }

  // A server that took over without the last transactions of another one, or a restored backup: what was read
  // or added here before is gone, or is something else now.
  void require_end_of(PostgresConnection& connection, const EventChain& known) {
    if (known.count() == 0) return;
    const SqlResult row = connection.execute(
        "SELECT chain FROM acuity.event WHERE campaign = $1 AND sequence = $2", {id_, known.count()});
    if (row.rows() > 0 && row.number(0, 0) == known.value()) return;
    throw DamagedError(fmt::format(
        "{}: its last events are not those that were read or written here before ({} events): the server has "
        "lost some, as a standby without synchronous replication that took over, or a restored backup; start "
        "again to continue from what it has",
        name(), known.count()));
  }

  std::vector<StoredEvent> new_events(PostgresConnection& connection, std::int64_t after,
                                      const CampaignRow& head) {
    if (head.count < std::max(after, chain_.count()) ||
        (head.count == chain_.count() && head.chain != chain_.value()))
      require_end_of(connection, chain_);
    if (head.count == chain_.count() && head.chain == chain_.value() && after >= head.count) return {};
    std::vector<StoredEvent> news = events_since(connection, after);
    if (!chain_.is_head(head.count, head.chain)) chain_.damaged("its end is missing");
    return news;
  }

  std::vector<Event> decided(const Decision& decide, const std::vector<StoredEvent>& news) {
    put_.emplace();
    return decide(news);
  }

  std::vector<StoredEvent> write(PostgresConnection& connection, std::vector<Event> events,
                                 const std::string& token, bool& in_doubt) {
    const FilesByName files = std::move(*put_);
    put_.reset();
    if (events.empty()) {
      connection.execute("ROLLBACK");
      return {};
    }
    const double time = now();
    std::vector<StoredEvent> added;
    std::vector<LogRow> rows;
    for (Event& event : events) {
      added.push_back({chain_.count() + 1, time, std::move(event)});
      rows.push_back(chain_.append(added.back()));
    }
    std::string end;
    if (rows.size() <= rows_of_a_statement && files.empty()) {
      end = insert_statement(connection, id_, rows, token);
    } else {
      insert_events(connection, id_, rows, token);
      replace_files(connection, id_, files);
    }
    end += fmt::format("UPDATE acuity.campaign SET count = {}, chain = {} WHERE id = {};", chain_.count(),
                       chain_.value(), id_);
    if (address_.database().notifies())
      end += fmt::format("SELECT pg_notify('acuity_{}', '{}');", id_, chain_.count());
    in_doubt = true;
    commit(connection, end);
    in_doubt = false;
    return added;
  }

  std::int64_t last_with(PostgresConnection& connection, const std::string& token) {
    const SqlResult row = connection.execute(
        "SELECT coalesce(max(sequence), 0) FROM acuity.event WHERE campaign = $1 AND token = $2",
        {id_, token});
    return row.number(0, 0);
  }

  // The events of a transaction whose commit was not acknowledged: those after `before`, up to `last`.
  std::vector<StoredEvent> written_before(PostgresConnection& connection, std::int64_t before,
                                          std::int64_t last) {
    std::vector<StoredEvent> events = events_since(connection, before);
    connection.execute("ROLLBACK");
    events.resize(static_cast<std::size_t>(last - before));
    return events;
  }

  // False if the server does not allow it, as a standby.
  bool listen(PostgresConnection& connection) {
    if (listening_) return true;
    try {
      connection.execute(fmt::format("LISTEN acuity_{}", id_));
      listening_ = true;
    } catch (const ServerError&) {
    }
    return listening_;
  }

  std::int64_t count(PostgresConnection& connection) {
    const SqlResult row = connection.execute("SELECT count FROM acuity.campaign WHERE id = $1", {id_});
    return row.rows() == 0 ? 0 : row.number(0, 0);
  }

  CampaignAddress address_;
  PostgresSession session_;
  std::int64_t id_ = 0;
  EventChain chain_;                // of the events that were read or added
  std::vector<StoredEvent> first_;  // all events, kept for the first read()
  double clock_offset_ = 0.0;       // of the server's clock, against seconds_since_boot()
  bool listening_ = false;
  std::optional<FilesByName> put_;  // while a decision is made
};

}  // namespace

bool has_postgres_event_store(const CampaignAddress& address) {
  PostgresSession session(address.database(), address.text(), {.read_only = true});
  return session.persistently([&](PostgresConnection& connection) {
    try {
      return find_campaign(connection, address.name()).has_value();
    } catch (const ServerError& error) {
      if (!has_no_tables(error)) throw;
      return false;
    }
  });
}

std::unique_ptr<EventStore> open_postgres_event_store(const CampaignAddress& address, Access access) {
  auto store = std::make_unique<PostgresEventStore>(address, access);
  store->check();
  return store;
}

std::unique_ptr<EventStore> create_postgres_event_store(
    const CampaignAddress& address, const std::function<std::vector<StoredEvent>(double)>& beginning,
    const FilesByName& files) {
  auto store = std::make_unique<PostgresEventStore>(address, Access::write);
  store->create(beginning, files);
  return store;
}

std::vector<StoredEvent> intact_postgres_log(const CampaignAddress& address) {
  std::vector<StoredEvent> events;
  try {
    PostgresEventStore(address, Access::read).read_intact_into(events);
  } catch (const StoreError&) {
  } catch (const InputError&) {
  }
  return events;
}

LogInspection inspect_postgres_log(const CampaignAddress& address) {
  LogInspection found;
  try {
    PostgresEventStore(address, Access::read).inspect(found);
  } catch (const StoreError& error) {
    found.complain(error.what());
  } catch (const InputError& error) {
    found.complain(error.what());
  }
  return found;
}

std::vector<CampaignListing> list_postgres_campaigns(const DatabaseAddress& database) {
  PostgresSession session(database, database.text(), {.read_only = true});
  return session.persistently([&](PostgresConnection& connection) {
    std::vector<CampaignListing> campaigns;
    try {
      const SqlResult rows = connection.execute(
          "SELECT name, count, (SELECT coalesce(sum(octet_length(body)), 0) FROM acuity.event WHERE campaign "
          "= id) + "
          "(SELECT coalesce(sum(octet_length(bytes)), 0) FROM acuity.file WHERE campaign = id), last.time, "
          "last.event FROM acuity.campaign LEFT JOIN acuity.event last ON last.campaign = id AND sequence = "
          "count "
          "ORDER BY name COLLATE \"C\"");
      for (int row = 0; row < rows.rows(); ++row) {
        CampaignListing one{std::string(rows.text(row, 0)), rows.number(row, 1), rows.number(row, 2), {}, {}};
        if (!rows.is_null(row, 3)) one.last_time = rows.real(row, 3);
        one.last_event = rows.text(row, 4);
        campaigns.push_back(std::move(one));
      }
    } catch (const ServerError& error) {
      if (!has_no_tables(error)) throw;
    }
    return campaigns;
  });
}

}  // namespace acuity
