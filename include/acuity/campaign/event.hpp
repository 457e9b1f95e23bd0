#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "acuity/data/channel.hpp"
#include "acuity/data/points.hpp"
#include "acuity/numerics/errors.hpp"

// What can happen in a campaign. An event records what was decided, not how: replay never selects and never
// fits again (docs/reference.md 7). Events are values, written once and never changed.

namespace acuity {

/// The campaign begins.
struct Created {
  std::string version;  ///< of the program that made it
  std::string name, unit;
  std::string study_checksum, pool_checksum;  ///< of the frozen copies
  double budget = 0.0;                        ///< infinite: no limit
  std::string study;                          ///< the frozen text, to say what has changed in it
  std::string study_folder;                   ///< where the study file was: programs are looked up from there
  std::string pool_file;                      ///< the name of the frozen copy
  std::vector<std::string> pool_blocks;       ///< checksums of equal numbers of its lines, likewise
};

/// Somebody may annotate this. Its cost is in escrow until it is told, failed or released.
struct Asked {
  std::int64_t id = 0;  ///< 1, 2, 3, ...
  Index row = 0;        ///< of the pool; -1 where it is no point of the pool
  std::string point;
  std::string level;            ///< price lists
  std::optional<double> alpha;  ///< ladders
  Channel channel;
  double cost = 0.0;
  double information = 0.0, mean = 0.0, variance = 0.0;  ///< what was expected of it
  std::string worker;
  std::optional<double> lease_until;  ///< seconds since 1970; absent: for ever
};

/// An answer: one number, or several replicates. What was done is recorded where it is not what was asked
/// for.
struct Told {
  std::int64_t id = 0;
  std::vector<double> values;
  double cost = 0.0;                          ///< of all values together
  std::optional<Channel> channel;             ///< of every value, where the annotator reported it
  std::optional<Index> row;                   ///< another point of the pool
  std::optional<std::vector<double>> inputs;  ///< or a point outside of it
  std::optional<double> base_noise;           ///< sigma^2(x) there
  std::string level;                          ///< another level
  std::optional<double> alpha;                ///< likewise
};

/// This attempt brought nothing; the point may be asked for again.
struct Failed {
  std::int64_t id = 0;
  std::string reason;
  double charge = 0.0;
};

/// Nobody did it: back to the pool, nothing charged.
struct Released {
  std::int64_t id = 0;
  std::string reason;
};

/// This point (at this level) can never work.
struct Excluded {
  Index row = 0;
  std::string level;  ///< empty: at every level
  std::optional<double> alpha;
  std::string reason;
};

struct Amended {
  std::int64_t id = 0;
  std::vector<double> values;
  std::string reason;
};

struct Retracted {
  std::int64_t id = 0;
  std::string reason;
};

/// The budget has changed by so much.
struct BudgetChanged {
  double by = 0.0;
};

/// Hyperparameters were learned.
struct Fitted {
  std::int64_t annotations = 0;  ///< from so many
  std::vector<double> log_parameters;
  double mean = 0.0;
  double added_scale = 1.0, base_scale = 1.0;
  std::optional<double> kappa, gamma;
  double log_marginal_likelihood = 0.0;  ///< at these values
  bool converged = false;
  std::string reason;                ///< why it ended
  std::vector<double> level_scales;  ///< one per level of a price list, where they were to be learned
  std::optional<double> nugget;      ///< where it was to be learned
};

/// Who runs the campaign now; an empty host: nobody any more.
struct OwnerChanged {
  std::string host;
  std::int64_t process = 0;
  std::int64_t process_start = 0;  ///< tells a process from a later one of the same number
};

using Event = std::variant<Created, Asked, Told, Failed, Released, Excluded, Amended, Retracted,
                           BudgetChanged, Fitted, OwnerChanged>;

/// The log has something that a newer version of acuity must have written. Nothing was written to it.
class NewerVersionError : public DamagedError {
 public:
  using DamagedError::DamagedError;
};

/// created, asked, told, failed, released, excluded, amended, retracted, budget, fitted, owner.
std::string event_name(const Event& event);

/// As JSON, every digit of every number; infinity is "inf".
std::string to_json(const Event& event);
/// Throws DamagedError if the text is no such event, NewerVersionError if the name or a key is not known,
/// with what was found; the caller knows which event it is.
Event event_from_json(const std::string& name, const std::string& json);

}  // namespace acuity
