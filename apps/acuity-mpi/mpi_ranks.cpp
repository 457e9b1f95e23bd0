#include "mpi_ranks.hpp"

#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <set>
#include <stdexcept>
#include <thread>

namespace acuity {

namespace {

using Clock = std::chrono::steady_clock;

// A rank may wait for hours while the annotators of rank 0 work, perhaps on this machine, so a wait that is
// not over soon sleeps: at first for microseconds, in the end for milliseconds. Short waits are not slowed
// down.
void wait_for(MPI_Request& request) {
  constexpr auto busy_time = std::chrono::microseconds(200);
  const Clock::time_point begin = Clock::now();
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    const auto waited = Clock::now() - begin;
    if (waited < busy_time)
      ::sched_yield();
    else
      std::this_thread::sleep_for(std::min<Clock::duration>(waited / 8, std::chrono::milliseconds(5)));
  }
}

// Every call begins with one of these from each rank, by which a rank that is out of step is noticed instead
// of its bytes being taken for something else.
struct Announcement {
  enum class Call : std::int64_t { gather = 1, broadcast = 2, highest = 3 };
  Call call = Call::gather;
  std::int64_t bytes = 0;
  double value = 0.0;
};

class MpiRanks final : public Ranks {
 public:
  explicit MpiRanks(MPI_Comm ranks) : ranks_(ranks) {
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &count_);
  }

  int rank() const override { return rank_; }
  int count() const override { return count_; }

  std::vector<std::string> gather(std::string_view mine) override {
    const Timer timer(*this);
    const std::vector<Announcement> all =
        announce({Announcement::Call::gather, static_cast<std::int64_t>(mine.size()), 0.0});
    std::vector<std::string> results(all.size());
    std::int64_t sum = 0;
    for (const Announcement& one : all) sum += one.bytes;
    if (sum <= std::numeric_limits<int>::max()) {
      std::vector<int> counts, begins;
      int begin = 0;
      for (const Announcement& one : all) {
        counts.push_back(static_cast<int>(one.bytes));
        begins.push_back(begin);
        begin += counts.back();
      }
      std::string bytes(static_cast<std::size_t>(sum), '\0');
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Iallgatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, bytes.data(), counts.data(),
                      begins.data(), MPI_BYTE, ranks_, &request);
      wait_for(request);
      for (std::size_t k = 0; k < all.size(); ++k)
        results[k] =
            bytes.substr(static_cast<std::size_t>(begins[k]), static_cast<std::size_t>(all[k].bytes));
    } else {  // more than MPI can count in one call
      for (std::size_t k = 0; k < all.size(); ++k) {
        results[k].resize(static_cast<std::size_t>(all[k].bytes));
        if (static_cast<int>(k) == rank_) results[k] = mine;
        spread(results[k], static_cast<int>(k));
      }
    }
    traffic_.bytes += static_cast<std::int64_t>(mine.size());
    return results;
  }

  std::string broadcast(std::string_view mine, int from) override {
    const Timer timer(*this);
    const std::vector<Announcement> all =
        announce({Announcement::Call::broadcast, static_cast<std::int64_t>(mine.size()), 0.0});
    std::string bytes(static_cast<std::size_t>(all[static_cast<std::size_t>(from)].bytes), '\0');
    if (rank_ == from) bytes = mine, traffic_.bytes += static_cast<std::int64_t>(mine.size());
    spread(bytes, from);
    return bytes;
  }

  double highest(double mine) override {
    const Timer timer(*this);
    double result = mine;
    for (const Announcement& one : announce({Announcement::Call::highest, 0, mine}))
      result = std::max(result, one.value);
    return result;
  }

  MpiJob::Traffic traffic() const { return traffic_; }

 private:
  class Timer {
   public:
    explicit Timer(MpiRanks& ranks) : ranks_(ranks), begin_(Clock::now()) {}
    ~Timer() {
      ++ranks_.traffic_.calls;
      ranks_.traffic_.seconds += std::chrono::duration<double>(Clock::now() - begin_).count();
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

   private:
    MpiRanks& ranks_;
    Clock::time_point begin_;
  };

  std::vector<Announcement> announce(const Announcement& mine) {
    std::vector<Announcement> all(static_cast<std::size_t>(count_));
    constexpr int bytes = sizeof(Announcement);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(&mine, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, ranks_, &request);
    wait_for(request);
    traffic_.bytes += bytes;
    for (const Announcement& one : all)
      if (one.call != mine.call) throw std::logic_error("the ranks are out of step");
    return all;
  }

  // The bytes of rank `from` to all, where there is room for them already.
  void spread(std::string& bytes, int from) {
    constexpr std::size_t most = 1U << 30U;
    for (std::size_t begin = 0; begin < bytes.size(); begin += most) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ibcast(bytes.data() + begin, static_cast<int>(std::min(most, bytes.size() - begin)), MPI_BYTE, from,
                 ranks_, &request);
      wait_for(request);
    }
  }

  MPI_Comm ranks_;
  int rank_ = 0, count_ = 1;
  MpiJob::Traffic traffic_;
};

}  // namespace

struct MpiJob::Parts {
  MPI_Comm work = MPI_COMM_NULL, end = MPI_COMM_NULL;
};

MpiJob::MpiJob(int& argc, char**& argv) : parts_(std::make_unique<Parts>()) {
  int granted = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &granted);
  MPI_Comm_dup(MPI_COMM_WORLD, &parts_->work);
  MPI_Comm_dup(MPI_COMM_WORLD, &parts_->end);
  ranks_ = std::make_shared<MpiRanks>(parts_->work);
}

MpiJob::~MpiJob() {
  MPI_Comm_free(&parts_->work);
  MPI_Comm_free(&parts_->end);
  MPI_Finalize();
}

std::string MpiJob::library() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return text.substr(0, text.find(','));
}

int MpiJob::hosts() const {
  std::string name(MPI_MAX_PROCESSOR_NAME, '\0');
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  name.resize(static_cast<std::size_t>(length));
  const std::vector<std::string> names = ranks_->gather(name);
  return static_cast<int>(std::set<std::string>(names.begin(), names.end()).size());
}

bool MpiJob::all_have_ended(double seconds) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(parts_->end, &request);
  const Clock::time_point begin = Clock::now();
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
    if (std::chrono::duration<double>(Clock::now() - begin).count() > seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void MpiJob::abort(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();  // MPI_Abort does not return
}

MpiJob::Traffic MpiJob::traffic() const {
  return static_cast<const MpiRanks&>(*ranks_).traffic();
}

}  // namespace acuity
