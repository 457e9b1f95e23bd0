#include "campaign/campaign_folder.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "acuity/data/pool_file.hpp"
#include "acuity/data/table.hpp"
#include "acuity/numerics/errors.hpp"
#include "campaign/crash_point.hpp"
#include "campaign/unfinished_folder.hpp"
#include "numerics/checksum.hpp"
#include "study/pool_table.hpp"
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

std::size_t lines_per_block(std::size_t lines) {
  return std::max<std::size_t>(1, (lines + most_blocks - 1) / most_blocks);
}

std::string block_text(const std::vector<std::string_view>& lines, std::size_t from) {
  std::string text;
  for (std::size_t k = from; k < std::min(from + lines_per_block(lines.size()), lines.size()); ++k)
    text += lines[k];
  return text;
}

// Checksums of blocks of lines, by which a change can be found. The last entry is the number of lines.
std::vector<std::string> blocks_of(const std::vector<std::string_view>& lines) {
  std::vector<std::string> blocks;
  for (std::size_t from = 0; from < lines.size(); from += lines_per_block(lines.size()))
    blocks.push_back(numerics::checksum(block_text(lines, from)));
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
  if (line == now.size() && line == before.size())
    return fmt::format("{}: it is the text in the log, which does not match its checksum in the log",
                       file.string());
  if (line == now.size())
    return fmt::format(
        "{}: it ends after line {}, must continue with \"{}\" as when the campaign was created",
        file.string(), line, without_line_end(before[line]));
  if (line == before.size())
    return fmt::format("{}:{}: \"{}\" has been added, must be as when the campaign was created",
                       file.string(), line + 1, without_line_end(now[line]));
  return fmt::format("{}:{}: it is \"{}\", must be \"{}\" as when the campaign was created", file.string(),
                     line + 1, without_line_end(now[line]), without_line_end(before[line]));
}

std::string pool_difference(const fs::path& file, const Created& created, const std::string& is) {
  const std::vector<std::string_view> lines = lines_of(is);
  const std::vector<std::string> blocks = blocks_of(lines);
  if (created.pool_blocks.empty())
    return fmt::format("{}: it is not the pool the campaign was created with", file.string());
  if (blocks.back() != created.pool_blocks.back())
    return fmt::format("{}: it has {} lines, must have {} as when the campaign was created", file.string(),
                       blocks.back(), created.pool_blocks.back());
  if (blocks.size() != created.pool_blocks.size())
    return fmt::format("{}: it is not the pool the campaign was created with", file.string());
  const std::size_t parts = blocks.size() - 1, each = lines_per_block(lines.size());
  std::size_t part = 0;
  while (part + 1 < parts &&
         numerics::fits_checksum(block_text(lines, part * each), created.pool_blocks[part]))
    ++part;
  const std::size_t from = part * each + 1, to = std::min(lines.size(), (part + 1) * each);
  return fmt::format("{}:{}: {}, must be as when the campaign was created", file.string(), from,
                     to > from ? fmt::format("a line up to line {} was changed", to)
                               : fmt::format("it was changed to \"{}\"", without_line_end(lines[from - 1])));
}

std::string user_name(uid_t user) {
  const passwd* entry = ::getpwuid(user);
  return entry != nullptr ? fmt::format("user {}", entry->pw_name) : fmt::format("user {}", user);
}

// Checks only whether other users can change `path`, not whether they can read it.
void require_trusted(const fs::path& folder, const fs::path& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return;
  if (found.st_uid != ::geteuid() && found.st_uid != 0)
    throw InputError(fmt::format(
        "{}: it belongs to {}, must be yours for commands to be run from it; make a copy: cp -r {} NEW",
        path.string(), user_name(found.st_uid), folder.string()));
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw InputError(
        fmt::format("{}: it belongs to {} and others may write to it (mode {:04o}), must be writable by its "
                    "owner alone for "
                    "commands to be run from it: chmod -R go-w {}",
                    path.string(), user_name(found.st_uid), found.st_mode & 07777, folder.string()));
}

}  // namespace

namespace {

// `pool_copy` is the name of the pool's copy; paths in the text become the names of the copies.
FrozenStudy freeze_files(const StudyFile& study, const std::string& pool_copy) {
  FrozenStudy frozen{.text = study.text, .pool_file = pool_copy, .copies = {}, .tables = {}};
  std::map<std::string, std::string> paths{{"pool.file", pool_copy}};
  if (!study.initial.file.empty()) {
    paths["campaign.initial.file"] = "initial.csv";
    frozen.copies.push_back({study.initial.file, "initial.csv"});
  }
  if (study.goal && !study.goal->file.empty()) {
    paths["goal.file"] = "goal.csv";
    frozen.copies.push_back({study.goal->file, "goal.csv"});
  }
  if (study.annotator.kind == AnnotatorSetting::Kind::truth) {
    paths["annotator.truth"] = "truth.csv";
    frozen.copies.push_back({study.annotator.truth, "truth.csv"});
  }
  frozen.text = rewrite_texts(frozen.text, paths);
  return frozen;
}

FrozenStudy freeze_with_pool_file(const StudyFile& study) {
  FrozenStudy frozen = freeze_files(study, PoolFile::recognises(study.pool_file) ? "pool.pool" : "pool.csv");
  frozen.copies.push_back({study.pool_file, frozen.pool_file});
  return frozen;
}

}  // namespace

