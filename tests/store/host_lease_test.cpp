#include "store/host_lease.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "acuity/base/errors.hpp"
#include "support/background.hpp"

namespace acuity::testing::host_lease {

namespace fs = std::filesystem;

HostLeaseOptions host(const std::string& identity, double seconds = 60.0) {
  return {.seconds = seconds, .renewal = seconds / 9.0, .patience = 5.0, .identity = identity};
}

// As if the last sign of life were so long ago.
void age(const fs::path& file, std::chrono::seconds by) {
  fs::last_write_time(file, fs::last_write_time(file) - by);
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const OwnedError& error) {
    return error.what();
  }
  return "";
}

TEST(HostLease, OtherHostsAreRefusedWithWhatTheyCanDo) {
  const Folder folder;
  const auto lease = HostLease::acquire(folder.path(), host("a"));
  const std::string message = message_of([&] { HostLease::acquire(folder.path(), host("b")); });
  for (const std::string part :
       {"network file system", "one host at a time", "postgresql://", "mode = \"submit\"", "try again in"})
    EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
  lease->require_held();
}

TEST(HostLease, ProcessesOfOneHostShareIt) {
  const Folder folder;
  const auto one = HostLease::acquire(folder.path(), host("a"));
  const auto two = HostLease::acquire(folder.path(), host("a"));
  one->require_held();
  two->require_held();
  EXPECT_FALSE(HostLease::other_host(folder.path(), host("a")));
  EXPECT_TRUE(HostLease::other_host(folder.path(), host("b")));
}

TEST(HostLease, StaysForAWhileAfterTheLastProcess) {
  const Folder folder;
  HostLease::acquire(folder.path(), host("a"));
  EXPECT_NE(message_of([&] { HostLease::acquire(folder.path(), host("b")); }), "");
  HostLease::acquire(folder.path(), host("a"));
  age(folder.path() / "writer.lease", std::chrono::seconds(61));
  HostLease::acquire(folder.path(), host("b"));
  EXPECT_NE(message_of([&] { HostLease::acquire(folder.path(), host("a")); }), "");
}

TEST(HostLease, IsRenewedWhileAProcessHasIt) {
  const Folder folder;
  const auto lease = HostLease::acquire(folder.path(), host("a", 2.0));
  std::this_thread::sleep_for(std::chrono::milliseconds(3500));
  EXPECT_NE(message_of([&] { HostLease::acquire(folder.path(), host("b", 2.0)); }), "");
}

TEST(HostLease, AHostThatLostItWritesNoMore) {
  const Folder folder;
  const auto slow = HostLease::acquire(folder.path(), {.seconds = 60.0, .renewal = 1.0, .identity = "a"});
  slow->require_held();
  age(folder.path() / "writer.lease", std::chrono::seconds(61));
  const auto fast = HostLease::acquire(folder.path(), host("b"));
  std::string message;
  EXPECT_TRUE(comes_true([&] { return !(message = message_of([&] { slow->require_held(); })).empty(); }));
  EXPECT_NE(message.find("run the command again"), std::string::npos) << message;
  fast->require_held();
}

// The index of SQLite's write-ahead log is memory of one host.
TEST(HostLease, TakingItRemovesTheSharedMemoryOfTheHostBefore) {
  const Folder folder;
  folder.write("events.sqlite-shm", "old");
  const auto lease = HostLease::acquire(folder.path(), host("a"));
  EXPECT_FALSE(fs::exists(folder.path() / "events.sqlite-shm"));
  folder.write("events.sqlite-shm", "in use");
  HostLease::acquire(folder.path(), host("a"));
  EXPECT_TRUE(fs::exists(folder.path() / "events.sqlite-shm"));
}

TEST(HostLease, SurvivesAProcessThatDiedWhileTakingIt) {
  const Folder folder;
  folder.write("writer.lease.lock", "{}\n");
  HostLeaseOptions impatient = host("a");
  impatient.patience = 0.3;
  EXPECT_NE(message_of([&] { HostLease::acquire(folder.path(), impatient); }).find("try again"),
            std::string::npos);
  age(folder.path() / "writer.lease.lock", std::chrono::seconds(61));
  HostLease::acquire(folder.path(), impatient)->require_held();
  EXPECT_FALSE(fs::exists(folder.path() / "writer.lease.lock"));
}

TEST(HostLease, LeavesNoOtherFilesBehind) {
  const Folder folder;
  HostLease::acquire(folder.path(), host("a"));
  message_of([&] { HostLease::acquire(folder.path(), host("b")); });
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  EXPECT_EQ(names, std::vector<std::string>{"writer.lease"});
}

// Eight hosts want a lease that has ended: one gets it, whoever that is.
TEST(HostLease, OneOfManyHostsGetsIt) {
  for (int round = 0; round < 20; ++round) {
    const Folder folder;
    if (round % 2 == 1) {
      HostLease::acquire(folder.path(), host("before"));
      age(folder.path() / "writer.lease", std::chrono::seconds(61));
    }
    std::atomic<int> winners = 0, refused = 0;
    std::vector<std::unique_ptr<HostLease>> leases(8);
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < leases.size(); ++k)
      threads.emplace_back([&, k] {
        try {
          leases[k] = HostLease::acquire(folder.path(), host("host " + std::to_string(k)));
          ++winners;
        } catch (const OwnedError&) {
          ++refused;
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(winners, 1);
    EXPECT_EQ(refused, 7);
  }
}

}  // namespace acuity::testing::host_lease
