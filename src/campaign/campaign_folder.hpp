#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "acuity/campaign/event.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// A study file as a campaign keeps it: its text with the paths of the copies, and the files to copy.
struct FrozenStudy {
  struct Copy {
    std::filesystem::path from;
    std::string name;
  };
  std::string text;
  std::string pool_file;   ///< the name of the pool's copy
  std::string pool_table;  ///< the content of that file, if there is none to copy
  std::vector<Copy> copies;
};

/// Throws InputError if the study has no text to keep.
FrozenStudy freeze(const Study& study);

/// The beginning of the log of a campaign that keeps this study. `pool` is the copy of the pool; throws
/// InputError where it is a pool file that is damaged.
Created created_with(const StudyFile& study, const FrozenStudy& frozen, const std::filesystem::path& pool);

/// Throws DifferentStudyError with the difference where the folder's copies are not those of the log.
void require_unchanged(const std::filesystem::path& folder, const Created& created);
/// The same for another study file, which may be that of the campaign.
void require_same(const std::filesystem::path& folder, const Created& created,
                  const std::filesystem::path& study);

/// Throws InputError where a file of the campaign is a pipe or a device, which might be waited for without
/// end.
void require_no_pipes(const std::filesystem::path& folder);

/// Throws InputError where somebody else can change what stands in the folder: it, its study, its log or its
/// runs belong to another user who is not root, or may be written to by others. Before commands are run that
/// stand in it.
void require_trusted(const std::filesystem::path& folder);

/// Makes a folder of this name by filling another one beside it, which is then renamed: it appears whole or
/// not at all. `fill` is called with the folder to fill. With `for_owner_only` nobody else may enter it.
void make_folder(const std::filesystem::path& folder, bool for_owner_only,
                 const std::function<void(const std::filesystem::path&)>& fill);

}  // namespace acuity
