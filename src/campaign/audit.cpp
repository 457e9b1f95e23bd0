#include "campaign/audit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "acuity/study/study_learner.hpp"
#include "annotation/truth_table.hpp"
#include "campaign/last_fit.hpp"
#include "campaign/state_queries.hpp"
#include "numerics/random.hpp"

namespace acuity {

namespace {

// Points at random: of the goal, each replaced by the point of the pool that is nearest to it, or of the
// pool. The same for every state of a campaign.
class RandomRows {
 public:
  explicit RandomRows(const Study& study) : study_(study) {
    if (!has_own_goal(study)) return;
    double sum = 0.0;
    for (const double weight : study.goal()->weights) weights_.push_back(sum += weight);
    spread_ = Vector::Ones(study.pool().points().cols());
    const auto& points = study.pool().points();
    for (Index k = 0; k < points.cols(); ++k)
      if (const double range = points.col(k).maxCoeff() - points.col(k).minCoeff(); range > 0.0)
        spread_(k) = range;
  }

  Index draw(std::uint32_t number) const {
    numerics::Draws draws(study_.file().seed, numerics::Purpose::audit, number);
    if (weights_.empty()) return draws.below(study_.pool().size());
    const auto at = std::lower_bound(weights_.begin(), weights_.end(), weights_.back() * draws.uniform());
    return nearest(study_.goal()->points.row(at - weights_.begin()));
  }

 private:
  Index nearest(const Eigen::RowVectorXd& wanted) const {
    const auto& points = study_.pool().points();
    Index best = 0;
    ((points.rowwise() - wanted).array().rowwise() / spread_.transpose().array())
        .square()
        .rowwise()
        .sum()
        .minCoeff(&best);
    return best;
  }

  const Study& study_;
  std::vector<double> weights_;  // cumulated; empty: of the pool
  Vector spread_;
};

double price_factor(const Study& study, const State& state, Index level) {
  double paid = 0.0, asked = 0.0;
  for (const std::int64_t id : state.answered()) {
    const SuggestionRecord& record = *state.find(id);
    if (study.find_level(record.asked.level) != level || record.asked.replaces) continue;
    paid += record.charged;
    asked += record.asked.cost;
  }
  return asked > 0.0 ? std::max(1.0, paid / asked) : 1.0;
}

}  // namespace

Index audit_level(const Study& study) {
  const std::optional<Index> named = study.find_level(study.file().audit.level);
  return named ? *named : study.offer().finest();
}

AuditProgress audit_progress(const Study& study, const State& state) {
  AuditProgress progress{.wanted = study.file().audit.answers};
  for (const SuggestionRecord& record : state.suggestions()) {
    if (!record.asked.audit) continue;
    if (record.was_audited)
      ++progress.done;
    else if (record.status == SuggestionStatus::told)
      ++progress.told;
    else if (record.status == SuggestionStatus::pending)
      ++progress.pending;
  }
  return progress;
}

AuditDraw::AuditDraw(const Study& study, const State& state, const Candidates& open)
    : study_(study), level_(audit_level(study)) {
  const std::int64_t left = audit_progress(study, state).left();
  if (left == 0) return;
  price_factor_ = price_factor(study, state, level_);
  std::set<Index> had;
  for (const SuggestionRecord& record : state.suggestions())
    if (record.asked.audit && record.status != SuggestionStatus::released) had.insert(record.asked.row);
  const RandomRows rows(study);
  // Points that are closed are passed over; a pool of which few are open has so many draws in vain.
  constexpr std::uint32_t most_draws = 5000;
  for (std::uint32_t k = 0; k < most_draws && static_cast<std::int64_t>(rows_.size()) < left; ++k)
    if (const Index row = rows.draw(k); open.is_open(row, level_) && had.insert(row).second)
      rows_.push_back(row);
}

double AuditDraw::cost(Index row) const {
  return price_factor_ * study_.offer().cost(row, level_);
}

double AuditDraw::cost() const {
  double sum = 0.0;
  for (const Index row : rows_) sum += cost(row);
  return sum;
}

void AuditDraw::keep_from(Candidates& candidates) const {
  const Level& level = study_.offer().levels[static_cast<std::size_t>(level_)];
  candidates.charge(cost());
  if (study_.file().repeat) return;
  for (const Index row : rows_)
    if (level.repeats_itself || level.bias.any() || study_.file().closes_pairs)
      candidates.exclude(row, level_);
    else
      candidates.close(row);
}

AuditDraw audit_draw_of(const Study& study, const State& state) {
  return {study, state, purchasable_of(study, state, study.candidates_after(annotations_of(study, state)))};
}

double audit_reserve(const Study& study, const State& state) {
  return study.file().audit.answers == 0 ? 0.0 : audit_draw_of(study, state).cost();
}

bool audit_is_complete(const Study& study, const State& state) {
  const AuditProgress progress = audit_progress(study, state);
  if (progress.told == 0 || progress.pending > 0) return false;
  if (progress.left() == 0) return true;
  const AuditDraw rest = audit_draw_of(study, state);
  return !rest.next() || rest.cost(*rest.next()) > state.free() + budget_slack(state.budget());
}

Audited audit_predictions(const Study& study, const State& state, int threads) {
  Audited audited;
  std::vector<Observation> answers;
  const StudyLearner learner(study);
  const StudyModel model = model_for_predictions(study, state, threads);
  for (const SuggestionRecord& record : state.suggestions()) {
    if (!record.asked.audit || record.was_audited || record.values.empty()) continue;
    const Annotation annotation = told_annotation(study, record);
    const Channel channel = learner.channel_of(annotation, model);
    audited.ids.push_back(record.asked.id);
    answers.push_back({.place = annotation.place, .value = 0.0, .channel = channel});
    const auto* flip = std::get_if<FlipChannel>(&channel);
    audited.noise.push_back(flip != nullptr ? flip->accuracy() : noise_variance(channel));
  }
  const Points points = Observations(answers, study.pool().points()).points();
  const std::vector<Annotation> annotations = annotations_of(study, state);
  const Marginals expected = study.file().target->expectation(
      learner.averaged(model, annotations).predict(points, threads).marginals);
  audited.mean.assign(expected.mean.begin(), expected.mean.end());
  audited.variance.assign(expected.variance.begin(), expected.variance.end());
  return audited;
}

}  // namespace acuity
