#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "base/background.hpp"

namespace acuity {

/// A thread that runs tasks one after the other, in the order in which they were given: a campaign must not
/// be used by two threads at once, and with a mutex the waiting threads would not take turns.
class SerialThread {
 public:
  enum class Priority { usual, low };

  explicit SerialThread(Priority priority = Priority::usual)
      : priority_(priority), thread_([this] { work(); }) {}
  ~SerialThread() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    filled_.notify_one();
  }
  SerialThread(const SerialThread&) = delete;
  SerialThread& operator=(const SerialThread&) = delete;

  /// Waits for its turn and returns what `task` returns; throws what it throws.
  template <typename Task>
  auto run(Task task) -> decltype(task()) {
    std::packaged_task<decltype(task())()> packaged(std::move(task));
    auto result = packaged.get_future();
    add(std::make_shared<Job>([&packaged] { packaged(); }));
    return result.get();
  }

  /// As run(), but throws base::BackgroundEnded soon after `is_unwanted()` has become true: at once if the
  /// task has not begun, and at low priority also while it computes.
  template <typename Task, typename IsUnwanted>
  auto run_unless(const IsUnwanted& is_unwanted, Task task) -> decltype(task()) {
    std::packaged_task<decltype(task())()> packaged(std::move(task));
    auto result = packaged.get_future();
    const auto job = std::make_shared<Job>([&packaged] { packaged(); });
    add(job);
    while (result.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) {
      if (!is_unwanted()) continue;
      job->is_unwanted = true;
      if (remove(job)) throw base::BackgroundEnded();
    }
    return result.get();
  }

 private:
  struct Job {
    explicit Job(std::function<void()> what) : task(std::move(what)) {}
    std::function<void()> task;
    std::atomic<bool> is_unwanted{false};
  };

  void add(std::shared_ptr<Job> job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    filled_.notify_one();
  }

  // False: it has begun.
  bool remove(const std::shared_ptr<Job>& job) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find(jobs_.begin(), jobs_.end(), job);
    if (found == jobs_.end()) return false;
    jobs_.erase(found);
    return true;
  }

  void work() {
    while (true) {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [this] { return ends_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const std::shared_ptr<Job> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      if (priority_ == Priority::usual) {
        job->task();
      } else {
        const base::InBackground in_background(job->is_unwanted);
        job->task();
      }
    }
  }

  const Priority priority_;
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<std::shared_ptr<Job>> jobs_;
  bool ends_ = false;
  std::jthread thread_;  // last: joined before the others are destroyed
};

/// An object that only one thread uses: with() is the only way to it, and waits for a turn of that thread.
template <typename Object>
class OnThread {
 public:
  template <typename... Arguments>
  explicit OnThread(SerialThread::Priority priority, Arguments&&... arguments)
      : object_(std::forward<Arguments>(arguments)...), thread_(priority) {}

  /// Returns what task(object) returns; throws what it throws. What it returns must not refer to the object.
  template <typename Task>
  auto with(const Task& task) -> decltype(task(std::declval<Object&>())) {
    return thread_.run([&] { return task(object_); });
  }
  /// As with(), but throws base::BackgroundEnded soon after `is_unwanted()` has become true.
  template <typename IsUnwanted, typename Task>
  auto with_unless(const IsUnwanted& is_unwanted, const Task& task)
      -> decltype(task(std::declval<Object&>())) {
    return thread_.run_unless(is_unwanted, [&] { return task(object_); });
  }

 private:
  Object object_;
  SerialThread thread_;  // last: its tasks end before the object does
};

}  // namespace acuity
