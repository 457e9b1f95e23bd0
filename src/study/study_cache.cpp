#include "study/study_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "acuity/data/pool_file.hpp"
#include "base/byte_text.hpp"
#include "base/checksum.hpp"
#include "data/as_size.hpp"
#include "data/cache_file.hpp"
#include "model/belief_memory.hpp"
#include "model/pool_belief_internals.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

// Smaller tables are read in a few hundredths of a second.
constexpr std::uintmax_t large_table = 4 << 20;

// Changes whenever what is kept is written, or computed, in another way.
constexpr int kept_format = 1;

bool is_worth_keeping(const StudyFile& study) {
  std::error_code none;
  if (!study.is_frozen) return false;
  const std::uintmax_t bytes = fs::file_size(study.pool_file, none);
  return !none && bytes >= large_table && !PoolFile::recognises(study.pool_file);
}

fs::path kept_in(const StudyFile& study) {
  return cache_folder(study.pool_file) / "pool";
}

// Of the version, the study and a text.
std::uint64_t cache_key(const StudyFile& study, std::string_view of) {
  base::Checksum sum;
  sum.take(fmt::format("{} {} {} ", ACUITY_VERSION, kept_format, of));
  sum.take(study.text);
  return sum.value();
}

// The table is compared byte by byte, which takes as long as reading it from memory.
std::uint64_t key_of(const StudyFile& study) {
  return cache_key(study, base::checksum(MappedFile(study.pool_file).bytes()));
}

// Ids as they are kept: where the text of each begins, the rows sorted by id, then the texts.
class KeptIds : public PoolIds {
 public:
  KeptIds(const CachedParts& cached, std::string_view numbers, std::string_view text, Index rows)
      : file_(cached.file),
        begin_(numbers_in<std::uint64_t>(numbers)),
        sorted_(begin_ + rows + 1),
        rows_(rows),
        text_(text) {}

  std::string id(Index row) const override { return std::string(view(row)); }
  std::optional<Index> find(std::string_view id) const override {
    const std::uint64_t* const end = sorted_ + rows_;
    const std::uint64_t* const found =
        std::lower_bound(sorted_, end, id, [this](std::uint64_t row, std::string_view wanted) {
          return view(static_cast<Index>(row)) < wanted;
        });
    if (found == end || view(static_cast<Index>(*found)) != id) return std::nullopt;
    return static_cast<Index>(*found);
  }

 private:
  std::string_view view(Index row) const { return text_.substr(begin_[row], begin_[row + 1] - begin_[row]); }

  std::shared_ptr<const MappedFile> file_;
  const std::uint64_t* begin_;
  const std::uint64_t* sorted_;
  Index rows_;
  std::string_view text_;
};

struct IdBytes {
  std::vector<std::uint64_t> numbers;
  std::string text;
};

IdBytes ids_of(const Pool& pool) {
  IdBytes ids;
  if (!pool.has_ids()) return ids;
  const auto rows = static_cast<std::size_t>(pool.size());
  for (std::size_t row = 0; row <= rows; ++row) {
    ids.numbers.push_back(ids.text.size());
    if (row < rows) ids.text += pool.id(static_cast<Index>(row));
  }
  std::vector<std::uint64_t> sorted(rows);
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto view = [&](std::uint64_t row) {
    return std::string_view(ids.text).substr(ids.numbers[row], ids.numbers[row + 1] - ids.numbers[row]);
  };
  std::sort(sorted.begin(), sorted.end(),
            [&](std::uint64_t a, std::uint64_t b) { return view(a) < view(b); });
  ids.numbers.insert(ids.numbers.end(), sorted.begin(), sorted.end());
  return ids;
}

// Everything that is not worth a part of its own: the sizes, the names, the texts of other columns.
std::string notes_of(const Pool& pool) {
  base::ByteWriter notes;
  notes.put(pool.size());
  notes.put(pool.columns().size());
  for (const Input& input : pool.columns()) {
    notes.put(std::string_view(input.name));
    notes.put(input.values.size());
    for (const std::string& value : input.values) notes.put(std::string_view(value));
  }
  notes.put(pool.text_columns().size());
  for (std::size_t k = 0; k < pool.text_columns().size(); ++k) {
    std::string text;
    std::vector<std::uint64_t> ends;
    for (Index row = 0; row < pool.size(); ++row) {
      text += pool.text(row, k);
      ends.push_back(text.size());
    }
    notes.put(std::string_view(pool.text_columns()[k]));
    notes.put(pool.is_numeric_text(k) ? 1 : 0);
    notes.put(std::string_view(text));
    notes.put(bytes_of(ends.data(), ends.size()));
  }
  return notes.text();
}

