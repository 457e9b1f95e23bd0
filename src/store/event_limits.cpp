#include "store/event_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "acuity/model/structure.hpp"
#include "store/worker_name.hpp"

namespace acuity {

void refuse_value(const std::string& what, double found, const std::string& required) {
  throw InputError(fmt::format("{} is {}, must be {}", what,
                               std::isnan(found) ? std::string("not a number") : shortest(found), required));
}

namespace {

void require_finite(const char* what, double value) {
  if (!std::isfinite(value)) refuse_value(what, value, "a finite number");
}

void require_number(const char* what, double value) {
  if (std::isnan(value)) refuse_value(what, value, "a number");
}

void require_positive(const char* what, double value) {
  if (!(std::isfinite(value) && value > 0.0)) refuse_value(what, value, "a finite number above 0");
}

void require_amount(const char* what, double amount) {
  if (!(amount >= 0.0 && amount <= largest_amount))
    refuse_value(what, amount, fmt::format("a number from 0 to {}", largest_amount_text));
}

void require_time(const char* what, double seconds) {
  if (!(seconds >= 0.0 && seconds <= latest_time))
    refuse_value(what, seconds, "a number of seconds from 1970 to the year 9999");
}

// The number of bytes of the UTF-8 character that starts here, 0 if it is invalid (RFC 3629).
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U; };
  const auto follows = [&](std::size_t k, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(k) >= low && byte(k) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80, high = first == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80, high = first == 0xF4 ? 0x8F : 0xBF;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

void require_text(const char* what, const std::string& text, std::size_t longest = longest_text) {
  if (text.size() > longest)
    throw InputError(fmt::format("{} has {} bytes, must have at most {}", what, text.size(), longest));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(std::string_view(text).substr(at));
    if (length == 0)
      throw InputError(fmt::format("{} has a byte {:#04x}, must be text in UTF-8", what,
                                   static_cast<unsigned char>(text[at])));
    at += length;
  }
}

void require_answer(const std::vector<double>& values) {
  if (values.empty()) throw InputError("the answer has no values, must have at least one");
  if (values.size() > most_replicates)
    throw InputError(
        fmt::format("the answer has {} values, must have at most {}", values.size(), most_replicates));
  for (const double value : values)
    if (!(std::abs(value) <= largest_answer))
      refuse_value("a value of the answer", value, fmt::format("from -{0} to {0}", shortest(largest_answer)));
}

void require_sound(const Channel& channel) {
  if (const auto* flip = std::get_if<FlipChannel>(&channel)) {
    if (flip->is_symmetric() && !(flip->yes >= 0.5 && flip->yes <= 1.0))
      refuse_value("the accuracy", flip->yes, "a number from 0.5 to 1");
    for (const double one : {flip->yes, flip->no})
      if (!(one >= 0.0 && one <= 1.0)) refuse_value("the accuracy of a class", one, "a number from 0 to 1");
    if (!(flip->gain() >= -1e-9))
      refuse_value("the sum of the accuracies of both classes", flip->yes + flip->no, "1 or more");
    return;
  }
  const double variance = std::get<GaussianChannel>(channel).noise_variance;
  if (!(std::isfinite(variance) && variance >= 0.0))
    refuse_value("the noise variance", variance, "a finite number, 0 or more");
}

// For any ladder; EventRules checks against that of the study.
void require_precision(const std::string& level, std::optional<double> alpha) {
  require_text("the level", level);
  if (alpha && !(*alpha >= 0.0)) refuse_value("alpha", *alpha, "a number, 0 or more");
}

void require_id(std::int64_t id) {
  if (id < 1) throw InputError(fmt::format("the id is {}, must be at least 1", id));
}

void require_row_number(Index row, Index lowest) {
  if (row < lowest) throw InputError(fmt::format("the pool row is {}, must be at least {}", row, lowest));
}

void require_own(const Created& e) {
  require_text("the version", e.version);
  require_text("the name", e.name);
  require_text("the unit", e.unit);
  require_text("the checksum of the study", e.study_checksum);
  require_text("the checksum of the pool", e.pool_checksum);
  require_text("the text of the study", e.study, longest_event);
  require_text("the folder of the study", e.study_folder);
  require_text("the name of the pool's copy", e.pool_file);
  if (e.pool_file.find('/') != std::string::npos || e.pool_file.starts_with('.'))
    throw InputError(fmt::format("the pool's copy is \"{}\", must be a file of the campaign's folder",
                                 printable(e.pool_file, 60)));
  for (const std::string& block : e.pool_blocks) require_text("a checksum of the pool", block);
  if (!std::isinf(e.budget) || e.budget < 0.0) require_amount("the budget", e.budget);
}

void require_own(const Asked& e) {
  require_id(e.id);
  require_row_number(e.row, -1);
  require_text("the point", e.point);
  require_precision(e.level, e.alpha);
  require_sound(e.channel);
  require_amount("the cost", e.cost);
  require_number("the information", e.information);
  require_finite("the mean", e.mean);
  require_finite("the variance", e.variance);
  if (e.answer_mean) require_finite("the mean of the answer", *e.answer_mean);
  if (e.answer_variance) require_finite("the variance of the answer", *e.answer_variance);
  if (e.reserve) {
    require_amount("the reserved amount", *e.reserve);
    if (*e.reserve < e.cost) refuse_value("the reserved amount", *e.reserve, "the cost or more");
  }
  if (e.replaces) require_id(*e.replaces);
  require_text("the worker", e.worker);
  if (e.lease_until) require_time("the end of the lease", *e.lease_until);
}

void require_own(const Told& e) {
  require_id(e.id);
  require_answer(e.values);
  require_amount("the cost", e.cost);
  if (e.channel) require_sound(*e.channel);
  if (e.row) require_row_number(*e.row, 0);
  if (e.inputs)
    for (const double input : *e.inputs) require_finite("an input", input);
  if (e.base_noise && !(std::isfinite(*e.base_noise) && *e.base_noise >= 0.0))
    refuse_value("sigma^2", *e.base_noise, "a finite number, 0 or more");
  require_precision(e.level, e.alpha);
  if (e.queue_seconds) require_amount("the time in the queue", *e.queue_seconds);
  if (e.run_seconds) require_amount("the time of the run", *e.run_seconds);
  require_text("the worker", e.worker);
  if (e.seconds) require_amount("the time of the answer", *e.seconds);
  require_text("the note", e.note);
  if (!e.unasked) return;
  require_text("the point", e.unasked->point);
  require_sound(e.unasked->channel);
  require_amount("the price", e.unasked->cost);
}

void require_own(const Failed& e) {
  require_id(e.id);
  require_text("the reason", e.reason);
  require_amount("the cost", e.charge);
  require_text("the worker", e.worker);
  if (e.seconds) require_amount("the time of the answer", *e.seconds);
}

void require_own(const Renewed& e) {
  require_id(e.id);
  require_time("the end of the lease", e.lease_until);
  require_text("the worker", e.worker);
}

void require_own(const PersonAdded& e) {
  require_text("the name", e.name);
  constexpr std::size_t longest_name = 200;
  if (e.name.empty() || e.name.size() > longest_name)
    throw InputError(
        fmt::format("the name has {} bytes, must have from 1 to {}", e.name.size(), longest_name));
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(e.name.begin(), e.name.end(), is_control) || e.name.front() == ' ' || e.name.back() == ' ')
    throw InputError(fmt::format("the name is \"{}\", must have no control characters or spaces around it",
                                 printable(e.name, 60)));
  if (worker_name::is_program(e.name))
    throw InputError(
        fmt::format("the name is \"{}\", must be another one: it means a program in the log", e.name));
  for (const std::string& level : e.levels) require_text("the level", level);
  if (std::any_of(e.levels.begin(), e.levels.end(), [](const auto& level) { return level.empty(); }))
    throw InputError("a level of the person is empty, must be the name of a level");
  const std::set<std::string> different(e.levels.begin(), e.levels.end());
  if (different.size() != e.levels.size())
    throw InputError(fmt::format("{} has a level twice, must have each once", printable(e.name, 60)));
}

