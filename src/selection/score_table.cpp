#include "selection/score_table.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <type_traits>

#include "acuity/selection/full_scan.hpp"
#include "base/byte_text.hpp"
#include "model/belief_part.hpp"

namespace acuity {

namespace {

static_assert(std::is_trivially_copyable_v<ScoredPoint>);

// The best so many, again in the order of the pool.
void keep_best(std::vector<Score>& scores, Index count) {
  if (scores.size() <= static_cast<std::size_t>(count)) return;
  std::stable_sort(scores.begin(), scores.end(), precedes);
  scores.resize(static_cast<std::size_t>(count));
  std::sort(scores.begin(), scores.end(), [](const Score& a, const Score& b) { return a.point < b.point; });
}

std::vector<ScoredPoint> with_belief(const std::vector<Score>& scores, const Marginals& marginals) {
  std::vector<ScoredPoint> table;
  table.reserve(scores.size());
  for (const Score& score : scores)
    table.push_back({score, marginals.mean(score.point), marginals.variance(score.point)});
  return table;
}

// The rows of the own part, as a message; its points are rows of the whole pool.
std::string own_rows(const BeliefPart& own, const Offer& offer, const Acquisition& acquisition,
                     const Candidates& candidates, const ScoreTableOptions& options) {
  base::ByteWriter bytes;
  if (own.shard->rows == 0) return bytes.text();
  std::vector<Index> rows(static_cast<std::size_t>(own.shard->rows));
  std::iota(rows.begin(), rows.end(), own.shard->first);
  const Marginals& marginals = own.belief.marginals();
  std::vector<Score> scores =
      score_pool(marginals, offer.at(rows), acquisition, candidates.at(rows), {.threads = options.threads});
  if (options.top) keep_best(scores, *options.top);
  for (ScoredPoint& one : with_belief(scores, marginals)) {
    one.score.point = own.shard->global(one.score.point);
    bytes.put(one);
  }
  return bytes.text();
}

}  // namespace

std::vector<ScoredPoint> score_table(PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
                                     const Candidates& candidates, const ScoreTableOptions& options) {
  const BeliefPart own = own_part_of(belief);
  // Draws are by row of the pool, and a shadow price is that of the whole pool.
  const bool by_parts = acquisition.ranking != Ranking::random && !acquisition.has_price_weight();
  if (!own.shard || !by_parts) {
    const Marginals& marginals = belief.marginals();
    return with_belief(score_pool(marginals, offer, acquisition, candidates, {.threads = options.threads}),
                       marginals);
  }
  std::vector<ScoredPoint> table;
  for (const std::string& part :
       own.pool.job().gather([&] { return own_rows(own, offer, acquisition, candidates, options); }))
    for (base::ByteReader bytes(part); !bytes.at_end();) table.push_back(bytes.get<ScoredPoint>());
  return table;
}

}  // namespace acuity
