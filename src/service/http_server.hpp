#pragma once

#include <functional>
#include <memory>
#include <string>

#include "service/http_message.hpp"

namespace acuity {

/// "127.0.0.1:8080", "[::1]:8080", "0.0.0.0:0" (any free port), ":8080" (loopback).
struct ListenAddress {
  std::string host = "127.0.0.1";
  int port = 8080;

  /// Throws InputError.
  static ListenAddress of(const std::string& text);
  /// Whether only this machine can connect.
  bool is_loopback() const;
  std::string text() const;
};

/// What a client may use up. Whoever exceeds one of these is answered with an error or disconnected; others
/// do not notice.
struct HttpLimits {
  std::size_t head = std::size_t{16} << 10;  ///< bytes
  std::size_t body = std::size_t{4} << 20;   ///< bytes
  /// At most so many connections; a further one takes the place of the one that has been idle longest.
  int connections = 1024;
  int streams = 256;              ///< event streams among them
  int streams_of_one = 16;        ///< of those, for each HttpReply::stream_client
  double request_seconds = 20.0;  ///< from the first byte to the last one of a request, and for its reply
  double idle_seconds = 60.0;     ///< between two requests
  int handlers = 64;  ///< requests that are answered at the same time; most of them wait for a lock
  int waiting = 512;  ///< requests that wait for that; further ones get status 503
};

/// Files in PEM format.
struct TlsFiles {
  std::string certificate, key;
};

/// An HTTP/1.1 server. One thread moves bytes, so that slow clients cost no thread; `handlers` threads
/// answer.
class HttpServer {
 public:
  using Handler = std::function<HttpReply(const HttpRequest&)>;

  /// Listens from now on. An exception of `handler` is answered with status 500. Throws InputError if the
  /// address or the certificate cannot be used.
  HttpServer(const ListenAddress& address, const TlsFiles* tls, const HttpLimits& limits, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  /// Sends an event to all event streams. A reader that is too slow is disconnected.
  void publish(const std::string& event, const std::string& data);
  /// Answers what is being answered and closes all connections.
  void stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The header fields that every reply has: no other origin, no script but the page's own, no guessing of
/// types.
std::vector<std::pair<std::string, std::string>> security_fields(bool is_encrypted);

}  // namespace acuity
