#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace acuity {

/// A request as the routes see it.
struct HttpRequest {
  std::string method;                        ///< "GET", "POST", ...
  std::string path;                          ///< decoded, without the query
  std::map<std::string, std::string> query;  ///< decoded; the last value of a name counts
  std::string host, origin, authorization, content_type, accept;
  std::string body;
  std::string peer;  ///< the address that it came from, without the port
  /// A header field says that a proxy has passed it on: then it may come from anywhere, whatever `peer` is.
  bool is_forwarded = false;
  std::string fetch_site = {};  ///< Sec-Fetch-Site: what a browser says of the page that makes the request
  /// Whether the client has closed the connection, so that nobody waits for the reply. May be called while
  /// the request is being answered; empty: not known.
  std::function<bool()> is_abandoned = {};
};

struct HttpReply {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> fields = {};  ///< further header fields
  /// The reply does not end: `body` is its beginning, and HttpServer::publish() adds to it.
  bool is_event_stream = false;
  /// Whose stream it is, if there is a limit for each (HttpLimits::streams_of_one); empty: none.
  std::string stream_client = {};
};

/// A request that cannot be answered as asked: its HTTP status and one sentence.
class HttpProblem : public std::runtime_error {
 public:
  HttpProblem(int status, const std::string& sentence, std::optional<double> retry_after = std::nullopt)
      : std::runtime_error(sentence), status_(status), retry_after_(retry_after) {}

  int status() const { return status_; }
  std::optional<double> retry_after() const { return retry_after_; }  ///< seconds

 private:
  int status_;
  std::optional<double> retry_after_;
};

/// {"error": sentence} and, if given, "retry_after" and the header field of that name.
HttpReply problem_reply(const HttpProblem& problem);

/// Decodes %xx, and + as a space if `is_query`. Nothing if an escape is incomplete or decodes to a zero byte.
std::optional<std::string> percent_decoded(const std::string& text, bool is_query);

/// A whole number and nothing else.
std::optional<std::int64_t> whole_number(const std::string& text);

/// Splits a request target into path and query; false if it is not well-formed.
bool take_target(const std::string& target, HttpRequest& request);

}  // namespace acuity
