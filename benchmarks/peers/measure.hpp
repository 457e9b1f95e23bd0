#pragma once

#include <malloc.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <string>

namespace acuity::workloads {

/// User and system time of all threads of this process, in seconds.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A line of /proc/self/status in MB: VmRSS, memory now, or VmHWM, the most there was.
inline double memory_mb(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) / 1024.0;
  return 0.0;
}

/// What some work took. Process start and making the data are not part of it.
struct Measured {
  double cpu = 0.0, wall = 0.0;         ///< seconds
  double base_mb = 0.0, peak_mb = 0.0;  ///< of the process, before the work and at its highest
};

template <typename Work>
Measured measure(const Work& work) {
  malloc_trim(0);                               // what making the data left behind is not a gift to the work
  std::ofstream("/proc/self/clear_refs") << 5;  // the high-water mark starts again from here
  Measured measured{.base_mb = memory_mb("VmRSS")};
  const auto start = std::chrono::steady_clock::now();
  const double cpu = cpu_seconds();
  work();
  measured.cpu = cpu_seconds() - cpu;
  measured.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  measured.peak_mb = memory_mb("VmHWM");
  return measured;
}

}  // namespace acuity::workloads
