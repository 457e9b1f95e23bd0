#include "conduct/failure_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace acuity {

namespace {

constexpr double first_wait = 0.5, longest_wait = 60.0;  // seconds
constexpr int most_failures_of_a_point = 2;

}  // namespace

double FailurePolicy::wait_before_attempt(int waits) {
  return std::min(longest_wait, first_wait * std::exp2(waits));
}

void FailurePolicy::count_answer() {
  has_answer_ = true;
  failed_in_a_row_.clear();
}

void FailurePolicy::count_failure(Index row, std::int64_t id, const std::string& report) {
  failed_in_a_row_.insert(row);
  last_report_ = report;
  if (++failures_[row] != most_failures_of_a_point) return;
  given_up_.push_back(row);
  last_given_up_ = id;
}

void FailurePolicy::count_earlier_failure(Index row, const std::string& report) {
  if (failed_in_a_row_.empty()) last_report_ = report;
  failed_in_a_row_.insert(row);
}

std::string FailurePolicy::why_it_stops() const {
  const int count = failures_in_a_row();
  return fmt::format("{} failed in a row; the last: {}",
                     count == 1 ? "1 point" : fmt::format("{} different points", count), last_report_);
}

std::string FailurePolicy::what_is_left(const std::string& last_point) const {
  if (given_up_.empty()) return "";
  return fmt::format("{} that failed twice {} left, the last is {}",
                     counted(static_cast<std::int64_t>(given_up_.size()), "point"),
                     given_up_.size() == 1 ? "is" : "are", last_point);
}

}  // namespace acuity
