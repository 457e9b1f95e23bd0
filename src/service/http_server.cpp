#include "service/http_server.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <list>
#include <map>
#include <thread>

#include "acuity/base/errors.hpp"
#include "service/byte_stream.hpp"
#include "service/http_wire.hpp"
//
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

namespace acuity {

namespace asio = boost::asio;
using asio::ip::tcp;
using Duration = ByteStream::Duration;
using Error = ByteStream::Error;
using Reading = WireReader::Reading;

namespace {

constexpr std::size_t most_queued_events = 64;
constexpr double stream_pulse_seconds = 15.0;
// Files that the process needs besides connections: the log, pools, runs.
constexpr rlim_t other_descriptors = 200;

Duration seconds(double value) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value));
}

// As many connections as descriptors allow, of which a shell often grants only 1024 at first.
int usable_connections(int wanted) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return wanted;
  const rlim_t needed = static_cast<rlim_t>(wanted) + other_descriptors;
  if (files.rlim_cur < needed) {
    files.rlim_cur = std::min(needed, files.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &files);
    ::getrlimit(RLIMIT_NOFILE, &files);
  }
  if (files.rlim_cur >= needed) return wanted;
  return static_cast<int>(files.rlim_cur > 2 * other_descriptors ? files.rlim_cur - other_descriptors
                                                                 : files.rlim_cur / 2);
}

class Session;

// What the sessions share. Only the thread that moves bytes touches it, except `waiting`.
struct SessionList {
  HttpLimits limits;
  HttpServer::Handler handler;
  std::vector<std::pair<std::string, std::string>> fields;
  asio::io_context* moving = nullptr;
  asio::thread_pool* answering = nullptr;
  std::list<Session*> idle;  // without a complete request, the longest idle first
  std::list<std::weak_ptr<Session>> streams;
  std::map<std::string, int> streams_of;  // by client, of those that have a limit
  int connections = 0;
  std::atomic<int> waiting{0};
  bool stopping = false;
};

HttpReply answer_to(const HttpRequest& request, const HttpServer::Handler& handler) {
  try {
    return handler(request);
  } catch (const HttpProblem& problem) {
    return problem_reply(problem);
  } catch (const std::exception& error) {
    return problem_reply(HttpProblem(500, std::string("the server failed: ") + error.what()));
  }
}

