#pragma once

#include <filesystem>

#include "acuity/base/public.hpp"
#include "acuity/store/event_store.hpp"

namespace acuity ACUITY_PUBLIC {

/// A log in an SQLite file in write-ahead mode: a commit is on the disk when add() returns, readers
/// never wait, writers take turns. Every event carries a checksum that depends on all before it, so that
/// damage is detected and not replayed. All failures are StoreErrors that name the file.
class SqliteEventStore : public EventStore {
 public:
  /// Creates a new log with these events, numbered from 1; the file must not exist.
  static std::unique_ptr<SqliteEventStore> create(const std::filesystem::path& file,
                                                  const std::vector<StoredEvent>& events = {});
  /// Checks the whole file first. Throws DamagedError, without writing to it, if it is damaged or not a log.
  /// With Access::read no permission to write is needed, neither for the file nor for its folder.
  static std::unique_ptr<SqliteEventStore> open(const std::filesystem::path& file,
                                                Access access = Access::write);
  /// The usable part of a damaged log: all events before the first one that fails its checksum or breaks a
  /// rule of event_rules.hpp.
  static std::vector<StoredEvent> intact(const std::filesystem::path& file);
  /// Reads the whole file and lists every problem. Throws nothing but std::bad_alloc.
  static LogInspection inspect(const std::filesystem::path& file);
  ~SqliteEventStore() override;

  std::vector<StoredEvent> read(std::int64_t after) override;
  std::vector<StoredEvent> add(std::int64_t after, const Decision& decide) override;
  double now() override;
  bool wait(std::int64_t after, double seconds) override;
  const std::string& name() const override;

 private:
  struct State;
  template <typename Work>
  static auto for_reading(const std::filesystem::path& file, const Work& work);
  explicit SqliteEventStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace acuity ACUITY_PUBLIC
