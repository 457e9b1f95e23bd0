#include "numerics/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace acuity::numerics {

int default_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(std::ptrdiff_t count, int threads, const std::function<void(std::ptrdiff_t)>& task) {
  const std::ptrdiff_t used = std::min<std::ptrdiff_t>(count, std::max(1, threads));
  if (used <= 1) {
    for (std::ptrdiff_t i = 0; i < count; ++i) task(i);
    return;
  }
  std::atomic<std::ptrdiff_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    for (std::ptrdiff_t i = next++; i < count; i = next++) {
      try {
        task(i);
      } catch (...) {
        next = count;
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::ptrdiff_t t = 1; t < used; ++t) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace acuity::numerics
