#pragma once

#include <filesystem>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// The folder for the attempts of annotators. It is on the machine that runs them: `runs` in a campaign's
/// folder; for a campaign in a database `given`, or NAME.runs in the current folder if that is empty. Such a
/// folder is made, and notes whose attempts it has. Throws InputError if they are another campaign's, or if
/// one is given for a campaign in a folder.
std::filesystem::path runs_folder(const Campaign& campaign, const std::filesystem::path& given);

}  // namespace acuity
