#include "campaign/campaign_folder.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "acuity/data/pool_file.hpp"
#include "acuity/data/table.hpp"
#include "base/byte_text.hpp"
#include "base/checksum.hpp"
#include "campaign/study_change.hpp"
#include "data/mapped_file.hpp"
#include "settings/rewrite_texts.hpp"
#include "store/crash_point.hpp"
#include "store/unfinished_folder.hpp"
#include "study/drawn_pool.hpp"
#include "study/people_texts.hpp"
#include "study/pool_table.hpp"
#include "text/json.hpp"

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
    blocks.push_back(base::checksum(block_text(lines, from)));
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
  while (part + 1 < parts && base::checksum(block_text(lines, part * each)) == created.pool_blocks[part])
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

// A table that is copied: as it is if it has commas, otherwise rewritten, so that it is read later as it was
// read now, whatever dialect was recognised or given.
void add_table(const StudyFile& study, const fs::path& from, const std::string& name, FrozenStudy& frozen) {
  std::optional<std::string> plain;
  if (fs::is_regular_file(from))
    plain = plain_csv(read_regular_file(from), from.string(), {.dialect = study.tables.dialect});
  if (plain)
    frozen.tables[name] = *std::move(plain);
  else
    frozen.copies.push_back({from, name});
}

// `pool_copy` is the name of the pool's copy; paths in the text become the names of the copies.
FrozenStudy freeze_files(const StudyFile& study, const std::string& pool_copy) {
  FrozenStudy frozen{.text = study.text, .pool_file = pool_copy, .copies = {}, .tables = {}};
  std::map<std::string, std::string> paths{{"pool.file", pool_copy}};
  if (!study.initial.file.empty()) {
    paths["campaign.initial.file"] = "initial.csv";
    add_table(study, study.initial.file, "initial.csv", frozen);
  }
  if (study.goal && !study.goal->file.empty()) {
    paths["goal.file"] = "goal.csv";
    add_table(study, study.goal->file, "goal.csv", frozen);
  }
  if (!study.people.gold.empty()) {
    paths["people.gold"] = "gold.csv";
    add_table(study, study.people.gold, "gold.csv", frozen);
  }
  if (study.annotator.kind == AnnotatorSetting::Kind::truth) {
    paths["annotator.truth"] = "truth.csv";
    add_table(study, study.annotator.truth, "truth.csv", frozen);
  }
  // The text itself, so that the log has every version of it. Strings of JSON are strings of TOML.
  if (const std::string text = people_instructions(study.text, study.path.parent_path()); !text.empty()) {
    const std::string quoted = json_text(Json(text));
    paths["people.instructions"] = quoted.substr(1, quoted.size() - 2);
  }
  frozen.text = rewrite_texts(frozen.text, paths);
  return frozen;
}

// The points are kept beside the keys by which they were drawn, so that more of the same can be drawn later.
FrozenStudy freeze_drawn(const StudyFile& study, const Pool& pool) {
  FrozenStudy frozen = freeze_files(study, "pool.csv");
  frozen.tables["pool.csv"] = write_points(pool);
  frozen.text = with_drawn_pool(frozen.text, "pool.csv", study.drawing->seed);
  return frozen;
}

}  // namespace

FrozenStudy freeze_study_file(const StudyFile& study) {
  if (study.pool_file.empty()) return freeze_drawn(study, draw_pool(study));
  const bool is_binary = PoolFile::recognises(study.pool_file);
  FrozenStudy frozen = freeze_files(study, is_binary ? "pool.pool" : "pool.csv");
  if (is_binary)
    frozen.copies.push_back({study.pool_file, frozen.pool_file});
  else
    add_table(study, study.pool_file, frozen.pool_file, frozen);
  if (study.drawing) frozen.text = with_drawn_pool(frozen.text, frozen.pool_file, study.drawing->seed);
  return frozen;
}

std::vector<std::string> pool_blocks(const std::string& pool) {
  return blocks_of(lines_of(pool));
}

std::string next_copy(const std::string& name) {
  return name + ".next";
}

