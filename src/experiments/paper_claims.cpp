#include "experiments/paper_claims.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>

#include "experiments/paired_errors.hpp"

namespace acuity {

namespace {

using Runs = std::vector<ExperimentRun>;
using RunsByExperiment = std::map<std::string, Runs>;
using Names = std::vector<std::string>;

constexpr const ClaimThresholds& limits = claim_thresholds;

struct Finding {
  Verdict verdict;
  std::string found;
};

// The parts of a claim: held if all are, not held if none is even partly, else partly; a part that
// could not be tested leaves the whole untested.
Verdict combined(const std::vector<Verdict>& parts) {
  const auto count = [&](Verdict verdict) { return std::count(parts.begin(), parts.end(), verdict); };
  const auto all = static_cast<std::ptrdiff_t>(parts.size());
  if (count(Verdict::not_tested) > 0) return Verdict::not_tested;
  return count(Verdict::held) == all       ? Verdict::held
         : count(Verdict::not_held) == all ? Verdict::not_held
                                           : Verdict::partly;
}

// --- precision ---

// Regression writes its precision as 1/alpha from 1 (lowest) to 0, classes as alpha from 0 (lowest) to 1.
enum class Task { regression, classes };
enum class Extreme { lowest, highest };

double vagueness(const Step& step, Task task) {
  return task == Task::regression ? 1.0 / step.alpha : 1.0 - step.alpha;
}

std::vector<const Step*> bought(const ExperimentRun& run) {
  std::vector<const Step*> steps;
  for (const Step& step : run.steps)
    if (!std::isnan(step.information)) steps.push_back(&step);
  return steps;
}

struct Share {
  double share = 0.0;
  int annotations = 0;
};

Share share_at(Extreme precision, Task task, const Runs& runs, const std::string& method) {
  int there = 0, all = 0;
  for (const ExperimentRun& run : runs) {
    if (run.method != method) continue;
    for (const Step* step : bought(run)) {
      const double value = vagueness(*step, task);
      there += std::abs(value - (precision == Extreme::lowest ? 1.0 : 0.0)) <= limits.level_tolerance;
      ++all;
    }
  }
  return {all > 0 ? static_cast<double>(there) / all : 0.0, all};
}

std::string describe(const Share& share, Extreme precision) {
  return fmt::format("{:.1f} % of {} annotations at the {} precision", 100.0 * share.share, share.annotations,
                     precision == Extreme::lowest ? "lowest" : "highest");
}

// `least` for held, more than half for partly.
Verdict judge_share(const Share& found, double least) {
  if (found.annotations == 0) return Verdict::not_tested;
  return found.share >= least ? Verdict::held : found.share > 0.5 ? Verdict::partly : Verdict::not_held;
}

// --- errors ---

bool is_better(const PairedErrors& pairs) {
  return pairs.chance_of_better() <= limits.chance;
}

bool is_worse(const PairedErrors& pairs) {
  return pairs.chance_of_worse() <= limits.chance;
}

bool is_clearly_better(const PairedErrors& pairs) {
  return is_better(pairs) && pairs.gain() >= limits.clear_gain;
}

Verdict judge_better(const PairedErrors& pairs) {
  return is_better(pairs)                       ? Verdict::held
         : 2.0 * pairs.wins() > pairs.repeats() ? Verdict::partly
                                                : Verdict::not_held;
}

Verdict judge_clearly_better(const PairedErrors& pairs) {
  if (is_clearly_better(pairs)) return Verdict::held;
  return judge_better(pairs) == Verdict::not_held ? Verdict::not_held : Verdict::partly;
}

Verdict judge_similar(const PairedErrors& pairs) {
  const double distance = std::abs(pairs.gain());
  const bool distinguishable = is_better(pairs) || is_worse(pairs);
  if (distance <= limits.similar || (!distinguishable && distance <= limits.loosely_similar))
    return Verdict::held;
  return distinguishable && distance > limits.loosely_similar ? Verdict::not_held : Verdict::partly;
}

// "better than bald in 14 of 15, median paired difference -0.0025 (-13 %)"
std::string describe(const PairedErrors& pairs, const std::string& over) {
  const std::string ties = pairs.equal > 0 ? fmt::format(", equal in {}", pairs.equal) : "";
  return fmt::format("better than {} in {} of {}{}, median paired difference {:.2g} ({:+.1f} %)", over,
                     pairs.better, pairs.repeats(), ties, pairs.median_difference,
                     0.0 - 100.0 * pairs.gain());
}

// --- claims ---

/// The claims so far, and the runs they are about.
class ClaimList {
 public:
  explicit ClaimList(const RunsByExperiment& runs) : runs_(runs) {}

