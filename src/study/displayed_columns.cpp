#include "study/displayed_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "text/nearest.hpp"

namespace acuity {

bool is_campaign_column(std::string_view name) {
  static constexpr std::array<std::string_view, 13> taken{"id",
                                                          "point",
                                                          "level",
                                                          "alpha",
                                                          "value",
                                                          "information",
                                                          "cost",
                                                          "y",
                                                          "lease_until",
                                                          "noise_sd",
                                                          "accuracy",
                                                          "information_per_cost",
                                                          "noise_variance"};
  return name.starts_with("y_") || std::find(taken.begin(), taken.end(), name) != taken.end();
}

DisplayedColumns displayed_columns(const StudyFile& study, const Pool& pool) {
  const std::vector<std::string>&texts = pool.text_columns(), &inputs = pool.inputs();
  DisplayedColumns shown;
  if (!study.display) {
    for (std::size_t k = 0; k < texts.size(); ++k)
      if (!pool.is_numeric_text(k) && !is_campaign_column(texts[k])) shown.texts.push_back(k);
    shown.inputs.resize(inputs.size());
    std::iota(shown.inputs.begin(), shown.inputs.end(), std::size_t{0});
    return shown;
  }
  for (const std::string& name : *study.display) {
    const auto text = std::find(texts.begin(), texts.end(), name),
               input = std::find(inputs.begin(), inputs.end(), name);
    std::vector<std::string> known = texts;
    known.insert(known.end(), inputs.begin(), inputs.end());
    if (text == texts.end() && input == inputs.end())
      study.complain(fmt::format("pool.display has \"{}\", must be a column of the pool{}", name,
                                 known.empty() ? "" : " such as \"" + nearest(name, known) + '"'));
    if (text != texts.end() && is_campaign_column(name))
      study.complain(fmt::format(
          "pool.display has \"{}\", which is the name of a column that campaigns print, must be renamed",
          name));
    if (text != texts.end())
      shown.texts.push_back(static_cast<std::size_t>(text - texts.begin()));
    else
      shown.inputs.push_back(static_cast<std::size_t>(input - inputs.begin()));
  }
  return shown;
}

}  // namespace acuity
