#include "campaign/run_failures.hpp"

#include <algorithm>
#include <cmath>

#include "campaign/state_queries.hpp"

namespace acuity {

namespace {

constexpr std::size_t least_failed_points = 5;
constexpr double bearable_loss = 0.1;  // of the money
constexpr Index runs_for_a_share = 20;

// Empty for a precision that is not on the ladder, and for a level that the study does not have.
Index level_number(const Study& study, const SuggestionRecord& record) {
  const std::optional<double> alpha = record.alpha();
  return (alpha ? study.find_level(*alpha) : study.find_level(record.level())).value_or(-1);
}

bool has_answered(const SuggestionRecord& record) {
  return !record.values.empty() || record.replaced_by.has_value();
}

bool has_failed(const SuggestionRecord& record) {
  return record.status == SuggestionStatus::failed && !record.cannot_tell;
}

bool is_label(const SuggestionRecord& record) {
  return has_answered(record) || (has_failed(record) && !record.inconclusive);
}

Vector coordinates_of(const Study& study, const Place& place) {
  if (!place.pool_row()) return place.coordinates();
  const double* x = study.pool().point(*place.pool_row());
  return Eigen::Map<const Vector>(x, study.pool().points().cols());
}

}  // namespace

RunFailures::RunFailures(const Study& study, const State& state) : study_(study) {
  std::set<Index> failed, inconclusive, all_failed;  // the first two: since the last answer
  for (const SuggestionRecord& one : state.suggestions()) {
    if (has_failed(one)) (one.inconclusive ? inconclusive : failed).insert(one.asked.row);
    if (!one.values.empty()) {
      failed.erase(one.row());
      inconclusive.erase(one.row());
    }
    succeeded_ += has_answered(one) ? 1 : 0;
    if (!is_label(one) || has_answered(one)) continue;
    ++failed_;
    all_failed.insert(one.asked.row);
  }
  is_active_ = study.file().learns_failures() && all_failed.size() >= least_failed_points;
  waiting_ = std::move(inconclusive);
  if (!is_active_) waiting_.merge(failed);
  if (!is_active_) return;
  for (const SuggestionRecord& one : state.suggestions())
    if (is_label(one)) add(one);
  double lost = 0.0;
  for (const auto& [level, costs] : failure_costs_) lost += costs.first;
  if (failed_ + succeeded_ >= runs_for_a_share && lost > bearable_loss * state.spent())
    weight_of_losses_ = std::pow(lost / (bearable_loss * state.spent()), 2);
}

void RunFailures::add(const SuggestionRecord& record) {
  const Index level = level_number(study_, record);
  if (has_answered(record)) {
    runs_.push_back({told_annotation(study_, record).place, level, true});
    failures_.erase({record.row(), level});
    return;
  }
  runs_.push_back({Place(record.asked.row), level, false});
  ++failures_[{record.asked.row, level}];
  if (!(record.failure_charge > 0.0)) return;  // it reported no cost
  auto& [sum, count] = failure_costs_[level];
  sum += record.failure_charge;
  ++count;
}

Vector RunFailures::place(const StudyModel& model, const Place& place, Index level) const {
  const Points scaled = model.prior.scaling.apply(coordinates_of(study_, place).transpose());
  Vector found(scaled.cols() + 1);
  found << scaled.row(0).transpose(), static_cast<double>(level);
  return found;
}

EndedRuns RunFailures::labels(const StudyModel& model) const {
  const auto count = static_cast<Index>(runs_.size());
  EndedRuns labels{Points(count, study_.pool().points().cols() + 1), Vector(count)};
  for (Index i = 0; i < count; ++i) {
    const Run& run = runs_[static_cast<std::size_t>(i)];
    labels.places.row(i) = place(model, run.place, run.level).transpose();
    labels.labels(i) = run.succeeded ? 1.0 : -1.0;
  }
  return labels;
}

std::optional<double> RunFailures::cost_of_failure(Index level) const {
  const auto found = failure_costs_.find(level);
  if (found == failure_costs_.end()) return std::nullopt;
  return weight_of_losses_ * found->second.first / found->second.second;
}

void RunFailures::close_failed(Candidates& candidates) const {
  if (!is_active_) return;
  for (const auto& [pair, failures] : failures_) {
    const auto [row, level] = pair;
    if (row < 0 || level < 0) continue;
    const Level& which = study_.offer().levels[static_cast<std::size_t>(level)];
    const int most = which.repeats_itself || which.bias.any() ? 1 : 2;
    if (failures >= most) candidates.exclude(row, level);
  }
}

bool RunChances::Source::operator==(const Source& other) const {
  const auto is_same = [](const auto& a, const auto& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
  };
  return is_same(hyperparameters, other.hyperparameters) && is_same(places, other.places) &&
         is_same(labels, other.labels);
}

void RunChances::forget() {
  failures_.reset();
  belief_.reset();
  pool_.reset();
  source_.reset();
  expected_.clear();
  goal_success_.resize(0);
}

std::shared_ptr<RunBelief> RunChances::belief_at(const State& state, const StudyModel& model) {
  if (study_.file().learns_failures()) failures_.emplace(study_, state);
  if (!failures_ || !failures_->is_active()) {
    forget();
    return nullptr;
  }
  EndedRuns runs = failures_->labels(model);
  Source source{model.prior.kernel->log_parameters(), runs.places, runs.labels};
  const std::vector<std::int64_t> pending = state.pending();
  if (belief_ && source_ == source && expected_ == pending) return belief_;
  belief_ = updated_belief(model, std::move(runs));
  source_ = std::move(source);
  pool_.reset();
  expected_ = pending;
  return belief_;
}

bool RunChances::follow(const State& state, StudyModel& model) {
  const bool was_active = is_active();
  if (!belief_at(state, model)) {
    publish(model);
    return was_active;
  }
  const bool is_new = !pool_;
  if (is_new) {
    const SharedPool& shared = study_.shared_pool();
    const PoolShard own = shared.own_part(study_.pool().size());
    pool_ = std::make_shared<PoolSuccess>(
        belief_, model.prior.scaling.apply(study_.pool().points().middleRows(own.first, own.rows)), threads_);
    goal_success_ = goal_chances(model);  // by the runs that have ended
    for (const std::int64_t id : expected_) {
      const SuggestionRecord& record = *state.find(id);
      if (record.row() >= 0)
        pool_->expect(failures_->place(model, record.row(), level_number(study_, record)));
    }
  }
  const std::vector<RunSuccess> before = std::move(model.offer.success);
  publish(model);
  // What has been spent decides about the cost of a failure, too.
  return is_new || !std::equal(before.begin(), before.end(), model.offer.success.begin(),
                               model.offer.success.end(), [](const RunSuccess& a, const RunSuccess& b) {
                                 return a.cost_of_failure == b.cost_of_failure;
                               });
}

void RunChances::expect(const Place& place, Index level, StudyModel& model) {
  if (!is_active()) return;
  expected_.push_back(0);  // no suggestion of the log: the next follow() begins again
  pool_->expect(failures_->place(model, place, level));
  publish(model);
}

std::shared_ptr<RunBelief> RunChances::updated_belief(const StudyModel& model, EndedRuns runs) {
  learn_kernel(*model.prior.kernel, runs);
  const double mean = prior_mean_of_runs(runs, kernel_->options().amplitude);
  return std::make_shared<RunBelief>(kernel_, mean, std::move(runs));
}

// Again whenever there are a quarter more runs, and from a few hundred at most: it is a function of the log,
// and changes rarely.
void RunChances::learn_kernel(const Kernel& regression, const EndedRuns& runs) {
  constexpr Index first = 10, most = 300;
  Index used = first;
  while (used < most && used + (used + 3) / 4 <= runs.size()) used += (used + 3) / 4;
  EndedRuns early = runs.first(std::min(used, runs.size()));
  const auto has_both = [](const EndedRuns& some) {
    return some.failed() >= 5 && some.size() - some.failed() >= 5;
  };
  if (!has_both(early)) early = runs;
  Source source{regression.log_parameters(), early.places, early.labels};
  if (kernel_source_ == source) return;
  kernel_ = learned_kernel_of_runs(regression, early);
  kernel_source_ = std::move(source);
}

Vector RunChances::goal_chances(const StudyModel& model) const {
  if (!study_.goal()) return {};
  const Points scaled = model.prior.scaling.apply(study_.goal()->points);
  Points places(scaled.rows(), scaled.cols() + 1);
  places.leftCols(scaled.cols()) = scaled;
  places.rightCols(1).setConstant(static_cast<double>(study_.reference_level()));
  return belief_->probability(places);
}

// Points of other processes are computed when they are read, by the belief as it is now.
PointValues RunChances::chances_at(Index level, const StudyModel& model) const {
  const SharedPool& shared = study_.shared_pool();
  if (!shared.is_split()) return pool_->probability(level);
  StudyModel scaled;
  scaled.prior.scaling = model.prior.scaling;
  const auto elsewhere = [now = std::make_shared<const RunBelief>(*belief_), failures = *failures_, scaled,
                          level](Index row) {
    return now->probability(failures.place(scaled, row, level).transpose())(0);
  };
  return shared.values(shared.own_part(study_.pool().size()), pool_->probability(level), elsewhere);
}

void RunChances::publish(StudyModel& model) const {
  model.offer.success.clear();
  model.goal_success = goal_success_;
  if (!is_active()) return;
  for (Index level = 0; level < static_cast<Index>(model.offer.levels.size()); ++level)
    model.offer.success.push_back({chances_at(level, model), failures_->cost_of_failure(level)});
}

}  // namespace acuity
