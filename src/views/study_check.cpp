#include "views/study_check.hpp"
#include "views/input_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "campaign/choose_next.hpp"
#include "campaign/initial_design.hpp"
#include "campaign/state_queries.hpp"
#include "judgement/audit_verdict.hpp"
#include "study/drawn_pool.hpp"
#include "text/duration.hpp"
#include "text/level_text.hpp"
#include "views/campaign_text.hpp"
#include "views/input_summary.hpp"
#include "views/plan_text.hpp"
#include "views/spending_plan.hpp"
#include "views/study_warnings.hpp"

namespace acuity {

namespace {

Json break_even_json(const BreakEvenReport& report) {
  const auto row = [](const Level& level, const Json& fields) {
    Json object = level.alpha ? Json{{"alpha", json_number(*level.alpha)}} : Json{{"level", level.name}};
    object.update(fields);
    return object;
  };
  Json intervals = Json::array(), winners = Json::array(), prices = Json::array();
  for (const LevelInterval& one : report.intervals)
    intervals.push_back(
        row(one.level, {{"from_sd", json_number(one.from_sd)}, {"to_sd", json_number(one.to_sd)}}));
  for (const BreakEvenReport::Winner& one : report.winners)
    winners.push_back(row(one.level, {{"mean", json_number(one.mean)}, {"sd", json_number(one.sd)}}));
  for (const BreakEvenReport::LevelPrice& one : report.prices)
    prices.push_back(row(one.level, {{"cost", json_number(one.level.cost)},
                                     {"wins", one.wins},
                                     {"wins_below", json_number(one.wins_below)},
                                     {"price_of_precision", json_number(one.price_of_precision)}}));
  return {{"levels_compete", report.levels_compete},
          {"continuous", report.continuous},
          {"left_out", report.left_out},
          {"prior_sd", json_number(report.prior_sd)},
          {"size_known", report.size_known},
          {"base_noise", json_number(report.base_noise)},
          {"intervals", intervals},
          {"winners", winners},
          {"prices", prices},
          {"only", report.only ? json_value(level_cell(report.only->name, report.only->alpha)) : Json()}};
}

// What is to come of the initial design. Answers at levels that are not for sale are no part of it.
std::int64_t left_of_design(const Study& study, const std::vector<Annotation>& annotations,
                            const Campaign* campaign) {
  if (campaign != nullptr) return missing_of_design(study, campaign->state());
  const std::vector<Level>& levels = study.offer().levels;
  return initial_design(study).count() -
         std::count_if(annotations.begin(), annotations.end(), [&](const Annotation& one) {
           return !one.level || !levels[static_cast<std::size_t>(*one.level)].is_retired;
         });
}

// What a campaign asks for first, without a choice; empty: nothing.
std::string initial_text(const Study& study, std::int64_t left) {
  if (left <= 0) return "";
  const InitialDesign design = initial_design(study);
  if (design.parts.size() > 1) {
    std::vector<std::string> parts;
    for (const InitialDesign::Part& part : design.parts)
      parts.push_back(
          fmt::format("{} at {}", part.count,
                      describe_in_sentence(study.offer().levels[static_cast<std::size_t>(part.level)])));
    return fmt::format("{} first, at points far apart{}: {}, for {}", counted(design.count(), "answer"),
                       design.nested ? ", those of a finer level among those of a coarser one" : "",
                       fmt::join(parts, ", "), money(design.cost(study), study.file().unit));
  }
  const Level& level = study.offer().levels[static_cast<std::size_t>(design.parts.front().level)];
  return fmt::format("{} first, {} {}, for {}", counted(left, "answer"),
                     design.space_filling ? "at points far apart, at" : "at points drawn by the seed, at",
                     describe_in_sentence(level),
                     money(static_cast<double>(left) * level.cost, study.file().unit));
}

// Levels of the initial design at which one run takes much of the budget, one sentence each.
std::vector<std::string> large_runs(const Study& study, const StudyModel& model, const Campaign* campaign,
                                    std::int64_t left, double budget) {
  std::vector<std::string> sentences;
  if (left <= 0) return sentences;
  const InitialDesign design = initial_design(study);
  for (const InitialDesign::Part& part : design.parts) {
    const Level& level = model.offer.levels[static_cast<std::size_t>(part.level)];
    std::string text = large_run_text(study, campaign != nullptr ? &campaign->state() : nullptr, level.name,
                                      level.cost, budget);
    if (!text.empty()) sentences.push_back(std::move(text));
  }
  return sentences;
}

// What the plan will buy, if the size of f is known already.
std::string plan_text(const Study& study, StudyModel model, const std::vector<Annotation>& annotations,
                      const Campaign* campaign, int threads) {
  if (!StudyLearner(study).plans(model)) return "";
  if (campaign != nullptr && campaign->state().planned()) return plan_text(study, campaign->state());
  if (!study.file().knows_scale() && !model.learned)
    return "what is left after the first answers is simulated for several weights of prices, once they have "
           "shown how large " +
           study.file().target->name_or("f") + " is";
  const Candidates candidates =
      campaign != nullptr ? campaign->candidates() : study.candidates_after(annotations, std::nullopt);
  const std::unique_ptr<PoolBelief> belief = StudyLearner(study).belief(model, {}, threads);
  const BudgetPlan plan =
      StudyLearner(study).plan(model, annotations, *belief, candidates, {.threads = threads});
  return to_text(planned_of(study, model, plan, candidates.remaining()), study,
                 model.acquisition.information->unit());
}

// What annotator.failures and max_failures mean here.
std::string failures_text(const Study& study) {
  return fmt::format("runs that fail: {}; {} different points that fail one after the other stop the run",
                     study.file().learns_failures()
                         ? "where they do is learned once five different points have failed"
                         : "their points wait until nothing else is left",
                     study.file().annotator.max_failures);
}

// The rules of [stop]; empty without any.
std::string stop_text(const Study& study) {
  const StopSetting& stop = study.file().stop;
  std::vector<std::string> rules;
  const auto add = [&rules](const char* what, const std::optional<double>& limit) {
    if (limit) rules.push_back(fmt::format("{} is below {}", what, shortest(*limit)));
  };
  add("the information per cost of the best candidate", stop.information_per_cost);
  add("the mean standard deviation of f", stop.predictive_sd);
  add("the error to expect", stop.typical_error);
  add("the uncertain share of the goal", stop.uncertain_share);
  add("the share of the goal that is expected to be wrong", stop.wrong_share);
  add("the expected regret", stop.expected_regret);
  if (stop.wall_clock) rules.push_back(in_words(*stop.wall_clock) + " have passed");
  return rules.empty() ? ""
                       : fmt::format("stops before the money is spent once {}", fmt::join(rules, ", or "));
}

}  // namespace

StudyCheck check_study(const Study& study, const StudyModel& model,
                       const std::vector<Annotation>& annotations, const Campaign* campaign, int threads) {
  const double budget = campaign != nullptr
                            ? campaign->state().budget()
                            : study.file().budget.value_or(std::numeric_limits<double>::infinity());
  std::vector<std::string> lines = input_lines(study.pool());
  if (study.file().drawing)
    lines.push_back("pool: " + drawing_text(*study.file().drawing, study.pool().size()));
  if (std::string texts = text_columns_line(study); !texts.empty()) lines.push_back(std::move(texts));
  const std::int64_t left = left_of_design(study, annotations, campaign);
  std::vector<std::string> notes = large_runs(study, model, campaign, left, budget);
  for (std::string& sentence : spending_plan(study, model, budget).sentences)
    notes.push_back(std::move(sentence));
  if (study.file().annotator.kind == AnnotatorSetting::Kind::command) notes.push_back(failures_text(study));
  if (std::string rules = stop_text(study); !rules.empty()) notes.push_back(std::move(rules));
  return {.break_even = break_even_report(study, model),
          .inputs = inputs_json(study.pool()),
          .input_lines = std::move(lines),
          .initial = initial_text(study, left),
          .audit = audit_plan_text(study),
          .notes = std::move(notes),
          .plan = plan_text(study, model, annotations, campaign, threads),
          .warnings = warnings_before_spending(study, model, annotations, budget, campaign)};
}

Json check_json(const StudyCheck& found) {
  return {{"break_even", break_even_json(found.break_even)},
          {"warnings", found.warnings},
          {"inputs", found.inputs},
          {"initial", found.initial},
          {"audit", found.audit},
          {"notes", found.notes},
          {"plan", found.plan}};
}

std::string check_text(const StudyCheck& found, const std::string& unit) {
  // What is spent before anything is chosen comes first.
  std::string text = found.initial.empty() ? "" : one_line(found.initial) + "\n";
  if (!found.audit.empty()) text += one_line(found.audit) + "\n";
  text += "Inputs\n";
  for (const std::string& line : found.input_lines) text += "  " + line + "\n";
  if (found.break_even.levels_compete && found.break_even.left_out.empty())
    text += to_text(found.break_even, unit);
  if (!found.notes.empty()) text += "Levels and goal\n";
  for (const std::string& sentence : found.notes) text += "  " + one_line(sentence) + "\n";
  if (!found.plan.empty()) text += "Plan of the budget\n  " + one_line(found.plan) + "\n";
  text += "Scales and units\n";
  for (const std::string& warning : found.warnings) text += "  " + one_line(warning) + "\n";
  if (found.warnings.empty()) text += "  no problems found\n";
  return text;
}

}  // namespace acuity
