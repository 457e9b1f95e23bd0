#include "store/leader_event_store.hpp"

#include <exception>
#include <optional>

#include "base/byte_text.hpp"

namespace acuity {

namespace {

std::string bytes_of(const std::vector<StoredEvent>& events) {
  base::ByteWriter bytes;
  bytes.put(events.size());
  for (const StoredEvent& stored : events) {
    bytes.put(stored.sequence);
    bytes.put(stored.time);
    bytes.put(event_name(stored.event));
    bytes.put(to_json(stored.event));
  }
  return bytes.text();
}

std::vector<StoredEvent> events_in(const std::string& text) {
  base::ByteReader bytes(text);
  std::vector<StoredEvent> events(bytes.get<std::size_t>());
  for (StoredEvent& stored : events) {
    stored.sequence = bytes.get<std::int64_t>();
    stored.time = bytes.get<double>();
    const std::string name = bytes.text();
    stored.event = event_from_json(name, bytes.text());
  }
  return events;
}

// The leader alone knows whether it is held; it ends the run if not.
class TenureElsewhere final : public Tenure {
 public:
  bool is_held() override { return true; }
};

// The log of a job. Invariant: all processes have made the same calls, and what a call returned is the same
// in all of them; a call that fails in the leader fails in all. The leader owns the log. A decision is called
// in every process at the same time, inside the transaction of the leader, and may use the job itself. Calls
// come from one thread per process.
class LeaderEventStore final : public EventStore {
 public:
  LeaderEventStore(Job job, std::unique_ptr<EventStore> log) : job_(std::move(job)), log_(std::move(log)) {
    const std::string text = from_leader([&] {
      base::ByteWriter bytes;
      bytes.put(log_->name());
      bytes.put(log_->has_tenure());
      bytes.put(log_->keeps_files());
      return bytes.text();
    });
    base::ByteReader bytes(text);
    name_ = bytes.text();
    has_tenure_ = bytes.get<bool>();
    keeps_files_ = bytes.get<bool>();
  }

  std::vector<StoredEvent> read(std::int64_t after) override {
    return events_in(from_leader([&] { return bytes_of(log_->read(after)); }));
  }

  // The first rank alone has a log. Within its transaction it sends the news to the others, so that all ranks
  // run `decide` together, on the same events and with the same clock, and must come to the same events; what
  // it writes, or the exception that it throws, is then sent to all. A rank that `decide` makes throw makes
  // all throw, and nothing is written.
  std::vector<StoredEvent> add(std::int64_t after, const Decision& decide) override {
    return log_ ? add_as_leader(after, decide) : add_with_leader(decide);
  }

  // Inside of a decision it stands still, so that processes need not look at it equally often there.
  double now() override {
    if (time_of_decision_) return *time_of_decision_;
    return number_from_leader([&] { return log_->now(); });
  }

  bool wait(std::int64_t after, double seconds) override {
    return number_from_leader([&] { return log_->wait(after, seconds) ? 1.0 : 0.0; }) > 0.0;
  }

  const std::string& name() const override { return name_; }
  bool has_tenure() const override { return has_tenure_; }

  std::unique_ptr<Tenure> try_own() override {
    std::unique_ptr<Tenure> tenure;
    const bool owns = number_from_leader([&] {
                        tenure = log_->try_own();
                        return tenure ? 1.0 : 0.0;
                      }) > 0.0;
    if (owns && !tenure) tenure = std::make_unique<TenureElsewhere>();
    return tenure;
  }

  bool keeps_files() const override { return keeps_files_; }

  std::vector<KeptFile> files() override {
    const std::string text = from_leader([&] {
      base::ByteWriter bytes;
      for (const KeptFile& file : log_->files()) {
        bytes.put(file.name);
        bytes.put(file.bytes);
      }
      return bytes.text();
    });
    std::vector<KeptFile> files;
    for (base::ByteReader bytes(text); !bytes.at_end();) {
      std::string name = bytes.text();
      files.push_back({std::move(name), bytes.get<std::int64_t>()});
    }
    return files;
  }

