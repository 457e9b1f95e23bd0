#include "base/checksum.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace acuity::base {

Checksum::Checksum() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}

void Checksum::Free::operator()(XXH3_state_s* state) const {
  XXH3_freeState(state);
}

void Checksum::take(std::string_view bytes) {
  if (!bytes.empty()) XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
}

std::uint64_t Checksum::value() const {
  return XXH3_64bits_digest(state_.get());
}

std::string Checksum::text() const {
  return fmt::format("xxh3:{:016x}", value());
}

std::string checksum(std::string_view text) {
  Checksum sum;
  sum.take(text);
  return sum.text();
}

std::string Fnv1a::text() const {
  return fmt::format("{:016x}", value_);
}

}  // namespace acuity::base
