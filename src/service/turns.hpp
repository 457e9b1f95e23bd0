#pragma once

#include <atomic>
#include <string>

#include "service/http_message.hpp"

namespace acuity {

/// At most so many requests of one kind are answered or wait at a time. Every request has a thread of the
/// server while it waits: if those that take long had all of them, asks and answers would find none.
class Turns {
 public:
  /// `refusal`: what a further request is told.
  Turns(int most, std::string refusal, double retry_after)
      : most_(most), refusal_(std::move(refusal)), retry_after_(retry_after) {}

  /// As long as it exists the request counts.
  class Turn {
   public:
    explicit Turn(std::atomic<int>& taken) : taken_(taken) {}
    ~Turn() { --taken_; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    std::atomic<int>& taken_;
  };

  /// Throws HttpProblem 503 if there are too many.
  Turn take() {
    if (++taken_ <= most_) return Turn(taken_);
    --taken_;
    throw HttpProblem(503, refusal_, retry_after_);
  }

 private:
  const int most_;
  const std::string refusal_;
  const double retry_after_;
  std::atomic<int> taken_{0};
};

}  // namespace acuity
