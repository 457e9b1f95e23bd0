#include "campaign/campaign_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "acuity/data/pool_file.hpp"
#include "acuity/data/table.hpp"
#include "acuity/numerics/errors.hpp"
#include "campaign/crash_point.hpp"
#include "numerics/checksum.hpp"
#include "study/rewrite_texts.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_blocks = 256;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// Checksums of so many equal parts, by which a change can be found. The last says how many lines there were.
std::vector<std::string> blocks_of(const std::vector<std::string_view>& lines) {
  const std::size_t each = std::max<std::size_t>(1, (lines.size() + most_blocks - 1) / most_blocks);
  std::vector<std::string> blocks;
  for (std::size_t from = 0; from < lines.size(); from += each) {
    numerics::Checksum sum;
    for (std::size_t k = from; k < std::min(from + each, lines.size()); ++k) sum.take(lines[k]);
    blocks.push_back(sum.text());
  }
  blocks.push_back(std::to_string(lines.size()));
  return blocks;
}

std::string without_line_end(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return printable(line, 60);
}

std::string study_difference(const fs::path& file, const std::string& was, const std::string& is) {
  const std::vector<std::string_view> before = lines_of(was), now = lines_of(is);
  std::size_t line = 0;
  while (line < before.size() && line < now.size() && before[line] == now[line]) ++line;
  if (line == now.size())
    return fmt::format("{}: it ends after line {}, must go on with \"{}\" as when the campaign was made",
                       file.string(), line, without_line_end(before[line]));
  if (line == before.size())
    return fmt::format("{}:{}: \"{}\" has been added, must be as when the campaign was made", file.string(),
                       line + 1, without_line_end(now[line]));
  return fmt::format("{}:{}: it is \"{}\", must be \"{}\" as when the campaign was made", file.string(),
                     line + 1, without_line_end(now[line]), without_line_end(before[line]));
}

std::string pool_difference(const fs::path& file, const Created& created, const std::string& is) {
  const std::vector<std::string_view> lines = lines_of(is);
  const std::vector<std::string> blocks = blocks_of(lines);
  if (created.pool_blocks.empty())
    return fmt::format("{}: it is not the pool the campaign was made with", file.string());
  if (blocks.back() != created.pool_blocks.back())
    return fmt::format("{}: it has {} lines, must have {} as when the campaign was made", file.string(),
                       blocks.back(), created.pool_blocks.back());
  const std::size_t parts = blocks.size() - 1, each = (lines.size() + most_blocks - 1) / most_blocks;
  std::size_t part = 0;
  while (part + 1 < parts && blocks[part] == created.pool_blocks[part]) ++part;
  const std::size_t from = part * each + 1, to = std::min(lines.size(), (part + 1) * each);
  return fmt::format("{}:{}: {}, must be as when the campaign was made", file.string(), from,
                     to > from ? fmt::format("something up to line {} has changed", to)
                               : fmt::format("it has become \"{}\"", without_line_end(lines[from - 1])));
}

// On the disk, not only on its way there.
void sync(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const bool failed = ::fsync(file) != 0 && errno != EINVAL;
  ::close(file);
  if (failed)
    throw InputError(fmt::format("{}: cannot be written ({})", path.string(), std::strerror(errno)));
}

