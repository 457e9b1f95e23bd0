#include "store/memory_event_store.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "base/clock.hpp"
#include "store/event_limits.hpp"

namespace acuity {

namespace {

class MemoryEventStore : public EventStore {
 public:
  explicit MemoryEventStore(std::vector<StoredEvent> events)
      : events_(std::move(events)), last_time_(events_.empty() ? 0.0 : events_.back().time) {}

  std::vector<StoredEvent> read(std::int64_t after) override {
    const std::lock_guard lock(mutex_);
    return since(after);
  }

  // The mutex is held while `decide` runs, so `decide` must not use this store but for put_file(). Events are
  // appended after all of them were found valid: an exception leaves the log as it was.
  std::vector<StoredEvent> add(std::int64_t after, const Decision& decide) override {
    const std::lock_guard lock(mutex_);
    std::vector<StoredEvent> added;
    const double time = clock();
    const Put put(*this);
    for (Event& event : decide(since(after))) {
      require_valid(event);
      added.push_back({static_cast<std::int64_t>(events_.size() + added.size()) + 1, time, std::move(event)});
    }
    events_.insert(events_.end(), added.begin(), added.end());
    if (!added.empty()) {
      last_time_ = time;
      for (auto& [name, bytes] : *put_) files_[name] = std::move(bytes);
      grown_.notify_all();
    }
    return added;
  }

  double now() override { return clock(); }

  bool wait(std::int64_t after, double seconds) override {
    std::unique_lock lock(mutex_);
    return grown_.wait_for(lock, std::chrono::duration<double>(seconds),
                           [&] { return static_cast<std::int64_t>(events_.size()) > after; });
  }

  const std::string& name() const override {
    static const std::string name = "the log in memory";
    return name;
  }

  bool keeps_files() const override { return true; }

  std::vector<KeptFile> files() override {
    std::vector<KeptFile> files;
    for (const auto& [name, bytes] : files_) files.push_back({name, static_cast<std::int64_t>(bytes.size())});
    return files;
  }

  void read_file(const std::string& file, const std::function<void(std::string_view)>& take) override {
    const auto found = files_.find(file);
    if (found == files_.end()) return EventStore::read_file(file, take);
    take(found->second);
  }

  void put_file(const std::string& file, std::string bytes) override {
    if (!put_) throw std::logic_error("put_file() outside of a decision");
    (*put_)[file] = std::move(bytes);
  }

 private:
  // While a decision is made, files may be put.
  struct Put {
    explicit Put(MemoryEventStore& s) : store(s) { store.put_.emplace(); }
    ~Put() { store.put_.reset(); }
    Put(const Put&) = delete;
    Put& operator=(const Put&) = delete;
    MemoryEventStore& store;
  };

  std::vector<StoredEvent> since(std::int64_t after) const {
    return {events_.begin() + std::min(after, static_cast<std::int64_t>(events_.size())), events_.end()};
  }

  // Decisions ask for the time as well, so this takes no lock.
  double clock() const { return std::max(acuity::now(), last_time_.load()); }

  std::mutex mutex_;
  std::condition_variable grown_;
  std::vector<StoredEvent> events_;
  std::atomic<double> last_time_;
  std::map<std::string, std::string> files_;
  std::optional<std::map<std::string, std::string>> put_;
};

}  // namespace

std::unique_ptr<EventStore> make_memory_event_store() {
  return make_memory_event_store({});
}

std::unique_ptr<EventStore> make_memory_event_store(std::vector<StoredEvent> events) {
  return std::make_unique<MemoryEventStore>(std::move(events));
}

}  // namespace acuity