// One connection: reads a request, has it answered, writes the reply, and again. `close_now` ends it at any
// time; whatever is under way then fails and drops the last reference. Only the thread that moves bytes
// touches a session.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(SessionList& all, std::string peer, tcp::socket socket, asio::ssl::context* encryption)
      : all_(all),
        stream_(std::move(socket), encryption),
        peer_(std::move(peer)),
        reader_(WireReader::Kind::requests, all.limits.head, all.limits.body) {
    ++all_.connections;
    stream_.expires_after(seconds(all_.limits.request_seconds));
  }
  ~Session() {
    leave_idle();
    leave_streams();
    --all_.connections;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start() {
    if (!stream_.is_encrypted()) return read_request();
    enter_idle();
    stream_.handshake(ByteStream::Role::server, [me = shared_from_this()](const Error& failed, std::size_t) {
      if (!failed) me->read_request();
    });
  }

  void close_now() {
    leave_streams();
    stream_.close();
  }

  /// Ends a session that waits for a request, in favour of another one.
  void evict() {
    leave_idle();
    close_now();
  }

  void add_event(const std::string& text) {
    if (events_.size() >= most_queued_events) return close_now();
    events_.push_back(text);
    if (events_.size() == 1) write_events();
  }

 private:
  void enter_idle() {
    leave_idle();
    place_ = all_.idle.insert(all_.idle.end(), this);
    is_idle_ = true;
  }
  void leave_idle() {
    if (is_idle_) all_.idle.erase(place_);
    is_idle_ = false;
  }

  void enter_streams(const std::string& client) {
    stream_place_ = all_.streams.insert(all_.streams.end(), weak_from_this());
    stream_client_ = client;
    if (!client.empty()) ++all_.streams_of[client];
    is_stream_ = true;
  }
  // At once, not when its object ends: another one may have the place.
  void leave_streams() {
    if (!std::exchange(is_stream_, false)) return;
    all_.streams.erase(stream_place_);
    if (stream_client_.empty()) return;
    const auto found = all_.streams_of.find(stream_client_);
    if (--found->second == 0) all_.streams_of.erase(found);
  }

  // The deadline is that of the whole request: a client that sends a byte now and then gains nothing by it.
  void read_request() {
    if (all_.stopping) return;
    enter_idle();
    reader_.begin();
    stream_.expires_after(seconds(answered_ == 0 ? all_.limits.request_seconds : all_.limits.idle_seconds));
    read_on();
  }

  void read_on() {
    Reading reading = reader_.read();
    if (reading == Reading::header) {
      stream_.expires_after(seconds(all_.limits.request_seconds));
      reading = reader_.read();
    }
    if (reading == Reading::complete) return hand_over();
    if (reading != Reading::more) return refuse(reading);
    const std::span<char> room = reader_.room();
    stream_.read_some(asio::buffer(room.data(), room.size()),
                      [me = shared_from_this()](const Error& failed, std::size_t bytes) {
                        if (failed == asio::error::eof) return me->refuse(me->reader_.read_end());
                        if (failed) return me->refuse(Reading::closed);
                        me->reader_.add(bytes);
                        me->read_on();
                      });
  }

  void hand_over() {
    leave_idle();
    stream_.expires_never();
    keeps_alive_ = reader_.keeps_alive();
    HttpRequest request = reader_.request();
    request.peer = peer_;
    request.is_abandoned = [this] { return stream_.is_abandoned(); };  // nobody closes it meanwhile
    is_head_ = request.method == "HEAD";
    if (!take_target(reader_.target(), request)) {
      keeps_alive_ = false;
      return write(problem_reply(HttpProblem(400, "the address of the request is not well-formed")));
    }
    if (is_head_) request.method = "GET";
    if (all_.waiting >= all_.limits.waiting)
      return write(problem_reply(HttpProblem(503, "the server has too many requests to answer", 1.0)));
    ++all_.waiting;
    asio::post(*all_.answering, [me = shared_from_this(), request = std::move(request)] {
      auto reply = std::make_shared<HttpReply>(answer_to(request, me->all_.handler));
      --me->all_.waiting;
      asio::post(*me->all_.moving, [me, reply] { me->write(std::move(*reply)); });
    });
  }

  void refuse(Reading reading) {
    leave_idle();
    keeps_alive_ = false;
    if (reading == Reading::body_too_large)
      return write(problem_reply(HttpProblem(
          413,
          fmt::format("the body of the request is too large, must be at most {} bytes", all_.limits.body))));
    if (reading == Reading::header_too_large)
      return write(problem_reply(HttpProblem(431, "the header of the request is too large")));
    if (reading == Reading::unknown_encoding)
      return write(problem_reply(
          HttpProblem(501, "the body of the request has another encoding, must be plain or chunked")));
    if (reading == Reading::closed) return close_now();
    write(problem_reply(HttpProblem(400, "the request is not well-formed HTTP")));
  }

  void write(HttpReply reply) {
    stream_.expires_after(seconds(all_.limits.request_seconds));
    if (reply.is_event_stream && !is_head_) return write_stream(std::move(reply));
    reply_ = wire_reply(std::move(reply), all_.fields, keeps_alive_ && !all_.stopping, is_head_);
    stream_.write(asio::buffer(reply_.bytes), [me = shared_from_this()](const Error& failed, std::size_t) {
      ++me->answered_;
      if (failed || me->reply_.needs_close || !me->keeps_alive_) return me->finish();
      me->read_request();
    });
  }

  // After a refused request its rest is read and dropped for a moment: closing with unread bytes would reset
  // the connection, and the client might never see the reply.
  void finish() {
    stream_.end_writing();
    stream_.expires_after(seconds(1.0));
    drain();
  }
  void drain() {
    rest_.resize(std::size_t{64} << 10);
    stream_.read_some_raw(asio::buffer(rest_),
                          [me = shared_from_this()](const Error& failed, std::size_t count) {
                            me->drained_ += count;
                            if (!failed && me->drained_ < (std::size_t{8} << 20)) me->drain();
                          });
  }

  void write_stream(HttpReply reply) {
    if (static_cast<int>(all_.streams.size()) >= all_.limits.streams)
      return write(problem_reply(HttpProblem(503, "the server has too many event streams", 10.0)));
    const auto others = all_.streams_of.find(reply.stream_client);
    if (others != all_.streams_of.end() && others->second >= all_.limits.streams_of_one)
      return write(problem_reply(
          HttpProblem(503, "too many event streams without a token come from this address", 10.0)));
    std::string head = "HTTP/1.1 200 OK\r\nConnection: close\r\n";
    for (const auto& [name, value] : all_.fields) head += name + ": " + value + "\r\n";
    enter_streams(reply.stream_client);
    add_event(head + "Content-Type: text/event-stream\r\n\r\n" + reply.body);
    watch_for_end();
  }

  void write_events() {
    stream_.expires_after(seconds(all_.limits.request_seconds + stream_pulse_seconds));
    stream_.write(asio::buffer(events_.front()), [me = shared_from_this()](const Error& failed, std::size_t) {
      if (failed) return me->close_now();
      me->events_.pop_front();
      if (!me->events_.empty()) me->write_events();
    });
  }
  // A client that closes its side is noticed at once, not at the next event.
  void watch_for_end() {
    rest_.resize(256);
    stream_.expires_never();  // of this reading: writing has its own time
    stream_.read_some(asio::buffer(rest_), [me = shared_from_this()](const Error& failed, std::size_t) {
      if (failed) return me->close_now();
      me->watch_for_end();
    });
  }

  SessionList& all_;
  ByteStream stream_;
  std::string peer_;
  WireReader reader_;
  WireReply reply_;                 // that is being written
  std::deque<std::string> events_;  // of an event stream; the first is being written
  std::vector<char> rest_;
  std::size_t drained_ = 0;
  int answered_ = 0;
  bool keeps_alive_ = false, is_head_ = false;
  std::list<Session*>::iterator place_;  // in the list of idle sessions
  bool is_idle_ = false;
  std::list<std::weak_ptr<Session>>::iterator stream_place_;  // in the list of streams
  std::string stream_client_;
  bool is_stream_ = false;
};

