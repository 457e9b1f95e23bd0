#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/data/pool_file.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/selection/selector.hpp"
#include "acuity/selection/suggestion.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "job.hpp"
#include "loaded_study.hpp"
#include "notes.hpp"
#include "selection/score_table.hpp"
#include "selection/why_nothing.hpp"
#include "shared_options.hpp"
#include "text/level_text.hpp"
#include "text/result_table.hpp"

namespace acuity {

namespace {

struct ScoreArguments {
  CampaignAddress study;
  std::string annotations;  ///< empty: none are known
  CsvDialect dialect = CsvDialect::automatic;
  std::optional<std::int64_t> top;
  bool batch = false;  ///< the top K are to be asked for together: each is the best given those before it
  std::optional<double> remaining;
  PoolWork work;
  Format format = Format::table;

  bool is_one_choice() const { return top == 1 && !batch; }
};

void check_arguments(const ScoreArguments& arguments) {
  if (arguments.top && *arguments.top < 1)
    throw InputError(fmt::format("--top is {}, must be at least 1", *arguments.top));
  if (arguments.batch && !arguments.top)
    throw InputError("--batch is given without --top, must come with --top K");
  if (arguments.remaining && !(*arguments.remaining >= 0.0))
    throw InputError(fmt::format("--remaining is {}, must be 0 or more", *arguments.remaining));
}

// Best first, a run to continue if it is the best of all, and the tie rule decides which one is the first;
// with `random` the order is the one drawn.
void put_best_first(std::vector<ScoredPoint>& scored, const ScoredPoint& chosen) {
  std::stable_sort(scored.begin(), scored.end(),
                   [](const ScoredPoint& a, const ScoredPoint& b) { return precedes(a.score, b.score); });
  const auto at = std::find_if(scored.begin(), scored.end(),
                               [&](const ScoredPoint& one) { return one.score.point == chosen.score.point; });
  if (chosen.score.top_up || at == scored.end()) {
    scored.insert(scored.begin(), chosen);
    return;
  }
  at->score = chosen.score;
  std::rotate(scored.begin(), at, at + 1);
}

std::vector<ScoredPoint> with_belief_at(const std::vector<Score>& scores, PoolBelief& belief) {
  std::vector<ScoredPoint> scored;
  for (const Score& score : scores) {
    const Marginals there = belief.marginals_at({{score.point}});
    scored.push_back({score, there.mean(0), there.variance(0)});
  }
  return scored;
}

/// Scores of the pool of one study.
struct Scoring {
  const ScoreArguments& arguments;
  const StudyModel& model;
  const Candidates& candidates;
  PoolBelief& belief;

  // The best point alone: the belief about the other points need not be brought up to date.
  std::vector<ScoredPoint> one_best(const Score& chosen) const { return with_belief_at({chosen}, belief); }

  std::vector<ScoredPoint> batch() const {
    const std::vector<Score> scores = select_batch(belief, model.offer, model.acquisition, candidates,
                                                   *arguments.top, {.threads = arguments.work.threads});
    return with_belief_at(scores, belief);
  }

  std::vector<ScoredPoint> table(const Score& chosen) const {
    return best_first(score_table(belief, model.offer, model.acquisition, candidates,
                                  {.threads = arguments.work.threads, .top = arguments.top}),
                      chosen);
  }

