#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/event_store.hpp"
#include "acuity/campaign/sqlite_event_store.hpp"
#include "acuity/campaign/state.hpp"
#include "acuity/selection/suggestion.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

struct CampaignOptions {
  int threads = 0;  ///< 0: all the machine has; choices do not depend on it
  PoolStorage storage;
  /// Told while hyperparameters are learned: evaluations so far and the best likelihood.
  std::function<void(int, double)> learning;
  /// Told of every event that comes in after the campaign was opened, whoever caused it, and of the state
  /// after it.
  std::function<void(const StoredEvent&, const State&)> watch;
};

struct AskOptions {
  std::int64_t count = 1;
  std::string worker;
  std::optional<double> lease;   ///< seconds; absent: for ever
  std::optional<double> budget;  ///< changed by so much in the same transaction, before the choice
};

/// Whether there is more to ask for.
enum class AskStatus {
  open,
  nothing_now,  ///< everything useful is pending
  finished      ///< budget spent, target reached, pool exhausted
};

/// What came of an ask: at most as many suggestions as were wanted, and why not all of them.
struct AskResult {
  std::vector<Suggestion> suggestions;
  AskStatus status = AskStatus::open;
  std::string reason;  ///< where it is not open
  std::string note;    ///< one sentence about the belief that chose, where something is wrong with it
};

/// An answer as somebody tells it.
struct Answer {
  std::int64_t id = 0;
  std::vector<double> values;      ///< several: replicates
  std::optional<double> cost;      ///< of all of them; absent: the level's, for each
  std::optional<Channel> channel;  ///< of every value, where it was reported
  // What was done, where it is not what was asked for.
  std::optional<Index> row;
  std::optional<std::vector<double>> inputs;
  std::optional<Level> level;
  std::string where;  ///< complaints begin with it: "block.csv:3"
};

/// What telling it does.
struct TellResult {
  std::int64_t id = 0;
  bool changes = true;  ///< false: the same answer is there already
  double charge = 0.0;
  /// Of the first value, given what was expected when it was asked for: how many standard deviations away
  /// (real), how probable (binary). Absent where another point was done.
  std::optional<double> surprise;
};

/// What somebody reports of work that brought nothing.
struct Failure {
  std::int64_t id = 0;
  std::string reason;
  double charge = 0.0;
  bool exclude = false;  ///< never ask for this point (price lists: at this level) again
};

/// A study under way: which events there were, what they add up to, what to ask for next. Any number of
/// processes may have the same campaign open; every verb is one write transaction. Complaints about what a
/// caller says are InputErrors, and then nothing has changed.
class Campaign {
 public:
  /// Freezes study and pool in a new folder. It appears whole or not at all; throws InputError.
  static void create(const std::filesystem::path& folder, const std::filesystem::path& study);
  /// The same with a study that is open, or that was made from values; its settings must have a text.
  static void create(const std::filesystem::path& folder, const Study& study);
  /// Throws DifferentStudyError, DamagedError or StoreError.
  static Campaign open(const std::filesystem::path& folder, Access access = Access::write,
                       CampaignOptions options = {});
  /// Whether the folder looks like one.
  static bool recognises(const std::filesystem::path& folder);
  /// For experiments and tests: any store. An empty one begins here.
  Campaign(Study study, std::unique_ptr<EventStore> store, CampaignOptions options = {});
  ~Campaign();
  Campaign(Campaign&&) noexcept;
  Campaign& operator=(Campaign&&) noexcept;

  const Study& study() const;
  /// As of the last call of anything else here.
  const State& state() const;
  /// Takes in what others have done since.
  const State& refresh();
  /// The events themselves, all of them.
  std::vector<StoredEvent> events() const;
  const std::filesystem::path& folder() const;  ///< empty: none

  AskResult ask(const AskOptions& options = {});
  /// All of them or none.
  std::vector<TellResult> tell(const std::vector<Answer>& answers);
  /// What tell() would do, without doing it.
  std::vector<TellResult> would_tell(const std::vector<Answer>& answers);
  /// False: it had failed already.
  bool fail(const Failure& failure);
  /// Those that were pending, by id; the others had been released already.
  std::vector<std::int64_t> release(const std::vector<std::int64_t>& ids, const std::string& reason);
  void amend(std::int64_t id, const std::vector<double>& values, const std::string& reason);
  void retract(std::int64_t id, const std::string& reason);
  void change_budget(double by);

  /// All that `work` does here becomes durable at once, in one transaction, or not at all where it throws:
  /// for many small steps that nobody outside acts upon meanwhile. Nobody else can write during it.
  void in_one_transaction(const std::function<void()>& work);

  /// `run` owns a campaign. Throws OwnedError where a live process does; one that is gone is taken over from.
  void take_ownership();
  void give_up_ownership();

  std::vector<Annotation> annotations() const;
  /// What was asked for and is not answered yet.
  std::vector<Suggestion> pending() const;
  /// The model given every answer that counts, with hyperparameters as they were learned.
  StudyModel model() const;
  /// What `ask` would choose from: not what is annotated, pending or excluded.
  Candidates candidates() const;
  /// The belief that `ask` chooses by, what is pending included.
  PoolBelief& belief();

 private:
  Campaign(Study study, std::unique_ptr<EventStore> store, CampaignOptions options, State state);

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace acuity