void require_own(const Audited& e) {
  if (e.ids.empty() || e.mean.size() != e.ids.size() || e.variance.size() != e.ids.size() ||
      e.noise.size() != e.ids.size())
    throw InputError(
        fmt::format("it has {} answers, {} means, {} variances and {} noises, must have as many of each",
                    e.ids.size(), e.mean.size(), e.variance.size(), e.noise.size()));
  for (const std::int64_t id : e.ids) require_id(id);
  if (std::set<std::int64_t>(e.ids.begin(), e.ids.end()).size() != e.ids.size())
    throw InputError("it has an answer twice, must have each once");
  for (const double mean : e.mean) require_finite("a predicted mean", mean);
  for (const auto* variances : {&e.variance, &e.noise})
    for (const double variance : *variances)
      if (!(std::isfinite(variance) && variance >= 0.0))
        refuse_value("a predicted variance", variance, "a finite number, 0 or more");
}

void require_own(const Released& e) {
  require_id(e.id);
  require_text("the reason", e.reason);
}

void require_own(const Excluded& e) {
  require_row_number(e.row, 0);
  require_precision(e.level, e.alpha);
  require_text("the reason", e.reason);
}

void require_own(const Amended& e) {
  require_id(e.id);
  if (!e.values.empty() || !(e.moves_answer() || e.cost || e.refund)) require_answer(e.values);
  require_text("the reason", e.reason);
  if (e.cost) require_amount("the cost", *e.cost);
  if (e.refund) require_amount("the refund", *e.refund);
  if (e.channel) require_sound(*e.channel);
  if (e.channel && e.declared_channel)
    throw InputError("it has a noise and says that there is none of its own, must be one of them");
  if (e.row && e.inputs) throw InputError("it has a pool row and inputs, must be one of them");
  if (e.row) require_row_number(*e.row, 0);
  if (e.inputs)
    for (const double input : *e.inputs) require_finite("an input", input);
  if (e.base_noise && !(std::isfinite(*e.base_noise) && *e.base_noise >= 0.0))
    refuse_value("sigma^2", *e.base_noise, "a finite number, 0 or more");
  require_precision(e.level, e.alpha);
}

