#include "explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "acuity/acquisition/goal_information.hpp"
#include "acuity/base/errors.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/answer_check.hpp"
#include "campaign/ask_scope.hpp"
#include "campaign/campaign_internals.hpp"
#include "campaign/choose_next.hpp"
#include "campaign/run_failures.hpp"
#include "campaign/state_queries.hpp"
#include "explain/look_ahead.hpp"
#include "explain/market.hpp"
#include "model/pool_means.hpp"
#include "model/structure_text.hpp"
#include "selection/scan_at_price.hpp"
#include "store/worker_name.hpp"
#include "study/sought.hpp"
#include "text/level_text.hpp"
#include "text/number_text.hpp"

namespace acuity {

namespace {

constexpr std::size_t few_levels = 12;

// The best point is sought: each precision that is tried would compare every candidate with every goal point.
bool compares_all_points(const Study& study) {
  const auto& finding = study.file().acquisition.finding;
  return finding && !finding->is_contour();
}

// The precision at which the level would give the information that is needed.
void set_precision_for(const Market& market, const Target& target, Index number, double needed,
                       Explanation::Counterfactual& one) {
  if (target.has_noise())
    one.noise_sd = noise_for(market, number, one.level, needed);
  else
    one.accuracy = accuracy_for(market, number, one.level, needed);
}

// The noises and accuracies of a ladder depend on each other, so they are not varied one by one.
void add_counterfactuals(const Study& study, const StudyModel& model, const Candidates& candidates,
                         const Market& market, Explanation& result) {
  const std::vector<Level>& levels = model.offer.levels;
  const Target& target = *study.file().target;
  std::vector<Index> looked_at(levels.size());
  std::iota(looked_at.begin(), looked_at.end(), 0);
  if (levels.size() > few_levels) looked_at = {0, static_cast<Index>(levels.size()) - 1};
  std::erase_if(looked_at, [&](Index k) { return levels[static_cast<std::size_t>(k)].is_retired; });
  std::vector<Market::Best> best(levels.size());
  double chosen_value = result.chosen.information_per_cost();
  double others_value = 0.0;
  const auto is_chosen = [&](const Level& level) {
    return level.name == result.chosen.level.name && level.alpha == result.chosen.level.alpha;
  };
  for (const Index k : looked_at) {
    const auto at = static_cast<std::size_t>(k);
    best[at] = market.best_at(k, levels[at]);
    if (!is_chosen(levels[at]) && best[at].point >= 0 && candidates.affordable(levels[at].reserved()))
      others_value = std::max(others_value, best[at].information / levels[at].cost);
  }
  const double affordable = candidates.largest_cost();
  const auto rivals_of = [&](Index level) {
    Rivals rivals(model.acquisition.price_weight);
    if (!is_chosen(levels[static_cast<std::size_t>(level)]))
      rivals.add(result.chosen.information, result.chosen.cost);
    for (const Index k : looked_at) {
      const auto at = static_cast<std::size_t>(k);
      if (k != level && !is_chosen(levels[at]) && best[at].point >= 0 &&
          candidates.affordable(levels[at].reserved()))
        rivals.add(best[at].information, levels[at].cost);
    }
    return rivals;
  };
  for (const Index k : looked_at) {
    const auto at = static_cast<std::size_t>(k);
    const bool chosen = is_chosen(levels[at]);
    if (best[at].point < 0 || (chosen && (study.is_ladder() || looked_at.size() == 1))) continue;
    const double rival = chosen ? others_value : chosen_value;
    Explanation::Counterfactual one{.level = levels[at],
                                    .chosen = chosen,
                                    .price = {},
                                    .noise_sd = {},
                                    .accuracy = {},
                                    .point = study.pool().id(best[at].point)};
    double price = rival > 0.0 ? best[at].information / rival : affordable;
    std::optional<double> needed = rival * levels[at].cost;
    if (model.acquisition.has_price_weight()) {
      const Rivals others = rivals_of(k);
      price = others.highest_price(best[at].information, affordable).value_or(0.0);
      needed = others.least_information(levels[at].cost);
    }
    if (best[at].information > 0.0 && std::isfinite(best[at].information) &&
        std::min(price, affordable) > 0.0)
      one.price = std::min(price, affordable);
    if (!study.is_ladder() && !compares_all_points(study) && rival > 0.0 && needed &&
        candidates.affordable(levels[at].reserved())) {
      set_precision_for(market, target, k, *needed, one);
      one.no_noise = !chosen && !one.noise_sd && target.has_noise();
    }
    result.counterfactuals.push_back(std::move(one));
  }
}

// How a point that is not chosen compares with the one that is, and what would make it the choice: a price or
// a precision of this answer alone, so that all other candidates stay as they are.
void add_place_of_point(const Study& study, const StudyModel& model, const Candidates& candidates,
                        const Marginals& belief, const Marginals& there, const Suggestion& next,
                        Explanation& result) {
  result.instead.emplace(Explanation::Instead{.chosen = next});
  if (!result.levels_compete || result.has_failed) return;  // no price makes a point that failed the choice
  const std::vector<Level>& levels = model.offer.levels;
  if (levels.size() > few_levels || model.acquisition.continuous || model.offer.has_failures()) return;
  Rivals rivals(model.acquisition.price_weight);
  rivals.add(next.information, next.cost);
  if (model.acquisition.has_price_weight()) {
    if (model.offer.has_point_costs() || !candidates.top_ups().empty()) return;
    const Market market(model, candidates, belief);
    for (std::size_t k = 0; k < levels.size(); ++k) {
      const Market::Best best = market.best_at(static_cast<Index>(k), levels[k]);
      if (!levels[k].is_retired && best.point >= 0 && candidates.affordable(levels[k].reserved()))
        rivals.add(best.information, levels[k].cost);
    }
  }
  const Market here(model, result.chosen.row, there);
  const double affordable = candidates.largest_cost();
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const auto number = static_cast<Index>(k);
    if (levels[k].is_retired || !candidates.is_open(result.chosen.row, number)) continue;
    const double information = here.best_at(number, levels[k]).information;
    if (!(information > 0.0) || !std::isfinite(information)) continue;
    const double cost =
        model.offer.has_point_costs() ? model.offer.cost(result.chosen.row, number) : levels[k].cost;
    Explanation::Counterfactual one{.level = levels[k],
                                    .price = {},
                                    .noise_sd = {},
                                    .accuracy = {},
                                    .point = result.chosen.point,
                                    .here_only = true};
    const bool by_ratio = !model.acquisition.has_price_weight();
    const std::optional<double> price = by_ratio ? std::optional(information / next.information_per_cost())
                                                 : rivals.highest_price(information, affordable);
    if (price && *price > 0.0) one.price = std::min(*price, affordable);
    const std::optional<double> needed =
        by_ratio ? std::optional(next.information_per_cost() * cost) : rivals.least_information(cost);
    if (!study.is_ladder() && needed && candidates.affordable(std::max(cost, levels[k].reserve))) {
      set_precision_for(here, *study.file().target, number, *needed, one);
    }
    result.counterfactuals.push_back(std::move(one));
  }
}

void add_levels(const StudyModel& model, const Candidates& candidates, const Marginals& there,
                Explanation& result) {
  Offer here{.levels = model.offer.levels,
             .base_noise = Vector::Constant(1, model.offer.base_noise(result.chosen.row))};
  const auto is_chosen = [&](const Level& level) {
    return level.name == result.chosen.level.name && level.alpha == result.chosen.level.alpha;
  };
  // A precision between the ends of a ladder.
  if (std::none_of(here.levels.begin(), here.levels.end(), is_chosen))
    here.levels.push_back(result.chosen.level);
  std::vector<Index> all(here.levels.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> worth(all.size());
  model.acquisition.information->worth(there, here, 0, 1, all, worth.data());
  const bool by_point = model.offer.has_point_costs();
  const auto cost_there = [&](std::size_t k) {
    return by_point ? model.offer.cost(result.chosen.row, static_cast<Index>(k)) : here.levels[k].cost;
  };
  const auto reserved_there = [&](std::size_t k) {
    return by_point ? model.offer.reserved(result.chosen.row, static_cast<Index>(k))
                    : here.levels[k].reserved();
  };
  for (std::size_t k = 0; k < all.size(); ++k)
    result.levels.push_back({.level = here.levels[k],
                             .information = worth[k],
                             .cost = cost_there(k),
                             .affordable = !here.levels[k].is_retired &&
                                           candidates.affordable(reserved_there(k)) &&
                                           candidates.is_open(result.chosen.row, static_cast<Index>(k)),
                             .chosen = is_chosen(here.levels[k])});
  if (result.chosen.resume_from)
    for (Explanation::LevelMerit& one : result.levels)
      if (one.chosen)
        one.information = result.chosen.information, one.cost = result.chosen.cost, one.affordable = true;
  std::stable_sort(result.levels.begin(), result.levels.end(),
                   [](const auto& a, const auto& b) { return a.per_cost() > b.per_cost(); });
}

// The level with the noise of the model; the given one if it is not one of the offer's.
Level level_in(const Offer& offer, const Level& level) {
  for (const Level& one : offer.levels)
    if (one.name == level.name && one.alpha == level.alpha) return one;
  return level;
}

std::shared_ptr<const Information> accuracy_information() {
  return std::make_shared<GoalInformation>(GoalCriterion::variance);
}

// Whether the log says that this choice was for accuracy over the goal.
bool is_to_explore(const Study& study, const State& state, const Suggestion& chosen) {
  if (chosen.audit || in_initial_phase(study, state)) return false;
  const std::optional<Exploration> exploration = exploration_of(study, state);
  return exploration && exploration->is_due();
}

// What the answer is worth at a point that is the only one of `there`.
double worth_there(const StudyModel& model, const Marginals& there, const Channel& channel) {
  const Offer here{.levels = {{.name = {}, .alpha = {}, .channel = channel, .value = {}}},
                   .base_noise = PointValues::constant(1, 0.0)};
  const std::vector<Index> only_level{0};
  double worth = 0.0;
  model.acquisition.information->worth(there, here, 0, 1, only_level, &worth);
  return worth;
}

// What the belief about the point alone tells. The channel is made again: one from the log has no bias.
void add_there(const Study& study, const StudyModel& model, const Candidates& candidates,
               const Marginals& there, const std::optional<Channel>& added, Explanation& result) {
  const Channel channel = added.value_or(
      channel_at(level_in(model.offer, result.chosen.level), model.offer.base_noise(result.chosen.row)));
  if (result.explores) result.chosen.information = worth_there(model, there, channel);
  add_levels(model, candidates, there, result);
  result.goal = explain_goal(study, model, there, channel);
  result.bias = bias_there(there, channel);
}

// What a run that is continued adds, as the channel of an independent answer.
std::optional<Channel> added_by_continuing(const Study& study, const StudyModel& model, const State& state,
                                           const Suggestion& chosen) {
  if (!chosen.resume_from) return std::nullopt;
  SuggestionRecord pending{.asked = {}, .told = {}, .values = {}, .reason = {}};
  pending.asked.row = chosen.row;
  pending.asked.level = chosen.level.name;
  pending.asked.replaces = chosen.resume_from;
  return pending_channel(study, model, state, pending);
}

void add_neighbours(const Study& study, const State& state, const Prior& prior, Explanation& result) {
  const auto* kernel = dynamic_cast<const StationaryKernel*>(prior.kernel.get());
  if (kernel == nullptr) return;
  const Index inputs = study.pool().points().cols();
  const Vector inverse = kernel->inverse_lengthscales(inputs);
  const auto scaled = [&](const double* x) -> Vector {
    return prior.scaling.apply(Eigen::Map<const Points>(x, 1, inputs)).row(0).transpose();
  };
  const Vector here = scaled(study.pool().point(result.chosen.row));
  const double* place = study.pool().point(result.chosen.row);
  const auto where = [&](const double* x) -> std::string {
    const Vector apart = (scaled(x) - here).cwiseProduct(inverse).cwiseAbs();
    Index most = 0;
    for (Index k = 0; k < inputs; ++k) {
      const Input& input = study.pool().columns()[static_cast<std::size_t>(k)];
      if (input.is_category() && x[k] != place[k]) return "another " + input.name;
      if (apart(k) > apart(most)) most = k;
    }
    if (x[most] == place[most]) return "";
    const Input& input = study.pool().columns()[static_cast<std::size_t>(most)];
    return fmt::format("{}{} in {}", brief(std::abs(x[most] - place[most]), 2),
                       input.unit.empty() ? "" : " " + input.unit, input.name);
  };
  // Different categories are as far apart as numbers whose rbf covariance is their similarity.
  const auto distance_to = [&](const double* x) {
    const Vector there = scaled(x);
    double squared = (there - here).cwiseProduct(inverse).squaredNorm();
    for (const CategoryFactor& category : kernel->options().categories)
      if (there(category.input) != here(category.input)) squared += 2.0 / category.lengthscale;
    return std::sqrt(squared);
  };
  for (const std::int64_t id : state.answered()) {
    const SuggestionRecord& record = *state.find(id);
    const double* x = record.row() >= 0 ? study.pool().point(record.row()) : record.told->inputs->data();
    result.nearest.push_back({.id = id,
                              .point = record.row() >= 0 ? study.pool().id(record.row()) : std::string(),
                              .level = describe(record.level(), record.alpha()),
                              .y = record.values.front(),
                              .distance = distance_to(x),
                              .where = where(x)});
  }
  std::stable_sort(result.nearest.begin(), result.nearest.end(),
                   [](const auto& a, const auto& b) { return a.distance < b.distance; });
  result.nearest.resize(std::min<std::size_t>(3, result.nearest.size()));
}

void add_pool(const Marginals& marginals, const std::vector<Index>& open, Explanation& result) {
  std::vector<double> variances;
  for (const Index row : open) variances.push_back(marginals.variance(row));
  result.candidates = static_cast<Index>(variances.size());
  if (variances.empty()) return;
  const double here = marginals.variance(result.chosen.row);
  const auto less = std::count_if(variances.begin(), variances.end(), [&](double v) { return v < here; });
  result.more_certain = static_cast<double>(less) / static_cast<double>(variances.size());
  const auto middle = variances.begin() + static_cast<std::ptrdiff_t>(variances.size() / 2);
  std::nth_element(variances.begin(), middle, variances.end());
  result.median_sd = std::sqrt(std::max(0.0, *middle));
}

// The largest share by which the answer lowers the standard deviation of several other points, or of one.
Explanation::Reach reach_of(const Vector& before, const Vector& after, Index row) {
  Explanation::Reach found;
  for (const Index least : {5, 1})
    for (const double share : {0.5, 0.25, 0.1}) {
      Index points = 0;
      for (Index i = 0; i < before.size(); ++i)
        if (i != row && before(i) > 0.0 && after(i) <= (1.0 - share) * (1.0 - share) * before(i)) ++points;
      if (points >= least) return {points, share};
    }
  return found;
}

// Nothing while choices do not count with runs that fail.
std::optional<double> success_of(const Study& study, const StudyModel& model, const Suggestion& chosen) {
  if (!model.offer.has_failures()) return std::nullopt;
  const std::optional<Index> level =
      chosen.level.alpha ? study.find_level(*chosen.level.alpha) : study.find_level(chosen.level.name);
  if (!level) return std::nullopt;
  return model.offer.success[static_cast<std::size_t>(*level)].probability(chosen.row);
}

bool is_choice(const Score& score, const StudyModel& model, const Suggestion& chosen) {
  const Level level = level_of(score, model.offer, model.acquisition);
  return score.point == chosen.row && level.name == chosen.level.name &&
         (score.precision || level.alpha == chosen.level.alpha);
}

// What the ask could be given, as ChoiceRound finds it. Points that failed come last.
std::optional<Score> choice_among(const RoundCandidates& round, const StudyModel& model,
                                  CampaignBelief& belief) {
  Selector selector(model.offer, model.acquisition, belief.threads());
  const std::optional<Score> best = selector.choose(belief.belief(), round.first());
  if (best || !round.has_failed_points()) return best;
  return Selector(model.offer, model.acquisition, belief.threads()).choose(belief.belief(), round.all());
}

std::string name_in_ask(const Level& level) {
  return level.alpha ? (std::isinf(*level.alpha) ? "inf" : fmt::format("{}", *level.alpha)) : level.name;
}

// The person's own accuracies, if they are learned.
StudyModel model_for(const Study& study, const StudyModel& model, const std::string& worker) {
  StudyModel own = model;
  if (is_person(worker) && own.learned && own.learned->accuracies)
    own.offer = StudyLearner(study).offer_to(worker, own);
  return own;
}

// `next`: what is chosen instead, if it is not `chosen` that is to be explained but why it is not chosen.
Explanation explain_either(const Study& study, const State& state, CampaignBelief& belief,
                           const Suggestion& chosen, const Suggestion* next, const std::string& worker) {
  belief.follow(state);
  StudyModel model = model_for(study, belief.model(), worker);
  const bool explores = next == nullptr && is_to_explore(study, state, chosen);
  if (explores) model.acquisition.information = accuracy_information();
  Candidates open = belief.candidates(state);
  add_top_ups(study, state, model, open);
  Explanation result;
  result.chosen = chosen;
  result.unit = model.acquisition.information->unit();
  result.explores = explores;
  result.sought = study.file().chosen_for() != nullptr ? sought_in_words(study.file()) : "";
  result.in_audit = chosen.audit;
  result.in_design = !result.in_audit && (in_initial_phase(study, state) ||
                                          !(study.file().knows_scale() || model.learned.has_value()));
  result.is_drawn = result.in_audit || result.in_design || model.acquisition.ranking == Ranking::random;
  result.levels_compete = !model.acquisition.finest_only() && !result.in_design && !result.in_audit;
  result.remaining = open.remaining();
  result.pending = state.pending();
  result.has_failed = RunFailures(study, state).waiting().contains(chosen.row);
  result.success = success_of(study, model, chosen);

  const AskScope of_person(study, state, {.worker = worker});
  const RoundCandidates round(open, state, of_person);
  if (of_person.is_restricted()) result.allowed = Explanation::Allowed::of_person;
  std::optional<Score> best;
  if (next == nullptr && result.levels_compete) best = choice_among(round, model, belief);
  // The scope of one level outlives the candidates that it restricts.
  std::optional<AskScope> of_level;
  std::optional<RoundCandidates> at_level;
  if (best && !is_choice(*best, model, chosen)) {
    result.better = fmt::format("point {} at {}", study.pool().id(best->point),
                                describe_in_sentence(level_of(*best, model.offer, model.acquisition)));
    result.allowed = Explanation::Allowed::fewer;
    if (!model.acquisition.continuous) {
      of_level.emplace(study, state, AskOptions{.worker = worker, .level = name_in_ask(chosen.level)});
      at_level.emplace(open, state, *of_level);
      const std::optional<Score> best_there = choice_among(*at_level, model, belief);
      if (best_there && is_choice(*best_there, model, chosen))
        result.allowed = Explanation::Allowed::one_level;
    }
  }
  const RoundCandidates& given = result.allowed == Explanation::Allowed::one_level ? *at_level : round;
  // A point that failed is chosen only if there was nothing else.
  const Candidates& candidates = result.has_failed && next == nullptr ? given.all() : given.first();

  const Marginals before = belief.belief().marginals();  // a copy, because the belief changes below
  const Market market(model, candidates, before);
  add_pool(before, market.open_points(), result);
  const std::optional<Channel> added = added_by_continuing(study, model, state, chosen);
  if (chosen.resume_from) result.continued = state.find(*chosen.resume_from)->asked;
  add_there(study, model, given.all(), belief.belief().marginals_at({{chosen.row}}), added, result);
  if (result.levels_compete) {
    result.shadow_price = shadow_price(before, model.offer, model.acquisition, candidates);
    result.plan = state.planned();
  }
  // Runs that may be continued are rivals with prices of their own, and where costs depend on the inputs or
  // runs may fail there is not one price per level.
  if (next != nullptr)
    add_place_of_point(study, model, candidates, before, belief.belief().marginals_at({{chosen.row}}), *next,
                       result);
  else if (result.levels_compete && result.better.empty() && candidates.top_ups().empty() &&
           !model.offer.differs_by_point())
    add_counterfactuals(study, model, candidates, market, result);
  add_neighbours(study, state, model.prior, result);
  if (model.learned) result.structure = structure_text(model.learned->structures);
  result.reported_cost = reported_costs(study, state);
  result.reported_noise = reported_noise(study, model, annotations_of(study, state));
  result.pool_sd_before = mean_standard_deviation(belief.belief());
  const Annotation asked =
      study.annotation(chosen.row, study.offer().base_noise(chosen.row),
                       level_of(study, chosen.level.name, chosen.level.alpha), 0.0, chosen.cost);
  belief.expect(chosen.id, asked.place, added.value_or(StudyLearner(study).expected_channel(asked, model)),
                asked.level.value_or(-1));
  result.sd_after = std::sqrt(std::max(0.0, belief.belief().marginals_at({{chosen.row}}).variance(0)));
  result.pool_sd_after = mean_standard_deviation(belief.belief());
  result.reach = reach_of(before.variance, belief.belief().marginals().variance, chosen.row);
  return result;
}

// Why a point is no candidate; it is closed.
std::string why_closed(const State& state, const std::string& point, Index row) {
  for (auto one = state.suggestions().rbegin(); one != state.suggestions().rend(); ++one) {
    if (one->row() != row) continue;
    if (one->status == SuggestionStatus::pending)
      return fmt::format("point \"{}\" is pending (suggestion {})", point, one->asked.id);
    if (!one->values.empty())
      return fmt::format("point \"{}\" was answered (annotation {})", point, one->asked.id);
  }
  for (const Excluded& one : state.excluded())
    if (one.row == row)
      return fmt::format("point \"{}\" is excluded{}", point, one.reason.empty() ? "" : ": " + one.reason);
  return fmt::format("point \"{}\" is closed", point);
}

}  // namespace

Explanation explain(const Study& study, const State& state, CampaignBelief& belief, const Suggestion& chosen,
                    const std::string& worker) {
  return explain_either(study, state, belief, chosen, nullptr, worker);
}

Explanation explain_point(const Study& study, const State& state, CampaignBelief& belief,
                          const AskResult& next, const std::string& point) {
  const std::optional<Index> row = study.pool().find(point);
  if (!row)
    throw InputError(
        fmt::format("no pool point is called \"{}\", must be one of the pool", printable(point, 80)));
  const Suggestion* chosen = next.suggestions.empty() ? nullptr : &next.suggestions.front();
  if (chosen != nullptr && chosen->row == *row) return explain(study, state, belief, *chosen);
  belief.follow(state);
  const StudyModel& model = belief.model();
  const Candidates candidates = belief.candidates(state);
  if (!candidates.is_open(*row))
    throw InputError(why_closed(state, printable(point, 80), *row) + ", and cannot be asked about");
  if (chosen == nullptr)
    throw InputError(fmt::format(
        "nothing would be asked for now, so that there is nothing to compare with: {}", next.reason));
  const Marginals& marginals = belief.belief().marginals();
  const std::vector<Score> scores =
      score_pool(marginals, model.offer, model.acquisition, candidates, {.threads = belief.threads()});
  const auto own =
      std::find_if(scores.begin(), scores.end(), [&](const Score& one) { return one.point == *row; });
  if (own == scores.end())
    throw InputError(
        fmt::format("point \"{}\" has no level that is open and can be paid for", printable(point, 80)));
  const Suggestion suggestion =
      make_suggestion(*own, study.pool(), model.offer, model.acquisition, belief.belief());
  // Points that failed come last, whatever they are worth, unless failures are learned.
  const std::set<Index> waiting = RunFailures(study, state).waiting();
  const bool has_failed = waiting.contains(*row);
  const auto rank = std::count_if(scores.begin(), scores.end(), [&](const Score& one) {
    const bool other_failed = waiting.contains(one.point);
    return other_failed == has_failed ? precedes(one, *own) : has_failed;
  });
  Explanation result = explain_either(study, state, belief, suggestion, chosen, {});
  result.instead->rank = static_cast<Index>(rank) + 1;
  belief.take_back();
  return result;
}

Explanation explain_point(const Campaign& campaign, const std::string& point, int threads) {
  LookAhead ahead = look_ahead(campaign, {.threads = threads});
  CampaignBelief& belief = CampaignInternals::belief(ahead.campaign);
  return explain_point(ahead.campaign.study(), ahead.campaign.state(), belief, ahead.next, point);
}

Explanation explain(const Campaign& campaign, std::int64_t id, int threads) {
  State before;
  for (const StoredEvent& stored : campaign.events()) {
    const auto* asked = std::get_if<Asked>(&stored.event);
    if (asked == nullptr || asked->id != id) {
      if (const auto* told = std::get_if<Told>(&stored.event); told && told->unasked && told->id == id)
        throw InputError(fmt::format("{}: answer {} was not asked for, and was never chosen",
                                     campaign.address().text(), id));
      before.apply(stored);
      continue;
    }
    if (asked->worker == worker_name::initial || asked->row < 0)
      throw InputError(
          fmt::format("{}: suggestion {} was known before the campaign was created, and was never chosen",
                      campaign.address().text(), id));
    CampaignBelief belief(campaign.study(), threads, {});
    return explain(campaign.study(), before, belief, suggestion_of(campaign.study(), *asked), asked->worker);
  }
  throw InputError(campaign.address().text() + ": " + no_such_suggestion(before, id));
}

NextExplanation explain_next(const Campaign& campaign, int threads) {
  LookAhead ahead = look_ahead(campaign, {.threads = threads});
  NextExplanation next;
  next.result = ahead.next;
  if (next.result.suggestions.empty()) return next;
  CampaignBelief& belief = CampaignInternals::belief(ahead.campaign);
  next.explanation =
      explain(ahead.campaign.study(), ahead.campaign.state(), belief, next.result.suggestions.front());
  return next;
}

}  // namespace acuity
