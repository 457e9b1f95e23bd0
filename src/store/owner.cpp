#include "store/owner.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "acuity/base/errors.hpp"
#include "acuity/store/open_event_store.hpp"
#include "annotation/process_session.hpp"
#include "text/duration.hpp"

namespace acuity {

namespace {

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

// Distinguishes a process from a later one with the same id; 0 if there is none. A zombie counts as ended.
std::int64_t start_of(std::int64_t process) {
  const std::optional<ProcessEntry> entry = process_entry(static_cast<pid_t>(process));
  return entry && !entry->dead ? static_cast<std::int64_t>(entry->start) : 0;
}

std::string whole_seconds(double seconds) {
  return in_words(std::max(0.0, std::round(seconds)));
}

}  // namespace

OwnerChanged this_process(double lease, double now) {
  return {host_name(), getpid(), start_of(getpid()), process_realm(), now + lease};
}

bool is_here(const OwnerChanged& owner) {
  return owner.host == host_name() && (owner.realm.empty() || owner.realm == process_realm());
}

bool may_be_alive(const OwnerChanged& owner, double now) {
  if (owner.host.empty()) return false;
  if (!is_here(owner)) return !owner.lease_until || now < *owner.lease_until;
  return start_of(owner.process) == owner.process_start && owner.process_start != 0;
}

std::string owned_sentence(const CampaignAddress& address, const OwnerChanged& owner, double since,
                           double seen, double now, bool is_connected) {
  if (owner.host.empty())
    return fmt::format("{}: already being run by another process, which has just begun", address.text());
  const std::string who =
      fmt::format("{}: already being run by process {} on {} (started {} ago", address.text(), owner.process,
                  printable(owner.host, 100), whole_seconds(now - since));
  if (is_here(owner)) return who + "); stop it first: kill " + std::to_string(owner.process);
  if (is_connected)
    return who +
           ", it is connected to the database); stop it there first; if that machine is gone, the database "
           "notices within a minute and the same command then continues";
  const std::string take_over = fmt::format("acuity run {} --take-over", address.argument());
  if (!owner.lease_until)
    return fmt::format("{}, without a lease); stop it there first, or, if that machine is gone: {}", who,
                       take_over);
  return fmt::format(
      "{}, last sign of life {} ago); stop it there first; if that machine is gone, its lease ends in {} and "
      "the "
      "same command then continues, or at once: {}",
      who, whole_seconds(now - seen), whole_seconds(*owner.lease_until - now), take_over);
}

struct Heartbeat::Thread {
  CampaignAddress log;
  OwnerChanged owner;
  double lease;
  Tenure* tenure;
  std::mutex mutex;
  std::condition_variable condition;
  bool stopping = false;
  std::thread thread;

  // Until the lease is to be renewed; a tenure is looked after meanwhile.
  bool wait() {
    constexpr double between_looks = 10.0;
    for (double left = lease / 3.0; left > 0.0; left -= between_looks) {
      std::unique_lock lock(mutex);
      const double next = tenure == nullptr ? left : std::min(left, between_looks);
      if (condition.wait_for(lock, std::chrono::duration<double>(next), [this] { return stopping; }))
        return false;
      if (tenure == nullptr) return true;
      lock.unlock();
      tenure->is_held();  // whether another process has taken over is in the log
    }
    return true;
  }

  void run() {
    std::unique_ptr<EventStore> store;
    std::int64_t seen = 0;
    OwnerChanged last;
    while (wait()) {
      try {
        if (!store) store = open_event_store(log, Access::write);
        const auto added = store->add(seen, [&](const std::vector<StoredEvent>& news) -> std::vector<Event> {
          for (const StoredEvent& stored : news) {
            if (const auto* changed = std::get_if<OwnerChanged>(&stored.event)) last = *changed;
            seen = stored.sequence;
          }
          if (!last.is_same_process(owner)) return {};
          OwnerChanged renewed = owner;
          renewed.lease_until = store->now() + lease;
          return {renewed};
        });
        if (!added.empty()) seen = added.back().sequence;
        if (!last.is_same_process(owner)) return;
      } catch (const std::exception&) {  // a full disk, a damaged log: the run itself will notice
        store.reset();
        seen = 0;
      }
    }
  }
};

Heartbeat::Heartbeat(CampaignAddress log, OwnerChanged owner, double lease, Tenure* tenure)
    : thread_(std::make_unique<Thread>()) {
  thread_->log = std::move(log);
  thread_->owner = std::move(owner);
  thread_->lease = lease;
  thread_->tenure = tenure;
  // Signals are for the thread that waits for annotators.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_->thread = std::thread([t = thread_.get()] { t->run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(thread_->mutex);
    thread_->stopping = true;
  }
  thread_->condition.notify_all();
  thread_->thread.join();
}

}  // namespace acuity
