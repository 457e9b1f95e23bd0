#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/data/points.hpp"

namespace acuity {

/// The names of a pool's points, one a row, no two the same.
class PoolIds {
 public:
  virtual ~PoolIds() = default;

  virtual std::string id(Index row) const = 0;
  virtual std::optional<Index> find(std::string_view id) const = 0;
};

/// Points that somebody else keeps: rows of `stride` doubles, of which the first `columns` count.
struct BorrowedPoints {
  std::shared_ptr<const void> owner;
  const double* data = nullptr;
  Index rows = 0, columns = 0, stride = 0;
};

/// The inputs that may be asked about. Copies share the points.
class Pool {
 public:
  /// Without `ids` the row number, counting from 0, is the id. `lines` says where each row stands in
  /// `source`.
  Pool(Points points, std::vector<std::string> inputs, std::vector<std::string> ids = {},
       std::string source = {}, std::vector<std::int64_t> lines = {});
  /// Nothing is copied. Without `ids` as above.
  Pool(BorrowedPoints points, std::vector<std::string> inputs, std::shared_ptr<const PoolIds> ids,
       std::string source);

  Index size() const { return points_.rows; }
  /// Valid as long as this pool, or a copy of it, lives.
  PointsRef points() const {
    return Eigen::Map<const Points, 0, Eigen::OuterStride<>>(points_.data, points_.rows, points_.columns,
                                                             Eigen::OuterStride<>(points_.stride));
  }
  /// The inputs of one point, one after another.
  const double* point(Index row) const { return points_.data + row * points_.stride; }
  const std::vector<std::string>& inputs() const { return inputs_; }

  /// Whether the points have names of their own, instead of row numbers.
  bool has_ids() const { return ids_ != nullptr; }
  std::string id(Index row) const;
  /// The row with this id. A duplicate id cannot occur: it is refused where ids are read.
  std::optional<Index> find(std::string_view id) const;
  /// "pool.csv:18"; "big.pool: row 16" for a file without lines, "pool row 16" for a pool that came from no
  /// file.
  std::string where(Index row) const;

 private:
  void check_names() const;

  BorrowedPoints points_;
  std::vector<std::string> inputs_;
  std::shared_ptr<const PoolIds> ids_;  // null: row numbers
  std::string source_;
  std::vector<std::int64_t> lines_;
};

}  // namespace acuity
