#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// One difference between a study and that of a campaign.
struct StudyDifference {
  enum class Effect {
    shown,        ///< changes names only
    from_now_on,  ///< the past stays as it is
    past,         ///< answers so far are read in another way
    noise,        ///< the noise of a level: answers so far keep theirs unless they are to be read again
    noise_law,    ///< a law of noise that every answer follows: only possible if the past is read again
    refused
  };
  std::string key, was, is;  ///< empty: not given
  Effect effect = Effect::from_now_on;
  std::string meaning;  ///< in words
};

/// The differences of a study, key by key and point by point, from that of a campaign. Comments, spacing and
/// order of keys are none.
struct StudyComparison {
  std::vector<StudyDifference> differences;
  std::vector<std::string> retired_levels;      ///< levels of the campaign that the study does not have
  std::vector<Index> retired_rows, added_rows;  ///< of the campaign's pool, and of the study's
  std::map<std::string, std::string> tables;    ///< goal and truth tables that differ, by name of the copy
  std::string file;                             ///< that was compared
  std::string text;                             ///< of the study as the campaign would keep it
  std::string pool;                             ///< the pool that the campaign would keep, if it differs
};

/// `study` is the file, whose tables are read as `tables` says, `current` the campaign's study and `folder`
/// its folder. Throws InputError if the study or its pool cannot be read.
StudyComparison compare_study(const std::filesystem::path& study, const std::filesystem::path& folder,
                              const Study& current, const State& state, const CsvReading& tables = {});

/// "annotator.timeout: "30m" -> "2h"; applies to attempts from now on"
std::string to_text(const StudyDifference& difference);

/// The events of the change: one StudyChanged, and one Excluded for every point that is retired. Throws
/// InputError with the reason if a difference cannot be applied.
std::vector<Event> change_events(const StudyComparison& comparison, const Study& current, const State& state,
                                 bool reinterpret);

}  // namespace acuity
