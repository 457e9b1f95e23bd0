#include "service/http_client.hpp"

// Asio of Boost 1.74 uses std::exchange without including it.
#include <utility>
//
#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <chrono>

#include "acuity/base/errors.hpp"

namespace acuity {

namespace client {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Request = http::request<http::string_body>;

constexpr std::uint64_t largest_reply = std::uint64_t{1} << 30;

// A connection with either kind of stream. Operations are asynchronous only because others have no time
// limit.
class Connection {
 public:
  Connection(const ServerUrl& url, double seconds)
      : seconds_(std::chrono::duration_cast<std::chrono::steady_clock::duration>(
            std::chrono::duration<double>(seconds))),
        plain_(std::make_unique<beast::tcp_stream>(context_)) {
    tcp::resolver resolver(context_);
    beast::error_code failed;
    const auto addresses = resolver.resolve(url.host, url.port, failed);
    check(failed, "its name cannot be resolved");
    lowest().expires_after(seconds_);
    lowest().async_connect(addresses,
                           [&](const beast::error_code& code, const tcp::endpoint&) { failed = code; });
    work();
    check(failed, "it cannot be connected to");
    lowest().socket().set_option(tcp::no_delay(true), failed);
    if (url.is_encrypted) encrypt(url.host);
  }

  http::response<http::string_body> exchange(const Request& request) {
    beast::error_code failed;
    lowest().expires_after(seconds_);
    const auto done = [&](const beast::error_code& code, std::size_t) { failed = code; };
    encrypted_ ? http::async_write(*encrypted_, request, done) : http::async_write(*plain_, request, done);
    work();
    check(failed, "the request cannot be sent");
    http::response_parser<http::string_body> parser;
    parser.body_limit(largest_reply);
    encrypted_ ? http::async_read(*encrypted_, buffer_, parser, done)
               : http::async_read(*plain_, buffer_, parser, done);
    work();
    check(failed, "there is no reply");
    return parser.release();
  }

 private:
  beast::tcp_stream& lowest() { return encrypted_ ? beast::get_lowest_layer(*encrypted_) : *plain_; }
  void work() {
    context_.restart();
    context_.run();
  }
  static void check(const beast::error_code& failed, const char* what) {
    if (failed) throw ConnectionError(fmt::format("{} ({})", what, failed.message()));
  }
  void encrypt(const std::string& host) {
    encryption_.emplace(asio::ssl::context::tls_client);
    encryption_->set_default_verify_paths();
    encryption_->set_verify_mode(asio::ssl::verify_peer);
    auto stream = std::make_unique<beast::ssl_stream<beast::tcp_stream>>(std::move(*plain_), *encryption_);
    stream->set_verify_callback(asio::ssl::host_name_verification(host));
    ::SSL_set_tlsext_host_name(stream->native_handle(), host.c_str());
    encrypted_ = std::move(stream);
    beast::error_code failed;
    encrypted_->async_handshake(asio::ssl::stream_base::client,
                                [&](const beast::error_code& code) { failed = code; });
    work();
    check(failed, "its certificate is not accepted; SSL_CERT_FILE names a file with those to trust");
  }

  asio::io_context context_{1};
  std::chrono::steady_clock::duration seconds_;
  std::optional<asio::ssl::context> encryption_;
  std::unique_ptr<beast::tcp_stream> plain_;
  std::unique_ptr<beast::ssl_stream<beast::tcp_stream>> encrypted_;
  beast::flat_buffer buffer_;
};

}  // namespace client

ServerUrl ServerUrl::of(const std::string& text) {
  const auto complain = [&](const std::string& found) {
    throw InputError(fmt::format("{}, must be http://HOST:PORT or https://HOST", found));
  };
  ServerUrl url;
  std::string rest;
  if (text.starts_with("http://"))
    rest = text.substr(7);
  else if (text.starts_with("https://"))
    url.is_encrypted = true, rest = text.substr(8);
  else
    complain(fmt::format("\"{}\" is no address of a server", printable(text, 60)));
  if (rest.find_first_of("@?#") != std::string::npos)
    complain("the address of the server has more than host, port and path; a token is given by --token-file");
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  url.path = rest.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();
  std::string host = rest.substr(0, slash);
  const std::size_t colon = host.rfind(':'), bracket = host.rfind(']');
  const bool has_port = colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  url.port = has_port ? host.substr(colon + 1) : url.is_encrypted ? "443" : "80";
  if (has_port) host.resize(colon);
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  url.host = host;
  if (host.empty() || !whole_number(url.port))
    complain(fmt::format("\"{}\" is no address of a server", printable(text, 60)));
  return url;
}

std::string ServerUrl::text() const {
  const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return fmt::format("{}://{}:{}{}", is_encrypted ? "https" : "http", shown, port, path);
}

struct HttpClient::Parts {
  ServerUrl url;
  std::string token;
  double seconds;
  std::unique_ptr<client::Connection> connection;

  HttpReply send(client::http::verb method, const std::string& target, const std::string& body) {
    client::Request request(method, url.path + target, 11);
    const std::string shown = url.host.find(':') == std::string::npos ? url.host : "[" + url.host + "]";
    const bool usual = url.port == (url.is_encrypted ? "443" : "80");
    request.set(client::http::field::host, usual ? shown : shown + ":" + url.port);
    request.set(client::http::field::accept, "application/json");
    if (!token.empty()) request.set(client::http::field::authorization, "Bearer " + token);
    if (method == client::http::verb::post) {
      request.set(client::http::field::content_type, "application/json");
      request.body() = body;
    }
    request.keep_alive(true);
    request.prepare_payload();
    const bool was_open = connection != nullptr;
    try {
      return exchange(request);
    } catch (const ConnectionError& error) {
      connection.reset();
      if (!was_open) throw ConnectionError(fmt::format("{}: {}", url.text(), error.what()));
    }
    try {
      return exchange(request);
    } catch (const ConnectionError& error) {
      connection.reset();
      throw ConnectionError(fmt::format("{}: {}", url.text(), error.what()));
    }
  }

  HttpReply exchange(const client::Request& request) {
    if (!connection) connection = std::make_unique<client::Connection>(url, seconds);
    auto response = connection->exchange(request);
    if (!response.keep_alive()) connection.reset();
    return {.status = static_cast<int>(response.result_int()),
            .content_type = std::string(response[client::http::field::content_type]),
            .body = std::move(response.body())};
  }
};

HttpClient::HttpClient(ServerUrl url, std::string token, double seconds)
    : parts_(std::make_unique<Parts>(Parts{std::move(url), std::move(token), seconds, nullptr})) {}
HttpClient::~HttpClient() = default;

HttpReply HttpClient::get(const std::string& target) {
  return parts_->send(client::http::verb::get, target, "");
}

HttpReply HttpClient::post(const std::string& target, const std::string& json) {
  return parts_->send(client::http::verb::post, target, json);
}

}  // namespace acuity
