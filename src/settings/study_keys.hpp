#pragma once

#include <map>
#include <string>
#include <vector>

namespace acuity {

/// Every key of a study file with its value, by path: "annotator.timeout", "level coarse.cost". Comments,
/// spacing and the way in which a number is written make no difference.
std::map<std::string, std::string> study_keys(const std::string& toml);

/// The value of a text key such as "campaign.name"; empty if there is none.
std::string study_text(const std::string& toml, const std::string& key);

/// The names of the tables of an array such as [[level]], in order.
std::vector<std::string> names_in(const std::string& toml, const std::string& array);

/// The study with these levels of an earlier text appended as retired ones. Throws std::invalid_argument if
/// the text cannot have another table [[level]].
std::string with_retired_levels(const std::string& toml, const std::string& before,
                                const std::vector<std::string>& names);

/// The study with one more table [[level]] of this name: retired, with a bias that is learned, whose size is
/// the number of `key` (noise_sd or noise_relative). Throws std::invalid_argument like with_retired_levels.
std::string with_imported_level(const std::string& toml, const std::string& name, const std::string& key,
                                double error);

}  // namespace acuity
