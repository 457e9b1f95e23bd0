#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace acuity {

/// "NFS" and the like where files of this kind live on another machine; by the number statfs(2) gives.
std::optional<std::string> network_file_system(std::uint64_t type);
/// The same for where a file is.
std::optional<std::string> network_file_system(const std::filesystem::path& file);

}  // namespace acuity
