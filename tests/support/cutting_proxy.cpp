#include "support/cutting_proxy.hpp"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace acuity::testing {

namespace {

sockaddr_in local(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  address.sin_port = ::htons(static_cast<std::uint16_t>(port));
  return address;
}

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void pass_on(int from, int to) {
  std::vector<char> buffer(65536);
  for (ssize_t count; (count = ::recv(from, buffer.data(), buffer.size(), 0)) > 0;)
    if (!send_all(to, {buffer.data(), static_cast<std::size_t>(count)})) break;
}

}  // namespace

CuttingProxy::CuttingProxy(int server_port) : server_port_(server_port) {
  listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = local(0);
  socklen_t size = sizeof address;
  if (::bind(listening_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listening_, 64) != 0 ||
      ::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("a proxy cannot listen");
  port_ = ::ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

CuttingProxy::~CuttingProxy() {
  ::shutdown(listening_, SHUT_RDWR);
  acceptor_.join();
  ::close(listening_);
  for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  for (std::thread& thread : threads_) thread.join();
  for (const int socket : sockets_) ::close(socket);
}

void CuttingProxy::cut(int every, std::initializer_list<Cut> ways) {
  const std::lock_guard lock(mutex_);
  every_ = every;
  commits_ = 0;
  ways_ = ways;
}

void CuttingProxy::drop_silently() {
  const std::lock_guard lock(mutex_);
  deserted_ = clients_;
  for (const int client : clients_) ::shutdown(client, SHUT_RDWR);
}

CuttingProxy::Cut CuttingProxy::next_cut() {
  const std::lock_guard lock(mutex_);
  if (ways_.empty() || ++commits_ % every_ != 0) return Cut::none;
  ways_.splice(ways_.end(), ways_, ways_.begin());
  return ways_.back();
}

void CuttingProxy::accept_all() {
  for (int client; (client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    if (refuses_) {
      ::close(client);
      continue;
    }
    const std::lock_guard lock(mutex_);
    sockets_.push_back(client);
    clients_.push_back(client);
    threads_.emplace_back([this, client] { serve(client); });
  }
}

void CuttingProxy::serve(int client) {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
  {
    const std::lock_guard lock(mutex_);
    sockets_.push_back(server);
  }
  const sockaddr_in address = local(server_port_);
  if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::shutdown(client, SHUT_RDWR);
    return;
  }
  for (const int socket : {client, server}) ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  std::thread back([=] {
    pass_on(server, client);
    ::shutdown(client, SHUT_RDWR);
  });
  std::vector<char> buffer(65536);
  for (ssize_t count; (count = ::recv(client, buffer.data(), buffer.size(), 0)) > 0;) {
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
    const Cut cut = bytes.find("COMMIT") == std::string_view::npos ? Cut::none : next_cut();
    if (cut == Cut::none && send_all(server, bytes)) continue;
    if (refuses_after_cut_) refuses_ = true;
    ::shutdown(client, SHUT_RDWR);
    if (cut == Cut::after) {
      ++after_;
      send_all(server, bytes);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    } else if (cut != Cut::none) {
      ++before_;
    }
    if (cut == Cut::silently) {
      back.join();
      return;
    }
    break;
  }
  {
    const std::lock_guard lock(mutex_);
    if (std::find(deserted_.begin(), deserted_.end(), client) == deserted_.end())
      ::shutdown(server, SHUT_RDWR);
  }
  back.join();
}

}  // namespace acuity::testing
