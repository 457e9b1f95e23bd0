#include "acuity/store/sqlite_event_store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "acuity/base/errors.hpp"
#include "base/clock.hpp"
#include "store/crash_point.hpp"
#include "store/event_chain.hpp"
#include "store/event_limits.hpp"
#include "store/file_system.hpp"
#include "store/host_lease.hpp"
#include "store/log_copy.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

constexpr int application_id = 0x61637579;  // "acuy"
constexpr int format_version = 1;
constexpr int patience_ms = 60'000;  // transactions are short

// The schema of a log: name to SQL.
const std::map<std::string, std::string>& schema() {
  static const std::map<std::string, std::string> statements = [] {
    std::map<std::string, std::string> made{
        {"events",
         "CREATE TABLE events (sequence INTEGER PRIMARY KEY, time REAL NOT NULL, event TEXT NOT NULL, "
         "body TEXT NOT NULL, chain INTEGER NOT NULL)"},
        {"head", "CREATE TABLE head (count INTEGER NOT NULL, chain INTEGER NOT NULL)"}};
    // Also keep other programs that open the file from changing events.
    for (const char* change : {"UPDATE", "DELETE"})
      made[fmt::format("never_{}", change)] = fmt::format(
          "CREATE TRIGGER never_{0} BEFORE {0} ON events BEGIN SELECT RAISE(ABORT, "
          "'the log of a campaign is never changed'); END",
          change);
    return made;
  }();
  return statements;
}

// The reason if the error is not due to the content of the file, otherwise empty.
std::string reason_of(const SQLite::Exception& error) {
  switch (error.getErrorCode()) {
    case SQLITE_FULL:
      return "the disk is full, nothing was changed; make room and try again";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format("another process has been writing for {} s, try again", patience_ms / 1000);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "there is no permission to write it, nothing was changed; check the permissions of the folder";
    case SQLITE_CANTOPEN:
      return "it cannot be opened; check that it exists, and the permissions of its folder";
    case SQLITE_IOERR:
      return "the disk is full or fails to read or write, nothing was changed";
    case SQLITE_NOMEM:
      return "there is not enough memory, nothing was changed";
    default:
      return "";
  }
}

// Statements are fixed, so any other error of SQLite is due to the file.
[[noreturn]] void throw_as_sentence(const fs::path& file, const SQLite::Exception& error) {
  const std::string reason = reason_of(error);
  if (reason.empty()) throw DamagedError(damage_in(file.string(), error.what()));
  throw StoreError(fmt::format("{}: {}", file.string(), reason));
}

// The address of a read-only file in a folder where not even SQLite's side files can be created.
std::string immutable(const fs::path& file) {
  std::string address = "file:";
  for (const char c : fs::absolute(file).string())
    address += std::string_view("?#%").find(c) == std::string_view::npos ? std::string(1, c)
                                                                         : fmt::format("%{:02x}", c);
  return address + "?immutable=1";
}

}  // namespace

struct SqliteEventStore::State {
  std::string file;                  // for sentences
  std::unique_ptr<HostLease> lease;  // to write on a network file system
  std::unique_ptr<LogCopy> copy;     // to read there what another host writes
  SQLite::Database database;
  EventChain chain;                // of the events that were read or added
  std::vector<StoredEvent> first;  // all events, kept for the first read()

  State(const fs::path& f, const std::string& opened, int flags, std::unique_ptr<HostLease> held = {},
        std::unique_ptr<LogCopy> copied = {})
      : file(f.string()),
        lease(std::move(held)),
        copy(std::move(copied)),
        database(opened, flags, patience_ms),
        chain(file) {
    write_on_close(false);
    database.exec("PRAGMA trusted_schema = OFF");
  }
  ~State() {
    if (lease && !lease->is_held()) write_on_close(false);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Closing would copy the side files into the main file, which must not happen to a damaged one.
  void write_on_close(bool yes) {
    sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, yes ? 0 : 1, nullptr);
  }

  [[noreturn]] void damaged(const std::string& how) const { chain.damaged(how); }

