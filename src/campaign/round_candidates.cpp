#include "campaign/round_candidates.hpp"

#include <set>
#include <utility>

#include "campaign/run_failures.hpp"

namespace acuity {

RoundCandidates::RoundCandidates(Candidates open, const State& state, const AskScope& scope)
    : scope_(scope), all_(std::move(open)) {
  if (scope.is_restricted()) {
    of_others_ = all_;
    scope.apply_to(all_);
    if (scope.room()) all_.top_ups() = TopUps();  // a run that is continued has its place already
  }
  const std::set<Index> waiting = RunFailures(scope.study(), state).waiting();
  if (waiting.empty()) return;
  first_ = all_;
  for (const Index row : waiting)
    if (row >= 0) first_->close(row);
}

void RoundCandidates::buy(const Score& chosen, double reserved) {
  all_.buy(chosen, reserved);
  if (first_) first_->buy(chosen, reserved);
  if (of_others_) of_others_->buy(chosen, reserved);
  if (!scope_.once_each()) return;
  all_.close(chosen.point);
  if (first_) first_->close(chosen.point);
}

void RoundCandidates::charge(double reserved) {
  all_.charge(reserved);
  if (first_) first_->charge(reserved);
  if (of_others_) of_others_->charge(reserved);
}

void RoundCandidates::apply_scope() {
  scope_.apply_to(all_);
  if (first_) scope_.apply_to(*first_);
}

}  // namespace acuity
