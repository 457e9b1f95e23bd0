#include "acuity/campaign/sqlite_event_store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <bit>
#include <utility>

#include "acuity/numerics/errors.hpp"
#include "campaign/crash_point.hpp"
#include "numerics/checksum.hpp"
#include "numerics/clock.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

constexpr int application_id = 0x61637579;  // "acuy"
constexpr int format_version = 1;
constexpr int patience_ms = 60'000;  // writers take turns, and a turn is short

// Of an event and all before it.
std::uint64_t chained(std::uint64_t chain, std::int64_t sequence, double time, const std::string& name,
                      const std::string& body) {
  numerics::Checksum sum(chain);
  sum.take(fmt::format("{} {} {} ", sequence, std::bit_cast<std::uint64_t>(time), name));
  sum.take(body);
  return sum.value();
}

// What has nothing to do with the file's content; empty where the error has.
std::string reason_of(const SQLite::Exception& error) {
  switch (error.getErrorCode()) {
    case SQLITE_FULL:
      return "the disk is full, nothing was changed; make room and try again";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format("somebody else has been writing for {} s, try again", patience_ms / 1000);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "it may not be written, nothing was changed; check the permissions of the folder";
    case SQLITE_CANTOPEN:
      return "it cannot be opened; check that it is there, and the permissions of its folder";
    case SQLITE_IOERR:
      return "the disk is full or fails to read or write, nothing was changed";
    case SQLITE_NOMEM:
      return "there is not enough memory, nothing was changed";
    default:
      return "";
  }
}

// SQLite may have more than a line to say.
std::string damage_in(const fs::path& file, const std::string& how) {
  return fmt::format("{}: it is damaged ({}), and nothing was written to it", file.string(),
                     printable(how, 300));
}

// Statements are fixed, so what SQLite cannot make sense of is the file.
[[noreturn]] void throw_as_sentence(const fs::path& file, const SQLite::Exception& error) {
  const std::string reason = reason_of(error);
  if (reason.empty()) throw DamagedError(damage_in(file, error.what()));
  throw StoreError(fmt::format("{}: {}", file.string(), reason));
}

// A file that nobody can write to, in a folder where not even SQLite's own side files can be made.
std::string immutable(const fs::path& file) {
  std::string address = "file:";
  for (const char c : fs::absolute(file).string())
    address += std::string_view("?#%").find(c) == std::string_view::npos ? std::string(1, c)
                                                                         : fmt::format("%{:02x}", c);
  return address + "?immutable=1";
}

}  // namespace

struct SqliteEventStore::State {
  fs::path file;
  SQLite::Database database;
  std::int64_t checked = 0;                            // events whose chain is known to be right
  std::uint64_t chain = numerics::Checksum().value();  // after them

  std::vector<StoredEvent> first;  // all of them, for the first to ask

  State(fs::path f, const std::string& name, int flags)
      : file(std::move(f)), database(name, flags, patience_ms) {
    write_on_close(false);
    database.exec("PRAGMA trusted_schema = OFF");
  }

