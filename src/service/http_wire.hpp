#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "service/http_message.hpp"

// HTTP/1.1 as bytes. Only this knows Beast's parser and serializer; nothing here reads or writes a
// connection.

namespace acuity {

/// Reads the requests (or replies) of one connection from bytes, in the order in which they come.
///
/// The caller puts bytes into room(), says how many by add(), and calls read() until it says something else
/// than `more`. Bytes after a message are kept for the next one, which begin() starts.
class WireReader {
 public:
  enum class Kind { requests, replies };
  enum class Reading {
    more,            ///< bytes are missing
    header,          ///< the header is complete; read() goes on with the body
    complete,        ///< the message is complete
    closed,          ///< the other side has closed the connection between two messages
    body_too_large,  ///< the body, or its announced size, exceeds the limit
    header_too_large,
    unknown_encoding,  ///< Transfer-Encoding is something else than chunked
    malformed          ///< not HTTP, or the connection was closed within the message
  };

  WireReader(Kind kind, std::size_t header_limit, std::uint64_t body_limit);
  ~WireReader();
  WireReader(const WireReader&) = delete;
  WireReader& operator=(const WireReader&) = delete;

  void begin();
  std::span<char> room();
  void add(std::size_t bytes);
  Reading read();
  /// As read(), after the other side has closed its end.
  Reading read_end();

  // Of a complete message:

  bool keeps_alive() const;
  /// Path and query are those of target(); peer is empty.
  HttpRequest request() const;
  std::string target() const;
  HttpReply take_reply();

 private:
  struct Parser;
  template <bool is_request>
  struct ParserOf;
  std::unique_ptr<Parser> parser_;
};

/// A reply as bytes.
struct WireReply {
  std::string bytes;
  bool needs_close = false;  ///< its end is the end of the connection
};
/// `common`: header fields of every reply. `only_header`: to a request with the method HEAD.
WireReply wire_reply(HttpReply reply, const std::vector<std::pair<std::string, std::string>>& common,
                     bool keeps_alive, bool only_header);

/// A request as bytes; `body` null: with the method GET, otherwise POST.
std::string wire_request(const std::string& target,
                         const std::vector<std::pair<std::string, std::string>>& fields,
                         const std::string* body);

}  // namespace acuity
