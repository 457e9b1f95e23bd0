#include "campaign/study_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "acuity/base/errors.hpp"
#include "acuity/data/pool_file.hpp"
#include "acuity/data/table.hpp"
#include "base/checksum.hpp"
#include "base/text.hpp"
#include "campaign/campaign_folder.hpp"
#include "campaign/initial_events.hpp"
#include "campaign/state_queries.hpp"
#include "settings/study_keys.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;
using Effect = StudyDifference::Effect;

constexpr const char* retired_reason = "retired by a change of the study";

// What a change of a key means. The first entry whose pattern fits counts; "*" is the name of a level or
// input.
struct KeyRule {
  const char* pattern;
  Effect effect;
  const char* meaning;
};
constexpr const char* learn_again = "re-reads the past: the model is learned again from all answers";
constexpr KeyRule rules[] = {
    {"campaign.name", Effect::shown, "shown from now on"},
    {"campaign.unit", Effect::refused, "the costs so far are counted in it"},
    {"campaign.budget", Effect::from_now_on, "the budget from now on"},
    {"campaign.seed", Effect::from_now_on, "draws from now on use it"},
    {"campaign.initial.file", Effect::refused,
     "answers that were known before are recorded when a campaign is created"},
    {"campaign.initial", Effect::from_now_on, "applies to initial points that were not asked for yet"},
    {"campaign.learn_costs", Effect::from_now_on, "applies to choices from now on"},
    {"campaign.max_cost", Effect::from_now_on, "applies to answers that are asked for from now on"},
    {"pool.file", Effect::refused, "a table cannot become a pool file, nor a pool file a table"},
    {"pool.drawn", Effect::refused, "a pool that is a table stays one, and so does a pool that was drawn"},
    {"pool.where", Effect::refused, "the points so far were drawn by it"},
    {"pool.points", Effect::from_now_on, "the points so far are the first ones of the same sequence"},
    {"pool.id", Effect::refused, "the points in the log would have other names"},
    {"pool.inputs", Effect::refused, "the answers so far are about other inputs"},
    {"pool.standardise", Effect::past, learn_again},
    {"pool.repeat", Effect::from_now_on, "applies to choices from now on"},
    {"target.name", Effect::shown, "shown from now on"},
    {"target.unit", Effect::refused, "the answers so far are in it"},
    {"target", Effect::refused, "the answers so far mean something else"},
    {"input *.unit", Effect::shown, "shown from now on"},
    {"input *.similarity", Effect::past, learn_again},
    {"input *.range", Effect::refused, "the points so far were drawn in it"},
    {"input *.values", Effect::refused, "the points so far were drawn from them"},
    {"input", Effect::refused, "the answers so far are about other inputs"},
    {"model", Effect::past, learn_again},
    {"noise.nugget", Effect::past, learn_again},
    {"noise", Effect::noise_law, "it is the noise of every answer so far"},
    {"precision.cost", Effect::from_now_on, "the price from now on; the past is charged as it was"},
    {"precision.alpha", Effect::from_now_on, "what can be bought from now on"},
    {"precision", Effect::noise_law, "it is the noise of every answer so far"},
    {"level *.cost", Effect::from_now_on, "the price from now on; the past is charged as it was"},
    {"level *.noise_sd", Effect::noise, ""},
    {"level *.noise_relative", Effect::noise, ""},
    {"level *.trials", Effect::noise, ""},
    {"level *.exposure", Effect::noise, ""},
    {"level *.accuracy", Effect::noise, ""},
    {"level *.exact", Effect::noise, ""},
    {"level *.value", Effect::from_now_on, "handed to annotators from now on"},
    {"level *.repeat", Effect::past, learn_again},
    {"level *.bias", Effect::past, learn_again},
    {"level *.reference", Effect::past, learn_again},
    {"level *.relation", Effect::past, learn_again},
    {"level *.retired", Effect::from_now_on, ""},
    {"level", Effect::from_now_on, "applies to choices from now on"},
    {"acquisition", Effect::from_now_on, "applies to choices from now on"},
    {"goal", Effect::from_now_on, "applies to choices from now on"},
    {"stop", Effect::from_now_on, "applies from now on"},
    {"annotator", Effect::from_now_on, "applies to attempts from now on"},
    {"people.question", Effect::shown, "shown to people from now on"},
    {"people.instructions", Effect::shown, "shown to people from now on"},
    {"people.least_worth", Effect::from_now_on, "applies to choices from now on"},
    {"", Effect::from_now_on, "applies from now on"}};

