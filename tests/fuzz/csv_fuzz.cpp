// Tables: whatever is read can be asked for every cell.
#include <cstdlib>
#include <string>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace acuity;
  // What another dialect is rewritten to is plain, and reading it again changes nothing.
  for (const CsvDialect dialect : {CsvDialect::automatic, CsvDialect::semicolon_comma, CsvDialect::tab}) try {
      const std::string source = "fuzzed.csv";
      const auto plain = plain_csv(fuzz::text_of(data, size), source, {.dialect = dialect});
      if (plain && dialect == CsvDialect::automatic && plain_csv(*plain, source, {})) std::abort();
    } catch (const InputError&) {
    }
  try {
    const Table table = Table::parse(std::string(fuzz::text_of(data, size)), "fuzzed.csv");
    for (Index column = 0; column < static_cast<Index>(table.columns().size()); ++column)
      for (Index row = 0; row < table.rows(); ++row) {
        (void)table.text(row, column);
        (void)table.empty(row, column);
        (void)table.parse_number(row, column);
        (void)table.where(row);
      }
  } catch (const InputError&) {
  }
  return 0;
}