  std::vector<ScoredPoint> best_first(std::vector<ScoredPoint> scored, const Score& chosen) const {
    if (arguments.top || model.acquisition.ranking == Ranking::random)
      put_best_first(scored, with_belief_at({chosen}, belief).front());
    if (arguments.top) scored.resize(std::min(scored.size(), static_cast<std::size_t>(*arguments.top)));
    return scored;
  }
};

ResultTable score_rows(const std::vector<ScoredPoint>& scored, const Study& study, const StudyModel& model,
                       Format format) {
  const bool resumes = study.file().tops_up();
  std::vector<std::string> columns{"id",
                                   "mean",
                                   "variance",
                                   study.is_ladder() ? "alpha" : "level",
                                   "information",
                                   "cost",
                                   "information_per_cost"};
  if (resumes) columns.emplace_back("resume_from");
  ResultTable table(format, columns, ResultTable::Reader::spreadsheet);
  for (const ScoredPoint& one : scored) {
    const Score& score = one.score;
    const Level level = level_of(score, model.offer, model.acquisition);
    std::vector<ResultTable::Cell> row{
        study.pool().id(score.point),
        one.mean,
        one.variance,
        level.alpha ? ResultTable::Cell(*level.alpha) : ResultTable::Cell(level.name),
        score.information,
        score.cost,
        score.information_per_cost()};
    if (resumes && score.top_up)
      row.emplace_back(score.top_up->from);
    else if (resumes)
      row.emplace_back(std::monostate());
    table.add(row);
  }
  return table;
}

// What ask would suggest, as a row of the table: a point of the initial design, say, is not the best by its
// score.
Score score_of(const Suggestion& suggestion, const StudyModel& model, const Candidates& candidates) {
  Score score;
  score.point = suggestion.row;
  score.information = suggestion.information;
  score.cost = suggestion.cost;
  score.value = suggestion.information / suggestion.cost;
  bool offered = false;
  for (std::size_t k = 0; k < model.offer.levels.size(); ++k) {
    const Level& level = model.offer.levels[k];
    if (level.name != suggestion.level.name || level.alpha != suggestion.level.alpha) continue;
    score.level = static_cast<Index>(k);
    offered = true;
  }
  if (!offered && suggestion.level.alpha) score.precision = Precision::of(*suggestion.level.alpha);
  for (const TopUp& one : candidates.top_ups().all())
    if (suggestion.resume_from == one.from && one.level == score.level) score.top_up = one;
  return score;
}

std::string next_in_words(const Study& study, const StudyModel& model, const Suggestion& next,
                          const Candidates& candidates) {
  const std::string& unit = study.file().unit;
  const std::string remaining =
      std::isinf(candidates.remaining()) ? "no limit" : money(candidates.remaining(), unit) + " remain";
  return one_line(fmt::format("Next: ask about {} ({}) at {}, for {}; worth {} {}. Budget: {}.", next.point,
                              inputs_text(study.pool().columns(), next.inputs.data()),
                              describe_in_sentence(next.level), money(next.cost, unit),
                              brief(next.information), model.acquisition.information->unit(), remaining)) +
         (next.resume_from ? fmt::format(" It continues the run of suggestion {}.", *next.resume_from) : "") +
         "\n";
}

// A campaign has a copy that was checked when it was created, and processes of a job read a share each.
void require_undamaged_pool(const LoadedStudy& loaded) {
  const std::filesystem::path& file = loaded.study().file().pool_file;
  if (loaded.campaign() == nullptr && this_job().is_alone() && PoolFile::recognises(file))
    PoolFile::open(file).verify();
}

ExitCode score(const ScoreArguments& arguments, std::ostream& out, std::ostream& log) {
  check_arguments(arguments);
  const PoolWork& work = arguments.work;
  const PoolStorage storage = arguments.is_one_choice() ? work.storage_for_one_choice() : work.storage;
  LoadedStudy loaded(arguments.study, arguments.annotations,
                     {.threads = work.threads,
                      .storage = storage,
                      .tables = tables_read_by(arguments.dialect, log),
                      .learning = {},
                      .plan_seconds = work.plan_seconds},
                     this_job());
  require_undamaged_pool(loaded);
  // With other money than the campaign's it is a question about another ask.
  const std::optional<AskResult> next = arguments.remaining ? std::nullopt : loaded.look_ahead();
  const Study& study = loaded.study();
  const StudyModel& model = loaded.model();
  PoolBelief& belief = loaded.belief();
  const Candidates candidates = loaded.candidates(arguments.remaining);
  require_finite(study, belief);
  loaded.plan(candidates);

  std::optional<Score> chosen =
      Selector(model.offer, model.acquisition, work.threads).choose(belief, candidates);
  if (next && chosen)
    chosen = next->suggestions.empty() ? chosen : score_of(next->suggestions.front(), model, candidates);
  const Scoring scoring{arguments, model, candidates, belief};
  std::vector<ScoredPoint> scored;
  if (chosen)
    scored = arguments.batch             ? scoring.batch()
             : arguments.is_one_choice() ? scoring.one_best(*chosen)
                                         : scoring.table(*chosen);

  if (next && next->suggestions.empty() && chosen)
    write_note(fmt::format("ask would suggest nothing now: {}", next->reason), log);
  write_storage_note(study, work.storage, log);
  write_notes(study, model, belief, log);
  out << score_rows(scored, study, model, arguments.format)
             .document("rows", {{"unit", model.acquisition.information->unit()},
                                {"remaining", json_number(candidates.remaining())}});
  if (!chosen) {
    log << one_line(arguments.study.text() +
                    ": nothing to ask: " + why_nothing(model.offer, model.acquisition, candidates))
        << '\n';
    return ExitCode::finished;
  }
  if (arguments.format == Format::table)
    out << next_in_words(study, model,
                         make_suggestion(*chosen, study.pool(), model.offer, model.acquisition, belief),
                         candidates);
  return ExitCode::done;
}

}  // namespace

void add_score(Program& program) {
  auto [command, arguments] = program.add<ScoreArguments>(
      {.name = "score",
       .help = "Print for every pool point its best level, the information expected and the cost",
       .example = "acuity score wing.toml --annotations known.csv --top 5"},
      score);
  add_study(command, arguments.study);
  add_annotations(command, arguments.annotations);
  add_csv_dialect(command, arguments.dialect);
  command.number("--top", "K", arguments.top, "Only the best K points, best first");
  command.flag("--batch", arguments.batch,
               "With --top: K points to annotate together, each the best given that those before it will be "
               "answered");
  command.number("--remaining", "R", arguments.remaining,
                 "Money that may be spent (default: the budget minus the costs so far)");
  add_pool_work(command, arguments.work);
  add_format(command, arguments.format);
}

}  // namespace acuity
