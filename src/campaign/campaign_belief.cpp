#include "campaign/campaign_belief.hpp"

#include <algorithm>
#include <functional>

#include "campaign/reported_cost.hpp"
#include "campaign/state_queries.hpp"

namespace acuity {

namespace {

bool is_same_place(const Place& a, const Place& b) {
  if (a.pool_row() || b.pool_row()) return a.pool_row() == b.pool_row();
  return a.coordinates() == b.coordinates();
}

}  // namespace

CampaignBelief::CampaignBelief(const Study& study, int threads, PoolStorage storage)
    : study_(study), threads_(threads), storage_(storage) {}

void CampaignBelief::follow(const State& state) {
  unrecorded_.clear();
  try {
    const std::vector<Annotation>& annotations = this->annotations(state);
    const Prior prior = belief_ ? study_.prior_given(annotations) : Prior();
    if (belief_ && is_same_prior(state, prior) && append(state, annotations)) {
      // A mean that changes with every answer changes no variance, so no rebuild is needed.
      if (prior.mean != model_.prior.mean) belief_->change_prior_mean(model_.prior.mean = prior.mean);
      set_price_weight(state.planned() ? state.planned()->lambda : study_.acquisition().price_weight);
      return;
    }
    rebuild(state, model_of(study_, state, annotations));
  } catch (...) {
    forget();  // it may be partly updated
    throw;
  }
}

const std::vector<Annotation>& CampaignBelief::annotations(const State& state) {
  if (annotations_revision_ != state.answers_revision()) {
    annotations_ = annotations_of(study_, state);
    annotations_revision_ = state.answers_revision();
  }
  return annotations_;
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

bool CampaignBelief::append(const State& state, const std::vector<Annotation>& annotations) {
  const bool noise_changed = study_.take_reports(model_, annotations);
  const bool offer_changed = study_.take_costs(model_, level_costs(study_, state)) || noise_changed;
  // Answers by suggestion, in the order in which they were recorded.
  std::vector<std::pair<std::int64_t, const Annotation*>> told;
  std::size_t next = 0;
  for (const std::int64_t id : state.answered()) {
    told.emplace_back(id, &annotations[next]);
    next += state.find(id)->values.size();
  }
  if (has_new_answer_to_answered_item(told)) return false;
  for (const auto& [id, annotation] : told)
    if (state.find(id)->replaced && !take_continued(state, id, *annotation)) return false;
  std::vector<std::int64_t> gone;
  for (const auto& [id, entry] : entries_) {
    const SuggestionRecord& record = *state.find(id);
    if (!entry.values.empty() && entry.values != record.values) return false;  // amended or retracted
    if (!entry.values.empty() || !record.values.empty()) continue;
    // Pending suggestions are expected with the current noise of the offer.
    if (record.status != SuggestionStatus::pending ||
        entry.channel != pending_channel(study_, model_, state, record))
      gone.push_back(id);
  }
  for (const auto& [id, annotation] : told) {
    const auto entry = entries_.find(id);
    if (entry == entries_.end() || !entry->second.values.empty()) continue;
    const bool as_expected = is_same_place(entry->second.place, annotation->place) &&
                             entry->second.channel == study_.channel_of(*annotation, model_);
    if (!as_expected) gone.push_back(id);
  }
  // The last one first: cancelling conditions again on everything after it.
  std::sort(gone.begin(), gone.end(), std::greater<>());
  for (const std::int64_t id : gone) {
    belief_->cancel(entries_.at(id).rows.front());
    entries_.erase(id);
  }
  // The selector's bounds are invalid after a variance has risen or the offer has changed.
  if (!gone.empty() || offer_changed) renew_selector();
  for (const auto& [id, annotation] : told) take_in(id, *annotation, state.find(id)->values);
  for (const std::int64_t id : state.pending())
    if (!entries_.contains(id)) expect_pending(state, id);
  return true;
}

// Answers to one item may be one observation, which such an answer changes.
bool CampaignBelief::has_new_answer_to_answered_item(
    const std::vector<std::pair<std::int64_t, const Annotation*>>& told) const {
  if (!study_.file().merges_answers()) return false;
  std::vector<const Annotation*> fresh;
  for (const auto& [id, annotation] : told)
    if (const auto entry = entries_.find(id); entry == entries_.end() || entry->second.values.empty())
      fresh.push_back(annotation);
  return std::any_of(fresh.begin(), fresh.end(), [&](const Annotation* one) {
    return std::any_of(told.begin(), told.end(), [&](const auto& other) {
      return other.second != one && is_same_place(other.second->place, one->place);
    });
  });
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
  const double old_noise = noise_variance(study_.channel_of(told_annotation(study_, before), model_));
  const double noise = noise_variance(study_.channel_of(annotation, model_));
  if (!(noise < old_noise)) return false;
  const GaussianChannel channel{noise_of_continuation(old_noise, noise)};
  const double value =
      value_of_continuation(old_noise, before.replaced_values.front(), noise, record.values.front());
  if (entry != entries_.end() && entry->second.channel == Channel(channel)) {
    belief_->answer(entry->second.rows.front(), value);
  } else {
    if (entry != entries_.end()) {
      belief_->cancel(entry->second.rows.front());
      entries_.erase(entry);
      renew_selector();
    }
    Entry added{annotation.place, channel, {}, {}};
    added.rows.push_back(belief_->condition(added.place, added.channel, value));
    entries_.emplace(id, std::move(added));
  }
  entries_.at(id).values = record.values;
  entries_.erase(replaced);
  return true;
}

void CampaignBelief::take_in(std::int64_t id, const Annotation& annotation,
                             const std::vector<double>& values) {
  Entry& entry =
      entries_.try_emplace(id, Entry{annotation.place, study_.channel_of(annotation, model_), {}, {}})
          .first->second;
  if (entry.values == values) return;
  const Target& target = *study_.file().target;
  if (!entry.rows.empty()) belief_->answer(entry.rows.front(), target.to_model(values.front()));
  while (entry.rows.size() < values.size())
    entry.rows.push_back(
        belief_->condition(entry.place, entry.channel, target.to_model(values[entry.rows.size()])));
  entry.values = values;
}

void CampaignBelief::expect_pending(const State& state, std::int64_t id) {
  const SuggestionRecord& record = *state.find(id);
  if (record.asked.gold) return;  // the answer tells nothing about f
  if (const auto channel = pending_channel(study_, model_, state, record))
    add_expected(id, expected_annotation(study_, record).place, *channel);
}

void CampaignBelief::expect(std::int64_t id, const Place& place, const Channel& channel) {
  unrecorded_.push_back(id);
  add_expected(id, place, channel);
}

void CampaignBelief::take_back() {
  if (!belief_ || unrecorded_.empty()) return;
  try {
    // The last one first: cancelling conditions again on everything after it.
    for (; !unrecorded_.empty(); unrecorded_.pop_back()) {
      const auto entry = entries_.find(unrecorded_.back());
      if (entry == entries_.end()) continue;
      belief_->cancel(entry->second.rows.front());
      entries_.erase(entry);
    }
    renew_selector();  // its bounds are invalid after a variance has risen
  } catch (...) {
    forget();
    throw;
  }
}

void CampaignBelief::add_expected(std::int64_t id, const Place& place, const Channel& channel) {
  Entry entry{place, channel, {}, {}};
  entry.rows.push_back(belief_->condition(entry.place, entry.channel, std::nullopt));
  entries_.emplace(id, std::move(entry));
}

void CampaignBelief::rebuild(const State& state, StudyModel model) {
  forget();
  entries_.clear();
  model_ = std::move(model);
  fits_ = state.fits();
  rewrites_ = state.rewrites();
  belief_ = study_.belief(model_, storage_, threads_);
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
