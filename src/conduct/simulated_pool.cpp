#include "conduct/simulated_pool.hpp"

#include <cmath>
#include <utility>

#include "campaign/state_queries.hpp"

namespace acuity {

SimulatedPool::SimulatedPool(const Study& study, std::unique_ptr<Annotator> annotator,
                             std::optional<StudyModel> reporting)
    : study_(study), annotator_(std::move(annotator)), reporting_(std::move(reporting)) {
  if (reporting_) reporting_->nugget = 0.0;  // annotators do not know the nugget, so they do not report it
}

void SimulatedPool::start(const Suggestion& suggestion) {
  // The noise declared by the study, not the learned one; or the noise that answers report.
  const double base_noise = study_.offer().base_noise(suggestion.row);
  const Level level = level_of(study_, suggestion.level.name, suggestion.level.alpha);
  Suggestion as_it_is = suggestion;
  as_it_is.channel = channel_at(level, base_noise);
  Outcome outcome{.kind = Outcome::Kind::answered, .id = suggestion.id, .answer = {}, .reason = {}};
  outcome.answer.id = suggestion.id;
  if (reporting_) {
    as_it_is.channel = StudyLearner(study_).expected_channel(
        study_.annotation(suggestion.row, base_noise, level, 0.0, suggestion.cost), *reporting_);
    if (noise_variance(as_it_is.channel) > 0.0) outcome.answer.channel = as_it_is.channel;
  }
  outcome.answer.values = {annotator_->annotate(as_it_is)};
  if (std::isnan(outcome.answer.values.front())) {
    outcome.kind = Outcome::Kind::failed;
    outcome.reason = "the simulated run fails";
    outcome.cost = suggestion.cost;
  }
  done_.push_back(std::move(outcome));
}

std::vector<Outcome> SimulatedPool::wait(double) {
  return std::exchange(done_, {});
}

}  // namespace acuity
