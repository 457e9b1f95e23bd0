#pragma once

#include <memory>

#include "acuity/study/study.hpp"

namespace acuity {

/// The goal of a study: the points at which its model must be good; null unless the acquisition is by a goal.
/// The noise of the goal is sigma^2(x), of which only the criterion "prediction" makes use.
std::shared_ptr<const Goal> make_goal(const Study& study);

/// The points at which something is sought, also if the acquisition is by something else; null if nothing is.
std::shared_ptr<const Goal> sought_goal(const Study& study);

}  // namespace acuity
