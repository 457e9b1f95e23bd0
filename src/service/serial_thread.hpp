#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
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
      : thread_([this, priority] {
          if (priority == Priority::usual) return work();
          const base::InBackground in_background(never_);
          work();
        }) {}
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
    {
      const std::lock_guard lock(mutex_);
      tasks_.emplace_back([&packaged] { packaged(); });
    }
    filled_.notify_one();
    return result.get();
  }

 private:
  void work() {
    while (true) {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  const std::atomic<bool> never_{false};
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<std::function<void()>> tasks_;
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

 private:
  Object object_;
  SerialThread thread_;  // last: its tasks end before the object does
};

}  // namespace acuity
