#include "experiments/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "data/quantile.hpp"
#include "experiments/paired_errors.hpp"
#include "numerics/random.hpp"

namespace acuity {

namespace {

enum class Demand { final_medians, wins, nothing };
enum class CurveMetric { error, accuracy };

// What the published method has for an experiment, and what of it ours must match.
struct Reference {
  const char* experiment;
  const char* file;
  Demand demand;
  CurveMetric metric = CurveMetric::error;
  bool has_target = true;
};

constexpr std::array references{
    Reference{"sine-q0.2", "sine_uniform_q0.2.csv", Demand::final_medians},
    Reference{"sine-q0.8", "sine_uniform_q0.8.csv", Demand::final_medians},
    Reference{"sine-q1", "sine_uniform_q1.csv", Demand::final_medians},
    Reference{"sine-q2", "sine_uniform_q2.csv", Demand::final_medians},
    Reference{"sine-skewed-w3", "sine_nonuniform_b_w3.csv", Demand::final_medians},
    Reference{"sine-skewed-w5", "sine_nonuniform_b_w5.csv", Demand::final_medians},
    Reference{"sine-skewed-w7", "sine_nonuniform_b_w7.csv", Demand::final_medians},
    Reference{"sine-learned-w3", "sine_nonuniform_hyp_w3.csv", Demand::nothing},
    Reference{"sine-learned-w5", "sine_nonuniform_hyp_w5.csv", Demand::nothing},
    Reference{"toy-v1", "class_v1_k0.8_g0.2.csv", Demand::wins, CurveMetric::accuracy},
    Reference{"toy-v2", "class_v2_k0.8_g0.2.csv", Demand::wins, CurveMetric::accuracy},
    Reference{"toy-v3", "class_v3_k0.8_g0.2.csv", Demand::wins, CurveMetric::accuracy},
    Reference{"toy-v1-half", "class_v1_k0.5_g0.5.csv", Demand::final_medians, CurveMetric::accuracy},
    Reference{"toy-v2-half", "class_v2_k0.5_g0.5.csv", Demand::final_medians, CurveMetric::accuracy},
    Reference{"toy-v3-half", "class_v3_k0.5_g0.5.csv", Demand::final_medians, CurveMetric::accuracy},
    Reference{"uci-concrete", "uci_concrete.csv", Demand::wins, CurveMetric::error, false}};

const std::string median_check = "final median", informal_check = "final median (for information)",
                  wins_check = "wins over bald";
constexpr int usual_repeats = 15;

// The methods compared, and what the reference calls them.
const std::vector<std::pair<std::string, std::string>>& method_names() {
  static const std::vector<std::pair<std::string, std::string>> names{
      {"random", "Random"}, {"bald", "BALD"}, {"target", "MI_Y"}, {"model", "MI_f"}};
  return names;
}

const Reference* find_reference(const std::string& experiment) {
  const auto found = std::find_if(references.begin(), references.end(),
                                  [&](const Reference& r) { return experiment == r.experiment; });
  return found == references.end() ? nullptr : &*found;
}

// The checks of an experiment, still without numbers.
std::vector<ComparisonRow> checks_of(const Reference& reference) {
  std::vector<ComparisonRow> rows;
  if (reference.demand == Demand::wins)
    rows.push_back({.experiment = reference.experiment, .method = "model", .check = wins_check});
  const bool binding = reference.demand == Demand::final_medians;
  for (const auto& [method, _] : method_names())
    if (method != "target" || reference.has_target)
      rows.push_back({.experiment = reference.experiment,
                      .method = method,
                      .check = binding ? median_check : informal_check,
                      .binding = binding});
  return rows;
}

// Each method's median at the end of its curve. All end at the same cost; one that does not was cut off.
std::map<std::string, double> final_medians(const std::filesystem::path& file) {
  const Table table = Table::read(file);
  const Index method = table.column("method", "a comparison"), cost = table.column("cost", "a comparison"),
              median = table.column("median", "a comparison");
  std::map<std::string, double> medians, ends;
  double end = 0.0;
  for (Index row = 0; row < table.rows(); ++row) {
    const std::string name = table.text(row, method);
    const double at = table.number(row, cost);
    if (ends.contains(name) && at <= ends[name])
      table.complain(row, cost, fmt::format("above {}, where {} stood before", ends[name], name));
    ends[name] = at;
    medians[name] = table.number(row, median);
    end = std::max(end, at);
  }
  for (const auto& [name, at] : ends)
    if (at != end)
      throw InputError(fmt::format("{}: method \"{}\" ends at cost {}, must end at {} like the others",
                                   table.source(), name, at, end));
  return medians;
}

double final_median(const std::map<std::string, double>& medians, const std::filesystem::path& file,
                    const std::string& method) {
  const auto name = std::find_if(method_names().begin(), method_names().end(),
                                 [&](const auto& names) { return names.first == method; });
  const auto found = medians.find(name->second);
  if (found == medians.end())
    throw InputError(fmt::format("{}: method \"{}\" is missing, must be there to compare {}", file.string(),
                                 name->second, method));
  return found->second;
}

int count_in(const Table& table, Index row, Index column, double least) {
  const double value = table.number(row, column);
  if (value < least || value != std::floor(value) || value > 1e6)
    table.complain(row, column, fmt::format("a whole number of at least {}", least));
  return static_cast<int>(value);
}

// repeats.csv lists the experiments that had other than the usual number.
int reference_repeats(const std::filesystem::path& folder, const std::string& wanted) {
  const std::filesystem::path file = folder / "repeats.csv";
  if (!std::filesystem::exists(file)) return usual_repeats;
  const Table table = Table::read(file);
  const Index experiment = table.column("experiment", "a comparison"),
              repeats = table.column("repeats", "a comparison");
  int result = usual_repeats;
  for (Index row = 0; row < table.rows(); ++row) {
    const int count = count_in(table, row, repeats, 1.0);
    if (table.text(row, experiment) == wanted) result = count;
  }
  return result;
}

struct Wins {
  int wins = 0, repeats = 0;
};

Wins reference_wins(const std::filesystem::path& folder, const std::string& wanted) {
  const Table table = Table::read(folder / "wins.csv");
  const auto column = [&](const char* name) { return table.column(name, "a comparison"); };
  const Index experiment = column("experiment"), method = column("method"), over = column("over"),
              wins = column("wins"), repeats = column("repeats");
  std::optional<Wins> found;
  for (Index row = 0; row < table.rows(); ++row) {
    const Wins count{count_in(table, row, wins, 0.0), count_in(table, row, repeats, 1.0)};
    if (count.wins > count.repeats)
      table.complain(row, wins, fmt::format("at most {}, the repeats", count.repeats));
    if (table.text(row, experiment) == wanted && table.text(row, method) == "model" &&
        table.text(row, over) == "bald")
      found = count;
  }
  if (!found)
    throw InputError(
        fmt::format("{}: the wins of model over bald in {} are missing, must be there to compare them",
                    table.source(), wanted));
  return *found;
}

// Fills low and high: the central 99 % of a statistic of `count` values drawn from `values` with replacement.
void resample(ComparisonRow& row, const std::vector<double>& values, int count,
              const std::function<double(const std::vector<double>&)>& statistic) {
  constexpr int times = 20'000;
  numerics::Draws draws(1, numerics::Purpose::resampling);
  std::vector<double> results, drawn(static_cast<std::size_t>(count));
  for (int i = 0; i < times; ++i) {
    for (double& value : drawn)
      value = values[static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(values.size())))];
    results.push_back(statistic(drawn));
  }
  row.low = quantile(results, 0.005);
  row.high = quantile(results, 0.995);
}

