#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "acuity/base/job.hpp"
#include "acuity/campaign/state.hpp"
#include "acuity/study/study.hpp"
#include "store/kept_files.hpp"
#include "store/unfinished_folder.hpp"

namespace acuity {

class Campaign;

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
/// A study file whose goal is a file, and whose pool is one or is drawn.
FrozenStudy freeze_study_file(const StudyFile& study);

/// Checksums of blocks of lines of a pool, by which a change can be found.
std::vector<std::string> pool_blocks(const std::string& pool);

/// The study of a campaign's folder as it is there, for logs that are damaged.
StudyFile read_frozen_study(const std::filesystem::path& folder);

/// The first event of a campaign that keeps this study. `pool` is the copy of the pool; throws InputError if
/// it is a damaged pool file.
Created created_with(const StudyFile& study, const FrozenStudy& frozen, const std::filesystem::path& pool);

/// Where the frozen copies are. A change of the study writes its copies beside the old ones, with ".next" at
/// the end of their names, then the log, and then renames them: after a crash in between, the copies beside
/// are those of the log.
struct FrozenFiles {
  std::filesystem::path study, pool;
  std::map<std::string, std::filesystem::path> tables;  ///< goal and truth, if a change replaced them
};
/// Throws DifferentStudyError with the difference if the copies in the folder are not those recorded in the
/// log. With `finish` the renaming of an interrupted change is completed.
FrozenFiles frozen_files(const std::filesystem::path& folder, const State& state, bool finish);
/// What the leader of a job finds there; the other processes do not read the files.
FrozenFiles frozen_files_of(const Job& job, const std::filesystem::path& folder, const State& state,
                            bool finish);
/// Opens the frozen study. Its tables are the campaign's copies; others are read as `tables` says. The
/// processes of a job call this together.
Study open_frozen_study(const FrozenFiles& files, const CsvReading& tables = {}, const Job& job = {});

/// The name of a copy that is to replace `name`.
std::string next_copy(const std::string& name);

/// Throws DifferentStudyError if `study`, another study file, differs from that of the campaign. Its tables
/// are read as `tables` says.
void require_same(const Campaign& campaign, const std::filesystem::path& study,
                  const CsvReading& tables = {});

/// The same for a study that is open or was made from values; its tables are compared, too.
void require_same(const Campaign& campaign, const Study& study);

/// Throws InputError if a file of the campaign is a pipe or a device, because reading it might block for
/// ever.
void require_no_pipes(const std::filesystem::path& folder);

/// Throws InputError if another user can change the content of the folder: the folder, its study, its log or
/// its runs belong to another user (except root) or are writable by others. To be called before commands of
/// the study are run.
void require_trusted(const std::filesystem::path& folder);

}  // namespace acuity
