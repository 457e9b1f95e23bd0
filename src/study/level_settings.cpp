#include "study/level_settings.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <unordered_set>

#include "acuity/data/money.hpp"
#include "acuity/data/observation.hpp"

namespace acuity {

namespace {

CostSetting read_cost(const TomlSection& precision) {
  if (!precision.has("cost"))
    precision.missing("cost", "{ form = \"power\", ... }, { form = \"linear\", ... } or a formula in alpha");
  if (precision.is_string("cost")) return *precision.text("cost");
  if (!precision.is_table("cost")) return LinearCostSetting{*precision.number("cost", Range::positive), 0.0};
  const TomlSection cost = precision.section("cost");
  const std::optional<std::size_t> form = cost.choice("form", {"power", "linear"});
  if (!form) cost.missing("form", "\"power\" or \"linear\"");
  const auto required = [&](const char* key, Range range) {
    if (!cost.has(key)) cost.missing(key, "a number");
    return *cost.number(key, range);
  };
  if (*form == 0) {
    cost.allow({"form", "c", "q"});
    return PowerCostSetting{required("c", Range::zero_or_more), required("q", Range::zero_or_more)};
  }
  cost.allow({"form", "b", "c"});
  return LinearCostSetting{required("b", Range::finite), required("c", Range::finite)};
}

// Levels uniform in 1 / alpha or in alpha, from the vaguest to the sharpest; or as listed.
std::vector<Precision> read_rungs(const TomlSection& precision, const Target& target) {
  const Range range = target.has_noise() ? Range::at_least_one : Range::zero_to_one;
  if (!precision.has("alpha")) precision.missing("alpha", "a list, or { from = ..., to = ..., count = ... }");
  std::vector<Precision> rungs;
  if (precision.is_array("alpha")) {
    std::vector<double> alphas = *precision.numbers("alpha", range);
    for (const double alpha : alphas) rungs.push_back(Precision::of(alpha));
    std::sort(alphas.begin(), alphas.end());
    if (std::adjacent_find(alphas.begin(), alphas.end()) != alphas.end())
      precision.wrong("alpha", "a list without repetitions");
    return rungs;
  }
  if (!precision.is_table("alpha"))
    precision.wrong("alpha", "a list, or { from = ..., to = ..., count = ... }");
  const TomlSection alpha = precision.section("alpha");
  alpha.allow({"from", "to", "count", "spacing", "continuous"});
  for (const char* key : {"from", "to"})
    if (!alpha.has(key)) alpha.missing(key, std::string(target.alpha_requirement()));
  const double from = *alpha.number("from", range), to = *alpha.number("to", range);
  if (!(from < to)) alpha.wrong("to", "above " + alpha.path("from"));
  if (alpha.boolean("continuous").value_or(false)) {
    for (const char* key : {"count", "spacing"})
      if (alpha.has(key))
        alpha.complain(alpha.path(key) + " is given with continuous = true, must be left out");
    return {Precision::of(from), Precision::of(to)};
  }
  if (!alpha.has("count")) alpha.missing("count", "a whole number, 2 or more");
  const std::int64_t count = *alpha.integer("count", 2);
  if (count > 1'000'000) alpha.wrong("count", "1000000 at most");
  const bool can_be_inverse = target.defaults().has_inverse_spacing;
  const bool linear = alpha.choice("spacing", {"inverse", "linear"}).value_or(can_be_inverse ? 0 : 1) == 1;
  if (!linear && !can_be_inverse)
    alpha.wrong("spacing", fmt::format("\"linear\" for {} targets", target.kind()));
  if (linear && std::isinf(to)) alpha.wrong("to", "finite with spacing \"linear\"");
  for (std::int64_t k = 0; k < count; ++k) {
    const double share = static_cast<double>(count - 1 - k) / static_cast<double>(count - 1);
    const double uniform = linear ? to + (from - to) * share : 1.0 / to + (1.0 / from - 1.0 / to) * share;
    rungs.push_back(linear ? Precision::of(uniform) : Precision::of_inverse(uniform));
  }
  return rungs;
}

bool is_continuous(const TomlSection& precision) {
  return precision.is_table("alpha") && precision.section("alpha").boolean("continuous").value_or(false);
}

LevelValue read_value(const TomlSection& level, const std::string& name) {
  if (!level.has("value")) return name;
  const toml::node& value = *level.node("value");
  if (const auto text = value.value_exact<std::string>()) return *text;
  if (const auto number = value.value_exact<double>()) return *number;
  if (const auto whole = value.value_exact<std::int64_t>()) return *whole;
  if (const auto truth = value.value_exact<bool>()) return *truth;
  if (value.is_array() || value.is_table()) level.wrong("value", "text, a number, a date, true or false");
  std::ostringstream date;
  value.visit([&](const auto& scalar) { date << scalar; });
  return date.str();
}

// With `depends_on_inputs` the price is a guess. A level that is never bought needs none.
double read_level_cost(const TomlSection& level, bool& depends_on_inputs) {
  if (!level.has("cost") && level.boolean("retired").value_or(false)) return 1.0;
  if (!level.has("cost")) level.missing("cost", "a finite number above 0");
  if (level.is_string("cost"))
    level.wrong("cost",
                "a number or, to learn it from the inputs, { guess = ... }: the first answers need a price");
  const auto at_most = [](const std::string& what) {
    return fmt::format("{} at most {}", what, largest_amount_text);
  };
  if (!level.is_table("cost")) {
    const double price = *level.number("cost", Range::positive);
    if (price > largest_amount) level.wrong("cost", at_most("a number above 0 and"));
    return price;
  }
  const TomlSection cost = level.section("cost");
  depends_on_inputs = cost.has("guess");
  if (depends_on_inputs) {
    cost.allow({"guess"});
    const double guess = *cost.number("guess", Range::positive);
    if (guess > largest_amount) level.wrong("cost", at_most("a guess above 0 and"));
    return guess;
  }
  cost.allow({"setup", "per", "units"});
  for (const char* key : {"per", "units"})
    if (!cost.has(key)) cost.missing(key, "a number");
  const double total = cost.number("setup", Range::zero_or_more).value_or(0.0) +
                       *cost.number("per", Range::zero_or_more) * *cost.number("units", Range::zero_or_more);
  if (!(std::isfinite(total) && total > 0.0))
    level.wrong("cost", fmt::format("above 0 in total (setup + per * units is {})", total));
  if (total > largest_amount)
    level.wrong("cost", at_most("above 0 and") + fmt::format(" in total (setup + per * units is {})", total));
  return total;
}

// The accuracies of both classes; with a weight they are a guess.
void read_class_accuracies(const TomlSection& given, Level& level) {
  given.allow({"yes", "no", "weight"});
  FlipChannel channel;
  for (const char* key : {"yes", "no"}) {
    if (!given.has(key)) given.missing(key, "a number above 0 and below 1");
    const double found = *given.number(key, Range::zero_to_one);
    if (!(found > 0.0 && found < 1.0)) given.wrong(key, "a number above 0 and below 1");
    (key[0] == 'y' ? channel.yes : channel.no) = found;
  }
  if (channel.yes + channel.no < 1.0)
    given.wrong("no", fmt::format("{} or more: the sum of yes and no is at least 1", 1.0 - channel.yes));
  level.channel = channel;
  level.accuracy_weight = given.number("weight", Range::positive).value_or(0.0);
  level.accuracy_by_class = level.accuracy_weight > 0.0;
}

// Given, or to be learned: then the number is a guess that counts as so many answers. That of "learn" is one
// that most people reach, with a weight that thirty answers outweigh (docs/math.md 15). Of people it is
// learned by class unless the study says otherwise.
void read_accuracy(const TomlSection& table, bool has_people, Level& level) {
  constexpr const char* required =
      "a number from 0.5 to 1, \"learn\", \"learn-by-class\", { guess = 0.8, weight = 20 } or { yes = 0.9, "
      "no = "
      "0.8 }";
  constexpr double guess = 0.8, weight = 20.0;
  if (!table.has("accuracy") && !has_people) table.missing("accuracy", required);
  if (table.is_number("accuracy")) {
    level.channel = FlipChannel{*table.number("accuracy", Range::half_to_one)};
    return;
  }
  level.channel = FlipChannel{guess};
  level.accuracy_weight = weight;
  level.accuracy_by_class = !table.has("accuracy");
  if (level.accuracy_by_class) return;
  if (table.is_string("accuracy")) {
    const std::string word = *table.text("accuracy");
    level.accuracy_by_class = word == "learn-by-class";
    if (word != "learn" && !level.accuracy_by_class) table.wrong("accuracy", required);
    return;
  }
  if (!table.is_table("accuracy")) table.wrong("accuracy", required);
  const TomlSection given = table.section("accuracy");
  if (given.has("yes") || given.has("no")) return read_class_accuracies(given, level);
  given.allow({"guess", "weight"});
  const double found = given.number("guess", Range::half_to_one).value_or(guess);
  if (!(found > 0.5 && found < 1.0)) given.wrong("guess", "above 0.5 and below 1");
  level.channel = FlipChannel{found};
  level.accuracy_weight = given.number("weight", Range::positive).value_or(weight);
  if (level.accuracy_weight > 1e6) given.wrong("weight", "a number of answers, at most 1000000");
}

// Keys by which levels of real targets may state their noise; every scale has one of them.
constexpr const char* noise_keys[] = {"noise_sd", "noise_relative", "trials", "exposure"};

void refuse_noise_of_other_scales(const TomlSection& table, const AnswerScale& scale) {
  for (const char* other : noise_keys)
    if (other != scale.noise_key() && table.has(other))
      table.complain(fmt::format("{} is given, must be {} where target.scale is \"{}\"{}", table.path(other),
                                 scale.noise_key(), scale.name(),
                                 scale.is_logarithmic()
                                     ? ": how large it is relative to an answer is not known before"
                                 : scale.is_counted() ? ": the noise of counts follows from it"
                                                      : ""));
}

// The noise of counts is known once their number of trials is (docs/math.md eq. (22.1) and (22.2)).
Channel read_trials(const TomlSection& table, const AnswerScale& scale) {
  const std::string key(scale.noise_key());
  const bool is_fraction = scale.kind() == TargetScale::fraction;
  if (table.has("exact"))
    table.complain(fmt::format("{} is given, must be left out where target.scale is \"{}\"",
                               table.path("exact"), scale.name()));
  const char* required = is_fraction ? "a whole number, 1 or more" : "a finite number above 0";
  if (!table.has(key)) table.missing(key, required);
  const double trials = *table.number(key, Range::positive);
  if (!(trials < 1e15 && trials > 1e-15) || (is_fraction && trials != std::floor(trials)))
    table.wrong(key, required);
  return GaussianChannel{AnswerScale::variance_of(trials)};
}

// Of the answer, or, with a logarithm, relative to it: the standard deviation of the logarithm to first order
// (docs/math.md eq. (16.1)).
Channel read_noise(const TomlSection& table, bool exact, const AnswerScale& scale) {
  refuse_noise_of_other_scales(table, scale);
  if (scale.is_counted()) return read_trials(table, scale);
  const std::string key(scale.noise_key());
  const std::optional<double> sd = table.number(key, Range::zero_or_more);
  if (!sd && !exact) table.missing(key, "a finite number above 0 (or exact = true)");
  if (sd.value_or(0.0) > 0.0 && exact) table.wrong(key, "0 where exact = true");
  const double variance = sd.value_or(0.0) * sd.value_or(0.0);
  if (!std::isfinite(variance) || (sd.value_or(0.0) > 0.0 && variance == 0.0))
    table.wrong(key, "a number whose square is finite and above 0");
  return GaussianChannel{variance};
}

// What a level says about its relation to f; nothing if it leaves that to the default.
std::optional<LevelRelation> read_relation(const TomlSection& table) {
  const std::optional<std::size_t> chosen = table.choice("relation", {"noise", "difference", "any", "learn"});
  return chosen ? std::optional(static_cast<LevelRelation>(*chosen)) : std::nullopt;
}

bool is_related(const std::optional<LevelRelation>& relation) {
  return relation && *relation != LevelRelation::noise;
}

// What tables say about the reference: `reference = true`, "limit", or nothing.
bool is_limit(const TomlSection& table) {
  if (!table.is_string("reference")) return false;
  if (*table.text("reference") != "limit") table.wrong("reference", "true, false or \"limit\"");
  return true;
}

// What a level says about its bias; nothing if it leaves that to the default.
std::optional<LevelBias> read_bias(const TomlSection& table, const Level& level) {
  const std::optional<LevelRelation> relation = read_relation(table);
  const double error = std::sqrt(noise_variance(level.channel));
  if (!table.has("bias")) {
    if (relation == LevelRelation::noise) return LevelBias{};
    if (!is_related(relation) || table.has("h")) return std::nullopt;  // meshes are settled together
    if (!is_limit(table) && table.boolean("reference").value_or(false)) return std::nullopt;
    if (!(error > 0.0))
      table.wrong("relation",
                  "\"noise\", or noise_sd above 0: it is how far the level is from the reference");
    return LevelBias::assumed(error);
  }
  if (relation == LevelRelation::noise && !(table.is_string("bias") && *table.text("bias") == "none"))
    table.wrong("bias", "\"none\" where relation = \"noise\"");
  if (table.is_string("bias")) {
    const std::string word = *table.text("bias");
    if (word == "none") return LevelBias{};
    if (word != "learn") table.wrong("bias", "\"learn\", \"none\" or { offset_sd = ..., smooth_sd = ... }");
    if (table.has("h")) return std::nullopt;
    if (!(error > 0.0))
      table.wrong(
          "bias",
          "given as { offset_sd = ..., smooth_sd = ... } where noise_sd is 0: noise_sd is the size of "
          "the error that is learned");
    return LevelBias::assumed(error);
  }
  if (!table.is_table("bias"))
    table.wrong("bias", "\"learn\", \"none\" or { offset_sd = ..., smooth_sd = ... }");
  const TomlSection bias = table.section("bias");
  bias.allow({"offset_sd", "smooth_sd", "lengthscale"});
  LevelBias given{.offset_sd = bias.number("offset_sd", Range::zero_or_more).value_or(0.0),
                  .smooth_sd = bias.number("smooth_sd", Range::zero_or_more).value_or(0.0),
                  .lengthscale = bias.number("lengthscale", Range::positive).value_or(1.0)};
  if (!std::isfinite(given.offset_sd * given.offset_sd) || !std::isfinite(given.smooth_sd * given.smooth_sd))
    table.wrong("bias", "numbers whose squares are finite");
  return given;
}

// All levels with a bias have one relation, since one model has all of them: the one that some of them state,
// or "learn".
void settle_relations(const std::vector<TomlSection>& tables, std::vector<Level>& levels) {
  std::optional<LevelRelation> common;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const std::optional<LevelRelation> stated = read_relation(tables[k]);
    if (!is_related(stated)) continue;
    if (!levels[k].bias.any())
      tables[k].wrong("relation", levels[k].is_reference
                                      ? "left out at the reference level, to which the others are related"
                                      : "\"noise\" at a level without a bias");
    if (common && *common != *stated)
      tables[k].wrong("relation", "the same at all levels that have one, apart from \"noise\"");
    common = stated;
  }
  const bool has_meshes =
      std::any_of(levels.begin(), levels.end(), [](const Level& level) { return level.bias.is_mesh(); });
  if (has_meshes && common && *common != LevelRelation::difference)
    tables.front().complain(
        "levels have h and a level another relation than \"difference\", must have this one");
  const LevelRelation assumed = has_meshes ? LevelRelation::difference : LevelRelation::learn;
  for (Level& level : levels)
    if (level.bias.any()) level.relation = common.value_or(assumed);
}

// The sizes of meshes, one per level; 0: none is given. The order of convergence is learned from three or
// more.
std::vector<double> mesh_sizes(const std::vector<TomlSection>& tables) {
  constexpr std::ptrdiff_t fewest = 3;
  std::vector<double> sizes;
  for (const TomlSection& table : tables) {
    const double size = table.number("h", Range::positive).value_or(0.0);
    if (size > 0.0 && std::find(sizes.begin(), sizes.end(), size) != sizes.end())
      table.wrong("h", "another number than at the other levels");
    sizes.push_back(size);
  }
  const auto count = std::count_if(sizes.begin(), sizes.end(), [](double size) { return size > 0.0; });
  for (std::size_t k = 0; k < tables.size(); ++k) {
    const std::string fewer = fmt::format(", must come with h at {} levels or more: {} {}", fewest, count,
                                          count == 1 ? "has" : "have");
    if (is_limit(tables[k]) && count < fewest)
      tables[k].complain(tables[k].path("reference") + " is \"limit\"" + fewer + " one");
    if (sizes[k] > 0.0 && count < fewest)
      tables[k].complain(tables[k].path("h") + " is given" + fewer + " one");
  }
  return sizes;
}

// Levels with h have multiples of one error, which shrinks with the mesh (docs/math.md 12.8).
void settle_meshes(const std::vector<TomlSection>& tables, std::optional<std::size_t> reference,
                   std::vector<Level>& levels) {
  const std::vector<double> sizes = mesh_sizes(tables);
  const std::size_t coarsest =
      static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  if (!(sizes[coarsest] > 0.0)) return;
  if (reference && !(sizes[*reference] > 0.0))
    tables[*reference].missing("h", "a mesh size: other levels have one, and this is the reference");
  if (reference == coarsest)
    tables[coarsest].complain(
        "the reference is the level of the coarsest mesh, must be a finer one or reference = \"limit\"");
  const double error = std::sqrt(noise_variance(levels[coarsest].channel));
  if (!(error > 0.0))
    tables[coarsest].complain("noise_sd is 0 at the coarsest mesh, must be above 0: the size of its error");
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (!(sizes[k] > 0.0) || k == reference) continue;
    if (tables[k].has("bias") && !(tables[k].is_string("bias") && *tables[k].text("bias") == "learn"))
      tables[k].wrong("bias", "\"learn\" or left out at a level with h, whose error shrinks with h");
    if (tables[k].has("relation") && *tables[k].text("relation") != "difference")
      tables[k].wrong("relation", "\"difference\" or left out at a level with h, whose error shrinks with h");
    levels[k].bias = LevelBias::assumed_mesh(sizes[k] / sizes[coarsest],
                                             reference ? sizes[*reference] / sizes[coarsest] : 0.0, error);
  }
}

