#include "base/parallel.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "acuity/base/interruption.hpp"
#include "base/background.hpp"

namespace acuity::base {

namespace {

// A pool of sleeping threads: starting a thread can take longer than a task.
class Workers {
 public:
  // Calls work() on `helpers` threads and on this one, and returns when all calls have returned. Returns
  // false without calling it if the workers are busy with another call, or this thread is one of them.
  bool run(std::size_t helpers, const std::function<void()>& work) {
    const std::unique_lock<std::mutex> mine(busy_, std::try_to_lock);
    if (!mine) return false;
    {
      const std::lock_guard lock(mutex_);
      while (threads_.size() < helpers)
        threads_.emplace_back([this](const std::stop_token& stop) { serve(stop); });
      work_ = &work;
      wanted_ = helpers;
      running_ = helpers;
    }
    wake_.notify_all();
    work();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
    return true;
  }

 private:
  void serve(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (wake_.wait(lock, stop, [this] { return wanted_ > 0; })) {
      --wanted_;
      const std::function<void()>* work = work_;
      lock.unlock();
      (*work)();
      lock.lock();
      if (--running_ == 0) done_.notify_all();
    }
  }

  std::mutex busy_;   // held during run() by its caller
  std::mutex mutex_;  // guards the rest
  std::condition_variable_any wake_;
  std::condition_variable done_;
  const std::function<void()>* work_ = nullptr;
  std::size_t wanted_ = 0, running_ = 0;  // calls not yet begun, calls not yet ended
  std::vector<std::jthread> threads_;  // last member: threads end before the members they use are destroyed
};

// After a fork the child has none of the parent's threads, so it needs a new pool.
std::unique_ptr<Workers>& workers() {
  static std::unique_ptr<Workers> all = [] {
    pthread_atfork(nullptr, nullptr, [] {
      static_cast<void>(workers().release());  // leaked: its threads do not exist here and cannot be joined
      workers() = std::make_unique<Workers>();
    });
    return std::make_unique<Workers>();
  }();
  return all;
}

// Nested calls run on this thread alone: the outer call uses the others.
thread_local bool inside = false;

}  // namespace

bool keep_in_this_thread(bool alone) {
  return std::exchange(inside, alone);
}

int default_threads() {
  // Batch systems and containers restrict a process to some processors; the set may change while it runs.
  for (std::size_t processors = 1024; processors <= 1024 * 1024; processors *= 8) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(processors),
                                                               [](cpu_set_t* one) { CPU_FREE(one); });
    const std::size_t size = CPU_ALLOC_SIZE(processors);
    if (set == nullptr) break;
    if (::sched_getaffinity(0, size, set.get()) == 0) return std::max(1, CPU_COUNT_S(size, set.get()));
    if (errno != EINVAL) break;  // otherwise the machine has more processors than the set has room for
  }
  static const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // reads a file
  return all;
}

void on_threads(int threads, const std::function<void()>& work) {
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const std::function<void()> guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  if (threads > 1 && !inside) {
    const std::function<void()> marked = [&] {
      inside = true;
      guarded();
      inside = false;
    };
    if (!workers()->run(static_cast<std::size_t>(threads) - 1, marked)) guarded();
  } else {
    guarded();
  }
  if (failure) std::rethrow_exception(failure);
}

void parallel_for(std::ptrdiff_t count, int threads, const std::function<void(std::ptrdiff_t)>& task) {
  if (count <= 1 || threads <= 1) {
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      check_interruption();
      task(i);
    }
    return;
  }
  std::atomic<std::ptrdiff_t> next = 0;
  std::ptrdiff_t failed = count;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  on_threads(static_cast<int>(std::min<std::ptrdiff_t>(count, threads)), [&] {
    for (std::ptrdiff_t i = next++; i < count; i = next++) {
      try {
        check_interruption();
        task(i);
      } catch (...) {
        next = count;
        const std::lock_guard lock(failure_mutex);
        // Tasks begin in order and every task that has begun is finished, so the lowest one that throws is
        // always found.
        if (i < failed) failed = i, failure = std::current_exception();
      }
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace acuity::base
