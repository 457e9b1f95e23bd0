#include "selection/shared_decision.hpp"

#include <type_traits>

#include "acuity/selection/full_scan.hpp"
#include "base/byte_text.hpp"

namespace acuity {

namespace {

static_assert(std::is_trivially_copyable_v<Score>);

// What decides between candidates of different processes.
struct Standing {
  Index point;
  double value, order;

  Score score() const { return {.point = point, .value = value, .order = order, .precision = {}}; }
};

// Nothing is no bytes.
template <typename Value>
std::string bytes_of(const std::optional<Value>& value) {
  base::ByteWriter bytes;
  if (value) bytes.put(*value);
  return bytes.text();
}

template <typename Value>
std::optional<Value> value_of(const std::string& bytes) {
  return bytes.empty() ? std::nullopt : std::optional(base::ByteReader(bytes).get<Value>());
}

std::optional<Standing> standing_of(const std::optional<Score>& score) {
  return score ? std::optional(Standing{score->point, score->value, score->order}) : std::nullopt;
}

}  // namespace

std::optional<Score> SharedDecision::best(const std::function<std::optional<Score>()>& leader) {
  if (!pool_.is_split()) return leader();
  const std::vector<std::string> leaders =
      pool_.job().gather([&] { return bytes_of(standing_of(leader())); });
  std::optional<Score> best;
  for (const std::string& bytes : leaders)
    if (const std::optional<Standing> one = value_of<Standing>(bytes))
      if (!best || precedes(one->score(), *best)) best = one->score();
  return best;
}

// The tie rule as the operator of one reduction would be wrong: "within 1e-9 of the best" is not associative.
std::optional<Score> SharedDecision::choose(const std::function<Finalists()>& search) {
  Finalists here;
  const std::optional<Score> best_of_all = best([&] {
    here = search();
    return here.leader;
  });
  if (!best_of_all) return std::nullopt;
  const auto first_tied = [&]() -> std::optional<Score> {
    std::optional<Score> tied = here.leader ? here.first_tied(*best_of_all) : std::nullopt;
    if (!tied) return std::nullopt;
    tied->point = shard_.global(tied->point);
    if (tied->top_up) tied->top_up->point = tied->point;
    return tied;
  };
  if (!pool_.is_split()) return first_tied();
  // Processes are in the order of the pool.
  for (const std::string& bytes : pool_.job().gather([&] { return bytes_of(first_tied()); }))
    if (const std::optional<Score> tied = value_of<Score>(bytes)) return tied;
  return std::nullopt;
}

std::vector<Score> SharedDecision::gather(const std::function<std::vector<Score>()>& scores) {
  if (!pool_.is_split()) return scores();
  const std::vector<std::string> parts = pool_.job().gather([&] {
    base::ByteWriter bytes;
    for (const Score& one : scores()) bytes.put(Standing{shard_.global(one.point), one.value, one.order});
    return bytes.text();
  });
  std::vector<Score> all;
  for (const std::string& part : parts)
    for (base::ByteReader bytes(part); !bytes.at_end();) all.push_back(bytes.get<Standing>().score());
  return all;
}

std::optional<SharedDecision::Drawn> SharedDecision::lowest(
    const std::function<std::optional<Drawn>()>& drawn) {
  std::optional<Drawn> lowest;
  for (const std::string& bytes : pool_.job().gather([&] {
         std::optional<Drawn> here = drawn();
         if (here) here->point = shard_.global(here->point);
         return bytes_of(here);
       }))
    if (const std::optional<Drawn> one = value_of<Drawn>(bytes); one && (!lowest || one->key < lowest->key))
      lowest = one;
  return lowest;
}

std::optional<Score> SharedDecision::from_owner(
    Index row, const std::function<std::optional<Score>(Index local)>& score) {
  for (const std::string& bytes : pool_.job().gather([&] {
         std::optional<Score> here = shard_.contains(row) ? score(shard_.local(row)) : std::nullopt;
         if (here) here->point = row;
         return bytes_of(here);
       }))
    if (const std::optional<Score> one = value_of<Score>(bytes)) return one;
  return std::nullopt;
}

std::vector<Index> SharedDecision::local(const std::vector<Index>& rows) const {
  std::vector<Index> here;
  for (const Index row : rows)
    if (shard_.contains(row)) here.push_back(shard_.local(row));
  return here;
}

}  // namespace acuity