  const Runs& runs(const std::string& experiment) const { return runs_.at(experiment); }
  PairedErrors pairs(const std::string& experiment, const std::string& method,
                     const std::string& over) const {
    return paired_errors(runs(experiment), method, over);
  }

  // A claim about the first of `experiments`; `find` is called if all of them have all of `methods`.
  void add(const Names& experiments, const Names& methods, const std::string& claim,
           const std::function<Finding()>& find) {
    const std::optional<std::string> lack = lacking(experiments, methods);
    const Finding finding = lack ? Finding{Verdict::not_tested, *lack} : find();
    claims_.push_back({experiments.front(), claim, finding.found, finding.verdict});
  }

  std::vector<PaperClaim> take() { return std::move(claims_); }

 private:
  // Says what is missing; methods are compared repeat by repeat, so one repeat at least must have them all.
  std::optional<std::string> lacking(const Names& experiments, const Names& methods) const {
    for (const std::string& experiment : experiments) {
      if (!runs_.contains(experiment) || runs(experiment).empty()) return "no runs of " + experiment;
      std::map<int, std::set<std::string>> repeats;
      for (const ExperimentRun& run : runs(experiment)) repeats[run.repeat].insert(run.method);
      const auto is_complete = [&](const auto& repeat) {
        return std::all_of(methods.begin(), methods.end(),
                           [&](const std::string& method) { return repeat.second.contains(method); });
      };
      if (std::none_of(repeats.begin(), repeats.end(), is_complete))
        return fmt::format("no repeat of {} has all of {}", experiment, fmt::join(methods, ", "));
    }
    return std::nullopt;
  }