void require_own(const Retracted& e) {
  require_id(e.id);
  require_text("the reason", e.reason);
}

void require_own(const BudgetChanged& e) {
  require_finite("the change of the budget", e.by);
}

void require_valid_structure(const FittedStructure& one) {
  const std::optional<Structure> structure = structure_named(one.name);
  if (!structure) throw InputError(fmt::format("it has the structure \"{}\", must be one of five", one.name));
  for (const double parameter : one.log_parameters)
    if (!std::isnormal(std::exp(parameter)))
      refuse_value("the logarithm of a hyperparameter", parameter, "that of a number");
  if (!(std::isfinite(one.nugget) && one.nugget >= 0.0))
    refuse_value("the nugget", one.nugget, "a finite number, 0 or more");
  require_finite("the objective", one.objective);
  if (one.map.size() != (structure == Structure::transformed ? 7 : 0))
    throw InputError(fmt::format("its map of answers has {} numbers, must have 7 if answers are transformed",
                                 one.map.size()));
  for (const double number : one.map) require_finite("a number of the map of answers", number);
  if (!one.map.empty()) {
    require_positive("the spread of answers", one.map[2]);
    require_positive("the factor of a map", one.map.back());
  }
}

void require_valid_link(const FittedLink& one) {
  for (const double parameter : one.log_parameters)
    if (!std::isnormal(std::exp(parameter)))
      refuse_value("the logarithm of a hyperparameter", parameter, "that of a number");
  if (!(std::isfinite(one.nugget) && one.nugget >= 0.0))
    refuse_value("the nugget", one.nugget, "a finite number, 0 or more");
  for (const double number : {one.mean, one.centre, one.low, one.high})
    require_finite("a number of a link", number);
  require_positive("the spread of a level's answers", one.spread);
  if (!(one.low < one.high)) throw InputError("the range of a link is empty, must be one");
}

