#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

/// How a CSV file separates cells and writes decimals. `automatic` recognises it by the content.
enum class CsvDialect {
  automatic,
  comma,            ///< commas between cells, decimal points
  semicolon,        ///< semicolons, decimal points
  semicolon_comma,  ///< semicolons, decimal commas
  tab,              ///< tabs, decimal points
  tab_comma         ///< tabs, decimal commas
};

/// Their names in options, in the order above: "auto", "comma", "semicolon", ...
const std::vector<std::string>& csv_dialect_names();

/// How tables are read.
struct CsvReading {
  CsvDialect dialect = CsvDialect::automatic;
  /// Called with one sentence if a dialect other than commas and decimal points was recognised.
  std::function<void(const std::string&)> note = {};
};

/// Throws InputError if the bytes are no text in UTF-8: UTF-16, Latin-1, NUL bytes, a workbook or an archive.
/// Returns the text with commas and decimal points, with every record on the line it was on; nothing if it
/// is written that way already.
std::optional<std::string> plain_csv(std::string_view text, const std::string& source,
                                     const CsvReading& reading);

}  // namespace acuity ACUITY_PUBLIC
