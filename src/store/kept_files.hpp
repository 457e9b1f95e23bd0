#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "acuity/store/open_event_store.hpp"

namespace acuity {

// The files of a campaign whose store keeps them (EventStore::keeps_files): study, pool and tables. They are
// read from local copies. Beside them the store keeps a list of their checksums, by which copies are found
// and checked.

/// The copies that a campaign may have.
inline constexpr std::array names_of_copies{"study.toml", "pool.csv",  "pool.pool", "initial.csv",
                                            "goal.csv",   "truth.csv", "gold.csv"};

/// The name of the list.
inline constexpr const char* list_of_kept_files = "checksums.txt";

/// The files to put into a store: those given, by name, and the list of all. Other files that the store has
/// stay: `before` is the folder of their local copies, empty for a new campaign.
FilesByName with_list(FilesByName files, const std::filesystem::path& before = {});

/// The folder with the local copies of the files as they are in the store now. They are copied if they are
/// not there yet, completely or not at all, and copied again if they were changed or damaged. Several
/// processes may do so at the same time. Throws DamagedError if a file in the store is damaged, StoreError if
/// no copy can be made here.
std::filesystem::path local_copies(EventStore& store);

/// The names of the files that are not what the list says, as they are in the store now.
std::vector<std::string> damaged_files(EventStore& store);

/// Where such folders are: $XDG_CACHE_HOME/acuity, or .cache/acuity in the home folder. Creates it.
std::filesystem::path make_folder_of_local_copies();

/// The study, the pool and the tables in a campaign's folder or in one of local copies.
FilesByName files_in(const std::filesystem::path& folder);

}  // namespace acuity
