#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/data/pool.hpp"

namespace acuity {

class MappedFile;

/// A pool in a binary file that is mapped, not read (docs/reference.md 5): opening it costs next to nothing,
/// and of its points only those are brought into memory that are looked at.
///
/// Complaints name the file. Like Table it knows its columns by name.
class PoolFile {
 public:
  /// Whether the file begins like one; false where it cannot be read, too.
  static bool recognises(const std::filesystem::path& file);
  /// Checks header and sizes, not values and ids, which verify() and pool() check; throws InputError.
  static PoolFile open(const std::filesystem::path& file);
  /// The same for a file that complaints call `source`.
  static PoolFile open(const std::filesystem::path& file, std::string source);

  const std::string& source() const { return source_; }
  const std::vector<std::string>& columns() const { return columns_; }
  Index rows() const { return rows_; }
  bool single_precision() const { return single_precision_; }
  std::uint64_t bytes() const;
  /// The column the ids came from; absent: row numbers are the ids.
  const std::optional<std::string>& id_column() const { return id_column_; }

  /// Reads everything and throws InputError where it is not what was written: by the checksum, and because
  /// anybody can compute one, also where values are not finite or ids are empty or not unique.
  void verify() const;

  std::optional<Index> find(std::string_view column) const;
  /// The column of that name; without one, a complaint that says what needs it.
  Index column(std::string_view name, std::string_view needed_for) const;
  double number(Index row, Index column) const;
  /// "big.pool: row 16"
  std::string where(Index row) const;
  /// Throws InputError `where: column "x" is 7, must be requirement`.
  [[noreturn]] void complain(Index row, Index column, std::string_view requirement) const;

  /// The pool of these inputs, which are among the columns. Doubles that stand side by side in the order
  /// asked for are used where they are; others are copied. Every value is looked at: it must be finite. So is
  /// every id, if they are asked for.
  Pool pool(const std::vector<std::string>& inputs, bool with_ids) const;

 private:
  PoolFile() = default;
  const char* row_data(Index row) const;
  double value(Index row, Index column) const;
  std::shared_ptr<const PoolIds> checked_ids() const;
  /// Throws InputError about the first value of these columns that is not finite.
  void require_finite(Index first_column, Index count) const;

  std::string source_;
  std::shared_ptr<const MappedFile> file_;
  std::vector<std::string> columns_;
  std::optional<std::string> id_column_;
  Index rows_ = 0;
  bool single_precision_ = false;
  std::uint32_t version_ = 0;
  std::uint64_t values_at_ = 0, ids_at_ = 0, checksum_ = 0;
};

/// What becomes of a CSV file.
struct PoolFileOptions {
  std::optional<std::vector<std::string>> columns;  ///< absent: every numeric column but the id
  std::optional<std::string> id;                    ///< absent: row numbers
  bool single_precision = false;
  /// Told now and then how much of the work is done, 0 to 1.
  std::function<void(double share)> progress;
};

/// Writes the pool file that a CSV file stands for: aside, then renamed. Passes through the text and keeps
/// nothing of it but the ids. Other columns are left out; gives their names.
std::vector<std::string> convert_to_pool_file(const std::filesystem::path& csv,
                                              const std::filesystem::path& out,
                                              const PoolFileOptions& options = {});

}  // namespace acuity
