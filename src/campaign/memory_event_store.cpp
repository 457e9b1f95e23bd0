#include "campaign/memory_event_store.hpp"

#include <mutex>

#include "campaign/event_rules.hpp"
#include "numerics/clock.hpp"

namespace acuity {

namespace {

class MemoryEventStore : public EventStore {
 public:
  explicit MemoryEventStore(std::vector<StoredEvent> events) : events_(std::move(events)) {}

  std::vector<StoredEvent> read(std::int64_t after) override {
    const std::lock_guard lock(mutex_);
    return since(after);
  }

  std::vector<StoredEvent> add(std::int64_t after, const Decision& decide) override {
    const std::lock_guard lock(mutex_);
    std::vector<StoredEvent> added;
    const double now = acuity::now();
    for (Event& event : decide(since(after))) {
      require_valid(event);
      added.push_back({static_cast<std::int64_t>(events_.size() + added.size()) + 1, now, std::move(event)});
    }
    events_.insert(events_.end(), added.begin(), added.end());
    return added;
  }

 private:
  std::vector<StoredEvent> since(std::int64_t after) const {
    return {events_.begin() + std::min(after, static_cast<std::int64_t>(events_.size())), events_.end()};
  }

  std::mutex mutex_;
  std::vector<StoredEvent> events_;
};

}  // namespace

std::unique_ptr<EventStore> make_memory_event_store() {
  return make_memory_event_store({});
}

std::unique_ptr<EventStore> make_memory_event_store(std::vector<StoredEvent> events) {
  return std::make_unique<MemoryEventStore>(std::move(events));
}

}  // namespace acuity
