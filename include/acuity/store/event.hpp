#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "acuity/base/errors.hpp"
#include "acuity/base/public.hpp"
#include "acuity/data/channel.hpp"
#include "acuity/data/points.hpp"

// The events of a campaign. An event records what was decided, not how: replay never selects or fits again
// (docs/campaign-log.md). Events are values, written once and never changed.

namespace acuity ACUITY_PUBLIC {

/// The first event of a campaign.
struct Created {
  std::string version;  ///< of the program that made it
  std::string name, unit;
  std::string study_checksum, pool_checksum;  ///< of the frozen copies
  double budget = 0.0;                        ///< infinite: no limit
  std::string study;                          ///< the frozen text, to report what has changed in it
  std::string study_folder;              ///< of the original study file; programs are found relative to it
  std::string pool_file;                 ///< the name of the frozen copy
  std::vector<std::string> pool_blocks;  ///< checksums of blocks of its lines, to report where it changed
};

/// A suggestion was handed out. Its cost, or more if the cost is uncertain, is reserved until it is told,
/// failed or released.
struct Asked {
  std::int64_t id = 0;  ///< 1, 2, 3, ...
  Index row = 0;        ///< of the pool; -1: a point outside the pool
  std::string point;
  std::string level;            ///< price lists
  std::optional<double> alpha;  ///< ladders
  Channel channel;
  double cost = 0.0;
  double information = 0.0, mean = 0.0, variance = 0.0;  ///< as predicted at the time
  std::string worker;
  std::optional<double> lease_until;  ///< seconds since 1970; absent: no deadline
  /// Of the answer without noise, as predicted at the time, if its level has a bias.
  std::optional<double> answer_mean = std::nullopt, answer_variance = std::nullopt;
  /// Reserved instead of `cost`, if it is more: answers of this level reported costs that vary.
  std::optional<double> reserve = std::nullopt;
  /// The suggestion whose run is continued: the answer will replace that one's. Channel and noise are those
  /// of the answer, cost and information what it adds.
  std::optional<std::int64_t> replaces = std::nullopt;
  /// Its class is known to the study (`people.gold`): the answer tells how good the person is, and is none
  /// for the model (docs/math.md 15).
  bool gold = false;
  /// For the audit: drawn at random, and the answer is kept from the model until all of them were predicted
  /// (Audited).
  bool audit = false;

  double reserved() const { return reserve.value_or(cost); }
};

/// What is recorded with an answer that was not asked for and has no suggestion to say it.
struct Unasked {
  std::string point;  ///< of the pool; empty: a point outside it
  Channel channel;    ///< expected of its level there
  double cost = 0.0;  ///< price of its level; 0 without a level
};

/// An answer: one number, or several replicates. Row, inputs, level and alpha are recorded only if they
/// differ from what was asked for.
struct Told {
  std::int64_t id = 0;
  std::vector<double> values;
  double cost = 0.0;                          ///< of all values together
  std::optional<Channel> channel;             ///< of every value, if the annotator reported it
  std::optional<Index> row;                   ///< another point of the pool
  std::optional<std::vector<double>> inputs;  ///< or a point outside the pool
  std::optional<double> base_noise;           ///< sigma^2(x) at `inputs`
  std::string level;                          ///< another level (price lists)
  std::optional<double> alpha;                ///< another level (ladders)
  /// Present if it was not asked for: then the id is the next free one, and place and level are recorded.
  std::optional<Unasked> unasked = std::nullopt;
  /// How long the job that answered was in the queue of a batch system, and how long it ran.
  std::optional<double> queue_seconds = std::nullopt, run_seconds = std::nullopt;
  std::string worker = {};                       ///< who answered, if known; `Asked::worker` is who was asked
  std::optional<double> seconds = std::nullopt;  ///< how long the person took
  std::string note = {};                         ///< a remark of whoever answered
};

/// The suggestion got no answer; its point may be asked for again.
struct Failed {
  std::int64_t id = 0;
  std::string reason;
  double charge = 0.0;
  /// The person looked at it and could not tell: no failure of the work. Others may be asked.
  bool cannot_tell = false;
  std::string worker = {};                       ///< who reported it, if known
  std::optional<double> seconds = std::nullopt;  ///< how long the person took
  /// It tells nothing about the point: the machine failed, or an answer was refused.
  bool inconclusive = false;
};

/// Who has this suggestion is still working on it: its lease ends later.
struct Renewed {
  std::int64_t id = 0;
  double lease_until = 0.0;  ///< seconds since 1970
  std::string worker;        ///< who said so; may be empty
};

/// Somebody who annotates, and the levels of the answers; the last event of a name is valid.
struct PersonAdded {
  std::string name;
  std::vector<std::string> levels;  ///< of the price list; empty: any
  bool active = true;               ///< false: is not asked any more
};

/// The suggestion was given back without an answer; nothing is charged.
struct Released {
  std::int64_t id = 0;
  std::string reason;
};

/// This point (at this level) is never asked for again.
struct Excluded {
  Index row = 0;
  std::string level;  ///< empty: at every level
  std::optional<double> alpha;
  std::string reason;
};

/// A correction. Only what was wrong is present; everything else stays as it was.
struct Amended {
  std::int64_t id = 0;
  std::vector<double> values;  ///< empty: as they were
  std::string reason;
  std::optional<double> cost;      ///< of the answer, or of the failed attempt if there is no answer
  std::optional<double> refund;    ///< money that came back; the answer still cost what it cost
  std::optional<Channel> channel;  ///< noise or accuracy of every value
  bool declared_channel = false;   ///< the noise was not reported: it is that of the level
  std::optional<Index> row;
  std::optional<std::vector<double>> inputs;
  std::optional<double> base_noise;  ///< sigma^2(x) at `inputs`
  std::string level;
  std::optional<double> alpha;

