#include "annotation/inherited_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string_view>

namespace acuity {

namespace {

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

bool is_set_by_mpirun(std::string_view name) {
  return begins_with_any(name, {"OMPI_COMM_WORLD_", "OMPI_UNIVERSE_SIZE", "PMIX_", "PMI_", "ORTE_"});
}

}  // namespace

std::vector<std::string> inherited_environment(const std::vector<std::pair<std::string, std::string>>& added,
                                               BatchVariables batch) {
  std::set<std::string, std::less<>> replaced{"ACUITY_ALPHA",       "ACUITY_LEVEL", "ACUITY_RESUME_ID",
                                              "ACUITY_RESUME_FROM", "ACUITY_TOKEN", "PGPASSWORD"};
  for (const auto& [name, value] : added) replaced.insert(name);
  bool is_rank = false;
  for (char** variable = ::environ; *variable != nullptr; ++variable)
    is_rank = is_rank || is_set_by_mpirun(*variable);
  const auto is_removed = [&](std::string_view name) {
    if (replaced.contains(name) || name.starts_with("ACUITY_X_")) return true;
    if (!is_rank && begins_with_any(name, {"OMPI_MCA_", "OMPI_ALLOW_RUN_AS_ROOT"})) return false;
    if (begins_with_any(name, {"OMPI_", "PMIX_", "PMI_", "OPAL_", "ORTE_"})) return true;
    return batch == BatchVariables::remove && name.starts_with("SLURM_") && name != "SLURM_CONF";
  };
  std::vector<std::string> all;
  for (char** variable = ::environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!is_removed(text.substr(0, text.find('=')))) all.emplace_back(text);
  }
  for (const auto& [name, value] : added) all.push_back(name + "=" + value);
  return all;
}

}  // namespace acuity
