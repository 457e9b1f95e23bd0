#include "support/postgres_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "support/program.hpp"

namespace acuity::testing {

namespace {

namespace fs = std::filesystem;

// Of the newest version that is installed.
fs::path program_folder() {
  std::vector<std::pair<int, fs::path>> found;
  std::error_code none;
  for (const fs::directory_entry& version : fs::directory_iterator("/usr/lib/postgresql", none))
    if (fs::exists(version.path() / "bin" / "initdb"))
      found.emplace_back(std::atoi(version.path().filename().c_str()), version.path() / "bin");
  return found.empty() ? fs::path() : std::max_element(found.begin(), found.end())->second;
}

// The server refuses to run as root.
std::optional<passwd> other_user() {
  if (::geteuid() != 0) return std::nullopt;
  const passwd* found = ::getpwnam("postgres");
  return found == nullptr ? std::nullopt : std::optional(*found);
}

bool steps_down() {
  if (::geteuid() != 0) return true;
  const std::optional<passwd> user = other_user();
  return user && ::setgroups(0, nullptr) == 0 && ::setgid(user->pw_gid) == 0 && ::setuid(user->pw_uid) == 0;
}

void hand_over(const fs::path& folder) {
  if (const std::optional<passwd> user = other_user())
    if (::chown(folder.c_str(), user->pw_uid, user->pw_gid) != 0)
      throw std::runtime_error("cannot give a folder to the user postgres");
}

// Starts a program as the user of the server.
pid_t spawn(const std::vector<std::string>& words, const fs::path& output, bool dies_with_this) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const pid_t process = ::fork();
  if (process != 0) return process;
  ::setsid();  // Ctrl-C is for the test
  const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(file, 1);
  ::dup2(file, 2);
  if (!steps_down() || ::chdir("/") != 0) ::_exit(126);
  if (dies_with_this) ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  ::setenv("HOME", "/tmp", 1);
  ::execv(pointers[0], pointers.data());
  ::_exit(127);
}

int free_port() {
  const int listening = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  int port = 0;
  if (::bind(listening, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
      ::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size) == 0)
    port = ::ntohs(address.sin_port);
  ::close(listening);
  return port;
}

fs::path new_folder(fs::path place = {}) {
  if (place.empty()) place = fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
  std::string name = (place / "acuity-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder for a server");
  return name;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void require(bool holds, const std::string& sentence) {
  if (!holds) throw std::runtime_error(sentence);
}

// A new database takes a second to make, so it is made once, kept in the build tree and copied.
void make_data(const fs::path& folder) {
  const fs::path kept =
      fs::path(ACUITY_BINARY_DIR) / ("postgres-" + program_folder().parent_path().filename().string() +
                                     "-data-" + std::to_string(::geteuid()));
  const int lock = ::open((kept.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  ::flock(lock, LOCK_EX);
  if (!fs::exists(kept)) {
    const fs::path made = new_folder();
    hand_over(made);
    std::ofstream(made / "password") << PostgresServer::password << "\n";
    hand_over(made / "password");
    int status = 1;
    ::waitpid(
        spawn({(program_folder() / "initdb").string(), "-D", (made / "data").string(), "-U", "acuity",
               "--pwfile=" + (made / "password").string(), "--auth-local=trust", "--auth-host=scram-sha-256",
               "-E", "UTF8", "--locale=C", "--data-checksums", "--no-sync", "--wal-segsize=1"},
              made / "log", false),
        &status, 0);
    const bool copied =
        status == 0 &&
        run_shell("rm -rf '" + kept.string() + ".new' && cp -a '" + (made / "data").string() + "' '" +
                      kept.string() + ".new' && mv '" + kept.string() + ".new' '" + kept.string() + "'",
                  "/")
                .exit_code == 0;
    const std::string log = text_of(made / "log");
    fs::remove_all(made);
    require(copied, "initdb failed: " + log);
  }
  ::close(lock);
  require(run_shell("cp -a '" + kept.string() + "' '" + (folder / "data").string() + "'", "/").exit_code == 0,
          "cannot copy a database");
}

}  // namespace

std::string PostgresServer::why_not() {
  if (program_folder().empty()) return "PostgreSQL is not installed (Debian: apt install postgresql)";
  if (::geteuid() == 0 && !other_user()) return "there is no user postgres to run a server as";
  return "";
}

PostgresServer::PostgresServer(std::vector<std::string> settings,
                               std::vector<std::pair<std::string, std::string>> hosts, const fs::path& place)
    : folder_(new_folder(place)), settings_(std::move(settings)) {
  hand_over(folder_);
  fs::permissions(folder_, fs::perms(0755));
  start_keeper();
  make_data(folder_);
  std::ofstream access(folder_ / "data" / "pg_hba.conf", std::ios::app);
  for (const auto& [host, network] : hosts) {
    listens_to_ += "," + host;
    access << "host all all " << network << " scram-sha-256\n";
  }
  access.close();
  start();
}

PostgresServer::~PostgresServer() {
  stop();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  ::close(pipe_);
  ::waitpid(keeper_, nullptr, 0);
}

// A process that cleans up if the test is killed: it then reads the end of the pipe.
void PostgresServer::start_keeper() {
  int ends[2];
  require(::pipe2(ends, O_CLOEXEC) == 0, "no pipe");
  keeper_ = ::fork();
  if (keeper_ == 0) {
    ::setsid();
    ::close(ends[1]);
    char none = 0;
    while (::read(ends[0], &none, 1) < 0) {
    }
    std::error_code ignored;
    if (fs::exists(folder_, ignored)) {
      const pid_t server = std::atoi(text_of(folder_ / "data" / "postmaster.pid").c_str());
      if (server > 1) ::kill(server, SIGQUIT);
      for (int k = 0; k < 100 && server > 1 && ::kill(server, 0) == 0; ++k) ::usleep(50'000);
      fs::remove_all(folder_, ignored);
    }
    ::_exit(0);
  }
  ::close(ends[0]);
  pipe_ = ends[1];
}

void PostgresServer::start() {
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (port_ == 0) port_ = free_port();
    std::vector<std::string> words{(program_folder() / "postgres").string(), "-D",
                                   (folder_ / "data").string()};
    const auto set = [&](const std::string& setting) {
      words.push_back("-c");
      words.push_back(setting);
    };
    set("port=" + std::to_string(port_));
    set("listen_addresses=" + listens_to_);
    set("unix_socket_directories=" + folder_.string());
    for (const char* setting :
         {"max_connections=80", "shared_buffers=16MB", "autovacuum=off", "dynamic_shared_memory_type=mmap",
          "max_worker_processes=0", "max_wal_size=64MB"})
      set(setting);
    for (const std::string& setting : settings_) set(setting);
    server_ = spawn(words, folder_ / "log", true);
    const auto is_ready = [&] {
      std::istringstream lines(text_of(folder_ / "data" / "postmaster.pid"));
      std::string line;
      for (int k = 0; k < 8 && std::getline(lines, line); ++k)
        if (k == 0 && std::atoi(line.c_str()) != server_) return false;
      return line.starts_with("ready");
    };
    for (int k = 0; k < 1200; ++k) {
      if (is_ready()) return;
      if (::waitpid(server_, nullptr, WNOHANG) == server_) {
        server_ = -1;
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    if (server_ > 0) stop();
    // Another program has taken the port, or processes of a killed server have not ended yet.
    if (text_of(folder_ / "log").find("Address already in use") != std::string::npos) port_ = 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  throw std::runtime_error("the server does not start: " + log());
}

void PostgresServer::stop() {
  if (server_ <= 0) return;
  ::kill(server_, SIGCONT);
  ::kill(server_, SIGINT);
  int ended = 0;
  for (int k = 0; k < 400 && (ended = ::waitpid(server_, nullptr, WNOHANG)) == 0; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
  if (ended == 0) kill();
  server_ = -1;
}

std::vector<pid_t> PostgresServer::processes() const {
  std::vector<pid_t> children;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", none)) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process <= 1) continue;
    const std::string status = text_of(entry.path() / "stat");
    const std::size_t end = status.rfind(')');
    if (end == std::string::npos) continue;
    std::istringstream fields(status.substr(end + 1));
    std::string state;
    pid_t parent = 0;
    if (fields >> state >> parent && parent == server_) children.push_back(process);
  }
  return children;
}

void PostgresServer::kill() {
  if (server_ <= 0) return;
  const std::vector<pid_t> children = processes();
  ::kill(server_, SIGKILL);
  for (const pid_t child : children) ::kill(child, SIGKILL);
  ::waitpid(server_, nullptr, 0);
  server_ = -1;
}

std::string PostgresServer::address(const std::string& database, int port, const std::string& host,
                                    const std::string& user) const {
  return "postgresql://" + user + ":" + password + "@" + host + ":" +
         std::to_string(port == 0 ? port_ : port) + "/" + database;
}

std::string PostgresServer::execute(const std::string& statements, const std::string& database) const {
  const Folder folder;
  const fs::path file = folder.write("statements.sql", statements);
  const ProgramResult result =
      run_shell("'" + (program_folder() / "psql").string() + "' -X -q -A -t -v ON_ERROR_STOP=1 -h '" +
                    folder_.string() + "' -p " + std::to_string(port_) + " -U acuity -d '" + database +
                    "' -f '" + file.string() + "'",
                "/");
  require(result.exit_code == 0, "psql: " + result.err);
  return result.out;
}

std::string PostgresServer::log() const {
  return text_of(folder_ / "log");
}

}  // namespace acuity::testing
