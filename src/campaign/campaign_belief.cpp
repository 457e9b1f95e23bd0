#include "campaign/campaign_belief.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "campaign/reported_cost.hpp"
#include "campaign/state_queries.hpp"
#include "model/belief_memory.hpp"
#include "study/study_cache.hpp"

namespace acuity {

namespace {

bool is_same_place(const Place& a, const Place& b) {
  if (a.pool_row() || b.pool_row()) return a.pool_row() == b.pool_row();
  return a.coordinates() == b.coordinates();
}

}  // namespace

CampaignBelief::CampaignBelief(const Study& study, int threads, PoolStorage storage)
    : study_(study), threads_(threads), storage_(std::move(storage)), chances_(study, threads) {}

void CampaignBelief::forget() {
  belief_.reset();
  chances_.forget();
  annotations_.clear();
  annotated_.clear();
  annotations_revision_ = 0;
  after_annotations_.reset();
}

void CampaignBelief::follow(const State& state) {
  if (belief_ && unrecorded_.empty() && followed_.sequence == state.sequence()) return;
  unrecorded_.clear();
  try {
    const std::vector<Annotation>& annotations = this->annotations(state);
    const Prior prior = belief_ ? StudyLearner(study_).prior_given(annotations) : Prior();
    if (belief_ && is_same_prior(state, prior) && append(state, annotations)) {
      // A mean that changes with every answer changes no variance, so no rebuild is needed.
      if (prior.mean != model_.prior.mean) belief_->change_prior_mean(model_.prior.mean = prior.mean);
      set_price_weight(price_weight_of(study_, state, model_));
    } else {
      rebuild(state, model_of(study_, state, annotations));
    }
    followed_ = {state.sequence(), state.corrections_revision(), state.answered().size(),
                 this->annotations(state).size()};
  } catch (...) {
    forget();  // it may be partly updated
    throw;
  }
}

const std::vector<Annotation>& CampaignBelief::annotations(const State& state) {
  if (annotations_revision_ == state.answers_revision()) return annotations_;
  const std::vector<std::int64_t>& answered = state.answered();
  const bool only_added = annotations_corrections_ == state.corrections_revision() &&
                          annotated_.size() <= answered.size() &&
                          std::equal(annotated_.begin(), annotated_.end(), answered.begin());
  if (!only_added) {
    annotations_.clear();
    annotated_.clear();
    after_annotations_.reset();
  }
  for (std::size_t k = annotated_.size(); k < answered.size(); ++k)
    add_annotations(study_, state, answered[k], annotations_);
  annotated_ = answered;
  annotations_revision_ = state.answers_revision();
  annotations_corrections_ = state.corrections_revision();
  return annotations_;
}

Candidates CampaignBelief::candidates(const State& state) {
  const std::vector<Annotation>& all = annotations(state);
  const auto is_pool_point = [](const Annotation& one) { return one.place.pool_row().has_value(); };
  // The points that one outside the pool closes, if any, take a search of the pool.
  if (after_annotations_ &&
      std::all_of(all.begin() + static_cast<std::ptrdiff_t>(annotations_before_), all.end(), is_pool_point))
    for (std::size_t k = annotations_before_; k < all.size(); ++k)
      after_annotations_->buy(*all[k].place.pool_row(), all[k].level, 0.0);
  else
    after_annotations_ = study_.candidates_after(all);
  annotations_before_ = all.size();
  return hides_gold_ ? shown_candidates_of(study_, state, *after_annotations_)
                     : candidates_of(study_, state, *after_annotations_);
}

// False while an amplitude that the study does not set is still estimated from the answers.
bool CampaignBelief::is_settled(const State& state) const {
  return study_.file().knows_scale() || model_.learned.has_value() || state.answered().empty();
}

// The kernel changes only with a fit, so comparing the number of fits is enough.
bool CampaignBelief::is_same_prior(const State& state, const Prior& prior) const {
  return fits_ == state.fits() && rewrites_ == state.rewrites() &&
         model_.learned.has_value() == learned_of(study_, state).has_value() &&
         prior.scaling == model_.prior.scaling && is_settled(state);
}

// Under the model. Empty if there is no goal.
std::vector<double> CampaignBelief::goal_weights() const {
  return study_.goal() ? StudyLearner(study_).goal_weights(model_) : std::vector<double>();
}

bool CampaignBelief::append(const State& state, const std::vector<Annotation>& annotations) {
  const bool noise_changed = StudyLearner(study_).take_reports(model_, annotations);
  const bool costs_changed = StudyLearner(study_).take_costs(model_, level_costs(study_, state));
  const bool offer_changed = chances_.follow(state, model_) || costs_changed || noise_changed;
  if (goal_weights() != goal_weights_) return false;
  const std::vector<Answered> told = answers_since_last_follow(state, annotations);
  if (has_new_answer_to_answered_item(told, annotations)) return false;
  for (const auto& [id, annotation] : told)
    if (state.find(id)->replaced && !take_continued(state, id, *annotation)) return false;
  if (followed_.corrections != state.corrections_revision())
    for (const auto& [id, entry] : entries_)
      if (!entry.values.empty() && entry.values != state.find(id)->values) return false;
  std::vector<std::int64_t> gone;
  for (const std::int64_t id : expected_) {
    const SuggestionRecord& record = *state.find(id);
    if (!record.values.empty()) continue;
    // Pending suggestions are expected with the current noise of the offer.
    if (record.status != SuggestionStatus::pending ||
        entries_.at(id).channel != pending_channel(study_, model_, state, record))
      gone.push_back(id);
  }
  for (const auto& [id, annotation] : told) {
    const auto entry = entries_.find(id);
    if (entry == entries_.end() || !entry->second.values.empty()) continue;
    const bool as_expected = is_same_place(entry->second.place, annotation->place) &&
                             entry->second.channel == StudyLearner(study_).channel_of(*annotation, model_);
    if (!as_expected) gone.push_back(id);
  }
  // The last one first: cancelling conditions again on everything after it.
  std::sort(gone.begin(), gone.end(), std::greater<>());
  for (const std::int64_t id : gone) cancel(id);
  // The selector's bounds are invalid after a variance has risen or the offer has changed.
  if (!gone.empty() || offer_changed) renew_selector();
  for (const auto& [id, annotation] : told) take_in(id, *annotation, state.find(id)->values);
  for (const std::int64_t id : state.pending())
    if (!entries_.contains(id)) expect_pending(state, id);
  return true;
}

// All of them if answers were corrected; in the order in which they were recorded.
std::vector<CampaignBelief::Answered> CampaignBelief::answers_since_last_follow(
    const State& state, const std::vector<Annotation>& annotations) const {
  const bool only_added = followed_.corrections == state.corrections_revision();
  std::size_t next = only_added ? followed_.annotations : 0;
  std::vector<Answered> told;
  for (std::size_t k = only_added ? followed_.answers : 0; k < state.answered().size(); ++k) {
    const std::int64_t id = state.answered()[k];
    told.push_back({id, &annotations[next]});
    next += state.find(id)->values.size();
  }
  return told;
}

// Answers to one item may be one observation, which such an answer changes.
bool CampaignBelief::has_new_answer_to_answered_item(const std::vector<Answered>& told,
                                                     const std::vector<Annotation>& annotations) const {
  if (!study_.file().merges_answers()) return false;
  std::vector<const Annotation*> fresh;
  for (const auto& [id, annotation] : told)
    if (const auto entry = entries_.find(id); entry == entries_.end() || entry->second.values.empty())
      fresh.push_back(annotation);
  return std::any_of(fresh.begin(), fresh.end(), [&](const Annotation* one) {
    return std::any_of(annotations.begin(), annotations.end(), [&](const Annotation& other) {
      return &other != one && is_same_place(other.place, one->place);
    });
  });
}

void CampaignBelief::cancel(std::int64_t id) {
  belief_->cancel(entries_.at(id).rows.front());
  entries_.erase(id);
  expected_.erase(id);
}

// The answer to a run that was continued: the one that it replaces stays in the belief, and an independent
// one is added that tells the difference. False if that is not possible.
bool CampaignBelief::take_continued(const State& state, std::int64_t id, const Annotation& annotation) {
  const SuggestionRecord& record = *state.find(id);
  const auto entry = entries_.find(id);
  if (entry != entries_.end() && !entry->second.values.empty()) return true;  // it is there already
  const SuggestionRecord& before = *state.find(*record.replaced);
  const auto replaced = entries_.find(*record.replaced);
  if (replaced == entries_.end() || replaced->second.values != before.replaced_values ||
      record.values.size() != 1)
    return false;
  const double old_noise =
      noise_variance(StudyLearner(study_).channel_of(told_annotation(study_, before), model_));
  const double noise = noise_variance(StudyLearner(study_).channel_of(annotation, model_));
  if (!(noise < old_noise)) return false;
  const GaussianChannel channel{noise_of_continuation(old_noise, noise)};
  const double value =
      value_of_continuation(old_noise, told_annotation(study_, before).value, noise, annotation.value);
  if (entry != entries_.end() && entry->second.channel == Channel(channel)) {
    belief_->answer(entry->second.rows.front(), value);
  } else {
    if (entry != entries_.end()) {
      cancel(id);
      renew_selector();
    }
    Entry added{annotation.place, channel, {}, {}};
    added.rows.push_back(belief_->condition(added.place, added.channel, value));
    entries_.emplace(id, std::move(added));
  }
  entries_.at(id).values = record.values;
  expected_.erase(id);
  entries_.erase(replaced);
  return true;
}

void CampaignBelief::take_in(std::int64_t id, const Annotation& annotation,
                             const std::vector<double>& values) {
  Entry& entry =
      entries_
          .try_emplace(id,
                       Entry{annotation.place, StudyLearner(study_).channel_of(annotation, model_), {}, {}})
          .first->second;
  if (entry.values == values) return;
  const Annotation* each = &annotation;  // one per value, in their order
  if (!entry.rows.empty()) belief_->answer(entry.rows.front(), annotation.value);
  while (entry.rows.size() < values.size())
    entry.rows.push_back(belief_->condition(entry.place, entry.channel, each[entry.rows.size()].value));
  entry.values = values;
  expected_.erase(id);
}

void CampaignBelief::expect_pending(const State& state, std::int64_t id) {
  const SuggestionRecord& record = *state.find(id);
  if (record.is_withheld()) return;  // the answer will not be the model's, or not yet
  if (const auto channel = pending_channel(study_, model_, state, record))
    add_expected(id, expected_annotation(study_, record).place, *channel);
}

void CampaignBelief::expect(std::int64_t id, const Place& place, const Channel& channel, Index level) {
  unrecorded_.push_back(id);
  add_expected(id, place, channel);
  if (!chances_.is_active()) return;
  chances_.expect(place, level, model_);
  renew_selector();
}

void CampaignBelief::take_back() {
  if (!belief_ || unrecorded_.empty()) return;
  try {
    // The last one first: cancelling conditions again on everything after it.
    for (; !unrecorded_.empty(); unrecorded_.pop_back())
      if (entries_.contains(unrecorded_.back())) cancel(unrecorded_.back());
    if (chances_.is_active()) followed_.sequence = -1;  // the runs that were expected do not begin
    renew_selector();                                   // its bounds are invalid after a variance has risen
  } catch (...) {
    forget();
    throw;
  }
}

void CampaignBelief::add_expected(std::int64_t id, const Place& place, const Channel& channel) {
  Entry entry{place, channel, {}, {}};
  entry.rows.push_back(belief_->condition(entry.place, entry.channel, std::nullopt));
  entries_.emplace(id, std::move(entry));
  expected_.insert(id);
}

void CampaignBelief::rebuild(const State& state, StudyModel model) {
  belief_.reset();
  entries_.clear();
  expected_.clear();
  model_ = std::move(model);
  fits_ = state.fits();
  rewrites_ = state.rewrites();
  chances_.follow(state, model_);
  goal_weights_ = goal_weights();
  {
    const RememberedBelief remembered(kept_belief(study_.file()));
    belief_ = StudyLearner(study_).belief(model_, storage_, threads_);
  }
  renew_selector();
  ++builds_;
  Index handle = 0;
  for (const std::int64_t id : state.answered()) {
    const SuggestionRecord& record = *state.find(id);
    const Observation& first = model_.observations[static_cast<std::size_t>(handle)];
    Entry entry{first.place, first.channel, record.values, {}};
    for (std::size_t k = 0; k < record.values.size(); ++k) entry.rows.push_back({handle++});
    entries_.emplace(id, std::move(entry));
  }
  for (const std::int64_t id : state.pending()) expect_pending(state, id);
}

void CampaignBelief::set_price_weight(double weight) {
  if (weight == model_.acquisition.price_weight) return;
  model_.acquisition.price_weight = weight;
  renew_selector();
}

void CampaignBelief::renew_selector() {
  selector_.emplace(model_.offer, model_.acquisition, threads_);
}

}  // namespace acuity
