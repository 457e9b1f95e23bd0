#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "acuity/study/study.hpp"
#include "data/csv_scanner.hpp"
#include "settings/input_settings.hpp"
#include "study/exclusions.hpp"
#include "text/nearest.hpp"

namespace acuity {

/// Reads a file of annotations of a study: their places, precisions and costs.
class AnnotationReader {
 public:
  AnnotationReader(const Study& study, const std::filesystem::path& path)
      : study_(study), table_(Table::read(path, study.file().reading_of(path))) {
    find_columns();
    for (std::size_t k = 0; k < study_.offer().levels.size(); ++k)
      level_index_.emplace(study_.offer().levels[k].name, static_cast<Index>(k));
  }

  std::vector<Annotation> read() const {
    std::vector<Annotation> annotations;
    double spent = 0.0;
    for (Index row = 0; row < table_.rows(); ++row) {
      if (is_exclusion(row)) continue;
      annotations.push_back(annotation(row));
      spent += annotations.back().cost;
      if (!(spent <= largest_amount))
        throw InputError(fmt::format("{}: the costs up to here add up to {}, must be at most {}",
                                     table_.where(row), shortest(spent), largest_amount_text));
    }
    return annotations;
  }

  std::vector<Exclusion> exclusions() const {
    std::vector<Exclusion> found;
    for (Index row = 0; row < table_.rows(); ++row) {
      if (!is_exclusion(row)) continue;
      const std::optional<Index> point = study_.pool().find(id_at(row));
      const std::string level = given_ == Given::level ? level_at(row) : std::string();
      if (!level.empty() && !level_index_.contains(level)) continue;
      if (point) found.push_back({*point, level, table_.text(row, *excluded_)});
    }
    return found;
  }

 private:
  enum class Given { alpha, level, channel };
  static constexpr std::string_view own_columns[] = {"id",       "y",   "alpha", "level", "noise_variance",
                                                     "accuracy", "cost"};

  // Tables that acuity has written have an apostrophe before text that a spreadsheet would take for a
  // formula. A name that really begins so is found first.
  std::string id_at(Index row) const {
    const std::string text = table_.text(row, *id_);
    return study_.pool().find(text) ? text : csv::unprotected(text);
  }
  std::string level_at(Index row) const {
    const std::string text = table_.text(row, precision_);
    return level_index_.contains(text) ? text : csv::unprotected(text);
  }
  const Target& target() const { return *study_.file().target; }
  std::string level_column() const { return study_.is_ladder() ? "alpha" : "level"; }
  std::string channel_column() const { return std::string(target().channel_column()); }

  // `export --annotations` writes both the level and the noise of every answer; `id` is that of a suggestion
  // there, and `point` names the pool point.
  void find_export_columns() {
    const std::optional<Index> point = table_.find("point");
    if (!table_.find("id") || !point || !table_.find(level_column())) return;
    exported_channel_ = table_.find(channel_column());
    if (!exported_channel_) return;
    id_ = point;
    excluded_ = table_.find("excluded");
  }
  bool is_exclusion(Index row) const { return excluded_ && !table_.empty(row, *excluded_); }

  void find_counts() {
    const std::optional<Index> count = table_.find("k"), trials = table_.find("n");
    if (target().is_counted() && count && trials && !table_.find("y")) counts_ = {*count, *trials};
  }

