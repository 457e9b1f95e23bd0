// Many clients of one log, in PostgreSQL and in SQLite: transactions per second, latencies, and whether what
// was acknowledged, and nothing else, is in the log although the server is killed meanwhile.
//
//   event_store_clients [CLIENTS [SECONDS [KILLS [FOLDER]]]]
//
// 50 clients, 60 s, 2 kills; FOLDER is where the data is (a temporary folder on the disk; /dev/shm is
// memory).

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "support/postgres_server.hpp"
#include "support/program.hpp"
#include "support/store_load.hpp"

namespace {

using acuity::testing::StoreLoad;

bool show(const std::string& store, int clients, int kills, const StoreLoad& load) {
  fmt::print("| {} | {} | {} | {} | {} | {:.0f} | {:.1f} | {:.1f} | {:.0f} | {} |\n", store, clients, kills,
             load.acknowledged, load.in_log, load.rate(), 1e3 * load.latency(0.5), 1e3 * load.latency(0.99),
             1e3 * load.latency(1.0), load.problems.empty() ? "exact" : "WRONG");
  std::fflush(stdout);
  for (const std::string& problem : load.problems) fmt::print(stderr, "{}: {}\n", store, problem);
  return load.problems.empty();
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int k, double otherwise) { return argc > k ? std::atof(argv[k]) : otherwise; };
  const int clients = static_cast<int>(argument(1, 50)), kills = static_cast<int>(argument(3, 2));
  const double seconds = argument(2, 60.0);
  const std::filesystem::path place = argc > 4 ? argv[4] : std::filesystem::temp_directory_path();
  if (const std::string reason = acuity::testing::PostgresServer::why_not(); !reason.empty()) {
    fmt::print(stderr, "{}\n", reason);
    return 2;
  }
  fmt::print(
      "| store | clients | kills | acknowledged | in the log | transactions/s | p50 ms | p99 ms | max ms | "
      "ledger |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n");
  bool exact = true;
  for (const int killed : {0, kills}) {
    acuity::testing::PostgresServer server({}, {}, place);
    const StoreLoad load = acuity::testing::load_store(server.address() + "/load", clients, seconds, [&] {
      for (int k = 0; k < killed; ++k) {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds / (killed + 1)));
        server.kill();
        server.start();
      }
    });
    exact = show("PostgreSQL", clients, killed, load) && exact;
    if (kills == 0) break;
  }
  std::string name = (place / "acuity-benchmark-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return 2;
  exact = show("SQLite", clients, 0, acuity::testing::load_store(name, clients, seconds)) && exact;
  std::filesystem::remove_all(name);
  return exact ? 0 : 1;
}