  // Closing brings side files into the file itself, which one that is damaged must be spared.
  void write_on_close(bool yes) {
    sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, yes ? 0 : 1, nullptr);
  }

  [[noreturn]] void damaged(const std::string& how) const { throw DamagedError(damage_in(file, how)); }

  // Calls work() and turns what SQLite has to say into one sentence.
  template <typename Work>
  auto guarded(const Work& work) const {
    try {
      return work();
    } catch (const SQLite::Exception& error) {
      throw_as_sentence(file, error);
    }
  }

  void make_durable() {
    write_on_close(true);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = FULL");
  }

  // SQLite takes a file that says it is of a later format for one that may not be written.
  void check_format() {
    sqlite3_file* bytes = nullptr;
    unsigned char to_write_and_read[2] = {};
    sqlite3_file_control(database.getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &bytes);
    if (bytes == nullptr || bytes->pMethods == nullptr) return;
    if (bytes->pMethods->xRead(bytes, to_write_and_read, 2, 18) != SQLITE_OK) return;
    if (to_write_and_read[0] > 2 || to_write_and_read[1] > 2) damaged("its header is not what was written");
  }

  void check() {
    check_format();
    if (database.execAndGet("PRAGMA application_id").getInt() != application_id)
      throw DamagedError(
          fmt::format("{}: it is no log of a campaign, and nothing was written to it", file.string()));
    const int version = database.execAndGet("PRAGMA user_version").getInt();
    if (version != format_version)
      throw DamagedError(
          fmt::format("{}: its format is {}, must be {}: it was made by another version of acuity",
                      file.string(), version, format_version));
    const std::string found = database.execAndGet("PRAGMA quick_check(1)").getString();
    if (found != "ok") damaged(found);
    SQLite::Transaction one_moment(database);  // events and head of the same one, whoever adds meanwhile
    first = since(0);
    // An end that was cut off leaves a chain that is right as far as it goes.
    SQLite::Statement head(database, "SELECT count, chain FROM head");
    if (!head.executeStep() || head.getColumn(0).getInt64() != checked ||
        head.getColumn(1).getInt64() != std::bit_cast<std::int64_t>(chain))
      damaged("its end is missing");
  }

  std::vector<StoredEvent> since(std::int64_t after) {
    std::vector<StoredEvent> events;
    read_into(events, after);
    return events;
  }

  // Where it throws, what was read before is right.
  void read_into(std::vector<StoredEvent>& events, std::int64_t after) {
    // From where the chain is known, so that it can be followed.
    const std::int64_t from = std::min(after, checked);
    SQLite::Statement query(
        database,
        "SELECT sequence, time, event, body, chain FROM events WHERE sequence > ? ORDER BY "
        "sequence");
    query.bind(1, from);
    std::int64_t expected = from;
    while (query.executeStep()) {
      const std::int64_t sequence = query.getColumn(0).getInt64();
      const double time = query.getColumn(1).getDouble();
      const std::string name = query.getColumn(2).getString(), body = query.getColumn(3).getString();
      if (sequence != ++expected) damaged(fmt::format("event {} is missing", expected));
      if (sequence > checked) {
        chain = chained(chain, sequence, time, name, body);
        if (std::bit_cast<std::int64_t>(chain) != query.getColumn(4).getInt64())
          damaged(fmt::format("event {} is not what was written", sequence));
        checked = sequence;
      }
      if (sequence > after) events.push_back({sequence, time, event_from_json(name, body)});
    }
  }

  void insert(const StoredEvent& added) {
    const std::string name = event_name(added.event), body = to_json(added.event);
    chain = chained(chain, added.sequence, added.time, name, body);
    SQLite::Statement insert(database, "INSERT INTO events VALUES (?, ?, ?, ?, ?)");
    insert.bind(1, added.sequence);
    insert.bind(2, added.time);
    insert.bind(3, name);
    insert.bind(4, body);
    insert.bind(5, std::bit_cast<std::int64_t>(chain));
    crash_point();
    insert.exec();
    crash_point();
    checked = added.sequence;
  }

  void move_head() {
    SQLite::Statement update(database, "UPDATE head SET count = ?, chain = ?");
    update.bind(1, checked);
    update.bind(2, std::bit_cast<std::int64_t>(chain));
    update.exec();
    crash_point();
  }
};

// Calls work(state) on a log that is not written to. Where not even side files can be made, because that is
// forbidden or the disk is full, the file is taken as it stands.
template <typename Work>
auto SqliteEventStore::for_reading(const fs::path& file, const Work& work) {
  try {
    return work(std::make_unique<State>(file, file.string(), SQLite::OPEN_READONLY));
  } catch (const SQLite::Exception& error) {
    std::error_code none;
    const std::uintmax_t pages = fs::file_size(file.string() + "-wal", none);
    const bool all_in_one = none || pages == 0;
    const int code = error.getErrorCode();
    const bool no_side_files =
        code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_IOERR || code == SQLITE_FULL;
    if (!all_in_one || !no_side_files) throw;
    return work(std::make_unique<State>(file, immutable(file), SQLite::OPEN_READONLY | SQLite::OPEN_URI));
  }
}

SqliteEventStore::SqliteEventStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
SqliteEventStore::~SqliteEventStore() = default;

