#pragma once

// Asio of Boost 1.74 uses std::exchange without including it.
#include <utility>
//
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace acuity {

/// A TCP connection, plain or encrypted, whose operations have a deadline.
///
/// It hides which of the two it is, so that reading and writing HTTP is compiled once. Every operation calls
/// `done` later, on the thread that runs the io_context, and the caller keeps the stream alive until then.
/// One reading and one writing operation may be under way at a time. close() makes operations under way fail.
class ByteStream {
 public:
  using Error = boost::system::error_code;
  using Done = std::function<void(const Error&, std::size_t)>;
  using Duration = std::chrono::steady_clock::duration;

  /// Of a connection that was accepted; null: not encrypted.
  ByteStream(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context* encryption);
  /// Not connected yet.
  explicit ByteStream(boost::asio::io_context& context);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  void connect(const boost::asio::ip::tcp::resolver::results_type& addresses, Done done);
  /// Makes a connection to `host` encrypted; its certificate must be for this name.
  void encrypt(boost::asio::ssl::context& encryption, const std::string& host);
  bool is_encrypted() const;
  enum class Role { server, client };
  void handshake(Role role, Done done);

  /// Calls `done` after at least one byte.
  void read_some(boost::asio::mutable_buffer to, Done done);
  /// As read_some, below the encryption: for bytes that nobody wants.
  void read_some_raw(boost::asio::mutable_buffer to, Done done);
  /// Calls `done` after all bytes, which must stay where they are until then.
  void write(boost::asio::const_buffer from, Done done);

  /// For all operations from now on together. One that takes longer fails with a timeout.
  void expires_after(Duration duration);
  void expires_never();
  /// No more bytes will be written.
  void end_writing();
  void send_without_delay();
  void close();

  /// Whether the other side has closed the connection, or at least will send no more. Any thread may ask as
  /// long as nobody closes the stream.
  bool is_abandoned() const;

  static bool is_timeout(const Error& error);

 private:
  struct Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace acuity
