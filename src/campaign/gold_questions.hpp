#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// The questions about gold items among the questions of one person. How often they come and which items they
/// are about follows from the seed, the name and the number of questions that the person has had. Every
/// process that reads the same log therefore asks the same questions.
class GoldQuestions {
 public:
  /// None for programs, or if the study has no gold items. The study must outlive it.
  GoldQuestions(const Study& study, const State& state, const AskOptions& options);

  /// Counts one more question. The row of a gold item if the question is about one.
  std::optional<Index> next();

 private:
  const Study& study_;
  std::uint32_t name_ = 2166136261U;  // hash of the name; FNV-1a
  std::uint32_t asked_ = 0;           // questions so far
  std::vector<Index> left_;           // items that the person has not had; the next one last
};

/// A question about a row that looks like the choice `instead_of`: at the same level, with the information
/// that an answer there would have.
Suggestion suggestion_of_row(const Study& study, const StudyModel& model, PoolBelief& belief,
                             const Score& instead_of, Index row);

}  // namespace acuity
