#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace acuity {

struct HostLeaseOptions {
  double seconds = 180.0;  ///< after its last sign of life a lease may be taken by another host
  double renewal = 20.0;   ///< seconds between signs of life
  double patience = 10.0;  ///< seconds to wait while another process takes the lease
  /// Processes with the same identity see each other's file locks. Empty: this boot of this machine, and the
  /// mount that contains the folder.
  std::string identity = {};
};

/// Who has the lease of a folder.
struct HostLeaseHolder {
  std::string identity, host, token;
  std::int64_t process = 0;
  double age = 0.0;  ///< seconds since the last sign of life, by the clock of the file system
};

/// The right to write to a campaign on a network file system, whose locks do not reach other hosts. It is a
/// file in the folder, created by link(2), which is atomic there, too. All processes of one host share it;
/// while one of them lives, a thread renews it, and other hosts are refused.
///
/// A process that is suspended between the check and its write for longer than the lease can still write
/// after another host has taken over: a file system without locks cannot prevent that.
class HostLease {
 public:
  /// Throws OwnedError if another host has the lease, StoreError if the folder cannot be written.
  static std::unique_ptr<HostLease> acquire(const std::filesystem::path& folder,
                                            HostLeaseOptions options = {});
  /// The other host that was the last one to have the lease, valid or not; empty if it was this one. Readers
  /// must not use the files that SQLite shares between processes of that host.
  static std::optional<HostLeaseHolder> other_host(const std::filesystem::path& folder,
                                                   HostLeaseOptions options = {});
  ~HostLease();
  HostLease(const HostLease&) = delete;
  HostLease& operator=(const HostLease&) = delete;

  /// To be called in every write transaction. Throws OwnedError if the lease has been lost: the log may have
  /// been changed by another host since, and must be opened again.
  void require_held();
  /// As of the last renewal.
  bool is_held() const;

 private:
  struct Renewal;
  explicit HostLease(std::unique_ptr<Renewal> renewal);
  std::unique_ptr<Renewal> renewal_;
};

}  // namespace acuity