// "level coarse.cost" as "level *.cost".
std::string pattern_of(const std::string& key) {
  for (const std::string array : {"level ", "input "})
    if (key.starts_with(array)) {
      const std::size_t dot = key.rfind('.');
      return array + "*" + (dot == std::string::npos ? "" : key.substr(dot));
    }
  return key;
}

const KeyRule& rule_for(const std::string& key) {
  const std::string pattern = pattern_of(key);
  for (const KeyRule& rule : rules) {
    const std::string_view wanted = rule.pattern;
    if (pattern == wanted || wanted.empty() || pattern.starts_with(std::string(wanted) + ".") ||
        (wanted.find('.') == std::string_view::npos && pattern.starts_with(std::string(wanted) + " ")))
      return rule;
  }
  return rules[std::size(rules) - 1];
}

// The name of the level of a key such as "level coarse.cost"; nested keys such as "level a.bias.offset_sd"
// too.
std::string level_in(const std::string& key, const std::set<std::string>& names) {
  if (!key.starts_with("level ")) return "";
  for (const std::string& name : names)
    if (key.starts_with("level " + name + ".")) return name;
  return "";
}

std::int64_t answers_at(const State& state, const std::string& level) {
  std::int64_t count = 0;
  for (const std::int64_t id : state.answered()) count += state.find(id)->level() == level ? 1 : 0;
  return count;
}

class Comparison {
 public:
  Comparison(const fs::path& study, const fs::path& folder, const Study& current, const State& state,
             const CsvReading& tables)
      : file_(study), folder_(folder), current_(current), state_(state), tables_(tables) {}

  StudyComparison compare() {
    StudyFile settings = read_study_file(file_);
    settings.tables = tables_;
    // Points that were drawn stay, whatever the seed is now; there can only be more of the same sequence.
    if (settings.drawing && current_.file().drawing) settings.drawing->seed = current_.file().drawing->seed;
    // The same bytes as the copy are read as the copy is: with commas, whatever else would be recognised.
    if (!settings.pool_file.empty() &&
        base::checksum(read_regular_file(settings.pool_file)) == state_.created().pool_checksum)
      settings.tables.dialect = tables_.dialect = CsvDialect::comma;
    const FrozenStudy frozen = freeze_study_file(settings);
    result_.file = file_.string();
    result_.text = frozen.text;
    compare_keys(study_keys(state_.created().study), study_keys(frozen.text));
    std::error_code none;
    const bool is_own = fs::equivalent(file_, folder_ / "study.toml", none);
    if (!is_own) compare_tables(settings, frozen);
    if (!is_own && !is_refused()) compare_pool(Study::open(std::move(settings)));
    keep_retired_levels();
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& sentence) const {
    throw InputError(fmt::format("{}: {}", file_.string(), sentence));
  }
  void add(StudyDifference difference) { result_.differences.push_back(std::move(difference)); }
  bool is_refused() const {
    return std::any_of(result_.differences.begin(), result_.differences.end(),
                       [](const StudyDifference& one) { return one.effect == Effect::refused; });
  }

