#include "study/pool_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <type_traits>
#include <variant>

#include "acuity/base/errors.hpp"
#include "acuity/data/pool_file.hpp"
#include "data/csv_scanner.hpp"
#include "settings/input_settings.hpp"
#include "study/drawn_pool.hpp"
#include "study/study_cache.hpp"

namespace acuity {

namespace {

// A column is numeric if half of its cells are, so the scan stops when that is decided.
csv::ColumnCount count_numbers(const Table& table, Index column) {
  csv::ColumnCount count;
  for (Index row = 0; row < table.rows() && 2 * count.numbers <= table.rows(); ++row) {
    const bool number = table.parse_number(row, column).has_value();
    count.numbers += number ? 1 : 0;
    count.filled += number || !table.empty(row, column) ? 1 : 0;
  }
  return count;
}

std::vector<std::string> numeric_columns(const Table& table, const std::optional<std::string>& id) {
  std::vector<csv::ColumnCount> counts;
  for (std::size_t k = 0; k < table.columns().size(); ++k)
    counts.push_back(count_numbers(table, static_cast<Index>(k)));
  return csv::numeric_columns(table.columns(), counts, id, table.source(), "pool.inputs");
}

// Columns with a name that are neither inputs nor the id nor sigma^2(x), as text.
std::shared_ptr<const PoolTexts> read_texts(const StudyFile& study, const Table& table,
                                            const std::vector<std::string>& inputs) {
  auto texts = std::make_shared<PoolTexts>();
  const auto* noise = std::get_if<NoiseColumn>(&study.noise);
  for (std::size_t k = 0; k < table.columns().size(); ++k) {
    const std::string& name = table.columns()[k];
    if (name.empty() || name == study.pool_id || (noise != nullptr && name == noise->name) ||
        std::find(inputs.begin(), inputs.end(), name) != inputs.end())
      continue;
    const Index column = static_cast<Index>(k);
    const csv::ColumnCount count = count_numbers(table, column);
    texts->names.push_back(name);
    texts->is_numeric.push_back(2 * count.numbers > count.filled);
    std::string& text = texts->text.emplace_back();
    std::vector<std::uint64_t>& ends = texts->ends.emplace_back();
    ends.reserve(static_cast<std::size_t>(table.rows()));
    for (Index row = 0; row < table.rows(); ++row) {
      text += table.text(row, column);
      ends.push_back(text.size());
    }
  }
  return texts->names.empty() ? nullptr : texts;
}

// "1,500", "67,5 %": a number but for separators, blanks and signs.
bool looks_like_a_number(std::string text) {
  if (to_number(text)) return true;
  std::erase_if(text,
                [](char c) { return std::string_view(",' %\xC2\xA0").find(c) != std::string_view::npos; });
  return to_number(text).has_value();
}

// Columns that would be inputs if their numbers were written differently, judged by their first rows.
std::vector<std::string> remarks_on(const StudyFile& study, const Pool& pool) {
  constexpr Index most_rows = 10'000;
  std::vector<std::string> remarks;
  for (std::size_t k = 0; k < pool.text_columns().size() && !study.inputs; ++k) {
    Index filled = 0, alike = 0;
    std::optional<Index> first;
    for (Index row = 0; row < std::min(pool.size(), most_rows); ++row) {
      const std::string text(pool.text(row, k));
      if (text.empty()) continue;
      ++filled;
      alike += looks_like_a_number(text) ? 1 : 0;
      if (!first && looks_like_a_number(text) && !to_number(text)) first = row;
    }
    if (first && 2 * alike > filled)
      remarks.push_back(fmt::format(
          "column \"{}\" is no input because of cells such as \"{}\" ({}), which are no numbers; write them "
          "without separators of thousands and with a decimal point",
          pool.text_columns()[k], csv::shown(pool.text(*first, k)), pool.where(*first)));
  }
  return remarks;
}

Pool read_pool(const StudyFile& study, const Table& table, const PoolShard&) {
  if (table.rows() == 0)
    throw InputError(table.source() + ":1: the pool has no rows, must have at least one");
  std::optional<Index> id_column;
  if (study.pool_id) id_column = table.column(*study.pool_id, "pool.id");
  std::vector<std::string> names = study.inputs ? *study.inputs : numeric_columns(table, study.pool_id);
  std::vector<Input> inputs = study.input_settings;
  if (inputs.empty()) inputs.assign(names.begin(), names.end());
  Points points =
      read_input_columns(table, inputs, true, study.input_settings.empty() ? "pool.inputs" : "[[input]]");
  std::vector<std::string> ids;
  std::vector<std::int64_t> lines;
  for (Index row = 0; row < table.rows(); ++row) {
    lines.push_back(table.line(row));
    if (!id_column) continue;
    ids.push_back(table.text(row, *id_column));
    if (ids.back().empty()) table.complain(row, *id_column, "an id");
  }
  const std::shared_ptr<const PoolTexts> texts = read_texts(study, table, names);
  Pool pool = Pool(std::move(points), std::move(names), std::move(ids), table.source(), std::move(lines))
                  .described(std::move(inputs));
  pool.set_texts(texts);
  return pool;
}

// What this process checks and computes of a pool file.
PoolShard own_part(const SharedPool& shared, const PoolFile& file) {
  return shared.own_part(file.rows());
}

// Gives the same pool as a CSV file with the same columns. Ids of the file are used if the study names them.
Pool read_pool(const StudyFile& study, const PoolFile& file, const PoolShard& part) {
  if (study.pool_id && study.pool_id != file.id_column())
    throw InputError(fmt::format(
        "{}: column \"{}\" is missing, must be there for pool.id; {}", file.source(), *study.pool_id,
        file.id_column() ? "the ids of the file are those of \"" + *file.id_column() + '"'
                         : "the file has no ids (convert it with --id)"));
  for (const Input& input : study.input_settings)
    if (input.is_named())
      throw InputError(
          fmt::format("{}: pool files have numbers only, but input \"{}\" has names; the pool "
                      "must be a CSV file",
                      file.source(), input.name));
  Pool pool = file.pool(study.inputs ? *study.inputs : file.columns(), study.pool_id.has_value(), part);
  if (study.input_settings.empty()) return pool;
  for (std::size_t k = 0; k < study.input_settings.size(); ++k)
    for (Index row = part.first; study.input_settings[k].log && row < part.first + part.rows; ++row)
      if (!(pool.point(row)[k] > 0.0))
        file.complain(row, *file.find(pool.inputs()[k]), study.input_settings[k].requirement());
  return pool.described(study.input_settings);
}

// A table is read by every process as a whole.
PoolShard own_part(const SharedPool&, const Table& table) {
  return {.first = 0, .rows = table.rows(), .whole = table.rows()};
}

// What is read without asking other processes.
struct OwnPart {
  Pool pool;
  std::shared_ptr<const NoiseLaw> law;
  PoolShard part;
  Vector noise;  // of the part, unless it is constant
  std::function<double(Index)> noise_elsewhere;
  std::vector<std::string> remarks;
};

// Every process draws all points, as it reads all rows of a table.
OwnPart draw_whole_pool(const StudyFile& study) {
  Pool pool = draw_pool(study);
  auto law = std::make_shared<const NoiseLaw>(study, pool.columns());
  Vector noise = law->constant() ? Vector() : noise_at_points(*law, pool);
  const PoolShard whole{.first = 0, .rows = pool.size(), .whole = pool.size()};
  return {std::move(pool), std::move(law), whole, std::move(noise), {}, {}};
}

// What an earlier process of the campaign has read: the same pool as the table gives.
std::optional<OwnPart> read_kept_part(const StudyFile& study) {
  std::optional<ReadPool> kept = kept_pool(study);
  if (!kept) return std::nullopt;
  auto law = std::make_shared<const NoiseLaw>(study, kept->pool.columns());
  const PoolShard whole{.first = 0, .rows = kept->pool.size(), .whole = kept->pool.size()};
  if (kept->noise.size() != (law->constant() ? 0 : whole.rows)) return std::nullopt;
  std::vector<std::string> remarks = remarks_on(study, kept->pool);
  return OwnPart{std::move(kept->pool), std::move(law), whole, std::move(kept->noise), {},
                 std::move(remarks)};
}

OwnPart read_own_part(const StudyFile& study, const SharedPool& shared) {
  if (study.pool_file.empty()) return draw_whole_pool(study);
  if (std::optional<OwnPart> kept = read_kept_part(study)) return *std::move(kept);
  std::vector<std::string> said;
  CsvReading reading = study.reading_of(study.pool_file);
  if (!reading.note) reading.note = [&](const std::string& sentence) { said.push_back(sentence); };
  auto table = PoolFile::recognises(study.pool_file)
                   ? std::variant<Table, PoolFile>(PoolFile::open(study.pool_file))
                   : Table::parse(read_regular_file(study.pool_file), study.pool_file.string(), reading);
  return std::visit(
      [&](auto& rows) -> OwnPart {
        const PoolShard part = own_part(shared, rows);
        Pool pool = read_pool(study, rows, part);
        auto law = std::make_shared<const NoiseLaw>(study, pool.columns());
        Vector noise(law->constant() ? 0 : part.rows);
        for (Index i = 0; i < noise.size(); ++i)
          noise(i) = (*law)(pool.point(part.global(i)), rows, part.global(i));
        if (part.is_whole() && shared.job().leads()) keep_pool(study, pool, noise);
        std::vector<std::string> remarks = remarks_on(study, pool);
        remarks.insert(remarks.begin(), said.begin(), said.end());
        std::function<double(Index)> elsewhere;
        if (!law->constant() && !part.is_whole())
          elsewhere = [law, pool,
                       file = std::make_shared<const std::decay_t<decltype(rows)>>(std::move(rows))](
                          Index row) { return (*law)(pool.point(row), *file, row); };
        return {std::move(pool),  std::move(law),       part,
                std::move(noise), std::move(elsewhere), std::move(remarks)};
      },
      table);
}

}  // namespace

PoolWithNoise read_pool(const StudyFile& study, const SharedPool& shared) {
  std::optional<OwnPart> read;
  shared.job().together([&] { read = read_own_part(study, shared); });
  PointValues noise;
  if (const std::optional<double> constant = read->law->constant())
    noise = PointValues::constant(read->pool.size(), *constant);
  else if (read->part.is_whole())
    noise = std::move(read->noise);
  else
    noise = shared.values(read->part, std::move(read->noise), std::move(read->noise_elsewhere));
  return {std::move(read->pool), std::move(read->law), std::move(noise), std::move(read->remarks)};
}

}  // namespace acuity
