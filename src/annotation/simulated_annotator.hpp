#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "acuity/selection/suggestion.hpp"

namespace acuity {

/// Who answers.
class Annotator {
 public:
  virtual ~Annotator() = default;
  virtual double annotate(const Suggestion& suggestion) = 0;
};

/// Answers from a known truth plus the noise of the suggestion's channel. An answer depends on the seed, the
/// stream and the suggestion's id, not on what was answered before.
class SimulatedAnnotator : public Annotator {
 public:
  using Truth = std::function<double(const std::vector<double>& inputs)>;

  SimulatedAnnotator(Truth truth, std::uint64_t seed, std::uint32_t stream)
      : truth_(std::move(truth)), seed_(seed), stream_(stream) {}

  double annotate(const Suggestion& suggestion) override;

 private:
  Truth truth_;
  std::uint64_t seed_;
  std::uint32_t stream_;
};

}  // namespace acuity