  void compare_keys(const std::map<std::string, std::string>& was,
                    const std::map<std::string, std::string>& is) {
    std::set<std::string> before, after;
    for (const std::string& name : names_in(state_.created().study, "level")) before.insert(name);
    for (const std::string& name : names_in(result_.text, "level")) after.insert(name);
    for (const std::string& name : before)
      if (!after.contains(name))
        retire(name,
               was.contains("level " + name + ".retired") && was.at("level " + name + ".retired") == "true");
    for (const std::string& name : after)
      if (!before.contains(name)) {
        const std::string key = "level " + name;
        add({key, "", "added", Effect::from_now_on,
             fmt::format("can be bought from now on{}",
                         is.contains(key + ".cost") ? ", for " + is.at(key + ".cost") : std::string())});
      }
    std::set<std::string> keys;
    for (const auto& [key, value] : was) keys.insert(key);
    for (const auto& [key, value] : is) keys.insert(key);
    for (const std::string& key : keys) {
      const std::string level = level_in(key, before), new_level = level_in(key, after);
      if (level != new_level || (!level.empty() && !after.contains(level))) continue;  // added or retired
      const auto old_value = was.find(key), new_value = is.find(key);
      const std::string a = old_value == was.end() ? "" : old_value->second;
      const std::string b = new_value == is.end() ? "" : new_value->second;
      if (a != b) compare_key(key, level, a, b);
    }
  }

  void retire(const std::string& level, bool already) {
    result_.retired_levels.push_back(level);
    if (already) return;
    add({"level " + level, "", "retired", Effect::from_now_on, retired_meaning(level)});
  }
  std::string retired_meaning(const std::string& level) const {
    return fmt::format("not bought from now on; its {} so far {}",
                       counted(answers_at(state_, level), "answer"),
                       answers_at(state_, level) == 1 ? "counts" : "count");
  }

  void compare_key(const std::string& key, const std::string& level, const std::string& was,
                   const std::string& is) {
    const KeyRule& rule = rule_for(key);
    StudyDifference difference{key, was, is, rule.effect, rule.meaning};
    if (key == "people.instructions") {  // whole pages
      difference.was = was.empty() ? "" : "its text";
      difference.is = is.empty() ? "" : "another text";
    }
    if (rule.effect == Effect::noise) {
      const std::int64_t count = answers_at(state_, level);
      difference.meaning =
          count == 0 ? std::string("applies from now on")
                     : fmt::format("applies from now on; {} what {} bought with",
                                   count == 1 ? "1 answer keeps" : fmt::format("{} answers keep", count),
                                   count == 1 ? "it was" : "they were");
    }
    if (pattern_of(key) == "level *.retired")
      difference.meaning = is == "true" ? retired_meaning(level) : "can be bought again from now on";
    add(std::move(difference));
  }

  void compare_tables(const StudyFile& settings, const FrozenStudy& frozen) {
    std::map<std::string, std::string> tables = frozen.tables;  // rewritten with commas, or copied
    for (const FrozenStudy::Copy& copy : frozen.copies) tables[copy.name] = read_regular_file(copy.from);
    pool_bytes_ = tables.at(frozen.pool_file);
    for (const auto& [name, bytes] : tables) {
      if (name == frozen.pool_file) continue;
      const fs::path kept = folder_ / name;
      if (fs::exists(kept) && read_regular_file(kept) == bytes) continue;
      if (name == "initial.csv") {
        if (fs::exists(kept))
          add({"campaign.initial.file", "its table", "another table", Effect::refused,
               "answers that were known before are recorded when a campaign is created"});
        continue;
      }
      result_.tables[name] = bytes;
      const bool goal = name == "goal.csv", gold = name == "gold.csv";
      if (fs::exists(kept))
        add({goal   ? "goal.file"
             : gold ? "people.gold"
                    : "annotator.truth",
             "its table", "another table", Effect::from_now_on,
             goal   ? "applies to choices from now on"
             : gold ? "applies to questions from now on, and to accuracies when they are learned again"
                    : "applies to attempts from now on"});
    }
    if (frozen.pool_file != state_.created().pool_file)
      refuse(fmt::format("the pool would be kept as {}, must be {} as when the campaign was created",
                         frozen.pool_file, state_.created().pool_file));
    pool_source_ = settings.pool_file;
  }

