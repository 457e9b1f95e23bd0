// What annotators print and write: a number, a sentence why there is none, never an exception.
#include <cmath>
#include <cstdlib>
#include <variant>

#include "annotation/dakota_files.hpp"
#include "annotation/reply.hpp"
#include "target.hpp"

namespace {

void check(const acuity::ReplyReading& reading) {
  if (reading.answer.has_value() == !reading.problem.empty()) std::abort();  // exactly one of the two
  if (!reading.answer) return;
  if (const auto* y = std::get_if<double>(&reading.answer->y); y != nullptr && !std::isfinite(*y))
    std::abort();
  if (reading.answer->cost && !(*reading.answer->cost >= 0.0)) std::abort();
  if (reading.answer->noise_sd && !(*reading.answer->noise_sd > 0.0)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = acuity::fuzz::text_of(data, size);
  check(acuity::parse_result(text, "result.json"));
  check(acuity::parse_output(text));
  check(acuity::parse_dakota_results(std::string(text)));
  return 0;
}
