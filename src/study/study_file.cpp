#include "acuity/study/study_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "acuity/data/table.hpp"
#include "settings/input_settings.hpp"
#include "settings/toml_section.hpp"
#include "study/batch_presets.hpp"
#include "study/drawn_pool.hpp"
#include "study/level_settings.hpp"
#include "study/people_texts.hpp"
#include "text/duration.hpp"
#include "text/nearest.hpp"

namespace acuity {

namespace {

// A number of points for every level that is named.
void read_initial_levels(const TomlSection& initial, const std::vector<std::string>& names,
                         StudyFile& study) {
  std::vector<std::string> allowed = names;
  allowed.emplace_back("nested");
  initial.allow(allowed);
  for (const std::string& name : names)
    if (initial.has(name))
      if (const std::int64_t count = *initial.integer(name, 0); count > 0)
        study.initial.per_level.emplace_back(name, count);
  if (study.initial.per_level.empty())
    initial.complain("campaign.initial has no level with points, must have one");
  study.initial.nested = initial.boolean("nested").value_or(false);
  study.initial.space_filling = true;
}

void read_initial_table(const TomlSection& initial, const std::vector<std::string>& levels,
                        StudyFile& study) {
  const auto is_there = [&](const std::string& name) { return initial.has(name); };
  if (!initial.has("file") && !initial.has("count") && std::any_of(levels.begin(), levels.end(), is_there)) {
    read_initial_levels(initial, levels, study);
    return;
  }
  initial.allow({"file", "count", "level"});
  if (initial.has("file") == initial.has("count"))
    initial.complain(initial.has("file")
                         ? "campaign.initial has a file and a count, must have one of them"
                         : "campaign.initial has neither file nor count, must have one of them");
  if (initial.has("count")) {
    study.initial.space_filling = true;
    study.initial.count = *initial.integer("count", 1);
    study.initial.level = initial.text("level").value_or("");
    return;
  }
  if (initial.has("level")) initial.complain("campaign.initial.level is given, must come with a count");
  const std::optional<std::string> file = initial.text("file");
  if (!file || file->empty()) initial.missing("file", "the name of a table");
  study.initial.file = study.path.parent_path() / *file;
}

void read_campaign(const TomlSection& campaign, const std::vector<std::string>& levels, StudyFile& study) {
  campaign.allow({"name", "budget", "unit", "seed", "initial", "learn_costs", "max_cost"});
  study.name = campaign.text("name").value_or(study.path.empty() ? "campaign" : study.path.stem().string());
  const std::optional<double> budget = campaign.number("budget", Range::zero_or_more_or_infinite);
  if (budget && std::isfinite(*budget)) {
    if (*budget > largest_amount)
      campaign.wrong("budget", fmt::format("at most {}, or inf for no limit", largest_amount_text));
    study.budget = budget;
  }
  study.max_cost = campaign.number("max_cost", Range::positive);
  study.unit = campaign.text("unit").value_or("");
  study.seed = static_cast<std::uint64_t>(campaign.integer("seed", 0).value_or(0));
  if (campaign.is_table("initial"))
    read_initial_table(campaign.section("initial"), levels, study);
  else if (campaign.is_string("initial")) {
    if (campaign.text("initial") != "auto")
      campaign.wrong("initial",
                     "a whole number, \"auto\", { count = ... }, { LEVEL = ... } or { file = \"...\" }");
    study.initial.space_filling = true;
  } else {
    study.initial.count = campaign.integer("initial", 0).value_or(0);
  }
}

void read_input_tables(const TomlSection& pool, const std::vector<TomlSection>& tables, StudyFile& study) {
  if (tables.empty()) return;
  if (study.inputs) pool.complain("pool.inputs and [[input]] are both there, must be one of them");
  study.input_settings = read_input_settings(tables);
  study.inputs = names_of(study.input_settings);
  for (std::size_t k = 0; k < tables.size(); ++k)
    if (study.pool_id == study.input_settings[k].name) tables[k].wrong("name", "another column than pool.id");
}

void read_pool(const TomlSection& pool, const std::vector<TomlSection>& tables, StudyFile& study) {
  pool.allow({"file", "points", "where", "drawn", "id", "inputs", "display", "standardise", "repeat"});
  const std::optional<std::string> file = pool.text("file");
  if (file) study.pool_file = study.path.parent_path() / *file;
  study.pool_id = pool.text("id");
  study.inputs = pool.texts("inputs");
  study.display = pool.texts("display");
  if (study.inputs) {
    std::unordered_set<std::string> seen;
    for (const std::string& input : *study.inputs)
      if (!seen.insert(input).second) pool.wrong("inputs", "a list without repetitions");
    if (study.pool_id && seen.contains(*study.pool_id)) pool.wrong("inputs", "a list without the id column");
  }
  read_input_tables(pool, tables, study);
  read_drawing(pool, tables, study);
  study.standardise =
      static_cast<Standardise>(pool.choice("standardise", {"none", "pool", "annotations"}).value_or(1));
  study.repeat = pool.boolean("repeat").value_or(false);
}

void read_amplitude(const TomlSection& model, StudyFile& study) {
  if (model.is_string("amplitude")) {
    if (model.text("amplitude") != "learn") model.wrong("amplitude", "a finite number above 0 or \"learn\"");
  } else {
    study.amplitude = model.number("amplitude", Range::positive);
  }
  if (study.amplitude && !std::isnormal(*study.amplitude * *study.amplitude))
    model.wrong("amplitude", "a number whose square is finite and above 0");
}

void read_lengthscale(const TomlSection& model, StudyFile& study) {
  study.lengthscale_per_input = model.is_array("lengthscale");
  if (study.lengthscale_per_input) {
    study.lengthscale = *model.numbers("lengthscale", Range::positive);
  } else if (model.is_string("lengthscale")) {
    if (model.text("lengthscale") != "learn")
      model.wrong("lengthscale", "a finite number above 0, a list of such, or \"learn\"");
    study.lengthscale_per_input = study.target->defaults().lengthscale_per_input;
  } else if (model.has("lengthscale")) {
    study.lengthscale = {*model.number("lengthscale", Range::positive)};
  } else {
    study.lengthscale_per_input = study.target->defaults().lengthscale_per_input;
  }
}

void read_mean(const TomlSection& model, StudyFile& study) {
  const std::optional<double> fixed = study.target->defaults().mean;
  if (model.is_string("mean")) {
    if (model.text("mean") != "annotations") model.wrong("mean", "a finite number or \"annotations\"");
  } else if (model.has("mean") || fixed) {
    study.mean = model.number("mean", Range::finite).value_or(fixed.value_or(0.0));
  }
  if (fixed && study.mean != *fixed)
    model.wrong("mean", fmt::format("{} for {} targets", *fixed, study.target->kind()));
}

void read_schedule(const TomlSection& model, StudyFile& study) {
  study.fit.automatic = true;
  if (!model.has("fit")) return;
  const auto word = model.node("fit")->value_exact<std::string>();
  const auto number = model.node("fit")->value_exact<std::int64_t>();
  if (word != "never" && word != "every" && word != "auto" && number.value_or(0) < 1)
    model.wrong("fit", "\"auto\", \"never\", \"every\" or a whole number, 1 or more");
  study.fit.automatic = word == "auto";
  study.fit.every = number.value_or(word == "every" ? 1 : 0);
}

// Further parameters to learn, and how. Off by default with the paper's rule and for a model that never
// learns.
void read_learning(const TomlSection& model, StudyFile& study) {
  study.fit.optimiser = static_cast<Optimiser>(model.choice("optimiser", {"lbfgs", "adam"}).value_or(0));
  const bool adam = study.fit.optimiser == Optimiser::adam;
  const bool plain = adam || study.fit.never();
  const std::int64_t restarts = model.integer("restarts", 0).value_or(4);
  if (restarts > 1000) model.wrong("restarts", "1000 at most");
  study.fit.restarts = static_cast<int>(restarts);
  study.fit.noise = model.boolean("fit_noise").value_or(false);
  study.fit.prior =
      static_cast<HyperparameterPrior>(model.choice("prior", {"none", "weak"}).value_or(plain ? 0 : 1));
  if (adam && study.fit.prior == HyperparameterPrior::weak)
    model.wrong("prior", "\"none\" with optimiser \"adam\", whose rule knows no prior");
  const std::int64_t average = model.integer("average", 1).value_or(plain ? 1 : 8);
  if (average > 1000 || (average > 1 && average % 2 != 0))
    model.wrong("average", "1, or an even number up to 1000");
  study.average = static_cast<int>(average);
}

// "average", one structure or a list of them. By default all of them where predictions are averaged and the
// hyperparameters are penalised: such a model knows what it has learned from few answers.
void read_structures(const TomlSection& model, StudyFile& study) {
  static const std::string words =
      "\"average\", \"plain\", \"ranked\", \"additive\", \"transformed\", \"smooth\" or a list";
  const std::vector<Structure> all{Structure::plain, Structure::ranked, Structure::additive,
                                   Structure::transformed, Structure::smooth};
  const bool has_any = study.target->defaults().has_structures,
             possible = has_any && study.learns_by_likelihood();
  if (!model.has("structure")) {
    if (possible && study.average > 1 && study.fit.prior == HyperparameterPrior::weak) study.structures = all;
    return;
  }
  std::vector<std::string> names;
  if (model.is_array("structure"))
    names = *model.texts("structure");
  else
    names = {model.text("structure").value_or("")};
  if (names.empty()) model.wrong("structure", words + " with at least one of them");
  study.structures.clear();
  for (const std::string& name : names) {
    const std::optional<Structure> one = structure_named(name);
    if (name == "average" && names.size() == 1)
      study.structures = all;
    else if (!one)
      model.wrong("structure", words);
    else if (std::find(study.structures.begin(), study.structures.end(), *one) != study.structures.end())
      model.wrong("structure", "a list without repetitions");
    else
      study.structures.push_back(*one);
  }
  if (!possible && study.has_structures())
    model.wrong("structure", !has_any            ? "\"plain\" for binary targets"
                             : study.fit.never() ? "\"plain\" where model.fit is \"never\""
                                                 : "\"plain\" with optimiser \"adam\"");
}

// A model that never learns needs every number of its kernel.
void require_similarities(const StudyFile& study) {
  if (!study.fit.never()) return;
  for (const Input& input : study.input_settings)
    if (input.is_category() && !input.similarity)
      study.complain(
          fmt::format("model.fit is \"never\" and the similarity of input \"{}\" is to be learned, must be a "
                      "number from 0 to 1 (similarity in its [[input]])",
                      input.name));
}

void read_model(const TomlSection& model, StudyFile& study) {
  model.allow({"kernel", "amplitude", "lengthscale", "mean", "fit", "optimiser", "restarts", "fit_noise",
               "prior", "average", "structure"});
  study.kernel =
      static_cast<KernelFamily>(model.choice("kernel", {"rbf", "matern32", "matern52"}).value_or(2));
  read_amplitude(model, study);
  read_lengthscale(model, study);
  read_mean(model, study);
  read_schedule(model, study);
  read_learning(model, study);
  read_structures(model, study);
  require_similarities(study);
  if (study.fit.never() && (!study.amplitude || study.lengthscale.empty()))
    model.complain(fmt::format("model.fit is \"never\" and model.{} is to be learned, must be a number",
                               study.amplitude ? "lengthscale" : "amplitude"));
  if (!study.target->has_noise() && study.fit.noise && study.fit.optimiser == Optimiser::adam)
    model.wrong("fit_noise",
                "false for binary targets with optimiser \"adam\": kappa and gamma have bounds, "
                "which the paper's rule does not know");
}

// Learned by default, except with the paper's rule and for a model that never learns.
void read_nugget(const TomlSection& noise, StudyFile& study) {
  const bool can_be_learned = study.fit.optimiser != Optimiser::adam && !study.fit.never();
  if (noise.is_string("nugget")) {
    if (noise.text("nugget") != "learn") noise.wrong("nugget", "a number, 0 or more, or \"learn\"");
    if (!can_be_learned)
      noise.wrong("nugget", study.fit.never() ? "a number where model.fit is \"never\""
                                              : "a number with optimiser \"adam\"");
    study.nugget.reset();
  } else if (noise.has("nugget")) {
    study.nugget = noise.number("nugget", Range::zero_or_more);
  } else if (can_be_learned && study.target->defaults().has_nugget) {
    study.nugget.reset();
  }
}

void read_noise(const TomlSection& noise, StudyFile& study) {
  noise.allow({"variance", "nugget"});
  if (noise.is_table("variance")) {
    const TomlSection column = noise.section("variance");
    column.allow({"column"});
    if (!column.text("column")) column.missing("column", "the name of a column");
    if (study.drawing)
      noise.wrong("variance", "a number or a formula where there is no pool.file that has a column");
    study.noise = NoiseColumn{*column.text("column")};
  } else if (noise.is_string("variance")) {
    study.noise = *noise.text("variance");
  } else if (noise.has("variance")) {
    study.noise = *noise.number("variance", Range::zero_or_more);
  }
}

// On by default where anything is learned. The prices of a ladder are a formula, which has no level to learn.
void read_learn_costs(const TomlSection& campaign, StudyFile& study) {
  const bool otherwise = !study.ladder && !study.fit.never() && study.fit.optimiser != Optimiser::adam;
  study.learn_costs = campaign.boolean("learn_costs").value_or(otherwise);
  if (study.learn_costs && study.ladder)
    campaign.wrong("learn_costs", "false with [precision]: only levels of a price list learn their costs");
  if (!study.learn_costs && study.costs_depend_on_inputs()) {
    if (campaign.has("learn_costs"))
      campaign.wrong("learn_costs", "true where the cost of a level is { guess = ... }");
    study.learn_costs = true;
  }
}

// The threshold as the study file has it.
std::optional<Finding> read_finding(const TomlSection& goal, const StudyFile& study) {
  using Sought = Finding::Sought;
  if (goal.has("contour") && goal.has("find"))
    goal.complain("goal.contour and goal.find are both there, must be one of them");
  const std::string key = goal.has("contour") ? "contour" : "find";
  if (!goal.has(key)) return std::nullopt;
  Finding finding;
  if (key == "find")
    finding.sought = goal.choice("find", {"maximum", "minimum"}) == 1 ? Sought::minimum : Sought::maximum;
  else
    finding = {.sought = Sought::contour, .threshold = *goal.number("contour", Range::finite)};
  if (finding.is_contour() && study.target->is_logarithmic() && !(finding.threshold > 0.0))
    goal.wrong("contour", "above 0 with target.scale = \"log\"");
  if (study.ladder && study.ladder->continuous)
    goal.wrong(key, "left out with precision.continuous = true, or the ladder have levels");
  return finding;
}

// A point whose rough answer looks good must stay open to the finer levels (math.md 20.1).
void read_sought(const TomlSection& goal, const TomlSection& pool, StudyFile& study, GoalSetting& setting) {
  constexpr std::int64_t points_of_best = 20'000;
  setting.finding = read_finding(goal, study);
  if (!setting.finding) {
    if (goal.has("explore")) goal.wrong("explore", "left out without goal.contour or goal.find");
    return;
  }
  setting.explore =
      goal.number("explore", Range::zero_to_one).value_or(study.learns_by_likelihood() ? 0.1 : 0.0);
  if (setting.finding->is_contour()) return;
  setting.points = points_of_best;
  study.closes_pairs = !pool.has("repeat");
}

void read_goal(const TomlSection& goal, const TomlSection& pool, StudyFile& study) {
  goal.allow({"file", "box", "criterion", "points", "contour", "find", "explore"});
  GoalSetting setting;
  read_sought(goal, pool, study, setting);
  if (goal.has("file") && goal.has("box"))
    goal.complain("goal.file and goal.box are both there, must be one of them");
  if (const auto file = goal.text("file")) setting.file = study.path.parent_path() / *file;
  if (goal.has("box")) {
    if (!goal.is_table("box")) goal.wrong("box", "a table such as { x = [0, 2] }");
    const TomlSection box = goal.section("box");
    for (const std::string& input : box.keys()) {
      if (const toml::array* list = box.node(input)->as_array();
          list != nullptr && !list->empty() && list->front().is_string()) {
        setting.box_names[input] = *box.texts(input);
        continue;
      }
      const std::optional<std::vector<double>> limits = box.numbers(input, Range::finite);
      if (!limits || limits->size() != 2 || !((*limits)[0] <= (*limits)[1]))
        box.wrong(input, "a list of two numbers, the lower limit first, or of names");
      setting.box[input] = {(*limits)[0], (*limits)[1]};
    }
    if (!setting.has_box()) goal.wrong("box", "a table with at least one input");
  }
  setting.points = goal.integer("points", 1).value_or(setting.points);
  if (setting.points > 100'000) goal.wrong("points", "100000 at most");
  study.goal = setting;
}

// A number is the weight of prices itself, for experiments.
void read_plan(const TomlSection& acquisition, StudyFile& study) {
  using Kind = AcquisitionSetting::Kind;
  AcquisitionSetting& setting = study.acquisition;
  const bool has_ratio = setting.kind != Kind::bald && setting.kind != Kind::random;
  const bool possible =
      study.budget && !study.target->information_depends_on_answers() && study.plans_for_its_information();
  if (!acquisition.has("plan")) {
    setting.plan = possible && study.learns_by_likelihood();
    setting.adapts_plan = setting.adapts_criterion;
    return;
  }
  if (!acquisition.is_string("plan")) {
    setting.price_weight = *acquisition.number("plan", Range::zero_or_more);
    if (setting.price_weight > 1.0)
      acquisition.wrong("plan", "\"budget\", \"none\" or a weight of prices from 0 to 1");
    if (setting.price_weight != 1.0 && !has_ratio)
      acquisition.wrong("plan", "\"none\" with information \"bald\" and \"random\", which ignore prices");
    return;
  }
  const std::optional<std::string> word = acquisition.text("plan");
  if (word != "none" && word != "budget")
    acquisition.wrong("plan", "\"budget\", \"none\" or a weight of prices from 0 to 1");
  setting.plan = word == "budget";
  if (!setting.plan || possible) return;
  if (!study.budget)
    acquisition.wrong("plan", "\"none\" without campaign.budget: there is no end to plan for");
  if (study.target->information_depends_on_answers())
    acquisition.wrong("plan",
                      "\"none\" for binary targets: how much an answer tells depends on the answers before");
  if (study.chosen_for() != nullptr)
    acquisition.wrong("plan",
                      "\"none\" with goal.contour and goal.find: how much an answer tells depends on the "
                      "answers before");
  acquisition.wrong("plan", "\"none\", or information must be \"model\" or \"goal\"");
}

void read_acquisition(const TomlSection& acquisition, const TomlSection& goal, StudyFile& study) {
  using Kind = AcquisitionSetting::Kind;
  acquisition.allow({"information", "graph", "infinite", "approximation", "plan"});
  // A limit on information per cost needs a unit that stays.
  const bool is_learned =
      study.target->has_noise() && study.learns_by_likelihood() && !study.stop.information_per_cost;
  const Kind otherwise = study.goal || study.has_bias() || is_learned ? Kind::goal : Kind::model;
  study.acquisition.is_default = !acquisition.has("information") && !study.goal && !study.has_bias();
  study.acquisition.kind =
      static_cast<Kind>(acquisition.choice("information", {"model", "target", "bald", "random", "goal"})
                            .value_or(static_cast<std::size_t>(otherwise)));
  if (study.goal && study.goal->finding) {
    study.acquisition.finding = *study.goal->finding;
    if (study.goal->finding->is_contour())
      study.acquisition.finding->threshold = study.target->to_model(study.goal->finding->threshold);
    if (!std::isfinite(study.acquisition.finding->threshold))
      goal.wrong("contour", "inside the range of the answers");
  }
  study.acquisition.adapts_criterion = study.acquisition.kind == Kind::goal && is_learned &&
                                       !study.has_bias() && !goal.has("criterion") &&
                                       !study.acquisition.finding;
  const TargetDefaults& defaults = study.target->defaults();
  study.acquisition.criterion =
      static_cast<GoalCriterion>(goal.choice("criterion", {"variance", "prediction"})
                                     .value_or(static_cast<std::size_t>(defaults.criterion)));
  if (study.has_bias() && study.acquisition.kind == Kind::target)
    acquisition.wrong(
        "information",
        "\"goal\", \"model\", \"bald\" or \"random\" where a level has a bias (one with repeat = "
        "\"same\" does unless it says bias = \"none\")");
  study.acquisition.target.graph = static_cast<TargetGraph>(
      acquisition.choice("graph", {"b", "c"}).value_or(static_cast<std::size_t>(defaults.graph)));
  study.acquisition.target.infinite =
      static_cast<InfinitePolicy>(acquisition.choice("infinite", {"refuse", "limit", "first"}).value_or(0));
  study.acquisition.approximation =
      static_cast<Approximation>(acquisition.choice("approximation", {"exact", "taylor"}).value_or(0));
  if (!defaults.has_approximation && study.acquisition.approximation == Approximation::taylor)
    acquisition.wrong("approximation", "\"exact\" for real targets, where nothing is approximated");
  if (study.tops_up() && study.acquisition.kind == Kind::target)
    acquisition.wrong("information", "\"model\" or \"goal\" where a level has topup = true");
  const bool has_classes =
      std::any_of(study.price_list.begin(), study.price_list.end(), [](const Level& one) {
        const auto* flip = std::get_if<FlipChannel>(&one.channel);
        return flip != nullptr && (one.accuracy_by_class || !flip->is_symmetric());
      });
  constexpr const char* by_class =
      " where the accuracy of a level is given or learned by class; \"learn\" is one number";
  if (has_classes && study.acquisition.kind == Kind::target)
    acquisition.wrong("information", fmt::format("\"model\" or \"goal\"{}", by_class));
  if (has_classes && study.acquisition.approximation == Approximation::taylor)
    acquisition.wrong("approximation", fmt::format("\"exact\"{}", by_class));
  read_plan(acquisition, study);
}

double read_duration(const TomlSection& section, const std::string& key) {
  const std::optional<double> seconds =
      section.is_string(key) ? to_seconds(*section.text(key)) : std::nullopt;
  if (!seconds) section.wrong(key, duration_requirement);
  return *seconds;
}

int read_count(const TomlSection& section, const std::string& key, int at_least, int at_most, int otherwise) {
  const std::int64_t count = section.integer(key, at_least).value_or(otherwise);
  if (count > at_most) section.wrong(key, fmt::format("{} at most", at_most));
  return static_cast<int>(count);
}

void read_timeout(const TomlSection& annotator, StudyFile& study) {
  if (!annotator.is_table("timeout")) {
    study.annotator.timeout = read_duration(annotator, "timeout");
    return;
  }
  const TomlSection timeout = annotator.section("timeout");
  if (study.ladder) annotator.wrong("timeout", "one duration where levels have no names ([precision])");
  std::vector<std::string> names;
  for (const Level& level : study.price_list) names.push_back(level.name);
  timeout.allow(names);
  for (const std::string& name : names)
    if (timeout.has(name)) study.annotator.timeout_of_level[name] = read_duration(timeout, name);
}

std::string read_shell(const TomlSection& annotator, const std::string& key, const std::string& token) {
  const std::string line = *annotator.text(key);
  if (line.find_first_not_of(" \t\n") == std::string::npos) annotator.wrong(key, "a line of shell");
  if (line.find(token) == std::string::npos)
    annotator.wrong(key, fmt::format("a line of shell with {}", token));
  return line;
}

void read_preamble(const TomlSection& annotator, const StudyFile& study, BatchSetting& batch) {
  if (!annotator.is_table("preamble")) {
    batch.preamble = annotator.text("preamble").value_or("");
    return;
  }
  if (study.ladder) annotator.wrong("preamble", "one text where levels have no names ([precision])");
  const TomlSection preamble = annotator.section("preamble");
  std::vector<std::string> names;
  for (const Level& level : study.price_list) names.push_back(level.name);
  preamble.allow(names);
  for (const std::string& name : names)
    if (const auto text = preamble.text(name)) batch.preamble_of_level[name] = *text;
}

// The commands of a batch system: those of a preset, some of them replaced, or all of them given.
void read_batch(const TomlSection& annotator, const StudyFile& study, AnnotatorSetting& setting) {
  setting.mode = static_cast<AnnotatorSetting::Mode>(annotator.choice("mode", {"run", "submit"}).value_or(0));
  if (setting.mode == AnnotatorSetting::Mode::run) {
    for (const char* key : {"submit", "alive", "cancel", "preamble", "poll", "grace"})
      if (annotator.has(key))
        annotator.complain(fmt::format("annotator.{} is given, must come with mode = \"submit\"", key));
    return;
  }
  if (setting.kind != AnnotatorSetting::Kind::command)
    annotator.complain("annotator.mode is \"submit\", must come with annotator.command");
  const std::string submit = annotator.text("submit").value_or("slurm");
  BatchSetting& batch = setting.batch;
  if (const std::optional<BatchSetting> preset = batch_preset(submit)) {
    batch = *preset;
  } else {
    if (submit.find("{name}") == std::string::npos || submit.find("{script}") == std::string::npos)
      annotator.wrong("submit", "\"slurm\", \"pbs\" or \"lsf\", or a line of shell with {name} and {script}");
    batch.submit = submit;
    for (const char* key : {"alive", "cancel"})
      if (!annotator.has(key)) annotator.missing(key, "given where annotator.submit is a line of shell");
  }
  if (annotator.has("alive")) batch.alive = read_shell(annotator, "alive", "");
  if (annotator.has("cancel")) batch.cancel = read_shell(annotator, "cancel", "{name}");
  read_preamble(annotator, study, batch);
  if (annotator.has("poll")) batch.poll = read_duration(annotator, "poll");
  if (annotator.has("grace")) batch.grace = read_duration(annotator, "grace");
}

void read_annotator(const TomlSection& annotator, StudyFile& study) {
  annotator.allow({"command", "simulated", "truth", "protocol", "workers", "timeout", "retries", "on_fail",
                   "max_failures", "failures", "mode", "submit", "alive", "cancel", "preamble", "poll",
                   "grace"});
  using Kind = AnnotatorSetting::Kind;
  AnnotatorSetting& setting = study.annotator;
  if (annotator.has("command") && annotator.has("simulated"))
    annotator.complain("annotator.command and annotator.simulated are both there, must be one of them");
  if (const auto command = annotator.text("command")) {
    if (command->find_first_not_of(" \t\n") == std::string::npos)
      annotator.wrong("command", "a line of shell");
    setting.kind = Kind::command;
    setting.command = *command;
  }
  if (const auto simulated = annotator.choice("simulated", {"sine", "truth"}))
    setting.kind = *simulated == 0 ? Kind::sine : Kind::truth;
  if (annotator.has("truth") && setting.kind != Kind::truth)
    annotator.complain("annotator.truth is given, must come with simulated = \"truth\"");
  if (setting.kind == Kind::truth)
    setting.truth = study.path.parent_path() / annotator.text("truth").value_or("truth.csv");
  setting.protocol =
      static_cast<AnnotatorSetting::Protocol>(annotator.choice("protocol", {"acuity", "dakota"}).value_or(0));
  setting.workers = read_count(annotator, "workers", 1, 4096, setting.workers);
  if (annotator.has("timeout")) read_timeout(annotator, study);
  setting.retries = read_count(annotator, "retries", 0, 1000, setting.retries);
  setting.exclude_on_fail = annotator.choice("on_fail", {"retry", "exclude"}).value_or(0) == 1;
  setting.max_failures = read_count(annotator, "max_failures", 1, 1'000'000, setting.max_failures);
  setting.learns_failures = annotator.choice("failures", {"learn", "wait"}).value_or(0) == 0;
  read_batch(annotator, study, setting);
}

// Text of several lines is the instructions themselves, otherwise it is the name of their file. Whoever shows
// them reads them from the text of the study (study/people_texts.hpp).
void require_instructions(const TomlSection& people, const StudyFile& study) {
  const std::optional<std::string> given = people.text("instructions");
  if (!given) return;
  std::uintmax_t size = given->size();
  if (given->find('\n') == std::string::npos) {
    const std::filesystem::path file = study.path.parent_path() / *given;
    std::error_code failed;
    if (given->empty() || !std::filesystem::is_regular_file(file, failed))
      people.wrong("instructions", "the name of a file, or a text of several lines");
    size = std::filesystem::file_size(file, failed);
  }
  if (size > largest_instructions)
    people.complain(
        fmt::format("people.instructions has {} bytes, must have at most {}", size, largest_instructions));
}

void read_people(const TomlSection& people, const TomlSection& pool, StudyFile& study) {
  people.allow({"max_per_item", "gold", "gold_rate", "least_worth", "question", "instructions"});
  study.people.present = true;
  people.text("question");  // shown by people_question()
  require_instructions(people, study);
  if (const auto gold = people.text("gold")) {
    if (gold->empty()) people.wrong("gold", "the name of a table with the columns id and class");
    study.people.gold = study.path.parent_path() / *gold;
  }
  if (people.has("gold_rate")) {
    if (study.people.gold.empty()) people.complain("people.gold_rate is given, must come with people.gold");
    study.people.gold_rate = *people.number("gold_rate", Range::zero_to_one);
    if (study.people.gold_rate > 0.9) people.wrong("gold_rate", "from 0 to 0.9");
  }
  if (people.has("least_worth")) study.people.least_worth = *people.number("least_worth", Range::zero_to_one);
  if (!people.has("max_per_item")) return;
  study.people.max_per_item = read_count(people, "max_per_item", 1, 1'000'000, 0);
  if (study.people.max_per_item == 1) return;
  if (pool.has("repeat") && !study.repeat)
    people.wrong("max_per_item", "1 with pool.repeat = false, or pool.repeat must be left out");
  study.repeat = true;
}

// With logarithms an error is a factor.
std::optional<double> read_error_limit(const TomlSection& stop, const std::string& key,
                                       const StudyFile& study) {
  const std::optional<double> limit = stop.number(key, Range::positive);
  if (limit && study.target->is_logarithmic() && !(*limit > 1.0))
    stop.wrong(key, "a factor above 1 with target.scale = \"log\"");
  return limit;
}

void read_stop(const TomlSection& stop, StudyFile& study) {
  stop.allow({"information_per_cost", "predictive_sd", "wall_clock", "typical_error", "uncertain_share",
              "wrong_share", "expected_regret"});
  study.stop.information_per_cost = stop.number("information_per_cost", Range::positive);
  study.stop.predictive_sd = stop.number("predictive_sd", Range::positive);
  if (stop.has("wall_clock")) study.stop.wall_clock = read_duration(stop, "wall_clock");
  study.stop.typical_error = read_error_limit(stop, "typical_error", study);
  const Finding* sought = study.goal && study.goal->finding ? &*study.goal->finding : nullptr;
  for (const char* key : {"uncertain_share", "wrong_share"})
    if (stop.has(key) && (sought == nullptr || !sought->is_contour()))
      stop.wrong(key, "left out without goal.contour");
  if (stop.has("expected_regret") && (sought == nullptr || sought->is_contour()))
    stop.wrong("expected_regret", "left out without goal.find");
  study.stop.uncertain_share = stop.number("uncertain_share", Range::zero_to_one);
  study.stop.wrong_share = stop.number("wrong_share", Range::zero_to_one);
  study.stop.expected_regret = read_error_limit(stop, "expected_regret", study);
}

void read_audit(const TomlSection& audit, StudyFile& study) {
  audit.allow({"answers", "level"});
  study.audit.answers = read_count(audit, "answers", 0, 100'000, 0);
  if (!audit.has("level")) return;
  study.audit.level = *audit.text("level");
  std::vector<std::string> names;
  for (const Level& level : study.price_list) names.push_back(level.name);
  if (study.ladder) audit.wrong("level", "left out where levels have no names ([precision])");
  const auto known = std::find(names.begin(), names.end(), study.audit.level);
  if (known == names.end()) audit.wrong("level", "one of " + quoted_list(names));
  const Level& level = study.price_list[static_cast<std::size_t>(known - names.begin())];
  if (level.is_retired) audit.wrong("level", "a level that can be bought: this one is retired");
  if (level.bias.any()) audit.wrong("level", "a level without bias: others cannot tell how far f is off");
}

// Keys that only one kind of target has. All others are for both.
struct KeyOfOneKind {
  std::string_view section, key, kind;
};
constexpr KeyOfOneKind keys_of_one_kind[] = {
    {"", "noise", "real"},           {"", "people", "binary"},         {"level", "noise_sd", "real"},
    {"target", "scale", "real"},     {"level", "exact", "real"},       {"level", "noise_relative", "real"},
    {"level", "reference", "real"},  {"level", "bias", "real"},        {"level", "relation", "real"},
    {"level", "h", "real"},          {"precision", "kappa", "binary"}, {"level", "accuracy", "binary"},
    {"target", "classes", "binary"}, {"target", "range", "real"},      {"level", "trials", "real"},
    {"level", "exposure", "real"},   {"goal", "contour", "real"},      {"goal", "find", "real"},
};

// Keys of the other kind of target are refused before their values are checked.
void refuse_other_kind(const TomlSection& file, const std::vector<TomlSection>& levels,
                       std::string_view kind) {
  const auto refuse = [&](const TomlSection& section, std::string_view name) {
    for (const KeyOfOneKind& one : keys_of_one_kind)
      if (const std::string key(one.key); one.section == name && one.kind != kind && section.has(key))
        section.complain(
            fmt::format("{} is for {} targets, target.kind is \"{}\"", section.path(key), one.kind, kind));
  };
  refuse(file, "");
  for (const char* name : {"target", "precision", "goal"}) refuse(file.section(name), name);
  for (const TomlSection& level : levels) refuse(level, "level");
}

AnswerScale read_scale(const TomlSection& target) {
  constexpr TargetScale scales[] = {TargetScale::linear, TargetScale::logarithmic, TargetScale::fraction,
                                    TargetScale::rate};
  const TargetScale scale = scales[target.choice("scale", {"linear", "log", "fraction", "rate"}).value_or(0)];
  if (!target.has("range")) return scale;
  if (AnswerScale(scale).is_counted())
    target.wrong("range", fmt::format("left out where target.scale is \"{}\", whose answers are {}",
                                      AnswerScale(scale).name(),
                                      scale == TargetScale::fraction ? "from 0 to 1" : "0 or more"));
  const bool is_logarithmic = scale == TargetScale::logarithmic;
  const char* required = is_logarithmic ? "two numbers above 0, the lower one first, such as [1, 1000]"
                                        : "two numbers, the lower one first, such as [0, 100]";
  if (!target.is_array("range")) target.wrong("range", required);
  const std::vector<double> ends = *target.numbers("range", Range::finite);
  if (ends.size() != 2 || !(ends[0] < ends[1]) || (is_logarithmic && !(ends[0] > 0.0)))
    target.wrong("range", required);
  return {scale, std::pair(ends[0], ends[1])};
}

// Their noise is known: it is that of their number of trials, and the nugget.
void refuse_what_counts_lack(const TomlSection& file, const Target& target) {
  if (!target.is_counted()) return;
  const std::string where = fmt::format("where target.scale is \"{}\"", target.scale().name());
  if (file.has("precision"))
    file.complain(
        fmt::format("[precision] is given, must be [[level]] with {} {}", target.scale().noise_key(), where));
  if (file.section("noise").has("variance"))
    file.complain(
        fmt::format("noise.variance is given, must be left out {}: the noise of counts is known", where));
}

// Without an amplitude the scale of f is unknown, so levels cannot be compared before the first answers.
void settle_initial(const TomlSection& file, StudyFile& study) {
  if (!file.section("campaign").has("initial") && !study.amplitude) study.initial.space_filling = true;
  if (study.initial.level.empty()) return;
  std::vector<std::string> names;
  for (const Level& level : study.price_list) names.push_back(level.name);
  if (std::find(names.begin(), names.end(), study.initial.level) == names.end())
    file.complain(fmt::format(
        "campaign.initial.level is \"{}\", must be {}", study.initial.level,
        study.ladder ? "left out where levels have no names ([precision])" : "one of " + quoted_list(names)));
}

// `source` is empty for text that is not from a file.
toml::table parse_toml(const std::string& text, const std::string& source) {
  try {
    return toml_in(text, source);
  } catch (const toml::parse_error& error) {
    std::string reason(error.description());
    if (const std::size_t inside = reason.find(" (TOML_"); inside != std::string::npos)
      reason.erase(inside, reason.find(')', inside) + 1 - inside);  // an internal name of the parser
    throw InputError(fmt::format("{}{}: {}; the {} must be TOML", source.empty() ? "line " : source + ":",
                                 error.source().begin.line, reason, source.empty() ? "text" : "file"));
  }
}

StudyFile read_settings(std::string text, const std::filesystem::path& path) {
  const toml::table table = parse_toml(text, path.string());
  const TomlSection file(path.string(), "", &table);
  StudyFile study;
  study.path = path;
  study.text = std::move(text);

  file.allow({"campaign", "pool", "target", "model", "noise", "precision", "level", "acquisition",
              "annotator", "stop", "goal", "input", "people", "audit"});
  const std::vector<TomlSection> levels = file.sections("level");
  const TomlSection target = file.section("target");
  target.allow({"kind", "classes", "name", "unit", "scale", "range"});
  const bool binary = target.choice("kind", {"real", "binary"}).value_or(0) == 1;
  refuse_other_kind(file, levels, binary ? "binary" : "real");
  const std::vector<std::string> classes = target.texts("classes").value_or(std::vector<std::string>());
  if (target.has("classes") && (classes.size() != 2 || classes[0] == classes[1]))
    target.wrong("classes", "two different names, the first for -1");
  const TargetLabel label{target.text("name").value_or(""), target.text("unit").value_or("")};
  study.target = binary ? Target::classes(classes, label) : Target::real(label, read_scale(target));
  refuse_what_counts_lack(file, *study.target);

  std::vector<std::string> level_names;
  for (const TomlSection& level : levels) level_names.push_back(level.text("name").value_or(""));
  read_campaign(file.section("campaign"), level_names, study);
  read_pool(file.section("pool"), file.sections("input"), study);
  read_model(file.section("model"), study);
  if (file.has("precision") == file.has("level"))
    file.complain(file.has("level") ? "[precision] and [[level]] are both there, must be one of them"
                                    : "[precision] and [[level]] are both missing, must be one of them");
  if (file.has("precision")) {
    study.ladder = read_ladder(file.section("precision"), *study.target);
  } else {
    const bool is_papers = study.fit.optimiser == Optimiser::adam;
    study.price_list = read_price_list(levels, *study.target, !is_papers, file.has("people"));
    if (!study.target->has_noise() && study.fit.noise)
      file.section("model").wrong("fit_noise",
                                  "false for binary targets with [[level]]: accuracies are as "
                                  "given, there is no kappa and no gamma to learn");
  }
  if (file.has("noise")) read_noise(file.section("noise"), study);
  read_nugget(file.section("noise"), study);
  if (study.ladder && study.target->has_noise() && !file.section("noise").has("variance") &&
      study.nugget == 0.0)
    file.missing("noise.variance", "given with [precision]; write 0 if you mean it");
  read_learn_costs(file.section("campaign"), study);
  settle_initial(file, study);
  if (study.learns_bias() && study.fit.optimiser == Optimiser::adam)
    file.section("model").wrong("optimiser", "\"lbfgs\" where the bias of a level is learned");
  if (file.has("goal")) read_goal(file.section("goal"), file.section("pool"), study);
  read_stop(file.section("stop"), study);
  read_acquisition(file.section("acquisition"), file.section("goal"), study);
  read_annotator(file.section("annotator"), study);
  if (file.has("people")) read_people(file.section("people"), file.section("pool"), study);
  read_audit(file.section("audit"), study);
  return study;
}

}  // namespace

CsvReading StudyFile::reading_of(const std::filesystem::path& table) const {
  const bool is_own = table == pool_file || table == initial.file || table == annotator.truth ||
                      table == people.gold || (goal && table == goal->file);
  return is_frozen && is_own ? CsvReading{.dialect = CsvDialect::comma} : tables;
}

std::string StudyFile::located(const std::string& sentence) const {
  return path.empty() ? sentence : path.string() + ": " + sentence;
}

void StudyFile::complain(const std::string& sentence) const {
  throw InputError(located(sentence));
}

bool StudyFile::learns_accuracy() const {
  return std::any_of(price_list.begin(), price_list.end(),
                     [](const Level& level) { return level.accuracy_weight > 0.0; });
}

// A precision that may be any number has no level whose runs could be counted.
bool StudyFile::learns_failures() const {
  return annotator.learns_failures && learns_by_likelihood() && !binary() && !(ladder && ladder->continuous);
}

bool StudyFile::tops_up() const {
  return std::any_of(price_list.begin(), price_list.end(), [](const Level& level) { return level.tops_up; });
}

bool StudyFile::costs_depend_on_inputs() const {
  return std::any_of(price_list.begin(), price_list.end(),
                     [](const Level& level) { return level.cost_depends_on_inputs; });
}

bool StudyFile::has_bias() const {
  return std::any_of(price_list.begin(), price_list.end(),
                     [](const Level& level) { return level.bias.any(); });
}

bool StudyFile::learns_bias() const {
  return std::any_of(price_list.begin(), price_list.end(),
                     [](const Level& level) { return level.bias.learned(); });
}

bool StudyFile::has_meshes() const {
  return std::any_of(price_list.begin(), price_list.end(),
                     [](const Level& level) { return level.bias.is_mesh(); });
}

bool StudyFile::limit_is_reference() const {
  return has_meshes() && std::none_of(price_list.begin(), price_list.end(),
                                      [](const Level& level) { return level.is_reference; });
}

std::filesystem::path StudyFile::folder() const {
  return path.empty() ? std::filesystem::current_path() : std::filesystem::absolute(path).parent_path();
}

StudyFile read_study_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (const std::uintmax_t size = std::filesystem::file_size(path, ignored); !ignored)
    require_toml_size(size, path.string());
  return read_settings(read_regular_file(path), path);
}

StudyFile read_study_text(std::string text) {
  return read_settings(std::move(text), {});
}

}  // namespace acuity
