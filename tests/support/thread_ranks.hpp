#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "acuity/base/job.hpp"
#include "acuity/base/ranks.hpp"
#include "acuity/data/shared_pool.hpp"

namespace acuity {

/// Ranks that are threads of this process: what is shared among ranks is tested without MPI.
class ThreadRanks {
 public:
  /// Calls work(rank's view) on `count` threads at once and returns when all have returned. If some throw,
  /// the exception of the lowest is rethrown; ranks that wait for one that has ended throw, too, so that a
  /// collective call that not every rank makes fails and does not hang.
  static void run(int count, const std::function<void(Ranks&)>& work) {
    Shared shared(count);
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(count));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < count; ++rank)
      threads.emplace_back([&, rank] {
        One view(shared, rank);
        try {
          work(view);
        } catch (const Abandoned&) {  // another rank's fault
        } catch (...) {
          errors[static_cast<std::size_t>(rank)] = std::current_exception();
        }
        shared.leave();
      });
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
    if (shared.abandoned) throw std::logic_error("ThreadRanks: a rank ended while others waited for it");
  }

 private:
  struct Abandoned {};

  struct Shared {
    explicit Shared(int ranks) : count(ranks), deposited(static_cast<std::size_t>(ranks)) {}

    int count;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> deposited;
    std::vector<std::string> gathered;
    int arrived = 0, gone = 0;
    long round = 0;
    bool abandoned = false;

    std::vector<std::string> gather(int rank, std::string_view mine) {
      std::unique_lock lock(mutex);
      deposited[static_cast<std::size_t>(rank)] = mine;
      const long this_round = round;
      if (++arrived == count) {
        // Everybody has read the results of the last round: nobody arrives before.
        gathered = deposited;
        arrived = 0;
        ++round;
        changed.notify_all();
      } else {
        changed.wait(lock, [&] { return round != this_round || gone > 0; });
        if (round == this_round) {
          abandoned = true;
          throw Abandoned{};
        }
      }
      return gathered;
    }

    void leave() {
      const std::lock_guard lock(mutex);
      ++gone;
      if (arrived > 0) abandoned = true;
      changed.notify_all();
    }
  };

  class One final : public Ranks {
   public:
    One(Shared& shared, int rank) : shared_(shared), rank_(rank) {}
    int rank() const override { return rank_; }
    int count() const override { return shared_.count; }
    std::vector<std::string> gather(std::string_view mine) override { return shared_.gather(rank_, mine); }
    std::string broadcast(std::string_view mine, int from) override {
      const std::string_view sent = rank_ == from ? mine : std::string_view();
      return shared_.gather(rank_, sent)[static_cast<std::size_t>(from)];
    }

   private:
    Shared& shared_;
    int rank_;
  };
};

/// The job of these ranks, which outlive what uses it.
inline Job job_of(Ranks& ranks) {
  return Job(std::shared_ptr<Ranks>(std::shared_ptr<void>(), &ranks));
}
inline SharedPool pool_of(Ranks& ranks) {
  return SharedPool(job_of(ranks));
}

}  // namespace acuity
