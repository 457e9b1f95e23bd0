#include "campaign/gold_questions.hpp"

#include <algorithm>
#include <set>

#include "campaign/ask_scope.hpp"
#include "numerics/random.hpp"
#include "selection/select_among.hpp"

namespace acuity {

GoldQuestions::GoldQuestions(const Study& study, const State& state, const AskOptions& options)
    : study_(study) {
  const std::string& worker = options.worker;
  if (study.gold().empty() || !is_person(worker)) return;
  for (const char c : worker) name_ = (name_ ^ static_cast<unsigned char>(c)) * 16777619U;
  for (const SuggestionRecord& one : state.suggestions())
    if (one.asked.worker == worker) ++asked_;
  std::set<Index> had = rows_of_worker(worker, state);
  had.insert(options.avoid.begin(), options.avoid.end());
  for (const GoldItem& item : study.gold())
    if (!had.contains(item.row)) left_.push_back(item.row);
  const auto key = [seed = study.file().seed, name = name_](Index row) {
    return numerics::draw_key(seed, numerics::Purpose::gold, name, static_cast<std::uint64_t>(row));
  };
  std::sort(left_.begin(), left_.end(), [&key](Index a, Index b) { return key(a) > key(b); });
}

std::optional<Index> GoldQuestions::next() {
  const std::uint32_t question = asked_++;
  if (left_.empty()) return std::nullopt;
  numerics::Draws draws(study_.file().seed, numerics::Purpose::gold, name_, question);
  if (draws.uniform() >= study_.file().people.gold_rate) return std::nullopt;
  const Index row = left_.back();
  left_.pop_back();
  return row;
}

Suggestion suggestion_of_row(const Study& study, const StudyModel& model, PoolBelief& belief,
                             const Score& instead_of, Index row) {
  Score score = instead_of;
  score.point = row;
  score.top_up.reset();
  if (!score.precision) {
    score.cost = model.offer.cost(row, score.level);
    const std::vector<Index> rows{row};
    Acquisition acquisition = model.acquisition;
    acquisition.ranking = Ranking::information_per_cost;
    acquisition.continuous.reset();
    acquisition.only_level = score.level;
    const Candidates everything(model.offer, {.held = PoolShard{.first = 0, .rows = 0, .whole = 0}});
    if (const auto scored =
            select_among(rows, belief.marginals_at(rows), model.offer.at(rows), acquisition, everything))
      score.information = scored->information;
  }
  return make_suggestion(score, study.pool(), model.offer, model.acquisition, belief);
}

}  // namespace acuity
