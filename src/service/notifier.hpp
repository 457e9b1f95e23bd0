#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "service/http_client.hpp"

namespace acuity {

/// Posts news of a campaign to an address, such as an incoming webhook of a chat: a JSON object with
/// `campaign`, `event` and `text`. Whoever has news never waits: they are put into a queue under `mutex_`,
/// and a thread of its own sends one after the other, each up to five times with growing pauses. The
/// destructor ends that thread; what was not sent by then is dropped.
class Notifier {
 public:
  /// `complain`: called from its thread with a sentence about what could not be sent.
  Notifier(ServerUrl url, std::string campaign, std::function<void(const std::string&)> complain,
           double first_pause = 2.0);

  void send(const std::string& event, const std::string& text);

 private:
  void run(const std::stop_token& stop);
  void deliver(const std::string& message, const std::stop_token& stop);

  const ServerUrl url_;
  const std::string campaign_;
  const std::function<void(const std::string&)> complain_;
  const double first_pause_;  // seconds
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::string> waiting_;
  std::jthread thread_;
};

}  // namespace acuity