// The level that f is the answer of: the one that says so, or that of least noise among those that do not
// state a bias; of several the most expensive. None if f is meant at the limit of the mesh.
std::optional<std::size_t> reference_level(const std::vector<TomlSection>& tables,
                                           const std::vector<Level>& levels,
                                           const std::vector<std::optional<LevelBias>>& stated) {
  std::optional<std::size_t> named, best, limit;
  const auto has_bias = [&](std::size_t k) { return stated[k] && stated[k]->any(); };
  const auto key = [&](std::size_t k) {
    return std::pair(noise_variance(levels[k].channel), -levels[k].cost);
  };
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const bool says_limit = is_limit(tables[k]);
    if (says_limit || tables[k].boolean("reference").value_or(false)) {
      if (named || limit)
        tables[k].wrong("reference",
                        limit || says_limit ? "given at one level at most" : "true at one level at most");
      if (!says_limit && has_bias(k))
        tables[k].wrong("bias", "\"none\" at the reference level, which all others differ from");
      (says_limit ? limit : named) = k;
    }
    if (!has_bias(k) && (!best || key(k) < key(*best))) best = k;
  }
  if (limit) return std::nullopt;
  if (!named && !best)
    tables.front().complain(
        "every level has a bias, must be one without: the reference that they differ from");
  return named.value_or(best.value_or(0));
}

