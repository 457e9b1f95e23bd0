// `acuity serve` behind a real nginx, with the configuration that docs/serving.md shows.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <regex>

#include "acuity/base/errors.hpp"
#include "service/http_client.hpp"
#include "support/background.hpp"
#include "support/campaign_desk.hpp"

namespace acuity::testing::behind_nginx_test {
namespace {

namespace fs = std::filesystem;

const std::string study_text =
    "[campaign]\nname = \"wing\"\nbudget = 12\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
    "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n";
const std::string wims_token = "wimwimwimwimwimwimwimwim";

std::string nginx_program() {
  for (const char* place : {"/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"})
    if (fs::exists(place)) return place;
  return "";
}

// Nobody else gets the same one soon: the kernel gives them out in turn.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(socket, plain, size), 0);
  EXPECT_EQ(::getsockname(socket, plain, &size), 0);
  ::close(socket);
  return ntohs(address.sin_port);
}

std::string documented_recipe() {
  std::ifstream stream(fs::path(ACUITY_SOURCE_DIR) / "docs/serving.md");
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  const std::string begin = "```nginx\n";
  const std::size_t from = page.find(begin) + begin.size();
  return page.substr(from, page.find("```", from) - from);
}

void replace(std::string& text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  ASSERT_NE(at, std::string::npos) << part;
  text.replace(at, part.size(), by);
}

struct BehindNginx : ::testing::Test {
  void SetUp() override {
    if (nginx_program().empty()) GTEST_SKIP() << "nginx is not installed";
    const std::string made =
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=acuity "
        "-addext subjectAltName=DNS:localhost >openssl.log 2>&1";
    if (run_shell(made, desk.folder.path()).exit_code != 0)
      GTEST_SKIP() << "openssl is not installed, it makes the certificate";
    fs::permissions(desk.folder.write("tokens", "wim watch " + wims_token + "\n"),
                    fs::perms::owner_read | fs::perms::owner_write);
  }
  void TearDown() override { ::unsetenv("SSL_CERT_FILE"); }

  /// Starts the server with these further words, and nginx in front of it.
  void start(std::vector<std::string> more) {
    std::vector<std::string> words{"serve",    desk.campaign, "--tokens", "tokens",
                                   "--listen", "127.0.0.1:0", "--name",   "localhost"};
    words.insert(words.end(), more.begin(), more.end());
    server.emplace(words, desk.folder.path());
    std::smatch found;
    std::string out;
    ASSERT_TRUE(comes_true([&] {
      out = server->out();
      return std::regex_search(out, found, std::regex("http://127[.]0[.]0[.]1:([0-9]+)/"));
    })) << server->err();
    port = free_port();
    std::string recipe = documented_recipe();
    const fs::path folder = desk.folder.path();
    replace(recipe, "listen 443 ssl", fmt::format("listen 127.0.0.1:{} ssl", port));
    replace(recipe, "server_name lab.example", "server_name localhost");
    replace(recipe, "/etc/ssl/lab.pem", (folder / "cert.pem").string());
    replace(recipe, "/etc/ssl/lab.key", (folder / "key.pem").string());
    replace(recipe, "127.0.0.1:8080", "127.0.0.1:" + found[1].str());
    std::string temporary;
    for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
      temporary += fmt::format("  {0}_temp_path {1}/{0};\n", kind, folder.string());
    desk.folder.write(
        "nginx.conf",
        fmt::format("daemon off;\nmaster_process off;\npid {0}/nginx.pid;\n"
                    "error_log {0}/error.log;\nevents {{}}\nhttp {{\n  access_log off;\n{1}{2}}}\n",
                    folder.string(), temporary, recipe));
    nginx.emplace(std::vector<std::string>{"-p", folder.string(), "-c", (folder / "nginx.conf").string()},
                  folder, nginx_program());
    ASSERT_EQ(::setenv("SSL_CERT_FILE", (folder / "cert.pem").c_str(), 1), 0);
    ASSERT_TRUE(comes_true([&] {
      try {
        return status("/") == 200;
      } catch (const ConnectionError&) {
        return false;
      }
    })) << nginx->err()
        << desk.folder.read("error.log");
  }
  int status(const std::string& path, const std::string& token = "") const {
    HttpClient client(ServerUrl::of(fmt::format("https://localhost:{}", port)), token);
    return client.get(path).status;
  }

  CampaignDesk desk{study_text};
  std::optional<Background> server, nginx;
  int port = 0;
};

TEST_F(BehindNginx, NobodyLooksWithoutAToken) {
  start({});
  for (const char* path :
       {"/v1/annotations", "/v1/events", "/v1/view", "/v1/study", "/v1/pool?x=x", "/v1/me"})
    EXPECT_EQ(status(path), 401) << path;
  EXPECT_EQ(status("/v1/annotations", wims_token), 200);
  EXPECT_EQ(status("/v1/annotations", "wrong" + wims_token), 401);
}

TEST_F(BehindNginx, EverybodyLooksIfTheServerWasStartedSo) {
  start({"--watch-without-token"});
  EXPECT_EQ(status("/v1/annotations"), 200);
}

}  // namespace
}  // namespace acuity::testing::behind_nginx_test
