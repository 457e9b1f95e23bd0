#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

// A fuzz target is one function that gets arbitrary bytes and must return: errors that the library documents
// are caught, anything else (a crash, another exception, a sanitizer's report) is a finding. The same file is
// linked with libFuzzer if the compiler is clang (./run-checks) and with driver.cpp otherwise (the tests).

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace acuity::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Writes the bytes to a file for code that reads files; the same file every time, in memory if /dev/shm is
/// there.
std::filesystem::path as_file(std::string_view bytes, std::string_view name);

}  // namespace acuity::fuzz
