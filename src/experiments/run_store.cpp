#include "experiments/run_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "base/checksum.hpp"
#include "text/json.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

constexpr const char* columns = "repeat,method,step,point,alpha,information,cost,spent,y,error\n";

std::string number(double value) {
  return std::isnan(value) ? std::string() : fmt::format("{:.17g}", value);
}

// CPU seconds are no result: they are in the first line of a part, and not in runs.csv.
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

namespace {

bool is_there(const fs::path& file) {
  std::error_code error;
  const bool there = fs::exists(file, error);
  if (error) throw InputError(fmt::format("{}: cannot be read ({})", file.string(), error.message()));
  return there;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("{}: cannot be made ({})", folder.string(), error.message()));
}

[[noreturn]] void damaged(const fs::path& file) {
  throw InputError(fmt::format(
      "{} is damaged: it is not what was written, must be whole or the folder be removed", file.string()));
}

using base::checksum;

// Whatever the order of the keys and the spaces between them.
bool is_same_json(const std::string& one, const std::string& other) {
  const auto read = [](const std::string& text) { return sorted_json_in(text); };
  return !read(one).is_discarded() && read(one) == read(other);
}

// What runs.csv holds, checked against runs.check.
std::vector<ExperimentRun> read_complete(const fs::path& folder) {
  const fs::path file = folder / "runs.csv";
  if (!is_there(file)) return {};
  std::string text = read_regular_file(file);
  const std::string checks =
      is_there(folder / "runs.check") ? read_regular_file(folder / "runs.check") : std::string();
  std::istringstream lines(checks);
  bool fits = false;
  for (std::string line; !fits && std::getline(lines, line);) fits = base::checksum(text) == line;
  if (!fits) damaged(file);
  return parse_runs_csv(std::move(text), file.string());
}

}  // namespace

RunStore::RunStore(fs::path folder, std::string settings)
    : folder_(std::move(folder)), settings_(std::move(settings)) {
  const fs::path file = folder_ / "settings.json";
  if (is_there(file)) {
    if (!is_same_json(read_regular_file(file), settings_))
      throw InputError(
          fmt::format("{} holds runs of other settings than these ({}), must be another folder or be removed",
                      folder_.string(), file.filename().string()));
    runs_ = read_complete(folder_);
    for (const ExperimentRun& run : runs_) complete_repeats_ = std::max(complete_repeats_, run.repeat + 1);
    read_parts();
    return;
  }
  for (const char* left : {"runs.csv", "parts"})
    if (is_there(folder_ / left))
      throw InputError(fmt::format("{} holds {} without settings.json, must be another folder or be removed",
                                   folder_.string(), left));
  make_folder(folder_ / "parts");
  write_file(file, settings_ + "\n");
}

std::vector<ExperimentRun> RunStore::completed(const fs::path& folder, const std::string& settings) {
  const fs::path file = folder / "settings.json";
  if (!is_there(file) || !is_same_json(read_regular_file(file), settings)) return {};
  return read_complete(folder);
}

void RunStore::read_parts() {
  if (!is_there(folder_ / "parts")) return;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "parts"))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    // "# checksum seconds ...", then the run.
    const std::string text = read_regular_file(file);
    const std::size_t end = text.find('\n');
    constexpr std::size_t begin = 2;
    if (!text.starts_with("# ") || end == std::string::npos) damaged(file);
    const std::size_t length = std::min(text.find(' ', begin), end) - begin;
    const std::string table = text.substr(end + 1);
    if (base::checksum(table) != text.substr(begin, length)) damaged(file);
    std::vector<ExperimentRun> read = parse_runs_csv(table, file.string());
    if (read.size() != 1) damaged(file);
    if (has(read[0].repeat, read[0].method)) continue;  // interrupted between runs.csv and the clearing up
    read[0].seconds = parse_seconds(text.substr(begin + length, end - begin - length));
    runs_.push_back(std::move(read[0]));
  }
}

bool RunStore::has(int repeat, const std::string& method) const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [&](const ExperimentRun& run) { return run.repeat == repeat && run.method == method; });
}

fs::path RunStore::part_of(const ExperimentRun& run) const {
  std::string name = run.method;
  std::replace(name.begin(), name.end(), ' ', '-');
  return folder_ / "parts" / fmt::format("{:05}-{}.csv", run.repeat, name);
}

void RunStore::add(ExperimentRun run) {
  make_folder(folder_ / "parts");
  const std::string table = runs_csv({run});
  write_file(part_of(run), fmt::format("# {} {}\n{}", checksum(table), seconds_text(run.seconds), table));
  runs_.push_back(std::move(run));
}

void RunStore::complete(const std::vector<std::string>& methods, int repeats) {
  std::erase_if(runs_, [&](const ExperimentRun& run) { return run.repeat >= repeats; });
  const auto rank = [&](const ExperimentRun& run) {
    return std::find(methods.begin(), methods.end(), run.method) - methods.begin();
  };
  std::sort(runs_.begin(), runs_.end(), [&](const ExperimentRun& a, const ExperimentRun& b) {
    return a.repeat != b.repeat ? a.repeat < b.repeat : rank(a) < rank(b);
  });
  // While one runs.csv takes the place of another, the checksums of both count: whenever it ends, one is
  // right.
  const std::string table = runs_csv(runs_), check = checksum(table) + "\n";
  const std::string before =
      is_there(folder_ / "runs.check") ? read_regular_file(folder_ / "runs.check") : std::string();
  if (before != check) {
    write_file(folder_ / "runs.check", before + check);
    write_file(folder_ / "runs.csv", table);
    write_file(folder_ / "runs.check", check);
  }
  std::error_code ignored;
  for (const ExperimentRun& run : runs_) fs::remove(part_of(run), ignored);
  fs::remove(folder_ / "parts", ignored);  // fails if it is not empty, as it should
}

}  // namespace acuity
