#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/input.hpp"
#include "acuity/data/points.hpp"

namespace acuity ACUITY_PUBLIC {

/// The ids of a pool's points, one per row, all distinct.
class PoolIds {
 public:
  virtual ~PoolIds() = default;

  virtual std::string id(Index row) const = 0;
  virtual std::optional<Index> find(std::string_view id) const = 0;
};

/// Points in memory that `owner` keeps alive: rows of `stride` doubles, of which the first `columns` are
/// used.
struct BorrowedPoints {
  std::shared_ptr<const void> owner;
  const double* data = nullptr;
  Index rows = 0, columns = 0, stride = 0;
};

/// Columns of a pool's table that are no inputs, as text.
struct PoolTexts {
  std::vector<std::string> names;
  std::vector<bool> is_numeric;                  ///< most cells of the column are numbers
  std::vector<std::string> text;                 ///< of every column, the cells one after another
  std::vector<std::vector<std::uint64_t>> ends;  ///< where the cell of every row ends there
};

/// The points that may be annotated. Copies share the points.
class Pool {
 public:
  /// Without `ids` the row number, counting from 0, is the id. `lines` are the line numbers of the rows in
  /// `source`.
  Pool(Points points, std::vector<std::string> inputs, std::vector<std::string> ids = {},
       std::string source = {}, std::vector<std::int64_t> lines = {});
  /// Refers to the points without copying them. Without `ids` (null) the row number is the id.
  Pool(BorrowedPoints points, std::vector<std::string> inputs, std::shared_ptr<const PoolIds> ids,
       std::string source);

  Index size() const { return points_.rows; }
  /// Valid as long as this pool or a copy of it exists.
  PointsRef points() const {
    return Eigen::Map<const Points, 0, Eigen::OuterStride<>>(points_.data, points_.rows, points_.columns,
                                                             Eigen::OuterStride<>(points_.stride));
  }
  /// The inputs of one point, contiguous.
  const double* point(Index row) const { return points_.data + row * points_.stride; }
  const std::vector<std::string>& inputs() const { return inputs_; }
  /// The inputs with their types; numbers unless described.
  const std::vector<Input>& columns() const { return columns_; }
  /// The same pool with its inputs described; throws std::invalid_argument if the names differ.
  Pool described(std::vector<Input> columns) const;
  /// The value of an input as written: a number or a name.
  std::string input_text(Index row, Index input) const;

  /// Whether the points have ids other than their row numbers.
  bool has_ids() const { return ids_ != nullptr; }
  std::string id(Index row) const;
  /// The row with this id. Ids are unique: duplicates are refused when ids are read.
  std::optional<Index> find(std::string_view id) const;

  /// Columns of the pool's table that are no inputs: their names, and the cell of a row in one of them.
  const std::vector<std::string>& text_columns() const;
  std::string_view text(Index row, std::size_t column) const;
  /// Whether most cells of the column are numbers.
  bool is_numeric_text(std::size_t column) const { return texts_->is_numeric[column]; }
  void set_texts(std::shared_ptr<const PoolTexts> texts) { texts_ = std::move(texts); }

  /// "pool.csv:18"; "big.pool: row 16" for a file without lines, "pool row 16" for a pool that came from no
  /// file.
  std::string where(Index row) const;

 private:
  void set_columns();

  BorrowedPoints points_;
  std::vector<std::string> inputs_;
  std::vector<Input> columns_;
  std::shared_ptr<const PoolIds> ids_;      // null: row numbers
  std::shared_ptr<const PoolTexts> texts_;  // null: none
  std::string source_;
  std::vector<std::int64_t> lines_;
};

}  // namespace acuity ACUITY_PUBLIC
