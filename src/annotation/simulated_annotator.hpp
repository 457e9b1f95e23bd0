#pragma once

#include <cstdint>
#include <functional>

#include "acuity/selection/suggestion.hpp"
#include "acuity/study/answer_scale.hpp"
#include "numerics/random.hpp"

namespace acuity {

/// Answers suggestions.
class Annotator {
 public:
  virtual ~Annotator() = default;
  virtual double annotate(const Suggestion& suggestion) = 0;
};

/// Answers with known values plus noise of the suggestion's channel. An answer depends on the seed, the
/// stream and the suggestion's id, not on earlier answers.
class SimulatedAnnotator : public Annotator {
 public:
  using Answer = std::function<double(const Suggestion& suggestion, numerics::Draws& draws)>;

  SimulatedAnnotator(Answer answer, std::uint64_t seed, std::uint32_t stream)
      : answer_(std::move(answer)), seed_(seed), stream_(stream) {}

  double annotate(const Suggestion& suggestion) override;

 private:
  Answer answer_;
  std::uint64_t seed_;
  std::uint32_t stream_;
};

/// `truth` with noise of the channel added.
double noisy_answer(double truth, const Channel& channel, numerics::Draws& draws);

/// Counts: a share or a rate, drawn from as many trials as the channel says, where the true one is `truth`.
double counted_answer(const AnswerScale& scale, double truth, const Channel& channel, numerics::Draws& draws);

}  // namespace acuity