  // Calls work() and turns exceptions of SQLite into one sentence.
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

  // SQLite treats a file whose header has a later format as read-only.
  void check_format() {
    sqlite3_file* bytes = nullptr;
    unsigned char to_write_and_read[2] = {};
    sqlite3_file_control(database.getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &bytes);
    if (bytes == nullptr || bytes->pMethods == nullptr) return;
    if (bytes->pMethods->xRead(bytes, to_write_and_read, 2, 18) != SQLITE_OK) return;
    if (to_write_and_read[0] > 2 || to_write_and_read[1] > 2) damaged("its header was changed");
  }

  void check_identity() {
    check_format();
    if (database.execAndGet("PRAGMA application_id").getInt() != application_id)
      throw DamagedError(fmt::format("{}: it is not the log of a campaign; nothing was written to it", file));
    check_version();
  }

  void check() {
    check_identity();
    const std::string found = database.execAndGet("PRAGMA quick_check(1)").getString();
    if (found != "ok") damaged(found);
    check_schema();
    SQLite::Transaction one_moment(
        database);  // a consistent view of events and head, even if another process adds events
    first = since(0);
    if (!is_at_head()) damaged("its end is missing");
  }

  bool is_at_head() {
    SQLite::Statement head(database, "SELECT count, chain FROM head");
    return head.executeStep() && chain.is_head(head.getColumn(0).getInt64(), head.getColumn(1).getInt64());
  }

  void check_version() {
    const int version = database.execAndGet("PRAGMA user_version").getInt();
    if (version > format_version)
      throw NewerVersionError(fmt::format(
          "{}: its format is {}, this version ({}) of acuity reads {}: it was written by a newer version, "
          "which must be used for it; nothing was written to it",
          file, version, ACUITY_VERSION, format_version));
    if (version < format_version)
      damaged(fmt::format("its format is {}, must be {}", version, format_version));
  }

  // A foreign view or trigger could do anything, so it is damage. A missing trigger is harmless.
  void check_schema() {
    SQLite::Statement query(database, "SELECT name, sql FROM sqlite_schema ORDER BY name LIMIT 20");
    int tables = 0;
    while (query.executeStep()) {
      const std::string name = query.getColumn(0).getString();
      const auto known = schema().find(name);
      if (known == schema().end() || known->second != query.getColumn(1).getString())
        damaged(fmt::format("it has \"{}\", which acuity did not create", printable(name, 40)));
      tables += known->second.starts_with("CREATE TABLE") ? 1 : 0;
    }
    if (tables != 2) damaged("a table is missing");
    // No event is longer.
    sqlite3_limit(database.getHandle(), SQLITE_LIMIT_LENGTH, static_cast<int>(2 * longest_event));
  }

  std::vector<StoredEvent> since(std::int64_t after) {
    std::vector<StoredEvent> events;
    read_into(events, after);
    return events;
  }

  // If it throws, the events read before are valid.
  void read_into(std::vector<StoredEvent>& events, std::int64_t after) {
    chain.read_into(events, after, rows());
  }

  EachRow rows() {
    return [this](std::int64_t after, const auto& visit) { each_row(after, visit); };
  }

  // Calls visit(row) for each row after `after`, in order. A damaged row may have any length, so the length
  // is checked before the row is copied.
  template <typename Visit>
  void each_row(std::int64_t after, const Visit& visit) {
    SQLite::Statement query(
        database,
        "SELECT sequence, time, event, body, chain FROM events WHERE sequence > ? ORDER BY "
        "sequence");
    query.bind(1, after);
    std::int64_t last = after;
    const auto step = [&] {
      try {
        return query.executeStep();
      } catch (const SQLite::Exception& error) {
        if (error.getErrorCode() == SQLITE_TOOBIG) chain.require_length(last + 1, 0, longest_event + 1);
        throw;
      }
    };
    while (step()) {
      chain.require_length(last + 1, static_cast<std::size_t>(query.getColumn(2).getBytes()),
                           static_cast<std::size_t>(query.getColumn(3).getBytes()));
      last = query.getColumn(0).getInt64();
      visit(LogRow{last, query.getColumn(1).getDouble(), query.getColumn(2).getString(),
                   query.getColumn(3).getString(), query.getColumn(4).getInt64()});
    }
  }

