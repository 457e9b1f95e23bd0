#include "explain/goal_error.hpp"

#include <algorithm>
#include <cmath>

#include "study/sought.hpp"

namespace acuity {

namespace {

// Rows of the pool are none of the goal's.
Observation outside_of_pool(Observation observation, const Pool& pool) {
  if (const std::optional<Index> row = observation.place.pool_row())
    observation.place = Place(Vector(pool.points().row(*row).transpose()));
  return observation;
}

// Every campaign model has a chain of its own, even if it is the same.
bool has_same_chain(const Prior& a, const Prior& b) {
  if (!a.chain || !b.chain) return !a.chain && !b.chain;
  return std::equal(a.chain->links.begin(), a.chain->links.end(), b.chain->links.begin(),
                    b.chain->links.end(), [](const ChainLink& one, const ChainLink& other) {
                      return one.bias == other.bias && one.nugget == other.nugget &&
                             one.kernel->log_parameters() == other.kernel->log_parameters();
                    });
}

}  // namespace

double GoalError::now() {
  const StudyFile& file = campaign_.study().file();
  if (!goal_.rows.empty()) {
    const Vector mean = campaign_.belief().marginals().mean(goal_.rows);
    return error_for_study(file, mean, goal_.truth, goal_.weights);
  }
  follow();
  return error_for_study(file, belief_->marginals().mean, goal_.truth, goal_.weights);
}

// Appends what is new, if that is the only difference.
void GoalError::follow() {
  StudyModel model = campaign_.model();
  const Pool& pool = campaign_.study().pool();
  if (belief_ && is_continued_by(model)) {
    for (std::size_t i = model_.observations.size(); i < model.observations.size(); ++i) {
      const Observation added = outside_of_pool(model.observations[i], pool);
      belief_->condition(added.place, added.channel, added.value);
    }
    if (model.prior.mean != model_.prior.mean) belief_->change_prior_mean(model.prior.mean);
  } else {
    std::vector<Observation> observations;
    for (const Observation& observation : model.observations)
      observations.push_back(outside_of_pool(observation, pool));
    belief_ = campaign_.study().file().target->belief(model.prior, goal_.points, nullptr, observations, 1,
                                                      PoolStorage{}, false);
  }
  model_ = std::move(model);
}

bool GoalError::is_continued_by(const StudyModel& model) const {
  const auto& before = model_.observations;
  const auto& now = model.observations;
  return now.size() >= before.size() && has_same_chain(model.prior, model_.prior) &&
         model.prior.kernel->log_parameters() == model_.prior.kernel->log_parameters() &&
         model.prior.scaling == model_.prior.scaling && model.prior.biases == model_.prior.biases &&
         std::equal(before.begin(), before.end(), now.begin(), [](const auto& a, const auto& b) {
           return a.value == b.value && a.channel == b.channel;
         });
}

}  // namespace acuity
