#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace acuity {

/// The name of a network file system, for example "NFS", for a type number of statfs(2); empty if it is
/// local.
std::optional<std::string> network_file_system(std::uint64_t type);
/// As above, for the file system that contains a file.
std::optional<std::string> network_file_system(const std::filesystem::path& file);

}  // namespace acuity
