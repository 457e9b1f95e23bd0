#pragma once

#include <optional>

#include "acuity/study/study_learner.hpp"
#include "annotation/simulated_annotator.hpp"
#include "conduct/annotator_pool.hpp"

namespace acuity {

/// A simulated annotator that answers at once. With `reporting`, a model learned from answers with reported
/// noise, answers have the noise that it expects, and report it; otherwise they have the noise that the study
/// declares.
class SimulatedPool : public AnnotatorPool {
 public:
  SimulatedPool(const Study& study, std::unique_ptr<Annotator> annotator,
                std::optional<StudyModel> reporting = std::nullopt);

  void start(const Suggestion& suggestion) override;
  void resume(const Suggestion& suggestion) override { start(suggestion); }
  bool answers_at_once() const override { return true; }
  int busy() const override { return static_cast<int>(done_.size()); }
  std::vector<Outcome> wait(double seconds) override;
  void stop_starting() override {}
  void end() override {}

 private:
  const Study& study_;
  std::unique_ptr<Annotator> annotator_;
  std::optional<StudyModel> reporting_;
  std::vector<Outcome> done_;
};

}  // namespace acuity
