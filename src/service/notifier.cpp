#include "service/notifier.hpp"

#include <fmt/format.h>

#include <chrono>

#include "text/json.hpp"

namespace acuity {

Notifier::Notifier(ServerUrl url, std::string campaign, std::function<void(const std::string&)> complain,
                   double first_pause)
    : url_(std::move(url)),
      campaign_(std::move(campaign)),
      complain_(std::move(complain)),
      first_pause_(first_pause),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Notifier::send(const std::string& event, const std::string& text) {
  const Json message{{"campaign", campaign_}, {"event", event}, {"text", campaign_ + ": " + text}};
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(json_text(message));
  }
  changed_.notify_all();
}

void Notifier::run(const std::stop_token& stop) {
  while (true) {
    std::string message;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
      message = std::move(waiting_.front());
      waiting_.pop_front();
    }
    deliver(message, stop);
  }
}

void Notifier::deliver(const std::string& message, const std::stop_token& stop) {
  constexpr int attempts = 5;
  std::string problem;
  double pause = first_pause_;
  for (int attempt = 0; attempt < attempts; ++attempt, pause *= 2.0) {
    if (attempt > 0) {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, stop, std::chrono::duration<double>(pause), [] { return false; });
      if (stop.stop_requested()) return;
    }
    try {
      const int status = HttpClient(url_, "", 20.0).post(url_.path.empty() ? "/" : "", message).status;
      if (status < 300) return;
      problem = fmt::format("it answered with status {}", status);
      if (status < 500 && status != 429) break;  // the same again would be refused again
    } catch (const std::exception& error) {
      problem = error.what();
    }
  }
  complain_(fmt::format("--notify {}: a message could not be sent: {}", url_.text(), problem));
}

}  // namespace acuity