  void find_columns() {
    find_counts();
    if (!counts_) y_ = table_.column("y", "the answers");
    for (Index row = 0; row < table_.rows() && study_.file().binary(); ++row)
      zero_is_negative_ = zero_is_negative_ || table_.parse_number(row, y_) == 0.0;
    cost_ = table_.find("cost");
    id_ = table_.find("id");
    if (!id_ && study_.file().pool_id) id_ = table_.find(*study_.file().pool_id);
    find_export_columns();
    for (const std::string& input : study_.pool().inputs()) {
      // An input with the name of a reserved column cannot be read, so the point must be given by its id.
      const bool reserved =
          std::find(std::begin(own_columns), std::end(own_columns), input) != std::end(own_columns);
      if (reserved && !id_)
        throw InputError(
            fmt::format("{}:1: column \"{}\" is an input and a reserved name here, must be renamed "
                        "(or points be given by an \"id\" column)",
                        table_.source(), input));
      if (reserved)
        inputs_.push_back(std::nullopt);
      else
        inputs_.push_back(id_ ? table_.find(input)
                              : table_.column(input, "pool.inputs (or an \"id\" column)"));
    }

    std::vector<std::string> found;
    for (const char* name : {"alpha", "level", "noise_variance", "accuracy"})
      if (table_.find(name) && table_.find(name) != exported_channel_) found.emplace_back(name);
    const std::string by_level = level_column(), by_channel = channel_column();
    if (found.size() != 1)
      throw InputError(fmt::format("{}:1: {}, must be one column of \"{}\" or \"{}\"", table_.source(),
                                   found.empty() ? "no column says how precise the values are"
                                                 : "columns " + quoted_list(found, "and") + " are all there",
                                   by_level, by_channel));
    if ((found[0] == "noise_variance" || found[0] == "accuracy") && found[0] != by_channel)
      throw InputError(fmt::format(
          "{}:1: column \"{}\" is for {} targets, target.kind is \"{}\"; must be another", table_.source(),
          found[0], found[0] == "accuracy" ? "binary" : "real", target().kind()));
    if (found[0] != by_level && found[0] != by_channel)
      throw InputError(fmt::format(
          "{}:1: column \"{}\" does not fit a study with {}, must be \"{}\" or \"{}\"", table_.source(),
          found[0], study_.is_ladder() ? "[precision]" : "[[level]]", by_level, by_channel));
    given_ = found[0] == "alpha" ? Given::alpha : found[0] == "level" ? Given::level : Given::channel;
    precision_ = *table_.find(found[0]);
  }

  Annotation annotation(Index row) const {
    const Place place = read_place(row);
    const WrittenAnswer answer = read_answer(row);
    Annotation annotation{.place = place, .channel = {}};
    annotation.answer = answer.value;
    const bool cost_told = cost_ && !table_.empty(row, *cost_);
    // An answer of unknown level only has a noise.
    const bool has_level = !exported_channel_ || !table_.empty(row, precision_);
    if (has_level && given_ == Given::alpha) read_alpha(row, !cost_told, annotation);
    if (has_level && given_ == Given::level) read_level(row, annotation);
    if (given_ == Given::channel) take_channel(row, precision_, annotation);
    if (exported_channel_ && !(has_level && is_declared(row, annotation)))
      take_channel(row, *exported_channel_, annotation);
    if (answer.trials) take_trials(*answer.trials, annotation);
    annotation.value = target().to_model(answer.value, annotation.channel);
    if (cost_told) {
      annotation.cost = table_.number(row, *cost_);
      if (annotation.cost < 0.0) table_.complain(row, *cost_, "0 or more");
      if (annotation.cost > largest_amount)
        table_.complain(row, *cost_, fmt::format("at most {}", largest_amount_text));
    }
    return annotation;
  }

  // Counts of as many trials as the level has do not report a noise of their own.
  static void take_trials(double trials, Annotation& annotation) {
    const double variance = AnswerScale::variance_of(trials);
    if (annotation.level && std::abs(noise_variance(annotation.channel) - variance) <= 1e-12 * variance)
      return;
    annotation.channel = GaussianChannel{variance, bias_of(annotation.channel)};
    annotation.reported = true;
  }

  // Sets the noise or accuracy of the answer itself.
  void take_channel(Index row, Index column, Annotation& annotation) const {
    const int bias = bias_of(annotation.channel);
    annotation.channel = target().stated_channel(table_.number(row, column));
    if (auto* gaussian = std::get_if<GaussianChannel>(&annotation.channel)) gaussian->bias = bias;
    if (!target().accepts(annotation.channel)) table_.complain(row, column, target().channel_requirement());
    annotation.reported = true;
  }

