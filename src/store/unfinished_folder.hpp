#pragma once

#include <filesystem>
#include <functional>

namespace acuity {

/// A temporary folder that is filled and then renamed to its final name; a crash may leave it behind.
///
/// Its name is random and only its creator has access. A mark file in it names the process that fills it, and
/// is locked while that process is running. The mark distinguishes a folder left by a crash from one that is
/// still being filled, and from an unrelated folder with a similar name.
class UnfinishedFolder {
 public:
  /// `folder` is the final name. Throws InputError if the temporary folder cannot be created.
  explicit UnfinishedFolder(const std::filesystem::path& folder);
  /// Removes the folder with its content unless it was published.
  ~UnfinishedFolder();
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Renames it to its final name, durably. With `for_owner_only` other users have no access, otherwise it
  /// has the permissions of a new folder. Throws InputError if the name exists.
  void publish(bool for_owner_only);

 private:
  struct Unmade {};
  UnfinishedFolder(const std::filesystem::path& folder, Unmade) : folder_(folder) {}
  void make();
  void mark();

  std::filesystem::path folder_, path_;  // empty path_: nothing to remove
  int mark_ = -1;
};

/// Removes temporary folders for this one whose process has ended: those with a mark that was written by this
/// user on this machine and is not locked. Touches nothing else.
void remove_abandoned(const std::filesystem::path& folder);

/// Removes the mark from a folder that was published just before a crash.
void remove_mark(const std::filesystem::path& folder);

/// Creates a folder by filling a temporary one beside it, which is then renamed, so that it appears
/// completely or not at all. `fill` is called with the folder to fill. With `for_owner_only` other users have
/// no access.
void make_folder(const std::filesystem::path& folder, bool for_owner_only,
                 const std::function<void(const std::filesystem::path&)>& fill);

}  // namespace acuity
