#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/store/event.hpp"

namespace acuity ACUITY_PUBLIC {

enum class Access { read, write };

/// An event as it is stored in the log.
struct StoredEvent {
  std::int64_t sequence = 0;  ///< 1, 2, 3, ... without gaps
  double time = 0.0;          ///< seconds since 1970
  Event event;
};

/// Gets the events that were added since it was last called, in its first call those after the number given
/// to EventStore::add(), and returns the events to add. It is called again, within the same add(), if what it
/// returned could not be written because the connection to a server was lost: what it returned before was
/// then not added and must be forgotten, while the events it got stay valid and are not passed again.
using Decision = std::function<std::vector<Event>(const std::vector<StoredEvent>& news)>;

/// A file of the campaign that the store keeps.
struct KeptFile {
  std::string name;
  std::int64_t bytes = 0;
};

/// Ownership of a campaign that ends with this object, with its process, or when its host can no longer be
/// reached. May be used from another thread than the store.
class Tenure {
 public:
  virtual ~Tenure() = default;

  /// False if another process owns the campaign now. A lost connection is restored first if possible; while
  /// the server cannot be reached, nobody else can become the owner either, and this is true.
  virtual bool is_held() = 0;
};

/// The log of a campaign: events in order, added at the end, never changed. Several processes may have it
/// open at the same time; one object is used by one thread at a time.
class EventStore {
 public:
  virtual ~EventStore() = default;

  /// All events after number `after`, in order. Never waits for a writer.
  virtual std::vector<StoredEvent> read(std::int64_t after) = 0;

  /// One write transaction: calls `decide` with all events after number `after`, and adds the events it
  /// returns. No other process can add events in between. On return the events are durable and were added
  /// once, also if the connection was lost while they were written; if add() or `decide` throws, nothing was
  /// added. Returns the added events.
  virtual std::vector<StoredEvent> add(std::int64_t after, const Decision& decide) = 0;

  /// The clock of the log in seconds since 1970: the same for all hosts, and never before the last event that
  /// was read or added here.
  virtual double now() = 0;

  /// Waits until there are events after number `after`, at most so many seconds. Returns whether there are.
  /// Only a hint: false does not mean that there are none. Does not throw if the log cannot be read.
  virtual bool wait(std::int64_t after, double seconds) = 0;

  /// What error messages call the log: a file, or an address without its password.
  virtual const std::string& name() const = 0;

  /// Whether the owner of the campaign holds a Tenure. If not (SQLite, memory), the log itself says who owns
  /// the campaign: host, process, start time and lease of the last OwnerChanged.
  virtual bool has_tenure() const { return false; }
  /// Null if another process is the owner. Only if has_tenure().
  virtual std::unique_ptr<Tenure> try_own();

  /// Whether the files of the campaign (study, pool, tables) are kept with the log. If not, they are in the
  /// campaign's folder.
  virtual bool keeps_files() const { return false; }
  /// The files, by name. Empty if none are kept.
  virtual std::vector<KeptFile> files();
  /// Calls `take` with the content of a file, part by part. Throws StoreError if there is no such file.
  virtual void read_file(const std::string& name, const std::function<void(std::string_view part)>& take);
  std::string file(const std::string& name);
  /// Adds or replaces a file, in the same transaction as the events that the decision returns; if it returns
  /// none, or throws, all files stay as they are. Call it inside of a decision only, and only if
  /// keeps_files().
  virtual void put_file(const std::string& name, std::string bytes);
};

/// A log in memory, for campaigns without a folder.
std::unique_ptr<EventStore> make_memory_event_store();

/// What can be read of a log that may be damaged.
struct LogInspection {
  static constexpr std::size_t most_problems = 20;

  bool is_log = false;              ///< in a format that this version can read
  std::int64_t count = 0;           ///< number of events, including those that cannot be read
  std::vector<StoredEvent> events;  ///< those that can be read, in order
  /// One sentence each. At most `most_problems` are kept; problem_count counts all.
  std::vector<std::string> problems;
  std::int64_t problem_count = 0;

  void complain(std::string sentence);
};

}  // namespace acuity ACUITY_PUBLIC