  // Points are the same if they have the same id; without ids, if they are on the same row.
  void compare_pool(const Study& next) {
    const Pool &before = current_.pool(), &after = next.pool();
    if (before.inputs() != after.inputs())
      return add({"pool.inputs", text_of(before.inputs()), text_of(after.inputs()), Effect::refused,
                  "the answers so far are about other inputs"});
    if (base::checksum(pool_bytes_) == state_.created().pool_checksum) return;
    if (!pool_source_.empty() && PoolFile::recognises(pool_source_))
      return add({"pool.file", "its points", "others", Effect::refused,
                  "points can be added and retired in tables only, not in pool files"});
    const bool has_ids = current_.file().pool_id.has_value();
    std::set<Index> gone;
    for (const Excluded& excluded : state_.excluded())
      if (excluded.level.empty() && excluded.reason == retired_reason) gone.insert(excluded.row);
    std::vector<char> seen(static_cast<std::size_t>(before.size()), 0);
    for (Index row = 0; row < after.size(); ++row) {
      const std::optional<Index> old = has_ids               ? before.find(after.id(row))
                                       : row < before.size() ? std::optional(row)
                                                             : std::nullopt;
      if (!old) {
        result_.added_rows.push_back(row);
        continue;
      }
      seen[static_cast<std::size_t>(*old)] = 1;
      if (gone.contains(*old)) returned_.push_back(after.id(row));
      require_same_point(next, row, *old);
      if (is_refused()) return;
    }
    for (Index row = 0; row < before.size(); ++row)
      if (seen[static_cast<std::size_t>(row)] == 0 && !gone.contains(row))
        result_.retired_rows.push_back(row);
    if (!result_.retired_rows.empty() && current_.file().drawing) return refuse_fewer_drawn(after.size());
    if (!has_ids && !result_.retired_rows.empty())
      return add(
          {"pool.file", counted(before.size(), "point"), counted(after.size(), "point"), Effect::refused,
           "without pool.id points are known by their row, so that none can be taken away; fail --exclude "
           "excludes one"});
    if (!returned_.empty())
      return add(
          {"pool.file", "", "points that were retired", Effect::refused,
           fmt::format("point {} was retired; give it another id to ask for it again", returned_.front())});
    if (!result_.added_rows.empty())
      add({"pool", "", points_text(next, result_.added_rows) + " added",
           current_.file().standardise == Standardise::pool ? Effect::past : Effect::from_now_on,
           current_.file().standardise == Standardise::pool
               ? "can be asked for from now on; inputs are scaled by the larger pool, and the model is "
                 "learned again"
               : "can be asked for from now on"});
    if (!result_.retired_rows.empty())
      add({"pool", "", points_text(current_, result_.retired_rows) + " retired", Effect::from_now_on,
           "not asked for from now on; answers there count"});
    if (result_.added_rows.empty() && result_.retired_rows.empty() && !has_same_columns()) {
      add({"pool", "", "other columns that are no inputs", Effect::shown, "shown from now on"});
      result_.pool = merged_pool(next);
    } else if (!result_.added_rows.empty() || !result_.retired_rows.empty()) {
      result_.pool = merged_pool(next);
    }
  }

  // Instead of what the key says of more points.
  void refuse_fewer_drawn(Index points) {
    std::erase_if(result_.differences, [](const StudyDifference& one) { return one.key == "pool.points"; });
    const Index drawn = current_.pool().size();
    result_.retired_rows.clear();
    add({"pool.points", std::to_string(drawn), std::to_string(points), Effect::refused,
         fmt::format("points that were drawn stay, must be at least {}; fail --exclude excludes one",
                     drawn)});
  }

  Table given_pool() const {
    return pool_source_.empty() ? Table::parse(pool_bytes_, "the drawn pool", {.dialect = CsvDialect::comma})
                                : Table::read(pool_source_, tables_);
  }
  Table kept_pool() const {
    return Table::read(folder_ / state_.created().pool_file, {.dialect = CsvDialect::comma});
  }

