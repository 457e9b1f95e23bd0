#include "acuity/data/pool.hpp"

#include <charconv>

#include "acuity/numerics/errors.hpp"

namespace acuity {

Pool::Pool(Points points, std::vector<std::string> inputs, std::vector<std::string> ids, std::string source,
           std::vector<std::int64_t> lines)
    : points_(std::move(points)),
      inputs_(std::move(inputs)),
      ids_(std::move(ids)),
      source_(std::move(source)),
      lines_(std::move(lines)) {
  if (static_cast<Index>(inputs_.size()) != points_.cols())
    throw std::invalid_argument("Pool: " + std::to_string(inputs_.size()) + " input names for " +
                                std::to_string(points_.cols()) + " columns, must be as many");
  if (!ids_.empty() && static_cast<Index>(ids_.size()) != size())
    throw std::invalid_argument("Pool: " + std::to_string(ids_.size()) + " ids for " +
                                std::to_string(size()) + " points, must be as many");
  row_of_id_.reserve(ids_.size());
  for (Index row = 0; row < static_cast<Index>(ids_.size()); ++row) {
    const auto [other, is_new] = row_of_id_.emplace(ids_[static_cast<std::size_t>(row)], row);
    if (!is_new)
      throw InputError(where(row) + ": id \"" + other->first + "\" stands at " + where(other->second) +
                       " already, must be unique");
  }
}

std::string Pool::id(Index row) const {
  return ids_.empty() ? std::to_string(row) : ids_[static_cast<std::size_t>(row)];
}

std::optional<Index> Pool::find(std::string_view id) const {
  if (!ids_.empty()) {
    const auto found = row_of_id_.find(std::string(id));
    return found == row_of_id_.end() ? std::nullopt : std::optional(found->second);
  }
  Index row = -1;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), row);
  // As written by id(): "00" is not row 0.
  const bool is_row = error == std::errc() && end == id.data() + id.size() && row >= 0 && row < size() &&
                      std::to_string(row) == id;
  return is_row ? std::optional(row) : std::nullopt;
}

std::string Pool::where(Index row) const {
  if (lines_.empty()) return "pool row " + std::to_string(row);
  return source_ + ":" + std::to_string(lines_[static_cast<std::size_t>(row)]);
}

}  // namespace acuity