tcp::endpoint endpoint_of(const ListenAddress& address) {
  Error failed;
  const std::string host = address.host == "localhost" ? "127.0.0.1" : address.host;
  const asio::ip::address number = asio::ip::make_address(host, failed);
  if (failed)
    throw InputError(
        fmt::format("--listen is \"{}\", must be an address in numbers and a port, such as "
                    "127.0.0.1:8080",
                    address.text()));
  return {number, static_cast<std::uint16_t>(address.port)};
}

}  // namespace

ListenAddress ListenAddress::of(const std::string& text) {
  const auto complain = [&] {
    throw InputError(fmt::format(
        "--listen is \"{}\", must be an address in numbers and a port, such as 127.0.0.1:8080 or [::1]:8080",
        printable(text, 60)));
  };
  ListenAddress address;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) complain();
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (!host.empty()) address.host = host;
  const std::optional<std::int64_t> port = whole_number(text.substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) complain();
  address.port = static_cast<int>(*port);
  Error failed;
  if (host != "localhost" && !host.empty()) asio::ip::make_address(host, failed);
  if (failed) complain();
  return address;
}

bool ListenAddress::is_loopback() const {
  return endpoint_of(*this).address().is_loopback();
}

std::string ListenAddress::text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

std::vector<std::pair<std::string, std::string>> security_fields(bool is_encrypted) {
  std::vector<std::pair<std::string, std::string>> fields{
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
       "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cache-Control", "no-store"}};
  if (is_encrypted) fields.emplace_back("Strict-Transport-Security", "max-age=31536000");
  return fields;
}