  const RunsByExperiment& runs_;
  std::vector<PaperClaim> claims_;
};

Finding for_each_method(const Names& methods, const std::function<Finding(const std::string&)>& judge) {
  std::vector<Verdict> verdicts;
  Names sentences;
  for (const std::string& method : methods) {
    const Finding finding = judge(method);
    verdicts.push_back(finding.verdict);
    sentences.push_back(method + ": " + finding.found);
  }
  return {combined(verdicts), fmt::format("{}", fmt::join(sentences, "; "))};
}

// What `method` gains on `over`, as the paper's pictures show it: points of accuracy for classes, a share of
// the error in regression.
double shown_gain(const PairedErrors& pairs, Task task) {
  return task == Task::classes ? 0.0 - pairs.median_difference : pairs.gain();  // never minus zero
}

struct Gains {
  std::vector<double> values;  ///< one per experiment
  std::string found;
};

Gains gains(const ClaimList& list, Task task, const Names& experiments, const std::string& method,
            const std::string& over) {
  Gains result;
  Names sentences;
  for (const std::string& experiment : experiments) {
    result.values.push_back(shown_gain(list.pairs(experiment, method, over), task));
    sentences.push_back(fmt::format("{:.1f} {} in {}", 100.0 * result.values.back(),
                                    task == Task::classes ? "points" : "%", experiment));
  }
  result.found = fmt::format("median gain of {} over {}: {}", method, over, fmt::join(sentences, ", "));
  return result;
}

// `method` beats `over` in the first experiment, and more than in any other.
Finding judge_largest_gain(const ClaimList& list, Task task, const Names& experiments,
                           const std::string& method, const std::string& over) {
  const auto [values, found] = gains(list, task, experiments, method, over);
  const bool largest = values[0] > *std::max_element(values.begin() + 1, values.end());
  const bool better = is_better(list.pairs(experiments[0], method, over));
  return {largest && better ? Verdict::held : largest || better ? Verdict::partly : Verdict::not_held, found};
}

// Mean 1/alpha of the `number`-th bought annotation, over the runs that have one.
std::optional<double> mean_vagueness(const Runs& runs, const std::string& method, std::size_t number) {
  std::vector<double> values;
  for (const ExperimentRun& run : runs) {
    if (run.method != method) continue;
    const std::vector<const Step*> steps = bought(run);
    if (steps.size() >= number) values.push_back(vagueness(*steps[number - 1], Task::regression));
  }
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Finding judge_sharpening(const Runs& runs, const std::string& method) {
  std::vector<double> means;
  for (const std::size_t number : {1, 10, 60}) {
    const std::optional<double> mean = mean_vagueness(runs, method, number);
    if (!mean) return {Verdict::not_tested, fmt::format("no run has {} annotations", number)};
    means.push_back(*mean);
  }
  const bool sharper = means[2] < means[0];
  const bool held = sharper && means[1] <= means[0] && means[2] <= means[1] &&
                    means[0] >= limits.starts_low && means[2] <= limits.sharp;
  return {held      ? Verdict::held
          : sharper ? Verdict::partly
                    : Verdict::not_held,
          fmt::format("mean 1/alpha {:.2f}, {:.2f}, {:.2f} at annotation 1, 10, 60", means[0], means[1],
                      means[2])};
}

void add_uniform_sine(ClaimList& list) {
  const Names weak{"model", "target"}, all{"model", "target", "bald"};
  const auto lowest_and_pairs = [&](const std::string& experiment, const std::string& method) -> Finding {
    const Share share = share_at(Extreme::lowest, Task::regression, list.runs(experiment), method);
    const PairedErrors pairs = list.pairs(experiment, method, "bald");
    return {combined({judge_share(share, limits.always), judge_better(pairs)}),
            describe(share, Extreme::lowest) + ", " + describe(pairs, "bald")};
  };
  list.add({"sine-q2"}, all, "q = 2: only the lowest precision is bought, with a gain over BALD", [&] {
    return for_each_method(weak, [&](const std::string& m) { return lowest_and_pairs("sine-q2", m); });
  });
  const Names by_q{"sine-q2", "sine-q1", "sine-q0.8", "sine-q0.2"};
  list.add(by_q, {"model", "bald"}, "q = 2: the largest gain of all q",
           [&] { return judge_largest_gain(list, Task::regression, by_q, "model", "bald"); });
  list.add({"sine-q1"}, all, "q = 1: shown without a statement", [&]() -> Finding {
    return {Verdict::not_tested, for_each_method(weak, [&](const std::string& m) {
                                   return lowest_and_pairs("sine-q1", m);
                                 }).found};
  });
  list.add({"sine-q0.8"}, weak, "q = 0.8: starts at low precision and sharpens", [&] {
    return for_each_method(weak,
                           [&](const std::string& m) { return judge_sharpening(list.runs("sine-q0.8"), m); });
  });
  list.add({"sine-q0.2"}, weak, "q = 0.2: mostly the highest precision is bought", [&] {
    return for_each_method(weak, [&](const std::string& m) -> Finding {
      const Share share = share_at(Extreme::highest, Task::regression, list.runs("sine-q0.2"), m);
      return {judge_share(share, limits.mostly), describe(share, Extreme::highest)};
    });
  });
  list.add({"sine-q0.2"}, all, "q = 0.2: similar to BALD", [&] {
    return for_each_method(weak, [&](const std::string& m) -> Finding {
      const PairedErrors pairs = list.pairs("sine-q0.2", m, "bald");
      return {judge_similar(pairs), describe(pairs, "bald")};
    });
  });
}

// Poor: no clear gain over random, and nothing but the highest precision.
Finding judge_poor_target(const ClaimList& list, const std::string& experiment) {
  const Share share = share_at(Extreme::highest, Task::regression, list.runs(experiment), "target");
  const PairedErrors pairs = list.pairs(experiment, "target", "random");
  return {combined({judge_share(share, limits.always),
                    is_clearly_better(pairs) ? Verdict::not_held : Verdict::held}),
          describe(share, Extreme::highest) + ", " + describe(pairs, "random")};
}

// The gain of model over bald grows from one experiment to the next, and is there in the last.
Finding judge_growing_gain(const ClaimList& list, const Names& experiments) {
  const auto [values, found] = gains(list, Task::regression, experiments, "model", "bald");
  const bool more = values.back() > values.front();
  const bool held = more && std::is_sorted(values.begin(), values.end()) &&
                    is_better(list.pairs(experiments.back(), "model", "bald"));
  return {held ? Verdict::held : more ? Verdict::partly : Verdict::not_held, found};
}

void add_skewed_sine(ClaimList& list) {
  const Names experiments{"sine-skewed-w3", "sine-skewed-w5", "sine-skewed-w7"};
  for (const std::string& experiment : experiments) {
    list.add({experiment}, {"model", "bald", "random"}, "model and BALD clearly better than random", [&] {
      return for_each_method({"model", "bald"}, [&](const std::string& m) -> Finding {
        const PairedErrors pairs = list.pairs(experiment, m, "random");
        return {judge_clearly_better(pairs), describe(pairs, "random")};
      });
    });
    list.add({experiment}, {"model", "bald"}, "model better than BALD", [&]() -> Finding {
      const PairedErrors pairs = list.pairs(experiment, "model", "bald");
      return {judge_better(pairs), describe(pairs, "bald")};
    });
    list.add({experiment}, {"target", "random"},
             "target under graph b is poor: always the highest precision, no better than random",
             [&] { return judge_poor_target(list, experiment); });
  }
  list.add({"sine-skewed-w7", "sine-skewed-w5", "sine-skewed-w3"}, {"model", "bald"},
           "model better than BALD, more so at high frequency",
           [&] { return judge_growing_gain(list, experiments); });
}

Finding judge_slightly_lower(const PairedErrors& pairs) {
  const bool lower = 2.0 * pairs.wins() > pairs.repeats();
  return {!lower                          ? Verdict::not_held
          : pairs.gain() <= limits.slight ? Verdict::held
                                          : Verdict::partly,
          fmt::format("lower in {} of {}, median paired difference {:.2g} ({:+.1f} %)", pairs.better,
                      pairs.repeats(), pairs.median_difference, 0.0 - 100.0 * pairs.gain())};
}

// 1 if the sign test finds a better than b, -1 if worse, 0 if it cannot tell.
int order_of(const Runs& runs, const std::string& a, const std::string& b) {
  const PairedErrors pairs = paired_errors(runs, a, b);
  return is_better(pairs) ? 1 : is_worse(pairs) ? -1 : 0;
}

// Only pairs that differ with and without learning can contradict: the order of equals is chance.
Finding judge_same_ranking(const Runs& runs, const Names& methods) {
  int same = 0, reversed = 0, pairs = 0;
  for (std::size_t a = 0; a < methods.size(); ++a)
    for (std::size_t b = a + 1; b < methods.size(); ++b) {
      const int product = order_of(runs, methods[a], methods[b]) *
                          order_of(runs, methods[a] + " fixed", methods[b] + " fixed");
      same += product > 0;
      reversed += product < 0;
      ++pairs;
    }
  return {reversed > 0 ? Verdict::not_held
          : same > 0   ? Verdict::held
                       : Verdict::partly,
          fmt::format("of {} pairs of methods {} are told apart in the same order with and without learning, "
                      "{} in the reverse one",
                      pairs, same, reversed)};
}

void add_learned_sine(ClaimList& list) {
  const Names methods{"random", "bald", "target", "model"};
  Names with_fixed = methods;
  for (const std::string& method : methods) with_fixed.push_back(method + " fixed");
  for (const std::string experiment : {"sine-learned-w3", "sine-learned-w5"}) {
    list.add({experiment}, with_fixed, "learned hyperparameters lower the error slightly", [&] {
      return for_each_method(methods, [&](const std::string& m) {
        return judge_slightly_lower(list.pairs(experiment, m, m + " fixed"));
      });
    });
    list.add({experiment}, with_fixed, "the same ranking as with fixed hyperparameters",
             [&] { return judge_same_ranking(list.runs(experiment), methods); });
  }
}

void add_uci(ClaimList& list) {
  const Names experiments{"uci-concrete", "uci-superconductivity"};
  for (const std::string& experiment : experiments)
    list.add({experiment}, {"model", "bald", "random"}, "model is the best method", [&]() -> Finding {
      const PairedErrors bald = list.pairs(experiment, "model", "bald"),
                         random = list.pairs(experiment, "model", "random");
      return {combined({judge_better(bald), judge_better(random)}),
              describe(bald, "bald") + "; " + describe(random, "random")};
    });
  list.add(experiments, {"model", "bald"}, "especially on concrete",
           [&] { return judge_largest_gain(list, Task::regression, experiments, "model", "bald"); });
}

void add_toy(ClaimList& list) {
  const Names experiments{"toy-v3", "toy-v1", "toy-v2"};
  for (const std::string experiment : {"toy-v1", "toy-v2", "toy-v3"}) {
    list.add({experiment}, {"model", "bald", "target"}, "weak annotations help: model better than BALD",
             [&]() -> Finding {
               const PairedErrors model = list.pairs(experiment, "model", "bald"),
                                  target = list.pairs(experiment, "target", "bald");
               return {judge_better(model),
                       describe(model, "bald") + " (target: " + describe(target, "bald") + ")"};
             });
    list.add({experiment}, {"model", "target"}, "model better than target", [&]() -> Finding {
      const PairedErrors pairs = list.pairs(experiment, "model", "target");
      return {judge_better(pairs), describe(pairs, "target")};
    });
  }
  list.add(experiments, {"model", "target"}, "model better than target, particularly on the checker board",
           [&] { return judge_largest_gain(list, Task::classes, experiments, "model", "target"); });
}

// In how many of the repeats that have both two methods bought the same points in the same order.
Finding judge_same_points(const Runs& runs, const std::string& method, const std::string& other) {
  std::map<std::pair<std::string, int>, Names> points;
  for (const ExperimentRun& run : runs)
    for (const Step& step : run.steps) points[{run.method, run.repeat}].push_back(step.point);
  int same = 0, repeats = 0;
  for (const auto& [run, own] : points) {
    const auto found = points.find({other, run.second});
    if (run.first != method || found == points.end()) continue;
    same += own == found->second;
    ++repeats;
  }
  return {same == repeats      ? Verdict::held
          : 2 * same > repeats ? Verdict::partly
                               : Verdict::not_held,
          fmt::format("the same points as {} in {} of {}", other, same, repeats)};
}

void add_toy_half(ClaimList& list) {
  for (const std::string experiment : {"toy-v1-half", "toy-v2-half", "toy-v3-half"}) {
    list.add({experiment}, {"model", "bald"},
             "kappa = 0.5: always the highest precision, model identical to BALD", [&]() -> Finding {
               const Share share = share_at(Extreme::highest, Task::classes, list.runs(experiment), "model");
               const Finding points = judge_same_points(list.runs(experiment), "model", "bald");
               return {combined({judge_share(share, limits.always), points.verdict}),
                       describe(share, Extreme::highest) + ", " + points.found};
             });
    list.add({experiment}, {"target", "model"}, "kappa = 0.5: target similar to model", [&]() -> Finding {
      const PairedErrors pairs = list.pairs(experiment, "target", "model");
      return {judge_similar(pairs), describe(pairs, "model")};
    });
  }
}

}  // namespace

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::held:
      return "held";
    case Verdict::partly:
      return "partly";
    case Verdict::not_held:
      return "not held";
    case Verdict::not_tested:
      return "not tested";
  }
  throw std::invalid_argument("to_string: unknown verdict");
}

std::vector<PaperClaim> paper_claims(const std::map<std::string, std::vector<ExperimentRun>>& runs) {
  ClaimList list(runs);
  add_uniform_sine(list);
  add_skewed_sine(list);
  add_learned_sine(list);
  add_uci(list);
  add_toy(list);
  add_toy_half(list);
  return list.take();
}

std::string claim_rules() {
  const ClaimThresholds& t = claim_thresholds;
  return fmt::format(
      "Better: by a one-sided sign test over the repeats at {:.0f} %; clearly better: also by {:.0f} % of "
      "the other's "
      "error. Similar: within {:.0f} %, or within {:.0f} % where the sign test sees no difference. Slightly: "
      "by at most "
      "{:.0f} %. Only and always: {:.0f} % of the annotations; mostly: {:.0f} %. What goes the right way "
      "without "
      "passing is partly.",
      100 * t.chance, 100 * t.clear_gain, 100 * t.similar, 100 * t.loosely_similar, 100 * t.slight,
      100 * t.always, 100 * t.mostly);
}

}  // namespace acuity
