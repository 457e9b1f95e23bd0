#pragma once

#include <map>
#include <string>
#include <vector>

namespace acuity {

/// The text of a study file with other values for some keys that hold text ("pool.file"), everything else as
/// it was, comments and all. Keys that are not there are passed over.
std::string rewrite_texts(const std::string& toml, const std::map<std::string, std::string>& values);

/// How a study file says which columns its pool has.
struct PoolKeys {
  std::string file;
  std::vector<std::string> inputs;
  std::string id;     ///< the column of the ids; empty: row numbers
  std::string noise;  ///< the column of sigma^2; empty: none
};

/// The study with these keys, written again: comments are lost.
std::string with_pool_keys(const std::string& toml, const PoolKeys& keys);

}  // namespace acuity
