#include "annotation/truth_table.hpp"

#include <fmt/format.h>

#include <cstring>
#include <unordered_map>

#include "acuity/data/observation.hpp"
#include "acuity/numerics/errors.hpp"
#include "annotation/reply.hpp"
#include "study/nearest.hpp"

namespace acuity {

namespace {

// Equal inputs give equal keys: -0 is 0.
std::string key_of(const double* inputs, std::size_t count) {
  std::string key(count * sizeof(double), '\0');
  for (std::size_t k = 0; k < count; ++k) {
    const double value = inputs[k] + 0.0;
    std::memcpy(key.data() + k * sizeof value, &value, sizeof value);
  }
  return key;
}

std::string shown_inputs(const Pool& pool, Index row) {
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < pool.inputs().size(); ++k)
    parts.push_back(fmt::format("{} = {}", pool.inputs()[k], pool.point(row)[k]));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Reads one file against a study.
class TruthReader {
 public:
  TruthReader(const std::filesystem::path& file, const Study& study)
      : study_(study), pool_(study.pool()), table_(Table::read(file)) {
    id_ = table_.find("id");
    if (!id_ && study_.file().pool_id) id_ = table_.find(*study_.file().pool_id);
    if (!id_) inputs_ = study_.read_inputs(table_);
    find_rows();
  }

  const Table& table() const { return table_; }

  /// By pool row.
  Vector column(Index column) const {
    Vector values(pool_.size());
    for (Index row = 0; row < pool_.size(); ++row)
      values(row) = value(row_of_[static_cast<std::size_t>(row)], column);
    return values;
  }

 private:
  std::string key(Index row) const {
    return id_ ? table_.text(row, *id_)
               : key_of(inputs_.data() + row * inputs_.cols(), static_cast<std::size_t>(inputs_.cols()));
  }

  void find_rows() {
    std::unordered_map<std::string, Index> rows;
    for (Index row = 0; row < table_.rows(); ++row)
      if (const auto [first, fresh] = rows.emplace(key(row), row); !fresh)
        throw InputError(fmt::format("{}: is about the same point as line {}, must be one line per point{}",
                                     table_.where(row), table_.line(first->second),
                                     id_ ? "" : " (an \"id\" column tells equal inputs apart)"));
    for (Index row = 0; row < pool_.size(); ++row) {
      const auto found = rows.find(id_ ? pool_.id(row) : key_of(pool_.point(row), pool_.inputs().size()));
      if (found == rows.end())
        throw InputError(
            fmt::format("{}: no line is about point \"{}\" ({}: {}), must have one for every point",
                        table_.source(), pool_.id(row), pool_.where(row), shown_inputs(pool_, row)));
      row_of_.push_back(found->second);
    }
  }

  double value(Index row, Index column) const {
    const Target& target = *study_.file().target;
    if (const std::optional<double> value = target.read(table_.text(row, column))) return *value;
    table_.complain(row, column, target.text_requirement());
  }

  const Study& study_;
  const Pool& pool_;
  Table table_;
  std::optional<Index> id_;
  Points inputs_;
  std::vector<Index> row_of_;  // of the table, by pool row
};

bool is_never_wrong(const Level& level, const Offer& offer) {
  if (const auto* flip = std::get_if<FlipChannel>(&level.channel)) return flip->accuracy == 1.0;
  return noise_variance(level.channel) == 0.0 && offer.base_noise.maxCoeff() == 0.0;
}

}  // namespace

TruthTable::TruthTable(const std::filesystem::path& file, const Study& study) {
  const TruthReader reader(file, study);
  const Table& table = reader.table();
  std::vector<std::string> names;
  for (const Level& level : study.file().price_list) names.push_back(level.name);
  for (const std::string& column : table.columns()) {
    if (!column.starts_with("y@")) continue;
    const std::string level = column.substr(2);
    if (std::find(names.begin(), names.end(), level) == names.end())
      throw InputError(fmt::format("{}:1: column \"{}\" names no level, must be \"y\"{}", table.source(),
                                   column, names.empty() ? "" : " or \"y@" + nearest(level, names) + "\""));
    of_level_[level] = reader.column(*table.find(column));
  }
  const bool complete = !names.empty() && of_level_.size() == names.size();
  if (const std::optional<Index> y = table.find("y"))
    truth_ = reader.column(*y);
  else if (!complete)
    truth_ = reader.column(table.column("y", "the answers"));
}

TruthTable::Entry TruthTable::at(Index row, const std::string& level) const {
  const auto found = of_level_.find(level);
  if (found != of_level_.end()) return {.value = found->second(row), .has_noise = true};
  const auto clean = clean_.find(level);
  if (clean == clean_.end()) return {.value = truth_(row)};
  const CleanAnswers& answers = clean->second;
  return {.value = answers.values(row),
          .has_noise = false,
          .noise = answers.noise.size() > 0 ? std::optional(answers.noise(row)) : std::nullopt};
}

const Vector& TruthTable::truth(const Offer& offer) const {
  if (truth_.size() > 0) return truth_;
  return of_level_.at(offer.levels[static_cast<std::size_t>(offer.finest())].name);
}

const Vector* TruthTable::exact_truth(const Offer& offer) const {
  if (truth_.size() > 0) return &truth_;
  for (const Level& level : offer.levels)
    if (const auto found = of_level_.find(level.name);
        found != of_level_.end() && is_never_wrong(level, offer))
      return &found->second;
  return nullptr;
}

}  // namespace acuity
