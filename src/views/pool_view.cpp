#include "views/pool_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>

#include "acuity/base/errors.hpp"
#include "acuity/selection/full_scan.hpp"
#include "campaign/campaign_internals.hpp"
#include "campaign/state_queries.hpp"
#include "data/as_size.hpp"
#include "explain/look_ahead.hpp"
#include "text/level_text.hpp"
#include "views/compared_points.hpp"
#include "views/explained_json.hpp"
#include "views/plain_json.hpp"

namespace acuity {

namespace {

constexpr std::size_t most_rows = 4096;
constexpr Index bins_per_axis = 64;

// A candidate at its best level, and the belief about f there.
struct ScoredPoint {
  Score score;
  double mean = 0.0, variance = 0.0;
};

// Bins of equal width over the range of an input, in logarithms on a log scale; of an input with names its
// values, several in a bin if there are many.
class Bins {
 public:
  Bins(const Pool& pool, Index input, Index count) : pool_(pool), input_(input), count_(count) {
    const Input& described = pool.columns()[at(input)];
    log_ = described.log;
    if (described.is_named()) {
      low_ = -0.5;
      high_ = static_cast<double>(described.values.size()) - 0.5;
      count_ = std::min(count, static_cast<Index>(described.values.size()));
      return;
    }
    const PointsRef points = pool.points();
    low_ = seen(points.col(input).minCoeff());
    high_ = seen(points.col(input).maxCoeff());
  }

  Index of(Index row) const {
    const double share = (seen(pool_.point(row)[input_]) - low_) / (high_ - low_);
    if (!(share > 0.0)) return 0;  // also if all values are the same
    return std::min(count_ - 1, static_cast<Index>(share * static_cast<double>(count_)));
  }

 private:
  double seen(double value) const { return log_ ? std::log(value) : value; }

  const Pool& pool_;
  Index input_, count_;
  bool log_ = false;
  double low_ = 0.0, high_ = 0.0;
};

Index input_called(const Pool& pool, const std::string& name, const char* what) {
  const auto found = std::find(pool.inputs().begin(), pool.inputs().end(), name);
  if (found == pool.inputs().end())
    throw InputError(fmt::format("{} is \"{}\", must be the name of an input", what, printable(name, 80)));
  return found - pool.inputs().begin();
}

LookAhead look_ahead_at(const Campaign& campaign, const std::vector<Index>& rows,
                        const CampaignOptions& options) {
  return rows.empty() ? look_ahead(campaign, options) : look_ahead_among(campaign, rows, options);
}

}  // namespace

struct PoolScores::Parts {
  std::int64_t sequence = 0;  // of the campaign, without what the next ask would add
  std::vector<Index> sample;  // rows of it that are scored; empty: all
  std::string note;           // that it is a sample
  LookAhead ahead;            // rows are those of the sample
  CampaignBelief& belief;
  NextExplanation next;
  std::vector<ScoredPoint> scored;  // in the order of the pool
  Offer offer;
  Acquisition acquisition;
  std::mutex explaining;  // the belief is changed meanwhile

  Parts(const Campaign& campaign, const CampaignOptions& options, double operations)
      : sequence(campaign.state().sequence()),
        sample(points_to_compare(campaign, operations)),
        note(sample.empty() ? "" : comparison_note(campaign, sample.size())),
        ahead(look_ahead_at(campaign, sample, options)),
        belief(CampaignInternals::belief(ahead.campaign)) {
    const Study& study = ahead.campaign.study();
    const State& state = ahead.campaign.state();
    belief.hide_gold();  // the page shows this, also to people who label
    belief.follow(state);
    const StudyModel& model = belief.model();
    offer = model.offer;
    acquisition = model.acquisition;
    Candidates candidates = belief.candidates(state);
    const Marginals& marginals = belief.belief().marginals();
    for (const Score& score :
         score_pool(marginals, model.offer, model.acquisition, candidates, {.threads = options.threads}))
      scored.push_back({score, marginals.mean(score.point), marginals.variance(score.point)});
    next.result = ahead.next;
    if (next.result.suggestions.empty()) return;
    next.explanation = explain(study, state, belief, next.result.suggestions.front());
    belief.take_back();
  }

  Json row(const ScoredPoint& one, Index x, std::optional<Index> y, Index count) const {
    const Pool& pool = ahead.campaign.study().pool();
    const double* inputs = pool.point(one.score.point);
    return {{"point", pool.id(one.score.point)},
            {"x", plain_input(pool.columns()[at(x)], inputs[x])},
            {"y", y ? plain_input(pool.columns()[at(*y)], inputs[*y]) : Json()},
            {"level", describe(level_of(one.score, offer, acquisition))},
            {"information", plain_number(one.score.information)},
            {"cost", plain_number(one.score.cost)},
            {"per_cost", plain_number(one.score.information_per_cost())},
            {"mean", plain_number(one.mean)},
            {"sd", plain_number(std::sqrt(std::max(0.0, one.variance)))},
            {"count", count}};
  }