// Levels whose answers repeat themselves differ from the reference by an error that averages out nowhere, so
// with `is_implied` they have a bias unless they state that they have none.
void settle_biases(const std::vector<TomlSection>& tables, bool is_implied, std::vector<Level>& levels) {
  std::vector<std::optional<LevelBias>> stated;
  for (std::size_t k = 0; k < levels.size(); ++k) stated.push_back(read_bias(tables[k], levels[k]));
  const std::optional<std::size_t> reference = reference_level(tables, levels, stated);
  if (reference) levels[*reference].is_reference = true;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    Level& level = levels[k];
    const double error = std::sqrt(noise_variance(level.channel));
    const bool by_default = is_implied && level.repeats_itself && error > 0.0;
    if (stated[k])
      level.bias = *stated[k];
    else if (by_default && k != reference)
      level.bias = LevelBias::assumed(error);
  }
  settle_meshes(tables, reference, levels);
  settle_relations(tables, levels);
  for (std::size_t k = 0; k < levels.size(); ++k)
    if (levels[k].bias.any()) std::get<GaussianChannel>(levels[k].channel).bias = static_cast<int>(k) + 1;
}

// A run that is continued adds samples to those of a coarser answer, so the error must be their noise.
void require_continuable(const TomlSection& table, const Target& target, const Level& level) {
  if (!target.has_noise()) table.wrong("topup", "false for binary targets");
  if (level.repeats_itself || level.bias.any())
    table.wrong("topup",
                "false at a level with repeat = \"same\" or a bias, whose error does not average out");
}

}  // namespace

