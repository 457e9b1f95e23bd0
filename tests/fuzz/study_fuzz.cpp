// Study files: TOML that may be anything, and a pool beside it.
#include "acuity/base/errors.hpp"
#include "acuity/study/study.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace acuity;
  static const std::filesystem::path pool = fuzz::as_file("id,x,z\na,0,1\nb,1,2\nc,2,0.5\n", "pool.csv");
  // A small file can ask for much, "count = 1000000000": what is refused for its size is not tried.
  if (size > 4096) return 0;
  try {
    const Study study = Study::open(fuzz::as_file(fuzz::text_of(data, size), "study.toml"));
    (void)study.pool();
  } catch (const InputError&) {
  } catch (const NumericalError&) {
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
