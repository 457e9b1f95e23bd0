#include "acuity/data/pool_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_set>

#include "acuity/base/errors.hpp"
#include "data/csv_scanner.hpp"
#include "data/mapped_file.hpp"
#include "data/pool_file_format.hpp"

namespace acuity {

namespace {

using pool_format::Header;

[[noreturn]] void damaged(const std::string& source, const std::string& what) {
  throw InputError(fmt::format("{}: {}, must be a whole pool file; convert it again", source, what));
}

// Reads the names after the fixed part of the header. All lengths are checked, because a malformed file can
// have a valid checksum.
std::vector<std::string> read_names(std::string_view text, std::uint64_t count, const std::string& source) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (std::uint64_t k = 0; k < count; ++k) {
    std::uint32_t length = 0;
    if (text.size() < sizeof length) damaged(source, "the names of its columns are cut off");
    std::memcpy(&length, text.data(), sizeof length);
    text.remove_prefix(sizeof length);
    if (text.size() < length) damaged(source, "the names of its columns are cut off");
    names.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
    if (!seen.insert(names.back()).second)
      damaged(source, fmt::format("column \"{}\" appears twice in its header", csv::shown(names.back())));
  }
  if (text.size() >= pool_format::alignment || text.find_first_not_of('\0') != text.npos)
    damaged(source, "the header says what cannot be");
  return names;
}

Header read_header(std::string_view bytes, const std::string& source) {
  if (!bytes.starts_with(pool_format::magic))
    throw InputError(source +
                     ": does not begin like a pool file, must be one that \"acuity pool convert\" wrote");
  Header header;
  if (bytes.size() < sizeof header) damaged(source, "the header is cut off");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != pool_format::version)
    throw InputError(fmt::format("{}: is a pool file of version {}, must be of version {}; convert it again",
                                 source, header.version, pool_format::version));
  if (header.header_bytes > bytes.size()) damaged(source, "the header is cut off");
  if (header.header_bytes < sizeof header || header.header_bytes % pool_format::alignment != 0)
    damaged(source, "the header is damaged");
  Header blank = header;
  blank.header_checksum = 0;
  base::Checksum checksum;
  checksum.take({reinterpret_cast<const char*>(&blank), sizeof blank});
  checksum.take(bytes.substr(sizeof blank, header.header_bytes - sizeof blank));
  if (checksum.value() != header.header_checksum) damaged(source, "the header is damaged");
  const bool possible = (header.value_bytes == 4 || header.value_bytes == 8) && header.rows >= 1 &&
                        header.columns >= 1 && header.columns < (1ULL << 24) && header.rows < (1ULL << 40) &&
                        header.id_bytes < (1ULL << 60);
  if (!possible) damaged(source, "the header says what cannot be");
  return header;
}

// The offset of the ids: after the values and their padding. Checks the sizes against the size of the file.
std::uint64_t ids_begin(const Header& header, std::uint64_t file_bytes, const std::string& source) {
  std::uint64_t values = 0;
  const bool too_large = __builtin_mul_overflow(header.rows, header.columns, &values) ||
                         __builtin_mul_overflow(values, header.value_bytes, &values) ||
                         values >= (1ULL << 60);  // so that the sums below cannot overflow
  if (too_large) damaged(source, "the header says what cannot be");
  const std::uint64_t ids = header.header_bytes + pool_format::padded(values);
  if (file_bytes != ids + header.id_bytes)
    damaged(source, fmt::format("has {} bytes where {} were written", file_bytes, ids + header.id_bytes));
  if (header.id_bytes != 0 && (header.id_bytes % 8 != 0 || header.id_bytes < 8 * (2 * header.rows + 1)))
    damaged(source, "the header says what cannot be");
  return ids;
}

// Ids as stored in the file: the offset of each, the rows sorted by id, then the text.
class MappedIds : public PoolIds {
 public:
  MappedIds(std::shared_ptr<const MappedFile> file, std::uint64_t at, Index rows, std::string source)
      : file_(std::move(file)), rows_(static_cast<std::uint64_t>(rows)), source_(std::move(source)) {
    const std::string_view ids = file_->bytes().substr(at);
    begin_ = reinterpret_cast<const std::uint64_t*>(ids.data());
    sorted_ = begin_ + rows_ + 1;
    text_ = ids.substr((2 * rows_ + 1) * 8);
  }

