#include "views/belief_slices.hpp"

#include <fmt/format.h>

#include <optional>

#include "acuity/base/errors.hpp"
#include "annotation/file_end.hpp"
#include "data/as_size.hpp"
#include "text/json.hpp"
#include "views/input_grid.hpp"
#include "views/plain_json.hpp"

namespace acuity {

namespace {

constexpr Index line_points = 101, grid_points = 48, most_named = 200;

// Values of an input that is an axis of a slice.
Vector axis_values(const Pool& pool, Index input, Index count) {
  const Vector values = values_along(pool, input, count);
  return values.head(std::min(values.size(), pool.columns()[at(input)].is_named() ? most_named : count));
}

Json axis_json(const Input& input, const Vector& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(plain_input(input, value));
  return {{"name", input.name}, {"values", list}};
}

}  // namespace

struct BeliefSlices::Parts {
  std::int64_t sequence = 0;
  std::vector<Input> columns;
  Pool pool;
  Vector usual;  // values of inputs that are not given
  std::shared_ptr<const AveragedBelief> belief;

  Index input_named(const std::string& name, const char* what) const {
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (columns[k].name == name) return static_cast<Index>(k);
    throw InputError(fmt::format("{} is \"{}\", must be the name of an input", what, printable(name, 80)));
  }

  // A value as JSON has it: a number, or a name.
  double value_of(const Input& input, const Json& given) const {
    std::optional<double> value;
    if (given.is_number() && !input.is_named()) value = given.get<double>();
    if (given.is_string()) value = input.value(given.get<std::string>());
    if (!value || !input.accepts(*value))
      throw InputError(fmt::format("at: {} is {}, must be {}", printable(input.name, 80), shown_json(given),
                                   input.requirement()));
    return *value;
  }

  Vector fixed_values(const std::string& text) const {
    Vector values = usual;
    if (text.empty()) return values;
    const Json given = json_in(text);
    if (!given.is_object())
      throw InputError(
          fmt::format("at is {}, must be a JSON object with values of inputs", printable(text, 80)));
    for (const auto& [name, value] : given.items()) {
      const Index input = input_named(name, "a name in at");
      values(input) = value_of(columns[at(input)], value);
    }
    return values;
  }
};

BeliefSlices::BeliefSlices(const Campaign& campaign, std::shared_ptr<const AveragedBelief> belief) {
  const Pool& pool = campaign.study().pool();
  parts_ = std::make_unique<Parts>(Parts{.sequence = campaign.state().sequence(),
                                         .columns = pool.columns(),
                                         .pool = pool,
                                         .usual = pool.size() > 0 ? usual_values(pool) : Vector(),
                                         .belief = std::move(belief)});
}

BeliefSlices::~BeliefSlices() = default;
BeliefSlices::BeliefSlices(BeliefSlices&&) noexcept = default;
BeliefSlices& BeliefSlices::operator=(BeliefSlices&&) noexcept = default;

std::string BeliefSlices::json(const std::string& x, const std::string& y, const std::string& given) const {
  const Parts& p = *parts_;
  if (p.pool.size() == 0) throw InputError("the pool is empty, must have points to show a slice of");
  const Index along = p.input_named(x, "x");
  const bool is_map = !y.empty();
  const Index across = is_map ? p.input_named(y, "y") : -1;
  if (across == along)
    throw InputError(fmt::format("x and y are both \"{}\", must differ", printable(x, 80)));
  const Vector fixed = p.fixed_values(given);
  const Vector columns = axis_values(p.pool, along, is_map ? grid_points : line_points);
  const Vector rows = is_map ? axis_values(p.pool, across, grid_points) : Vector();
  const Index wide = columns.size(), high = is_map ? rows.size() : 1;
  Points points = fixed.transpose().replicate(wide * high, 1);
  for (Index row = 0; row < high; ++row)
    for (Index column = 0; column < wide; ++column) {
      points(row * wide + column, along) = columns(column);
      if (is_map) points(row * wide + column, across) = rows(row);
    }
  const ShownBelief f = p.belief->at(points);
  Json fixed_json = Json::object();
  for (std::size_t k = 0; k < p.columns.size(); ++k)
    if (static_cast<Index>(k) != along && static_cast<Index>(k) != across)
      fixed_json[p.columns[k].name] = plain_input(p.columns[k], fixed(static_cast<Index>(k)));
  Json slice{{"sequence", p.sequence},
             {"x", axis_json(p.columns[at(along)], columns)},
             {"y", is_map ? axis_json(p.columns[at(across)], rows) : Json()},
             {"at", fixed_json},
             {"note", p.belief->note()}};
  Json middles = Json::array(), lows = Json::array(), highs = Json::array(), sds = Json::array();
  for (Index row = 0; row < high; ++row) {
    Json middle_row = Json::array(), sd_row = Json::array();
    for (Index column = 0; column < wide; ++column) {
      const Index i = row * wide + column;
      middle_row.push_back(plain_number(f.middle(i)));
      if (is_map) {
        sd_row.push_back(plain_number(f.sd(i)));
        continue;
      }
      lows.push_back(plain_number(f.low(i)));
      highs.push_back(plain_number(f.high(i)));
    }
    middles.push_back(std::move(middle_row));
    sds.push_back(std::move(sd_row));
  }
  slice["middle"] = is_map ? middles : middles.front();
  slice["low"] = is_map ? Json() : lows;
  slice["high"] = is_map ? Json() : highs;
  slice["sd"] = is_map ? sds : Json();
  return json_text(slice);
}

}  // namespace acuity
