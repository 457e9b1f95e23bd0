#include "service/http_wire.hpp"

// Asio of Boost 1.74 uses std::exchange without including it.
#include <utility>
//
#include <algorithm>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

namespace acuity {

namespace beast = boost::beast;
namespace http = beast::http;

namespace {

using Reading = WireReader::Reading;

constexpr std::size_t largest_buffer = std::size_t{256} << 10, bytes_at_once = std::size_t{64} << 10;

Reading reading_of(const beast::error_code& error) {
  if (error == http::error::body_limit) return Reading::body_too_large;
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return Reading::header_too_large;
  return Reading::malformed;
}

// The fields that proxies add: RFC 7239, RFC 9110 7.6.3 and what was usual before them.
bool tells_of_a_proxy(const http::fields& fields) {
  return std::any_of(fields.begin(), fields.end(), [](const auto& field) {
    const auto name = field.name_string();
    return beast::iequals(name, "Forwarded") || beast::iequals(name, "Via") ||
           beast::iequals(name, "X-Real-IP") ||
           beast::iequals(name.substr(0, std::min<std::size_t>(name.size(), 12)), "X-Forwarded-");
  });
}

template <bool is_request>
std::string wire_text(http::message<is_request, http::string_body>& message, bool only_header) {
  http::serializer<is_request, http::string_body> serializer(message);
  serializer.split(only_header);
  std::string text;
  beast::error_code error;
  const auto append = [&](beast::error_code&, const auto& buffers) {
    for (const auto part : beast::buffers_range_ref(buffers))
      text.append(static_cast<const char*>(part.data()), part.size());
    serializer.consume(beast::buffer_bytes(buffers));
  };
  while (!error && !serializer.is_done() && !(only_header && serializer.is_header_done()))
    serializer.next(error, append);
  return text;
}

}  // namespace

struct WireReader::Parser {
  Parser() = default;
  virtual ~Parser() = default;
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  virtual void begin() = 0;
  virtual Reading read() = 0;
  virtual Reading read_end() = 0;
  virtual bool keeps_alive() const = 0;

  beast::flat_buffer buffer{largest_buffer};
};

template <bool is_request>
struct WireReader::ParserOf : Parser {
  using Parsing = http::parser<is_request, http::string_body>;

  ParserOf(std::size_t header, std::uint64_t body) : header_limit(header), body_limit(body) {}

  void begin() override {
    parsing.emplace();
    parsing->header_limit(static_cast<std::uint32_t>(header_limit));
    parsing->body_limit(body_limit);
  }

  Reading read() override {
    if (parsing->is_done()) return Reading::complete;
    const bool had_header = parsing->is_header_done();
    parsing->eager(had_header);
    beast::error_code error;
    while (buffer.size() > 0 && !error && !parsing->is_done() && parsing->is_header_done() == had_header)
      buffer.consume(parsing->put(buffer.data(), error));
    if (error && error != http::error::need_more) return reading_of(error);
    if (!had_header && parsing->is_header_done()) {
      if (is_request) {
        // The body of an encoding that is not decoded would be read as the next request.
        const auto& message = parsing->get();
        const auto encodings = message.count(http::field::transfer_encoding);
        if (encodings > 1 ||
            (encodings == 1 && !beast::iequals(message[http::field::transfer_encoding], "chunked")))
          return Reading::unknown_encoding;
        // Which of two hosts is meant is not for this server to guess.
        if (message.count(http::field::host) > 1) return Reading::malformed;
      }
      const auto length = parsing->content_length();
      return length && *length > body_limit ? Reading::body_too_large : Reading::header;
    }
    if (parsing->is_done()) return Reading::complete;
    return buffer.size() < buffer.max_size() ? Reading::more : Reading::header_too_large;
  }

  Reading read_end() override {
    if (!parsing->got_some()) return Reading::closed;
    beast::error_code error;
    parsing->put_eof(error);
    return !error && parsing->is_done() ? Reading::complete : Reading::malformed;
  }

  bool keeps_alive() const override { return parsing->get().keep_alive(); }

  std::size_t header_limit;
  std::uint64_t body_limit;
  std::optional<Parsing> parsing;
};

WireReader::WireReader(Kind kind, std::size_t header_limit, std::uint64_t body_limit) {
  if (kind == Kind::requests)
    parser_ = std::make_unique<ParserOf<true>>(header_limit, body_limit);
  else
    parser_ = std::make_unique<ParserOf<false>>(header_limit, body_limit);
  parser_->begin();
}
WireReader::~WireReader() = default;

void WireReader::begin() {
  parser_->begin();
}

std::span<char> WireReader::room() {
  beast::flat_buffer& buffer = parser_->buffer;
  const auto free = buffer.prepare(std::min(bytes_at_once, buffer.max_size() - buffer.size()));
  return {static_cast<char*>(free.data()), free.size()};
}

void WireReader::add(std::size_t bytes) {
  parser_->buffer.commit(bytes);
}

Reading WireReader::read() {
  return parser_->read();
}

Reading WireReader::read_end() {
  return parser_->read_end();
}

bool WireReader::keeps_alive() const {
  return parser_->keeps_alive();
}

HttpRequest WireReader::request() const {
  const auto& message = static_cast<const ParserOf<true>&>(*parser_).parsing->get();
  return {.method = std::string(message.method_string()),
          .path = {},
          .query = {},
          .host = std::string(message[http::field::host]),
          .origin = std::string(message[http::field::origin]),
          .authorization = std::string(message[http::field::authorization]),
          .content_type = std::string(message[http::field::content_type]),
          .accept = std::string(message[http::field::accept]),
          .body = message.body(),
          .peer = {},
          .is_forwarded = tells_of_a_proxy(message),
          .fetch_site = std::string(message["Sec-Fetch-Site"])};
}

std::string WireReader::target() const {
  return std::string(static_cast<const ParserOf<true>&>(*parser_).parsing->get().target());
}

HttpReply WireReader::take_reply() {
  auto message = static_cast<ParserOf<false>&>(*parser_).parsing->release();
  return {.status = static_cast<int>(message.result_int()),
          .content_type = std::string(message[http::field::content_type]),
          .body = std::move(message.body())};
}

WireReply wire_reply(HttpReply reply, const std::vector<std::pair<std::string, std::string>>& common,
                     bool keeps_alive, bool only_header) {
  http::response<http::string_body> message;
  message.result(static_cast<unsigned>(reply.status));
  message.version(11);
  for (const auto& [name, value] : common) message.set(name, value);
  for (const auto& [name, value] : reply.fields) message.set(name, value);
  message.set(http::field::content_type, reply.content_type);
  message.keep_alive(keeps_alive);
  if (only_header) {
    message.content_length(reply.body.size());
  } else {
    message.body() = std::move(reply.body);
    message.prepare_payload();
  }
  return {.bytes = wire_text(message, only_header), .needs_close = message.need_eof()};
}

std::string wire_request(const std::string& target,
                         const std::vector<std::pair<std::string, std::string>>& fields,
                         const std::string* body) {
  http::request<http::string_body> message(body == nullptr ? http::verb::get : http::verb::post, target, 11);
  for (const auto& [name, value] : fields) message.set(name, value);
  if (body != nullptr) message.body() = *body;
  message.keep_alive(true);
  message.prepare_payload();
  return wire_text(message, false);
}

}  // namespace acuity
