// Tables: whatever is read can be asked for every cell.
#include <string>

#include "acuity/data/table.hpp"
#include "acuity/numerics/errors.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace acuity;
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
