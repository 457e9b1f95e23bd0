#include "explain/policy_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "annotation/rehearsal.hpp"
#include "base/byte_text.hpp"
#include "base/parallel.hpp"
#include "campaign/choose_next.hpp"
#include "campaign/initial_design.hpp"
#include "conduct/record_outcome.hpp"
#include "conduct/simulated_pool.hpp"
#include "data/quantile.hpp"
#include "explain/goal_error.hpp"
#include "numerics/random.hpp"
#include "selection/why_nothing.hpp"
#include "study/sought.hpp"
#include "text/nearest.hpp"

namespace acuity {

namespace {

using Information = AcquisitionSetting::Kind;

constexpr std::pair<Policy::Kind, const char*> policy_names[] = {
    {Policy::model, "model"},     {Policy::no_bias, "no-bias"},         {Policy::goal, "goal"},
    {Policy::no_plan, "no-plan"}, {Policy::target, "target"},           {Policy::bald, "bald"},
    {Policy::random, "random"},   {Policy::random_best, "random-best"}, {Policy::cheapest, "cheapest"},
    {Policy::finest, "finest"},   {Policy::without, "without"}};

Policy own_policy(const Study& study) {
  switch (study.file().acquisition.kind) {
    case Information::target:
      return Policy::target;
    case Information::bald:
      return Policy::bald;
    case Information::random:
      return Policy::random;
    case Information::goal:
      return Policy::goal;
    case Information::model:
      break;
  }
  return Policy::model;
}

Information kind_of(const Study& study, const Policy& policy) {
  switch (policy.kind) {
    case Policy::without:
    case Policy::no_plan:
      return study.file().acquisition.kind;
    case Policy::target:
      return Information::target;
    case Policy::bald:
      return Information::bald;
    case Policy::random:
    case Policy::random_best:
      return Information::random;
    case Policy::goal:
      return Information::goal;
    case Policy::model:
    case Policy::no_bias:
    case Policy::cheapest:
    case Policy::finest:
      break;
  }
  return Information::model;
}

// The levels on offer, of many some, evenly spaced. Of a ladder of all precisions there are none.
std::vector<Index> levels_of_random_best(const Study& study) {
  constexpr std::size_t most = 6, some = 5;
  std::vector<Index> levels;
  if (study.acquisition().continuous) return levels;
  for (std::size_t k = 0; k < study.offer().levels.size(); ++k)
    if (!study.offer().levels[k].is_retired) levels.push_back(static_cast<Index>(k));
  if (levels.size() <= most) return levels;
  std::vector<Index> kept;
  for (std::size_t k = 0; k < some; ++k) kept.push_back(levels[k * (levels.size() - 1) / (some - 1)]);
  return kept;
}

Index cheapest_level(const Offer& offer) {
  const auto cheapest =
      std::min_element(offer.levels.begin(), offer.levels.end(), [](const Level& a, const Level& b) {
        return std::pair(a.is_retired, a.cost) < std::pair(b.is_retired, b.cost);
      });
  return cheapest - offer.levels.begin();
}

// The initial design as an explicit one: the default one of levels with bias is not that of levels without.
InitialSetting stated_design(const Study& study) {
  const InitialDesign design = initial_design(study);
  InitialSetting setting = study.file().initial;
  if (design.parts.size() < 2) return setting;
  setting.per_level.clear();
  setting.nested = design.nested;
  for (const InitialDesign::Part& part : design.parts)
    setting.per_level.emplace_back(study.offer().levels[static_cast<std::size_t>(part.level)].name,
                                   part.count);
  return setting;
}

// Levels that are not for sale, whose answers the study knows by a bias: those of earlier campaigns.
std::vector<std::string> retired_levels(const Study& study) {
  std::vector<std::string> names;
  for (const Level& level : study.offer().levels)
    if (level.is_retired && level.bias.any()) names.push_back(level.name);
  return names;
}

// Plans are made anew. What was learned with biases, or from more answers, does not apply without them.
std::vector<Event> kept_for(const Policy& policy, std::vector<Event> events) {
  std::erase_if(events, [&](const Event& event) {
    return std::holds_alternative<Planned>(event) ||
           ((policy == Policy::no_bias || policy.kind == Policy::without) &&
            std::holds_alternative<Fitted>(event));
  });
  return events;
}

// As a campaign would be that never had the answers: their money was spent elsewhere, so nothing comes back.
void forget_answers(Campaign& campaign, const std::string& level) {
  const std::vector<std::int64_t> answered = campaign.state().answered();
  for (const std::int64_t id : answered)
    if (campaign.state().find(id)->level() == level) campaign.retract(id, "a policy without " + level);
}

// Whether no level of those that are for sale has a bias: then there is none without the answers at `unused`.
bool is_only_bias(const Study& study, const std::string& unused) {
  const std::vector<Level>& levels = study.offer().levels;
  return std::none_of(levels.begin(), levels.end(),
                      [&](const Level& level) { return level.bias.any() && level.name != unused; });
}

Study variant_for(const Study& study, const Policy& policy, int repeat) {
  StudyVariant different;
  different.information = kind_of(study, policy);
  if (policy.kind == Policy::without) different.without_bias = is_only_bias(study, policy.unused);
  different.without_plan = policy == Policy::no_plan;
  if (policy == Policy::cheapest) different.only_level = cheapest_level(study.offer());
  if (policy == Policy::finest) different.only_level = study.offer().finest();
  if (policy == Policy::no_bias) {
    different.without_bias = true;
    different.initial = stated_design(study);
  }
  if (repeat > 0)
    different.seed = numerics::draw_key(study.file().seed, numerics::Purpose::repeat, 0,
                                        static_cast<std::uint64_t>(repeat));
  // Known answers take no time, so the wall clock does not apply.
  different.stop = study.file().stop;
  different.stop->wall_clock.reset();
  return study.variant(different);
}

// The level of an ask, as its users write it. The initial design comes first at its own levels.
std::string level_of_ask(const Campaign& campaign, Index number) {
  if (number < 0 || in_initial_phase(campaign.study(), campaign.state())) return "";
  const Level& level = campaign.study().offer().levels[static_cast<std::size_t>(number)];
  if (!level.alpha) return level.name;
  return std::isinf(*level.alpha) ? "inf" : fmt::format("{}", *level.alpha);
}

// Asks until an answer is recorded. False: nothing affordable is left. Simulated answers that cannot be
// recorded mean what failures mean in `run`.
bool buy_next(Campaign& campaign, SimulatedPool& annotators, FailurePolicy& failures, Index level) {
  do {
    AskOptions options;
    options.level = level_of_ask(campaign, level);
    options.avoid = failures.given_up();
    options.max_cost = std::numeric_limits<double>::infinity();  // simulated money
    const AskResult result = campaign.ask(options);
    const bool ends = result.suggestions.empty();
    if (!ends) {
      annotators.start(result.suggestions.front());
      for (const Outcome& outcome : annotators.wait(0.0)) record_outcome(campaign, outcome, false, failures);
    }
    if (failures.stops() || (ends && failures.ends_without_answer()))
      throw InputError("a simulated campaign: " + failures.why_it_stops());
    if (ends) return false;
  } while (failures.failures_in_a_row() > 0);
  return true;
}

}  // namespace

std::vector<PolicyTrial> at_best_level(std::vector<PolicyTrial> trials) {
  std::map<Index, std::vector<double>> ends;
  for (const PolicyTrial& trial : trials)
    if (trial.policy == Policy::random_best) ends[trial.level].push_back(trial.steps.back().error);
  Index best = -1;
  double lowest = std::numeric_limits<double>::infinity();
  for (const auto& [level, errors] : ends)
    if (const double median = quantile(errors, 0.5); median < lowest || best < 0)
      lowest = median, best = level;
  std::erase_if(trials, [&](const PolicyTrial& trial) {
    return trial.policy == Policy::random_best && trial.level != best;
  });
  return trials;
}

std::string policy_name(const Policy& policy) {
  for (const auto& [one, name] : policy_names)
    if (one == policy.kind) return policy.unused.empty() ? name : name + (" " + policy.unused);
  return {};
}

Policy policy_named(const std::string& name, const Study& study) {
  std::vector<std::string> known;
  for (const Policy& policy : policies_of(study)) {
    if (policy_name(policy) == name) return policy;
    known.push_back(policy_name(policy));
  }
  throw InputError(fmt::format("policy \"{}\" is not known, must be one of {}", name, quoted_list(known)));
}

std::vector<Policy> policies_of(const Study& study) {
  std::vector<Policy> policies{own_policy(study)};
  if (study.file().acquisition.plan) policies.push_back(Policy::no_plan);
  if (study.file().has_bias()) policies.push_back(Policy::no_bias);
  for (const std::string& level : retired_levels(study)) policies.emplace_back(Policy::without, level);
  for (const Policy::Kind one :
       {Policy::model, Policy::bald, Policy::random, Policy::random_best, Policy::cheapest, Policy::finest}) {
    const bool applies = one != Policy::random_best || levels_of_random_best(study).size() > 1;
    if (one != policies.front().kind && applies) policies.emplace_back(one);
  }
  return policies;
}

std::optional<PolicyTrial> try_policy(const Study& study, const Policy& policy, int repeat,
                                      const std::shared_ptr<const TruthTable>& truth,
                                      const std::atomic<bool>& stop, const std::vector<Event>& before,
                                      const std::function<void(const PolicyTrial&)>& step, Index level) {
  std::unique_ptr<EventStore> store = make_memory_event_store();
  store->add(0, [&](const auto&) { return kept_for(policy, before); });
  Campaign campaign(variant_for(study, policy, repeat), std::move(store), {.threads = 1});
  if (policy.kind == Policy::without) forget_answers(campaign, policy.unused);
  // If answers reported their noise before, simulated ones do so, too.
  StudyModel model = campaign.model();
  const bool reporting = model.reported != NoiseScales{};
  SimulatedPool annotators(
      campaign.study(), make_rehearsal(truth, campaign.study().file().seed, campaign.study().file().target),
      reporting ? std::optional(std::move(model)) : std::nullopt);
  PolicyTrial trial{.policy = policy, .repeat = repeat, .steps = {}, .level = level};
  const Vector& right = truth->truth(study.offer());
  std::optional<GoalError> at_goal;
  if (truth->goal()) at_goal.emplace(campaign, *truth->goal());
  const Vector alike = Vector::Constant(right.size(), 1.0 / static_cast<double>(right.size()));
  const auto over_pool = [&] {
    const Vector& mean = campaign.belief().marginals().mean;
    return study.file().goal && study.file().goal->finding ? error_for_study(study.file(), mean, right, alike)
                                                           : study.file().target->error_of(mean, right);
  };
  const auto evaluate = [&] {
    const double error = at_goal ? at_goal->now() : over_pool();
    trial.steps.push_back({.spent = campaign.state().spent(), .error = error});
  };
  evaluate();
  FailurePolicy failures(study.file().annotator.max_failures);
  while (!stop) {
    if (!buy_next(campaign, annotators, failures, level)) {
      trial.sold_out =
          is_sold_out(campaign.model().offer, campaign.study().acquisition(), campaign.candidates());
      return trial;
    }
    evaluate();
    if (step) step(trial);
  }
  return std::nullopt;
}

void require_budget(const Study& study) {
  if (!study.file().budget)
    study.file().complain("campaign.budget is missing, must be set to simulate campaigns");
}

namespace {

using Trials = std::vector<std::optional<PolicyTrial>>;

// A policy, at one of the levels that are tried.
struct TriedPolicy {
  Policy policy;
  Index level = -1;
};

std::string bytes_of_trials(const Trials& trials) {
  base::ByteWriter bytes;
  for (std::size_t k = 0; k < trials.size(); ++k) {
    if (!trials[k]) continue;
    bytes.put(k);
    bytes.put(trials[k]->repeat);
    bytes.put(trials[k]->sold_out);
    bytes.put(trials[k]->level);
    bytes.put(trials[k]->steps.size());
    for (const TrialStep& step : trials[k]->steps) bytes.put(step);
  }
  return bytes.text();
}

// `tried`: the policies, each with as many trials.
void take_trials(const std::string& text, const std::vector<TriedPolicy>& tried, Trials& trials) {
  for (base::ByteReader bytes(text); !bytes.at_end();) {
    const auto number = bytes.get<std::size_t>();
    PolicyTrial& trial = trials[number].emplace();
    trial.policy = tried[number / (trials.size() / tried.size())].policy;
    trial.repeat = bytes.get<int>();
    trial.sold_out = bytes.get<bool>();
    trial.level = bytes.get<Index>();
    trial.steps.resize(bytes.get<std::size_t>());
    for (TrialStep& step : trial.steps) step = bytes.get<TrialStep>();
  }
}

std::vector<TriedPolicy> tried_policies(const Study& study, const TrialOptions& options) {
  std::vector<TriedPolicy> tried;
  for (const Policy& policy : options.policies) {
    if (policy != Policy::random_best)
      tried.push_back({policy});
    else
      for (const Index level : levels_of_random_best(study)) tried.push_back({policy, level});
  }
  return tried;
}

// Every `count`-th trial from number `first` on.
Trials try_some(const Study& study, const TruthOfRepeat& truth, const TrialOptions& options,
                std::ptrdiff_t first, std::ptrdiff_t count) {
  static const std::atomic<bool> never{false};
  const std::atomic<bool>& stop = options.stop ? *options.stop : never;
  const std::vector<TriedPolicy> tried = tried_policies(study, options);
  const auto policies = static_cast<std::ptrdiff_t>(tried.size());
  const std::ptrdiff_t all = policies * options.repeats;
  Trials trials(static_cast<std::size_t>(all));
  const std::ptrdiff_t total = (all - first + count - 1) / count;
  std::mutex mutex;
  int done = 0;
  if (options.begin && !stop) options.begin(static_cast<int>(total));
  const int threads = options.threads > 0 ? options.threads : base::default_threads();
  base::parallel_for(total, threads, [&](std::ptrdiff_t mine) {
    const std::ptrdiff_t number = first + mine * count;
    // Ordered by repeat, so that the remaining time can be estimated early.
    const auto repeat = static_cast<int>(number / policies);
    const std::size_t policy = static_cast<std::size_t>(number % policies);
    if (stop) return;
    std::function<void(const PolicyTrial&)> step;
    if (number == 0 && options.first_trial)
      step = [&](const PolicyTrial& so_far) {
        const std::lock_guard lock(mutex);
        if (!stop) options.first_trial(so_far);
      };
    std::optional<PolicyTrial> trial = try_policy(study, tried[policy].policy, repeat, truth(repeat), stop,
                                                  options.before, step, tried[policy].level);
    const std::lock_guard lock(mutex);
    trials[policy * static_cast<std::size_t>(options.repeats) + static_cast<std::size_t>(repeat)] =
        std::move(trial);
    if (options.progress && !stop) options.progress(++done, static_cast<int>(total));
    if (options.so_far && !stop) options.so_far(trials);
  });
  return trials;
}

std::vector<PolicyTrial> finished_of(Trials trials) {
  std::vector<PolicyTrial> finished;
  for (std::optional<PolicyTrial>& trial : trials)
    if (trial) finished.push_back(std::move(*trial));
  return at_best_level(std::move(finished));
}

std::vector<PolicyTrial> share_trials(const Study& study, const TruthOfRepeat& truth,
                                      const TrialOptions& options, const Job& job) {
  const std::vector<TriedPolicy> tried = tried_policies(study, options);
  Trials trials(tried.size() * static_cast<std::size_t>(options.repeats));
  for (const std::string& part : job.gather(
           [&] { return bytes_of_trials(try_some(study, truth, options, job.number(), job.count())); }))
    take_trials(part, tried, trials);
  return finished_of(std::move(trials));
}

}  // namespace

std::vector<PolicyTrial> try_policies(const Study& study, const TruthOfRepeat& truth,
                                      const TrialOptions& options, const Job& job) {
  require_budget(study);
  if (!job.is_alone()) return share_trials(study, truth, options, job);
  return finished_of(try_some(study, truth, options, 0, 1));
}

}  // namespace acuity