  // Other texts in a pool than those of inputs, such as comments of people; or only line ends.
  bool has_same_columns() const {
    const Table is = given_pool(), was = kept_pool();
    if (is.columns() != was.columns() || is.rows() > was.rows()) return false;
    if (is.rows() < was.rows()) return true;  // retired before
    for (Index row = 0; row < is.rows(); ++row)
      for (Index column = 0; column < static_cast<Index>(is.columns().size()); ++column)
        if (is.text(row, column) != was.text(row, column)) return false;
    return true;
  }

  void require_same_point(const Study& next, Index row, Index old) {
    const double *a = current_.pool().point(old), *b = next.pool().point(row);
    const std::vector<std::string>& inputs = next.pool().inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (a[i] != b[i])
        return add({"pool.file",
                    fmt::format("point {} has {} = {}", next.pool().id(row), inputs[i],
                                current_.pool().columns()[i].text(a[i])),
                    next.pool().columns()[i].text(b[i]), Effect::refused,
                    "a changed point is another point and needs another id"});
    const bool by_column = std::holds_alternative<NoiseColumn>(current_.file().noise);
    if (by_column && current_.offer().base_noise(old) != next.offer().base_noise(row))
      add({"pool.file",
           fmt::format("the noise of point {} is {}", next.pool().id(row),
                       shortest(current_.offer().base_noise(old))),
           shortest(next.offer().base_noise(row)), Effect::refused,
           "it is the noise of answers so far; a changed point needs another id"});
  }

  // The rows of the campaign's pool in their order, with what the new table says about them, then the added
  // ones: rows in the log stay valid.
  std::string merged_pool(const Study& next) const {
    const Table is = given_pool(), was = kept_pool();
    const bool in_order = result_.retired_rows.empty() && is.rows() >= was.rows() && keeps_order(next);
    if (in_order) return pool_bytes_;
    std::string text = csv_line(is.columns());
    const auto cells = [&](const Table& table, Index row) {
      std::vector<std::string> line;
      for (const std::string& column : is.columns()) {
        const std::optional<Index> found = table.find(column);
        line.push_back(found ? table.text(row, *found) : "");
      }
      return csv_line(line);
    };
    for (Index row = 0; row < current_.pool().size(); ++row) {
      const std::optional<Index> there = next.pool().find(current_.pool().id(row));
      text += there ? cells(is, *there) : cells(was, row);
    }
    for (const Index row : result_.added_rows) text += cells(is, row);
    return text;
  }
  bool keeps_order(const Study& next) const {
    for (Index row = 0; row < current_.pool().size(); ++row)
      if (next.pool().id(row) != current_.pool().id(row)) return false;
    return true;
  }
  static std::string csv_line(const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      std::string cell = cells[k];
      if (cell.find_first_of(",;\t\"\r\n") != std::string::npos) {
        std::string quoted = "\"";
        for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
        cell = quoted + "\"";
      }
      line += (k == 0 ? "" : ",") + cell;
    }
    return line + "\n";
  }

  static std::string text_of(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  }
  static std::string points_text(const Study& study, const std::vector<Index>& rows) {
    std::string text =
        counted(static_cast<std::int64_t>(rows.size()), "point") + " (" + study.pool().id(rows.front());
    if (rows.size() > 1) text += (rows.size() > 2 ? " ... " : ", ") + study.pool().id(rows.back());
    return text + ")";
  }

  void keep_retired_levels() {
    if (result_.retired_levels.empty()) return;
    try {
      result_.text = with_retired_levels(result_.text, state_.created().study, result_.retired_levels);
    } catch (const std::invalid_argument&) {
      refuse(fmt::format(
          "level \"{}\" is missing, must stay with retired = true where levels are not [[level]] tables",
          result_.retired_levels.front()));
    }
  }

  const fs::path &file_, &folder_;
  const Study& current_;
  const State& state_;
  CsvReading tables_;
  fs::path pool_source_;
  std::string pool_bytes_;  // as the campaign would keep them
  std::vector<std::string> returned_;
  StudyComparison result_;
};

// The noise variance or accuracy that a level declares.
double declared_noise(const Level& level) {
  const auto* flip = std::get_if<FlipChannel>(&level.channel);
  return flip != nullptr ? flip->accuracy() : noise_variance(level.channel);
}

}  // namespace

