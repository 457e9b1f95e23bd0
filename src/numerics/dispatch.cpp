#include "numerics/dispatch.hpp"

#include <cpuid.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "acuity/base/errors.hpp"

namespace acuity::numerics {

namespace {

// The levels of the x86-64 psABI, feature by feature: not every compiler knows them by name. The builtin also
// checks that the operating system saves the wide registers; the three features it does not know are read
// with cpuid.
bool processor_has(std::string_view level) {
  __builtin_cpu_init();
  unsigned a = 0, b = 0, basic = 0, extended = 0, d = 0;
  const bool known =
      __get_cpuid(1, &a, &b, &basic, &d) != 0 && __get_cpuid(0x80000001, &a, &b, &extended, &d) != 0;
  const bool v3 = known && (basic & bit_MOVBE) != 0 && (basic & bit_F16C) != 0 &&
                  (extended & bit_LZCNT) != 0 && __builtin_cpu_supports("avx2") != 0 &&
                  __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
                  __builtin_cpu_supports("fma") != 0;
  if (level == "x86-64-v3") return v3;
  if (level == "x86-64-v4")
    return v3 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
           __builtin_cpu_supports("avx512vl") != 0;
  return level == "x86-64";
}

// The folder of the library or program that contains this. The name of a program is the word that started it,
// which need not have a folder; the system knows its file.
std::filesystem::path own_folder() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &found) == 0 || found.dli_fname == nullptr)
    return {};
  if (std::filesystem::path file = found.dli_fname; file.has_parent_path())
    return std::filesystem::absolute(file).parent_path();
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
}

// Null if no folder of ACUITY_KERNEL_FOLDERS, which are relative to the own one, has such a library. It is
// never closed.
const Kernels* opened(std::string_view level) {
  if (level == "x86-64") return &baseline_kernels();
  const std::filesystem::path own = own_folder();
  for (std::string_view rest = ACUITY_KERNEL_FOLDERS; !own.empty() && !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    const std::filesystem::path file = own / folder / ("libacuity_kernels-" + std::string(level) + ".so");
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    const auto table = reinterpret_cast<const Kernels* (*)()>(dlsym(library, "acuity_kernels"));
    return table == nullptr ? nullptr : table();
  }
  return nullptr;
}

const Kernels& choose() {
  if (const char* wanted = std::getenv("ACUITY_INSTRUCTION_SET"); wanted != nullptr && *wanted != '\0') {
    const std::string level = wanted;
    if (level != "x86-64" && level != "x86-64-v3" && level != "x86-64-v4")
      throw InputError("ACUITY_INSTRUCTION_SET is \"" + level + "\", must be x86-64, x86-64-v3 or x86-64-v4");
    const Kernels* found = kernels_of(level);
    if (found == nullptr)
      throw InputError("ACUITY_INSTRUCTION_SET is " + level + ", which this " +
                       (processor_has(level) ? "installation" : "processor") +
                       " does not support; must be a lower level");
    return *found;
  }
  for (const std::string_view level : {"x86-64-v4", "x86-64-v3"})
    if (const Kernels* found = kernels_of(level)) return *found;
  return baseline_kernels();
}

}  // namespace

const Kernels* kernels_of(std::string_view level) {
  return processor_has(level) ? opened(level) : nullptr;
}

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace acuity::numerics
