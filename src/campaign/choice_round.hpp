#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "acuity/campaign/campaign.hpp"
#include "campaign/ask_scope.hpp"
#include "campaign/audit.hpp"
#include "campaign/campaign_belief.hpp"
#include "campaign/gold_questions.hpp"
#include "campaign/initial_draw.hpp"
#include "selection/exploration.hpp"

namespace acuity {

/// A candidate that an ask is about to be given.
struct Pick {
  Score score;
  bool is_drawn = false;  ///< by the initial design, not chosen by information
  bool explores = false;  ///< chosen for accuracy over the goal, not for what is sought
};

/// The choices of one ask: the steps that choose_next() repeats, and what they share.
///
/// Invariant: the belief, the candidates, the capacity and the initial design include every suggestion of
/// the result, as if the suggestions before the next one were pending in the log. Questions about gold items
/// and of the audit are in the result and paid for, but are no part of the belief or of the design.
///
/// A round lives on the stack of choose_next() and belongs to the thread that chooses. Study, state, belief
/// and options must outlive it. It conditions the belief; the caller takes these suggestions back if they
/// are not recorded (CampaignBelief::take_back).
class ChoiceRound {
 public:
  /// Throws InputError if the ask cannot be given anything because of its person or level (AskScope).
  ChoiceRound(const Study& study, const State& state, CampaignBelief& belief, const AskOptions& options);
  ChoiceRound(const ChoiceRound&) = delete;
  ChoiceRound& operator=(const ChoiceRound&) = delete;

  bool wants_more() const;

  // One step after the other.
  /// Nothing if the design is complete, or has no point for this ask.
  std::optional<Pick> from_initial_design();
  /// Whether the rest of the design does not fit into the capacity. A choice by information would then count
  /// as a part of the design.
  bool must_wait_for_initial_design() const;
  /// One by one or, within a capacity, jointly.
  std::optional<Pick> by_information();
  /// Why a stop rule ends the campaign before this choice, or why another person is to be asked; empty if
  /// neither. Draws are not stopped.
  std::string stop_reason(const Pick& pick);
  /// Why it is not asked for without a yes; empty if it is.
  std::string too_costly(const Pick& pick) const;
  std::string audit_too_costly(const Suggestion& question) const;
  /// A question about a gold item in place of the choice, if it is time for one and it can be paid for.
  std::optional<Suggestion> gold_instead_of(const Pick& pick);
  /// The next question of the audit: for when nothing else is to be asked, of anybody. Nothing if the audit
  /// is complete, or not for this ask.
  std::optional<Suggestion> of_audit();
  void take(const Pick& pick);
  /// The choice is not taken and stays for the next question.
  void take_gold(Suggestion question, const Pick& instead_of);
  void take_audit(Suggestion question);

  // The result, by the reason for which the round ends.
  AskResult result() { return std::move(result_); }
  AskResult end_within_initial_design();
  AskResult end_without_candidate();
  AskResult end_at_target(std::string reason);
  /// With what was chosen before. Throws TooCostlyError if nothing was.
  AskResult end_at_cost(const std::string& reason);

 private:
  bool explores_next() const;
  std::optional<Score> next_one();
  std::optional<Score> next_to_explore();
  std::optional<Score> next_within_capacity();
  const std::string& reason_by_answers();
  void choose_jointly(const Candidates& candidates);
  void expect(const Score& chosen, const Suggestion& suggestion);
  void use_units_of(const Suggestion& suggestion);
  std::int64_t next_id() const;
  bool others_can_be_asked();
  AskStatus wait_or_finish() const;
  AskResult end(AskStatus status, std::string reason);

  const Study& study_;
  const State& state_;
  CampaignBelief& belief_;
  const AskOptions& options_;

  AskScope scope_;
  std::optional<StudyModel> model_of_person_;  // with the accuracies of the person who asks, if learned
  const StudyModel& model_;                    // model_of_person_ or the belief's
  RoundCandidates candidates_;
  std::optional<Selector> separate_selector_;  // if this ask may not be given everything
  GoldQuestions gold_;
  AuditDraw audit_;
  double audit_money_;  // that was kept for it

  std::optional<Exploration> exploration_;        // if goal.explore is above 0
  std::optional<std::string> reason_by_answers_;  // of rules that look at answers alone

  const InitialDesign design_;
  std::int64_t initial_left_;  // answers of the design that are still to be asked for; may be negative
  // An amplitude that is learned is unknown before the first fit. Until then levels cannot be compared, and
  // points are drawn beyond the design.
  const bool has_scale_;
  std::optional<InitialDraw> initial_draw_;  // if anything is to be drawn

  std::deque<Score> jointly_;               // the rest of a batch within a capacity
  bool has_chosen_by_information_ = false;  // and not only drawn
  AskResult result_;
};

}  // namespace acuity
