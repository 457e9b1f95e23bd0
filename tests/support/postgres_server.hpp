#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace acuity::testing {

/// A private PostgreSQL server of one test, with its data in memory. It ends with this object, and also if
/// the test is killed. Root runs it as the user `postgres`, anybody else as himself.
class PostgresServer {
 public:
  /// A sentence if there can be no server here, for GTEST_SKIP(); empty otherwise.
  static std::string why_not();

  /// `settings` as on the command line of the server: "max_connections=5". `hosts`: what it listens to
  /// besides 127.0.0.1, with the networks that may connect: {"10.78.1.1", "10.78.1.0/24"}.
  /// `place`: the folder for its data, else memory.
  explicit PostgresServer(std::vector<std::string> settings = {},
                          std::vector<std::pair<std::string, std::string>> hosts = {},
                          const std::filesystem::path& place = {});
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  int port() const { return port_; }
  pid_t process() const { return server_; }
  /// The folder of the socket; the data is in `data`.
  const std::filesystem::path& folder() const { return folder_; }

  /// postgresql://acuity:secret-word@127.0.0.1:PORT/postgres, or of another host, port, database or user.
  std::string address(const std::string& database = "postgres", int port = 0,
                      const std::string& host = "127.0.0.1", const std::string& user = "acuity") const;
  static constexpr const char* password = "secret-word";

  /// Runs statements as its superuser and returns what psql prints, without headers.
  std::string execute(const std::string& statements, const std::string& database = "postgres") const;

  /// Ends all its processes without warning, as a power failure would.
  void kill();
  /// After kill(): starts it again and waits until it takes connections.
  void start();
  /// The processes of the server that serve clients.
  std::vector<pid_t> processes() const;
  std::string log() const;

 private:
  void stop();
  void start_keeper();

  std::filesystem::path folder_;
  std::vector<std::string> settings_;
  std::string listens_to_ = "127.0.0.1";
  int port_ = 0;
  pid_t server_ = -1, keeper_ = -1;
  int pipe_ = -1;
};

}  // namespace acuity::testing
