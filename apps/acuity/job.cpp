#include "job.hpp"

namespace acuity {

namespace {

std::shared_ptr<Ranks>& the_ranks() {
  static std::shared_ptr<Ranks> ranks;
  return ranks;
}

}  // namespace

const std::shared_ptr<Ranks>& job_ranks() {
  return the_ranks();
}

void set_job_ranks(std::shared_ptr<Ranks> ranks) {
  the_ranks() = std::move(ranks);
}

}  // namespace acuity
