#include "views/spending_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "acuity/selection/candidates.hpp"
#include "base/text.hpp"
#include "numerics/root_of_squares.hpp"
#include "study/sought.hpp"
#include "text/level_text.hpp"
#include "text/number_text.hpp"

namespace acuity {

namespace {

bool answers_once(const Level& level) {
  return level.repeats_itself || level.bias.any();
}

std::string floor_text(const Level& level, const std::string& reference) {
  // Of many answers only the bias remains.
  const double floor = numerics::root_of_squares(level.bias.offset_sd, level.bias.smooth_sd);
  return fmt::format(
      "{} has a bias: however many answers it has, alone they leave f with a sd of about {:.2g} (offset "
      "{:.2g}, "
      "smooth difference {:.2g}); answers at {} beside them lower it",
      describe_in_sentence(level), floor, level.bias.offset_sd, level.bias.smooth_sd, reference);
}

std::string amount_text(const Study& study, double budget) {
  const double most = spendable(study);
  if (!std::isfinite(most)) return "";
  const std::string& unit = study.file().unit;
  const std::vector<Level>& levels = study.offer().levels;
  const auto sold =
      std::count_if(levels.begin(), levels.end(), [](const Level& level) { return !level.is_retired; });
  const std::string bought =
      fmt::format("a level with bias is bought at most once at a point: {} at {} cost at most {}",
                  counted(study.pool().size(), "point"), counted(sold, "level"), money(most, unit));
  if (!std::isfinite(budget) || most >= budget) return bought;
  return fmt::format("{}, so {} of the budget of {} cannot be spent", bought, money(budget - most, unit),
                     money(budget, unit));
}

// An offset needs answers at the reference level, and a smooth difference one more than there are inputs.
std::string reference_warning(const Study& study, double budget) {
  const Level& reference = study.offer().levels[static_cast<std::size_t>(study.reference_level())];
  if (reference.is_retired) return "";
  const double affordable = std::floor((budget + budget_slack(budget)) / reference.cost);
  const auto inputs = static_cast<double>(study.pool().inputs().size());
  if (!std::isfinite(budget) || affordable > inputs) return "";
  const std::string pays =
      fmt::format("the budget pays for {} at {}", counted(static_cast<std::int64_t>(affordable), "answer"),
                  describe_in_sentence(reference));
  if (affordable < 2.0)
    return pays + ", must be 2 or more to see the bias of the other levels: it stays an assumption";
  return fmt::format(
      "{}: enough to see by how much the other levels differ from it on average, not how that depends on {}",
      pays, counted(static_cast<std::int64_t>(study.pool().inputs().size()), "input"));
}

std::string goal_text(const Study& study, const StudyModel& model) {
  const GoalSetting setting = study.file().goal.value_or(GoalSetting());
  const std::string where = setting.whole_pool()   ? "the pool"
                            : setting.file.empty() ? "the box of [goal]"
                                                   : setting.file.filename().string();
  if (study.file().chosen_for() != nullptr) {
    const double explore = study.file().goal->explore;
    return fmt::format("choices are to find {} among {} of {}, without a plan of the budget{}",
                       sought_in_words(study.file()), counted(study.goal()->size(), "goal point"), where,
                       explore > 0.0 ? fmt::format("; {} % of the money makes the model good there",
                                                   brief(100.0 * explore, 3))
                                     : std::string());
  }
  const bool by_variance = StudyLearner(study).criterion(model) == GoalCriterion::variance;
  return fmt::format("choices are for {} of {}: {}", counted(study.goal()->size(), "goal point"), where,
                     by_variance ? "by the fall of the mean variance there (criterion \"variance\")"
                                 : "by the information about answers there (criterion \"prediction\")");
}

// A [goal] beside another information than "goal".
std::string unused_goal_text(const StudyFile& file) {
  const std::string sought = sought_in_words(file);
  return fmt::format(
      "choices are not for [goal], because acquisition.information is \"{}\": {} is only reported",
      information_name(file), sought.empty() ? "the error there" : sought);
}

}  // namespace

double spendable(const Study& study) {
  double each = 0.0, independent = 0.0;
  for (const Level& level : study.offer().levels)
    if (level.is_retired)
      continue;
    else if (answers_once(level))
      each += level.cost;
    else
      independent = std::max(independent, level.cost);
  if (independent > 0.0 && study.file().repeat) return std::numeric_limits<double>::infinity();
  return static_cast<double>(study.pool().size()) * (each + independent);
}

// How levels with a bias are related to the reference, where that is not a difference alone.
std::string relation_sentence(const Study& study, const std::string& reference) {
  const std::vector<Level>& levels = study.offer().levels;
  const auto biased =
      std::count_if(levels.begin(), levels.end(), [](const Level& level) { return level.bias.any(); });
  for (const Level& level : levels) {
    if (level.relation == LevelRelation::any)
      return biased == 1 ? fmt::format(
                               "{} is modelled as any function of the inputs and of what {} answers "
                               "(relation = \"any\")",
                               reference, level.name)
                         : fmt::format(
                               "every level up to {} is modelled as any function of the inputs and of "
                               "what the level before it answers (relation = \"any\")",
                               reference);
    if (level.relation == LevelRelation::learn && study.file().learns_by_likelihood())
      return fmt::format(
          "whether a level with a bias is {0} with an error, or goes together with {0} in another "
          "way, is learned from answers of both (relation = \"learn\")",
          reference);
  }
  return "";
}

SpendingPlan spending_plan(const Study& study, const StudyModel& model, double budget) {
  SpendingPlan plan;
  if (study.goal())
    plan.sentences.push_back(goal_text(study, model));
  else if (study.file().goal)
    plan.sentences.push_back(unused_goal_text(study.file()));
  if (!study.file().has_bias()) return plan;
  const std::string reference = study.reference_name();
  for (const Level& level : model.offer.levels)
    if (level.bias.any()) plan.sentences.push_back(floor_text(level, reference));
  if (std::string relation = relation_sentence(study, reference); !relation.empty())
    plan.sentences.push_back(std::move(relation));
  if (std::string amount = amount_text(study, budget); !amount.empty())
    plan.sentences.push_back(std::move(amount));
  if (std::string warning = reference_warning(study, budget); !warning.empty())
    plan.warnings.push_back(std::move(warning));
  return plan;
}

}  // namespace acuity
