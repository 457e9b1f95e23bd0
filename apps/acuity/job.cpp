#include "job.hpp"

#include <optional>
#include <utility>

namespace acuity {

namespace {

std::optional<Job>& job_given() {
  static std::optional<Job> job;
  return job;
}

}  // namespace

const Job& this_job() {
  static const Job alone;
  return job_given() ? *job_given() : alone;
}

void set_job(Job job) {
  job_given() = std::move(job);
}

bool is_started_by_mpirun() {
  return job_given().has_value();
}

}  // namespace acuity
