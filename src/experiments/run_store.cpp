#include "experiments/run_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "acuity/data/table.hpp"
#include "acuity/numerics/errors.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

constexpr const char* columns = "repeat,method,step,point,alpha,information,cost,spent,y,error\n";

std::string number(double value) {
  return std::isnan(value) ? std::string() : fmt::format("{:.17g}", value);
}

// CPU seconds are no result: they stand in the first line of a part, and are gone from runs.csv.
std::string seconds_text(const RunSeconds& s) {
  return fmt::format("{:.6f} {:.6f} {:.6f} {:.6f} {:.6f}", s.total, s.learning, s.choosing, s.updating,
                     s.evaluating);
}

RunSeconds parse_seconds(const std::string& text) {
  RunSeconds s;
  std::istringstream in(text);
  in >> s.total >> s.learning >> s.choosing >> s.updating >> s.evaluating;
  return s;
}

double number_or_nan(const Table& table, Index row, Index column) {
  if (table.empty(row, column)) return std::numeric_limits<double>::quiet_NaN();
  const std::optional<double> value = table.parse_number(row, column);
  if (!value) table.complain(row, column, "a number or nothing");
  return *value;
}

}  // namespace

std::string runs_csv(const std::vector<ExperimentRun>& runs) {
  std::string text = columns;
  for (const ExperimentRun& run : runs)
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
      const Step& s = run.steps[i];
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{}\n", run.repeat, run.method, i,
                     s.point, number(s.alpha), number(s.information), number(s.cost), number(s.spent),
                     number(s.y), number(s.error));
    }
  return text;
}

std::vector<ExperimentRun> parse_runs_csv(std::string text, const std::string& source) {
  const Table table = Table::parse(std::move(text), source);
  const auto column = [&](const char* name) { return table.column(name, "a run"); };
  const Index repeat = column("repeat"), method = column("method"), point = column("point"),
              alpha = column("alpha"), information = column("information"), cost = column("cost"),
              spent = column("spent"), y = column("y"), error = column("error");
  std::vector<ExperimentRun> runs;
  for (Index row = 0; row < table.rows(); ++row) {
    const int number = static_cast<int>(table.number(row, repeat));
    const std::string name = table.text(row, method);
    if (runs.empty() || runs.back().repeat != number || runs.back().method != name)
      runs.push_back({.method = name, .repeat = number, .steps = {}, .seconds = {}});
    runs.back().steps.push_back({.point = table.text(row, point),
                                 .alpha = number_or_nan(table, row, alpha),
                                 .information = number_or_nan(table, row, information),
                                 .cost = table.number(row, cost),
                                 .spent = table.number(row, spent),
                                 .y = table.number(row, y),
                                 .error = number_or_nan(table, row, error)});
  }
  return runs;
}

RunStore::RunStore(fs::path folder, std::string settings)
    : folder_(std::move(folder)), settings_(std::move(settings)) {
  const fs::path file = folder_ / "settings.json";
  if (fs::exists(file)) {
    if (!holds(folder_, settings_))
      throw InputError(
          fmt::format("{} holds runs of other settings than these ({}), must be another folder or be removed",
                      folder_.string(), file.filename().string()));
    read_complete();
    read_parts();
    return;
  }
  std::error_code made;
  fs::create_directories(folder_ / "parts", made);
  if (made) throw InputError(fmt::format("{}: cannot be made ({})", folder_.string(), made.message()));
  write_file(file, settings_ + "\n");
}

bool RunStore::holds(const fs::path& folder, const std::string& settings) {
  const fs::path file = folder / "settings.json";
  return fs::exists(file) && read_file(file) == settings + "\n";
}

void RunStore::read_complete() {
  if (!fs::exists(folder_ / "runs.csv")) return;
  for (ExperimentRun& run : parse_runs_csv(read_file(folder_ / "runs.csv"), (folder_ / "runs.csv").string()))
    runs_.push_back(std::move(run));
}

void RunStore::read_parts() {
  if (!fs::exists(folder_ / "parts")) return;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "parts"))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::string text = read_file(file);
    const std::size_t end = text.find('\n');
    if (!text.starts_with("# ") || end == std::string::npos)
      throw InputError(fmt::format("{} is damaged, must begin with a line of CPU seconds", file.string()));
    const RunSeconds seconds = parse_seconds(text.substr(2, end - 2));
    std::vector<ExperimentRun> read = parse_runs_csv(text.substr(end + 1), file.string());
    if (read.size() != 1)
      throw InputError(fmt::format("{} has {} runs, must have one", file.string(), read.size()));
    if (has(read[0].repeat, read[0].method)) continue;  // interrupted between runs.csv and the clearing up
    read[0].seconds = seconds;
    runs_.push_back(std::move(read[0]));
  }
}

bool RunStore::has(int repeat, const std::string& method) const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [&](const ExperimentRun& run) { return run.repeat == repeat && run.method == method; });
}

int RunStore::repeats() const {
  int most = 0;
  for (const ExperimentRun& run : runs_) most = std::max(most, run.repeat + 1);
  return most;
}

void RunStore::add(ExperimentRun run) {
  std::string name = run.method;
  std::replace(name.begin(), name.end(), ' ', '-');
  fs::create_directories(folder_ / "parts");
  write_file(folder_ / "parts" / fmt::format("{:05}-{}.csv", run.repeat, name),
             fmt::format("# {}\n", seconds_text(run.seconds)) + runs_csv({run}));
  runs_.push_back(std::move(run));
}

void RunStore::complete(const std::vector<std::string>& methods) {
  const auto rank = [&](const ExperimentRun& run) {
    return std::find(methods.begin(), methods.end(), run.method) - methods.begin();
  };
  std::sort(runs_.begin(), runs_.end(), [&](const ExperimentRun& a, const ExperimentRun& b) {
    return a.repeat != b.repeat ? a.repeat < b.repeat : rank(a) < rank(b);
  });
  write_file(folder_ / "runs.csv", runs_csv(runs_));
  fs::remove_all(folder_ / "parts");
}

}  // namespace acuity
