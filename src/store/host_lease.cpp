#include "store/host_lease.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>

#include "acuity/base/errors.hpp"
#include "store/file_system.hpp"
#include "text/duration.hpp"
#include "text/json.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;
using LeaseClock = std::chrono::steady_clock;

constexpr double longest_take_over = 60.0;  // seconds after which a process that was taking the lease is dead

class LeaseFile {
 public:
  LeaseFile(const fs::path& file, int flags) : descriptor_(::open(file.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~LeaseFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  LeaseFile(const LeaseFile&) = delete;
  LeaseFile& operator=(const LeaseFile&) = delete;

  explicit operator bool() const { return descriptor_ >= 0; }
  double modified() const {
    struct stat found{};
    if (::fstat(descriptor_, &found) != 0) return 0.0;
    return static_cast<double>(found.st_mtim.tv_sec) + 1e-9 * static_cast<double>(found.st_mtim.tv_nsec);
  }
  std::string content() const {
    std::string text(4096, '\0');
    const ssize_t count = ::pread(descriptor_, text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
  }
  // Writing, unlike setting the time, uses the clock of the file system.
  bool write(const std::string& text) const {
    return ::pwrite(descriptor_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
           ::fsync(descriptor_) == 0;
  }

 private:
  int descriptor_;
};

std::string name_of_host() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

// Two mounts of one folder have caches and locks of their own, even on one machine.
std::string identity_here(const fs::path& folder) {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  struct stat found{};
  ::stat(folder.c_str(), &found);
  return fmt::format("{} {}", boot, static_cast<std::uint64_t>(found.st_dev));
}

std::string new_token() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

std::string seconds_in_words(double seconds) {
  return in_words(std::max(0.0, std::ceil(seconds)));
}

// The lease of one folder: how it is read, taken and renewed.
class LeaseFolder {
 public:
  LeaseFolder(fs::path folder, HostLeaseOptions options)
      : folder_(std::move(folder)), options_(std::move(options)) {
    if (options_.identity.empty()) options_.identity = identity_here(folder_);
  }
  const HostLeaseOptions& options() const { return options_; }

  // Holder of the lease, also if it has ended. Without a file, or if it is not readable: nothing.
  std::optional<HostLeaseHolder> holder(double file_system_now) const {
    const LeaseFile file(lease(), O_RDONLY);
    if (!file) return std::nullopt;
    const double modified = file.modified();
    const auto fields = sorted_json_in(file.content());
    HostLeaseHolder found;
    found.age = file_system_now - modified;
    if (fields.is_object()) {
      found.identity = fields.value("identity", "");
      found.host = fields.value("host", "");
      found.token = fields.value("token", "");
      found.process = fields.value("process", std::int64_t{0});
    }
    return found;
  }
  bool is_valid(const HostLeaseHolder& holder) const { return holder.age < options_.seconds; }
  bool is_here(const HostLeaseHolder& holder) const { return holder.identity == options_.identity; }

  // A new file of this process, which can be linked to a name. Its time is the clock of the file system.
  class Draft {
   public:
    Draft(const LeaseFolder& owner, const std::string& token)
        : path_(owner.folder_ / fmt::format(".writer.{}", token)) {
      const LeaseFile file(path_, O_RDWR | O_CREAT | O_EXCL);
      const std::string text = sorted_json_text({{"identity", owner.options_.identity},
                                                 {"host", name_of_host()},
                                                 {"process", ::getpid()},
                                                 {"token", token}}) +
                               "\n";
      if (!file || !file.write(text)) {
        const int error = errno;
        ::unlink(path_.c_str());
        throw StoreError(
            fmt::format("{}: no file can be written there ({}), which a campaign on a network "
                        "file system needs; nothing was changed",
                        owner.folder_.string(), std::generic_category().message(error)));
      }
      now_ = file.modified();
    }
    ~Draft() { ::unlink(path_.c_str()); }
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;

    double now() const { return now_; }
    // False if the name exists already.
    bool link_as(const fs::path& name) const {
      if (::link(path_.c_str(), name.c_str()) == 0) return true;
      const int error = errno;
      // The reply to a link that was made may be lost: two names are the proof.
      struct stat found{};
      if (::stat(path_.c_str(), &found) == 0 && found.st_nlink == 2) return true;
      if (error == EEXIST) return false;
      throw StoreError(fmt::format(
          "{}: no hard link can be made there ({}), which a campaign on a network file system "
          "needs; keep it on a local disk, or in PostgreSQL (docs/clusters.md); nothing was changed",
          name.parent_path().string(), std::generic_category().message(error)));
    }

   private:
    fs::path path_;
    double now_ = 0.0;
  };

  // The token of the lease that processes of this host share.
  std::string take() const {
    const std::string token = new_token();
    const auto until = LeaseClock::now() + std::chrono::duration<double>(options_.patience);
    while (true) {
      const Draft draft(*this, token);
      const std::optional<HostLeaseHolder> found = holder(draft.now());
      if (found && is_valid(*found)) {
        if (!is_here(*found)) throw OwnedError(refusal(*found));
        if (renew(found->token)) return found->token;
      } else if (draft.link_as(lock())) {
        const bool taken = replace(draft);
        ::unlink(lock().c_str());
        if (taken) return token;
      } else {
        remove_dead_lock(draft.now(), token);
      }
      if (LeaseClock::now() > until)
        throw OwnedError(
            fmt::format("{}: another process has been taking the lease of this folder for {}; try again",
                        folder_.string(), seconds_in_words(options_.patience)));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  // False if the lease is another one, or has ended: then another host may be about to take it.
  bool renew(const std::string& token) const {
    const LeaseFile file(lease(), O_RDWR);
    if (!file) return false;
    const std::string text = file.content();
    const auto fields = sorted_json_in(text);
    return fields.is_object() && fields.value("token", "") == token && file.write(text);
  }

  std::string refusal(const HostLeaseHolder& holder) const {
    const std::string kind = network_file_system(folder_).value_or("shared");
    return fmt::format(
        "{}: it is on a network file system ({}), where one host at a time may write, and {} (process {}) "
        "had "
        "it open for writing {} ago; stop what runs there and try again in {}, or let several hosts "
        "share the campaign through PostgreSQL (acuity copy {} postgresql://HOST/DATABASE/NAME) or as "
        "jobs ([annotator] mode = \"submit\"), see docs/clusters.md",
        folder_.string(), kind, printable(holder.host, 100), holder.process, seconds_in_words(holder.age),
        seconds_in_words(options_.seconds - holder.age), folder_.string());
  }

 private:
  fs::path lease() const { return folder_ / "writer.lease"; }
  fs::path lock() const { return folder_ / "writer.lease.lock"; }

  // While this process has the lock. False if another one was faster.
  bool replace(const Draft& draft) const {
    if (const std::optional<HostLeaseHolder> found = holder(draft.now())) {
      if (is_valid(*found)) return false;
      ::unlink(lease().c_str());
    }
    // SQLite's index of the write-ahead log is in memory that other hosts do not share: what is left of it
    // may be older than the log. It is made again from the log.
    ::unlink((folder_ / "events.sqlite-shm").c_str());
    return draft.link_as(lease());
  }

  // Of a process that died while it was taking the lease. It is moved aside first, which only one process
  // can do with the same file.
  void remove_dead_lock(double file_system_now, const std::string& token) const {
    {
      const LeaseFile file(lock(), O_RDONLY);
      if (!file || file_system_now - file.modified() < longest_take_over) return;
    }
    const fs::path aside = folder_ / fmt::format(".writer.lock.{}", token);
    if (::rename(lock().c_str(), aside.c_str()) == 0) ::unlink(aside.c_str());
  }

  fs::path folder_;
  HostLeaseOptions options_;
};

}  // namespace

struct HostLease::Renewal {
  LeaseFolder folder;
  fs::path path;
  std::string token;
  std::mutex mutex;
  std::condition_variable condition;
  bool stopping = false, lost = false;
  LeaseClock::time_point renewed = LeaseClock::now();
  pid_t process = ::getpid();
  std::thread thread;

  Renewal(LeaseFolder f, fs::path p) : folder(std::move(f)), path(std::move(p)), token(folder.take()) {}

  double since_renewal() const { return std::chrono::duration<double>(LeaseClock::now() - renewed).count(); }

  // With the mutex held. A lease that was not renewed in time counts as lost, without looking: what the file
  // system shows may be old.
  void renew() {
    if (lost || since_renewal() < folder.options().renewal) return;
    const auto now = LeaseClock::now();
    lost = since_renewal() > folder.options().seconds / 2.0 || !folder.renew(token);
    if (!lost) renewed = now;
  }

  void run() {
    std::unique_lock lock(mutex);
    while (!condition.wait_for(lock, std::chrono::duration<double>(folder.options().renewal),
                               [this] { return stopping; }))
      renew();
  }
};

std::unique_ptr<HostLease> HostLease::acquire(const fs::path& folder, HostLeaseOptions options) {
  auto renewal = std::make_unique<Renewal>(LeaseFolder(folder, std::move(options)), folder);
  // Signals are for the thread that waits for annotators.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  renewal->thread = std::thread([r = renewal.get()] { r->run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return std::unique_ptr<HostLease>(new HostLease(std::move(renewal)));
}

std::optional<HostLeaseHolder> HostLease::other_host(const fs::path& folder, HostLeaseOptions options) {
  const LeaseFolder lease(folder, std::move(options));
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const std::optional<HostLeaseHolder> found = lease.holder(now);
  return found && !lease.is_here(*found) ? found : std::nullopt;
}

HostLease::HostLease(std::unique_ptr<Renewal> renewal) : renewal_(std::move(renewal)) {}

HostLease::~HostLease() {
  if (renewal_->process != ::getpid()) {  // a thread does not survive fork(): there is nothing to join
    static_cast<void>(renewal_.release());
    return;
  }
  {
    const std::lock_guard lock(renewal_->mutex);
    renewal_->stopping = true;
  }
  renewal_->condition.notify_all();
  renewal_->thread.join();
}

bool HostLease::is_held() const {
  const std::lock_guard lock(renewal_->mutex);
  return !renewal_->lost && renewal_->since_renewal() < renewal_->folder.options().seconds / 2.0;
}

void HostLease::require_held() {
  const std::lock_guard lock(renewal_->mutex);
  renewal_->renew();
  if (!renewal_->lost) return;
  throw OwnedError(
      fmt::format("{}: this process did not renew its lease of the folder in time, so that another host may "
                  "have written to it; nothing was changed; run the command again",
                  renewal_->path.string()));
}

}  // namespace acuity
