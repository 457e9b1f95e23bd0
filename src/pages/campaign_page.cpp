#include "pages/campaign_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "pages/html_page.hpp"
#include "pictures/svg_canvas.hpp"
#include "text/number_text.hpp"
#include "text/sentence.hpp"
#include "text/time_text.hpp"

namespace acuity {

namespace {

constexpr std::size_t last_shown = 12, most_failures = 50;

// With `decimals` decimals, unless the number is too large for that.
std::string in_decimals(double value, int decimals) {
  if (std::isnan(value)) return "–";
  return std::abs(value) < 1e7 ? fmt::format("{:.{}f}", value, decimals) : fmt::format("{:.3g}", value);
}

std::string section(const std::string& id, const std::string& title, const std::string& content) {
  return fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n{2}</section>\n", id,
                     escape_markup(title), content);
}

PageTable summary(const CampaignData& data) {
  PageTable table{{"campaign", data.books.name}, {}};
  const auto add = [&](const std::string& name, const std::string& value) {
    table.rows.push_back({name, value});
  };
  if (data.typical_error) add("error to expect", data.typical_error_text);
  if (!data.sought_text.empty()) add("goal", data.sought_text);
  add("spent",
      std::isfinite(data.books.budget)
          ? fmt::format(
                "{} of {} ({}\u00a0%)", brief(data.books.spent), money(data.books.budget, data.books.unit),
                in_decimals(data.books.budget > 0.0 ? 100.0 * data.books.spent / data.books.budget : 100.0,
                            0))
          : money(data.books.spent, data.books.unit) + ", no limit");
  if (data.books.escrow > 0.0) add("reserved", money(data.books.escrow, data.books.unit));
  add("answers", std::to_string(data.answers.all.size()));
  if (data.books.pending > 0) add("pending", std::to_string(data.books.pending));
  if (data.books.failed > 0) add("failed", std::to_string(data.books.failed));
  if (!data.failing_text.empty()) add("runs", data.failing_text);
  if (data.books.excluded > 0) add("excluded", std::to_string(data.books.excluded));
  add("pool", fmt::format("{}, {}", counted(data.books.pool, "point"),
                          counted(static_cast<std::int64_t>(data.books.inputs.size()), "input")));
  if (data.is_held_out && !data.course.errors.empty())
    add("held-out error",
        data.books.target->error_text(data.course.errors.back().error, data.course.errors.back().expected));
  if (data.predicted_errors) {
    add("predicted error at the goal", fmt::format("{:.3g}", data.predicted_errors->goal));
    add("predicted error over the pool", fmt::format("{:.3g}", data.predicted_errors->pool));
  }
  if (!data.answers.all.empty()) add(data.books.target->judged(), data.verdict.words());
  if (!data.structure_text.empty()) add("structure of f in predictions", data.structure_text);
  add("created", time_text(data.books.created_at));
  if (!data.answers.all.empty()) add("last answer", time_text(data.answers.last_at));
  // About answers, whose noise it contains, at chosen points: a detail, and no error of predictions of f.
  if (!data.is_held_out && !data.course.errors.empty())
    add("leave-one-out error of the answers, their noise included",
        data.books.target->error_text(data.course.errors.back().error, std::nullopt));
  return table;
}

// Bad ones are marked as warnings are; the state is also in the words.
std::string verdicts_html(const std::vector<CampaignVerdict>& verdicts) {
  std::string html = "<dl>\n";
  for (const CampaignVerdict& one : verdicts)
    html += fmt::format(
        "<dt{}>{}</dt>\n<dd>{}{}{}</dd>\n",
        one.state == CampaignVerdict::State::bad ? " class=\"not-held\"" : "", escape_markup(one.question),
        escape_markup(one.answer),
        one.advice.empty() ? "" : " <span class=\"soft\">" + escape_markup(one.advice) + "</span>",
        one.details.empty()
            ? ""
            : "<details><summary>Details</summary>" + escape_markup(one.details) + "</details>");
  return html + "</dl>\n";
}

std::string warnings_html(const CampaignData& data) {
  if (data.warnings.empty()) return "<p>No warnings.</p>\n";
  std::string html = "<ul>\n";
  for (const std::string& warning : data.warnings)
    html += fmt::format("<li><strong class=\"not-held\">Warning.</strong> {}</li>\n", escape_markup(warning));
  return html + "</ul>\n";
}

PageTable spend_table(const CampaignData& data) {
  PageTable table{{"level", "answers", "spent"}, {}};
  for (const LevelTotal& level : data.books.levels)
    table.rows.push_back({level.name, std::to_string(level.answers), brief(level.spent)});
  return table;
}

// Levels show fewer answers than were paid for.
std::string gold_text(const CampaignData& data) {
  std::int64_t gold = 0;
  for (const LevelTotal& level : data.books.levels) gold += level.gold;
  return gold == 0
             ? ""
             : paragraph("soft", fmt::format("{} to gold items {} paid for, and not among these answers.",
                                             capitalised(counted(gold, "answer")), gold == 1 ? "is" : "are"));
}

PageTable people_table(const CampaignData& data) {
  PageTable table{{"name", "level", "answers", "right on gold items", "accuracy", "95\u00a0% interval"}, {}};
  const auto percent = [](double share) { return fmt::format("{:.0f}\u00a0%", 100.0 * share); };
  const bool by_class = std::any_of(data.people.begin(), data.people.end(),
                                    [](const PersonView& one) { return one.by_class.has_value(); });
  if (by_class)
    for (const double answer : {1.0, -1.0})
      table.header.push_back("right if " + data.books.target->answer_text(answer));
  table.header.push_back("remark");
  for (const PersonView& one : data.people) {
    const std::int64_t gold = one.gold_right + one.gold_wrong;
    table.rows.push_back(
        {one.name, levels_text(one.levels), std::to_string(one.answers),
         gold == 0 ? "–" : fmt::format("{} of {}", one.gold_right, gold),
         one.accuracy ? percent(*one.accuracy) : "–",
         one.low && one.high ? fmt::format("{} to {}", percent(*one.low), percent(*one.high)) : "–"});
    if (by_class)
      for (const bool yes : {true, false})
        table.rows.back().push_back(!one.by_class ? "–"
                                                  : percent(yes ? one.by_class->yes : one.by_class->no));
    table.rows.back().push_back(one.active ? one.remark : "not asked any more");
  }
  return table;
}

// With fewer answers a share says nothing.
constexpr Index least_for_coverage = 10;

PageTable coverage_table(const CampaignData& data) {
  PageTable table{{"level", "answers", "mean score", "sd of scores", "within 50\u00a0%", "within 80\u00a0%",
                   "within 95\u00a0%"},
                  {}};
  for (const ScoreCalibration& one : data.calibration.scores) {
    if (one.coverages[0].count < least_for_coverage) continue;
    std::vector<std::string> row{one.level, std::to_string(one.coverages[0].count), in_decimals(one.mean, 2),
                                 in_decimals(one.sd, 2)};
    for (const Coverage& coverage : one.coverages)
      row.push_back(fmt::format("{:.0f}\u00a0% ± {:.0f}{}", 100.0 * coverage.share(),
                                100.0 * coverage.sampling_error(), coverage.is_off() ? " (off)" : ""));
    table.rows.push_back(row);
  }
  return table;
}

PageTable importance_table(const CampaignData& data) {
  PageTable table{
      {"input", "alone", "with its interactions", "changes " + data.books.target->middle() + " by"}, {}};
  const auto share = [](double value, double error) {
    return value < 0.005 && error < 0.005
               ? std::string("less than 1\u00a0%")
               : fmt::format("{:.0f} ± {:.0f}\u00a0%", 100.0 * value, std::ceil(100.0 * error));
  };
  for (const Importance& one : data.importance)
    table.rows.push_back({one.input, share(one.first, one.first_error), share(one.total, one.total_error),
                          data.books.target->difference_text(one.effect)});
  return table;
}

std::string offsets_html(const CampaignData& data) {
  if (data.offsets.empty()) return "";
  std::string html =
      "<h3>Differences between levels</h3>\n<p>Mean difference at points that were answered at both levels, "
      "with the 95 % interval:</p>\n<ul>\n";
  for (const LevelOffset& offset : data.offsets)
    html += fmt::format("<li>{}{}</li>\n", escape_markup(to_text(offset)),
                        !offset.is_bias() ? ": within the noise"
                        : offset.in_model ? ": a bias, which is part of the model"
                                          : ": bias, more than noise explains");
  return html + "</ul>\n";
}

// The shares are those of the mean square error of an answer.
PageTable bias_table(const CampaignData& data) {
  PageTable table{{"level", "answers", "pairs", "reads above " + data.biases.front().estimate.reference,
                   "over the pool", "smooth sd", "white sd", "share constant", "share smooth", "share white"},
                  {}};
  for (const BiasView& view : data.biases) {
    const EstimatedBias& one = view.estimate;
    const double constant = one.difference * one.difference, white = one.white_sd * one.white_sd,
                 all = constant + one.error_sd * one.error_sd;
    const auto share = [&](double part) {
      return all > 0.0 ? fmt::format("{:.0f}\u00a0%", 100.0 * std::max(0.0, part) / all) : std::string("–");
    };
    table.rows.push_back({one.level, std::to_string(one.answers), std::to_string(view.pairs.size()),
                          data.books.target->difference_text(one.difference, one.difference_sd),
                          data.books.target->difference_text(one.least) + " to " +
                              data.books.target->difference_text(one.largest),
                          fmt::format("{:.2g}", one.smooth_sd), fmt::format("{:.2g}", one.white_sd),
                          share(constant), share(all - constant - white), share(white)});
  }
  return table;
}

PageTable last_answers(const CampaignData& data) {
  PageTable table{
      {"id", "point", "level", data.books.target->answers_title(), "predicted", "cost", "recorded"}, {}};
  const std::size_t first = data.answers.all.size() - std::min(last_shown, data.answers.all.size());
  for (std::size_t k = data.answers.all.size(); k-- > first;) {
    const ReportedAnswer& answer = data.answers.all[k];
    table.rows.push_back({std::to_string(answer.id), answer.point.empty() ? "not in the pool" : answer.point,
                          data.books.levels[answer.level].name, data.books.target->answer_text(answer.value),
                          data.books.target->prediction_text(answer.expected, answer.expected_sd),
                          brief(answer.cost), time_text(answer.told_at)});
  }
  return table;
}

// Every change of the study, when it was made.
std::string changes_html(const CampaignData& data) {
  std::string html = "<ul>\n";
  for (const State::Change& change : data.books.changes) {
    std::string words;
    for (const std::string& one : change.words) words += fmt::format("<li>{}</li>\n", escape_markup(one));
    html += fmt::format("<li>{}, after {} answers and {}:<ul>\n{}</ul></li>\n", time_text(change.time),
                        change.annotations, escape_markup(money(change.spent, data.books.unit)), words);
  }
  return html + "</ul>\n";
}

PageTable failures_table(const CampaignData& data) {
  PageTable table{{"point", "inputs", "failures", "cost", "since", "last reason"}, {}};
  for (std::size_t k = 0; k < std::min(most_failures, data.books.failures.size()); ++k) {
    const FailedPlace& place = data.books.failures[k];
    table.rows.push_back({place.point, place.inputs, std::to_string(place.failures), brief(place.cost),
                          place.answered ? "answered" : "no answer", place.reason});
  }
  return table;
}

std::string failures_html(const CampaignData& data) {
  double cost = 0.0;
  for (const FailedPlace& place : data.books.failures) cost += place.cost;
  return paragraph("soft", fmt::format("Attempts without an answer, by place; they cost {}{}.",
                                       money(cost, data.books.unit),
                                       data.books.failures.size() > most_failures
                                           ? fmt::format(". The first {} of {} places", most_failures,
                                                         data.books.failures.size())
                                           : std::string())) +
         table_html(failures_table(data), "Failures by place");
}

std::string purchases_cell(const std::vector<double>& counts, const CampaignData& data) {
  std::string text;
  for (std::size_t k = 0; k < counts.size() && k < data.offered.size(); ++k)
    if (counts[k] > 0.0)
      text += fmt::format("{}{}\u00a0×\u00a0{}", text.empty() ? "" : ", ", counts[k], data.offered[k]);
  return text.empty() ? "–" : text;
}

// What was planned beside what happened. Plans that gain next to nothing are left out: they are as good as
// choosing answer by answer.
std::string plans_html(const CampaignData& data) {
  if (data.plan_text.empty()) return "";
  constexpr double worth_showing = 0.01;
  std::string html = "<h3>Plan of the budget</h3>\n<details><summary>Details</summary>" +
                     escape_markup(data.plan_text) + "</details>\n";
  PageTable table{{"money left", "gain over choosing answer by answer", "planned", "bought from then on"},
                  {}};
  for (const PlanPoint& plan : data.plans) {
    const double gain =
        (plan.expected - plan.expected_ratio) / std::max(std::abs(plan.expected_ratio), 1e-300);
    if (!plan.planned.empty() && gain >= worth_showing)
      table.rows.push_back({brief(plan.remaining, 3), fmt::format("{:.0f}\u00a0%", 100.0 * gain),
                            purchases_cell(plan.planned, data), purchases_cell(plan.bought, data)});
  }
  if (table.rows.empty()) return html;
  return html + table_html(table, "Plans of the budget") +
         paragraph("soft",
                   "Plan and purchases differ: a plan is made again after every few answers, from what they "
                   "have shown.");
}

// The table that belongs to a figure.
std::string beside(const CampaignFigure& figure, const CampaignData& data) {
  if (figure.svg.empty()) return "";
  if (figure.name == "money")
    return table_html(spend_table(data), "Spend by level") + gold_text(data) +
           (data.replaced_text.empty() ? "" : paragraph("soft", data.replaced_text)) + plans_html(data);
  if (figure.name == "belief" && data.importance.size() > 1)
    return "<p>Share of the variation over the pool that is due to each input, with its standard error, as "
           "if "
           "the inputs varied independently; and by how much the input, moved through its values while the "
           "others stay, changes a prediction (median over pool points):</p>\n" +
           table_html(importance_table(data), "Importance of inputs");
  if (figure.name == "level-bias") {
    std::string sentences;
    for (const BiasView& view : data.biases)
      sentences += fmt::format("<li>{}.</li>\n", escape_markup(to_text(view.estimate)));
    const bool differs = !data.biases.front().estimate.is_chained();
    return "<ul>\n" + sentences + "</ul>\n" +
           (differs ? table_html(bias_table(data), "Bias of the levels") : "");
  }
  if (figure.name != "calibration") return "";
  return (coverage_table(data).rows.empty()
              ? ""
              : "<p>Share of answers within each interval, with its sampling error if the model is "
                "right:</p>\n" +
                    table_html(coverage_table(data), "Coverage by level")) +
         offsets_html(data);
}

}  // namespace