  // Checks that every id is within the text, not empty and unique. Ids in strictly ascending order cannot
  // repeat a row, so every row occurs. A part of the rows and of the order; the parts together are all.
  void check(const PoolShard& part) const {
    const auto first = static_cast<std::uint64_t>(part.first);
    const std::uint64_t end = first + static_cast<std::uint64_t>(part.rows);
    if (begin_[0] != 0 || begin_[rows_] > text_.size() || text_.size() - begin_[rows_] >= 8)
      damaged(source_, "the ids are damaged");
    for (std::uint64_t row = first; row < end; ++row)
      if (text(row).empty())
        throw InputError(fmt::format("{}: row {}: the id is empty, must be an id", source_, row));
    text(sorted_[0]);
    for (std::uint64_t k = std::max<std::uint64_t>(1, first); k < end; ++k) {
      const auto [before, row] = std::minmax(sorted_[k - 1], sorted_[k]);
      const int order = text(sorted_[k - 1]).compare(text(sorted_[k]));
      if (order > 0 || before == row) damaged(source_, "the ids are damaged");
      if (order == 0)
        throw InputError(fmt::format("{}: row {}: id \"{}\" is already used at row {}, must be unique",
                                     source_, row, csv::shown(text(row)), before));
    }
  }

  std::string id(Index row) const override { return std::string(text(static_cast<std::uint64_t>(row))); }

  std::optional<Index> find(std::string_view id) const override {
    const std::uint64_t* const end = sorted_ + rows_;
    const std::uint64_t* const found = std::lower_bound(
        sorted_, end, id, [this](std::uint64_t row, std::string_view wanted) { return text(row) < wanted; });
    if (found == end || text(*found) != id) return std::nullopt;
    return static_cast<Index>(*found);
  }

 private:
  std::string_view text(std::uint64_t row) const {
    if (row >= rows_ || begin_[row] > begin_[row + 1] || begin_[row + 1] > text_.size())
      damaged(source_, "the ids are damaged");
    return text_.substr(begin_[row], begin_[row + 1] - begin_[row]);
  }

  std::shared_ptr<const MappedFile> file_;
  std::uint64_t rows_;
  std::string source_;
  const std::uint64_t* begin_;
  const std::uint64_t* sorted_;
  std::string_view text_;
};

}  // namespace

bool PoolFile::recognises(const std::filesystem::path& file) {
  std::error_code status;
  if (!std::filesystem::is_regular_file(file, status)) return false;
  std::FILE* stream = std::fopen(file.c_str(), "rb");
  if (stream == nullptr) return false;
  std::array<char, pool_format::magic.size()> begin{};
  const std::size_t count = std::fread(begin.data(), 1, begin.size(), stream);
  std::fclose(stream);
  return std::string_view(begin.data(), count) == pool_format::magic;
}

PoolFile PoolFile::open(const std::filesystem::path& path) {
  return open(path, path.string());
}

PoolFile PoolFile::open(const std::filesystem::path& path, std::string source) {
  PoolFile pool;
  pool.source_ = std::move(source);
  pool.file_ = std::make_shared<const MappedFile>(path);
  const std::string_view bytes = pool.file_->bytes();
  const Header header = read_header(bytes, pool.source_);
  pool.rows_ = static_cast<Index>(header.rows);
  pool.single_precision_ = header.value_bytes == 4;
  pool.checksum_ = header.data_checksum;
  pool.values_at_ = header.header_bytes;
  pool.ids_at_ = ids_begin(header, bytes.size(), pool.source_);
  pool.columns_ = read_names(bytes.substr(sizeof header, header.header_bytes - sizeof header),
                             header.columns + (header.id_bytes != 0 ? 1 : 0), pool.source_);
  if (header.id_bytes != 0) {
    pool.id_column_ = pool.columns_.back();
    pool.columns_.pop_back();
  }
  return pool;
}

std::uint64_t PoolFile::bytes() const {
  return file_->bytes().size();
}

void PoolFile::verify() const {
  const std::string_view data = file_->bytes().substr(values_at_);
  base::Checksum checksum;
  checksum.take(data);
  if (checksum.value() != checksum_) damaged(source_, "its values are not those that were written");
  const PoolShard all{.first = 0, .rows = rows_, .whole = rows_};
  require_finite(all, 0, static_cast<Index>(columns_.size()));
  if (id_column_) checked_ids(all);
}

