#include "study/gold_items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"

namespace acuity {

std::vector<GoldItem> read_gold(const StudyFile& file, const Pool& pool) {
  std::vector<GoldItem> items;
  if (file.people.gold.empty()) return items;
  const Table table = Table::read(file.people.gold, file.reading_of(file.people.gold));
  std::optional<Index> id = table.find("id");
  if (!id && file.pool_id) id = table.find(*file.pool_id);
  if (!id) id = table.column("id", "people.gold: the names of pool points");
  const Index answer = table.column("class", "people.gold: the class of every point");
  std::map<Index, Index> line_of;
  for (Index row = 0; row < table.rows(); ++row) {
    const std::optional<Index> point = pool.find(table.text(row, *id));
    if (!point) table.complain(row, *id, "the name of a pool point");
    const std::optional<double> value = file.target->read(table.text(row, answer));
    if (!value) table.complain(row, answer, file.target->text_requirement());
    if (const auto [known, is_new] = line_of.emplace(*point, row); !is_new)
      table.complain(row, *id, fmt::format("there once, is in line {}, too", table.line(known->second)));
    items.push_back({*point, *value == 0.0 ? -1.0 : *value});
  }
  if (items.empty())
    throw InputError(fmt::format("{}: it has no items, must have at least one", table.source()));
  std::sort(items.begin(), items.end(), [](const GoldItem& a, const GoldItem& b) { return a.row < b.row; });
  return items;
}

}  // namespace acuity
