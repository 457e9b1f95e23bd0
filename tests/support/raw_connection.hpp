#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace acuity::testing {

/// A TCP connection to this machine that sends any bytes, well-formed or not.
class RawConnection {
 public:
  explicit RawConnection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open_ =
        socket_ >= 0 && ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawConnection() {
    if (socket_ >= 0) ::close(socket_);
  }
  RawConnection(RawConnection&& other) noexcept : socket_(other.socket_), is_open_(other.is_open_) {
    other.socket_ = -1;
  }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  bool is_open() const { return is_open_; }

  /// False if the other side has closed the connection.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// What arrives until the text contains `end`, the connection is closed, or the time is over.
  std::string receive(const std::string& end = "\0", double seconds = 20.0) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (received_.find(end) == std::string::npos || end == "\0") {
      const double left = std::chrono::duration<double>(until - std::chrono::steady_clock::now()).count();
      pollfd one{socket_, POLLIN, 0};
      if (left <= 0.0 || ::poll(&one, 1, static_cast<int>(1000.0 * left) + 1) <= 0) break;
      char buffer[65536];
      const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
      if (count <= 0) {
        is_open_ = false;
        break;
      }
      received_.append(buffer, static_cast<std::size_t>(count));
    }
    return received_;
  }

 private:
  int socket_;
  bool is_open_ = false;
  std::string received_;
};

}  // namespace acuity::testing
