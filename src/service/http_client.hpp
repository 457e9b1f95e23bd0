#pragma once

#include <memory>
#include <string>

#include "service/http_message.hpp"

namespace acuity {

/// "http://host:8080" or "https://host/path", of a server that `acuity serve` has started, perhaps behind a
/// proxy.
struct ServerUrl {
  bool is_encrypted = false;
  std::string host, port, path;  ///< the path without a slash at its end

  /// Throws InputError, also if the URL has a user, a password or a token.
  static ServerUrl of(const std::string& text);
  std::string text() const;
};

/// The other side cannot be reached, or does not answer in time: it may be another time.
class ConnectionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Requests to one server over one connection, which is opened again when it was lost. One thread at a time.
class HttpClient {
 public:
  /// `token`: sent as Authorization: Bearer; empty: none. `seconds`: for a whole request.
  HttpClient(ServerUrl url, std::string token, double seconds = 60.0);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Throws ConnectionError. A request that was sent on a connection from before is sent once more if that
  /// had been closed meanwhile.
  HttpReply get(const std::string& target);
  HttpReply post(const std::string& target, const std::string& json);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace acuity
