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

}  // namespace acuity