std::string campaign_page(const CampaignData& data, const std::vector<CampaignFigure>& figures,
                          const CampaignPageFacts& facts) {
  std::string html =
      page_begin(data.books.name + ": report") +
      fmt::format(
          "<header>\n<h1>{}</h1>\n<p class=\"soft\">Report of a campaign; last answer {}. Made by "
          "acuity {}:</p>\n{}</header>\n<main id=\"main\">\n",
          escape_markup(data.books.name), time_text(data.answers.last_at), escape_markup(facts.version),
          command_block(facts.command));
  if (!facts.verdicts.empty()) html += section("verdicts", "In short", verdicts_html(facts.verdicts));
  html += section("summary", "Summary", table_html(summary(data), "Summary"));
  html += section("warnings", "Warnings", warnings_html(data));
  if (!data.books.changes.empty()) html += section("changes", "Changes of the study", changes_html(data));
  for (const CampaignFigure& figure : figures)
    html += section(figure.name, figure.heading,
                    figure.svg.empty() ? paragraph("soft", figure.absent)
                                       : figure_html({figure.svg, figure.caption}) + beside(figure, data));
  if (!data.people.empty())
    html += section("people", "People", table_html(people_table(data), "Who answered, and how well"));
  if (!data.books.failures.empty()) html += section("failures", "Failures", failures_html(data));
  if (!data.answers.all.empty())
    html += section(
        "last", "Last answers",
        "<p>Newest first. <em>Predicted</em> is the prediction made before the answer or, if there was none, "
        "the one from all other answers.</p>\n" +
            table_html(last_answers(data), "Last answers"));
  return html + "</main>\n" + page_end;
}

}  // namespace acuity