FrozenStudy freeze(const Study& study) {
  const StudyFile& file = study.file();
  if (file.text.empty())
    file.complain("the settings have no text, must be read by read_study_text() for a campaign in a folder");
  FrozenStudy frozen = file.pool_file.empty() ? freeze_files(file, "pool.csv") : freeze_with_pool_file(file);
  const auto* column = std::get_if<NoiseColumn>(&file.noise);
  std::string noise = column == nullptr ? "" : column->name;
  if (file.pool_file.empty()) {
    PoolTable table = write_pool_table(study);
    frozen.tables["pool.csv"] = std::move(table.csv);
    frozen.text = with_pool_keys(frozen.text, table.keys);
    noise = table.keys.noise;
  }
  if (study.given_goal() != nullptr) {
    std::erase_if(frozen.copies, [](const FrozenStudy::Copy& copy) { return copy.name == "goal.csv"; });
    frozen.tables["goal.csv"] = write_goal_table(study, *study.given_goal(), noise);
    frozen.text = with_goal_file(frozen.text, "goal.csv");
  }
  return frozen;
}

Created created_with(const StudyFile& study, const FrozenStudy& frozen, const fs::path& pool) {
  // From now on only the copy is used, so the copy is checked.
  if (PoolFile::recognises(pool)) PoolFile::open(pool, study.pool_file.string()).verify();
  const std::string bytes = read_regular_file(pool);
  Created created{.version = ACUITY_VERSION,
                  .name = study.name,
                  .unit = study.unit,
                  .study_checksum = numerics::checksum(frozen.text),
                  .pool_checksum = numerics::checksum(bytes),
                  .budget = study.budget.value_or(std::numeric_limits<double>::infinity()),
                  .study = frozen.text,
                  .study_folder = study.folder().lexically_normal().string(),
                  .pool_file = frozen.pool_file,
                  .pool_blocks = {}};
  if (frozen.pool_file == "pool.csv") created.pool_blocks = blocks_of(lines_of(bytes));
  return created;
}

void require_unchanged(const fs::path& folder, const Created& created) {
  for (const std::string& name : {std::string("study.toml"), created.pool_file})
    if (!fs::exists(folder / name))
      throw DifferentStudyError(fmt::format(
          "{}: it does not exist, must be the copy the campaign was created with", (folder / name).string()));
  const std::string study = read_regular_file(folder / "study.toml");
  if (!numerics::fits_checksum(study, created.study_checksum))
    throw DifferentStudyError(study_difference(folder / "study.toml", created.study, study));
  const std::string pool = read_regular_file(folder / created.pool_file);
  if (!numerics::fits_checksum(pool, created.pool_checksum))
    throw DifferentStudyError(pool_difference(folder / created.pool_file, created, pool));
}

void require_same(const fs::path& folder, const Created& created, const fs::path& study) {
  std::error_code none;
  if (fs::equivalent(study, folder / "study.toml", none)) return;
  const StudyFile file = read_study_file(study);
  const FrozenStudy frozen = freeze_with_pool_file(file);
  if (frozen.text != created.study)
    throw DifferentStudyError(study_difference(study, created.study, frozen.text));
  const std::string pool = read_regular_file(file.pool_file);
  if (!numerics::fits_checksum(pool, created.pool_checksum))
    throw DifferentStudyError(pool_difference(file.pool_file, created, pool));
}

void require_same(const fs::path& folder, const Created& created, const Study& study) {
  const FrozenStudy frozen = freeze(study);
  const std::string given = folder.string() + ": the study given";
  if (frozen.text != created.study)
    throw DifferentStudyError(study_difference(given, created.study, frozen.text));
  const auto text_of = [&](const std::string& name) -> std::optional<std::string> {
    if (const auto table = frozen.tables.find(name); table != frozen.tables.end()) return table->second;
    for (const FrozenStudy::Copy& copy : frozen.copies)
      if (copy.name == name) return read_regular_file(copy.from);
    return std::nullopt;
  };
  const std::string pool = text_of(created.pool_file).value_or("");
  if (!numerics::fits_checksum(pool, created.pool_checksum))
    throw DifferentStudyError(pool_difference(folder.string() + ": the pool given", created, pool));
  for (const char* name : {"goal.csv", "initial.csv", "truth.csv"})
    if (const std::optional<std::string> table = text_of(name);
        table && fs::exists(folder / name) && *table != read_regular_file(folder / name))
      throw DifferentStudyError(
          fmt::format("{}: it differs from the one given, must be as when the campaign was created",
                      (folder / name).string()));
}

void require_no_pipes(const fs::path& folder) {
  for (const char* name : {"events.sqlite", "events.sqlite-wal", "events.sqlite-shm", "events.sqlite-journal",
                           "study.toml", "pool.csv", "pool.pool", "initial.csv", "goal.csv", "truth.csv"})
    require_no_pipe(folder / name);
}

void require_trusted(const fs::path& folder) {
  require_trusted(folder, folder);
  struct stat found{};
  const bool others_may_enter =
      ::stat(folder.c_str(), &found) == 0 && (found.st_mode & (S_IXGRP | S_IXOTH)) != 0;
  if (!others_may_enter) return;
  for (const char* name : {"study.toml", "events.sqlite", "runs"}) require_trusted(folder, folder / name);
}

void make_folder(const fs::path& given, bool for_owner_only,
                 const std::function<void(const fs::path&)>& fill) {
  fs::path folder = given.lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // "wing.acuity/"
  if (fs::exists(fs::symlink_status(folder)))
    throw InputError(fmt::format("{}: it already exists, must be a new folder", folder.string()));
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  if (!fs::is_directory(parent))
    throw InputError(fmt::format("{}: the folder {} does not exist, must be created first", folder.string(),
                                 parent.string()));
  remove_abandoned(folder);
  UnfinishedFolder unfinished(folder);
  crash_point();
  fill(unfinished.path());
  unfinished.publish(for_owner_only);
}

}  // namespace acuity
