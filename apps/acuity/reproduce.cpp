#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "experiments/comparison.hpp"
#include "experiments/run_store.hpp"
#include "experiments/shared_runs.hpp"
#include "interruptible.hpp"
#include "job.hpp"
#include "notes.hpp"
#include "progress.hpp"
#include "reproduction_files.hpp"
#include "shared_options.hpp"
#include "text/result_table.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

std::atomic<bool>& interrupted = Interruptible::interrupted();

struct ReproduceArguments {
  std::vector<std::string> names;  ///< empty: all
  std::string out;
  bool list = false;
  bool paper_mode = false;
  bool small = false;
  bool plan = false;
  std::string data;     ///< folder of the tables
  std::string compare;  ///< folder of the published method's results
  int fit_every = 0;    ///< learn hyperparameters at every k-th annotation; 0: never
  std::optional<int> repeats;
  std::uint64_t seed = 1;
  int threads = 0;
  Format format = Format::table;

  int repeat_count() const { return repeats.value_or(15); }
};

// An experiment that is being run.
struct Ongoing {
  Experiment experiment;
  RunStore store;
  int repeats;
  int missing = 0;

  std::vector<std::string> methods() const {
    std::vector<std::string> names;
    for (const Method& method : experiment.methods) names.push_back(method.name);
    return names;
  }
};

int threads_of(const ReproduceArguments& arguments) {
  return arguments.threads > 0 ? arguments.threads : base::default_threads();
}

void check_arguments(const ReproduceArguments& arguments) {
  if (arguments.out.empty()) throw InputError("--out is missing, must be a folder for the results");
  constexpr int most = 10'000;
  if (const int repeats = arguments.repeat_count(); repeats < 1 || repeats > most)
    throw InputError(fmt::format("--repeats is {}, must be from 1 to {}", repeats, most));
  for (const auto& [option, folder] : {std::pair("--data", arguments.data), {"--compare", arguments.compare}})
    if (!folder.empty() && !fs::is_directory(folder))
      throw InputError(fmt::format("{} is \"{}\", must be a folder", option, folder));
  if (!arguments.compare.empty() && (arguments.small || arguments.fit_every > 0))
    throw InputError("--compare is given with --small or --fit, must be without them: other experiments");
}

