#pragma once

#include <map>
#include <memory>
#include <set>

#include "acuity/campaign/state.hpp"
#include "acuity/selection/selector.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/run_failures.hpp"

namespace acuity {

/// The belief about a campaign's pool, kept up to date with its state: given every valid answer, and every
/// pending suggestion without its answer (docs/math.md 7).
///
/// Invariant: after follow(state) the belief is conditioned on every valid answer of the state and on every
/// pending suggestion, except questions about gold items. The model is the model of the state, and the bounds
/// of selector() hold for this belief. expect() adds suggestions that the state does not have yet; the next
/// follow() takes them for recorded, or take_back() removes them. Whether the belief was extended or rebuilt
/// makes no difference to a reader but rounding.
///
/// Owner and thread: every Campaign owns one, and so does an explanation of a past choice. The study must
/// outlive it. One thread at a time may use it, functions that only read included: the belief brings points
/// up to date when they are read. Threads that it starts work only while a call runs.
///
/// What a caller may assume: nothing is ready before the first follow(). References to belief(), model() and
/// selector() hold until the next follow(), take_back() or forget(). If follow() or take_back() throws, the
/// belief is forgotten and the next follow() rebuilds it. If a choice that called expect() throws, the caller
/// calls forget(). annotations() and candidates() take any state of the campaign, also without follow().
class CampaignBelief {
 public:
  CampaignBelief(const Study& study, int threads, PoolStorage storage);

  /// The only function that brings the belief up to date: appends if the prior is unchanged and events were
  /// only added, rebuilds otherwise. Used after refits, standardisation, amendments, releases and resuming.
  void follow(const State& state);
  /// Adds a suggestion that is not recorded yet, given as the channel of an independent answer that tells as
  /// much, and its level in the offer (-1: none). The next follow() takes it for recorded.
  void expect(std::int64_t id, const Place& place, const Channel& channel, Index level);
  /// Forgets the suggestions since the last follow(): they were not recorded.
  void take_back();
  /// How a belief that is built from now on stores the pool; results do not depend on it.
  void set_storage(const PoolStorage& storage) { storage_ = storage; }
  /// Makes the next follow() rebuild the belief.
  void forget();

  /// annotations_of() the state; cached, and extended if answers were only added.
  const std::vector<Annotation>& annotations(const State& state);
  /// candidates_of() the state, from what the annotations have left.
  Candidates candidates(const State& state);
  /// From now on candidates() are shown_candidates_of() the state.
  void hide_gold() { hides_gold_ = true; }
  PoolBelief& belief() { return *belief_; }
  const StudyModel& model() const { return model_; }
  Selector& selector() { return *selector_; }
  /// For candidates that are not those of every ask: the other one keeps what is valid for these only.
  Selector separate_selector() const { return Selector(model_.offer, model_.acquisition, threads_); }
  int threads() const { return threads_; }
  std::int64_t builds() const { return builds_; }  ///< number of rebuilds

 private:
  // A suggestion as it is part of the belief.
  struct Entry {
    Place place;
    Channel channel;
    std::vector<double> values;          // empty: pending
    std::vector<AnnotationHandle> rows;  // one per value; one while pending
  };

  // A suggestion with an answer, and the first annotation of it.
  struct Answered {
    std::int64_t id;
    const Annotation* first;
  };

  bool append(const State& state, const std::vector<Annotation>& annotations);
  std::vector<Answered> answers_since_last_follow(const State& state,
                                                  const std::vector<Annotation>& annotations) const;
  void rebuild(const State& state, StudyModel model);
  bool is_same_prior(const State& state, const Prior& prior) const;
  bool is_settled(const State& state) const;
  std::vector<double> goal_weights() const;
  void expect_pending(const State& state, std::int64_t id);
  bool has_new_answer_to_answered_item(const std::vector<Answered>& told,
                                       const std::vector<Annotation>& annotations) const;
  bool take_continued(const State& state, std::int64_t id, const Annotation& annotation);
  void add_expected(std::int64_t id, const Place& place, const Channel& channel);
  void cancel(std::int64_t id);
  void take_in(std::int64_t id, const Annotation& annotation, const std::vector<double>& values);
  void set_price_weight(double weight);
  void renew_selector();

  const Study& study_;
  int threads_;
  PoolStorage storage_;
  StudyModel model_;
  std::unique_ptr<PoolBelief> belief_;
  std::optional<Selector> selector_;
  RunChances chances_;                // of runs, in the model
  std::vector<double> goal_weights_;  // of the belief, if there is a goal
  std::map<std::int64_t, Entry> entries_;
  std::set<std::int64_t> expected_;       // entries without an answer
  std::vector<std::int64_t> unrecorded_;  // expected since the last follow()
  // The state of the last follow().
  struct Followed {
    std::int64_t sequence = 0;
    std::uint64_t corrections = 0;
    std::size_t answers = 0, annotations = 0;
  };
  Followed followed_;
  // annotations_of() a state, for the revisions of its answers and corrections.
  std::vector<Annotation> annotations_;
  std::vector<std::int64_t> annotated_;  // the suggestions that they are of
  std::uint64_t annotations_revision_ = 0, annotations_corrections_ = 0;
  // Study::candidates_after() the first so many annotations.
  std::optional<Candidates> after_annotations_;
  bool hides_gold_ = false;
  std::size_t annotations_before_ = 0;
  std::int64_t fits_ = 0, rewrites_ = 0;  // of the state it was built from
  std::int64_t builds_ = 0;
};

}  // namespace acuity
