#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace acuity::testing {

struct PrivateSlurmOptions {
  int nodes = 3;
  int cpus = 4;  ///< of every node; it may have any number
  /// Every node has a network and a name of its own (network namespaces, root only), so that it can be cut
  /// off.
  bool own_networks = false;
};

/// A Slurm of its own, with its own munge key, ports and folder. Every daemon is a child of this process,
/// which stops it, and dies with it. While the object exists, SLURM_CONF of this process points to it.
class PrivateSlurm {
 public:
  /// Why there can be none, as a sentence for GTEST_SKIP(); empty if there can be.
  static std::string missing(const PrivateSlurmOptions& options = {});

  /// Waits until all nodes are idle. Throws std::runtime_error with the daemons' logs if that does not come.
  explicit PrivateSlurm(PrivateSlurmOptions options = {});
  ~PrivateSlurm();
  PrivateSlurm(const PrivateSlurm&) = delete;
  PrivateSlurm& operator=(const PrivateSlurm&) = delete;

  /// Runs a line of shell with this Slurm, and returns what it printed without the last line end.
  std::string shell(const std::string& line) const;
  /// What squeue says about all jobs, one per line: name|state|reason.
  std::vector<std::string> jobs() const;
  /// The daemons' logs, for messages.
  std::string logs() const;

  void kill_controller();   ///< by SIGKILL
  void start_controller();  ///< with the state that it had saved
  void kill_node(int node);
  void start_node(int node);
  bool nodes_are_idle() const;

  /// Pulls the cable of a node and plugs it in again.
  void cut_off(int node);
  void reconnect(int node);
  std::string node_name(int node) const;

 private:
  void choose_ports();
  void write_configuration() const;
  void start();
  void stop();
  void make_networks();
  void remove_networks();
  pid_t spawn(std::vector<std::string> words, const std::string& log) const;

  PrivateSlurmOptions options_;
  Folder folder_;
  std::vector<int> ports_;  // of the controller, then of the nodes
  pid_t munge_ = -1, controller_ = -1;
  std::vector<pid_t> nodes_;
  int network_ = 0;  // the third number of the nodes' addresses
  std::string earlier_conf_;
};

}  // namespace acuity::testing
