#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "acuity/store/event_store.hpp"

namespace acuity::testing {

/// A log that several campaigns of a test share, as processes would.
class SharedEventStore : public EventStore {
 public:
  explicit SharedEventStore(std::shared_ptr<EventStore> store) : store_(std::move(store)) {}

  std::vector<StoredEvent> read(std::int64_t after) override { return store_->read(after); }
  std::vector<StoredEvent> add(std::int64_t after, const Decision& decide) override {
    return store_->add(after, decide);
  }
  double now() override { return store_->now(); }
  bool wait(std::int64_t after, double seconds) override { return store_->wait(after, seconds); }
  const std::string& name() const override { return store_->name(); }
  bool has_tenure() const override { return store_->has_tenure(); }
  std::unique_ptr<Tenure> try_own() override { return store_->try_own(); }
  bool keeps_files() const override { return store_->keeps_files(); }
  std::vector<KeptFile> files() override { return store_->files(); }
  void read_file(const std::string& name, const std::function<void(std::string_view)>& take) override {
    store_->read_file(name, take);
  }
  void put_file(const std::string& name, std::string bytes) override {
    store_->put_file(name, std::move(bytes));
  }

 protected:
  std::shared_ptr<EventStore> store_;
};

/// Calls every decision again as often as wanted, as a store does whose connection is lost at each commit:
/// what was decided before the last call is not written.
class RepeatingEventStore : public SharedEventStore {
 public:
  /// `between` is called before a decision is called again: other events may then come into the log.
  RepeatingEventStore(std::shared_ptr<EventStore> store, int repeats, std::function<void()> between = {})
      : SharedEventStore(std::move(store)), repeats_(repeats), between_(std::move(between)) {}

  std::vector<StoredEvent> add(std::int64_t after, const Decision& decide) override {
    struct LostConnection {};
    for (int k = 0; k < repeats_; ++k) {
      try {
        store_->add(after, [&](const std::vector<StoredEvent>& news) -> std::vector<Event> {
          decide(news);
          if (!news.empty()) after = news.back().sequence;
          throw LostConnection();
        });
      } catch (const LostConnection&) {
        if (between_) between_();
      }
    }
    return store_->add(after, decide);
  }

 private:
  int repeats_;
  std::function<void()> between_;
};

}  // namespace acuity::testing
