#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "text/json.hpp"
#include "text/result_table.hpp"

namespace acuity {

/// How one person answers, as `acuity people` and the page show it.
struct PersonView {
  std::string name;
  std::vector<std::string> levels;  ///< empty: any
  bool active = true;
  std::int64_t answers = 0;  ///< valid ones, with those to gold items
  std::int64_t gold_right = 0, gold_wrong = 0;
  /// Pairs of answers to the same point by this person and another one. Gold items do not count.
  std::int64_t same = 0, different = 0;
  /// Learned, with a 95 % interval: that of the person or, of somebody with fewer than five answers, of the
  /// level. Absent: not learned.
  std::optional<double> accuracy, low, high;
  /// If it is learned by class: of items of either class, with 95 % intervals, and the probability that the
  /// answers do not depend on the class.
  struct ByClass {
    double yes = 0.5, yes_low = 0.0, yes_high = 1.0;
    double no = 0.5, no_low = 0.0, no_high = 1.0;
    double coin = 0.0;
  };
  std::optional<ByClass> by_class;
  std::int64_t cannot_tell = 0;
  std::optional<double> median_seconds;
  /// "yes 98 of 98 times": all of ten or more answers are the same. "no better than a coin": the interval of
  /// the person's learned accuracy ends under 0.6, by class the answers do not depend on the class with more
  /// than 95 % ("says yes whatever is asked", if four of five are yes), or so few of ten or more gold items
  /// were right as in 2.5 % of the cases of somebody with an accuracy of 0.7. "worse since ...": of twenty or
  /// more answers that can be checked (against gold items, or the majority of the others), the second half
  /// has fewer right ones than the first (Fisher's exact test, one-sided, 1 %).
  std::string remark;
};

/// With commas.
std::string levels_text(const std::vector<std::string>& levels);

/// Everybody who was added to the campaign, in that order, then everybody else who has answered, by name.
/// Programs (`run`, `python`) and known answers are no people.
std::vector<PersonView> people_view(const Campaign& campaign);

/// The rows of the page: `Person` of web/src/api.ts.
Json people_json(const std::vector<PersonView>& people);
/// As `acuity people` prints them.
std::string people_text(const std::vector<PersonView>& people, Format format);

}  // namespace acuity