// What the study says about its inputs, with the names of their values in the order of the pool.
std::vector<Input> inputs_in(base::ByteReader& notes, const StudyFile& study) {
  std::vector<Input> inputs = study.input_settings;
  const auto count = notes.get<std::size_t>();
  inputs.resize(count);
  for (Input& input : inputs) {
    input.name = notes.text();
    input.values.resize(notes.get<std::size_t>());
    for (std::string& value : input.values) value = notes.text();
  }
  return inputs;
}

std::shared_ptr<const PoolTexts> texts_in(base::ByteReader& notes) {
  const auto count = notes.get<std::size_t>();
  if (count == 0) return nullptr;
  auto texts = std::make_shared<PoolTexts>();
  for (std::size_t k = 0; k < count; ++k) {
    texts->names.push_back(notes.text());
    texts->is_numeric.push_back(notes.get<int>() != 0);
    texts->text.push_back(notes.text());
    const std::string ends = notes.text();
    texts->ends.emplace_back(ends.size() / sizeof(std::uint64_t));
    std::memcpy(texts->ends.back().data(), ends.data(), ends.size());
  }
  return texts;
}

enum Part : std::size_t { points_part, noise_part, id_numbers_part, id_text_part, notes_part };

}  // namespace

std::optional<ReadPool> kept_pool(const StudyFile& study) {
  if (!is_worth_keeping(study)) return std::nullopt;
  const std::optional<CachedParts> cached = read_cache(kept_in(study), key_of(study));
  if (!cached || cached->parts.size() != notes_part + 1) return std::nullopt;
  const std::vector<std::string_view>& parts = cached->parts;
  base::ByteReader notes(parts[notes_part]);
  const auto rows = notes.get<Index>();
  std::vector<Input> inputs = inputs_in(notes, study);
  const auto columns = static_cast<Index>(inputs.size());
  std::shared_ptr<const PoolIds> ids;
  if (!parts[id_numbers_part].empty())
    ids = std::make_shared<KeptIds>(*cached, parts[id_numbers_part], parts[id_text_part], rows);
  Pool pool = Pool({.owner = cached->file,
                    .data = numbers_in<double>(parts[points_part]),
                    .rows = rows,
                    .columns = columns,
                    .stride = columns},
                   names_of(inputs), std::move(ids), study.pool_file.string())
                  .described(std::move(inputs));
  pool.set_texts(texts_in(notes));
  const auto noises = static_cast<Index>(parts[noise_part].size() / sizeof(double));
  return ReadPool{std::move(pool), Eigen::Map<const Vector>(numbers_in<double>(parts[noise_part]), noises)};
}

void keep_pool(const StudyFile& study, const Pool& pool, const Vector& noise) {
  if (!is_worth_keeping(study)) return;
  const bool is_packed = pool.points().outerStride() == pool.points().cols();
  const Points copied = is_packed ? Points() : Points(pool.points());
  const double* const points = is_packed ? pool.point(0) : copied.data();
  const IdBytes ids = ids_of(pool);
  const std::string notes = notes_of(pool);
  write_cache(kept_in(study), key_of(study),
              {bytes_of(points, at(pool.points().size())), bytes_of(noise.data(), at(noise.size())),
               bytes_of(ids.numbers.data(), ids.numbers.size()), ids.text, notes});
}

std::shared_ptr<const BeliefMemory> kept_belief(const StudyFile& study) {
  if (!study.is_frozen) return nullptr;
  std::optional<CachedParts> cached =
      read_cache(cache_folder(study.pool_file) / "belief", cache_key(study, "belief"));
  return cached ? memory_in(cached->parts, std::move(cached->file)) : nullptr;
}

void keep_belief(const StudyFile& study, PoolBelief& belief) {
  if (!study.is_frozen) return;
  if (const std::optional<BeliefMemory> memory = PoolBeliefInternals::memory(belief))
    write_cache(cache_folder(study.pool_file) / "belief", cache_key(study, "belief"), parts_of(*memory));
}

}  // namespace acuity
