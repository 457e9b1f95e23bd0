#include "campaign/last_fit.hpp"

#include <algorithm>

#include "campaign/state_queries.hpp"

namespace acuity {

namespace {

// Questions of the audit do not keep the model from having all answers that it will have before the audit.
bool is_over(const Study& study, const State& state) {
  for (const std::int64_t id : state.pending())
    if (!state.find(id)->asked.audit) return false;
  const Candidates open = candidates_of(study, state);
  const std::vector<Level>& levels = study.offer().levels;
  const double money = std::max(open.remaining(), 0.0) * (1.0 + 1e-9);
  const bool is_spent =
      !study.acquisition().continuous && std::all_of(levels.begin(), levels.end(), [&](const Level& level) {
        return level.is_retired || level.cost > money;
      });
  return is_spent || !open.any_open();
}

}  // namespace

StudyModel model_for_predictions(const Study& study, const State& state, int threads) {
  const std::vector<Annotation> annotations = annotations_of(study, state);
  StudyModel model = model_of(study, state, annotations);
  const bool has_all = !model.learned || state.fitted()->annotations >= state.annotations();
  if (has_all || !is_over(study, state)) return model;
  Learned learned = StudyLearner(study).learn_from(
      annotations, {}, threads, &*model.learned, state.fitted()->annotations, gold_answers_of(study, state));
  StudyModel last = StudyLearner(study).model_given(annotations, std::move(learned));
  last.acquisition = std::move(model.acquisition);
  StudyLearner(study).take_costs(last, std::move(model.costs));
  return last;
}

}  // namespace acuity
