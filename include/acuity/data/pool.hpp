#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "acuity/data/points.hpp"

namespace acuity {

/// The inputs that may be asked about.
class Pool {
 public:
  /// Without `ids` the row number, counting from 0, is the id. `lines` says where each row stands in
  /// `source`.
  Pool(Points points, std::vector<std::string> inputs, std::vector<std::string> ids = {},
       std::string source = {}, std::vector<std::int64_t> lines = {});

  Index size() const { return points_.rows(); }
  const Points& points() const { return points_; }
  const std::vector<std::string>& inputs() const { return inputs_; }

  std::string id(Index row) const;
  /// The row with this id. A duplicate id cannot occur: the constructor refuses it.
  std::optional<Index> find(std::string_view id) const;
  /// "pool.csv:18", or "pool row 16" for a pool that came from no file.
  std::string where(Index row) const;

 private:
  Points points_;
  std::vector<std::string> inputs_;
  std::vector<std::string> ids_;
  std::unordered_map<std::string, Index> row_of_id_;
  std::string source_;
  std::vector<std::int64_t> lines_;
};

}  // namespace acuity
