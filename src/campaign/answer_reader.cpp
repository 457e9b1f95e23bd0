#include "campaign/answer_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <unordered_map>

#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "campaign/answer_noise.hpp"
#include "data/csv_scanner.hpp"
#include "settings/input_settings.hpp"
#include "text/nearest.hpp"

namespace acuity {

namespace {

// Spreadsheets keep fifteen digits.
bool agrees(double told, double known) {
  return told == known || std::abs(told - known) <= 1e-9 * std::max(std::abs(told), std::abs(known));
}

std::optional<std::int64_t> to_id(const std::string& text) {
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return id;
}

// An answer that only says where the value is not: "<5".
bool is_limit(const std::string& text) {
  return text.starts_with('<') || text.starts_with('>');
}

// y, y_1, y_2, ...: users may add columns, and may skip numbers.
bool is_answer(const std::string& column) {
  return column == "y" || (column.starts_with("y_") && to_id(column.substr(2)).value_or(-1) >= 0);
}

class AnswerReader {
 public:
  AnswerReader(const Study& study, const State& state, const std::filesystem::path& file)
      : study_(study), state_(state), table_(Table::read(file, study.file().tables)) {
    id_ = table_.column("id", "the suggestions that are answered");
    for (std::size_t k = 0; k < table_.columns().size(); ++k)
      if (is_answer(table_.columns()[k])) values_.push_back(static_cast<Index>(k));
    trials_ = study.file().target->is_counted() ? table_.find("n") : std::nullopt;
    if (values_.empty() && study.file().target->is_counted()) counts_ = table_.find("k");
    if (counts_) values_.push_back(*counts_);
    if (values_.empty()) table_.column("y", "the answers (or y_1, y_2, ... for replicates)");
    cost_ = table_.find("cost");
    noise_sd_ = table_.find("noise_sd");
    accuracy_ = table_.find("accuracy");
    point_ = table_.find("point");
    level_ = table_.find(study.is_ladder() ? "alpha" : "level");
    // A sheet repeats the columns of the pool, which are no remarks on an answer.
    const std::vector<std::string>& texts = study.pool().text_columns();
    if (std::find(texts.begin(), texts.end(), "note") == texts.end()) note_ = table_.find("note");
    for (const std::string& input : study.pool().inputs()) {
      inputs_.push_back(table_.find(csv::protect_from_spreadsheets(input)));
      if (!inputs_.back()) inputs_.back() = table_.find(input);
    }
  }

  AnswerTable read() {
    AnswerTable result;
    note_dropped_columns(result.notes);
    std::unordered_map<std::int64_t, Index> seen;
    for (Index row = 0; row < table_.rows(); ++row) {
      const std::optional<std::int64_t> id = to_id(table_.text(row, id_));
      const SuggestionRecord* record = id ? state_.find(*id) : nullptr;
      if (record == nullptr)
        table_.complain(row, id_,
                        state_.suggestions().empty()
                            ? "the id of a suggestion, of which there are none yet"
                            : fmt::format("the id of a suggestion, 1 to {}", state_.suggestions().size()));
      if (const auto [first, is_new] = seen.emplace(*id, row); !is_new)
        table_.complain(row, id_, fmt::format("unique (it is also on line {})", table_.line(first->second)));
      Answer answer = answer_in(row, *id);
      if (answer.values.empty()) {
        result.not_yet.push_back(*id);
        continue;
      }
      read_what_was_done(row, record->asked, answer);
      note_oversight(record->asked, answer, result.notes);
      result.answers.push_back(std::move(answer));
    }
    return result;
  }

 private:
  // Remarks of the bench would be lost without a word.
  void note_dropped_columns(std::vector<std::string>& notes) const {
    static const std::set<std::string> known{"id",          "point",  "cost",        "noise_sd",
                                             "accuracy",    "level",  "alpha",       "value",
                                             "information", "worker", "lease_until", "information_per_cost",
                                             "resume_from", "note"};
    const std::vector<std::string>& texts = study_.pool().text_columns();
    for (std::size_t k = 0; k < table_.columns().size(); ++k) {
      const std::string name = csv::unprotected(table_.columns()[k]);
      const auto column = static_cast<Index>(k);
      const bool is_input = std::any_of(inputs_.begin(), inputs_.end(),
                                        [&](const std::optional<Index>& one) { return one == column; });
      if (is_input || is_answer(name) || known.contains(name) || counts_ == column || trials_ == column ||
          std::find(texts.begin(), texts.end(), name) != texts.end())
        continue;
      Index filled = 0;
      for (Index row = 0; row < table_.rows(); ++row) filled += table_.empty(row, column) ? 0 : 1;
      if (filled > 0)
        notes.push_back(
            fmt::format("column \"{}\" is not recorded; a column \"note\" is", printable(name, 40)));
    }
  }

