#include "support/store_load.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "acuity/campaign/state.hpp"
#include "acuity/store/open_event_store.hpp"

namespace acuity::testing {

namespace {

using LoadClock = std::chrono::steady_clock;

double seconds_since(LoadClock::time_point begin) {
  return std::chrono::duration<double>(LoadClock::now() - begin).count();
}

// Multiples of 1/4, so that sums are exact in any order.
double cost_of(int client, std::int64_t round) {
  return 0.25 * static_cast<double>(1 + (client * 7 + round * 13) % 40);
}

struct Books {
  std::map<std::int64_t, double> reserved, paid;  // by number of the suggestion
};

void ask_and_tell(EventStore& store, int client, const std::function<bool()>& goes_on, Books& books,
                  std::vector<double>& latencies) {
  State state;
  for (const StoredEvent& stored : store.read(0)) state.apply(stored);
  const auto transaction = [&](const std::function<Event()>& decide) {
    const auto begin = LoadClock::now();
    const auto added = store.add(state.sequence(), [&](const std::vector<StoredEvent>& news) {
      for (const StoredEvent& stored : news) state.apply(stored);  // throws if anything is out of order
      return std::vector<Event>{decide()};
    });
    latencies.push_back(seconds_since(begin));
    for (const StoredEvent& stored : added) state.apply(stored);
  };
  for (std::int64_t round = 0; goes_on(); ++round) {
    const double cost = cost_of(client, round);
    std::int64_t id = 0;
    transaction([&] {
      id = state.next_id();
      return Asked{id,
                   id % 1000,
                   "point " + std::to_string(id % 1000),
                   "fine",
                   std::nullopt,
                   GaussianChannel{1e-4},
                   cost,
                   1.5,
                   -0.25,
                   0.125,
                   "client " + std::to_string(client),
                   std::nullopt};
    });
    books.reserved[id] = cost;
    if (!goes_on()) return;
    transaction([&] { return Told{id, {0.1 * static_cast<double>(round)}, cost}; });
    books.paid[id] = cost;
  }
}

}  // namespace

double StoreLoad::latency(double part) const {
  if (latencies.empty()) return 0.0;
  const auto at = static_cast<std::size_t>(part * static_cast<double>(latencies.size()));
  return latencies[std::min(at, latencies.size() - 1)];
}

StoreLoad load_store(const CampaignAddress& address, int clients, double seconds,
                     const std::function<void()>& meanwhile) {
  Created created;
  created.version = "0.2.0";
  created.name = "load";
  created.budget = 1e12;
  create_event_store(address, std::vector<Event>{created});
  StoreLoad load;
  std::mutex mutex;
  Books all;
  const auto begin = LoadClock::now();
  std::vector<std::thread> threads;
  for (int client = 0; client < clients; ++client)
    threads.emplace_back([&, client] {
      Books books;
      std::vector<double> latencies;
      std::string problem;
      try {
        const auto store = open_event_store(address);
        ask_and_tell(*store, client, [&] { return seconds_since(begin) < seconds; }, books, latencies);
      } catch (const std::exception& error) {
        problem = error.what();
      }
      const std::lock_guard lock(mutex);
      if (!problem.empty()) load.problems.push_back(problem);
      load.acknowledged += static_cast<std::int64_t>(latencies.size());
      load.latencies.insert(load.latencies.end(), latencies.begin(), latencies.end());
      for (const auto& [id, cost] : books.reserved)
        if (!all.reserved.emplace(id, cost).second)
          load.problems.push_back("suggestion " + std::to_string(id) + " was given out twice");
      all.paid.insert(books.paid.begin(), books.paid.end());
    });
  if (meanwhile) meanwhile();
  for (std::thread& thread : threads) thread.join();
  load.seconds = seconds_since(begin);
  std::sort(load.latencies.begin(), load.latencies.end());

  State state;
  for (const StoredEvent& stored : open_event_store(address, Access::read)->read(0)) state.apply(stored);
  load.in_log = state.sequence() - 1;
  const auto expect = [&](double found, double expected, const std::string& what) {
    if (found != expected)
      load.problems.push_back(what + " is " + std::to_string(found) + ", must be " +
                              std::to_string(expected));
  };
  double paid = 0.0, reserved = 0.0;
  for (const auto& [id, cost] : all.reserved) (all.paid.contains(id) ? paid : reserved) += cost;
  expect(static_cast<double>(load.in_log), static_cast<double>(load.acknowledged), "the number of events");
  expect(state.spent(), paid, "what was spent");
  expect(state.escrow(), reserved, "what is reserved");
  expect(static_cast<double>(state.suggestions().size()), static_cast<double>(all.reserved.size()),
         "the number of suggestions");
  for (const auto& [id, cost] : all.reserved) {
    const SuggestionRecord* record = state.find(id);
    if (record == nullptr || record->asked.cost != cost)
      load.problems.push_back("suggestion " + std::to_string(id) + " is not what was acknowledged");
  }
  if (const LogInspection found = inspect_log(address); found.problem_count > 0)
    load.problems.insert(load.problems.end(), found.problems.begin(), found.problems.end());
  return load;
}

}  // namespace acuity::testing
