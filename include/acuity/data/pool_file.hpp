#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/csv_dialect.hpp"
#include "acuity/data/pool.hpp"
#include "acuity/data/pool_shard.hpp"

namespace acuity ACUITY_PUBLIC {

class MappedFile;

/// A pool in a binary file that is mapped, not read (docs/formats.md): opening it takes almost no time,
/// and only the points that are accessed are loaded into memory.
///
/// Error messages name the file. Columns are found by name, as in Table.
class PoolFile {
 public:
  /// Whether the file begins with the signature of a pool file; false if it cannot be read.
  static bool recognises(const std::filesystem::path& file);
  /// Checks header and sizes, not values and ids, which verify() and pool() check; throws InputError.
  static PoolFile open(const std::filesystem::path& file);
  /// Opens the file; error messages call it `source`.
  static PoolFile open(const std::filesystem::path& file, std::string source);

  const std::string& source() const { return source_; }
  const std::vector<std::string>& columns() const { return columns_; }
  Index rows() const { return rows_; }
  bool single_precision() const { return single_precision_; }
  std::uint64_t bytes() const;
  /// The column the ids came from; absent: row numbers are the ids.
  const std::optional<std::string>& id_column() const { return id_column_; }

  /// Reads the whole file and throws InputError if the checksum differs, values are not finite, or ids are
  /// empty or not unique. The latter are checked separately because a malformed file can have a valid
  /// checksum.
  void verify() const;

  std::optional<Index> find(std::string_view column) const;
  /// The index of that column; if it is missing, throws InputError with `needed_for` as the reason.
  Index column(std::string_view name, std::string_view needed_for) const;
  double number(Index row, Index column) const;
  /// "big.pool: row 16"
  std::string where(Index row) const;
  /// Throws InputError `where: column "x" is 7, must be requirement`.
  [[noreturn]] void complain(Index row, Index column, std::string_view requirement) const;

  /// The pool of these inputs, which are among the columns. If the columns are doubles, adjacent and in this
  /// order, they are used in place; otherwise they are copied. Throws InputError if a value is not finite,
  /// or, `with_ids`, if an id is not valid. With `part` only its share of the values and ids is checked: the
  /// pool is that of the whole file, other processes check the rest, which need not be read here.
  Pool pool(const std::vector<std::string>& inputs, bool with_ids,
            const std::optional<PoolShard>& part = std::nullopt) const;

 private:
  PoolFile() = default;
  const char* row_data(Index row) const;
  double value(Index row, Index column) const;
  std::shared_ptr<const PoolIds> checked_ids(const PoolShard& part) const;
  /// Throws InputError about the first value of these rows and columns that is not finite.
  void require_finite(const PoolShard& part, Index first_column, Index count) const;

  std::string source_;
  std::shared_ptr<const MappedFile> file_;
  std::vector<std::string> columns_;
  std::optional<std::string> id_column_;
  Index rows_ = 0;
  bool single_precision_ = false;
  std::uint64_t values_at_ = 0, ids_at_ = 0, checksum_ = 0;
};

/// Options of convert_to_pool_file.
struct PoolFileOptions {
  std::optional<std::vector<std::string>> columns;  ///< absent: every numeric column but the id
  std::optional<std::string> id;                    ///< absent: row numbers
  bool single_precision = false;
  CsvReading tables = {};
  /// Called from time to time with the share of the work that is done, 0 to 1.
  std::function<void(double share)> progress;
};

/// Converts a CSV file to a pool file, which is written under a temporary name and then renamed. Keeps only
/// the ids in memory. Returns the names of the columns that were left out.
std::vector<std::string> convert_to_pool_file(const std::filesystem::path& csv,
                                              const std::filesystem::path& out,
                                              const PoolFileOptions& options = {});

}  // namespace acuity ACUITY_PUBLIC
