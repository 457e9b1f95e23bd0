#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "support/background.hpp"
#include "support/mpi.hpp"

// Three hosts: network namespaces on a bridge, each with a name of its own. Needs root.

namespace acuity::testing {

namespace {

class Hosts {
 public:
  explicit Hosts(int count) : count_(count), net_(fmt::format("10.80.{}", ::getpid() % 250 + 1)) {
    run(fmt::format("ip link add {0} type bridge && ip addr add {1}.254/24 dev {0} && ip link set {0} up",
                    bridge(), net_));
    for (int i = 1; i <= count_; ++i)
      run(
          fmt::format("ip netns add {0} && ip link add {1} type veth peer name eth0 netns {0} && "
                      "ip link set {1} master {2} up && ip -n {0} addr add {3}.{4}/24 dev eth0 && "
                      "ip -n {0} link set eth0 up && ip -n {0} link set lo up",
                      host(i), cable(i), bridge(), net_, i));
    // What OpenMPI calls instead of ssh: agent HOST COMMAND...
    agent_ = folder_.write("agent", fmt::format("#!/bin/sh\nhost={0}-${{1##*.}}; shift\n"
                                                "exec ip netns exec \"$host\" unshare --uts sh -c "
                                                "'hostname \"$1\"; shift; eval \"$*\"' sh \"$host\" \"$@\"\n",
                                                prefix()));
    std::filesystem::permissions(agent_, std::filesystem::perms::owner_all);
  }
  ~Hosts() {
    for (int i = 1; i <= count_; ++i) run("ip netns del " + host(i));
    run("ip link del " + bridge());
  }
  Hosts(const Hosts&) = delete;
  Hosts& operator=(const Hosts&) = delete;

  bool work() const { return problem_.empty(); }
  const std::string& problem() const { return problem_; }
  void pull_cable(int i) { run("ip link set " + cable(i) + " down"); }

  // One rank on every host. A link that is dead is noticed after some 10 s, not after eight minutes.
  std::string line(const std::string& words, bool looks_early = true) const {
    std::string hosts;
    for (int i = 1; i <= count_; ++i) hosts += fmt::format("{}{}.{}:1", i == 1 ? "" : ",", net_, i);
    return fmt::format(
        "ip netns exec {} env {} OMPI_MCA_btl=self,tcp mpirun --mca plm_rsh_agent {} --mca "
        "oob_tcp_if_include {}.0/24 "
        "--mca btl_tcp_if_include {}.0/24 {} --host {} -n {} {} {}",
        host(1), mpi_environment(folder_.path()), agent_.string(), net_, net_,
        looks_early ? "--mca oob_tcp_keepalive_time 4 --mca oob_tcp_keepalive_intvl 2 --mca "
                      "oob_tcp_keepalive_probes 2"
                    : "",
        hosts, count_, mpi_program().string(), words);
  }

 private:
  static std::string prefix() { return fmt::format("acm{}", ::getpid() % 100000); }
  static std::string bridge() { return prefix() + "br"; }
  static std::string host(int i) { return fmt::format("{}-{}", prefix(), i); }
  static std::string cable(int i) { return fmt::format("{}v{}", prefix(), i); }
  void run(const std::string& line) {
    const ProgramResult done = run_shell(line, folder_.path());
    if (done.exit_code != 0 && problem_.empty()) problem_ = done.err;
  }

  int count_;
  std::string net_, problem_;
  Folder folder_;
  std::filesystem::path agent_;
};

class MpiHosts : public ::testing::Test {
 protected:
  void SetUp() override {
    ACUITY_NEEDS_MPI();
    if (::geteuid() != 0) GTEST_SKIP() << "hosts are network namespaces, which only root can make";
    if (std::system("command -v ip > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no ip (iproute2)";
    hosts = std::make_unique<Hosts>(3);
    if (!hosts->work()) GTEST_SKIP() << "no network namespaces here: " << hosts->problem();
    std::string pool = "x,z\n";
    for (int row = 0; row < 1200; ++row)
      pool += fmt::format("{},{}\n", row % 600 * 0.01, row % 600 * 37 % 101 * 0.02);
    folder.write("pool.csv", pool);
  }
  void write_study(const std::string& command) const {
    folder.write("study.toml",
                 "[campaign]\nbudget = 24\n[pool]\nfile = \"pool.csv\"\n"
                 "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
                 "[[level]]\nname = \"fine\"\nnoise_sd = 0.03\ncost = 2\n"
                 "[annotator]\ncommand = \"" +
                     command + "\"\n");
  }
  std::unique_ptr<Hosts> hosts;
  const Folder folder;
};

TEST_F(MpiHosts, MakeTheSameChoices) {
  write_study("awk 'BEGIN { print sin({x}) + {z} }'");
  ASSERT_EQ(run_shell("acuity run one.acuity --study study.toml", folder.path()).exit_code, 0);
  const ProgramResult result = run_shell(hosts->line("run three.acuity --study study.toml"), folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(log_of("three.acuity", folder.path()), log_of("one.acuity", folder.path()));
  EXPECT_EQ(result.err.find("eight minutes"), std::string::npos) << result.err;
  const std::string note = "note: the ranks are on 3 hosts, and mpirun notices after eight minutes only";
  const ProgramResult slow = run_shell(hosts->line("score study.toml --top 1", false), folder.path());
  EXPECT_EQ(slow.exit_code, 0);
  EXPECT_NE(slow.err.find(note), std::string::npos) << slow.err;
  EXPECT_EQ(slow.err.find(note, slow.err.find(note) + 1), std::string::npos) << "twice: " << slow.err;
}

TEST_F(MpiHosts, ADeadLinkEndsTheJobAndAnotherGoesOn) {
  write_study("sleep 0.3; awk 'BEGIN { print sin({x}) + {z} }'");
  Background job({"-c", "exec " + hosts->line("run cut.acuity --study study.toml")}, folder.path(),
                 "/bin/sh");
  const auto answers = [&] {
    std::size_t count = 0;
    if (std::filesystem::exists(folder.path() / "cut.acuity/events.sqlite"))
      for (const auto& event : log_of("cut.acuity", folder.path())) count += event["event"] == "told" ? 1 : 0;
    return count;
  };
  ASSERT_TRUE(comes_true([&] { return answers() >= 2; }));
  hosts->pull_cable(3);
  EXPECT_NE(job.wait().exit_code, 0);
  ASSERT_EQ(run_shell("acuity run one.acuity --study study.toml", folder.path()).exit_code, 0);
  const ProgramResult resumed = run_ranks(2, "run cut.acuity", folder.path());
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(log_of("cut.acuity", folder.path()).size(), log_of("one.acuity", folder.path()).size());
}

}  // namespace

}  // namespace acuity::testing