void check_median(ComparisonRow& row, const std::vector<ExperimentRun>& runs, CurveMetric metric,
                  int repeats) {
  std::vector<double> finals;
  for (const ExperimentRun& run : runs)
    if (run.method == row.method)
      finals.push_back(metric == CurveMetric::accuracy ? 1.0 - last_error(run) : last_error(run));
  if (finals.empty())
    throw InputError(
        fmt::format("{}: there are no runs of {}, must be some to compare", row.experiment, row.method));
  row.ours = quantile(finals, 0.5);
  resample(row, finals, repeats, [](const std::vector<double>& drawn) { return quantile(drawn, 0.5); });
  const double rounding = 1e-7 * std::abs(row.reference);  // the curves have eight digits
  row.agrees = row.low - rounding <= row.reference && row.reference <= row.high + rounding;
}

void check_wins(ComparisonRow& row, const std::vector<ExperimentRun>& runs, Wins theirs) {
  for (const char* method : {"model", "bald"})
    if (std::none_of(runs.begin(), runs.end(), [&](const ExperimentRun& r) { return r.method == method; }))
      throw InputError(
          fmt::format("{}: there are no runs of {}, must be some to compare", row.experiment, method));
  const PairedErrors pairs = paired_errors(runs, "model", "bald");
  std::vector<double> outcomes(static_cast<std::size_t>(pairs.better), 1.0);
  outcomes.insert(outcomes.end(), static_cast<std::size_t>(pairs.equal), 0.5);
  outcomes.insert(outcomes.end(), static_cast<std::size_t>(pairs.worse), 0.0);
  row.ours = pairs.wins() / pairs.repeats();
  row.reference = static_cast<double>(theirs.wins) / theirs.repeats;
  resample(row, outcomes, theirs.repeats, [](const std::vector<double>& drawn) {
    double sum = 0.0;
    for (const double outcome : drawn) sum += outcome;
    return sum / static_cast<double>(drawn.size());
  });
  row.agrees = pairs.wins() * theirs.repeats >= static_cast<double>(theirs.wins) * pairs.repeats();
}