  /// Whether what the model sees is corrected besides the values.
  bool moves_answer() const {
    return channel || declared_channel || row || inputs || !level.empty() || alpha;
  }
};

struct Retracted {
  std::int64_t id = 0;
  std::string reason;
};

/// The budget has changed by `by`.
struct BudgetChanged {
  double by = 0.0;
};

/// What was learned under one structure of f.
struct FittedStructure {
  std::string name;
  std::vector<double> log_parameters;  ///< of its kernel
  double nugget = 0.0;
  double objective = 0.0;  ///< penalised log likelihood
  /// Of the map of answers, if it has one: lambda, centre, spread, low, high, offset, factor (AnswerMap).
  std::vector<double> map = {};
};

/// What was learned of one level of a chain (ChainLink).
struct FittedLink {
  std::string level;                   ///< empty: the last link, which is f
  std::vector<double> log_parameters;  ///< of its kernel
  double nugget = 0.0, mean = 0.0;
  double centre = 0.0, spread = 1.0, low = 0.0, high = 0.0;
};

/// Hyperparameters were learned.
struct Fitted {
  std::int64_t annotations = 0;  ///< number that was learned from
  std::vector<double> log_parameters;
  double mean = 0.0;
  double added_scale = 1.0, base_scale = 1.0;
  std::optional<double> kappa, gamma;
  double log_marginal_likelihood = 0.0;  ///< at these values
  bool converged = false;
  std::string reason;                ///< why the optimisation ended
  std::vector<double> level_scales;  ///< one per level of a price list, if they are learned
  std::optional<double> nugget;      ///< if it is learned
  /// Of the bias of every level (0 and 1: none), if biases are learned.
  std::vector<double> smooth_sd, bias_lengthscale;
  /// The power by which the errors of meshes shrink, if it is learned (docs/math.md 12.8).
  std::optional<double> mesh_order = std::nullopt;
  /// Of every level of the price list, and the standard deviation of its logit (0: given), if accuracies are
  /// learned (docs/math.md 15).
  std::vector<double> level_accuracy = {}, level_accuracy_sd = {};
  /// If accuracies are learned by class, for every level: of yes, of no, the standard deviations of their
  /// logits (docs/math.md 15.3); for every person below also the probability that the answers tell nothing.
  std::vector<double> level_by_class = {}, people_by_class = {};
  /// Those of people who have an accuracy of their own at a level.
  std::vector<std::string> people = {}, people_levels = {};
  std::vector<double> people_accuracy = {}, people_accuracy_sd = {};
  /// If choices depend on it: a usual nugget, its probability beside the one that was learned, and whether
  /// answers count as noisy from now on (docs/math.md 13.4).
  std::optional<double> noisier_nugget = std::nullopt, noisier_probability = std::nullopt;
  bool noisy = false;
  /// If f is seen under several structures (docs/math.md 11.6): what was learned under each.
  std::vector<FittedStructure> structures = {};
  /// If levels may be related in any way (docs/math.md 12.7): the chain, and its weight beside differences.
  std::vector<FittedLink> chain = {};
  std::optional<double> chain_weight = std::nullopt;
};

/// The rest of the budget was planned (docs/math.md 17): choices are made with this weight of prices until
/// the next plan.
struct Planned {
  double lambda = 1.0;          ///< 1: the best information per cost
  double remaining = 0.0;       ///< money that was left to plan
  double expected = 0.0;        ///< what it buys by the plan: information, or what the goal gains
  double expected_ratio = 0.0;  ///< what it would buy by information per cost alone
  /// Number of purchases at every level, by the plan and by information per cost alone; empty for a ladder.
  std::vector<double> purchases, purchases_ratio;
  std::vector<double> costs;  ///< expected at every level; empty for a ladder
  std::string note;           ///< why there is no plan, or not all of it; may be empty
};

/// The answers to an audit are complete, and these are the predictions of f by the model that had not seen
/// them. The model learns from them from now on.
struct Audited {
  std::vector<std::int64_t> ids;  ///< of the suggestions
  /// Of f on the scale of the model, averaged over hyperparameters; classes: mean is the probability that a
  /// label without flips is +1, variance is 0.
  std::vector<double> mean, variance;
  /// Variance of the noise of an answer, the nugget included; classes: the accuracy.
  std::vector<double> noise;
};

/// The process that runs the campaign from now on; an empty host: none. The same process again: a sign of
/// life, which extends its lease.
struct OwnerChanged {
  std::string host;
  std::int64_t process = 0;
  std::int64_t process_start = 0;     ///< distinguishes a process from a later one with the same id
  std::string realm;                  ///< boot and pid namespace; empty in logs of earlier versions
  std::optional<double> lease_until;  ///< seconds since 1970; absent in logs of earlier versions

