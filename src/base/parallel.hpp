#pragma once

#include <cstddef>
#include <functional>

namespace acuity::base {

/// The default number of threads: the number of processors.
int default_threads();

/// Calls work() on up to `threads` threads at once, including this one; on fewer if the threads are busy with
/// other work, so a single call must be able to do all of it. The first exception is rethrown after all calls
/// have returned.
void on_threads(int threads, const std::function<void()>& work);

/// Calls task(0) ... task(count - 1), each once, on up to `threads` threads. Which thread runs which task is
/// not fixed, so a task must write to its own place only; then results do not depend on the number of
/// threads. If tasks throw, the exception of the lowest one is rethrown after all threads have finished.
void parallel_for(std::ptrdiff_t count, int threads, const std::function<void(std::ptrdiff_t)>& task);

}  // namespace acuity::base
