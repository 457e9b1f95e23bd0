#include "views/plan_course.hpp"

namespace acuity {

namespace {

constexpr std::size_t most_plans = 12;

}  // namespace

std::vector<PlanPoint> plan_course(const Campaign& campaign) {
  std::vector<PlanPoint> plans;
  const Study& study = campaign.study();
  if (study.is_ladder() || !campaign.state().planned()) return plans;
  const std::size_t levels = study.offer().levels.size();
  for (const StoredEvent& stored : campaign.events()) {
    if (const auto* plan = std::get_if<Planned>(&stored.event))
      plans.push_back({.remaining = plan->remaining,
                       .lambda = plan->lambda,
                       .expected = plan->expected,
                       .expected_ratio = plan->expected_ratio,
                       .planned = plan->purchases,
                       .bought = std::vector<double>(levels, 0.0),
                       .note = plan->note});
    const auto* asked = std::get_if<Asked>(&stored.event);
    if (asked == nullptr) continue;
    if (const std::optional<Index> level = study.find_level(asked->level))
      for (PlanPoint& plan : plans) ++plan.bought[static_cast<std::size_t>(*level)];
  }
  if (plans.size() <= most_plans) return plans;
  std::vector<PlanPoint> some;
  for (std::size_t k = 0; k < most_plans; ++k)
    some.push_back(plans[k * (plans.size() - 1) / (most_plans - 1)]);
  return some;
}

}  // namespace acuity