  bool is_same_process(const OwnerChanged& other) const {
    return host == other.host && process == other.process && process_start == other.process_start &&
           realm == other.realm;
  }
};

/// The study was changed: the frozen copies are those of this event from now on.
struct StudyChanged {
  std::string study, before;  ///< the frozen texts after and before
  std::string study_checksum, pool_checksum;
  std::vector<std::string> pool_blocks;  ///< as in Created
  /// Other tables that were replaced by the change, and their checksums.
  std::vector<std::string> tables, table_checksums;
  std::vector<std::string> changes;  ///< in words, one per key
  std::string name;                  ///< of the campaign
  std::optional<double> budget;      ///< if it changed; infinite: no limit
  bool learns_again = false;         ///< what was learned before does not fit any more
  bool plans_again = false;          ///< nor does the plan of the budget
  bool reinterprets = false;         ///< answers so far are read with the new noise, too
  /// Otherwise: levels whose noise variance (binary: accuracy) changed, and that of all suggestions so far.
  std::vector<std::string> kept_levels;
  std::vector<double> kept_noise;
};

using Event =
    std::variant<Created, Asked, Told, Failed, Released, Excluded, Amended, Retracted, BudgetChanged, Fitted,
                 OwnerChanged, Planned, StudyChanged, Renewed, PersonAdded, Audited>;

/// The log contains something that only a newer version of acuity can have written. The log is unchanged.
class NewerVersionError : public DamagedError {
 public:
  using DamagedError::DamagedError;
};

/// created, asked, told, failed, released, excluded, amended, retracted, budget, fitted, owner, planned,
/// changed, renewed, person, audited.
std::string event_name(const Event& event);

/// JSON with numbers that read back exactly; infinity is "inf".
std::string to_json(const Event& event);
/// Throws DamagedError if the text is not such an event, NewerVersionError if the name or a key is unknown.
/// The message has what was found; the caller adds the number of the event.
Event event_from_json(const std::string& name, const std::string& json);

}  // namespace acuity ACUITY_PUBLIC
