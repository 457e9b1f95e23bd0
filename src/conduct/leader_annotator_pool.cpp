#include "conduct/leader_annotator_pool.hpp"

#include <functional>
#include <stdexcept>

#include "base/byte_text.hpp"

namespace acuity {

namespace {

void put_optional(base::ByteWriter& bytes, const std::optional<double>& value) {
  bytes.put(value.has_value());
  bytes.put(value.value_or(0.0));
}

std::optional<double> get_optional(base::ByteReader& bytes) {
  const bool present = bytes.get<bool>();
  const double value = bytes.get<double>();
  return present ? std::optional(value) : std::nullopt;
}

void put_outcome(base::ByteWriter& bytes, const Outcome& outcome) {
  const Answer& answer = outcome.answer;
  if (answer.row || answer.inputs || answer.level)
    throw std::logic_error("annotators that answer about another point cannot be shared by ranks");
  bytes.put(outcome.kind);
  bytes.put(outcome.id);
  bytes.put(outcome.reason);
  bytes.put(outcome.cost);
  bytes.put(outcome.report);
  bytes.put(answer.id);
  bytes.put(answer.values);
  put_optional(bytes, answer.cost);
  bytes.put(answer.where);
  bytes.put(answer.channel.has_value());
  const Channel channel = answer.channel.value_or(GaussianChannel{});
  const auto* flip = std::get_if<FlipChannel>(&channel);
  bytes.put(flip != nullptr);
  if (flip != nullptr)
    bytes.put(*flip);
  else
    bytes.put(std::get<GaussianChannel>(channel));
}

Outcome get_outcome(base::ByteReader& bytes) {
  Outcome outcome;
  outcome.kind = bytes.get<Outcome::Kind>();
  outcome.id = bytes.get<std::int64_t>();
  outcome.reason = bytes.text();
  outcome.cost = bytes.get<double>();
  outcome.report = bytes.text();
  outcome.answer.id = bytes.get<std::int64_t>();
  outcome.answer.values = bytes.numbers();
  outcome.answer.cost = get_optional(bytes);
  outcome.answer.where = bytes.text();
  const bool has_channel = bytes.get<bool>();
  Channel channel;
  if (bytes.get<bool>())
    channel = bytes.get<FlipChannel>();
  else
    channel = bytes.get<GaussianChannel>();
  if (has_channel) outcome.answer.channel = channel;
  return outcome;
}

// The annotators of a job. Invariant: after every call all processes know the same about the annotators,
// which the leader owns and lets work; the others only get outcomes. Calls come from one thread per process.
class LeaderAnnotatorPool final : public AnnotatorPool {
 public:
  LeaderAnnotatorPool(Job job, std::unique_ptr<AnnotatorPool> annotators)
      : job_(std::move(job)), annotators_(std::move(annotators)) {
    together([] {});
  }

  void start(const Suggestion& suggestion) override {
    together([&] { annotators_->start(suggestion); });
  }
  void resume(const Suggestion& suggestion) override {
    together([&] { annotators_->resume(suggestion); });
  }
  void end_unwanted(const State& state) override {
    together([&] { annotators_->end_unwanted(state); });
  }
  void end_leftovers(const State& state) override {
    together([&] { annotators_->end_leftovers(state); });
  }
  // answers_at_once() is false, also for simulations: steps are then grouped by the clock, which is not the
  // same in all processes.

  bool outlives_owner() const override { return outlives_owner_; }
  bool is_up_to_date() const override { return is_up_to_date_; }
  // For the user, whom the leader alone talks to.
  std::vector<std::string> take_notes() override {
    return annotators_ ? annotators_->take_notes() : std::vector<std::string>();
  }

  int busy() const override { return busy_; }
  std::vector<Outcome> wait(double seconds) override {
    std::vector<Outcome> outcomes;
    const std::string text = job_.from_leader([&] {
      outcomes = annotators_->wait(seconds);
      base::ByteWriter bytes;
      put_state(bytes);
      bytes.put(outcomes.size());
      for (const Outcome& outcome : outcomes) put_outcome(bytes, outcome);
      return bytes.text();
    });
    base::ByteReader bytes(text);
    take_state(bytes);
    if (annotators_) return outcomes;
    outcomes.resize(bytes.get<std::size_t>());
    for (Outcome& outcome : outcomes) outcome = get_outcome(bytes);
    return outcomes;
  }
  void stop_starting() override {
    together([&] { annotators_->stop_starting(); });
  }
  void end() override {
    together([&] { annotators_->end(); });
  }
  bool follow_study(int workers) override {
    bool follows = false;
    together([&] { follows = annotators_->follow_study(workers); });
    return job_.as_leader_says(follows);
  }

 private:
  void put_state(base::ByteWriter& bytes) const {
    bytes.put(annotators_->busy());
    bytes.put(annotators_->outlives_owner());
    bytes.put(annotators_->is_up_to_date());
  }
  void take_state(base::ByteReader& bytes) {
    busy_ = bytes.get<int>();
    outlives_owner_ = bytes.get<bool>();
    is_up_to_date_ = bytes.get<bool>();
  }
  // Calls work() in the leader; then all know how its annotators are.
  void together(const std::function<void()>& work) {
    const std::string text = job_.from_leader([&] {
      work();
      base::ByteWriter bytes;
      put_state(bytes);
      return bytes.text();
    });
    base::ByteReader bytes(text);
    take_state(bytes);
  }

  Job job_;
  std::unique_ptr<AnnotatorPool> annotators_;  // of the leader
  int busy_ = 0;
  bool outlives_owner_ = false, is_up_to_date_ = true;
};

}  // namespace

std::unique_ptr<AnnotatorPool> share_annotators(const Job& job,
                                                const std::function<std::unique_ptr<AnnotatorPool>()>& make) {
  if (job.is_alone()) return make();
  std::unique_ptr<AnnotatorPool> annotators;
  job.on_leader([&] { annotators = make(); });
  return std::make_unique<LeaderAnnotatorPool>(job, std::move(annotators));
}

}  // namespace acuity
