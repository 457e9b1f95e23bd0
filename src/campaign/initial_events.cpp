#include "campaign/initial_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "acuity/base/errors.hpp"
#include "acuity/selection/candidates.hpp"
#include "annotation/external_command.hpp"
#include "annotation/rehearsal.hpp"
#include "store/worker_name.hpp"
#include "study/displayed_columns.hpp"
#include "study/exclusions.hpp"

namespace acuity {

namespace {

// A point given by its inputs may still be one of the pool, unless its sigma^2(x) differs.
Index row_of(const Study& study, const Annotation& known) {
  if (const std::optional<Index> row = known.place.pool_row()) return *row;
  const Vector& x = known.place.coordinates();
  for (Index row = 0; row < study.pool().size(); ++row)
    if (std::equal(x.begin(), x.end(), study.pool().point(row)))
      return known.base_noise == study.offer().base_noise(row) ? row : -1;
  return -1;
}

// One Asked and one Told event for every answer known before.
std::vector<Event> known_before(const Study& study) {
  std::vector<Event> events;
  double spent = 0.0;
  for (const Annotation& known : study.read_annotations(study.file().initial.file)) {
    Asked asked;
    asked.id = static_cast<std::int64_t>(events.size() / 2) + 1;
    asked.row = row_of(study, known);
    if (asked.row >= 0) asked.point = study.pool().id(asked.row);
    if (known.level) asked.level = study.offer().levels[static_cast<std::size_t>(*known.level)].name;
    asked.alpha = known.alpha;
    asked.channel = known.channel;
    asked.cost = known.cost;
    asked.worker = worker_name::initial;
    Told told{.id = asked.id,
              .values = {known.answer.value_or(known.value)},
              .cost = known.cost,
              .channel = {},
              .row = {},
              .inputs = {},
              .base_noise = {},
              .level = {},
              .alpha = {}};
    if (known.reported) told.channel = known.channel;
    if (asked.row < 0) {
      told.inputs.emplace(known.place.coordinates().begin(), known.place.coordinates().end());
      told.base_noise = known.base_noise;
    }
    spent += known.cost;
    events.insert(events.end(), {Event(asked), Event(told)});
  }
  const double budget = study.file().budget.value_or(std::numeric_limits<double>::infinity());
  if (spent > budget + budget_slack(budget))
    throw InputError(fmt::format("{}: the known answers cost {}, must be within campaign.budget, which is {}",
                                 study.file().initial.file.string(), shortest(spent), shortest(budget)));
  for (const Exclusion& one : read_exclusions(study, study.file().initial.file))
    events.emplace_back(Excluded{one.row, one.level, std::nullopt, one.reason});
  return events;
}

}  // namespace

std::string input_name_problem(const Study& study) {
  for (const std::string& input : study.pool().inputs())
    if (is_campaign_column(input) || (study.file().tops_up() && input == "resume_from"))
      return fmt::format("input \"{}\" has the name of a column that campaigns print, must be renamed",
                         input);
  return "";
}

void require_input_names(const Study& study) {
  if (const std::string problem = input_name_problem(study); !problem.empty()) study.file().complain(problem);
}

void require_annotator(const Study& study) {
  require_annotator(study, study.file().folder());
}

void require_annotator(const Study& study, const std::filesystem::path& study_folder) {
  using Kind = AnnotatorSetting::Kind;
  const Kind kind = study.file().annotator.kind;
  if (kind == Kind::command) ExternalCommand(study.file(), study.pool(), study_folder);
  if (kind == Kind::sine || kind == Kind::truth) make_rehearsal(study);
}

std::vector<Event> initial_events(const Study& study, Created created) {
  require_input_names(study);
  std::vector<Event> events{std::move(created)};
  if (study.file().initial.file.empty()) return events;
  std::vector<Event> known = known_before(study);
  events.insert(events.end(), std::make_move_iterator(known.begin()), std::make_move_iterator(known.end()));
  return events;
}

}  // namespace acuity
