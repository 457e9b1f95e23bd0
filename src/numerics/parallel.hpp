#pragma once

#include <cstddef>
#include <functional>

namespace acuity::numerics {

/// Threads to use when nobody says: as many as the machine has.
int default_threads();

/// Calls task(0) ... task(count - 1), each once, on up to `threads` threads. Which thread runs which task is
/// not fixed, so a task must write to its own place only; then results do not depend on the number of
/// threads. The first exception a task throws is thrown again here, after all threads have ended.
void parallel_for(std::ptrdiff_t count, int threads, const std::function<void(std::ptrdiff_t)>& task);

}  // namespace acuity::numerics
