#pragma once

#include <filesystem>

namespace acuity {

/// A folder that is being filled beside the name it will have, and that a crash may leave behind.
///
/// Its name is random and only its maker may enter it. A mark in it says which process makes it, and is
/// locked as long as that process lives: this tells what a crash has left from a folder that is still being
/// filled, and from a folder of somebody else with a similar name.
class UnfinishedFolder {
 public:
  /// `folder` is the name it will have. Throws InputError if it cannot be made.
  explicit UnfinishedFolder(const std::filesystem::path& folder);
  /// Removed with all that is in it unless it was published.
  ~UnfinishedFolder();
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Gives it its name, on the disk as well. With `for_owner_only` nobody else may enter it, otherwise it has
  /// the rights of any new folder. Throws InputError where the name is taken.
  void publish(bool for_owner_only);

 private:
  struct Unmade {};
  UnfinishedFolder(const std::filesystem::path& folder, Unmade) : folder_(folder) {}
  void make();
  void mark();

  std::filesystem::path folder_, path_;  // path_ is empty: nothing is to be removed
  int mark_ = -1;
};

/// Removes folders that were to become this one and whose maker is gone: those with a mark that this user
/// has written on this machine, which is not locked, and whose process has ended. Nothing else is touched.
void remove_abandoned(const std::filesystem::path& folder);

/// Removes the mark in a folder that was published just before a crash.
void remove_mark(const std::filesystem::path& folder);

}  // namespace acuity
