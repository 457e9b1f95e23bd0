// Events of a log: the first line is the name, the rest the body. What is read can be written, and reads the
// same again.
#include <cstdlib>
#include <string>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/state.hpp"
#include "acuity/store/event.hpp"
#include "target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace acuity;
  const std::string text(fuzz::text_of(data, size));
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return 0;
  try {
    const Event event = event_from_json(text.substr(0, end), text.substr(end + 1));
    const std::string written = to_json(event);
    if (to_json(event_from_json(event_name(event), written)) != written) std::abort();
    State state;
    state.apply({1, 0.0, event});
    state.apply({2, 1.0, event});
  } catch (const DamagedError&) {
  }
  return 0;
}
