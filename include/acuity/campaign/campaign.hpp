#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acuity/base/job.hpp"
#include "acuity/base/public.hpp"
#include "acuity/campaign/state.hpp"
#include "acuity/selection/suggestion.hpp"
#include "acuity/store/campaign_address.hpp"
#include "acuity/store/event_store.hpp"
#include "acuity/store/sqlite_event_store.hpp"
#include "acuity/study/study_learner.hpp"

namespace acuity ACUITY_PUBLIC {

struct CampaignOptions {
  int threads = 0;  ///< 0: one per processor; choices do not depend on it
  PoolStorage storage;
  /// If present: instead of `storage` where the budget is planned, since a plan makes many choices.
  std::optional<PoolStorage> storage_for_plans = std::nullopt;
  /// How tables that are given to the campaign are read; its own copies are read as they were written.
  CsvReading tables = {};
  /// Called while hyperparameters are learned, with the evaluations so far and the best likelihood.
  std::function<void(int, double)> learning;
  /// A plan of the budget that takes longer than this is cut short or given up, so that choices depend on how
  /// busy the machine is. Without it the work of a plan is limited.
  double plan_seconds = std::numeric_limits<double>::infinity();
  /// Called while the budget is planned, with the number of purchases simulated so far.
  std::function<void(Index)> planning;
  /// Seconds after its last sign of life for which an owner counts as running on hosts that cannot look at
  /// its process.
  double owner_lease = 300.0;
  /// Called with every event that is added after the campaign was opened, by this process or another, and
  /// with the state after it.
  std::function<void(const StoredEvent&, const State&)> watch;
};

struct AskOptions {
  std::int64_t count = 1;
  /// Kept in the log. Binary targets: a worker gets no point twice that he was asked about, unless it was
  /// released; programs (`run`, `python`) do. People who were added get candidates of their level only.
  std::string worker;
  std::optional<double> lease;   ///< seconds; absent: no deadline
  std::optional<double> budget;  ///< added to the budget in the same transaction, before the choice
  /// Only candidates at this level: a name, or for a ladder its alpha. Empty: at any level.
  std::string level = {};
  /// The units of all suggestions together, at most; `count` stays an upper limit. The levels are then chosen
  /// jointly (select_batch_within).
  std::optional<std::int64_t> capacity = std::nullopt;
  std::optional<double> budget_to = std::nullopt;  ///< or the budget is set to this
  std::vector<Index> avoid = {};                   ///< rows that are not asked for
  /// What this worker has and has not answered yet comes first, oldest first, and counts. With a lease, one
  /// of which less than half is left is renewed.
  bool resume = false;
  /// An answer that is expected to cost more is not asked for: TooCostlyError. Absent: as the study says
  /// (StudyFile::max_cost). Infinite: no limit.
  std::optional<double> max_cost = std::nullopt;
};

/// The next answer is expected to cost more than may be spent on one without a yes. Nothing was recorded.
class TooCostlyError : public InputError {
 public:
  using InputError::InputError;
};

/// Whether there is more to ask for.
enum class AskStatus {
  open,
  nothing_now,  ///< everything useful is pending
  finished      ///< budget spent, target reached, pool exhausted
};

/// The result of an ask: up to the requested number of suggestions, and the reason if there are fewer.
struct AskResult {
  std::vector<Suggestion> suggestions;
  AskStatus status = AskStatus::open;
  std::string reason;  ///< if the status is not open
  std::string note;    ///< one sentence if the belief that chose has a problem, otherwise empty
  /// Whom to ask instead of the person whose answer is worth too little (PeopleSetting::least_worth).
  std::string ask_instead = {};
};

/// An answer to a suggestion, as a caller reports it.
struct Answer {
  std::int64_t id = 0;
  std::vector<double> values;      ///< several: replicates
  std::optional<double> cost;      ///< of all values; absent: the cost of the level for each
  std::optional<Channel> channel;  ///< of every value, if it was reported
  // What was done, if it differs from what was asked for.
  std::optional<Index> row;
  std::optional<std::vector<double>> inputs;
  std::optional<Level> level;
  std::string where;  ///< the origin, with which error messages start: "block.csv:3"
  /// Of the job that answered, if it was one of a batch system.
  std::optional<double> queue_seconds = std::nullopt, run_seconds = std::nullopt;
  std::string worker = {};                       ///< who answered, if that is known
  std::optional<double> seconds = std::nullopt;  ///< how long the person took
  std::string note = {};                         ///< a remark, kept with the answer
  /// Counts: the number of trials or the exposure of each value, if the answer says so; 0: as many as its
  /// level has. Empty: none says so. Several values are added up and recorded as one.
  std::vector<double> trials = {};
};

/// The effect of recording an answer.
struct TellResult {
  std::int64_t id = 0;
  bool changes = true;  ///< false: the same answer is already recorded
  double charge = 0.0;
  /// Of the first value, given the prediction when it was asked for: the number of standard deviations from
  /// the mean (real), or the probability of the class (binary). Absent if another point was annotated. Where
  /// nothing could be predicted yet: how far it is from the other answers, if there are three at least.
  std::optional<double> surprise;
  bool beside_others = false;  ///< the surprise is a comparison with the other answers
};

/// A correction of an answer; only what was wrong is given. Without an answer only the charge of a failed
/// attempt can be corrected.
struct Amendment {
  std::int64_t id = 0;
  std::vector<double> values;      ///< empty: as they are
  std::optional<double> cost;      ///< of all values
  std::optional<double> refund;    ///< money that came back; the answer still cost what it cost
  std::optional<Channel> channel;  ///< of every value
  bool declared_channel = false;   ///< the noise is that of the level, a reported one was wrong
  std::optional<Index> row;
  std::optional<std::vector<double>> inputs;
  std::optional<Level> level;
  std::string reason;
  std::vector<double> trials = {};  ///< as in Answer
};

/// A report of work that gave no answer.
struct Failure {
  std::int64_t id = 0;
  std::string reason;
  double charge = 0.0;
  bool exclude = false;  ///< never ask for this point (price lists: at this level) again
  /// The person looked at it and could not tell. It is no failure: others may be asked, that person is not
  /// asked about this point again.
  bool cannot_tell = false;
  std::string worker = {};                       ///< who reports it, if that is known
  std::optional<double> seconds = std::nullopt;  ///< how long the person took
  /// It tells nothing about the point: the machine failed, or an answer was refused.
  bool inconclusive = false;
};

/// How answers of an earlier campaign enter.
struct ImportOptions {
  std::string as_level;                 ///< the name of the new level
  std::string level = {};               ///< of the earlier campaign; empty: its reference level
  std::optional<double> error_sd = {};  ///< a guess of the size of their error; absent: from their spread
};

/// What an import recorded.
struct ImportResult {
  std::int64_t answers = 0;       ///< of suggestions; replicates are one
  std::int64_t outside = 0;       ///< of these at places that are not in the pool
  std::int64_t other_levels = 0;  ///< answers of the earlier campaign at other levels, left out
  std::int64_t unknown = 0;       ///< answers at values of categories that the pool does not have, left out
  double error_sd = 0.0;          ///< what the new level declares
};

/// A study in progress: its events, the state they add up to, and the choice of what to ask for next. Any
/// number of processes may have the same campaign open; every verb is one write transaction. Invalid
/// arguments throw InputError, and then nothing has changed.
class Campaign {
 public:
  /// Creates a folder, or a campaign in a database, with copies of study and pool, completely or not at all.
  /// Throws InputError, StoreError if a database cannot be used.
  static void create(const CampaignAddress& address, const std::filesystem::path& study);
  /// As above, with a study that is already open or was made from values; its settings must have a text.
  static void create(const CampaignAddress& address, const Study& study);
  /// Throws DifferentStudyError, DamagedError or StoreError. The processes of a job have the campaign open as
  /// one: all call the same functions in the same order, each has its part of the pool, and the leader alone
  /// reads and writes the log.
  static Campaign open(const CampaignAddress& address, Access access = Access::write,
                       CampaignOptions options = {}, const Job& job = {});
  /// True if the folder looks like a campaign, or the database has one of this name; its content is not
  /// checked. Throws StoreError if a database cannot be used.
  static bool recognises(const CampaignAddress& address);
  /// A campaign with any store, such as make_memory_event_store(). An empty store gets its first events.
  Campaign(Study study, std::unique_ptr<EventStore> store, CampaignOptions options = {}, const Job& job = {});
  ~Campaign();
  Campaign(Campaign&&) noexcept;
  Campaign& operator=(Campaign&&) noexcept;