  void insert(const StoredEvent& added) {
    const LogRow row = chain.append(added);
    SQLite::Statement insert(database, "INSERT INTO events VALUES (?, ?, ?, ?, ?)");
    insert.bind(1, row.sequence);
    insert.bind(2, row.time);
    insert.bind(3, row.name);
    insert.bind(4, row.body);
    insert.bind(5, row.chain);
    crash_point();
    insert.exec();
    crash_point();
  }

  void inspect(LogInspection& found) {
    check_identity();
    found.is_log = true;
    const auto note = [&](const std::string& how) { found.complain(damage_in(file, how)); };
    SQLite::Statement pages(database, fmt::format("PRAGMA quick_check({})", LogInspection::most_problems));
    while (pages.executeStep())
      if (const std::string one = pages.getColumn(0).getString(); one != "ok") note(one);
    check_schema();
    SQLite::Transaction one_moment(database);
    chain.inspect(found, rows());
    if (!is_at_head()) note("its end is missing");
  }

  void move_head() {
    SQLite::Statement update(database, "UPDATE head SET count = ?, chain = ?");
    update.bind(1, chain.count());
    update.bind(2, chain.value());
    update.exec();
    crash_point();
  }

  // Changes with every commit of another connection.
  int version() { return database.execAndGet("PRAGMA data_version").getInt(); }
  std::int64_t count() { return database.execAndGet("SELECT count FROM head").getInt64(); }
};

