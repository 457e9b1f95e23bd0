#pragma once

#include <string>
#include <string_view>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// What a plan of the budget expects, and what information per cost alone would buy, in this unit; one
/// sentence.
std::string to_text(const Planned& plan, const Study& study, std::string_view unit_of_information);

/// What the money that is left is expected to buy: "92.5 left: expected to buy 74 rough".
std::string purchases_line(const Planned& plan, const Study& study);

/// The last plan of a campaign, or that nothing can be bought any more; empty if there was no plan.
std::string plan_text(const Study& study, const State& state);

}  // namespace acuity