// Others that were begun beside it and whose process is gone: what a crash has left.
void remove_remains(const fs::path& folder, const std::string& prefix) {
  std::error_code ignored;
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(prefix)) continue;
    const int process = std::atoi(name.c_str() + prefix.size());
    if (process > 0 && ::kill(process, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

FrozenStudy freeze(const StudyFile& study) {
  const bool binary_pool = PoolFile::recognises(study.pool_file);
  FrozenStudy frozen{
      .text = read_file(study.path), .pool_file = binary_pool ? "pool.pool" : "pool.csv", .copies = {}};
  std::map<std::string, std::string> paths{{"pool.file", frozen.pool_file}};
  frozen.copies.push_back({study.pool_file, frozen.pool_file});
  if (!study.initial.file.empty()) {
    paths["campaign.initial.file"] = "initial.csv";
    frozen.copies.push_back({study.initial.file, "initial.csv"});
  }
  if (study.annotator.kind == AnnotatorSetting::Kind::truth) {
    paths["annotator.truth"] = "truth.csv";
    frozen.copies.push_back({study.annotator.truth, "truth.csv"});
  }
  frozen.text = rewrite_texts(frozen.text, paths);
  return frozen;
}

Created created_with(const StudyFile& study, const FrozenStudy& frozen, const fs::path& pool) {
  const std::string bytes = read_file(pool);
  Created created{.version = ACUITY_VERSION,
                  .name = study.name,
                  .unit = study.unit,
                  .study_checksum = numerics::checksum(frozen.text),
                  .pool_checksum = numerics::checksum(bytes),
                  .budget = study.budget.value_or(std::numeric_limits<double>::infinity()),
                  .study = frozen.text,
                  .study_folder = fs::absolute(study.path).parent_path().lexically_normal().string(),
                  .pool_file = frozen.pool_file,
                  .pool_blocks = {}};
  if (frozen.pool_file == "pool.csv") created.pool_blocks = blocks_of(lines_of(bytes));
  return created;
}

void require_unchanged(const fs::path& folder, const Created& created) {
  for (const std::string& name : {std::string("study.toml"), created.pool_file})
    if (!fs::exists(folder / name))
      throw DifferentStudyError(fmt::format(
          "{}: it is not there, must be the copy the campaign was made with", (folder / name).string()));
  const std::string study = read_file(folder / "study.toml");
  if (numerics::checksum(study) != created.study_checksum)
    throw DifferentStudyError(study_difference(folder / "study.toml", created.study, study));
  const std::string pool = read_file(folder / created.pool_file);
  if (numerics::checksum(pool) != created.pool_checksum)
    throw DifferentStudyError(pool_difference(folder / created.pool_file, created, pool));
}

void require_same(const fs::path& folder, const Created& created, const fs::path& study) {
  std::error_code none;
  if (fs::equivalent(study, folder / "study.toml", none)) return;
  const StudyFile file = read_study_file(study);
  const FrozenStudy frozen = freeze(file);
  if (frozen.text != created.study)
    throw DifferentStudyError(study_difference(study, created.study, frozen.text));
  const std::string pool = read_file(file.pool_file);
  if (numerics::checksum(pool) != created.pool_checksum)
    throw DifferentStudyError(pool_difference(file.pool_file, created, pool));
}

void make_folder(const fs::path& given, const std::function<void(const fs::path&)>& fill) {
  fs::path folder = given.lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // "wing.acuity/"
  if (fs::exists(fs::symlink_status(folder)))
    throw InputError(fmt::format("{}: it is there already, must be a new folder", folder.string()));
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  if (!fs::is_directory(parent))
    throw InputError(
        fmt::format("{}: the folder {} is not there, must be made first", folder.string(), parent.string()));
  const std::string prefix = folder.filename().string() + ".making-";
  remove_remains(folder, prefix);
  const fs::path aside = parent / (prefix + std::to_string(::getpid()));
  std::error_code failed;
  fs::create_directory(aside, failed);
  if (failed) throw InputError(fmt::format("{}: cannot be made ({})", folder.string(), failed.message()));
  try {
    crash_point();
    fill(aside);
    for (const fs::directory_entry& entry : fs::directory_iterator(aside))
      if (entry.is_regular_file()) sync(entry.path());
    sync(aside);
    crash_point();
    // Plain renaming would replace an empty folder somebody has made meanwhile, but not all file systems know
    // the other kind.
    int reason = 0;
    if (::renameat2(AT_FDCWD, aside.c_str(), AT_FDCWD, folder.c_str(), RENAME_NOREPLACE) != 0) reason = errno;
    if (reason == EINVAL || reason == ENOSYS)
      reason = ::rename(aside.c_str(), folder.c_str()) != 0 ? errno : 0;
    if (reason != 0) {
      throw InputError(reason == EEXIST
                           ? fmt::format("{}: it is there already, must be a new folder", folder.string())
                           : fmt::format("{}: cannot be made ({})", folder.string(), std::strerror(reason)));
    }
    crash_point();
    sync(parent);
  } catch (...) {
    fs::remove_all(aside, failed);
    throw;
  }
}

}  // namespace acuity