  // Whether an exported noise or accuracy is missing or equals the declared one of the level.
  bool is_declared(Index row, const Annotation& annotation) const {
    if (table_.empty(row, *exported_channel_)) return true;
    const auto* flip = std::get_if<FlipChannel>(&annotation.channel);
    const double declared = flip != nullptr ? flip->accuracy() : noise_variance(annotation.channel);
    return std::abs(table_.number(row, *exported_channel_) - declared) <= 1e-9 * declared;
  }

  // Classes are -1 and 1, or 0 and 1, or the two names of the study.
  WrittenAnswer read_answer(Index row) const {
    // Numbers are read as the table writes them, perhaps with decimal commas.
    const bool is_text =
        target().is_counted() && !counts_ && table_.text(row, y_).find('/') != std::string::npos;
    if (!counts_ && !is_text) return {.value = read_value(row)};
    const std::string text = is_text ? table_.text(row, y_)
                                     : shortest(table_.number(row, counts_->first)) + "/" +
                                           shortest(table_.number(row, counts_->second));
    const std::optional<WrittenAnswer> answer = target().read_written(text);
    if (!answer) table_.complain(row, counts_ ? counts_->first : y_, target().text_requirement());
    return *answer;
  }
  double read_value(Index row) const {
    if (!study_.file().binary()) {
      const double answer = table_.number(row, y_);
      if (!target().accepts(answer)) table_.complain(row, y_, target().value_requirement());
      return answer;
    }
    const std::string text = table_.text(row, y_);
    const std::optional<double> number = table_.parse_number(row, y_);
    const bool other_convention = number == (zero_is_negative_ ? -1.0 : 0.0);
    if (const std::optional<double> value = target().read(text); value && !other_convention) return *value;
    if (!number && !text.empty() && target().class_names().empty()) suggest_names(row);
    table_.complain(row, y_, target().text_requirement());
  }

  // Values are names, but the study has no class names: suggests adding them if there are two.
  [[noreturn]] void suggest_names(Index row) const {
    std::vector<std::string> names{table_.text(row, y_)};
    for (Index k = 0; k < table_.rows() && names.size() < 3; ++k) {
      const std::string name = table_.text(k, y_);
      if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    if (names.size() > 2)
      table_.complain(row, y_, fmt::format("one of two classes (there are {})", quoted_list(names, "and")));
    table_.complain(row, y_,
                    fmt::format("-1 or 1 (or 0 or 1), or say in [target]: classes = [\"{}\", \"{}\"]",
                                names.size() > 1 ? names[1] : "...", names[0]));
  }

  // The id takes precedence; if it is empty, the point is given by its inputs.
  Place read_place(Index row) const {
    const std::string id = id_ ? id_at(row) : "";
    if (id.empty()) {
      Vector x(static_cast<Index>(inputs_.size()));
      for (std::size_t k = 0; k < inputs_.size(); ++k) {
        if (!inputs_[k]) table_.complain(row, *id_, "the id of a pool point where the inputs are not given");
        x(static_cast<Index>(k)) = read_input(table_, row, *inputs_[k], study_.pool().columns()[k]);
      }
      return Place(x);
    }
    const std::optional<Index> found = study_.pool().find(id);
    if (!found) table_.complain(row, *id_, "the id of a pool point");
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      if (!inputs_[k] || table_.empty(row, *inputs_[k])) continue;
      const Input& input = study_.pool().columns()[k];
      const double told = read_input(table_, row, *inputs_[k], input), known = study_.pool().point(*found)[k];
      if (std::abs(told - known) > 1e-9 * std::max(std::abs(told), std::abs(known)))
        table_.complain(row, *inputs_[k],
                        fmt::format("{} as at {}, which has id \"{}\"", input.text(known),
                                    study_.pool().where(*found), id));
    }
    return Place(*found);
  }

