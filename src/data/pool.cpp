#include "acuity/data/pool.hpp"

#include <charconv>
#include <unordered_map>

#include "acuity/base/errors.hpp"

namespace acuity {

namespace {

class ListedIds : public PoolIds {
 public:
  // `where` names the place of a row, for the error message about a duplicate id.
  template <typename Where>
  ListedIds(std::vector<std::string> ids, const Where& where) : ids_(std::move(ids)) {
    row_of_id_.reserve(ids_.size());
    for (Index row = 0; row < static_cast<Index>(ids_.size()); ++row) {
      const auto [other, is_new] = row_of_id_.emplace(ids_[static_cast<std::size_t>(row)], row);
      if (!is_new)
        throw InputError(where(row) + ": id \"" + ids_[static_cast<std::size_t>(row)] +
                         "\" is already used at " + where(other->second) + ", must be unique");
    }
  }

  std::string id(Index row) const override { return ids_[static_cast<std::size_t>(row)]; }
  std::optional<Index> find(std::string_view id) const override {
    const auto found = row_of_id_.find(id);
    return found == row_of_id_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::vector<std::string> ids_;
  std::unordered_map<std::string_view, Index> row_of_id_;  // into ids_
};

BorrowedPoints shared(Points points) {
  const auto owner = std::make_shared<const Points>(std::move(points));
  return {.owner = owner,
          .data = owner->data(),
          .rows = owner->rows(),
          .columns = owner->cols(),
          .stride = owner->cols()};
}

}  // namespace

Pool::Pool(Points points, std::vector<std::string> inputs, std::vector<std::string> ids, std::string source,
           std::vector<std::int64_t> lines)
    : points_(shared(std::move(points))),
      inputs_(std::move(inputs)),
      source_(std::move(source)),
      lines_(std::move(lines)) {
  set_columns();
  if (!ids.empty() && static_cast<Index>(ids.size()) != size())
    throw std::invalid_argument("Pool: " + std::to_string(ids.size()) + " ids for " + std::to_string(size()) +
                                " points, must be as many");
  if (!ids.empty())
    ids_ = std::make_shared<ListedIds>(std::move(ids), [this](Index row) { return where(row); });
}

Pool::Pool(BorrowedPoints points, std::vector<std::string> inputs, std::shared_ptr<const PoolIds> ids,
           std::string source)
    : points_(std::move(points)),
      inputs_(std::move(inputs)),
      ids_(std::move(ids)),
      source_(std::move(source)) {
  set_columns();
}

void Pool::set_columns() {
  if (static_cast<Index>(inputs_.size()) != points_.columns)
    throw std::invalid_argument("Pool: " + std::to_string(inputs_.size()) + " input names for " +
                                std::to_string(points_.columns) + " columns, must be as many");
  columns_.assign(inputs_.begin(), inputs_.end());
}

Pool Pool::described(std::vector<Input> columns) const {
  if (names_of(columns) != inputs_)
    throw std::invalid_argument("Pool: the described inputs have other names, must be the pool's");
  Pool pool = *this;
  pool.columns_ = std::move(columns);
  return pool;
}

std::string Pool::input_text(Index row, Index input) const {
  return columns_[static_cast<std::size_t>(input)].text(point(row)[input]);
}

std::string Pool::id(Index row) const {
  return ids_ ? ids_->id(row) : std::to_string(row);
}

std::optional<Index> Pool::find(std::string_view id) const {
  if (ids_) return ids_->find(id);
  Index row = -1;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), row);
  // Only the form that id() writes is accepted: "00" is not row 0.
  const bool is_row = error == std::errc() && end == id.data() + id.size() && row >= 0 && row < size() &&
                      std::to_string(row) == id;
  return is_row ? std::optional(row) : std::nullopt;
}

const std::vector<std::string>& Pool::text_columns() const {
  static const std::vector<std::string> none;
  return texts_ ? texts_->names : none;
}

std::string_view Pool::text(Index row, std::size_t column) const {
  const std::vector<std::uint64_t>& ends = texts_->ends[column];
  const auto at = static_cast<std::size_t>(row);
  const std::uint64_t begin = at == 0 ? 0 : ends[at - 1];
  return std::string_view(texts_->text[column]).substr(begin, ends[at] - begin);
}

std::string Pool::where(Index row) const {
  if (!lines_.empty()) return source_ + ":" + std::to_string(lines_[static_cast<std::size_t>(row)]);
  return (source_.empty() ? "pool row " : source_ + ": row ") + std::to_string(row);
}

}  // namespace acuity
