#include "campaign/rehearsal_crew.hpp"

#include <utility>

#include "campaign/books.hpp"

namespace acuity {

RehearsalCrew::RehearsalCrew(const Study& study, std::unique_ptr<Annotator> annotator)
    : study_(study), annotator_(std::move(annotator)) {}

void RehearsalCrew::start(const Suggestion& suggestion) {
  // The noise of the study, whatever the model has learned about it.
  Suggestion as_it_is = suggestion;
  as_it_is.channel = channel_at(level_of(study_, suggestion.level.name, suggestion.level.alpha),
                                study_.file().binary ? 0.0 : study_.offer().base_noise(suggestion.row));
  Outcome outcome{.kind = Outcome::Kind::answered, .id = suggestion.id, .answer = {}, .reason = {}};
  outcome.answer.id = suggestion.id;
  outcome.answer.values = {annotator_->annotate(as_it_is)};
  done_.push_back(std::move(outcome));
}

std::vector<Outcome> RehearsalCrew::wait(double) {
  return std::exchange(done_, {});
}

}  // namespace acuity
