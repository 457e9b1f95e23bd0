#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "acuity/study/study_file.hpp"

namespace acuity {

/// "slurm", "pbs", "lsf"
const std::vector<std::string>& batch_preset_names();

/// The commands of a batch system by its name (docs/annotators.md); nothing if the name is none of these.
std::optional<BatchSetting> batch_preset(std::string_view name);

}  // namespace acuity
