#pragma once

#include <filesystem>

namespace acuity {

/// Draws `svg` into a PNG file of twice its size, with rsvg-convert. False where that program is not there.
/// Throws std::runtime_error where it fails.
bool write_png(const std::filesystem::path& svg, const std::filesystem::path& png);

}  // namespace acuity
