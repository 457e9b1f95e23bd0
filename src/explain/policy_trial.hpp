#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acuity/base/job.hpp"
#include "acuity/store/event.hpp"
#include "acuity/study/study.hpp"
#include "annotation/truth_table.hpp"

namespace acuity {

/// A rule for choosing point and level. All policies use the initial design of the study.
struct Policy {
  enum Kind {
    model,    ///< information about f per cost, among all levels
    goal,     ///< what answers are worth at the points of the goal, per cost
    no_plan,  ///< as the study, but always by information per cost, whatever money is left
    no_bias,  ///< as model, with the biases of all levels taken for noise
    target,   ///< information about Y per cost, with the target of the study
    bald,     ///< the most information at the highest precision
    random,   ///< any point at the highest precision
    /// Any point at the level that is best in hindsight: every level is tried, and the one whose median error
    /// ends lowest is kept. Of more than six levels five are tried.
    random_best,
    cheapest,  ///< as model, with the cheapest level only
    finest,    ///< as model, with the highest precision only: the choices of bald, ranked per cost
    without    ///< as the study, as if the answers at the level `unused`, which is retired, were not known
  };

  constexpr Policy(Kind one) : kind(one) {}  // NOLINT: Policy::model reads well
  Policy(Kind one, std::string level) : kind(one), unused(std::move(level)) {}

  Kind kind;
  std::string unused = {};

  friend bool operator==(const Policy&, const Policy&) = default;
};

std::string policy_name(const Policy& policy);
/// Throws InputError with a list of the policies if there is none with this name.
Policy policy_named(const std::string& name, const Study& study);
/// The policies worth comparing on a study; its own is the first.
std::vector<Policy> policies_of(const Study& study);

/// The error after some of the budget was spent: over the points of the goal if the truth is known there
/// (TruthTable::goal), over the pool otherwise.
struct TrialStep {
  double spent = 0.0;
  double error = 0.0;
};

/// One run of a policy on known answers: the error at the start and after every annotation.
struct PolicyTrial {
  Policy policy = Policy::model;
  int repeat = 0;
  std::vector<TrialStep> steps;
  bool sold_out = false;  ///< it ended with budget left, but no affordable candidate
  Index level = -1;       ///< random_best: the level that was tried

  std::size_t annotations() const { return steps.size() - 1; }  ///< without those known before
};

/// Runs a policy on known answers. Every repeat has its own seed for the initial design, random choices and
/// the noise of answers; the first has that of the study, which gives the campaign that `run` would make with
/// these answers, except for stop.wall_clock. `level`: of random_best. Continues from `before`, the events of
/// a campaign on this pool; if empty, starts with the initial answers of the study. The study must have a
/// budget. `step` is called after every answer with the trial so far. Empty if `stop` became true.
std::optional<PolicyTrial> try_policy(const Study& study, const Policy& policy, int repeat,
                                      const std::shared_ptr<const TruthTable>& truth,
                                      const std::atomic<bool>& stop, const std::vector<Event>& before = {},
                                      const std::function<void(const PolicyTrial&)>& step = {},
                                      Index level = -1);

/// The trials without those of random_best at levels that end with a larger median error.
std::vector<PolicyTrial> at_best_level(std::vector<PolicyTrial> trials);

struct TrialOptions {
  std::vector<Policy> policies;
  int repeats = 20;
  int threads = 0;                           ///< 0: one per processor; results do not depend on it
  const std::atomic<bool>* stop = nullptr;   ///< set to true to cancel
  std::function<void(int)> begin{};          ///< number of trials, before the first
  std::function<void(int, int)> progress{};  ///< trials done, number of trials; calls do not overlap
  std::vector<Event> before{};               ///< as for try_policy
  /// Called after every trial with those that are done, sorted as the result, but with all levels of
  /// random_best; calls do not overlap.
  std::function<void(const std::vector<std::optional<PolicyTrial>>&)> so_far{};
  /// Called after every answer of the very first trial, the one that is under way longest; does not overlap
  /// with so_far.
  std::function<void(const PolicyTrial&)> first_trial{};
};

/// The known answers for a repeat. Called on several threads.
using TruthOfRepeat = std::function<std::shared_ptr<const TruthTable>(int repeat)>;

/// Throws InputError if the study has no budget, because a policy might never end.
void require_budget(const Study& study);

/// Runs every policy on every repeat; results are sorted by policy, then by repeat. Fewer if cancelled. The
/// study must have a budget. The processes of a job share the trials: each calls this with the same arguments
/// and gets all results, while progress, so_far and first_trial are about its own trials.
std::vector<PolicyTrial> try_policies(const Study& study, const TruthOfRepeat& truth,
                                      const TrialOptions& options, const Job& job = {});

}  // namespace acuity
