#include "run_display.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "acuity/base/errors.hpp"
#include "notes.hpp"
#include "study/target_view.hpp"
#include "text/duration.hpp"
#include "text/level_text.hpp"
#include "views/campaign_text.hpp"
#include "views/event_json.hpp"
#include "views/plan_text.hpp"

namespace acuity {

namespace {

std::string values_text(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + brief(value);
  return text;
}

struct EventText {
  const State& state;
  const Study& study;

  std::string operator()(const Created& e) const { return fmt::format("campaign \"{}\" created", e.name); }
  std::string operator()(const Asked& e) const {
    const std::string inputs =
        e.row < 0 ? "" : inputs_text(study.pool().columns(), study.pool().point(e.row));
    return fmt::format("asked {}: {} ({}) at {}, cost {}{}", e.id, e.point, inputs,
                       describe(e.level, e.alpha), brief(e.cost),
                       e.audit      ? ", for the audit"
                       : e.replaces ? fmt::format(", continues {}", *e.replaces)
                                    : "");
  }
  std::string operator()(const Told& e) const {
    return fmt::format("told {}{}: {}, cost {}; spent {}", e.id, e.unasked ? " (not asked for)" : "",
                       values_text(e.values), brief(e.cost), brief(state.spent()));
  }
  std::string operator()(const Failed& e) const {
    return fmt::format("{} {}: {}", e.cannot_tell ? "cannot tell" : "failed", e.id, e.reason);
  }
  std::string operator()(const Released& e) const {
    return fmt::format("released {}{}", e.id, e.reason.empty() ? "" : ": " + e.reason);
  }
  std::string operator()(const Excluded& e) const {
    return fmt::format("excluded {}{}", study.pool().id(e.row), e.level.empty() ? "" : " at " + e.level);
  }
  std::string operator()(const Amended& e) const {
    return fmt::format("amended {}: {} ({})", e.id,
                       e.values.empty() ? std::string("not its value") : values_text(e.values), e.reason);
  }
  std::string operator()(const Retracted& e) const {
    return fmt::format("retracted {} ({})", e.id, e.reason);
  }
  std::string operator()(const BudgetChanged& e) const {
    return fmt::format("budget {:+}: {}", e.by, brief(state.budget()));
  }
  std::string operator()(const Fitted& e) const {
    return fmt::format("learned hyperparameters from {}, log evidence {:.4g}",
                       counted(e.annotations, "annotation"), e.log_marginal_likelihood);
  }
  std::string operator()(const Planned& e) const { return purchases_line(e, study); }
  std::string operator()(const StudyChanged& e) const {
    std::string text = "study changed";
    for (const std::string& change : e.changes) text += "; " + change;
    return text;
  }
  std::string operator()(const OwnerChanged& e) const {
    return e.host.empty() ? std::string("no longer run")
                          : fmt::format("run by process {} on {}", e.process, e.host);
  }
  std::string operator()(const Renewed& e) const {
    return fmt::format("renewed {} until {}", e.id, time_text(e.lease_until));
  }
  std::string operator()(const Audited& e) const {
    return fmt::format("audited: the model learns from {} from now on",
                       counted(static_cast<std::int64_t>(e.ids.size()), "answer") + " of the audit");
  }
  std::string operator()(const PersonAdded& e) const {
    if (!e.active) return e.name + " is not asked any more";
    return e.levels.empty() ? e.name + " annotates"
                            : fmt::format("{} annotates at {}", e.name, fmt::join(e.levels, ", "));
  }
};

}  // namespace

std::string event_text(const StoredEvent& stored, const State& state, const Study& study) {
  return time_text(stored.time) + " " + printable(std::visit(EventText{state, study}, stored.event), 400);
}

RunDisplay::RunDisplay(Format format, std::ostream& out, std::ostream& log)
    : format_(format), out_(out), log_(log), status_(log) {}

void RunDisplay::take(const StoredEvent& stored, const State& state) {
  if (study_ == nullptr) return;
  record_error(stored, state);
  write_large_run(stored, state);
  if (format_ == Format::jsonl)
    out_ << event_json(stored, state, &study_->pool()) << std::flush;
  else if (!status_.is_terminal())
    log_ << event_text(stored, state, *study_) << '\n' << std::flush;
}

// Before it is started, once per level.
void RunDisplay::write_large_run(const StoredEvent& stored, const State& state) {
  const auto* asked = std::get_if<Asked>(&stored.event);
  if (asked == nullptr || large_runs_.contains(asked->level)) return;
  const std::string text = large_run_text(*study_, &state, asked->level, asked->cost, state.budget());
  if (text.empty()) return;
  large_runs_.insert(asked->level);
  status_.clear();
  write_note(text, log_);
}

void RunDisplay::record_error(const StoredEvent& stored, const State& state) {
  const auto* told = std::get_if<Told>(&stored.event);
  if (!told || told->row || told->inputs || told->values.empty()) return;
  const Asked& asked = state.find(told->id)->asked;
  if (asked.replaces || asked.gold) return;  // most of the answer was known already
  last_.push_back({.mean = asked.answer_mean.value_or(asked.mean),
                   .value = study_->file().target->to_model(told->values.front())});
  if (last_.size() > 20) last_.pop_front();
}

void RunDisplay::show_status(const State& state) {
  if (!spent_before_) spent_before_ = state.spent();
  if (status_.is_terminal()) status_.show(status_text(state));
}

std::string RunDisplay::status_text(const State& state) const {
  std::string text = brief(state.spent());
  if (std::isfinite(state.budget())) text += " of " + money(state.budget(), state.created().unit);
  text += fmt::format(" spent, {} reserved", brief(state.escrow()));
  std::map<std::string, std::int64_t> levels;
  for (const SuggestionRecord& record : state.suggestions())
    if (!record.values.empty() && record.alpha() == std::nullopt && !record.asked.gold)
      ++levels[record.level()];
  std::string by_level;
  for (const auto& [level, count] : levels)
    by_level += fmt::format("{}{} {}", by_level.empty() ? "" : ", ", count, level);
  text += fmt::format(" | {}{}, {} failed", counted(state.annotations(), "annotation"),
                      by_level.empty() ? "" : " (" + by_level + ")", state.failed());
  if (!last_.empty()) {
    const Target& target = *study_->file().target;
    const auto count = static_cast<Index>(last_.size());
    Vector means(count), values(count);
    for (Index i = 0; i < count; ++i) {
      means(i) = last_[static_cast<std::size_t>(i)].mean;
      values(i) = last_[static_cast<std::size_t>(i)].value;
    }
    text += " | " + TargetView::of(target)->recent_error_text(target.error_of(means, values), count);
  }
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double bought = state.spent() - *spent_before_;
  if (bought > 0.0 && std::isfinite(state.budget()))
    text +=
        fmt::format(" | {} left", in_words(elapsed / bought * std::max(0.0, state.budget() - state.spent())));
  return text;
}

}  // namespace acuity