// One reproduction at a time may write to a folder.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder) {
    std::error_code made;
    fs::create_directories(folder, made);
    if (made) throw InputError(fmt::format("{}: cannot be made ({})", folder.string(), made.message()));
    file_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
    if (file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(file_);
      throw InputError(fmt::format(
          "{} is being written to by another reproduce, must be another folder or wait", folder.string()));
    }
  }
  ~FolderLock() {
    if (file_ >= 0) ::close(file_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

// Says before the work what will be missing from the comparison.
void check_comparison(const std::string& folder, const std::vector<Experiment>& experiments, int repeats,
                      std::ostream& log) {
  constexpr int enough = 200;
  for (const Experiment& experiment : experiments)
    if (!can_compare(experiment.name, folder))
      log << "note: " << experiment.name << " has nothing to be compared with\n";
  if (repeats < enough)
    log << fmt::format("note: with {} differences by chance are common; use {} repeats or more\n",
                       counted(repeats, "repeat"), enough);
}

ExperimentOptions options_of(const ReproduceArguments& arguments) {
  return {.mode = arguments.paper_mode ? Mode::paper : Mode::acuity,
          .small = arguments.small,
          .data = arguments.data,
          .fit_every = arguments.fit_every,
          .plan = arguments.plan};
}

// Those named, each once; without a name all whose data are there.
std::vector<Experiment> chosen_experiments(const ReproduceArguments& arguments, std::ostream& log) {
  const ExperimentOptions options = options_of(arguments);
  std::vector<Experiment> chosen;
  for (const ExperimentName& known : paper_experiments()) {
    const bool named =
        std::find(arguments.names.begin(), arguments.names.end(), known.name) != arguments.names.end();
    if (!named && !arguments.names.empty()) continue;
    if (!known.table.empty() && arguments.data.empty() && named)
      throw InputError(
          fmt::format("--data is missing, must be the folder of the table {} is about", known.name));
    if (!known.table.empty() && !named &&
        (arguments.data.empty() || !fs::exists(fs::path(arguments.data) / known.table))) {
      log << "note: " << known.name << " is left out: it needs --data, a folder with " << known.table << '\n';
      continue;
    }
    chosen.push_back(make_experiment(known.name, options));
  }
  for (const std::string& name : arguments.names) {
    const auto& all = paper_experiments();
    if (std::none_of(all.begin(), all.end(), [&](const ExperimentName& one) { return one.name == name; }))
      make_experiment(name, options);  // complains
  }
  return chosen;
}

std::string command_for(const ReproduceArguments& a, const std::string& name, int repeats) {
  std::string line = "acuity reproduce" + (name.empty() ? "" : " " + name) + " --out DIR";
  line += fmt::format(" --repeats {} --seed {}", repeats, a.seed);
  if (a.paper_mode) line += " --mode paper";
  if (a.small) line += " --small";
  if (a.plan) line += " --plan";
  if (a.fit_every > 0) line += fmt::format(" --fit {}", a.fit_every);
  if (!a.data.empty()) line += " --data DATA";
  return line;
}

// One reproduction: the experiments asked for, the runs that exist already, the runs still to do.
class Reproduction {
 public:
  // `runs`: of these experiments.
  Reproduction(const ReproduceArguments& arguments, const std::vector<Experiment>& experiments,
               SharedRuns& runs, std::ostream& log)
      : arguments_(arguments), log_(log), runs_(runs) {
    for (const Experiment& experiment : experiments) {
      RunStore store(folder(experiment), settings_json(experiment, arguments.seed));
      // Repeats that are complete already are kept even if fewer are asked for now.
      const int repeats = std::max(arguments.repeat_count(), store.complete_repeats());
      ongoing_.push_back(std::make_unique<Ongoing>(Ongoing{experiment, std::move(store), repeats}));
    }
    for (std::size_t k = 0; k < ongoing_.size(); ++k) {
      Ongoing& one = *ongoing_[k];
      for (int repeat = 0; repeat < one.repeats; ++repeat)
        for (std::size_t method = 0; method < one.experiment.methods.size(); ++method)
          if (!one.store.has(repeat, one.experiment.methods[method].name)) {
            tasks_.push_back({k, repeat, method});
            ++one.missing;
          }
    }
  }

  // Adds to the page what earlier calls with the same settings have completed in the folder.
  void add_earlier_experiments() {
    for (const ExperimentName& known : paper_experiments()) {
      const bool asked_for = std::any_of(ongoing_.begin(), ongoing_.end(),
                                         [&](const auto& one) { return one->experiment.name == known.name; });
      const fs::path place = fs::path(arguments_.out) / known.name;
      if (asked_for || !fs::exists(place / "runs.csv")) continue;
      try {
        if (!known.table.empty() && arguments_.data.empty())
          throw InputError("its table does not exist (--data)");
        Experiment experiment = make_experiment(known.name, options_of(arguments_));
        std::vector<ExperimentRun> runs =
            RunStore::completed(place, settings_json(experiment, arguments_.seed));
        if (runs.empty()) throw InputError("it has other settings");
        earlier_.push_back({std::move(experiment), std::move(runs)});
      } catch (const InputError& error) {
        write_note(known.name + " is not on the page: " + error.what(), log_);
      }
    }
  }

  void run() {
    for (const auto& one : ongoing_)
      if (one->missing == 0) finish(*one);
    const Interruptible interruptible;
    Progress progress("reproduce", log_);
    const int total = static_cast<int>(tasks_.size());
    int done = 0;
    RunSeconds spent;
    runs_.run(tasks_, [&](std::size_t task, ExperimentRun one) {
      Ongoing& of = *ongoing_[tasks_[task].experiment];
      spent += one.seconds;
      of.store.add(std::move(one));
      progress.update(++done, total);
      if (--of.missing == 0) finish(of);
    });
    progress.finish();
    if (done > 0)
      log_ << fmt::format(
          "CPU time: {:.1f} s, of which learning {:.1f}, choosing {:.1f}, updating beliefs {:.1f}, "
          "evaluating {:.1f}\n",
          spent.total, spent.learning, spent.choosing, spent.updating, spent.evaluating);
    if (interrupted)
      log_ << fmt::format(
          "interrupted: {} of {} runs of this call are kept in {}; the same command continues\n", done, total,
          one_line(arguments_.out));
  }

  void write_page() const {
    ReproductionPage page{
        .title = "Active learning with weak supervision for Gaussian processes, reproduced",
        .version = ACUITY_VERSION,
        .command = command_for(arguments_, fmt::format("{}", fmt::join(arguments_.names, " ")),
                               arguments_.repeat_count())};
    std::map<std::string, std::vector<ExperimentRun>> runs;
    int fewest = arguments_.repeat_count();
    const auto add = [&](const Reproduced& one) {
      runs[one.experiment.name] = one.runs;
      page.experiments.push_back(page_part(one));
      fewest = std::min(fewest, one.repeats);
    };
    for (const ExperimentName& known : paper_experiments()) {
      for (const auto& one : ongoing_)
        if (one->experiment.name == known.name) add(reproduced(*one));
      for (const Earlier& one : earlier_)
        if (one.experiment.name == known.name)
          add(reproduced(one.experiment, one.runs, one.runs.back().repeat + 1));
    }
    page.claims = paper_claims(runs);
    page.rules = claim_rules();
    constexpr int enough = 5;
    if (arguments_.small || arguments_.fit_every > 0 || fewest < enough) {
      for (PaperClaim& claim : page.claims) claim.verdict = Verdict::not_tested;
      page.rules = fmt::format("Not judged: that takes the paper's sizes and {} repeats or more.", enough);
    }
    write_file(fs::path(arguments_.out) / "index.html", reproduction_page(page));
    log_ << "wrote " << one_line((fs::path(arguments_.out) / "index.html").string()) << '\n';
  }

  std::string finals() const {
    ResultTable table(arguments_.format, {"experiment", "method", "annotations", "q1", "median", "q3"});
    for (const auto& one : ongoing_) add_finals(reproduced(*one), table);
    return table.text();
  }

  std::vector<ComparisonRow> compare() const {
    std::vector<ComparisonRow> all;
    for (const auto& one : ongoing_)
      for (ComparisonRow& row :
           compare_with_reference(one->experiment.name, one->store.runs(), arguments_.compare))
        all.push_back(std::move(row));
    return all;
  }

 private:
  fs::path folder(const Experiment& experiment) const { return fs::path(arguments_.out) / experiment.name; }

  Reproduced reproduced(const Experiment& experiment, const std::vector<ExperimentRun>& runs,
                        int repeats) const {
    return {experiment, runs, repeats, arguments_.seed, command_for(arguments_, experiment.name, repeats)};
  }
  Reproduced reproduced(const Ongoing& one) const {
    return reproduced(one.experiment, one.store.runs(), one.repeats);
  }

  void finish(Ongoing& one) {
    one.store.complete(one.methods(), one.repeats);
    if (!write_results(reproduced(one), folder(one.experiment)) && !png_note_written_) {
      png_note_written_ = true;
      log_ << "note: no PNG files, because rsvg-convert is not installed: apt-get install librsvg2-bin\n";
    }
  }

  const ReproduceArguments& arguments_;
  std::ostream& log_;
  SharedRuns& runs_;
  std::vector<std::unique_ptr<Ongoing>> ongoing_;
  struct Earlier {
    Experiment experiment;
    std::vector<ExperimentRun> runs;
  };
  std::vector<Earlier> earlier_;
  std::vector<RunTask> tasks_;
  bool png_note_written_ = false;
};

std::string comparison_table(const std::vector<ComparisonRow>& rows, Format format) {
  ResultTable table(format, {"experiment", "method", "check", "ours", "low", "high", "reference", "verdict"});
  for (const ComparisonRow& row : rows)
    table.add({row.experiment, row.method, row.check, row.ours, row.low, row.high, row.reference,
               row.agrees           ? std::string("agrees")
               : !row.known.empty() ? "known: " + row.known
               : row.binding        ? "DIFFERS"
                                    : "differs"});
  return table.text();
}

ExitCode reproduce(const ReproduceArguments& arguments, std::ostream& out, std::ostream& log) {
  if (arguments.list) {
    for (const ExperimentName& experiment : paper_experiments())
      out << experiment.name << ": " << experiment.what << '\n';
    return ExitCode::done;
  }
  const Job& job = this_job();
  std::vector<Experiment> experiments;
  job.together([&] {
    check_arguments(arguments);
    experiments = chosen_experiments(arguments, log);
  });
  SharedRuns runs(job, experiments, threads_of(arguments), arguments.seed, interrupted);
  std::optional<FolderLock> lock;
  std::optional<Reproduction> made;
  job.on_leader([&] {
    if (!arguments.compare.empty())
      check_comparison(arguments.compare, experiments, arguments.repeat_count(), log);
    lock.emplace(arguments.out);
    made.emplace(arguments, experiments, runs, log);
  });
  if (!made) {
    const Interruptible interruptible;
    runs.help();
    return interrupted ? ExitCode::interrupted : ExitCode::done;
  }
  Reproduction& reproduction = *made;
  reproduction.run();
  if (interrupted) return ExitCode::interrupted;
  std::vector<ComparisonRow> compared;
  if (!arguments.compare.empty()) compared = reproduction.compare();
  const std::string finals = reproduction.finals();
  reproduction.add_earlier_experiments();
  reproduction.write_page();
  if (arguments.format == Format::json)
    out << json_text({{"finals", json_in(finals)},
                      {"comparison", json_in(comparison_table(compared, Format::json))}})
        << '\n';
  else
    out << (arguments.compare.empty() ? finals : comparison_table(compared, arguments.format));
  return all_agree(compared) ? ExitCode::done : ExitCode::differs;
}

}  // namespace

void add_reproduce(Program& program) {
  auto [command, arguments] =
      program.add<ReproduceArguments>({.name = "reproduce",
                                       .help = "Run the paper's experiments and write curves and pictures",
                                       .example = "acuity reproduce sine-q1 --out results --repeats 5"},
                                      reproduce);
  command.words("NAME", "", arguments.names, "Experiments (default: all)");
  command.text("--out", "DIR", arguments.out, "Folder for the results");
  command.flag("--list", arguments.list, "List the experiments and stop");
  command.number("--repeats", "N", arguments.repeats, "Number of repeats of each experiment (default 15)");
  const auto take_fit = [&a = arguments](const std::string& word) {
    a.fit_every = number_in<int>(word).value_or(word == "every" ? 1 : 0);
    if (a.fit_every < 1 && word != "never")
      throw InputError(fmt::format("--fit is \"{}\", must be never, every or a whole number above 0", word));
  };
  command.option("--fit", "never|every|K", take_fit,
                 "Learn hyperparameters never, at every or at every K-th annotation (default never)");
  command.choice(
      "--mode", {"acuity", "paper"},
      [&a = arguments](const std::string& word) { a.paper_mode = word == "paper"; },
      "acuity: exact information, any precision, L-BFGS; paper: as the paper says, with its errors corrected "
      "(default acuity)");
  command.text("--data", "DIR", arguments.data, "Folder with concrete.csv and superconductivity.csv");
  command.text("--compare", "DIR", arguments.compare,
               "Folder with the published method's curves; exits with 1 if there is a difference that is not "
               "listed there");
  command.flag("--small", arguments.small,
               "Small pools and budgets, to see quickly whether everything works");
  command.flag(
      "--plan", arguments.plan,
      "Real targets: add the method \"model plan\", which plans the budget instead of buying the most "
      "information per cost");
  const auto take_seed = [&a = arguments](const std::string& word) {
    const std::optional<std::uint64_t> seed = number_in<std::uint64_t>(word);
    if (!seed)
      throw InputError(fmt::format("--seed is \"{}\", must be a whole number from 0 to 2^64 - 1", word));
    a.seed = *seed;
  };
  command.option("--seed", "S", take_seed, "Seed of all random numbers (default 1)");
  add_threads(command, arguments.threads);
  add_format(command, arguments.format);
}

}  // namespace acuity
