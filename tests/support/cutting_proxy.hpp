#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <thread>

namespace acuity::testing {

/// A proxy before a server that cuts connections when a client commits.
class CuttingProxy {
 public:
  enum class Cut {
    none,
    before,   ///< the server does not get the COMMIT and hears that the client is gone: not committed
    after,    ///< the server gets it, the client does not get the answer: committed, and nobody is told
    silently  ///< the server does not get it and never hears that the client is gone, as after a pulled cable
  };

  explicit CuttingProxy(int server_port);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  int port() const { return port_; }

  /// Cuts every `every`-th commit, in turn in all the ways given.
  void cut(int every, std::initializer_list<Cut> ways);
  /// From the next cut on, lets nobody connect.
  void refuse_after_cut() { refuses_after_cut_ = true; }
  /// Cuts all connections of clients; the server never hears of it.
  void drop_silently();
  int cut_before() const { return before_; }
  int cut_after() const { return after_; }

 private:
  Cut next_cut();
  void accept_all();
  void serve(int client);

  int server_port_, port_ = 0, listening_ = -1;
  std::mutex mutex_;
  std::list<Cut> ways_;
  int every_ = 0, commits_ = 0;
  std::list<int> sockets_, clients_;
  std::list<int> deserted_;  // clients whose server must not hear that they are gone
  std::list<std::thread> threads_;
  std::atomic<int> before_{0}, after_{0};
  std::atomic<bool> refuses_after_cut_{false}, refuses_{false};
  std::thread acceptor_;
};

}  // namespace acuity::testing
