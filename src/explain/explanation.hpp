#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "acuity/selection/suggestion.hpp"
#include "campaign/campaign_belief.hpp"
#include "campaign/reported_cost.hpp"
#include "explain/goal_explanation.hpp"
#include "study/reported_noise.hpp"

namespace acuity {

/// The numbers that explain why a point and a level were chosen, computed from the belief that chose them.
struct Explanation {
  /// A level at the point chosen.
  struct LevelMerit {
    Level level;
    double information = 0.0;
    double cost = 0.0;
    bool affordable = true;
    bool chosen = false;

    double per_cost() const { return information / cost; }
  };
  /// The price and the precision at which the choice would change. A level that was not chosen would be
  /// chosen, at `point`, if it were cheaper or more precise than this; the chosen level would not, if it were
  /// more expensive or less precise. Exact: the selection differs on either side of the number.
  struct Counterfactual {
    Level level;
    bool chosen = false;          ///< the numbers are those at which it is no longer chosen
    std::optional<double> price;  ///< absent: no price would change the choice
    std::optional<double>
        noise_sd;  ///< real, price lists: what the level adds to sigma(x); absent: no noise would change it
    std::optional<double> accuracy;  ///< binary, price lists; absent: no accuracy would change it
    std::string point;               ///< at which it would be chosen
    bool no_noise = false;           ///< real, price lists: it would not be chosen with any noise_sd
    bool here_only = false;  ///< price and precision are those of the answer at `point` alone, not everywhere
  };
  /// What is chosen instead of the point that is explained.
  struct Instead {
    Suggestion chosen;
    Index rank = 0;  ///< of the point explained among the candidates, each at its best level; 1: the best
  };
  struct Neighbour {
    std::int64_t id = 0;
    std::string point, level;
    double y = 0.0;
    double distance = 0.0;   ///< in length scales
    std::string where = {};  ///< in the input that differs most: "0.02 m/s in speed"; empty: the same place
  };
  /// Points of the pool besides the chosen one whose standard deviation falls by this share or more.
  struct Reach {
    Index points = 0;
    double share = 0.0;  ///< 1/2, 1/4 or 1/10; 0: no other point's falls by a tenth
  };
  /// Whether the ask could be given every candidate. The log has the person, not the level or the capacity of
  /// an ask: these are concluded from the choice.
  enum class Allowed {
    everything,
    of_person,  ///< levels of the person who asked, at points that the person has not had
    one_level,  ///< the level of the choice: by the ask, or because a capacity was to be filled
    fewer       ///< for another reason, such as a capacity shared by several levels
  };

  Suggestion chosen;
  std::optional<Asked> continued;  ///< the suggestion whose run is continued
  std::string unit;                ///< of the information
  bool is_drawn = false;           ///< the initial design, or `random`
  bool in_design = false;          ///< it belongs to the initial design
  bool in_audit = false;           ///< it belongs to the audit
  bool explores = false;           ///< it is for accuracy over the goal (goal.explore)
  std::string sought;              ///< what choices look for: "where f is above 3.5"; empty: a good model
  bool has_failed = false;         ///< the point failed before, and waits until nothing else is left
  /// The probability that the run succeeds, if choices count with it.
  std::optional<double> success;
  Allowed allowed = Allowed::everything;
  bool levels_compete = true;      ///< false: the highest precision only
  double remaining = 0.0;          ///< free budget before the ask
  Index candidates = 0;            ///< points it was chosen from
  double more_certain = 0.0;       ///< share of them with a smaller standard deviation
  double median_sd = 0.0;          ///< of f, over them
  std::vector<LevelMerit> levels;  ///< best first
  /// Point and level that would have been chosen if every candidate had been allowed, if it is another one.
  /// Counterfactuals are about the candidates that were allowed; there are none if only one level was.
  std::string better;
  std::optional<Instead> instead;  ///< if it is explained why the point is not chosen
  std::vector<Counterfactual> counterfactuals;
  std::vector<Neighbour> nearest;
  std::vector<ReportedNoise> reported_noise;  ///< of the answers before it
  std::vector<ReportedCost> reported_cost;    ///< of the answers before it
  std::vector<std::int64_t> pending;          ///< suggestions in the belief without an answer
  std::optional<GoalExplanation> goal;        ///< if choices are for a goal
  std::optional<BiasThere> bias;              ///< of the level chosen, if it has one
  /// If prices weigh less than in information per cost (docs/math.md eq. (17.2)): lambda * rho.
  std::optional<double> shadow_price;
  std::optional<Planned> plan;                       ///< the last one before it, if there is one
  double sd_after = 0.0;                             ///< of f at the point, after its answer
  std::string structure;                             ///< of f, as predictions see it; empty: the plain one
  Reach reach;                                       ///< what the answer does elsewhere
  double pool_sd_before = 0.0, pool_sd_after = 0.0;  ///< mean over the pool
};

/// `state` is the one before the ask. The belief is brought up to date with it, and includes the suggestion
/// afterwards. `worker`: who asked.
Explanation explain(const Study& study, const State& state, CampaignBelief& belief, const Suggestion& chosen,
                    const std::string& worker = {});

/// Why a pool point is not what `next`, the result of the next ask, suggests, or why it is: its best level,
/// how far it is behind, and what would make it the choice. Throws InputError if it is no candidate. `state`
/// is the one before the ask; the belief is brought up to date with it.
Explanation explain_point(const Study& study, const State& state, CampaignBelief& belief,
                          const AskResult& next, const std::string& point);
/// The same of a campaign as the next ask will find it.
Explanation explain_point(const Campaign& campaign, const std::string& point, int threads = 0);

/// Why a recorded suggestion was made. Throws InputError if there is none with this id.
Explanation explain(const Campaign& campaign, std::int64_t id, int threads = 0);
/// Why the next suggestion would be made; empty, with the reason in `result`, if there is none.
struct NextExplanation {
  std::optional<Explanation> explanation;
  AskResult result;
};
NextExplanation explain_next(const Campaign& campaign, int threads = 0);

/// As readable text.
std::string to_text(const Explanation& explanation, const Study& study);
/// One sentence: at which price or precision a level would be chosen, or no longer be.
std::string counterfactual_text(const Explanation::Counterfactual& counterfactual,
                                const Explanation& explanation, const Study& study);

}  // namespace acuity
