#include "views/campaign_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "campaign/reported_cost.hpp"
#include "campaign/state_queries.hpp"
#include "judgement/calibration_verdict.hpp"
#include "judgement/level_biases.hpp"
#include "judgement/level_offsets.hpp"
#include "judgement/purchase_certificate.hpp"
#include "store/owner.hpp"
#include "study/duration.hpp"
#include "study/reported_noise.hpp"
#include "text/level_text.hpp"
#include "views/campaign_text.hpp"
#include "views/plan_text.hpp"
#include "views/reported_cost_json.hpp"
#include "views/reported_noise_json.hpp"

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

// By level, in the order of the first purchase; the costs of failed attempts come last, so that the table
// adds up.
std::vector<std::pair<std::string, LevelSpend>> spend_by_level(const State& state) {
  std::vector<std::pair<std::string, LevelSpend>> levels;
  for (const SuggestionRecord& record : state.suggestions()) {
    if (!record.told) continue;
    const std::string name = level_text(record);
    auto found =
        std::find_if(levels.begin(), levels.end(), [&](const auto& one) { return one.first == name; });
    if (found == levels.end()) found = levels.insert(levels.end(), {name, {}});
    if (!record.asked.gold) found->second.annotations += static_cast<std::int64_t>(record.values.size());
    found->second.spent += record.charged;
  }
  double lost = 0.0;
  for (const SuggestionRecord& record : state.suggestions())
    if (!record.told) lost += record.charged;
  if (lost > 0.0) levels.push_back({"(failed)", {.annotations = 0, .spent = lost}});
  return levels;
}

std::string budget_bar(const State& state) {
  constexpr int width = 40;
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
    return fmt::format("{} spent, {} reserved, no budget\n", money(state.spent(), unit),
                       brief(state.escrow()));
  std::string text =
      fmt::format("{} {} of {} spent, {} reserved, {} free\n", budget_bar(state), brief(state.spent()),
                  money(state.budget(), unit), brief(state.escrow()), brief(state.free()));
  if (state.spent() + state.escrow() > state.budget() + budget_slack(state.budget()))
    text += fmt::format("OVERRUN by {}: answers have cost more than was reserved for them\n",
                        money(state.spent() + state.escrow() - state.budget(), unit));
  return text;
}

std::string levels_text(const State& state) {
  const auto levels = spend_by_level(state);
  if (levels.empty()) return "";
  ResultTable table(Format::table, {"level", "annotations", "spent"});
  for (const auto& [name, spend] : levels) table.add({name, spend.annotations, spend.spent});
  return "\n" + table.text();
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

std::string offsets_text(const Campaign& campaign) {
  std::string text;
  for (const LevelOffset& offset : level_offsets(campaign.study(), campaign.state()))
    text +=
        fmt::format("{}{}\n", one_line(to_text(offset)), offset.is_unexplained() ? ": MORE THAN NOISE" : "");
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
  if (const std::string assumed = assumption_text(study, model); !assumed.empty())
    text += one_line(assumed) + "\n";
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

Json levels_json(const State& state) {
  Json list = Json::array();
  for (const auto& [name, spend] : spend_by_level(state))
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

std::vector<std::pair<std::string, ResultTable::Cell>> fields_of(const State& state) {
  return {{"name", state.created().name},
          {"unit", state.created().unit},
          {"budget", state.budget()},
          {"spent", state.spent()},
          {"escrow", state.escrow()},
          {"free", state.free()},
          {"annotations", state.annotations()},
          {"pending", static_cast<std::int64_t>(state.pending().size())},
          {"failed", state.failed()},
          {"excluded", static_cast<std::int64_t>(state.excluded().size())},
          {"fits", state.fits()},
          {"created", time_text(state.created_at())}};
}

}  // namespace

std::string status_text(const Campaign& campaign) {
  const State& state = campaign.state();
  std::string text = fmt::format("{}: campaign \"{}\", begun {}\n", one_line(campaign.address().text()),
                                 one_line(state.created().name), time_text(state.created_at()));
  text += money_lines(state);
  text += fmt::format("annotations {}, pending {}, failed {}, excluded {}\n", state.annotations(),
                      state.pending().size(), state.failed(), state.excluded().size());
  if (const std::int64_t replaced = state.replaced(); replaced > 0)
    text += fmt::format("{} replaced by continuing {}\n", counted(replaced, "answer"),
                        replaced == 1 ? "its run" : "their runs");
  if (!state.owner().host.empty())
    text += fmt::format(
        "{} by process {} on {} since {}{}\n", may_be_alive(state.owner()) ? "Run" : "Left",
        state.owner().process, one_line(state.owner().host), time_text(state.owner_since()),
        is_here(state.owner()) ? std::string() : ", last sign of life " + time_text(state.owner_seen()));
  if (state.annotations() > 0) text += one_line(verdict_on(campaign).text()) + "\n";
  text += job_times_text(state);
  return text + levels_text(state) + reported_cost_text(campaign) + reported_noise_text(campaign) +
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
  object["levels"] = levels_json(state);
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
  object["verdict"] = verdict_json(verdict_on(campaign));
  object["plan"] = plan_json(state);
  object["certificate"] = certificate_json(campaign);
  object["pending_ids"] = Json::array();
  for (const std::int64_t id : state.pending()) object["pending_ids"].push_back(id);
  object["owner"] = owner_json(state);
  object["changes"] = changes_json(state);
  return json_text(object);
}

}  // namespace acuity