std::optional<Index> PoolFile::find(std::string_view column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  return found == columns_.end() ? std::nullopt : std::optional<Index>(found - columns_.begin());
}

Index PoolFile::column(std::string_view name, std::string_view needed_for) const {
  if (const std::optional<Index> found = find(name)) return *found;
  std::vector<std::string> names;
  for (const std::string& column : columns_) names.push_back('"' + csv::shown(column) + '"');
  if (names.size() > 12) names.erase(names.begin() + 12, names.end()), names.emplace_back("...");
  throw InputError(fmt::format("{}: column \"{}\" is missing, must be there for {}; the file has {}", source_,
                               name, needed_for, fmt::join(names, ", ")));
}

const char* PoolFile::row_data(Index row) const {
  const std::size_t stride = columns_.size() * (single_precision_ ? sizeof(float) : sizeof(double));
  return file_->bytes().data() + values_at_ + static_cast<std::size_t>(row) * stride;
}

double PoolFile::value(Index row, Index column) const {
  return single_precision_ ? static_cast<double>(reinterpret_cast<const float*>(row_data(row))[column])
                           : reinterpret_cast<const double*>(row_data(row))[column];
}

double PoolFile::number(Index row, Index column) const {
  const double found = value(row, column);
  if (!std::isfinite(found)) complain(row, column, "a finite number");
  return found;
}

void PoolFile::require_finite(const PoolShard& part, Index first_column, Index count) const {
  // Zero times a finite number is 0, zero times anything else is NaN, so the sum is 0 only if all are finite.
  const auto finite = [&]<typename Value>(Index row, Value zero) {
    const Value* x = reinterpret_cast<const Value*>(row_data(row)) + first_column;
    for (Index k = 0; k < count; ++k) zero += x[k] * Value(0);
    return zero == Value(0);
  };
  for (Index row = part.first; row < part.first + part.rows; ++row) {
    if (single_precision_ ? finite(row, 0.0F) : finite(row, 0.0)) continue;
    for (Index k = 0; k < count; ++k) number(row, first_column + k);
  }
}

std::shared_ptr<const PoolIds> PoolFile::checked_ids(const PoolShard& part) const {
  const auto ids = std::make_shared<MappedIds>(file_, ids_at_, rows_, source_);
  ids->check(part);
  return ids;
}

std::string PoolFile::where(Index row) const {
  return fmt::format("{}: row {}", source_, row);
}

void PoolFile::complain(Index row, Index column, std::string_view requirement) const {
  csv::complain(where(row), columns_[static_cast<std::size_t>(column)], fmt::format("{}", value(row, column)),
                requirement);
}

Pool PoolFile::pool(const std::vector<std::string>& inputs, bool with_ids,
                    const std::optional<PoolShard>& part) const {
  const PoolShard checked = part.value_or(PoolShard{.first = 0, .rows = rows_, .whole = rows_});
  std::vector<Index> wanted;
  for (const std::string& input : inputs) wanted.push_back(column(input, "pool.inputs"));
  std::shared_ptr<const PoolIds> ids;
  if (with_ids && id_column_) ids = checked_ids(checked);
  const Index count = static_cast<Index>(wanted.size());
  bool side_by_side = !single_precision_ && count > 0;
  for (Index k = 1; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    side_by_side = side_by_side && wanted[at] == wanted[at - 1] + 1;
  }
  if (side_by_side) {
    const Index stride = static_cast<Index>(columns_.size());
    const double* first = reinterpret_cast<const double*>(row_data(0)) + wanted.front();
    require_finite(checked, wanted.front(), count);
    return {BorrowedPoints{.owner = file_, .data = first, .rows = rows_, .columns = count, .stride = stride},
            inputs, std::move(ids), source_};
  }
  const auto points = std::make_shared<Points>(rows_, count);
  for (Index row = 0; row < rows_; ++row)
    for (Index k = 0; k < count; ++k) (*points)(row, k) = number(row, wanted[static_cast<std::size_t>(k)]);
  return {BorrowedPoints{
              .owner = points, .data = points->data(), .rows = rows_, .columns = count, .stride = count},
          inputs, std::move(ids), source_};
}

}  // namespace acuity
