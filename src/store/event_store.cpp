#include "acuity/store/event_store.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "acuity/base/errors.hpp"

namespace acuity {

std::unique_ptr<Tenure> EventStore::try_own() {
  throw std::logic_error(name() + ": owners of this log hold no tenure");
}

std::vector<KeptFile> EventStore::files() {
  return {};
}

void EventStore::read_file(const std::string& file, const std::function<void(std::string_view)>&) {
  throw StoreError(fmt::format("{}: it has no file \"{}\"", name(), printable(file, 100)));
}

std::string EventStore::file(const std::string& name) {
  std::string bytes;
  read_file(name, [&](std::string_view part) { bytes += part; });
  return bytes;
}

void EventStore::put_file(const std::string& file, std::string) {
  throw std::logic_error(fmt::format("{}: it keeps no files, so not \"{}\"", name(), file));
}

}  // namespace acuity
