#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "acuity/base/ranks.hpp"

namespace acuity {

/// The ranks of this MPI job. mpi_ranks.cpp alone knows MPI. One object per process; it starts MPI and ends
/// it.
class MpiJob {
 public:
  MpiJob(int& argc, char**& argv);
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  const std::shared_ptr<Ranks>& ranks() const { return ranks_; }
  /// "Open MPI v4.1.4"
  static std::string library();

  /// The number of machines that the ranks are on. All ranks must call it.
  int hosts() const;

  /// Waits until every rank is here, for `seconds` at most. False if one does not come: it waits elsewhere
  /// for what this rank will never send.
  bool all_have_ended(double seconds);
  /// Ends all ranks at once.
  [[noreturn]] void abort(int exit_code);

  /// Calls and bytes that this rank has sent, for benchmarks.
  struct Traffic {
    std::int64_t calls = 0, bytes = 0;
    double seconds = 0.0;  ///< spent in calls
  };
  Traffic traffic() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::shared_ptr<Ranks> ranks_;
};

}  // namespace acuity
