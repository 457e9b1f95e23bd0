#pragma once

#include <map>
#include <memory>

#include "acuity/campaign/state.hpp"
#include "acuity/selection/selector.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// The belief about a campaign's pool, kept up to date with its state: given every valid answer, and every
/// pending suggestion without its answer (docs/math.md 7).
class CampaignBelief {
 public:
  CampaignBelief(const Study& study, int threads, PoolStorage storage);

  /// The only function that brings the belief up to date: appends if the prior is unchanged and events were
  /// only added, rebuilds otherwise. Used after refits, standardisation, amendments, releases and resuming.
  void follow(const State& state);
  /// Adds a suggestion that is not recorded yet, given as the channel of an independent answer that tells as
  /// much. The next follow() takes it for recorded.
  void expect(std::int64_t id, const Place& place, const Channel& channel);
  /// Forgets the suggestions since the last follow(): they were not recorded.
  void take_back();
  /// How a belief that is built from now on stores the pool; results do not depend on it.
  void set_storage(const PoolStorage& storage) { storage_ = storage; }
  /// Makes the next follow() rebuild the belief.
  void forget() { belief_.reset(); }

  /// annotations_of() the state; cached until an answer changes.
  const std::vector<Annotation>& annotations(const State& state);
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

  bool append(const State& state, const std::vector<Annotation>& annotations);
  void rebuild(const State& state, StudyModel model);
  bool is_same_prior(const State& state, const Prior& prior) const;
  bool is_settled(const State& state) const;
  void expect_pending(const State& state, std::int64_t id);
  bool has_new_answer_to_answered_item(
      const std::vector<std::pair<std::int64_t, const Annotation*>>& told) const;
  bool take_continued(const State& state, std::int64_t id, const Annotation& annotation);
  void add_expected(std::int64_t id, const Place& place, const Channel& channel);
  void take_in(std::int64_t id, const Annotation& annotation, const std::vector<double>& values);
  void set_price_weight(double weight);
  void renew_selector();

  const Study& study_;
  int threads_;
  PoolStorage storage_;
  StudyModel model_;
  std::unique_ptr<PoolBelief> belief_;
  std::optional<Selector> selector_;
  std::map<std::int64_t, Entry> entries_;
  std::vector<std::int64_t> unrecorded_;  // expected since the last follow()
  std::vector<Annotation> annotations_;
  std::uint64_t annotations_revision_ = 0;  // State::answers_revision() that annotations_ is for
  std::int64_t fits_ = 0, rewrites_ = 0;    // of the state it was built from
  std::int64_t builds_ = 0;
};

}  // namespace acuity