void require_valid_chain(const Fitted& e) {
  for (const FittedLink& one : e.chain) require_valid_link(one);
  if (e.chain.size() == 1) throw InputError("its chain has one link, must have two or more");
  if (e.chain.empty() == e.chain_weight.has_value())
    throw InputError("it has a chain or its weight, must have both or none");
  if (e.chain_weight && !(*e.chain_weight >= 0.0 && *e.chain_weight <= 1.0))
    refuse_value("the weight of the chain", *e.chain_weight, "a number from 0 to 1");
}

void require_classes(const Fitted& e) {
  constexpr std::size_t of_level = 4, of_person = 5;
  if (e.level_by_class.size() % of_level != 0 || e.people_by_class.size() % of_person != 0 ||
      (!e.level_by_class.empty() && (e.level_by_class.size() != of_level * e.level_accuracy.size() ||
                                     e.people_by_class.size() != of_person * e.people.size())) ||
      (e.level_by_class.empty() && !e.people_by_class.empty()))
    throw InputError(
        "its accuracies by class are incomplete, must be four numbers per level and five per person");
  for (std::size_t k = 0; k < e.level_by_class.size() + e.people_by_class.size(); ++k) {
    const bool is_level = k < e.level_by_class.size();
    const std::size_t at = is_level ? k : k - e.level_by_class.size();
    const double value = is_level ? e.level_by_class[at] : e.people_by_class[at];
    const std::size_t which = at % (is_level ? of_level : of_person);
    const bool is_sd = which == 2 || which == 3;
    if (!(value >= 0.0 && (is_sd || value <= 1.0)))
      refuse_value(is_sd ? "the standard deviation of an accuracy" : "an accuracy of a class", value,
                   is_sd ? "a number, 0 or more" : "a number from 0 to 1");
  }
}

void require_own(const Fitted& e) {
  for (const FittedStructure& one : e.structures) require_valid_structure(one);
  require_valid_chain(e);
  if (e.annotations < 0)
    throw InputError(fmt::format("it learned from {} annotations, must be 0 or more", e.annotations));
  for (const double parameter : e.log_parameters)
    if (!std::isnormal(std::exp(parameter)))
      refuse_value("the logarithm of a hyperparameter", parameter, "that of a number");
  require_finite("the mean", e.mean);
  require_positive("the scale of gamma", e.added_scale);
  require_positive("the scale of sigma^2", e.base_scale);
  for (const double scale : e.level_scales) require_positive("the scale of a level's noise", scale);
  for (const double factor : e.bias_lengthscale)
    require_positive("the factor on the length scales of a bias", factor);
  for (const double sd : e.smooth_sd)
    if (!(std::isfinite(sd * sd) && sd >= 0.0))
      refuse_value("the standard deviation of a bias", sd, "a number, 0 or more, whose square is finite");
  if (e.mesh_order) require_positive("the power of the mesh size", *e.mesh_order);
  if (e.nugget) require_positive("the nugget", *e.nugget);
  if (e.noisier_nugget.has_value() != e.noisier_probability.has_value())
    throw InputError("it has a second nugget or its probability, must have both or none");
  if (e.noisy && !e.noisier_nugget)
    throw InputError("answers count as noisy without a second nugget, must have one");
  if (e.noisier_nugget) require_positive("the second nugget", *e.noisier_nugget);
  if (e.noisier_probability && !(*e.noisier_probability >= 0.0 && *e.noisier_probability <= 1.0))
    refuse_value("the probability of the second nugget", *e.noisier_probability, "a number from 0 to 1");
  if (e.kappa && !(*e.kappa >= 0.5 && *e.kappa <= 1.0))
    refuse_value("kappa", *e.kappa, "a number from 0.5 to 1");
  if (e.gamma && !(*e.gamma >= 0.0 && *e.gamma <= 0.5))
    refuse_value("gamma", *e.gamma, "a number from 0 to 0.5");
  require_number("the likelihood", e.log_marginal_likelihood);
  require_text("the reason", e.reason);
  for (const auto* accuracies : {&e.level_accuracy, &e.people_accuracy})
    for (const double accuracy : *accuracies)
      if (!(accuracy >= 0.5 && accuracy <= 1.0))
        refuse_value("an accuracy", accuracy, "a number from 0.5 to 1");
  for (const auto* sds : {&e.level_accuracy_sd, &e.people_accuracy_sd})
    for (const double sd : *sds)
      if (!(sd >= 0.0)) refuse_value("the standard deviation of an accuracy", sd, "a number, 0 or more");
  require_classes(e);
  for (const auto* texts : {&e.people, &e.people_levels})
    for (const std::string& text : *texts) require_text("a person", text);
  if (e.level_accuracy.size() != e.level_accuracy_sd.size() || e.people.size() != e.people_levels.size() ||
      e.people.size() != e.people_accuracy.size() || e.people.size() != e.people_accuracy_sd.size())
    throw InputError(
        "it has accuracies without a level, person or standard deviation, must have one of each");
}

