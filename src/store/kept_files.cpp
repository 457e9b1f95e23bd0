#include "store/kept_files.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "base/checksum.hpp"
#include "data/file_writer.hpp"
#include "store/crash_point.hpp"
#include "store/unfinished_folder.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

using FileList = std::map<std::string, std::string>;  // checksums by name

// Lines like those of sha256sum: "xxh3:0123456789abcdef  pool.csv".
std::string list_text(const FileList& list) {
  std::string text;
  for (const auto& [name, checksum] : list) text += checksum + "  " + name + "\n";
  return text;
}

FileList read_list(const std::string& text, const std::string& where) {
  FileList list;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t gap = line.find("  ");
    const std::string name = gap == std::string::npos ? "" : line.substr(gap + 2);
    if (name.empty() || name.starts_with(".") || name.find('/') != std::string::npos)
      throw DamagedError(fmt::format("{}: {} has \"{}\", must be lines of a checksum and the name of a file",
                                     where, list_of_kept_files, printable(line, 60)));
    list[name] = line.substr(0, gap);
  }
  return list;
}

bool is_whole(const fs::path& folder, const FileList& list) {
  for (const auto& [name, checksum] : list) {
    std::error_code none;
    if (!fs::is_regular_file(folder / name, none) ||
        base::checksum(read_regular_file(folder / name)) != checksum)
      return false;
  }
  return true;
}

// Throws DamagedError if the file in the store is not that of the list: it is damaged, or was replaced since
// the list was read.
void fetch_file(EventStore& store, const std::string& name, const std::string& checksum, const fs::path& to) {
  std::ofstream file(to, std::ios::binary);
  base::Checksum found;
  store.read_file(name, [&](std::string_view part) {
    found.take(part);
    file.write(part.data(), static_cast<std::streamsize>(part.size()));
  });
  file.close();
  if (!file)
    throw StoreError(fmt::format("{}: cannot be written, must be on a disk with room for it", to.string()));
  if (found.text() != checksum)
    throw DamagedError(fmt::format("{}: its file {} is damaged: its checksum is {}, must be {}", store.name(),
                                   name, found.text(), checksum));
  crash_point();
}

void fetch(EventStore& store, const std::string& text, const FileList& list, const fs::path& folder) {
  try {
    make_folder(folder, true, [&](const fs::path& aside) {
      for (const auto& [name, checksum] : list) fetch_file(store, name, checksum, aside / name);
      write_file(aside / list_of_kept_files, text);
    });
  } catch (const InputError& error) {
    if (!fs::exists(folder))
      throw StoreError(fmt::format(
          "{}; the study and the pool of {} are copied there, set XDG_CACHE_HOME for another folder",
          error.what(), store.name()));
  }
}

// Where the user keeps what programs can make again.
fs::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && cache[0] == '/')
    return fs::path(cache) / "acuity";
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/')
    return fs::path(home) / ".cache" / "acuity";
  const passwd* user = ::getpwuid(::geteuid());
  if (user == nullptr || user->pw_dir == nullptr || user->pw_dir[0] != '/')
    throw StoreError(
        "there is no home folder for copies of studies and pools, set XDG_CACHE_HOME to a folder");
  return fs::path(user->pw_dir) / ".cache" / "acuity";
}

// Renamed first, so that nobody opens a folder that is being removed.
void remove_damaged(const fs::path& folder) {
  const fs::path aside = folder.string() + ".damaged-" + std::to_string(::getpid());
  std::error_code ignored;
  fs::rename(folder, aside, ignored);
  fs::remove_all(aside, ignored);
}

}  // namespace

FilesByName with_list(FilesByName files, const fs::path& before) {
  FileList list;
  if (!before.empty())
    list = read_list(read_regular_file(before / list_of_kept_files), (before / list_of_kept_files).string());
  for (const auto& [name, content] : files) list[name] = base::checksum(content);
  files[list_of_kept_files] = list_text(list);
  return files;
}

std::vector<std::string> damaged_files(EventStore& store) {
  std::vector<std::string> damaged;
  for (const auto& [name, checksum] : read_list(store.file(list_of_kept_files), store.name())) {
    base::Checksum found;
    try {
      store.read_file(name, [&](std::string_view part) { found.take(part); });
    } catch (const StoreError&) {  // there is none
    }
    if (found.text() != checksum) damaged.push_back(name);
  }
  return damaged;
}

fs::path make_folder_of_local_copies() {
  const fs::path all = cache_folder();
  std::error_code failed;
  fs::create_directories(all, failed);
  if (failed)
    throw StoreError(
        fmt::format("{}: cannot be created ({}); studies and pools are copied there, set XDG_CACHE_HOME for "
                    "another folder",
                    all.string(), failed.message()));
  return all;
}

FilesByName files_in(const fs::path& folder) {
  FilesByName files;
  for (const char* name : names_of_copies)
    if (fs::is_regular_file(folder / name)) files[name] = read_regular_file(folder / name);
  return files;
}

fs::path local_copies(EventStore& store) {
  const fs::path all = make_folder_of_local_copies();
  for (int attempt = 0;; ++attempt) {
    const std::string text = store.file(list_of_kept_files);
    const FileList list = read_list(text, store.name());
    std::string name = base::checksum(text);
    name.replace(name.find(':'), 1, "-");
    const fs::path folder = all / name;
    try {
      if (!fs::exists(folder)) fetch(store, text, list, folder);
      if (is_whole(folder, list)) return folder;
      remove_damaged(folder);
    } catch (const StoreError&) {  // damage, or a change of the study has replaced it meanwhile
      if (attempt >= 2 && store.file(list_of_kept_files) == text) throw;
    }
    if (attempt == 5)
      throw StoreError(
          fmt::format("{}: the copies of study and pool there are changed by others", folder.string()));
  }
}

}  // namespace acuity