FrozenStudy freeze(const Study& study) {
  const StudyFile& file = study.file();
  if (file.text.empty())
    file.complain("the settings have no text, must be read by read_study_text() for a campaign in a folder");
  const bool has_values_only = file.pool_file.empty() && !file.drawing;
  FrozenStudy frozen = has_values_only          ? freeze_files(file, "pool.csv")
                       : file.pool_file.empty() ? freeze_drawn(file, study.pool())
                                                : freeze_study_file(file);
  const auto* column = std::get_if<NoiseColumn>(&file.noise);
  std::string noise = column == nullptr ? "" : column->name;
  if (has_values_only) {
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

StudyFile read_frozen_study(const fs::path& folder) {
  StudyFile file = read_study_file(folder / "study.toml");
  file.is_frozen = true;
  return file;
}

Created created_with(const StudyFile& study, const FrozenStudy& frozen, const fs::path& pool) {
  // From now on only the copy is used, so the copy is checked.
  if (PoolFile::recognises(pool)) PoolFile::open(pool, study.pool_file.string()).verify();
  const std::string text = frozen.pool_file == "pool.csv" ? read_regular_file(pool) : "";
  Created created{.version = ACUITY_VERSION,
                  .name = study.name,
                  .unit = study.unit,
                  .study_checksum = base::checksum(frozen.text),
                  .pool_checksum = text.empty() ? base::checksum(MappedFile(pool).bytes())  // may be large
                                                : base::checksum(text),
                  .budget = study.budget.value_or(std::numeric_limits<double>::infinity()),
                  .study = frozen.text,
                  .study_folder = study.folder().lexically_normal().string(),
                  .pool_file = frozen.pool_file,
                  .pool_blocks = {}};
  if (frozen.pool_file == "pool.csv") created.pool_blocks = blocks_of(lines_of(text));
  return created;
}

FrozenFiles frozen_files(const fs::path& folder, const State& state, bool finish) {
  const Created& created = state.created();
  FrozenFiles files;
  // Empty if neither the copy nor the one beside it is that of the log.
  const auto find = [&](const std::string& name, const std::string& recorded) -> fs::path {
    const fs::path copy = folder / name, next = folder / next_copy(name);
    const auto fits = [&](const fs::path& file) {
      if (!fs::exists(file)) return false;
      // A pool may be larger than the memory.
      return base::checksum(MappedFile(file).bytes()) == recorded;
    };
    if (fits(copy)) return copy;
    if (state.changes().empty() || !fits(next)) return {};
    std::error_code failed;
    if (finish) fs::rename(next, copy, failed);
    crash_point();
    return fits(copy) ? copy : next;  // another process may have renamed it
  };
  const auto must_exist = [&](const std::string& name) {
    if (!fs::exists(folder / name))
      throw DifferentStudyError(fmt::format(
          "{}: it does not exist, must be the copy the campaign was created with", (folder / name).string()));
  };
  files.study = find("study.toml", created.study_checksum);
  if (files.study.empty()) {
    must_exist("study.toml");
    throw DifferentStudyError(
        study_difference(folder / "study.toml", created.study, read_regular_file(folder / "study.toml")));
  }
  files.pool = find(created.pool_file, created.pool_checksum);
  if (files.pool.empty()) {
    must_exist(created.pool_file);
    throw DifferentStudyError(
        pool_difference(folder / created.pool_file, created, read_regular_file(folder / created.pool_file)));
  }
  for (const auto& [name, recorded] : state.tables()) {
    files.tables[name] = find(name, recorded);
    if (!files.tables[name].empty()) continue;
    must_exist(name);
    throw DifferentStudyError(
        fmt::format("{}: it is not the table of the last change", (folder / name).string()));
  }
  return files;
}

FrozenFiles frozen_files_of(const Job& job, const fs::path& folder, const State& state, bool finish) {
  FrozenFiles files;
  const std::string found = job.from_leader([&] {
    files = frozen_files(folder, state, finish);
    base::ByteWriter bytes;
    bytes.put(files.study.string());
    bytes.put(files.pool.string());
    for (const auto& [name, path] : files.tables) {
      bytes.put(name);
      bytes.put(path.string());
    }
    return bytes.text();
  });
  if (job.leads()) return files;
  base::ByteReader bytes(found);
  files.study = bytes.text();
  files.pool = bytes.text();
  while (!bytes.at_end()) {
    const std::string name = bytes.text();
    files.tables[name] = bytes.text();
  }
  return files;
}

Study open_frozen_study(const FrozenFiles& files, const CsvReading& tables, const Job& job) {
  StudyFile settings;
  job.together([&] { settings = read_study_file(files.study); });
  settings.is_frozen = true;
  settings.tables = tables;
  settings.pool_file = files.pool;
  const auto table = [&](const char* name, fs::path& path) {
    if (const auto found = files.tables.find(name); found != files.tables.end()) path = found->second;
  };
  if (settings.goal && !settings.goal->file.empty()) table("goal.csv", settings.goal->file);
  if (!settings.people.gold.empty()) table("gold.csv", settings.people.gold);
  if (settings.annotator.kind == AnnotatorSetting::Kind::truth) table("truth.csv", settings.annotator.truth);
  return Study::open(std::move(settings), SharedPool(job));
}

void require_same(const Campaign& campaign, const fs::path& study, const CsvReading& tables) {
  std::error_code none;
  if (fs::equivalent(study, campaign.copies() / "study.toml", none)) return;
  const StudyComparison comparison =
      compare_study(study, campaign.copies(), campaign.study(), campaign.state(), tables);
  if (comparison.differences.empty()) return;
  const std::size_t more = comparison.differences.size() - 1;
  throw DifferentStudyError(fmt::format(
      "{}: it differs from the study of the campaign, {}{}; to apply it: acuity change {} --study {}",
      study.string(), to_text(comparison.differences.front()),
      more == 0 ? "" : fmt::format(" (and {} more)", more), campaign.address().argument(), study.string()));
}

void require_same(const Campaign& campaign, const Study& study) {
  const Created& created = campaign.state().created();
  const fs::path& folder = campaign.copies();
  const FrozenStudy frozen = freeze(study);
  const std::string given = campaign.address().text() + ": the study given";
  if (frozen.text != created.study)
    throw DifferentStudyError(study_difference(given, created.study, frozen.text));
  const auto text_of = [&](const std::string& name) -> std::optional<std::string> {
    if (const auto table = frozen.tables.find(name); table != frozen.tables.end()) return table->second;
    for (const FrozenStudy::Copy& copy : frozen.copies)
      if (copy.name == name) return read_regular_file(copy.from);
    return std::nullopt;
  };
  const std::string pool = text_of(created.pool_file).value_or("");
  if (base::checksum(pool) != created.pool_checksum)
    throw DifferentStudyError(pool_difference(campaign.address().text() + ": the pool given", created, pool));
  for (const char* name : {"goal.csv", "gold.csv", "initial.csv", "truth.csv"})
    if (const std::optional<std::string> table = text_of(name);
        table && fs::exists(folder / name) && *table != read_regular_file(folder / name))
      throw DifferentStudyError(
          fmt::format("{}: it differs from the one given, must be as when the campaign was created",
                      (folder / name).string()));
}

void require_no_pipes(const fs::path& folder) {
  for (const char* name :
       {"events.sqlite", "events.sqlite-wal", "events.sqlite-shm", "events.sqlite-journal"})
    require_no_pipe(folder / name);
  for (const char* name : names_of_copies) {
    require_no_pipe(folder / name);
    require_no_pipe(folder / next_copy(name));
  }
}

void require_trusted(const fs::path& folder) {
  require_trusted(folder, folder);
  struct stat found{};
  const bool others_may_enter =
      ::stat(folder.c_str(), &found) == 0 && (found.st_mode & (S_IXGRP | S_IXOTH)) != 0;
  if (!others_may_enter) return;
  for (const char* name : {"study.toml", "events.sqlite", "runs"}) require_trusted(folder, folder / name);
}

}  // namespace acuity
