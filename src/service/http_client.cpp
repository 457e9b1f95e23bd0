#include "service/http_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <optional>

#include "acuity/base/errors.hpp"
#include "service/byte_stream.hpp"
#include "service/http_wire.hpp"

namespace acuity {

namespace client {

namespace asio = boost::asio;
using asio::ip::tcp;
using Reading = WireReader::Reading;

constexpr std::size_t largest_header = std::size_t{8} << 10;
constexpr std::uint64_t largest_reply = std::uint64_t{1} << 30;

// A connection to a server. Operations are asynchronous only because others have no time limit.
class Connection {
 public:
  Connection(const ServerUrl& url, double seconds)
      : seconds_(std::chrono::duration_cast<ByteStream::Duration>(std::chrono::duration<double>(seconds))),
        stream_(context_) {
    tcp::resolver resolver(context_);
    ByteStream::Error failed;
    const auto addresses = resolver.resolve(url.host, url.port, failed);
    check(failed, "its name cannot be resolved");
    stream_.expires_after(seconds_);
    stream_.connect(addresses, done());
    check(wait(), "it cannot be connected to");
    stream_.send_without_delay();
    if (url.is_encrypted) encrypt(url.host);
  }

  /// The bytes of a request are sent; the reply is in reader() then.
  WireReader& exchange(const std::string& request) {
    stream_.expires_after(seconds_);
    stream_.write(asio::buffer(request), done());
    check(wait(), "the request cannot be sent");
    reader_.begin();
    Reading reading = reader_.read();
    while (reading == Reading::more || reading == Reading::header) {
      if (reading == Reading::more) reading = read_bytes();
      if (reading == Reading::more || reading == Reading::header) reading = reader_.read();
    }
    if (reading == Reading::complete) return reader_;
    throw ConnectionError(reading == Reading::closed ? "there is no reply (end of stream)"
                                                     : "there is no reply (it is not well-formed HTTP)");
  }

 private:
  Reading read_bytes() {
    const std::span<char> room = reader_.room();
    stream_.read_some(asio::buffer(room.data(), room.size()), done());
    const ByteStream::Error failed = wait();
    if (failed == asio::error::eof) return reader_.read_end();
    check(failed, "there is no reply");
    reader_.add(bytes_);
    return Reading::more;
  }
  ByteStream::Done done() {
    return [this](const ByteStream::Error& failed, std::size_t bytes) { failed_ = failed, bytes_ = bytes; };
  }
  ByteStream::Error wait() {
    context_.restart();
    context_.run();
    return failed_;
  }
  static void check(const ByteStream::Error& failed, const char* what) {
    if (failed) throw ConnectionError(fmt::format("{} ({})", what, failed.message()));
  }
  void encrypt(const std::string& host) {
    encryption_.emplace(asio::ssl::context::tls_client);
    encryption_->set_default_verify_paths();
    encryption_->set_verify_mode(asio::ssl::verify_peer);
    stream_.encrypt(*encryption_, host);
    stream_.handshake(ByteStream::Role::client, done());
    check(wait(), "its certificate is not accepted; SSL_CERT_FILE names a file with those to trust");
  }

  asio::io_context context_{1};
  ByteStream::Duration seconds_;
  std::optional<asio::ssl::context> encryption_;
  ByteStream stream_;
  WireReader reader_{WireReader::Kind::replies, largest_header, largest_reply};
  ByteStream::Error failed_;
  std::size_t bytes_ = 0;
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

  /// `body` null: GET.
  HttpReply send(const std::string& target, const std::string* body) {
    const std::string shown = url.host.find(':') == std::string::npos ? url.host : "[" + url.host + "]";
    const bool usual = url.port == (url.is_encrypted ? "443" : "80");
    std::vector<std::pair<std::string, std::string>> fields{{"Host", usual ? shown : shown + ":" + url.port},
                                                            {"Accept", "application/json"}};
    if (!token.empty()) fields.emplace_back("Authorization", "Bearer " + token);
    if (body != nullptr) fields.emplace_back("Content-Type", "application/json");
    const std::string request = wire_request(url.path + target, fields, body);
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

  HttpReply exchange(const std::string& request) {
    if (!connection) connection = std::make_unique<client::Connection>(url, seconds);
    WireReader& reader = connection->exchange(request);
    const bool stays_open = reader.keeps_alive();
    HttpReply reply = reader.take_reply();
    if (!stays_open) connection.reset();
    return reply;
  }
};

HttpClient::HttpClient(ServerUrl url, std::string token, double seconds)
    : parts_(std::make_unique<Parts>(Parts{std::move(url), std::move(token), seconds, nullptr})) {}
HttpClient::~HttpClient() = default;

HttpReply HttpClient::get(const std::string& target) {
  return parts_->send(target, nullptr);
}

HttpReply HttpClient::post(const std::string& target, const std::string& json) {
  return parts_->send(target, &json);
}

}  // namespace acuity