struct HttpServer::Parts {
  Parts(const ListenAddress& address, const TlsFiles* tls, const HttpLimits& limits, Handler handler)
      : acceptor(moving), pulse(moving), answering(static_cast<std::size_t>(limits.handlers)) {
    all.limits = limits;
    all.limits.connections = usable_connections(limits.connections);
    all.handler = std::move(handler);
    all.fields = security_fields(tls != nullptr);
    all.moving = &moving;
    all.answering = &answering;
    if (tls != nullptr) use(*tls);
    listen(address);
    accept();
    beat();
    thread = std::jthread([this] { moving.run(); });
  }
  ~Parts() { stop(); }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void use(const TlsFiles& files) {
    encryption.emplace(asio::ssl::context::tls_server);
    Error failed;
    encryption->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                            asio::ssl::context::no_tlsv1_1);
    encryption->use_certificate_chain_file(files.certificate, failed);
    if (failed)
      throw InputError(fmt::format("{}: cannot be used as a certificate ({}), must be a chain in PEM format",
                                   files.certificate, failed.message()));
    encryption->use_private_key_file(files.key, asio::ssl::context::pem, failed);
    if (failed)
      throw InputError(fmt::format("{}: cannot be used as the key of {} ({}), must be in PEM format",
                                   files.key, files.certificate, failed.message()));
  }

  void listen(const ListenAddress& address) {
    const tcp::endpoint endpoint = endpoint_of(address);
    Error failed;
    acceptor.open(endpoint.protocol(), failed);
    if (!failed) acceptor.set_option(asio::socket_base::reuse_address(true), failed);
    if (!failed) acceptor.bind(endpoint, failed);
    if (!failed) acceptor.listen(asio::socket_base::max_listen_connections, failed);
    if (failed)
      throw InputError(fmt::format("{}: cannot be listened on ({})", address.text(), failed.message()));
    port = acceptor.local_endpoint().port();
  }

  void accept() {
    acceptor.async_accept([this](const Error& failed, tcp::socket socket) {
      if (all.stopping) return;
      if (!failed) take(std::move(socket));
      if (!failed) return accept();
      // No descriptor is left, for instance: not again and again without a pause.
      pause.emplace(moving, std::chrono::milliseconds(50));
      pause->async_wait([this](const Error&) {
        if (!all.stopping) accept();
      });
    });
  }

  void take(tcp::socket socket) {
    if (all.connections >= all.limits.connections) {
      if (all.idle.empty()) return;  // all are being answered; this one is closed
      all.idle.front()->evict();
    }
    Error failed;
    socket.set_option(tcp::no_delay(true), failed);
    const std::string peer = socket.remote_endpoint(failed).address().to_string();
    if (failed) return;
    std::make_shared<Session>(all, peer, std::move(socket), encryption ? &*encryption : nullptr)->start();
  }

  // A comment now and then: a connection that a proxy or a cable has dropped is noticed.
  void beat() {
    pulse.expires_after(seconds(stream_pulse_seconds));
    pulse.async_wait([this](const Error& failed) {
      if (failed) return;
      to_streams(": still here\n\n");
      beat();
    });
  }

  // A session that is closed leaves the list, so that it must not be walked meanwhile.
  std::vector<std::shared_ptr<Session>> open_streams() const {
    std::vector<std::shared_ptr<Session>> open;
    for (const std::weak_ptr<Session>& one : all.streams)
      if (std::shared_ptr<Session> session = one.lock()) open.push_back(std::move(session));
    return open;
  }

  void to_streams(const std::string& text) {
    for (const std::shared_ptr<Session>& session : open_streams()) session->add_event(text);
  }

  void stop() {
    if (!thread.joinable()) return;
    answering.join();
    asio::post(moving, [this] {
      all.stopping = true;
      Error ignored;
      acceptor.close(ignored);
      pulse.cancel();
      if (pause) pause->cancel();
      while (!all.idle.empty()) all.idle.front()->evict();
      for (const std::shared_ptr<Session>& session : open_streams()) session->close_now();
    });
    // Replies on their way have a moment; then whatever is left is dropped.
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < until && !moving.stopped())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    moving.stop();
    thread.join();
  }

  SessionList all;
  asio::io_context moving{1};
  tcp::acceptor acceptor;
  asio::steady_timer pulse;
  std::optional<asio::steady_timer> pause;
  std::optional<asio::ssl::context> encryption;
  asio::thread_pool answering;
  std::jthread thread;
  int port = 0;
};

HttpServer::HttpServer(const ListenAddress& address, const TlsFiles* tls, const HttpLimits& limits,
                       Handler handler)
    : parts_(std::make_unique<Parts>(address, tls, limits, std::move(handler))) {}
HttpServer::~HttpServer() = default;

int HttpServer::port() const {
  return parts_->port;
}

void HttpServer::publish(const std::string& event, const std::string& data) {
  asio::post(parts_->moving, [parts = parts_.get(), text = fmt::format("event: {}\ndata: {}\n\n", event,
                                                                       data)] { parts->to_streams(text); });
}

void HttpServer::stop() {
  parts_->stop();
}

}  // namespace acuity