  const Study& study() const;
  /// As of the last call of another member function.
  const State& state() const;
  /// Reads the events that other processes have added since.
  const State& refresh();
  /// The events of the log that state() includes.
  std::vector<StoredEvent> events() const;
  const CampaignAddress& address() const;       ///< nowhere: it is in memory
  const std::filesystem::path& folder() const;  ///< empty unless it is in a folder
  /// Of the copies of study, pool and tables: the campaign's folder, or a local one with what the database
  /// has. Empty: it is in memory.
  const std::filesystem::path& copies() const;
  /// The clock of the log, seconds since 1970: that of the server if it is in a database.
  double now() const;

  AskResult ask(const AskOptions& options = {});
  /// Records all answers, or none if one of them is invalid.
  std::vector<TellResult> tell(const std::vector<Answer>& answers);
  /// The results that tell() would return; records nothing.
  std::vector<TellResult> would_tell(const std::vector<Answer>& answers);
  /// Records answers that were not asked for, all or none; ids of `answers` are ignored, the results have new
  /// ones. With `dry_run` only the results are returned. They may exceed the budget: they have been paid.
  std::vector<TellResult> add(const std::vector<Answer>& answers, bool dry_run = false);
  /// False if it had already failed; then nothing changes.
  bool fail(const Failure& failure);
  /// Returns the ids that were pending; the others had already been released.
  std::vector<std::int64_t> release(const std::vector<std::int64_t>& ids, const std::string& reason);
  /// Extends the leases of pending suggestions to `lease` seconds from now, all or none. Throws InputError if
  /// one of them is not pending or is another worker's. Returns the ids, each once.
  std::vector<std::int64_t> renew(const std::vector<std::int64_t>& ids, const std::string& worker,
                                  double lease);
  /// Adds somebody who annotates at this level (empty: any), or changes it. False if that is known already.
  bool add_person(const Person& person);
  void amend(std::int64_t id, const std::vector<double>& values, const std::string& reason);
  /// False if the same amendment is already recorded; then nothing changes.
  bool amend(const Amendment& amendment);
  void retract(std::int64_t id, const std::string& reason);
  /// Changes the study to that of a file, if it differs: one event with both texts. Returns the differences
  /// in words, with what each of them means. Answers so far keep the noise of their level unless
  /// `reinterpret`. Throws InputError with the reason if a difference cannot be applied. Processes that have
  /// the campaign open notice the change. Not for a campaign in memory.
  std::vector<std::string> change(const std::filesystem::path& study, bool reinterpret = false);
  /// What change() would return; changes nothing.
  std::vector<std::string> would_change(const std::filesystem::path& study, bool reinterpret = false);
  /// Answers of an earlier campaign become answers of a new level of this one, which is retired and has a
  /// bias: the study is changed by it, and nothing is charged. `chosen.level` is the level of the earlier
  /// campaign, empty for its reference level (on a ladder: every precision). Throws InputError if inputs or
  /// answers of the two do not correspond. Not for a campaign in memory.
  ImportResult import_campaign(const CampaignAddress& earlier, const ImportOptions& chosen);
  void change_budget(double by);
  /// Sets the budget; false if it has this value already.
  bool set_budget(double budget);

