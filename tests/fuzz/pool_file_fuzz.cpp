// Binary pool files: every number in the header may be a lie.
#include "acuity/base/errors.hpp"
#include "acuity/data/pool_file.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace acuity;
  const std::filesystem::path file = fuzz::as_file(fuzz::text_of(data, size), "fuzzed.pool");
  if (!PoolFile::recognises(file)) return 0;
  try {
    const PoolFile pool = PoolFile::open(file);
    (void)pool.bytes();
    try {
      pool.verify();
    } catch (const InputError&) {
    }
    (void)pool.pool(pool.columns(), pool.id_column().has_value());
  } catch (const InputError&) {
  }
  return 0;
}
