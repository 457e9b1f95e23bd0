#pragma once

#include <map>
#include <string>

namespace acuity {

/// The text of a study file with other values for some keys that hold text ("pool.file"), everything else as
/// it was, comments and all. Keys that are not there are passed over.
std::string rewrite_texts(const std::string& toml, const std::map<std::string, std::string>& values);

}  // namespace acuity