LadderSetting read_ladder(const TomlSection& precision, const Target& target) {
  precision.allow({"alpha", "gamma", "kappa", "cost"});
  LadderSetting ladder{.rungs = read_rungs(precision, target),
                       .continuous = is_continuous(precision),
                       .law = {},
                       .cost = read_cost(precision)};
  if (!precision.has("gamma")) precision.missing("gamma", "a finite number above 0");
  ladder.law.gamma = *precision.number("gamma", Range::positive);
  if (target.has_noise()) return ladder;
  if (!precision.has("kappa")) precision.missing("kappa", "a number from 0.5 to 1");
  ladder.law.kappa = *precision.number("kappa", Range::half_to_one);
  const double top = *ladder.law.kappa + ladder.law.gamma;
  if (top > 1.0 + 1e-12)
    precision.complain(fmt::format("precision.kappa + precision.gamma is {}, must be 1 at most", top));
  return ladder;
}

std::vector<Level> read_price_list(const std::vector<TomlSection>& tables, const Target& target,
                                   bool bias_is_implied, bool has_people) {
  std::vector<Level> levels;
  std::unordered_set<std::string> names;
  for (const TomlSection& table : tables) {
    table.allow({"name", "value", "noise_sd", "noise_relative", "trials", "exposure", "accuracy", "cost",
                 "repeat", "exact", "bias", "relation", "reference", "topup", "units", "retired", "h"});
    const std::optional<std::string> name = table.text("name");
    if (!name || name->empty()) table.missing("name", "text in quotes");
    if (!names.insert(*name).second) table.wrong("name", "unique among the levels");
    bool depends_on_inputs = false;
    Level level{
        .name = *name, .cost = read_level_cost(table, depends_on_inputs), .value = read_value(table, *name)};
    level.cost_depends_on_inputs = depends_on_inputs;
    level.exact = table.boolean("exact").value_or(false);
    if (target.has_noise())
      level.channel = read_noise(table, level.exact, target.scale());
    else
      read_accuracy(table, has_people, level);
    level.units = table.integer("units", 1).value_or(1);
    if (level.units > 1'000'000) table.wrong("units", "1000000 at most");
    level.repeats_itself = table.choice("repeat", {"independent", "same"}).value_or(0) == 1;
    level.tops_up = table.boolean("topup").value_or(false);
    level.is_retired = table.boolean("retired").value_or(false);
    levels.push_back(std::move(level));
  }
  if (std::all_of(levels.begin(), levels.end(), [](const Level& level) { return level.is_retired; }))
    tables.front().complain("every level is retired, must be one that can be bought");
  if (target.defaults().has_biases) settle_biases(tables, bias_is_implied, levels);
  for (std::size_t k = 0; k < levels.size(); ++k)
    if (levels[k].tops_up) require_continuable(tables[k], target, levels[k]);
  return levels;
}

}  // namespace acuity
