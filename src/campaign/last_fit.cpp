#include "campaign/last_fit.hpp"

#include <algorithm>

#include "campaign/state_queries.hpp"

namespace acuity {

namespace {

// Whether anything that is open can be paid for.
bool can_be_bought(const Study& study, const Offer& offer, const Candidates& open) {
  const double money = std::max(open.remaining(), 0.0) * (1.0 + 1e-9);
  if (study.acquisition().continuous) return open.any_open();
  for (Index k = 0; k < static_cast<Index>(offer.levels.size()); ++k) {
    const Level& level = offer.levels[static_cast<std::size_t>(k)];
    if (level.is_retired || (!offer.has_point_costs() && level.reserved() > money)) continue;
    for (Index row = 0; row < study.pool().size(); ++row)
      if (open.is_open(row, k) && offer.reserved(row, k) <= money) return true;
  }
  return false;
}

// Questions of the audit do not keep the model from having all answers that it will have before the audit.
bool is_over(const Study& study, const State& state, const Offer& offer) {
  for (const std::int64_t id : state.pending())
    if (!state.find(id)->asked.audit) return false;
  return !can_be_bought(study, offer, candidates_of(study, state));
}

}  // namespace

StudyModel model_for_predictions(const Study& study, const State& state, int threads) {
  const std::vector<Annotation> annotations = annotations_of(study, state);
  StudyModel model = model_of(study, state, annotations);
  const bool has_all = !model.learned || state.fitted()->annotations >= state.annotations();
  if (has_all || !is_over(study, state, model.offer)) return model;
  Learned learned = StudyLearner(study).learn_from(
      annotations, {}, threads, &*model.learned, state.fitted()->annotations, gold_answers_of(study, state));
  StudyModel last = StudyLearner(study).model_given(annotations, std::move(learned));
  last.acquisition = std::move(model.acquisition);
  StudyLearner(study).take_costs(last, std::move(model.costs));
  return last;
}

}  // namespace acuity
