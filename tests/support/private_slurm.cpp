#include "support/private_slurm.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace acuity::testing {

namespace {

namespace fs = std::filesystem;

bool is_program(const std::string& name) {
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/", "/usr/local/bin/"})
    if (::access((folder + name).c_str(), X_OK) == 0) return true;
  return false;
}

std::string user_of_this_process() {
  const passwd* entry = ::getpwuid(::geteuid());
  return entry == nullptr ? "" : entry->pw_name;
}

std::string short_host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  const std::string whole = name;
  return whole.substr(0, whole.find('.'));
}

// Ports that nobody has now; all are held until the last is found, so that they differ.
std::vector<int> free_ports(int count) {
  std::vector<int> sockets, ports;
  for (int k = 0; k < count; ++k) {
    const int one = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t size = sizeof address;
    ::bind(one, reinterpret_cast<const sockaddr*>(&address), size);
    ::getsockname(one, reinterpret_cast<sockaddr*>(&address), &size);
    sockets.push_back(one);
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int one : sockets) ::close(one);
  return ports;
}

void end_child(pid_t& process, int signal) {
  if (process <= 0) return;
  ::kill(process, signal);
  ::waitpid(process, nullptr, 0);
  process = -1;
}

// Jobs and their slurmstepd are no children of ours, but know by their environment where they belong.
std::vector<pid_t> processes_with(const std::string& line) {
  std::vector<pid_t> found;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos || std::stoi(name) == ::getpid()) continue;
    std::ifstream stream(entry.path() / "environ", std::ios::binary);
    const std::string environment{std::istreambuf_iterator<char>(stream), {}};
    if (environment.find(line) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

std::string end_of_file(const fs::path& file) {
  std::ifstream stream(file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return text.size() > 3000 ? text.substr(text.size() - 3000) : text;
}

}  // namespace

std::string PrivateSlurm::missing(const PrivateSlurmOptions& options) {
  for (const char* name : {"slurmctld", "slurmd", "munged", "sbatch", "srun", "squeue"})
    if (!is_program(name))
      return fmt::format(
          "{} is not installed (Debian: slurm-wlm slurm-client munge), so there is no Slurm to test with",
          name);
  if (user_of_this_process().empty()) return "this user has no name, which Slurm needs";
  if (!options.own_networks) return "";
  if (::geteuid() != 0) return "hosts as network namespaces need root";
  if (!is_program("ip"))
    return "ip is not installed (Debian: iproute2), which makes hosts as network namespaces";
  if (run_shell("n=acs-probe-$$; ip netns add $n && ip netns exec $n unshare --uts true; code=$?; "
                "ip netns del $n; exit $code",
                "/")
          .exit_code != 0)
    return "network namespaces cannot be made here";
  return "";
}

PrivateSlurm::PrivateSlurm(PrivateSlurmOptions options) : options_(options), nodes_(options.nodes, -1) {
  const char* before = std::getenv("SLURM_CONF");
  earlier_conf_ = before == nullptr ? "" : before;
  ::setenv("SLURM_CONF", (folder_.path() / "slurm.conf").c_str(), 1);
  if (options_.own_networks) make_networks();
  // Another process may take a port before the daemon has it; then once more with others.
  for (int tries = 0; tries < 3; ++tries) {
    choose_ports();
    write_configuration();
    start();
    for (const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
         std::chrono::steady_clock::now() < until; std::this_thread::sleep_for(std::chrono::milliseconds(50)))
      if (nodes_are_idle()) return;
    const std::string why = logs();
    stop();
    if (tries == 2) {
      if (options_.own_networks) remove_networks();
      throw std::runtime_error("Slurm does not start:\n" + why);
    }
  }
}

PrivateSlurm::~PrivateSlurm() {
  stop();
  if (options_.own_networks) remove_networks();
  if (earlier_conf_.empty())
    ::unsetenv("SLURM_CONF");
  else
    ::setenv("SLURM_CONF", earlier_conf_.c_str(), 1);
}

std::string PrivateSlurm::node_name(int node) const {
  return options_.own_networks ? fmt::format("acs{}n{}", network_, node) : fmt::format("n{}", node);
}

void PrivateSlurm::choose_ports() {
  ports_ = free_ports(1 + options_.nodes);
}

void PrivateSlurm::write_configuration() const {
  const std::string dir = folder_.path().string(), user = user_of_this_process(), host = short_host_name();
  for (const char* name : {"state", "log", "munge", "run"}) fs::create_directories(folder_.path() / name);
  // Clients of munge must be able to reach its socket, and its key must be for nobody else.
  fs::permissions(folder_.path(), fs::perms(0755));
  fs::permissions(folder_.path() / "run", fs::perms(0755));
  fs::permissions(folder_.path() / "munge", fs::perms(0700));
  std::string key;
  std::random_device random;
  while (key.size() < 128) key += static_cast<char>(random());
  fs::permissions(folder_.write("munge/key", key), fs::perms(0600));
  const std::string address =
      options_.own_networks ? fmt::format("10.79.{}.254", network_) : std::string("127.0.0.1");
  std::string text = fmt::format(
      "ClusterName=acuity\nSlurmctldHost={1}({3})\nSlurmUser={2}\nSlurmdUser={2}\n"
      "AuthType=auth/munge\nAuthInfo=socket={0}/run/munge.socket\nCredType=cred/munge\n"
      "SlurmctldPort={4}\nSlurmctldPidFile={0}/run/slurmctld.pid\nSlurmdPidFile={0}/run/slurmd-%n.pid\n"
      "SlurmctldLogFile={0}/log/slurmctld.log\nSlurmdLogFile={0}/log/slurmd-%n.log\n"
      "StateSaveLocation={0}/state\nSlurmdSpoolDir={0}/spool-%n\n"
      "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
      "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n"
      "JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n"
      "MpiDefault=none\nSwitchType=switch/none\nReturnToService=2\n"
      "SchedulerType=sched/backfill\n"
      "SchedulerParameters=batch_sched_delay=0,bf_interval=1,sched_interval=1,sched_min_interval=0\n"
      "InactiveLimit=0\nKillWait=2\nMinJobAge=300\nSlurmdTimeout=10\nSlurmctldTimeout=10\n"
      "MessageTimeout=5\nTCPTimeout=2\nBatchStartTimeout=10\nJobRequeue=1\n"
      "SlurmdParameters=config_overrides\n",
      dir, host, user, address, ports_[0]);
  for (int k = 0; k < options_.nodes; ++k) {
    fs::create_directories(folder_.path() / ("spool-" + node_name(k)));
    const std::string where = options_.own_networks ? fmt::format("NodeAddr=10.79.{}.{}", network_, k + 1)
                                                    : fmt::format("NodeHostname={} NodeAddr=127.0.0.1", host);
    text += fmt::format("NodeName={} {} Port={} CPUs={} RealMemory=1000 State=UNKNOWN\n", node_name(k), where,
                        ports_[static_cast<std::size_t>(k) + 1], options_.cpus);
  }
  text += "PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n";
  folder_.write("slurm.conf", text);
  // Read by Slurm beside slurm.conf; nothing here uses control groups.
  folder_.write("cgroup.conf", "CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n");
}

pid_t PrivateSlurm::spawn(std::vector<std::string> words, const std::string& log) const {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const std::string file = (folder_.path() / "log" / log).string();
  const pid_t parent = ::getpid(), process = ::fork();
  if (process != 0) return process;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(126);
  const std::string path =
      std::string("/usr/sbin:/sbin:") + (std::getenv("PATH") ? std::getenv("PATH") : "/usr/bin:/bin");
  ::setenv("PATH", path.c_str(), 1);
  const int out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(out, 1);
  ::dup2(out, 2);
  ::execvp(pointers[0], pointers.data());
  ::_exit(127);
}

void PrivateSlurm::start() {
  const std::string dir = folder_.path().string();
  munge_ = spawn(
      {"munged", "-F", "--force", "--key-file=" + dir + "/munge/key", "--socket=" + dir + "/run/munge.socket",
       "--pid-file=" + dir + "/run/munged.pid", "--log-file=" + dir + "/munge/munged.log",
       "--seed-file=" + dir + "/munge/seed", "--num-threads=2"},
      "munged.out");
  for (int k = 0; k < 500 && !fs::exists(folder_.path() / "run/munge.socket"); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  fs::remove_all(folder_.path() / "state");
  fs::create_directories(folder_.path() / "state");
  start_controller();
  for (int k = 0; k < options_.nodes; ++k) start_node(k);
}

void PrivateSlurm::stop() {
  // Daemons first, so that nothing is started any more, then what they had started.
  for (pid_t& node : nodes_) end_child(node, SIGKILL);
  end_child(controller_, SIGKILL);
  end_child(munge_, SIGKILL);
  const std::string mark = "SLURM_CONF=" + (folder_.path() / "slurm.conf").string();
  for (int k = 0; k < 100; ++k) {
    const std::vector<pid_t> left = processes_with(mark);
    if (left.empty()) return;
    for (const pid_t process : left) ::kill(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void PrivateSlurm::kill_controller() {
  end_child(controller_, SIGKILL);
}

void PrivateSlurm::start_controller() {
  controller_ = spawn({"slurmctld", "-D"}, "slurmctld.out");
}

void PrivateSlurm::kill_node(int node) {
  end_child(nodes_.at(static_cast<std::size_t>(node)), SIGKILL);
}

void PrivateSlurm::start_node(int node) {
  const std::string name = node_name(node);
  std::vector<std::string> words{"slurmd", "-D", "-N", name};
  if (options_.own_networks)
    words = {"ip", "netns",   "exec",
             name, "unshare", "--uts",
             "sh", "-c",      "hostname \"$1\"; exec slurmd -D -N \"$1\"",
             "sh", name};
  nodes_.at(static_cast<std::size_t>(node)) = spawn(std::move(words), name + ".out");
}

bool PrivateSlurm::nodes_are_idle() const {
  return shell("timeout 5 sinfo -h -N -o '%T' 2>/dev/null | sort -u") == "idle";
}

std::string PrivateSlurm::shell(const std::string& line) const {
  std::string out = run_shell(line, folder_.path()).out;
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

std::vector<std::string> PrivateSlurm::jobs() const {
  std::vector<std::string> lines;
  std::istringstream stream(shell("squeue -h -o '%j|%T|%r'"));
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string PrivateSlurm::logs() const {
  std::string all;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder_.path() / "log", none))
    all += "--- " + entry.path().filename().string() + "\n" + end_of_file(entry.path());
  return all + "--- munged.log\n" + end_of_file(folder_.path() / "munge/munged.log");
}

// A bridge and one cable per node. The number makes names and addresses unique on this machine.
void PrivateSlurm::make_networks() {
  for (int tries = 0; tries < 50; ++tries) {
    network_ =
        1 + static_cast<int>((static_cast<unsigned>(::getpid()) + 7U * static_cast<unsigned>(tries)) % 250U);
    if (run_shell(fmt::format("ip link add acs{0} type bridge && ip addr add 10.79.{0}.254/24 dev acs{0} && "
                              "ip link set acs{0} up",
                              network_),
                  "/")
            .exit_code == 0)
      break;
  }
  for (int k = 0; k < options_.nodes; ++k)
    run_shell(
        fmt::format("ip netns add {0} && ip link add {0} type veth peer name eth0 netns {0} && "
                    "ip link set {0} master acs{1} up && ip -n {0} addr add 10.79.{1}.{2}/24 dev eth0 && "
                    "ip -n {0} link set eth0 up && ip -n {0} link set lo up",
                    node_name(k), network_, k + 1),
        "/");
}

void PrivateSlurm::remove_networks() {
  for (int k = 0; k < options_.nodes; ++k)
    run_shell(fmt::format("ip netns del {0}; ip link del {0} 2>/dev/null", node_name(k)), "/");
  run_shell(fmt::format("ip link del acs{}", network_), "/");
}

void PrivateSlurm::cut_off(int node) {
  shell(fmt::format("ip link set {} down", node_name(node)));
}

void PrivateSlurm::reconnect(int node) {
  shell(fmt::format("ip link set {} up", node_name(node)));
}

}  // namespace acuity::testing