// Calls work(state) on a log that is only read. If another host writes it, a copy is read; a copy made in the
// middle of a write fails its checks and is made again. If side files cannot be created, for lack of
// permission or of disk space, the file is opened as immutable.
template <typename Work>
auto SqliteEventStore::for_reading(const fs::path& file, const Work& work) {
  for (int attempt = 1; is_written_by_another_host(file); ++attempt) {
    auto copy = std::make_unique<LogCopy>(file);
    const std::string opened = copy->path().string();
    try {
      return work(std::make_unique<State>(file, opened, SQLite::OPEN_READONLY, nullptr, std::move(copy)));
    } catch (const SQLite::Exception&) {
      if (attempt == 5) throw;
    } catch (const DamagedError&) {
      if (attempt == 5) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
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

std::unique_ptr<SqliteEventStore> SqliteEventStore::create(const fs::path& file,
                                                           const std::vector<StoredEvent>& events) {
  if (fs::exists(file)) throw StoreError(fmt::format("{}: it already exists", file.string()));
  try {
    auto state = std::make_unique<State>(file, file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    state->guarded([&] {
      state->make_durable();
      crash_point();
      SQLite::Transaction transaction(state->database, SQLite::TransactionBehavior::IMMEDIATE);
      state->database.exec(fmt::format("PRAGMA application_id = {}", application_id));
      state->database.exec(fmt::format("PRAGMA user_version = {}", format_version));
      for (const auto& [name, statement] : schema()) state->database.exec(statement);
      state->database.exec(fmt::format("INSERT INTO head VALUES (0, {})", state->chain.value()));
      crash_point();
      for (const StoredEvent& stored : events) state->insert(stored);
      if (!events.empty()) state->move_head();
      transaction.commit();
      crash_point();
    });
    return std::unique_ptr<SqliteEventStore>(new SqliteEventStore(std::move(state)));
  } catch (const SQLite::Exception& error) {
    throw_as_sentence(file, error);
  }
}

std::unique_ptr<SqliteEventStore> SqliteEventStore::open(const fs::path& file, Access access) {
  if (!fs::exists(file)) throw DamagedError(fmt::format("{}: it does not exist", file.string()));
  try {
    if (access == Access::read)
      return for_reading(file, [](std::unique_ptr<State> state) {
        state->check();
        return std::unique_ptr<SqliteEventStore>(new SqliteEventStore(std::move(state)));
      });
    std::unique_ptr<HostLease> lease;  // before SQLite opens the file and its shared memory
    if (network_file_system(file)) lease = HostLease::acquire(file.parent_path());
    auto state = std::make_unique<State>(file, file.string(), SQLite::OPEN_READWRITE, std::move(lease));
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
      state->check_schema();
      state->read_into(events, 0);
      return true;
    });
  } catch (const SQLite::Exception&) {
  } catch (const StoreError&) {
  }
  return events;
}

LogInspection SqliteEventStore::inspect(const fs::path& file) {
  LogInspection found;
  if (!fs::exists(file)) {
    found.complain(fmt::format("{}: it does not exist", file.string()));
    return found;
  }
  try {
    for_reading(file, [&](std::unique_ptr<State> state) {
      found = {};
      state->inspect(found);
      return true;
    });
  } catch (const SQLite::Exception& error) {
    found.complain(reason_of(error).empty() ? damage_in(file.string(), error.what())
                                            : fmt::format("{}: {}", file.string(), reason_of(error)));
  } catch (const StoreError& error) {
    found.complain(error.what());
  }
  return found;
}

std::vector<StoredEvent> SqliteEventStore::read(std::int64_t after) {
  if (state_->copy && !state_->copy->is_current())
    state_->guarded([&] {
      for_reading(fs::path(state_->file), [&](std::unique_ptr<State> state) {
        state->check();
        state_ = std::move(state);
        return true;
      });
    });
  return state_->guarded([&] {
    if (after > 0 || state_->first.empty()) return state_->since(after);
    std::vector<StoredEvent> all = std::exchange(state_->first, {});
    std::vector<StoredEvent> more = state_->since(all.back().sequence);
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    return all;
  });
}

// The write lock of the database is held from BEGIN IMMEDIATE to the commit, `decide` included: that is why a
// caller does what takes long before add() and only confirms it in `decide`. The chain of checksums
// (EventChain) runs ahead of the log within the transaction and is set back if the transaction is rolled
// back, so it always describes what is on the disk. A lease on a network file system is looked at twice,
// because it may lapse while `decide` computes; without it another host might write at the same time. There
// are no retries: SQLite waits for the lock by its busy timeout, and a commit either is on the disk or has
// failed.
std::vector<StoredEvent> SqliteEventStore::add(std::int64_t after, const Decision& decide) {
  return state_->guarded([&] {
    const EventChain before = state_->chain;
    try {
      SQLite::Transaction transaction(state_->database, SQLite::TransactionBehavior::IMMEDIATE);
      if (state_->lease) state_->lease->require_held();
      const std::vector<StoredEvent> news = state_->since(after);
      std::int64_t last = std::max(state_->chain.count(), after);
      std::vector<StoredEvent> added;
      const double time = now();
      for (Event& event : decide(news)) {
        added.push_back({++last, time, std::move(event)});
        state_->insert(added.back());
      }
      if (!added.empty()) state_->move_head();
      if (state_->lease) state_->lease->require_held();  // the decision may have taken long
      transaction.commit();
      crash_point();
      return added;
    } catch (...) {  // the transaction was rolled back, so the verified checksum is, too
      state_->chain = before;
      throw;
    }
  });
}

double SqliteEventStore::now() {
  return std::max(acuity::now(), state_->chain.last_time());
}

bool SqliteEventStore::wait(std::int64_t after, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  try {
    for (int version = state_->version(); state_->count() <= after;) {
      int changed = version;
      while ((changed = state_->version()) == version) {
        const std::chrono::duration<double> left = end - std::chrono::steady_clock::now();
        if (left.count() <= 0.0) return false;
        std::this_thread::sleep_for(std::min(left, std::chrono::duration<double>(0.05)));
      }
      version = changed;
    }
    return true;
  } catch (const SQLite::Exception&) {  // read() and add() have the sentence for it
    std::this_thread::sleep_until(end);
    return false;
  }
}

const std::string& SqliteEventStore::name() const {
  return state_->file;
}

}  // namespace acuity
