#pragma once

#include <filesystem>

#include "acuity/campaign/event_store.hpp"

namespace acuity {

enum class Access { read, write };

/// What can be found in a log, whatever is wrong with it.
struct LogInspection {
  static constexpr std::size_t most_problems = 20;

  bool is_log = false;              ///< and of a format that this version knows
  std::int64_t count = 0;           ///< of events, those that cannot be read included
  std::vector<StoredEvent> events;  ///< that can be read, in order
  /// One sentence each. No more than so many are kept, but all are counted.
  std::vector<std::string> problems;
  std::int64_t problem_count = 0;

  void complain(std::string sentence);
};

/// A log in a file of SQLite's, in write-ahead mode: a commit is on the disk when add() returns, readers
/// never wait, writers take turns. Every event carries a checksum that depends on all before it, so that
/// damage is noticed and not replayed. All failures are StoreErrors that name the file.
class SqliteEventStore : public EventStore {
 public:
  /// A new log; the file must not be there.
  static std::unique_ptr<SqliteEventStore> create(const std::filesystem::path& file);
  /// Checks the whole file first. Nothing is written to one that is damaged or is no log: a DamagedError.
  /// Who only reads needs no permission to write, neither the file nor its folder.
  static std::unique_ptr<SqliteEventStore> open(const std::filesystem::path& file,
                                                Access access = Access::write);
  /// What can be saved of a damaged one: all events before the first that is not what was written, or that no
  /// campaign could have (event_rules.hpp).
  static std::vector<StoredEvent> intact(const std::filesystem::path& file);
  /// All of it, for somebody who wants to know everything that is wrong. Throws nothing but std::bad_alloc.
  static LogInspection inspect(const std::filesystem::path& file);
  ~SqliteEventStore() override;

  std::vector<StoredEvent> read(std::int64_t after) override;
  std::vector<StoredEvent> add(std::int64_t after, const Decision& decide) override;

 private:
  struct State;
  template <typename Work>
  static auto for_reading(const std::filesystem::path& file, const Work& work);
  explicit SqliteEventStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace acuity
