#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/event.hpp"
#include "acuity/study/study.hpp"
#include "annotation/truth_table.hpp"

namespace acuity {

/// A way to spend the money. The initial design is the study's for all of them.
enum class Policy {
  model,     ///< information about f per cost, every level competes
  target,    ///< the same about Y, as the study has it
  bald,      ///< the most information at the highest precision
  random,    ///< any point at the highest precision
  cheapest,  ///< as model, the cheapest level alone
  finest     ///< as model, the highest precision alone: what bald buys, said by its price
};

std::string policy_name(Policy policy);
/// Throws InputError with those there are.
Policy policy_named(const std::string& name, const Study& study);
/// Those worth comparing on a study; its own is the first.
std::vector<Policy> policies_of(const Study& study);

/// What the money had bought by then.
struct TrialStep {
  double spent = 0.0;
  double error = 0.0;
};

/// One policy on known answers, once: where it begins, and where every annotation leaves the belief.
struct PolicyTrial {
  Policy policy = Policy::model;
  int repeat = 0;
  std::vector<TrialStep> steps;
  bool sold_out = false;  ///< it ended with money left, but nothing more to buy with it

  std::size_t annotations() const { return steps.size() - 1; }  ///< those known before aside
};

/// A repeat has a seed of its own for the initial design, random choice and the noise of answers; the first
/// has the study's. Then it is the campaign that `run` would make with these answers, but for
/// stop.wall_clock. It goes on from `before`, the events of a campaign on this pool; where they are none, it
/// begins with what the study knows. The study has a budget. Nothing where `stop` became true on the way.
std::optional<PolicyTrial> try_policy(const Study& study, Policy policy, int repeat,
                                      const std::shared_ptr<const TruthTable>& truth,
                                      const std::atomic<bool>& stop, const std::vector<Event>& before = {});

struct TrialOptions {
  std::vector<Policy> policies;
  int repeats = 20;
  int threads = 0;                           ///< 0: all the machine has; results do not depend on it
  const std::atomic<bool>* stop = nullptr;   ///< becomes true where nobody waits any longer
  std::function<void(int, int)> progress{};  ///< trials done, of all; one call at a time
  std::vector<Event> before{};               ///< as try_policy has it
};

/// Known answers, a table for every repeat or the same for all; called on several threads.
using TruthOfRepeat = std::function<std::shared_ptr<const TruthTable>(int repeat)>;

/// Throws InputError where the study has no budget: some policy might never end.
void require_budget(const Study& study);

/// Every policy on every repeat, by policy and then by repeat; less where it was stopped. The study has a
/// budget.
std::vector<PolicyTrial> try_policies(const Study& study, const TruthOfRepeat& truth,
                                      const TrialOptions& options);

}  // namespace acuity
