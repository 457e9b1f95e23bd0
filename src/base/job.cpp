#include "acuity/base/job.hpp"

#include <utility>

#include "acuity/base/interruption.hpp"
#include "acuity/base/ranks.hpp"

namespace acuity {

Job::Job(std::shared_ptr<Ranks> ranks) : ranks_(std::move(ranks)) {}

int Job::number() const {
  return ranks_ ? ranks_->rank() : 0;
}

int Job::count() const {
  return ranks_ ? ranks_->count() : 1;
}

std::string Job::from_leader(const std::function<std::string()>& work) const {
  if (is_alone()) return work();
  constexpr char done = '1', interrupted = '0';
  std::string result = gather([&]() -> std::string {
                         if (!leads()) return "";
                         try {
                           return done + work();
                         } catch (const Interrupted&) {
                           return {interrupted};
                         }
                       }).front();
  if (result.front() == interrupted) throw Interrupted();
  return result.erase(0, 1);
}

void Job::on_leader(const std::function<void()>& work) const {
  from_leader([&] {
    work();
    return std::string();
  });
}

bool Job::as_leader_says(bool mine) const {
  return is_alone() ? mine : broadcast(mine ? "1" : "0") == "1";
}

bool Job::any(bool mine) const {
  return is_alone() ? mine : ranks_->highest(mine ? 1.0 : 0.0) > 0.0;
}

std::vector<std::string> Job::gather(const std::function<std::string()>& work) const {
  return is_alone() ? std::vector{work()} : gather_from_all(*ranks_, work);
}

void Job::together(const std::function<void()>& work) const {
  is_alone() ? work() : on_all_ranks(*ranks_, work);
}

std::string Job::broadcast(std::string_view of_leader) const {
  return is_alone() ? std::string(of_leader) : ranks_->broadcast(of_leader, 0);
}

}  // namespace acuity
