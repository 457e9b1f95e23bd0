#pragma once

#include <filesystem>

namespace acuity {

/// Draws `svg` into a PNG file of twice its size, with rsvg-convert. False if that program is not
/// installed. Throws std::runtime_error if it fails.
bool write_png(const std::filesystem::path& svg, const std::filesystem::path& png);

}  // namespace acuity
