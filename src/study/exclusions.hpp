#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "acuity/study/study.hpp"

namespace acuity {

/// A point that must not be asked for, at one level or at all.
struct Exclusion {
  Index row = 0;
  std::string level;  ///< price lists; empty: at every level
  std::string reason;
};

/// The exclusions of an export of a campaign: rows with text in the column "excluded". Points that the pool
/// does not have are left out. Other tables have none.
std::vector<Exclusion> read_exclusions(const Study& study, const std::filesystem::path& path);

}  // namespace acuity