  /// Runs `work` and commits everything it does to this campaign in one transaction, or nothing if it
  /// throws. For many small steps whose results are not used outside before the end. Other processes cannot
  /// write meanwhile; in a database, where others are not to wait, every step is a transaction of its own.
  void in_one_transaction(const std::function<void()>& work);

  /// A campaign that is being run has an owner, which renews its lease (CampaignOptions::owner_lease) from a
  /// thread of its own. Throws OwnedError if another process owns it and may still be running; takes over
  /// from one that has ended or, if it cannot be looked at because it is on another host, whose lease has
  /// ended. `take_over`: also from one on another host whose lease has not ended. A database knows whether
  /// an owner is connected, wherever it is (EventStore::try_own); neither lease nor `take_over` matter there.
  /// From then on every write, and refresh(), throws OwnedError if another process has taken over.
  void take_ownership(bool take_over = false);
  void give_up_ownership();

  std::vector<Annotation> annotations() const;
  /// Suggestions that are not answered yet.
  std::vector<Suggestion> pending() const;
  /// The model given every valid answer, with the learned hyperparameters.
  StudyModel model() const;
  /// The candidates of the next ask: neither annotated nor pending nor excluded; and runs to continue.
  Candidates candidates() const;
  /// The belief that `ask` uses; pending suggestions are included.
  PoolBelief& belief();

 private:
  Campaign(Study study, std::unique_ptr<EventStore> store, CampaignOptions options, const Job& job,
           State state);

  struct Parts;
  friend struct CampaignInternals;
  std::unique_ptr<Parts> parts_;
};

}  // namespace acuity ACUITY_PUBLIC