  const Target& target() const { return *study_.file().target; }

  Answer answer_in(Index row, std::int64_t id) const {
    Answer answer{.id = id,
                  .values = {},
                  .cost = {},
                  .channel = {},
                  .row = {},
                  .inputs = {},
                  .level = {},
                  .where = table_.where(row)};
    const WrittenValues written = values_in(row, id);
    answer.values = written.values;
    answer.trials = written.trials;
    if (answer.values.empty()) return answer;
    if (note_) answer.note = csv::unprotected(table_.text(row, *note_));
    if (cost_ && !table_.empty(row, *cost_)) {
      const double cost = table_.number(row, *cost_), asked = state_.find(id)->asked.cost;
      if (cost < 0.0) table_.complain(row, *cost_, "0 or more");
      if (cost > largest_amount) table_.complain(row, *cost_, fmt::format("at most {}", largest_amount_text));
      answer.cost = agrees(cost, asked) ? asked : cost;
    }
    if (noise_sd_ && !table_.empty(row, *noise_sd_)) {
      const double sd = table_.number(row, *noise_sd_);
      if (!target().fits(GaussianChannel{})) table_.complain(row, *noise_sd_, "left out for binary targets");
      if (!is_noise_sd(sd)) table_.complain(row, *noise_sd_, "above 0");
      answer.channel = target().reported_channel(sd, answer.values);
    }
    if (accuracy_ && !table_.empty(row, *accuracy_)) {
      const double accuracy = table_.number(row, *accuracy_);
      if (!target().fits(FlipChannel{})) table_.complain(row, *accuracy_, "left out for real targets");
      if (!is_accuracy(accuracy)) table_.complain(row, *accuracy_, "a number from 0.5 to 1");
      answer.channel = FlipChannel{accuracy};
    }
    return answer;
  }

  WrittenValues values_in(Index row, std::int64_t id) const {
    const std::string whose = fmt::format("{}: the answer to {}", table_.where(row), id);
    WrittenValues written;
    for (const Index column : values_) {
      if (table_.empty(row, column)) continue;
      const std::string text = csv::unprotected(table_.text(row, column));
      // Numbers are read as the table writes them, perhaps with decimal commas.
      const bool is_count = target().is_counted() && text.find('/') != std::string::npos;
      if (target().is_real() && !is_limit(text) && !is_count)
        written.add(with_trials(row, column));
      else
        written.add(read_answer(study_, text, whose));
      if (!target().accepts(written.values.back()))
        table_.complain(row, column, target().value_requirement());
    }
    return written;
  }

  // The column n is the number of trials of every answer in the row, which are counts k or shares y.
  WrittenAnswer with_trials(Index row, Index column) const {
    WrittenAnswer answer{.value = table_.number(row, column)};
    const bool has_trials = trials_ && !table_.empty(row, *trials_);
    if (counts_ && !has_trials) table_.complain(row, *counts_, "with a number of trials in the column \"n\"");
    if (!has_trials) return answer;
    answer.trials = table_.number(row, *trials_);
    if (!counts_ && *answer.trials > 0.0 && *answer.trials < 1e15) return answer;
    const auto count = target().read_written(shortest(answer.value) + "/" + shortest(*answer.trials));
    if (!count) table_.complain(row, counts_ ? *counts_ : *trials_, target().text_requirement());
    return *count;
  }

