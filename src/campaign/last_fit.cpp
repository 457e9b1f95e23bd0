#include "campaign/last_fit.hpp"

#include <algorithm>

#include "campaign/state_queries.hpp"

namespace acuity {

namespace {

bool is_over(const Study& study, const State& state) {
  if (!state.pending().empty()) return false;
  const std::vector<Level>& levels = study.offer().levels;
  const double money = std::max(state.free(), 0.0) * (1.0 + 1e-9);
  const bool is_spent =
      !study.acquisition().continuous && std::all_of(levels.begin(), levels.end(), [&](const Level& level) {
        return level.is_retired || level.cost > money;
      });
  return is_spent || !candidates_of(study, state).any_open();
}

}  // namespace

StudyModel model_for_predictions(const Campaign& campaign, int threads) {
  const Study& study = campaign.study();
  const State& state = campaign.state();
  StudyModel model = campaign.model();
  const bool has_all = !model.learned || state.fitted()->annotations >= state.annotations();
  if (has_all || !is_over(study, state)) return model;
  const std::vector<Annotation> annotations = campaign.annotations();
  Learned learned = StudyLearner(study).learn_from(
      annotations, {}, threads, &*model.learned, state.fitted()->annotations, gold_answers_of(study, state));
  StudyModel last = StudyLearner(study).model_given(annotations, std::move(learned));
  last.acquisition = std::move(model.acquisition);
  StudyLearner(study).take_costs(last, std::move(model.costs));
  return last;
}

}  // namespace acuity
