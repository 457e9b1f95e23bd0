#pragma once

#include <cstddef>
#include <functional>

namespace acuity::numerics {

/// Threads to use when nobody says: as many as the machine has.
int default_threads();

/// Calls work() on up to `threads` threads at once, this one among them; fewer where others keep them busy,
/// so work() must be able to do all of it alone. The first exception is thrown again here, after all have
/// ended.
void on_threads(int threads, const std::function<void()>& work);

/// Calls task(0) ... task(count - 1), each once, on up to `threads` threads. Which thread runs which task is
/// not fixed, so a task must write to its own place only; then results do not depend on the number of
/// threads. Where tasks throw, the exception of the lowest one is thrown again here, after all threads have
/// ended.
void parallel_for(std::ptrdiff_t count, int threads, const std::function<void(std::ptrdiff_t)>& task);

}  // namespace acuity::numerics
