#include "service/byte_stream.hpp"

#include <poll.h>

#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <optional>

namespace acuity {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;

struct ByteStream::Streams {
  using Encrypted = beast::ssl_stream<beast::tcp_stream>;
  std::optional<beast::tcp_stream> plain;  // one of the two
  std::optional<Encrypted> encrypted;

  beast::tcp_stream& lowest() { return encrypted ? beast::get_lowest_layer(*encrypted) : *plain; }
};

ByteStream::ByteStream(tcp::socket socket, asio::ssl::context* encryption)
    : streams_(std::make_unique<Streams>()) {
  if (encryption != nullptr)
    streams_->encrypted.emplace(std::move(socket), *encryption);
  else
    streams_->plain.emplace(std::move(socket));
}

ByteStream::ByteStream(asio::io_context& context) : streams_(std::make_unique<Streams>()) {
  streams_->plain.emplace(context);
}

ByteStream::~ByteStream() = default;

void ByteStream::connect(const tcp::resolver::results_type& addresses, Done done) {
  streams_->plain->async_connect(
      addresses, [done = std::move(done)](const Error& error, const tcp::endpoint&) { done(error, 0); });
}

void ByteStream::encrypt(asio::ssl::context& encryption, const std::string& host) {
  streams_->encrypted.emplace(std::move(*streams_->plain), encryption);
  streams_->plain.reset();
  streams_->encrypted->set_verify_callback(asio::ssl::host_name_verification(host));
  ::SSL_set_tlsext_host_name(streams_->encrypted->native_handle(), host.c_str());
}

bool ByteStream::is_encrypted() const {
  return streams_->encrypted.has_value();
}

void ByteStream::handshake(Role role, Done done) {
  streams_->encrypted->async_handshake(
      role == Role::server ? asio::ssl::stream_base::server : asio::ssl::stream_base::client,
      [done = std::move(done)](const Error& error) { done(error, 0); });
}

void ByteStream::read_some(asio::mutable_buffer to, Done done) {
  if (streams_->encrypted)
    streams_->encrypted->async_read_some(to, std::move(done));
  else
    streams_->plain->async_read_some(to, std::move(done));
}

void ByteStream::read_some_raw(asio::mutable_buffer to, Done done) {
  streams_->lowest().async_read_some(to, std::move(done));
}

void ByteStream::write(asio::const_buffer from, Done done) {
  if (streams_->encrypted)
    asio::async_write(*streams_->encrypted, from, std::move(done));
  else
    asio::async_write(*streams_->plain, from, std::move(done));
}

void ByteStream::expires_after(Duration duration) {
  streams_->lowest().expires_after(duration);
}

void ByteStream::expires_never() {
  streams_->lowest().expires_never();
}

void ByteStream::end_writing() {
  Error ignored;
  streams_->lowest().socket().shutdown(tcp::socket::shutdown_send, ignored);
}

void ByteStream::send_without_delay() {
  Error ignored;
  streams_->lowest().socket().set_option(tcp::no_delay(true), ignored);
}

void ByteStream::close() {
  streams_->lowest().close();
}

bool ByteStream::is_abandoned() const {
  // Says so although bytes before the end are unread.
  pollfd one{streams_->lowest().socket().native_handle(), POLLRDHUP, 0};
  return ::poll(&one, 1, 0) > 0 && (one.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

bool ByteStream::is_timeout(const Error& error) {
  return error == beast::error::timeout;
}

}  // namespace acuity
