#include "views/campaign_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "acuity/selection/candidates.hpp"
#include "base/text.hpp"
#include "study/displayed_columns.hpp"

namespace acuity {

ResultTable::Cell level_cell(const std::string& level, std::optional<double> alpha) {
  if (alpha) return *alpha;
  if (level.empty()) return std::monostate();
  return level;
}

ResultTable::Cell answer_cell(const Study& study, const std::vector<double>& values) {
  const Target& target = *study.file().target;
  if (target.class_names().empty()) return values;
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " ") + target.show(value);
  return text;
}

ResultTable::Cell value_cell(const LevelValue& value) {
  return std::visit([](const auto& v) { return ResultTable::Cell(v); }, value);
}

std::string suggestions_text(const Campaign& campaign, const std::vector<Suggestion>& suggestions,
                             Format format, bool with_worker, std::optional<CsvDialect> dialect) {
  const Study& study = campaign.study();
  const Pool& pool = study.pool();
  DisplayedColumns shown = displayed_columns(study.file(), pool);
  const auto is_empty = [&](std::size_t k) {
    return std::all_of(suggestions.begin(), suggestions.end(),
                       [&](const Suggestion& s) { return pool.text(s.row, k).empty(); });
  };
  if (format == Format::table && !study.file().display) std::erase_if(shown.texts, is_empty);
  std::vector<std::size_t> inputs = shown.inputs;  // of those that need not be seen files have all
  if (format != Format::table) {
    inputs.resize(pool.inputs().size());
    std::iota(inputs.begin(), inputs.end(), std::size_t{0});
  }
  std::vector<std::string> columns{"id", "point"};
  for (const std::size_t k : inputs) columns.push_back(pool.inputs()[k]);
  for (const std::size_t k : shown.texts) columns.push_back(pool.text_columns()[k]);
  const bool has_information = !dialect;
  columns.insert(columns.end(), {study.is_ladder() ? "alpha" : "level", "value"});
  if (has_information) columns.emplace_back("information");
  columns.emplace_back("cost");
  if (has_information) columns.emplace_back("information_per_cost");
  columns.emplace_back("lease_until");
  const bool resumes = study.file().tops_up();
  if (resumes) columns.emplace_back("resume_from");
  if (format == Format::csv) columns.emplace_back("y");
  // A form to fill in has no column for it.
  with_worker = with_worker && format != Format::csv &&
                std::find(columns.begin(), columns.end(), "worker") == columns.end();
  if (with_worker) columns.emplace_back("worker");
  ResultTable table(format, columns, ResultTable::Reader::spreadsheet, dialect.value_or(CsvDialect::comma));
  for (const Suggestion& s : suggestions) {
    std::vector<ResultTable::Cell> row{s.id, s.point};
    for (const std::size_t k : inputs) {
      const Input& input = pool.columns()[k];
      row.push_back(input.is_named() ? input_cell(input, s.inputs[k])
                                     : ResultTable::Cell(ResultTable::AllDigits{s.inputs[k]}));
    }
    for (const std::size_t k : shown.texts) row.emplace_back(std::string(pool.text(s.row, k)));
    const std::optional<double> lease = campaign.state().find(s.id)->asked.lease_until;
    row.insert(row.end(), {level_cell(s.level.name, s.level.alpha), value_cell(s.level.value)});
    if (has_information) row.emplace_back(s.information);
    row.emplace_back(s.cost);
    if (has_information) row.emplace_back(s.information_per_cost());
    row.push_back(lease ? ResultTable::Cell(time_text(*lease)) : ResultTable::Cell(std::monostate()));
    if (resumes && s.resume_from)
      row.emplace_back(*s.resume_from);
    else if (resumes)
      row.emplace_back(std::monostate());
    if (format == Format::csv) row.emplace_back(std::monostate());
    if (with_worker) row.emplace_back(campaign.state().find(s.id)->asked.worker);
    table.add(row);
  }
  return table.document("suggestions");
}

double free_money(const State& state) {
  const double left = state.free();
  return std::abs(left) <= budget_slack(state.budget()) ? 0.0 : left;
}

std::string end_text(const State& state, const std::string& reason) {
  const bool is_about_money = reason.starts_with("no level is affordable") ||
                              reason.starts_with("everything that is open costs more") ||
                              reason.find("to continue a run costs more") != std::string::npos;
  if (!is_about_money) return reason;
  const double left = free_money(state);
  return left > 0.0 ? fmt::format("the budget is spent, the {} left are too little for an answer",
                                  money(left, state.created().unit))
                    : "the budget is spent";
}

std::string large_run_text(const Study& study, const State* state, const std::string& level, double expected,
                           double budget) {
  constexpr double share = 0.1;
  if (level.empty() || !std::isfinite(budget)) return "";
  const std::string whole = "the budget of " + money(budget, study.file().unit);
  double largest = 0.0;
  if (state != nullptr)
    for (const SuggestionRecord& record : state->suggestions())
      if (record.level() == level) largest = std::max(largest, record.charged);
  if (largest > share * budget && largest > expected)
    return fmt::format("a run at {} has taken {} of {}, {} are expected for the next", level, amount(largest),
                       whole, amount(expected));
  // Nothing is cheaper, and the price is the declared one: a small budget, which its owner knows.
  const std::vector<Level>& levels = study.offer().levels;
  if (std::none_of(levels.begin(), levels.end(),
                   [&](const Level& other) { return !other.is_retired && other.cost < expected; }))
    return "";
  return expected > share * budget
             ? fmt::format("one run at {} is expected to take {} of {}", level, amount(expected), whole)
             : "";
}

}  // namespace acuity
