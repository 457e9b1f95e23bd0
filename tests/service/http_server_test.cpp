#include "service/http_server.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

#include "acuity/base/errors.hpp"
#include "service/http_client.hpp"
#include "support/background.hpp"
#include "support/program.hpp"
#include "support/raw_connection.hpp"
#include "support/thorough.hpp"

namespace acuity::testing::http_server_test {
namespace {

using namespace std::chrono_literals;

HttpReply echo(const HttpRequest& request) {
  if (request.path == "/stream")
    return {.status = 200, .content_type = "", .body = ": begins\n\n", .fields = {}, .is_event_stream = true};
  if (request.path == "/broken") throw std::logic_error("never mind");
  if (request.path == "/refused") throw HttpProblem(409, "not now", 2.5);
  std::string text = request.method + " " + request.path + " " + request.body;
  for (const auto& [name, value] : request.query) text += "|" + name + "=" + value;
  return {.status = 200, .content_type = "text/plain", .body = text};
}

struct Server {
  explicit Server(HttpLimits limits = {}, HttpServer::Handler handler = echo)
      : http(ListenAddress::of("127.0.0.1:0"), nullptr, limits, std::move(handler)),
        client(ServerUrl::of("http://127.0.0.1:" + std::to_string(http.port())), "") {}
  HttpServer http;
  HttpClient client;
};

TEST(HttpServer, AnswersRequestsOnOneConnection) {
  Server server;
  EXPECT_EQ(server.client.get("/a%20b?x=1%2B2&y=a+b").body, "GET /a b |x=1+2|y=a b");
  EXPECT_EQ(server.client.post("/p", "{\"k\": 1}").body, "POST /p {\"k\": 1}");
  RawConnection one(server.http.port());
  EXPECT_TRUE(
      one.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
  const std::string both = one.receive();
  EXPECT_NE(both.find("GET /1"), std::string::npos) << both;
  EXPECT_NE(both.find("GET /2"), std::string::npos) << both;
}

TEST(HttpServer, TellsProblemsAsJson) {
  Server server;
  const HttpReply refused = server.client.get("/refused");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.body, R"({"error":"not now","retry_after":2.5})");
  EXPECT_EQ(server.client.get("/broken").status, 500);
  EXPECT_EQ(server.client.get("/again").status, 200) << "it goes on";
}

TEST(HttpServer, HasTheFieldsThatProtectThePage) {
  Server server;
  RawConnection one(server.http.port());
  one.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const std::string reply = one.receive();
  for (const auto& [name, value] : security_fields(false))
    EXPECT_NE(reply.find(name + ": " + value), std::string::npos) << name;
  EXPECT_NE(reply.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(reply.find("unsafe"), std::string::npos);
}

TEST(HttpServer, AnswersHeadWithoutABody) {
  Server server;
  RawConnection one(server.http.port());
  one.send("HEAD /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const std::string reply = one.receive();
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 200 OK")) << reply;
  EXPECT_TRUE(reply.ends_with("\r\n\r\n")) << reply;
}

TEST(HttpServer, RefusesWhatIsNotHttp) {
  Server server;
  for (const char* bytes :
       {"\r\n\r\n\r\n", "NONSENSE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /%00 HTTP/1.1\r\nHost: h\r\n\r\n", "GET http://other/ HTTP/1.1\r\nHost: h\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -5\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    RawConnection one(server.http.port());
    one.send(bytes);
    const std::string reply = one.receive("\r\n\r\n", 10.0);
    EXPECT_TRUE(reply.empty() || reply.starts_with("HTTP/1.1 4")) << bytes << reply;
  }
  EXPECT_EQ(server.client.get("/still").status, 200);
}

TEST(HttpServer, DoesNotTakeABodyOfAnotherEncodingForTheNextRequest) {
  Server server;
  for (const char* encoding :
       {"identity", "gzip", "xchunked", "chunked, identity", "chunked, chunked", "gzip, chunked",
        "chunked\r\nTransfer-Encoding: chunked", "identity\r\nTransfer-Encoding: chunked"}) {
    RawConnection one(server.http.port());
    one.send(
        fmt::format("POST /first HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: {}\r\n\r\n"
                    "GET /second HTTP/1.1\r\nHost: h\r\n\r\n",
                    encoding));
    const std::string reply = one.receive();
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 501") || reply.starts_with("HTTP/1.1 400")) << encoding << reply;
    EXPECT_EQ(reply.find("/second"), std::string::npos) << reply;
    EXPECT_FALSE(one.is_open()) << encoding;
  }
  RawConnection chunked(server.http.port());
  chunked.send(
      "POST /p HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "2\r\nab\r\n0\r\n\r\n");
  EXPECT_NE(chunked.receive().find("POST /p ab"), std::string::npos);
}

TEST(HttpServer, RefusesRequestsForTwoHosts) {
  Server server;
  RawConnection one(server.http.port());
  one.send("GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(one.receive().starts_with("HTTP/1.1 400"));
  EXPECT_FALSE(one.is_open());
}

TEST(HttpServer, RefusesLargeHeadersAndBodiesWithoutReadingThem) {
  HttpLimits limits;
  limits.body = 1000;
  Server server(limits);
  EXPECT_EQ(server.client.post("/", std::string(1000, 'x')).status, 200);
  EXPECT_EQ(server.client.post("/", std::string(1001, 'x')).status, 413);
  RawConnection large(server.http.port());
  large.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000000\r\n\r\n");
  EXPECT_TRUE(large.receive("\r\n\r\n").starts_with("HTTP/1.1 413")) << "before a byte of it";
  RawConnection chunked(server.http.port());
  chunked.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int k = 0; k < 100; ++k)
    if (!chunked.send("100\r\n" + std::string(256, 'x') + "\r\n")) break;
  EXPECT_TRUE(chunked.receive("\r\n\r\n").starts_with("HTTP/1.1 413"));
  RawConnection header(server.http.port());
  header.send("GET / HTTP/1.1\r\nHost: h\r\nX: ");
  for (int k = 0; k < 40; ++k)
    if (!header.send(std::string(1024, 'x'))) break;
  EXPECT_TRUE(header.receive("\r\n\r\n").starts_with("HTTP/1.1 431"));
}

// A gigabyte is sent, for as long as anybody takes it: the server neither keeps it nor reads on.
TEST(HttpServer, ABodyOfAGigabyteIsNotRead) {
  Server server;
  RawConnection one(server.http.port());
  one.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1073741824\r\n\r\n");
  const std::string piece(std::size_t{1} << 20, 'x');
  int sent = 0;
  while (sent < 1024 && one.send(piece)) ++sent;
  EXPECT_LT(sent, 64);
  EXPECT_EQ(server.client.get("/still").status, 200);
}

// One byte now and then does not hold a connection for longer than a request may take, and costs no thread.
TEST(HttpServer, SlowClientsDelayNobodyAndAreDisconnected) {
  HttpLimits limits;
  limits.request_seconds = 1.5;
  limits.handlers = 4;
  Server server(limits);
  std::vector<RawConnection> slow;
  for (int k = 0; k < 200; ++k) {
    slow.emplace_back(server.http.port());
    slow.back().send("GET / HTTP/1.1\r\nHost: h\r\nX: ");
  }
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < 8; ++k) {
    for (RawConnection& one : slow) one.send("x");
    EXPECT_EQ(server.client.get("/").status, 200);
    std::this_thread::sleep_for(300ms);
  }
  EXPECT_GT(std::chrono::steady_clock::now() - start, 2s);
  for (RawConnection& one : slow) {
    one.receive("\0", 5.0);
    EXPECT_FALSE(one.is_open());
  }
}

TEST(HttpServer, TenThousandConnectionsKeepNobodyOut) {
  HttpLimits limits;
  limits.connections = 100;
  Server server(limits);
  EXPECT_EQ(server.client.get("/before").status, 200);
  std::vector<RawConnection> some;
  for (int k = 0; k < 10000; ++k) {
    RawConnection one(server.http.port());
    EXPECT_TRUE(one.is_open());
    if (some.size() < 500) some.push_back(std::move(one));
    if (k % 1000 == 999) {
      EXPECT_EQ(server.client.get("/during").status, 200) << k;
    }
  }
  HttpClient fresh(ServerUrl::of("http://127.0.0.1:" + std::to_string(server.http.port())), "");
  EXPECT_EQ(fresh.get("/after").status, 200);
}

TEST(HttpServer, RequestsBeyondThoseThatCanWaitAreTurnedAway) {
  HttpLimits limits;
  limits.handlers = 1;
  limits.waiting = 3;
  std::atomic<bool> go{false};
  Server server(limits, [&](const HttpRequest&) {
    while (!go) std::this_thread::sleep_for(1ms);
    return HttpReply{};
  });
  std::vector<RawConnection> all;
  for (int k = 0; k < 10; ++k) {
    all.emplace_back(server.http.port());
    all.back().send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_TRUE(all.back().receive("\r\n\r\n").starts_with("HTTP/1.1 503"));
  go = true;
  EXPECT_TRUE(all.front().receive("\r\n\r\n").starts_with("HTTP/1.1 200"));
}

TEST(HttpServer, StreamsEvents) {
  Server server;
  RawConnection one(server.http.port()), two(server.http.port());
  for (RawConnection* watcher : {&one, &two}) {
    watcher->send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_NE(watcher->receive(": begins").find("text/event-stream"), std::string::npos);
  }
  server.http.publish("log", "{\"sequence\": 7}");
  for (RawConnection* watcher : {&one, &two})
    EXPECT_NE(watcher->receive("7}\n\n").find("event: log\ndata: {\"sequence\": 7}\n\n"), std::string::npos);
  EXPECT_EQ(server.client.get("/meanwhile").status, 200);
}

TEST(HttpServer, AStreamStaysOpenForLongerThanARequestMayTake) {
  if (!thorough()) GTEST_SKIP() << "takes 18 s; ./run-tests --thorough runs it";
  Server server({.request_seconds = 1.0});  // a stream was given 15 s more, and then cut
  RawConnection watcher(server.http.port());
  watcher.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
  watcher.receive("never", 18.0);
  EXPECT_TRUE(watcher.is_open());
  server.http.publish("log", "{\"sequence\": 7}");
  EXPECT_NE(watcher.receive("7}\n\n", 5.0).find("event: log"), std::string::npos);
}

TEST(HttpServer, AStreamThatIsClosedMakesRoomAtOnce) {
  HttpLimits limits;
  limits.streams = 2;
  Server server(limits);
  const auto begins = [&](RawConnection& one) {
    one.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
    return one.receive("\r\n\r\n", 5.0).starts_with("HTTP/1.1 200");
  };
  for (int round = 0; round < 5; ++round) {
    std::vector<RawConnection> all;
    // Well within the time between two pulses, after which closed streams would be noticed anyway.
    const auto start = std::chrono::steady_clock::now();
    while (all.size() < 2 && std::chrono::steady_clock::now() - start < 5s) {
      RawConnection next(server.http.port());
      if (begins(next)) all.push_back(std::move(next));
    }
    ASSERT_EQ(all.size(), 2U) << round;
    RawConnection third(server.http.port());
    EXPECT_FALSE(begins(third));
  }
}

TEST(HttpServer, OneClientHasFewStreams) {
  HttpLimits limits;
  limits.streams_of_one = 2;
  Server server(limits, [](const HttpRequest& request) {
    return HttpReply{.status = 200,
                     .content_type = "",
                     .body = ": begins\n\n",
                     .fields = {},
                     .is_event_stream = true,
                     .stream_client = request.path == "/free" ? "" : request.path};
  });
  std::vector<RawConnection> open;
  const auto status_of = [&](const std::string& path) {
    open.emplace_back(server.http.port());
    open.back().send("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n");
    return open.back().receive("\r\n\r\n", 5.0).substr(9, 3);
  };
  EXPECT_EQ(status_of("/a"), "200");
  EXPECT_EQ(status_of("/a"), "200");
  EXPECT_EQ(status_of("/a"), "503");
  EXPECT_EQ(status_of("/b"), "200") << "others are not concerned";
  for (int k = 0; k < 4; ++k) EXPECT_EQ(status_of("/free"), "200");
  open.clear();
  EXPECT_TRUE(comes_true([&] { return status_of("/a") == "200"; }));
}

TEST(HttpServer, KnowsWhenNobodyWaitsForAReply) {
  std::atomic<bool> begun{false}, noticed{false};
  Server server({}, [&](const HttpRequest& request) {
    EXPECT_FALSE(request.is_abandoned());
    begun = true;
    noticed = comes_true([&] { return request.is_abandoned(); });
    return HttpReply{};
  });
  {
    RawConnection one(server.http.port());
    one.send("GET /long HTTP/1.1\r\nHost: h\r\n\r\nGET /more");  // unread bytes do not hide the end
    ASSERT_TRUE(comes_true([&] { return begun.load(); }));
    std::this_thread::sleep_for(50ms);
    EXPECT_FALSE(noticed);
  }
  EXPECT_TRUE(comes_true([&] { return noticed.load(); }));
}

TEST(HttpServer, AStreamThatNobodyReadsEndsAndCostsNothing) {
  Server server;
  RawConnection deaf(server.http.port()), watcher(server.http.port());
  for (RawConnection* one : {&deaf, &watcher}) one->send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
  watcher.receive(": begins");
  const std::string much(std::size_t{1} << 20, 'x');
  for (int k = 0; k < 100; ++k) {
    server.http.publish("log", much);
    watcher.receive("never", 0.02);
  }
  std::size_t size = 0;
  for (std::string text; deaf.is_open() && size != (text = deaf.receive("never", 3.0)).size();)
    size = text.size();
  EXPECT_FALSE(deaf.is_open());
  EXPECT_LT(size, std::size_t{100} << 20);
}

TEST(HttpServer, EndsWithOpenConnectionsAndStreams) {
  auto server = std::make_unique<Server>();
  RawConnection idle(server->http.port()), stream(server->http.port());
  stream.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
  stream.receive(": begins");
  const auto start = std::chrono::steady_clock::now();
  server->http.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
  stream.receive("never", 5.0);
  EXPECT_FALSE(stream.is_open());
}

// A certificate that was just made, and a client that trusts it alone.
struct Encrypted : ::testing::Test {
  void SetUp() override {
    const std::string line = fmt::format(
        "cd '{}' && openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj "
        "/CN=acuity "
        "-addext subjectAltName=IP:127.0.0.1 >openssl.log 2>&1",
        folder.path().string());
    if (std::system(line.c_str()) != 0) GTEST_SKIP() << "openssl is not installed, it makes the certificate";
    files = {(folder.path() / "cert.pem").string(), (folder.path() / "key.pem").string()};
  }
  Folder folder;
  TlsFiles files;
};

TEST_F(Encrypted, ServerTalksToWhoTrustsIt) {
  const HttpServer server(ListenAddress::of("127.0.0.1:0"), &files, {}, echo);
  const ServerUrl url = ServerUrl::of(fmt::format("https://127.0.0.1:{}", server.port()));
  HttpClient stranger(url, "");
  EXPECT_THROW(stranger.get("/"), ConnectionError) << "nobody has vouched for the certificate";
  ASSERT_EQ(::setenv("SSL_CERT_FILE", files.certificate.c_str(), 1), 0);
  HttpClient client(url, "");
  EXPECT_EQ(client.get("/a").body, "GET /a ");
  EXPECT_EQ(client.post("/b", "{}").body, "POST /b {}") << "on the same connection";
  HttpClient other(ServerUrl::of(fmt::format("https://localhost:{}", server.port())), "");
  EXPECT_THROW(other.get("/"), ConnectionError) << "the certificate is for another name";
  ::unsetenv("SSL_CERT_FILE");
  RawConnection plain(server.port());
  plain.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(plain.receive("HTTP/1.1 200", 5.0).find("HTTP/1.1 200"), std::string::npos);
}

TEST_F(Encrypted, ServerWithoutItsKeyIsASentence) {
  const TlsFiles wrong{files.certificate, files.certificate}, missing{"nowhere.pem", files.key};
  for (const TlsFiles& one : {wrong, missing})
    EXPECT_THROW(HttpServer(ListenAddress::of("127.0.0.1:0"), &one, {}, echo), InputError);
}

TEST(ListenAddress, IsAnAddressInNumbersAndAPort) {
  EXPECT_EQ(ListenAddress::of(":9000").text(), "127.0.0.1:9000");
  EXPECT_EQ(ListenAddress::of("[::1]:9000").text(), "[::1]:9000");
  EXPECT_TRUE(ListenAddress::of("[::1]:9000").is_loopback());
  EXPECT_TRUE(ListenAddress::of("localhost:1").is_loopback());
  EXPECT_FALSE(ListenAddress::of("0.0.0.0:80").is_loopback());
  for (const char* bad :
       {"", "8080", "host:80", "127.0.0.1:", "127.0.0.1:70000", "127.0.0.1:-1", "127.0.0.1:8o"})
    EXPECT_THROW(ListenAddress::of(bad), InputError) << bad;
}

TEST(ListenAddress, ThatIsInUseIsASentence) {
  Server server;
  try {
    Server second{HttpLimits()};
    const HttpServer third(ListenAddress{"127.0.0.1", server.http.port()}, nullptr, {}, echo);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be listened on"), std::string::npos) << error.what();
  }
}

TEST(ServerUrl, HasNoTokenInIt) {
  EXPECT_EQ(ServerUrl::of("http://h:8080/").text(), "http://h:8080");
  EXPECT_EQ(ServerUrl::of("https://h/a/").text(), "https://h:443/a");
  EXPECT_EQ(ServerUrl::of("http://[::1]:80").text(), "http://[::1]:80");
  for (const char* bad : {"", "h:80", "ftp://h", "http://", "http://me:secret@h", "http://h/?token=1",
                          "http://h#t", "http://h:port"})
    EXPECT_THROW(ServerUrl::of(bad), InputError) << bad;
}

TEST(HttpClient, SaysWhyThereIsNoReply) {
  HttpClient nobody(ServerUrl::of("http://127.0.0.1:1"), "");
  try {
    nobody.get("/");
    FAIL();
  } catch (const ConnectionError& error) {
    EXPECT_NE(std::string(error.what()).find("http://127.0.0.1:1: it cannot be connected to"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace acuity::testing::http_server_test
