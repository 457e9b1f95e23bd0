#include "study/pool_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "acuity/data/pool_file.hpp"
#include "acuity/numerics/errors.hpp"
#include "acuity/numerics/ranks.hpp"
#include "data/csv_scanner.hpp"
#include "numerics/byte_text.hpp"
#include "study/input_settings.hpp"

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

Pool read_pool(const StudyFile& study, const Table& table) {
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

// What this rank checks and computes of a pool file; null: all of it.
PoolShard own_part(const StudyFile& study, const PoolFile& file) {
  return study.ranks ? shard_of(file.rows(), study.ranks->rank(), study.ranks->count())
                     : PoolShard{.first = 0, .rows = file.rows(), .whole = file.rows()};
}

// Gives the same pool as a CSV file with the same columns. Ids of the file are used if the study names them.
Pool read_pool(const StudyFile& study, const PoolFile& file) {
  const PoolShard part = own_part(study, file);
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

// A table is read by every rank as a whole.
PoolShard own_part(const StudyFile&, const Table& table) {
  return {.first = 0, .rows = table.rows(), .whole = table.rows()};
}

template <typename Rows>
Vector noise_over(const NoiseLaw& noise, const Pool& pool, const Rows& table, const PoolShard& part) {
  if (const std::optional<double> constant = noise.constant())
    return Vector::Constant(pool.size(), *constant);
  Vector variances(pool.size());
  for (Index row = part.first; row < part.first + part.rows; ++row)
    variances(row) = noise(pool.point(row), table, row);
  return variances;
}

}  // namespace

PoolWithNoise read_pool(const StudyFile& study) {
  std::vector<std::string> said;
  CsvReading reading = study.reading_of(study.pool_file);
  if (!reading.note) reading.note = [&](const std::string& sentence) { said.push_back(sentence); };
  const auto table =
      PoolFile::recognises(study.pool_file)
          ? std::variant<Table, PoolFile>(PoolFile::open(study.pool_file))
          : Table::parse(read_regular_file(study.pool_file), study.pool_file.string(), reading);
  return std::visit(
      [&](const auto& rows) -> PoolWithNoise {
        Pool pool = read_pool(study, rows);
        auto law = std::make_shared<const NoiseLaw>(study, pool.columns());
        const PoolShard part = own_part(study, rows);
        Vector noise = noise_over(*law, pool, rows, part);
        const bool is_partial = !law->constant() && !part.is_whole();
        std::vector<std::string> remarks = remarks_on(study, pool);
        remarks.insert(remarks.begin(), said.begin(), said.end());
        return {std::move(pool), std::move(law), std::move(noise), std::move(remarks), is_partial};
      },
      table);
}

PoolWithNoise read_pool_on_ranks(const StudyFile& study) {
  Ranks& ranks = *study.ranks;
  std::optional<PoolWithNoise> read;
  on_all_ranks(ranks, [&] { read = read_pool(study); });
  if (!read->noise_is_partial) return *std::move(read);
  const PoolShard own = shard_of(read->noise.size(), ranks.rank(), ranks.count());
  numerics::ByteWriter bytes;
  bytes.put(Vector(read->noise.segment(own.first, own.rows)));
  const std::vector<std::string> parts = ranks.gather(bytes.text());
  for (int rank = 0; rank < ranks.count(); ++rank) {
    const PoolShard part = shard_of(read->noise.size(), rank, ranks.count());
    read->noise.segment(part.first, part.rows) =
        numerics::ByteReader(parts[static_cast<std::size_t>(rank)]).vector();
  }
  read->noise_is_partial = false;
  return *std::move(read);
}

}  // namespace acuity