struct KnownDifference {
  std::string experiment, method, check, reason;

  bool is_about(const ComparisonRow& row) const {
    return row.experiment == experiment && row.method == method && row.check == check;
  }
};

std::vector<KnownDifference> known_differences(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "known-differences.csv";
  if (!std::filesystem::exists(file)) return {};
  const Table table = Table::read(file);
  const auto column = [&](const char* name) { return table.column(name, "known differences"); };
  const Index experiment = column("experiment"), method = column("method"), check = column("check"),
              number = column("number"), reason = column("reason");
  std::vector<KnownDifference> known;
  for (Index row = 0; row < table.rows(); ++row) {
    known.push_back({table.text(row, experiment), table.text(row, method), table.text(row, check),
                     table.text(row, reason)});
    const Reference* reference = find_reference(known.back().experiment);
    if (reference == nullptr) table.complain(row, experiment, "an experiment with a reference");
    const std::vector<ComparisonRow> checks = checks_of(*reference);
    const auto has = [&](auto member, const std::string& value) {
      return std::any_of(checks.begin(), checks.end(),
                         [&](const ComparisonRow& c) { return c.*member == value; });
    };
    if (!has(&ComparisonRow::method, known.back().method))
      table.complain(row, method, fmt::format("a method that is compared in {}", reference->experiment));
    if (std::none_of(checks.begin(), checks.end(),
                     [&](const ComparisonRow& c) { return known.back().is_about(c); }))
      table.complain(row, check,
                     fmt::format("a check of {} in {}", known.back().method, reference->experiment));
    table.number(row, number);
    if (known.back().reason.empty()) table.complain(row, reason, "the reason of the difference");
  }
  return known;
}

}  // namespace

std::vector<ComparisonRow> compare_with_reference(const std::string& experiment,
                                                  const std::vector<ExperimentRun>& runs,
                                                  const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder))
    throw InputError(folder.string() + ": does not exist, must be a folder with the results to compare with");
  // Read first, and for every experiment: a mistake in the list is reported whatever is compared.
  const std::vector<KnownDifference> known = known_differences(folder);
  const Reference* reference = find_reference(experiment);
  if (reference == nullptr) return {};
  const std::filesystem::path file = folder / reference->file;
  const std::map<std::string, double> medians = final_medians(file);
  const int repeats = reference_repeats(folder, experiment);
  std::vector<ComparisonRow> rows = checks_of(*reference);
  for (ComparisonRow& row : rows) {
    if (row.check == wins_check) {
      check_wins(row, runs, reference_wins(folder, experiment));
    } else {
      row.reference = final_median(medians, file, row.method);
      check_median(row, runs, reference->metric, repeats);
    }
    if (row.agrees) continue;
    for (const KnownDifference& difference : known)
      if (difference.is_about(row)) row.known = difference.reason;
  }
  return rows;
}

bool can_compare(const std::string& experiment, const std::filesystem::path& folder) {
  known_differences(folder);
  const Reference* reference = find_reference(experiment);
  if (reference == nullptr) return false;
  const std::filesystem::path file = folder / reference->file;
  const std::map<std::string, double> medians = final_medians(file);
  reference_repeats(folder, experiment);
  for (const ComparisonRow& row : checks_of(*reference))
    if (row.check == wins_check)
      reference_wins(folder, experiment);
    else
      final_median(medians, file, row.method);
  return true;
}

bool all_agree(const std::vector<ComparisonRow>& rows) {
  return std::none_of(rows.begin(), rows.end(), [](const ComparisonRow& row) {
    return row.binding && !row.agrees && row.known.empty();
  });
}

}  // namespace acuity