std::unique_ptr<SqliteEventStore> SqliteEventStore::create(const fs::path& file) {
  if (fs::exists(file)) throw StoreError(fmt::format("{}: it is there already", file.string()));
  try {
    auto state = std::make_unique<State>(file, file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    state->guarded([&] {
      state->make_durable();
      crash_point();
      SQLite::Transaction transaction(state->database, SQLite::TransactionBehavior::IMMEDIATE);
      state->database.exec(fmt::format("PRAGMA application_id = {}", application_id));
      state->database.exec(fmt::format("PRAGMA user_version = {}", format_version));
      state->database.exec(
          "CREATE TABLE events (sequence INTEGER PRIMARY KEY, time REAL NOT NULL, event TEXT NOT NULL, "
          "body TEXT NOT NULL, chain INTEGER NOT NULL)");
      state->database.exec("CREATE TABLE head (count INTEGER NOT NULL, chain INTEGER NOT NULL)");
      state->database.exec(fmt::format("INSERT INTO head VALUES (0, {})",
                                       std::bit_cast<std::int64_t>(numerics::Checksum().value())));
      // What was written stays: also for whoever opens the file with another program.
      for (const char* change : {"UPDATE", "DELETE"})
        state->database.exec(
            fmt::format("CREATE TRIGGER never_{0} BEFORE {0} ON events BEGIN SELECT RAISE(ABORT, "
                        "'the log of a campaign is never changed'); END",
                        change));
      crash_point();
      transaction.commit();
      crash_point();
    });
    return std::unique_ptr<SqliteEventStore>(new SqliteEventStore(std::move(state)));
  } catch (const SQLite::Exception& error) {
    throw_as_sentence(file, error);
  }
}

std::unique_ptr<SqliteEventStore> SqliteEventStore::open(const fs::path& file, Access access) {
  if (!fs::exists(file)) throw DamagedError(fmt::format("{}: it is not there", file.string()));
  try {
    if (access == Access::read)
      return for_reading(file, [](std::unique_ptr<State> state) {
        state->check();
        return std::unique_ptr<SqliteEventStore>(new SqliteEventStore(std::move(state)));
      });
    auto state = std::make_unique<State>(file, file.string(), SQLite::OPEN_READWRITE);
    state->check();
    state->make_durable();
    return std::unique_ptr<SqliteEventStore>(new SqliteEventStore(std::move(state)));
  } catch (const SQLite::Exception& error) {
    throw_as_sentence(file, error);
  }
}

std::vector<StoredEvent> SqliteEventStore::intact(const fs::path& file) {
  std::vector<StoredEvent> events;
  if (!fs::exists(file)) return events;
  try {
    for_reading(file, [&](std::unique_ptr<State> state) {
      events.clear();
      state->read_into(events, 0);
      return true;
    });
  } catch (const SQLite::Exception&) {
  } catch (const StoreError&) {
  }
  return events;
}

std::vector<StoredEvent> SqliteEventStore::read(std::int64_t after) {
  return state_->guarded([&] {
    if (after > 0 || state_->first.empty()) return state_->since(after);
    std::vector<StoredEvent> all = std::exchange(state_->first, {});
    std::vector<StoredEvent> more = state_->since(all.back().sequence);
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return all;
  });
}

std::vector<StoredEvent> SqliteEventStore::add(std::int64_t after, const Decision& decide) {
  return state_->guarded([&] {
    const std::int64_t checked = state_->checked;
    const std::uint64_t chain = state_->chain;
    try {
      SQLite::Transaction transaction(state_->database, SQLite::TransactionBehavior::IMMEDIATE);
      const std::vector<StoredEvent> news = state_->since(after);
      std::int64_t last = std::max(state_->checked, after);
      std::vector<StoredEvent> added;
      const double now = numerics::wall_clock();
      for (Event& event : decide(news)) {
        added.push_back({++last, now, std::move(event)});
        state_->insert(added.back());
      }
      if (!added.empty()) state_->move_head();
      transaction.commit();
      crash_point();
      return added;
    } catch (...) {  // the transaction has rolled back, and so does what is known of the chain
      state_->checked = checked;
      state_->chain = chain;
      throw;
    }
  });
}

}  // namespace acuity