  // The best of every bin, but where the next choice is that one.
  Json binned(Index x, std::optional<Index> y) const {
    const Pool& pool = ahead.campaign.study().pool();
    const Bins columns(pool, x, y ? bins_per_axis : static_cast<Index>(most_rows));
    const std::optional<Bins> rows =
        y ? std::optional<Bins>(std::in_place, pool, *y, bins_per_axis) : std::nullopt;
    const Index chosen = next.result.suggestions.empty() ? -1 : next.result.suggestions.front().row;
    struct Bin {
      const ScoredPoint* best = nullptr;
      Index count = 0;
    };
    std::map<std::pair<Index, Index>, Bin> bins;
    for (const ScoredPoint& one : scored) {
      Bin& bin = bins[{rows ? rows->of(one.score.point) : 0, columns.of(one.score.point)}];
      ++bin.count;
      const bool is_kept = bin.best != nullptr && bin.best->score.point == chosen;
      if (!is_kept &&
          (bin.best == nullptr || one.score.point == chosen || precedes(one.score, bin.best->score)))
        bin.best = &one;
    }
    Json list = Json::array();
    for (const auto& [place, bin] : bins) list.push_back(row(*bin.best, x, y, bin.count));
    return list;
  }

  // The best candidates with all of their inputs, the best first.
  Json best(std::size_t most) const {
    std::vector<const ScoredPoint*> order;
    for (const ScoredPoint& one : scored) order.push_back(&one);
    const std::size_t count = std::min(most, order.size());
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
        [](const ScoredPoint* a, const ScoredPoint* b) { return precedes(a->score, b->score); });
    const Pool& pool = ahead.campaign.study().pool();
    Json list = Json::array();
    for (std::size_t k = 0; k < count; ++k) {
      Json one = row(*order[k], 0, std::nullopt, 1);
      one["inputs"] = plain_inputs(pool.columns(), pool.point(order[k]->score.point));
      list.push_back(std::move(one));
    }
    return list;
  }
};

PoolScores::PoolScores(const Campaign& campaign, const CampaignOptions& options)
    : PoolScores(campaign, options, most_operations) {}
PoolScores::PoolScores(const Campaign& campaign, const CampaignOptions& options, double operations)
    : parts_(std::make_unique<Parts>(campaign, options, operations)) {}

PoolScores::~PoolScores() = default;
PoolScores::PoolScores(PoolScores&&) noexcept = default;
PoolScores& PoolScores::operator=(PoolScores&&) noexcept = default;

std::string PoolScores::json(const std::string& x, const std::string& y) const {
  const Parts& p = *parts_;
  const Pool& pool = p.ahead.campaign.study().pool();
  const Index along = input_called(pool, x, "x");
  const std::optional<Index> across = y.empty() ? std::nullopt : std::optional(input_called(pool, y, "y"));
  if (across == along)
    throw InputError(fmt::format("x and y are both \"{}\", must differ", printable(x, 80)));
  const bool is_binned = p.scored.size() > most_rows;
  Json rows = Json::array();
  if (is_binned)
    rows = p.binned(along, across);
  else
    for (const ScoredPoint& one : p.scored) rows.push_back(p.row(one, along, across, 1));
  const AskResult& next = p.next.result;
  const Json view{{"sequence", p.sequence},
                  {"unit", p.acquisition.information->unit()},
                  {"points", p.scored.size()},
                  {"binned", is_binned},
                  {"note", note()},
                  {"rows", rows},
                  {"best", p.best(10)},
                  {"next", next.suggestions.empty() ? Json() : Json(next.suggestions.front().point)},
                  {"reason", next.suggestions.empty() ? next.reason : ""}};
  return json_text(view);
}

std::string PoolScores::note() const {
  return parts_->note;
}

bool PoolScores::is_sample() const {
  return !parts_->sample.empty();
}

bool PoolScores::has(const std::string& point) const {
  return parts_->ahead.campaign.study().pool().find(point).has_value();
}

const NextExplanation& PoolScores::next() const {
  return parts_->next;
}

std::string PoolScores::explained_next_json() const {
  const Parts& p = *parts_;
  if (!p.next.explanation) throw InputError(p.next.result.reason);
  return explained_json(*p.next.explanation, p.ahead.campaign.study(), p.note);
}

std::string PoolScores::explained_point_json(const std::string& point) const {
  Parts& p = *parts_;
  const std::lock_guard lock(p.explaining);
  const Study& study = p.ahead.campaign.study();
  return explained_json(explain_point(study, p.ahead.campaign.state(), p.belief, p.next.result, point), study,
                        p.note);
}

}  // namespace acuity