StudyComparison compare_study(const fs::path& study, const fs::path& folder, const Study& current,
                              const State& state, const CsvReading& tables) {
  return Comparison(study, folder, current, state, tables).compare();
}

std::string to_text(const StudyDifference& difference) {
  std::string text = difference.key + ": ";
  if (difference.was.empty() && !difference.is.empty())
    text += difference.key.starts_with("level ") || difference.key == "pool"
                ? difference.is
                : fmt::format("not given -> {}", difference.is);
  else
    text += fmt::format("{} -> {}", difference.was, difference.is.empty() ? "not given" : difference.is);
  return printable(text + "; " + difference.meaning, 600);
}

std::vector<Event> change_events(const StudyComparison& comparison, const Study& current, const State& state,
                                 bool reinterpret) {
  StudyChanged event;
  event.before = state.created().study;
  event.study = comparison.text;
  event.study_checksum = base::checksum(comparison.text);
  event.pool_checksum = state.created().pool_checksum;
  event.pool_blocks = state.created().pool_blocks;
  if (!comparison.pool.empty()) {
    event.pool_checksum = base::checksum(comparison.pool);
    event.pool_blocks = pool_blocks(comparison.pool);
  }
  for (const auto& [name, bytes] : comparison.tables) {
    event.tables.push_back(name);
    event.table_checksums.push_back(base::checksum(bytes));
  }
  event.reinterprets = reinterpret;
  std::set<std::string> noisy;
  for (const StudyDifference& one : comparison.differences) {
    if (one.effect == Effect::refused)
      throw InputError(fmt::format("{}: {}: {} -> {} cannot be applied: {}; begin a new campaign for it",
                                   comparison.file, one.key, one.was.empty() ? "not given" : one.was,
                                   one.is.empty() ? "not given" : one.is, one.meaning));
    if (one.effect == Effect::noise_law && !reinterpret)
      throw InputError(fmt::format("{}: {}: {} -> {} re-reads the past: {}; add --reinterpret to do so",
                                   comparison.file, one.key, one.was.empty() ? "not given" : one.was,
                                   one.is.empty() ? "not given" : one.is, one.meaning));
    StudyDifference said = one;
    if (one.effect == Effect::noise) {
      for (const Level& level : current.offer().levels)
        if (one.key.starts_with("level " + level.name + ".")) noisy.insert(level.name);
      if (reinterpret) said.meaning = "re-reads the past: answers so far are read with it, too";
    }
    if (one.effect == Effect::noise_law) said.meaning = "re-reads the past: all answers are read with it";
    event.changes.push_back(to_text(said));
    event.learns_again = event.learns_again || one.effect == Effect::past ||
                         one.effect == Effect::noise_law ||
                         (one.effect == Effect::noise &&
                          (reinterpret || current.file().fit.noise || current.file().has_bias()));
    const bool only_runs = one.effect == Effect::shown || one.key.starts_with("annotator") ||
                           one.key.starts_with("stop") || one.key.starts_with("people");
    event.plans_again = event.plans_again || !only_runs;
    if (one.key == "campaign.budget")
      event.budget = one.is.empty() ? HUGE_VAL : to_number(one.is).value_or(HUGE_VAL);
  }
  if (!reinterpret)
    for (const Level& level : current.offer().levels)
      if (noisy.contains(level.name)) {
        event.kept_levels.push_back(level.name);
        event.kept_noise.push_back(declared_noise(level));
      }
  std::vector<std::string> names = names_in(comparison.text, "level"), before;
  for (const Level& level : current.offer().levels) before.push_back(level.name);
  if (!current.is_ladder() && names != before) event.learns_again = true;  // what was learned is by level
  event.name = study_text(comparison.text, "campaign.name");
  if (event.name.empty()) event.name = state.created().name;
  std::vector<Event> events{std::move(event)};
  for (const Index row : comparison.retired_rows)
    events.push_back(Excluded{row, "", std::nullopt, retired_reason});
  return events;
}

}  // namespace acuity
