#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "acuity/selection/suggestion.hpp"
#include "campaign/campaign_belief.hpp"
#include "study/reported_noise.hpp"

namespace acuity {

/// Why a point and a level were chosen, in numbers: computed from the belief that chose them.
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
  /// A level that was not chosen would be, at `point` or another, were it cheaper than this or more precise
  /// than that; the chosen one would not, were it dearer or less precise. Exact: on either side of the number
  /// the selection differs.
  struct Counterfactual {
    Level level;
    bool chosen = false;          ///< the numbers are where it loses, not where it wins
    std::optional<double> price;  ///< absent: no price would change the choice
    std::optional<double>
        noise_sd;  ///< real, price lists: what the level adds to sigma(x); absent: no noise would
    std::optional<double> accuracy;  ///< binary, price lists: likewise
    std::string point;               ///< where it would win
  };
  struct Neighbour {
    std::int64_t id = 0;
    std::string point, level;
    double y = 0.0;
    double distance = 0.0;  ///< in length scales
  };

  Suggestion chosen;
  std::string unit;                ///< of the information
  bool is_drawn = false;           ///< by the seed: the initial design, or `random`
  bool levels_compete = true;      ///< false: the highest precision only
  double remaining = 0.0;          ///< money free before it was asked for
  Index candidates = 0;            ///< points it was chosen from
  double more_certain = 0.0;       ///< share of them where less is open
  double median_sd = 0.0;          ///< of f, over them
  std::vector<LevelMerit> levels;  ///< best first
  std::vector<Counterfactual> counterfactuals;
  std::vector<Neighbour> nearest;
  std::vector<ReportedNoise> reported_noise;         ///< of the answers before it
  std::vector<std::int64_t> pending;                 ///< what was conditioned on without its answer
  double sd_after = 0.0;                             ///< of f at the point, once it is answered
  double pool_sd_before = 0.0, pool_sd_after = 0.0;  ///< mean over the pool
};

/// `state` is that before it was asked for; the belief follows it, and expects the suggestion afterwards.
Explanation explain(const Study& study, const State& state, CampaignBelief& belief, const Suggestion& chosen);

/// Why a suggestion of the log was made; throws InputError where there is none of that id.
Explanation explain(const Campaign& campaign, std::int64_t id, int threads = 0);
/// Why the next one would be; nothing, and the reason, where there is none.
struct NextExplanation {
  std::optional<Explanation> explanation;
  AskResult result;
};
NextExplanation explain_next(const Campaign& campaign, int threads = 0);

/// Text for people and papers.
std::string to_text(const Explanation& explanation, const Study& study);

}  // namespace acuity
