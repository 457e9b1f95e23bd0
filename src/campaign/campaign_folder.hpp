#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "acuity/campaign/event.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// A study file as a campaign keeps it: its text, with paths of the copies, and the files to copy.
struct FrozenStudy {
  struct Copy {
    std::filesystem::path from;
    std::string name;
  };
  std::string text;
  std::string pool_file;  ///< the name of the pool's copy
  std::vector<Copy> copies;
  /// Files that are written because there is none to copy, by name: the pool, the goal.
  std::map<std::string, std::string> tables;
};

/// Throws InputError if the study has no text to keep.
FrozenStudy freeze(const Study& study);

/// The first event of a campaign that keeps this study. `pool` is the copy of the pool; throws InputError if
/// it is a damaged pool file.
Created created_with(const StudyFile& study, const FrozenStudy& frozen, const std::filesystem::path& pool);

/// Throws DifferentStudyError with the difference if the copies in the folder are not those recorded in the
/// log.
void require_unchanged(const std::filesystem::path& folder, const Created& created);
/// Throws DifferentStudyError if `study`, another study file, differs from that of the campaign.
void require_same(const std::filesystem::path& folder, const Created& created,
                  const std::filesystem::path& study);

/// The same for a study that is open or was made from values; its tables are compared, too.
void require_same(const std::filesystem::path& folder, const Created& created, const Study& study);

/// Throws InputError if a file of the campaign is a pipe or a device, because reading it might block for
/// ever.
void require_no_pipes(const std::filesystem::path& folder);

/// Throws InputError if another user can change the content of the folder: the folder, its study, its log or
/// its runs belong to another user (except root) or are writable by others. To be called before commands of
/// the study are run.
void require_trusted(const std::filesystem::path& folder);

/// Creates a folder by filling a temporary one beside it, which is then renamed, so that it appears
/// completely or not at all. `fill` is called with the folder to fill. With `for_owner_only` other users have
/// no access.
void make_folder(const std::filesystem::path& folder, bool for_owner_only,
                 const std::function<void(const std::filesystem::path&)>& fill);

}  // namespace acuity
