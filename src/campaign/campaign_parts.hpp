#pragma once

#include "acuity/campaign/campaign.hpp"
#include "campaign/campaign_belief.hpp"
#include "campaign/campaign_folder.hpp"
#include "campaign/event_rules.hpp"
#include "store/owner.hpp"

namespace acuity {

// The frozen study is unchanged, but may have been written for another version of acuity.
Study open_frozen(const FrozenFiles& files, const Created& created, const CampaignOptions& options,
                  const Job& job);

// The folder with local copies of the files that a store keeps. The processes of a job use that of its
// leader, so that they need a cache folder ($XDG_CACHE_HOME) that all see.
std::filesystem::path copies_of_kept_files(const CampaignAddress& address, const Job& job);

// What the verbs of a campaign share: the log, the state and the belief that follow it, and the checks of
// everything that is written.
struct Campaign::Parts {
  CampaignAddress address;  // nowhere: in memory
  std::filesystem::path
      copies;  // of study, pool and tables: a folder's own, or local ones of what a store keeps
  Study study;
  std::unique_ptr<EventStore> store;
  CampaignOptions options;
  Job job;  // the processes that have it open as one
  std::optional<EventRules> rules;
  State state;
  CampaignBelief belief;

  Parts(Study s, std::unique_ptr<EventStore> e, CampaignOptions o, const Job& j)
      : study(std::move(s)),
        store(std::move(e)),
        options(std::move(o)),
        job(j),
        rules(std::in_place, study),
        belief(study, options.threads, options.storage) {}

  // Another process has changed the study: events up to the last change are taken as they are, since the
  // rules for them are gone, and from there on the new study counts.
  std::size_t follow_changes(const std::vector<StoredEvent>& events);

  // The object stays where it is: annotators and views refer to it.
  void load_study();

  void apply(const std::vector<StoredEvent>& events);

  void require_answerable() const;

  double now() const { return store->now(); }
  // Leases are measured by this clock. The clock of the log stands still while the log is ahead, because an
  // event was written with a wrong clock; leases must end nevertheless. In a database, and with several
  // processes, which must agree, it is the clock of the log.
  double lease_clock() const;
  double lease_end(double seconds) const;

  std::optional<OwnerChanged> owning;    // while this process is the owner
  std::unique_ptr<Tenure> tenure;        // of such an owner, if the store has tenures
  std::unique_ptr<Heartbeat> heartbeat;  // of such an owner, if the campaign has an address

  void require_ownership() const;

  // The study of a change must open, and the whole log must fit it. `files` is what it would be.
  void require_replayable_after(const std::vector<Event>& events, const FrozenFiles& files) const;

  // A change of the study: the events of it, the copies that it replaces, by name, and events that need the
  // changed study and follow these.
  struct StudyUpdate {
    std::vector<Event> events;
    FilesByName files;
    std::function<std::vector<Event>(const Study&, const State&)> more = {};
  };
  // One write transaction; without events nothing is changed. `file` is what messages are about: the changed
  // study.
  void update_study(const std::filesystem::path& file, const std::function<StudyUpdate()>& decide);
  void add_events_of_next_study(StudyUpdate& update, const FrozenFiles& files) const;

  // One write transaction: `decide` is called with the current state and the events that are new in it since
  // add_given() was called. It may be called again (EventStore::add), then for a later state and with all of
  // these events: what it decided before was not written.
  void add_given(const Decision& decide);

  // The last check before anything is written: nothing that cannot be replayed may enter the log. Callers
  // check user input before, with better messages.
  void require_writable(const std::vector<Event>& events) const;

  void require_writable(const Event& event, const State& before) const;
  template <typename Decide>
  void add(const Decide& decide) {
    add_given([&](const auto&) { return decide(); });
  }

  std::optional<std::vector<Event>> group;  // events of in_one_transaction(), not written yet

  [[noreturn]] void complain(const std::string& sentence) const;

  const SuggestionRecord& find(std::int64_t id) const;

  // A suggestion with an answer, which can be corrected.
  const SuggestionRecord& find_told(std::int64_t id, const char* to_be) const;

  void require_reason(std::int64_t id, const char* what, const std::string& reason) const;

  BudgetChanged budget_change(double by) const;

  // Empty if the budget has this value already.
  std::optional<BudgetChanged> budget_setting(double budget) const;

  State state_after(const Event& event) const;

  void release_lapsed();

  // Suggestions that are not recorded yet, and the events that will record them.
  struct Choice {
    AskResult result;
    std::vector<Event> events;
    double seconds = 0.0;  // that choosing took
  };
  // The belief follows the state, and expects the suggestions from then on.
  Choice choose(const AskOptions& asked);
  // What an ask does before it chooses, leases besides.
  void prepare_to_choose();
  // What the worker of an ask has and has not answered yet.
  AskResult resumed(const AskOptions& asked);
  // Chooses, if possible without making other writers wait, and records the choice.
  AskResult choose_and_record(const AskOptions& asked);

  // Learning is slow, so it happens outside a transaction; the result is discarded if earlier answers were
  // changed meanwhile.
  /// The model sees the answers of the audit from now on, if all have come.
  void end_audit_if_due();
  void learn_if_due();

  // Plans for a goal take longer, so they are not made after every fit.
  bool plan_is_stale() const;

  // Planning is slow, too. The belief follows the state; what is planned is discarded if money or
  // hyperparameters have changed meanwhile.
  void plan_if_due();
};

}  // namespace acuity
