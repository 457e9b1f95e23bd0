#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace acuity {

/// Replaces the values of some text keys ("pool.file") in a study file and leaves everything else unchanged,
/// including comments. Keys that are not present are ignored.
std::string rewrite_texts(const std::string& toml, const std::map<std::string, std::string>& values);

/// The keys by which a study file names the columns of its pool.
struct PoolKeys {
  std::string file;
  std::vector<std::string> inputs;
  std::string id;     ///< the column of the ids; empty: row numbers
  std::string noise;  ///< the column of sigma^2; empty: none
};

/// Writes the study with these keys; comments are lost.
std::string with_pool_keys(const std::string& toml, const PoolKeys& keys);
/// The study with a table [pool.drawn]: the points of its pool have been drawn by this seed and are in the
/// file. A study that has the table already gets this file. Comments stay where the pool is no inline table.
std::string with_drawn_pool(const std::string& toml, const std::string& file, std::uint64_t seed);
/// Writes the study with this goal.file, without goal.box; comments are lost.
std::string with_goal_file(const std::string& toml, const std::string& file);

}  // namespace acuity
