#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "command_line.hpp"
#include "commands.hpp"
#include "data/mapped_file.hpp"
#include "job.hpp"
#include "mpi_ranks.hpp"

namespace acuity {

namespace {

// Takes everything and shows nothing.
class Silence final : public std::streambuf {
  int overflow(int character) override { return traits_type::not_eof(character); }
  std::streamsize xsputn(const char*, std::streamsize count) override { return count; }
};

// For benchmarks: what every rank has sent and held, one line each on standard error.
void show_statistics(const MpiJob& job) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  const MpiJob::Traffic traffic = job.traffic();
  const std::string mine =
      fmt::format("rank {}: {} calls, {} bytes sent, {:.3f} s in calls, {:.3f} s of CPU, {} MB at most\n",
                  job.ranks()->rank(), traffic.calls, traffic.bytes, traffic.seconds,
                  seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss / 1024);
  for (const std::string& line : job.ranks()->gather(mine))
    if (job.ranks()->rank() == 0) std::cerr << line;
}

// A rank that ends alone, because something went wrong that the others do not know of, would leave them
// waiting for ever: after this time it says what and ends them all.
constexpr double seconds_to_end_together = 10.0;

// mpirun alone can notice that a host is cut off, and does so after eight minutes unless it is told to look
// earlier.
void note_slow_detection_of_dead_links(const MpiJob& job, std::ostream& log) {
  const int hosts = job.hosts();
  const bool by_mpirun = std::getenv("OMPI_MCA_orte_hnp_uri") != nullptr;
  if (hosts == 1 || !by_mpirun || std::getenv("OMPI_MCA_oob_tcp_keepalive_time") != nullptr) return;
  log << "note: the ranks are on " << hosts
      << " hosts, and mpirun notices after eight minutes only if one of them is cut off; to be told within "
         "seconds set OMPI_MCA_oob_tcp_keepalive_time=10 OMPI_MCA_oob_tcp_keepalive_intvl=5 "
         "OMPI_MCA_oob_tcp_keepalive_probes=2 (docs/clusters.md)\n";
}

ExitCode run(MpiJob& job, const std::vector<std::string>& words) {
  const Ranks& ranks = *job.ranks();
  Program program("acuity-mpi", "MPI (" + MpiJob::library() + ")");
  program.begin_group("Commands");
  add_run(program);
  add_score(program);
  add_reproduce(program);
  add_backtest(program);
  // All ranks do the same; the first one shows it.
  Silence silence;
  std::ostream nothing(&silence);
  std::ostringstream kept;
  const bool is_first = ranks.rank() == 0;
  std::ostream& log = is_first ? std::cerr : kept;
  note_slow_detection_of_dead_links(job, log);
  const ExitCode code = run_command_line(program, words, is_first ? std::cout : nothing, log);
  // Without an error the others may still have something to do.
  if (job.all_have_ended(code == ExitCode::done ? HUGE_VAL : seconds_to_end_together)) {
    if (std::getenv("ACUITY_MPI_STATISTICS") != nullptr) show_statistics(job);
    const int first = std::stoi(job.ranks()->broadcast(std::to_string(static_cast<int>(code)), 0));
    return static_cast<ExitCode>(first);
  }
  if (!is_first) std::cerr << kept.str();
  std::cerr << "acuity-mpi: rank " << ranks.rank() << " of " << ranks.count()
            << " has ended and the others have not; the job is ended, the same command continues a campaign\n"
            << std::flush;
  job.abort(static_cast<int>(code));
}

}  // namespace

}  // namespace acuity

int main(int argc, char** argv) {
  acuity::exit_if_a_mapped_file_shrinks();
  acuity::MpiJob job(argc, argv);
  acuity::set_job(acuity::Job(job.ranks()));
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  acuity::hide_passwords(argc, argv);
  return static_cast<int>(acuity::run(job, words));
}
