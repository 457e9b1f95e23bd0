#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/numerics/errors.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/selection/selector.hpp"
#include "acuity/selection/suggestion.hpp"
#include "acuity/study/study.hpp"
#include "commands.hpp"
#include "loaded_study.hpp"
#include "notes.hpp"
#include "numerics/text.hpp"
#include "selection/why_nothing.hpp"
#include "text/level_text.hpp"
#include "text/result_table.hpp"

namespace acuity {

namespace {

// Best first, and the tie rule decides which one that is; `random` always comes in the order drawn.
void put_best_first(std::vector<Score>& scores, const Score& chosen) {
  std::stable_sort(scores.begin(), scores.end(), [](const Score& a, const Score& b) {
    return a.value > b.value || (a.value == b.value && a.order > b.order);
  });
  const auto at =
      std::find_if(scores.begin(), scores.end(), [&](const Score& s) { return s.point == chosen.point; });
  *at = chosen;
  std::rotate(scores.begin(), at, at + 1);
}

std::string next_in_words(const Study& study, const StudyModel& model, const Suggestion& next,
                          const Candidates& candidates) {
  const std::string& unit = study.file().unit;
  std::string inputs;
  for (std::size_t k = 0; k < next.inputs.size() && k < 4; ++k)
    inputs += fmt::format("{}{} = {}", k > 0 ? ", " : "", study.pool().inputs()[k], brief(next.inputs[k]));
  if (next.inputs.size() > 4) inputs += ", ...";
  const std::string left =
      std::isinf(candidates.remaining()) ? "no limit" : money(candidates.remaining(), unit) + " remain";
  return one_line(fmt::format("Next: ask about {} ({}) at {}, for {}; worth {} {}. Budget: {}.", next.point,
                              inputs, describe_in_sentence(next.level), money(next.cost, unit),
                              brief(next.information), model.acquisition.information->unit(), left)) +
         "\n";
}

// Who makes one choice and goes has no use for what a next one could build on; a cache of the processor's has
// room for some of it.
PoolStorage storage_for(const ScoreArguments& arguments) {
  PoolStorage storage = arguments.work.storage;
  const bool one_choice = arguments.top == 1 && !arguments.batch;
  if (one_choice && storage.memory == 0) storage.memory = 2 << 20;
  return storage;
}

}  // namespace

ExitCode score(const ScoreArguments& arguments, std::ostream& out, std::ostream& log) {
  if (arguments.top && *arguments.top < 1)
    throw InputError(fmt::format("--top is {}, must be at least 1", *arguments.top));
  if (arguments.batch && !arguments.top) throw InputError("--batch stands alone, must come with --top K");
  if (arguments.remaining && !(*arguments.remaining >= 0.0))
    throw InputError(fmt::format("--remaining is {}, must be 0 or more", *arguments.remaining));

  const int threads = arguments.work.threads;
  LoadedStudy loaded(arguments.study, arguments.annotations,
                     {.threads = threads, .storage = storage_for(arguments), .learning = {}});
  const Study& study = loaded.study();
  const StudyModel model = loaded.model(threads);
  // In a campaign what is pending is conditioned on, and no candidate.
  Campaign* campaign = loaded.campaign();
  const std::unique_ptr<PoolBelief> own =
      campaign ? nullptr : study.belief(model, storage_for(arguments), threads);
  PoolBelief* const belief = campaign ? &campaign->belief() : own.get();
  Candidates candidates =
      campaign ? campaign->candidates() : study.candidates_after(loaded.annotations(), arguments.remaining);
  if (campaign && arguments.remaining) candidates.set_money(*arguments.remaining, campaign->state().budget());

  require_finite(study, *belief);
  const std::optional<Score> chosen =
      Selector(model.offer, model.acquisition, threads).choose(*belief, candidates);
  std::vector<Score> scores;
  if (chosen && arguments.batch) {
    scores = select_batch(*belief, model.offer, model.acquisition, candidates, *arguments.top,
                          {.threads = threads});
  } else if (chosen && arguments.top == 1) {
    scores = {*chosen};  // the rest of the pool may lag
  } else if (chosen) {
    scores =
        score_pool(belief->marginals(), model.offer, model.acquisition, candidates, {.threads = threads});
    if (arguments.top || model.acquisition.ranking == Ranking::random) put_best_first(scores, *chosen);
    if (arguments.top) scores.resize(std::min(scores.size(), static_cast<std::size_t>(*arguments.top)));
  }
  const bool few = arguments.top == 1 || arguments.batch || scores.empty();
  const Marginals* all = few ? nullptr : &belief->marginals();
  const auto belief_about = [&](Index row) {
    if (all == nullptr) return belief->marginals_at({{row}});
    return Marginals{all->mean.segment(row, 1), all->variance.segment(row, 1)};
  };

  ResultTable table(arguments.format, {"id", "mean", "variance", study.is_ladder() ? "alpha" : "level",
                                       "information", "cost", "information_per_cost"});
  for (const Score& s : scores) {
    const Level level = level_of(s, model.offer, model.acquisition);
    const Marginals there = belief_about(s.point);
    table.add({study.pool().id(s.point), there.mean(0), there.variance(0),
               level.alpha ? ResultTable::Cell(*level.alpha) : ResultTable::Cell(level.name), s.information,
               s.cost, s.information_per_cost()});
  }
  write_storage_note(study, arguments.work.storage, log);
  write_notes(study, model, *belief, log);
  out << table.document("rows", {{"unit", model.acquisition.information->unit()},
                                 {"remaining", json_number(candidates.remaining())}});
  if (!chosen) {
    log << one_line(arguments.study +
                    ": nothing to ask: " + why_nothing(model.offer, model.acquisition, candidates))
        << '\n';
    return ExitCode::finished;
  }
  if (arguments.format == Format::table)
    out << next_in_words(study, model,
                         make_suggestion(*chosen, study.pool(), model.offer, model.acquisition, *belief),
                         candidates);
  return ExitCode::done;
}

}  // namespace acuity
