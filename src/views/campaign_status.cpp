#include "views/campaign_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/selection/candidates.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "campaign/audit.hpp"
#include "campaign/reported_cost.hpp"
#include "campaign/state_queries.hpp"
#include "judgement/audit_verdict.hpp"
#include "judgement/calibration_verdict.hpp"
#include "judgement/failing_runs.hpp"
#include "judgement/level_biases.hpp"
#include "judgement/level_offsets.hpp"
#include "judgement/purchase_certificate.hpp"
#include "judgement/sought_report.hpp"
#include "judgement/typical_error.hpp"
#include "judgement/verdict_parts.hpp"
#include "model/structure_text.hpp"
#include "store/owner.hpp"
#include "study/reported_noise.hpp"
#include "study/sought.hpp"
#include "study/target_view.hpp"
#include "text/duration.hpp"
#include "text/level_text.hpp"
#include "text/number_text.hpp"
#include "views/campaign_text.hpp"
#include "views/plan_text.hpp"
#include "views/reported_cost_json.hpp"
#include "views/reported_noise_json.hpp"
#include "views/structures_json.hpp"

namespace acuity {

namespace {

struct LevelSpend {
  std::int64_t annotations = 0;
  double spent = 0.0;
};

std::string level_text(const SuggestionRecord& record) {
  const std::string name = describe(record.level(), record.alpha());
  return name.empty() ? "reported" : name;
}

// By level, in the order of the study; precisions of a ladder ascending, then reported ones. The costs of
// failed attempts come last, so that the table adds up.
std::vector<std::pair<std::string, LevelSpend>> spend_by_level(const Study& study, const State& state) {
  struct Bought {
    std::pair<std::size_t, double> place;
    std::pair<std::string, LevelSpend> level;
  };
  const std::vector<Level>& offered = study.offer().levels;
  const auto place_of = [&](const SuggestionRecord& record) {
    const auto found = std::find_if(offered.begin(), offered.end(), [&](const Level& level) {
      return !record.alpha() && level.name == record.level();
    });
    return std::pair(static_cast<std::size_t>(found - offered.begin()), record.alpha().value_or(HUGE_VAL));
  };
  std::vector<Bought> bought;
  double lost = 0.0;
  for (const SuggestionRecord& record : state.suggestions()) {
    if (!record.told) {
      lost += record.charged;
      continue;
    }
    const std::string name = level_text(record);
    auto found = std::find_if(bought.begin(), bought.end(),
                              [&](const Bought& one) { return one.level.first == name; });
    if (found == bought.end()) found = bought.insert(bought.end(), {place_of(record), {name, {}}});
    LevelSpend& spend = found->level.second;
    if (!record.asked.gold) spend.annotations += static_cast<std::int64_t>(record.values.size());
    spend.spent += record.charged;
  }
  std::stable_sort(bought.begin(), bought.end(),
                   [](const Bought& a, const Bought& b) { return a.place < b.place; });
  std::vector<std::pair<std::string, LevelSpend>> levels;
  for (Bought& one : bought) levels.push_back(std::move(one.level));
  if (lost > 0.0) levels.push_back({"(failed)", {.annotations = 0, .spent = lost}});
  return levels;
}

std::string budget_bar(const State& state) {
  constexpr int width = 30;
  const auto share = [&](double amount) {
    const double part = state.budget() > 0.0 ? amount / state.budget() : 1.0;  // a budget of 0 is spent
    return static_cast<int>(std::clamp(part, 0.0, 1.0) * width);
  };
  const int spent = share(state.spent()), held = share(state.spent() + state.escrow()) - spent;
  return fmt::format("[{}{}{}]", std::string(static_cast<std::size_t>(spent), '#'),
                     std::string(static_cast<std::size_t>(held), '-'),
                     std::string(static_cast<std::size_t>(width - spent - held), '.'));
}

std::string changes_text(const State& state) {
  std::string text;
  for (const State::Change& change : state.changes())
    for (const std::string& words : change.words)
      text += time_text(change.time) + " " + one_line(words) + "\n";
  return text.empty() ? "" : "\nchanges of the study\n" + text;
}

Json changes_json(const State& state) {
  Json list = Json::array();
  for (const State::Change& change : state.changes())
    list.push_back({{"time", time_text(change.time)},
                    {"annotations", change.annotations},
                    {"spent", json_number(change.spent)},
                    {"changes", change.words}});
  return list;
}

std::string money_lines(const State& state) {
  const std::string unit = state.created().unit;
  if (!std::isfinite(state.budget()))
    return fmt::format("money: {} spent, {} reserved, no budget\n", money(state.spent(), unit),
                       amount(state.escrow()));
  std::string text = fmt::format("money: {} {} of {} spent, {} reserved, {} free\n", budget_bar(state),
                                 amount(state.spent()), money(state.budget(), unit), amount(state.escrow()),
                                 amount(free_money(state)));
  if (state.spent() + state.escrow() > state.budget() + budget_slack(state.budget()))
    text += fmt::format("OVERRUN by {}: answers have cost more than was reserved for them\n",
                        money(state.spent() + state.escrow() - state.budget(), unit));
  return text;
}

// "answers: 42 (12 good, 30 rough), 3 pending, 1 failed"
std::string counts_line(const Study& study, const State& state) {
  constexpr std::size_t most_levels = 5;
  std::vector<std::string> by_level;
  for (const auto& [name, spend] : spend_by_level(study, state))
    if (spend.annotations > 0) by_level.push_back(fmt::format("{} {}", spend.annotations, one_line(name)));
  std::string text = fmt::format("answers: {}", state.annotations());
  if (!by_level.empty() && by_level.size() <= most_levels)
    text += fmt::format(" ({})", fmt::join(by_level, ", "));
  text += fmt::format(", {} pending", state.pending().size());
  if (state.failed() > 0) text += fmt::format(", {} failed", state.failed());
  if (!state.excluded().empty()) text += fmt::format(", {} excluded", state.excluded().size());
  return text + "\n";
}

std::string failing_line(const Study& study, const State& state, const StudyModel& model) {
  const std::string text = to_text(failing_runs(study, state, model));
  return text.empty() ? "" : "runs: " + text + "\n";
}

Json failing_json(const FailingRuns& failing) {
  return {{"count", failing.count},
          {"active", failing.active},
          {"share", failing.share ? json_number(*failing.share) : Json()}};
}

std::string levels_text(const Study& study, const State& state) {
  const auto levels = spend_by_level(study, state);
  if (levels.empty()) return "";
  ResultTable table(Format::table, {"level", "annotations", "spent"});
  for (const auto& [name, spend] : levels) table.add({name, spend.annotations, spend.spent});
  return "\n" + table.text();
}

// The number to read first, and how far it can be believed.
std::string error_lines(const Campaign& campaign, const CalibrationVerdict& verdict, StatusExtent extent) {
  const Study& study = campaign.study();
  const State& state = campaign.state();
  if (state.annotations() == 0) return "";
  const auto error = typical_error(campaign, error_factor(verdict));
  const std::string first = fmt::format(
      "error: {}\n", error ? to_text(*error, *study.file().target)
                           : fmt::format("cannot be told from {}", counted(state.annotations(), "answer")));
  if (extent == StatusExtent::details) return first + one_line(verdict.text()) + "\n";
  const std::string judged = TargetView::of(*study.file().target)->judged();
  return first + fmt::format("{}: {}\n", judged, one_line(finding_of(verdict)));
}

// Only `ask` learns, and a campaign that is finished is not asked any more.
std::string unlearned_line(const Campaign& campaign) {
  const State& state = campaign.state();
  if (state.fitted() || state.fits() == 0) return "";
  return fmt::format("model: not learned again since the study was changed; acuity ask {} learns it\n",
                     one_line(campaign.address().argument()));
}

std::string audit_line(const Study& study, const State& state) {
  const std::string text = audit_text(study, state);
  return text.empty() ? "" : "audit: " + text + "\n";
}

Json audit_json(const Study& study, const State& state) {
  const AuditProgress progress = audit_progress(study, state);
  const Level& level = study.offer().levels[static_cast<std::size_t>(audit_level(study))];
  Json json{{"answers", progress.wanted},
            {"told", progress.told + progress.done},
            {"pending", progress.pending},
            {"complete", state.audited().has_value()},
            {"level", json_value(level_cell(level.name, level.alpha))},
            {"reserved", json_number(audit_reserve(study, state))}};
  const std::optional<AuditResult> result = audit_result(study, state);
  const Target& target = *study.file().target;
  const auto value = [&](double error) { return json_number(typical_error_value(error, target)); };
  json["error"] = result ? value(result->error) : Json();
  json["error_low"] = result ? value(result->low) : Json();
  json["error_high"] = result ? value(result->high) : Json();
  return json;
}

std::string leave_one_out_line(const Study& study, const CampaignModel& model) {
  constexpr Index fewest = 3;
  if (model.observations().size() < fewest) return "";
  return fmt::format("leave-one-out error of the answers, their noise included: {}\n",
                     TargetView::of(*study.file().target)
                         ->error_text(model.posterior().leave_one_out_error().actual, std::nullopt));
}

// What an answer costs: "1 core hour", "1 to 8 core hours".
std::string price_text(const Study& study) {
  double least = HUGE_VAL, most = 0.0;
  for (const Level& level : study.offer().levels) {
    least = std::min(least, level.cost);
    most = std::max(most, level.cost);
  }
  const std::string& unit = study.file().unit;
  return least == most ? money(least, unit) : fmt::format("{} to {}", amount(least), money(most, unit));
}

// True if an answer somewhere can still be paid for.
bool can_pay(const Study& study, const State& state) {
  const double left = state.free() + budget_slack(state.budget());
  for (Index level = 0; level < static_cast<Index>(study.offer().levels.size()); ++level)
    if (study.offer().least_reserved(level) <= left) return true;
  return false;
}

// What to type next, if there is something that works in this state.
std::string next_line(const Campaign& campaign) {
  const State& state = campaign.state();
  const Study& study = campaign.study();
  const std::string address = one_line(campaign.address().argument());
  const bool is_pending = !state.pending().empty();
  if (!state.owner().host.empty() && may_be_alive(state.owner()))
    return fmt::format("running: process {} on {}, since {}\n", state.owner().process,
                       one_line(state.owner().host), time_text(state.owner_since()));
  const bool was_left = !state.owner().host.empty();
  const Candidates candidates = candidates_of(study, state);
  const bool is_sold_out = !candidates.any_open() && candidates.top_ups().empty();
  if (!is_pending && !can_pay(study, state))
    return fmt::format("finished: {}\n", end_text(state, "no level is affordable"));
  if (!is_pending && is_sold_out) return "finished: every pool point is annotated or excluded\n";
  if (study.file().annotator.kind != AnnotatorSetting::Kind::none)
    return fmt::format("{}: acuity run {}\n", was_left ? "interrupted, to continue" : "to continue", address);
  if (is_pending)
    return fmt::format("to record an answer: acuity tell {} {} Y\n", address, state.pending().front());
  return fmt::format("to continue: acuity ask {} (an answer costs {})\n", address, price_text(study));
}

std::string pending_text(const State& state) {
  if (state.pending().empty()) return "";
  ResultTable table(Format::table, {"pending", "point", "level", "cost", "worker", "asked", "lease"});
  for (const std::int64_t id : state.pending()) {
    const SuggestionRecord& record = *state.find(id);
    const auto& lease = record.asked.lease_until;
    table.add({id, record.asked.point, level_text(record), record.asked.cost, record.asked.worker,
               in_words(std::max(0.0, std::round(now() - record.asked_at))) + " ago",
               !lease            ? std::string("no deadline")
               : *lease <= now() ? std::string("ended")
                                 : in_words(*lease - now()) + " left"});
  }
  return "\n" + table.text();
}

std::string offset_line(const LevelOffset& offset) {
  return fmt::format("{}{}\n", one_line(to_text(offset)), offset.is_unexplained() ? ": MORE THAN NOISE" : "");
}

std::string unexplained_text(const Campaign& campaign) {
  std::string text;
  for (const LevelOffset& offset : level_offsets(campaign.study(), campaign.state()))
    if (offset.is_unexplained()) text += offset_line(offset);
  return text;
}

std::string offsets_text(const Campaign& campaign) {
  std::string text;
  for (const LevelOffset& offset : level_offsets(campaign.study(), campaign.state()))
    text += offset_line(offset);
  return text.empty() ? "" : "\ndifferences between levels at the same points\n" + text;
}

std::string biases_text(const Campaign& campaign) {
  const Study& study = campaign.study();
  if (!study.file().has_bias() || campaign.state().annotations() == 0) return "";
  const StudyModel model = campaign.model();
  std::string text = "\nbias of the levels\n";
  for (const EstimatedBias& bias : level_biases(study, model)) {
    text += one_line(to_text(bias)) + "\n";
    if (const std::string useless = useless_text(bias); !useless.empty()) text += one_line(useless) + "\n";
  }
  for (const std::string& warning : {assumption_text(study, model), undeclared_noise_text(study, model)})
    if (!warning.empty()) text += one_line(warning) + "\n";
  return text;
}

std::string last_answers_text(const Campaign& campaign) {
  const State& state = campaign.state();
  if (state.answered().empty()) return "";
  ResultTable table(Format::table, {"last answers", "point", "level",
                                    campaign.study().file().target->title_or("y"), "cost", "when"});
  const std::size_t first = state.answered().size() - std::min<std::size_t>(5, state.answered().size());
  for (std::size_t k = first; k < state.answered().size(); ++k) {
    const SuggestionRecord& record = *state.find(state.answered()[k]);
    table.add({record.asked.id,
               record.row() < 0 ? std::string("elsewhere") : campaign.study().pool().id(record.row()),
               level_text(record), answer_cell(campaign.study(), record.values), record.charged,
               time_text(record.told_at)});
  }
  return "\n" + table.text();
}

std::string plan_text(const Campaign& campaign) {
  const State& state = campaign.state();
  std::string text;
  if (const std::string plan = acuity::plan_text(campaign.study(), state); !plan.empty())
    text += one_line(plan) + "\n";
  if (const auto certificate = purchase_certificate(campaign.study(), state))
    text += one_line(to_text(*certificate)) + "\n";
  return text.empty() ? "" : "\nplan of the budget\n" + text;
}

Json plan_json(const State& state) {
  if (!state.planned()) return nullptr;
  const Planned& plan = *state.planned();
  Json json{{"lambda", json_number(plan.lambda)},
            {"remaining", json_number(plan.remaining)},
            {"expected", json_number(plan.expected)},
            {"expected_ratio", json_number(plan.expected_ratio)}};
  if (!plan.note.empty()) json["note"] = plan.note;
  return json;
}

Json certificate_json(const Campaign& campaign) {
  const auto certificate = purchase_certificate(campaign.study(), campaign.state());
  if (!certificate) return nullptr;
  return {{"share", json_number(certificate->share())},
          {"information", json_number(certificate->information)},
          {"bound", json_number(certificate->bound)},
          {"spent", json_number(certificate->spent)}};
}

Json levels_json(const Study& study, const State& state) {
  Json list = Json::array();
  for (const auto& [name, spend] : spend_by_level(study, state))
    list.push_back(
        {{"level", name}, {"annotations", spend.annotations}, {"spent", json_number(spend.spent)}});
  return list;
}

Json offsets_json(const Campaign& campaign) {
  Json list = Json::array();
  for (const LevelOffset& offset : level_offsets(campaign.study(), campaign.state()))
    list.push_back({{"level", offset.level},
                    {"other", offset.other},
                    {"points", offset.points},
                    {"offset", json_number(offset.offset)},
                    {"standard_error", json_number(offset.standard_error)},
                    {"low", json_number(offset.low())},
                    {"high", json_number(offset.high())},
                    {"bias", offset.is_bias()},
                    {"in_model", offset.in_model}});
  return list;
}

// The noise that answers of a level reported, compared with the declared noise.
std::vector<ReportedNoise> reports_of(const Campaign& campaign) {
  const std::vector<Annotation> annotations = campaign.annotations();
  const bool any = std::any_of(annotations.begin(), annotations.end(),
                               [](const Annotation& annotation) { return annotation.reported; });
  if (!any) return {};
  return reported_noise(campaign.study(), campaign.model(), annotations);
}

std::string reported_noise_text(const Campaign& campaign) {
  std::string text;
  for (const std::string& sentence : reported_noise_sentences(campaign.study(), reports_of(campaign)))
    text += one_line(sentence) + "\n";
  return text.empty() ? "" : "\nnoise as answers report it\n" + text;
}

std::string reported_cost_text(const Campaign& campaign) {
  std::string text;
  const Study& study = campaign.study();
  for (const std::string& sentence : reported_cost_sentences(study, reported_costs(study, campaign.state())))
    text += one_line(sentence) + "\n";
  return text.empty() ? "" : "\ncosts as answers report them\n" + text;
}

// Medians over the answers that came from jobs of a batch system.
struct JobTimes {
  std::size_t count = 0;
  double queue = 0.0, run = 0.0;  // seconds
};

JobTimes job_times(const State& state) {
  std::vector<double> queue, run;
  for (const SuggestionRecord& record : state.suggestions())
    if (record.told && record.told->queue_seconds && record.told->run_seconds) {
      queue.push_back(*record.told->queue_seconds);
      run.push_back(*record.told->run_seconds);
    }
  if (queue.empty()) return {};
  const auto median = [](std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  };
  return {queue.size(), median(queue), median(run)};
}

std::string job_times_text(const State& state) {
  const JobTimes times = job_times(state);
  if (times.count == 0) return "";
  return fmt::format("answers of {}: in the queue for {}, running for {} (medians)\n",
                     counted(static_cast<std::int64_t>(times.count), "job"),
                     in_words(std::round(times.queue)), in_words(std::round(times.run)));
}

Json verdict_json(const CalibrationVerdict& verdict) {
  const bool has_factor = verdict.factor > 0.0 && verdict.answers > 0 && verdict.high > 0.0;
  const auto if_known = [&](double value) { return has_factor ? json_number(value) : Json(); };
  return {{"text", verdict.text()},
          {"calibration", verdict.words()},
          {"evidence", verdict.evidence_name()},
          {"about", verdict.about_name()},
          {"reason", verdict.reason},
          {"advice", verdict.advice},
          {"factor", if_known(verdict.factor)},
          {"low", if_known(verdict.low)},
          {"high", if_known(verdict.high)},
          {"answers", verdict.answers}};
}

// On the scale of answers; null with few answers.
Json error_json(const Campaign& campaign, const CalibrationVerdict& verdict) {
  const Target& target = *campaign.study().file().target;
  const auto error = typical_error(campaign, error_factor(verdict));
  const auto shown = [&](double size) { return json_number(typical_error_value(size, target)); };
  const bool is_decided = verdict.calibration != CalibrationVerdict::Calibration::cannot_tell;
  const bool is_judged = error && is_decided && !verdict.is_of_classes;
  return {{"typical_error", error ? shown(error->size) : Json()},
          {"typical_error_calibrated", is_judged ? shown(error->expected()) : Json()},
          {"typical_error_range", error && error->range ? shown(*error->range) : Json()}};
}

// What the model is computed with: learned, or given by the study. The keys are those of `fit`.
Json hyperparameters_json(const Study& study, const State& state, const StudyModel& model) {
  const auto* kernel = dynamic_cast<const StationaryKernel*>(model.prior.kernel.get());
  if (kernel == nullptr) return nullptr;
  const Vector& lengthscales = kernel->options().lengthscale;
  Json json{{"amplitude", json_number(kernel->options().amplitude)},
            {"lengthscale", study.file().lengthscale_per_input || lengthscales.size() != 1
                                ? json_numbers(lengthscales)
                                : json_number(lengthscales(0))},
            {"mean", json_number(model.prior.mean)}};
  for (const CategoryFactor& category : kernel->options().categories)
    json["similarity"][study.pool().inputs()[static_cast<std::size_t>(category.input)]] =
        json_number(category.similarity());
  if (study.file().nugget != 0.0) json["nugget"] = json_number(model.nugget);
  const bool learned = model.learned.has_value();
  json["learned_from"] = learned ? Json(state.fitted()->annotations) : Json();
  json["log_marginal_likelihood"] = learned ? json_number(model.learned->log_marginal_likelihood) : Json();
  json["converged"] = learned ? Json(model.learned->converged) : Json();
  return json;
}

// What decides about the next choice; the words are those of the study file.
Json choices_json(const Study& study, const State& state) {
  using Kind = AcquisitionSetting::Kind;
  const Kind kind = study.file().acquisition.kind;
  Json json{{"information", std::string(information_name(study.file()))},
            {"planned", plans_now(study, state)}};
  if (kind == Kind::goal && study.file().chosen_for() != nullptr)
    json["explore"] = study.file().goal->explore;
  if (kind == Kind::goal)
    json["criterion"] = criterion_now(study, state) == GoalCriterion::variance ? "variance" : "prediction";
  return json;
}

Json owner_json(const State& state) {
  const OwnerChanged& owner = state.owner();
  if (owner.host.empty()) return nullptr;
  return {{"host", owner.host},
          {"process", owner.process},
          {"since", time_text(state.owner_since())},
          {"last_seen", time_text(state.owner_seen())},
          {"lease_until", owner.lease_until ? Json(time_text(*owner.lease_until)) : Json()},
          {"alive", may_be_alive(owner)}};
}

Json best_json(const Study& study, const BestCandidate& best) {
  Json inputs = Json::object();
  for (std::size_t k = 0; k < best.inputs.size(); ++k)
    inputs[study.pool().inputs()[k]] = json_value(input_cell(study.pool().columns()[k], best.inputs[k]));
  return {{"point", best.row ? Json(study.pool().id(*best.row)) : Json()},
          {"inputs", inputs},
          {"mean", json_number(best.mean)},
          {"low", json_number(best.low)},
          {"high", json_number(best.high)},
          {"probability", json_number(best.probability)}};
}

// Null unless something is sought. On the scale of answers.
Json sought_json(const Study& study, const CampaignModel& model) {
  const auto found = sought_report(study, model.study_model(), model.posterior());
  if (!found) return nullptr;
  Json json{{"kind", found->kind}};
  if (found->is_contour()) {
    json["contour"] = json_number(found->threshold);
    json["wrong_share"] = json_number(found->wrong_share);
    json["uncertain_share"] = json_number(found->uncertain_share);
    return json;
  }
  json["best"] = best_json(study, found->best.front());
  json["expected_regret"] = json_number(found->expected_regret);
  return json;
}

std::string sought_line(const Study& study, const CampaignModel& model) {
  if (model.observations().size() == 0) return "";
  const auto found = sought_report(study, model.study_model(), model.posterior());
  return found ? fmt::format("goal: {}\n", to_text(*found, study)) : std::string();
}

std::vector<std::pair<std::string, ResultTable::Cell>> fields_of(const State& state) {
  return {{"name", state.created().name},
          {"unit", state.created().unit},
          {"budget", state.budget()},
          {"spent", state.spent()},
          {"escrow", state.escrow()},
          {"free", free_money(state)},
          {"annotations", state.annotations()},
          {"pending", static_cast<std::int64_t>(state.pending().size())},
          {"failed", state.failed()},
          {"excluded", static_cast<std::int64_t>(state.excluded().size())},
          {"fits", state.fits()},
          {"created", time_text(state.created_at())}};
}

}  // namespace

std::string status_text(const Campaign& campaign, StatusExtent extent) {
  const State& state = campaign.state();
  const Study& study = campaign.study();
  const CampaignModel model(study, state);
  const CalibrationVerdict verdict =
      state.annotations() > 0 ? verdict_on(campaign, std::nullopt, &model) : CalibrationVerdict();
  const double ahead = campaign.address().is_in_database() ? 0.0 : campaign.now() - now();
  std::string text = fmt::format("{}: campaign \"{}\", begun {}\n", one_line(campaign.address().text()),
                                 one_line(state.created().name), time_text(state.created_at()));
  text += error_lines(campaign, verdict, extent) + unlearned_line(campaign) + sought_line(study, model) +
          money_lines(state) + counts_line(study, state) + failing_line(study, state, model.study_model()) +
          audit_line(study, state) + unexplained_text(campaign) + next_line(campaign);
  if (ahead > usual_clock_difference)
    text +=
        fmt::format("The log is {} ahead of this machine's clock: an event was written with a wrong clock.\n",
                    in_words(ahead));
  if (extent == StatusExtent::brief) return text;
  text += leave_one_out_line(study, model);
  if (const std::optional<Learned>& learned = model.study_model().learned)
    if (const std::string structure = structure_text(learned->structures); !structure.empty())
      text += fmt::format("structure of f in predictions: {}\n", structure);
  if (const std::string relations = relations_text(model.study_model().learned); !relations.empty())
    text += fmt::format("relation of the levels to f, by weight: {}\n", relations);
  if (const std::int64_t replaced = state.replaced(); replaced > 0)
    text += fmt::format("{} replaced by continuing {}\n", counted(replaced, "answer"),
                        replaced == 1 ? "its run" : "their runs");
  if (!state.owner().host.empty())
    text += fmt::format(
        "{} by process {} on {} since {}{}\n", may_be_alive(state.owner()) ? "Run" : "Left",
        state.owner().process, one_line(state.owner().host), time_text(state.owner_since()),
        is_here(state.owner()) ? std::string() : ", last sign of life " + time_text(state.owner_seen()));
  text += job_times_text(state);
  return text + levels_text(study, state) + reported_cost_text(campaign) + reported_noise_text(campaign) +
         offsets_text(campaign) + biases_text(campaign) + plan_text(campaign) + changes_text(state) +
         pending_text(state) + last_answers_text(campaign);
}

std::string status_csv(const Campaign& campaign) {
  return record_text(Format::csv, fields_of(campaign.state()));
}

std::string status_json(const Campaign& campaign) {
  const State& state = campaign.state();
  Json object = Json::object();
  for (const auto& [name, cell] : fields_of(state)) object[name] = json_value(cell);
  if (campaign.study().file().tops_up()) object["replaced"] = state.replaced();
  const CampaignModel now(campaign.study(), state);
  const CalibrationVerdict verdict = verdict_on(campaign, std::nullopt, &now);
  const Json errors = error_json(campaign, verdict);
  for (const auto& [name, value] : errors.items()) object[name] = value;
  if (Json sought = sought_json(campaign.study(), now); !sought.is_null()) object["goal"] = std::move(sought);
  object["levels"] = levels_json(campaign.study(), state);
  object["level_offsets"] = offsets_json(campaign);
  const StudyModel model = campaign.model();
  object["level_bias"] = level_bias_json(level_biases(campaign.study(), model));
  object["hyperparameters"] = hyperparameters_json(campaign.study(), state, model);
  object["reported_noise"] = reported_noise_json(reports_of(campaign));
  object["reported_cost"] = reported_cost_json(reported_costs(campaign.study(), state));
  if (const JobTimes times = job_times(state); times.count > 0)
    object["jobs"] = {{"count", times.count},
                      {"queue_seconds", json_number(times.queue)},
                      {"run_seconds", json_number(times.run)}};
  object["verdict"] = verdict_json(verdict);
  if (campaign.study().file().audit.answers > 0 || state.audited())
    object["audit"] = audit_json(campaign.study(), state);
  object["failures"] = failing_json(failing_runs(campaign.study(), state, now.study_model()));
  object["structures"] = structures_json(now.study_model().learned);
  object["relations"] = relations_json(campaign.study(), now.study_model().learned);
  object["choices"] = choices_json(campaign.study(), state);
  object["plan"] = plan_json(state);
  object["certificate"] = certificate_json(campaign);
  object["pending_ids"] = Json::array();
  for (const std::int64_t id : state.pending()) object["pending_ids"].push_back(id);
  object["owner"] = owner_json(state);
  object["changes"] = changes_json(state);
  return json_text(object);
}

std::string best_points_json(const Campaign& campaign, Index count) {
  const Study& study = campaign.study();
  if (count < 1) throw InputError(fmt::format("the number of best points is {}, must be at least 1", count));
  const CampaignModel model(study, campaign.state());
  const auto found = sought_report(study, model.study_model(), model.posterior(), count);
  if (!found || found->is_contour())
    throw InputError(study.file().located("best points are for studies with goal.find"));
  Json list = Json::array();
  for (const BestCandidate& best : found->best) list.push_back(best_json(study, best));
  return json_text(list);
}

}  // namespace acuity
