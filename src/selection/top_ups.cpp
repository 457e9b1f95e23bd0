#include "acuity/selection/top_ups.hpp"

#include <algorithm>
#include <map>

#include "acuity/data/observation.hpp"
#include "data/as_size.hpp"

namespace acuity {

bool can_be_continued(const Level& level) {
  return !level.repeats_itself && !level.bias.any() && std::holds_alternative<GaussianChannel>(level.channel);
}

void TopUps::add(const HeldAnswer& answer, const Offer& offer) {
  const Level& from = offer.levels[at(answer.level)];
  if (!can_be_continued(from)) return;
  for (Index k = 0; k < static_cast<Index>(offer.levels.size()); ++k) {
    const Level& level = offer.levels[at(k)];
    if (k == answer.level || !level.tops_up || level.is_retired || is_excluded(answer.point, k)) continue;
    const double after = noise_variance(offer.channel(answer.point, k));
    const double price = offer.cost(answer.point, k), cost = price - offer.cost(answer.point, answer.level);
    if (!(after < answer.noise_variance) || !(cost > 0.0)) continue;
    all_.push_back({.from = answer.id,
                    .point = answer.point,
                    .level = k,
                    .noise_variance = noise_of_continuation(answer.noise_variance, after),
                    .cost = cost,
                    .reserve = cost + (offer.reserved(answer.point, k) - price)});
  }
}

void TopUps::remove(std::int64_t from) {
  std::erase_if(all_, [&](const TopUp& one) { return one.from == from; });
}

void TopUps::exclude(Index point, std::optional<Index> level) {
  excluded_.emplace(point, level.value_or(-1));
  std::erase_if(all_, [&](const TopUp& one) { return is_excluded(one.point, one.level); });
}

bool TopUps::is_excluded(Index point, Index level) const {
  return excluded_.contains({point, -1}) || excluded_.contains({point, level});
}

TopUps TopUps::of_part(Index first, Index count) const {
  TopUps there;
  const auto is_there = [&](Index point) { return point >= first && point < first + count; };
  for (TopUp one : all_)
    if (is_there(one.point)) {
      one.point -= first;
      there.all_.push_back(one);
    }
  for (const auto& [point, level] : excluded_)
    if (is_there(point)) there.excluded_.emplace(point - first, level);
  return there;
}

TopUps TopUps::of_points(const std::vector<Index>& points) const {
  TopUps there;
  std::map<Index, Index> number;
  for (std::size_t i = 0; i < points.size(); ++i) number.emplace(points[i], static_cast<Index>(i));
  for (TopUp one : all_)
    if (const auto found = number.find(one.point); found != number.end()) {
      one.point = found->second;
      there.all_.push_back(one);
    }
  for (const auto& [point, level] : excluded_)
    if (const auto found = number.find(point); found != number.end())
      there.excluded_.emplace(found->second, level);
  return there;
}

}  // namespace acuity