  // Every part goes to all processes; an empty one is the end.
  void read_file(const std::string& name, const std::function<void(std::string_view)>& take) override {
    if (log_) {
      std::exception_ptr error;
      try {
        log_->read_file(name, [&](std::string_view part) {
          if (part.empty()) return;
          job_.broadcast(part);
          take(part);
        });
      } catch (...) {
        error = std::current_exception();
      }
      job_.broadcast({});
      from_leader([&] {
        if (error) std::rethrow_exception(error);
        return std::string();
      });
    } else {
      std::exception_ptr error;  // the other processes go on
      for (std::string part; !(part = job_.broadcast({})).empty();) {
        try {
          if (!error) take(part);
        } catch (...) {
          error = std::current_exception();
        }
      }
      from_leader({});
      if (error) std::rethrow_exception(error);
    }
  }

  void put_file(const std::string& name, std::string bytes) override {
    if (log_) log_->put_file(name, std::move(bytes));
  }

 private:
  // The leader announces every call of the decision, and then the end.
  static constexpr char decision = 'd', end = 'e';

  std::string from_leader(const std::function<std::string()>& work) const { return job_.from_leader(work); }

  double number_from_leader(const std::function<double()>& work) const {
    const std::string text = from_leader([&] {
      base::ByteWriter bytes;
      bytes.put(work());
      return bytes.text();
    });
    return base::ByteReader(text).get<double>();
  }

  std::vector<StoredEvent> add_as_leader(std::int64_t after, const Decision& decide) {
    std::vector<StoredEvent> added;
    std::exception_ptr error;
    try {
      added = log_->add(after, [&](const std::vector<StoredEvent>& news) {
        base::ByteWriter bytes;
        bytes.put(decision);
        bytes.put(log_->now());
        bytes.put(bytes_of(news));
        return decide_together(decide, job_.broadcast(bytes.text()));
      });
    } catch (...) {
      error = std::current_exception();
    }
    job_.broadcast({&end, 1});
    from_leader([&] {
      if (error) std::rethrow_exception(error);
      return bytes_of(added);
    });
    return added;
  }

  std::vector<StoredEvent> add_with_leader(const Decision& decide) {
    std::exception_ptr error;
    for (std::string message; (message = job_.broadcast({})).front() == decision;) {
      error = nullptr;  // of a decision whose result could not be written and that is made again
      try {
        decide_together(decide, message);
      } catch (...) {
        error = std::current_exception();
      }
    }
    try {
      return events_in(from_leader({}));
    } catch (...) {
      if (error) std::rethrow_exception(error);  // the same, as it was thrown here
      throw;
    }
  }

  std::vector<Event> decide_together(const Decision& decide, const std::string& message) {
    std::vector<Event> events;
    const std::optional<double> before = time_of_decision_;
    job_.together([&] {
      base::ByteReader bytes(message);
      bytes.get<char>();
      time_of_decision_ = bytes.get<double>();
      try {
        events = decide(events_in(bytes.text()));
      } catch (...) {
        time_of_decision_ = before;
        throw;
      }
      time_of_decision_ = before;
    });
    return events;
  }

  Job job_;
  std::unique_ptr<EventStore> log_;  // of the leader
  std::string name_;
  bool has_tenure_ = false, keeps_files_ = false;
  std::optional<double> time_of_decision_;
};

}  // namespace

std::unique_ptr<EventStore> share_event_store(Job job, std::unique_ptr<EventStore> log) {
  if (job.is_alone()) return log;
  return std::make_unique<LeaderEventStore>(std::move(job), std::move(log));
}

std::unique_ptr<EventStore> open_shared_event_store(const Job& job, const CampaignAddress& address,
                                                    Access access) {
  std::unique_ptr<EventStore> log;
  job.on_leader([&] { log = open_event_store(address, access); });
  return share_event_store(job, std::move(log));
}

}  // namespace acuity