  void read_what_was_done(Index row, const Asked& asked, Answer& answer) const {
    if (point_ && !table_.empty(row, *point_)) {
      answer.row = study_.pool().find(csv::unprotected(table_.text(row, *point_)));
      if (!answer.row) answer.row = study_.pool().find(table_.text(row, *point_));
      if (!answer.row) table_.complain(row, *point_, "the id of a pool point");
    }
    read_inputs(row, asked, answer);
    if (!level_ || table_.empty(row, *level_)) return;
    try {
      if (!study_.is_ladder()) {
        answer.level = study_.level_named(csv::unprotected(table_.text(row, *level_)));
        return;
      }
      const std::optional<double> alpha = table_.parse_number(row, *level_);
      if (!alpha) table_.complain(row, *level_, "a number");
      answer.level = study_.level_of(asked.alpha && agrees(*alpha, *asked.alpha) ? *asked.alpha : *alpha);
    } catch (const InputError& error) {
      const std::string sentence = error.what(), where = table_.where(row);
      throw InputError(sentence.starts_with(where) ? sentence : where + ": " + sentence);
    }
  }

  // Inputs that differ from those of the suggestion give another place, unless the point column names one.
  void read_inputs(Index row, const Asked& asked, Answer& answer) const {
    if (asked.row < 0) return;  // known before the campaign was created, and never asked for
    std::vector<double> told;
    bool as_asked = true, any = answer.row.has_value();
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      const double known = study_.pool().point(asked.row)[k];
      const bool given = inputs_[k] && !table_.empty(row, *inputs_[k]);
      told.push_back(given ? read_input(table_, row, *inputs_[k], study_.pool().columns()[k]) : known);
      as_asked = as_asked && agrees(told.back(), known);
      any = any || given;
    }
    if (any && !answer.row) answer.row = asked.row;
    if (as_asked) return;
    if (*answer.row != asked.row) return require_agreement(row, told, *answer.row);
    answer.row = pool_point_at(told);
    if (!answer.row) answer.inputs = told;
  }

  // The pool point with these inputs, as far as a spreadsheet keeps their digits.
  std::optional<Index> pool_point_at(const std::vector<double>& told) const {
    const Pool& pool = study_.pool();
    for (Index point = 0; point < pool.size(); ++point)
      if (std::equal(told.begin(), told.end(), pool.point(point), agrees)) return point;
    return std::nullopt;
  }

  void require_agreement(Index row, const std::vector<double>& told, Index point) const {
    for (std::size_t k = 0; k < told.size(); ++k)
      if (!agrees(told[k], study_.pool().point(point)[k]))
        table_.complain(
            row, *inputs_[k],
            fmt::format("{} as at point \"{}\", or as it was asked for",
                        study_.pool().input_text(point, static_cast<Index>(k)), study_.pool().id(point)));
  }

  // The table has the cost of what was asked for; what was done may have another cost.
  static void note_oversight(const Asked& asked, const Answer& answer, std::vector<std::string>& notes) {
    const bool another_level =
        answer.level && (answer.level->name != asked.level || answer.level->alpha != asked.alpha);
    if (answer.cost != asked.cost || (!another_level && answer.values.size() == 1)) return;
    notes.push_back(fmt::format(
        "{}: the cost is still {}, that of one answer as asked for; empty the cell to have it computed",
        answer.where, shortest(asked.cost)));
  }

  const Study& study_;
  const State& state_;
  Table table_;
  Index id_ = 0;
  std::vector<Index> values_;
  std::optional<Index> cost_, noise_sd_, accuracy_, point_, level_, note_;
  std::optional<Index> counts_, trials_;  // the columns k and n of counts
  std::vector<std::optional<Index>> inputs_;
};

}  // namespace

WrittenAnswer read_answer(const Study& study, const std::string& text, const std::string& whose) {
  const Target& target = *study.file().target;
  if (const std::optional<WrittenAnswer> answer = target.read_written(text)) return *answer;
  if (text.empty())
    throw InputError(fmt::format("{} is missing, must be {}", whose, target.text_requirement()));
  const std::string remark = target.remark_on(text);
  throw InputError(fmt::format("{} is \"{}\", must be {}{}", whose, printable(text, 40),
                               target.text_requirement(), remark.empty() ? "" : ": " + remark));
}

void WrittenValues::add(const WrittenAnswer& one) {
  values.push_back(one.value);
  if (one.trials) {
    trials.resize(values.size(), 0.0);
    trials.back() = *one.trials;
  }
}

WrittenValues read_values(const Study& study, const std::vector<std::string>& texts,
                          const std::string& whose) {
  WrittenValues written;
  for (const std::string& text : texts) written.add(read_answer(study, text, whose));
  return written;
}

AnswerTable read_answers(const Study& study, const State& state, const std::filesystem::path& file) {
  return AnswerReader(study, state, file).read();
}

}  // namespace acuity