  double base_noise(Index row, const Place& place, double added) const {
    if (const std::optional<Index> pool_row = place.pool_row()) return study_.offer().base_noise(*pool_row);
    // An export has no column of sigma^2(x), only the total noise.
    const auto* named = std::get_if<NoiseColumn>(&study_.file().noise);
    if (exported_channel_ && named != nullptr && !table_.find(named->name))
      return std::max(0.0, table_.number(row, *exported_channel_) - added);
    const Vector& x = place.coordinates();
    return study_.base_noise_at({x.begin(), x.end()}, table_, row);
  }

  void set_channel(Index row, const Level& level, Annotation& annotation) const {
    if (!target().has_noise()) {
      annotation.channel = level.channel;
      return;
    }
    annotation.added_noise = noise_variance(level.channel);
    annotation.base_noise = base_noise(row, annotation.place, annotation.added_noise);
    annotation.channel = channel_at(level, annotation.base_noise);
    if (!std::isfinite(noise_variance(annotation.channel)))
      table_.complain(row, precision_, "a precision whose total noise at this point is finite");
    if (!level.exact && noise_variance(annotation.channel) <= 0.0)
      table_.complain(row, precision_, "a precision whose total noise at this point is above 0");
  }

  // Any precision in range, on the ladder or between its rungs.
  void read_alpha(Index row, bool price_it, Annotation& annotation) const {
    const std::optional<double> alpha = table_.parse_number(row, precision_);
    if (!alpha || !target().accepts_alpha(*alpha))
      table_.complain(row, precision_, target().alpha_requirement());
    const Level level{.name = {},
                      .alpha = alpha,
                      .channel = study_.file().ladder->law(Precision::of(*alpha)),
                      .value = *alpha};
    annotation.alpha = alpha;
    set_channel(row, level, annotation);
    for (std::size_t k = 0; k < study_.offer().levels.size(); ++k)
      if (study_.offer().levels[k].alpha == alpha) annotation.level = static_cast<Index>(k);
    if (!price_it) return;
    annotation.cost = study_.price_at(*alpha);
    if (!(annotation.cost > 0.0 && annotation.cost <= largest_amount))
      throw InputError(fmt::format(
          "{}: precision.cost is {} at alpha = {}, must be a finite number above 0{}", table_.where(row),
          std::isnan(annotation.cost) ? "not a number" : shortest(annotation.cost), *alpha,
          std::isfinite(annotation.cost) && annotation.cost > 0.0
              ? fmt::format(" and at most {}", largest_amount_text)
              : ""));
  }

  void read_level(Index row, Annotation& annotation) const {
    const auto found = level_index_.find(level_at(row));
    if (found == level_index_.end()) {
      std::vector<std::string> names;
      for (const Level& level : study_.offer().levels) names.push_back(level.name);
      table_.complain(row, precision_, "one of the levels " + quoted_list(names));
    }
    const Level& level = study_.offer().levels[static_cast<std::size_t>(found->second)];
    set_channel(row, level, annotation);
    annotation.level = found->second;
    annotation.cost = level.cost;
  }

  const Study& study_;
  Table table_;
  Index y_ = 0, precision_ = 0;
  std::optional<std::pair<Index, Index>> counts_;  // the columns k and n, instead of y
  std::optional<Index> id_, cost_;
  std::optional<Index> excluded_;          // of an export: why a point must not be asked for
  std::optional<Index> exported_channel_;  // of an export: the noise or accuracy, in addition to the level
  std::vector<std::optional<Index>> inputs_;
  Given given_ = Given::alpha;
  bool zero_is_negative_ = false;  // a value is 0, so classes are 0 and 1
  std::unordered_map<std::string, Index> level_index_;
};

std::vector<Exclusion> read_exclusions(const Study& study, const std::filesystem::path& path) {
  return AnnotationReader(study, path).exclusions();
}

std::vector<Annotation> Study::read_annotations(const std::filesystem::path& path) const {
  return AnnotationReader(*this, path).read();
}

}  // namespace acuity