void require_own(const OwnerChanged& e) {
  require_text("the host", e.host);
  if (e.process < 0 || e.process > std::numeric_limits<std::int32_t>::max())
    throw InputError(fmt::format("the process is {}, must be a process id", e.process));
  if (e.process_start < 0)
    throw InputError(fmt::format("the start of the process is {}, must be 0 or more", e.process_start));
  require_text("the realm", e.realm);
  if (e.lease_until) require_time("the end of the lease", *e.lease_until);
}

void require_own(const StudyChanged& e) {
  require_text("the text of the study", e.study, longest_event);
  require_text("the text before", e.before, longest_event);
  require_text("the checksum of the study", e.study_checksum);
  require_text("the checksum of the pool", e.pool_checksum);
  require_text("the name", e.name);
  for (const auto* texts : {&e.pool_blocks, &e.tables, &e.table_checksums, &e.changes, &e.kept_levels})
    for (const std::string& text : *texts) require_text("a text of the change", text);
  if (e.tables.size() != e.table_checksums.size())
    throw InputError("it has tables without checksums, must have one of each");
  for (const std::string& table : e.tables)
    if (table != "goal.csv" && table != "truth.csv" && table != "gold.csv")
      throw InputError(
          fmt::format("it replaces \"{}\", must be goal.csv, gold.csv or truth.csv", printable(table, 60)));
  if (e.kept_levels.size() != e.kept_noise.size())
    throw InputError("it has levels without a noise, must have one of each");
  for (const double noise : e.kept_noise)
    if (!(std::isfinite(noise) && noise >= 0.0))
      refuse_value("the noise that is kept", noise, "a finite number, 0 or more");
  if (e.budget && !(std::isinf(*e.budget) && *e.budget > 0.0)) require_amount("the budget", *e.budget);
}

void require_own(const Planned& e) {
  if (!(e.lambda >= 0.0 && e.lambda <= 1.0)) refuse_value("lambda", e.lambda, "a number from 0 to 1");
  require_amount("the money that is planned", e.remaining);
  require_number("what the plan expects", e.expected);
  require_number("what information per cost expects", e.expected_ratio);
  for (const std::vector<double>* counts : {&e.purchases, &e.purchases_ratio})
    for (const double count : *counts)
      if (!(count >= 0.0 && count <= 9e15 && count == std::floor(count)))
        refuse_value("the number of purchases at a level", count, "a whole number, 0 or more");
  for (const double cost : e.costs) require_amount("the expected cost of a level", cost);
  require_text("the note", e.note);
}

}  // namespace

void require_valid(const Event& event) {
  std::visit([](const auto& one) { require_own(one); }, event);
}

void require_valid_time(double seconds_since_1970) {
  require_time("the time", seconds_since_1970);
}

std::string as_event_text(std::string_view text) {
  std::string readable;
  while (!text.empty()) {
    const std::size_t length = character_length(text), taken = std::max<std::size_t>(length, 1);
    if (readable.size() + taken > longest_text) break;
    readable += length == 0 ? "?" : text.substr(0, length);
    text.remove_prefix(taken);
  }
  return readable;
}

}  // namespace acuity
